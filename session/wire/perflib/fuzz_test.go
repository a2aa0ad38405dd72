package perflib

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// seed gives the vectors of one structure, whole and cut, to a fuzzer.
func seed(f *testing.F, structure string) {
	for _, v := range loadVectors(f) {
		if strings.HasPrefix(v.structure, structure) {
			f.Add(v.bytes)
			f.Add(v.bytes[:len(v.bytes)/2])
		}
	}
}

// Whatever comes: reading ends, keeps within the buffer, finds the same twice,
// and what is written from it reads as the same.
func FuzzData(f *testing.F) {
	seed(f, "data")
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := wholeBlocks(b)
		checkReader(t, b)
		again := encodeData(t, b)
		second, err := wholeBlocks(again)
		if err != nil || !reflect.DeepEqual(first, second) {
			t.Fatalf("%v\nread    %v\nwritten %v", err, first, second)
		}
		if third := encodeData(t, again); !bytes.Equal(again, third) {
			t.Fatalf("written again\n% x\n% x", again, third)
		}
	})
}

// wholeBlocks reads the blocks without damage, less what a DataWriter does not
// write: unknown kinds, and the status of blocks that are no failure.
func wholeBlocks(b []byte) (blocks []object, err error) {
	r := ReadData(b)
	for r.Next() {
		o := blockJSON(r.Block())
		switch r.Block().Kind {
		case KindError:
		case KindCounter, KindCounters, KindInstances, KindCounterset:
			o["status"] = uint32(0)
		default:
			continue
		}
		if r.Block().Err == nil {
			blocks = append(blocks, o)
		}
	}
	return blocks, r.Err()
}

// checkReader sees that blocks are in order within the reply, and that the
// error of the reply is the first damage in it.
func checkReader(t *testing.T, b []byte) {
	r := ReadData(b)
	var first error
	end := dataHeaderSize
	for n := 0; r.Next(); n++ {
		block := r.Block()
		if block.Index != n || block.Offset != end || end+counterHeaderSize+len(block.Content()) > len(b) {
			t.Fatalf("block %d: index %d, at %d after %d", n, block.Index, block.Offset, end)
		}
		end = following(0, uint32(end+counterHeaderSize+len(block.Content())), int(min(uint64(r.Header().TotalSize), uint64(len(b)))))
		if first == nil {
			first = block.Err
		}
	}
	var damage *DamageError
	if err := r.Err(); errors.As(err, &damage) && (damage.Offset < 0 || damage.Offset > len(b)) {
		t.Fatalf("damage outside the buffer: %v", err)
	} else if first != nil && err == nil {
		t.Fatalf("a block has damage and the reply has none: %v", first)
	}
}

func FuzzInstances(f *testing.F) {
	seed(f, "instances")
	f.Fuzz(func(t *testing.T, b []byte) {
		list, _ := DecodeInstances(b)
		again, err := DecodeInstances(encodeInstances(list))
		if err != nil || !reflect.DeepEqual(instancesJSON(list), instancesJSON(again)) || cap(list) > len(b) {
			t.Fatalf("%v\nread    %v\nwritten %v", err, list, again)
		}
	})
}

func FuzzIdentifiers(f *testing.F) {
	seed(f, "identifiers")
	f.Fuzz(func(t *testing.T, in []byte) {
		b := bytes.Clone(in) // SetStatus writes into it
		list, err := DecodeIdentifiers(b)
		strict, strictErr := DecodeIdentifierRequest(b)
		if len(strict) > len(list) || strictErr == nil && err != nil {
			t.Fatalf("the request reader takes more: %v, %v", strictErr, err)
		}
		for i := range list {
			list[i].SetStatus(b, uint32(i))
			list[i].Status, list[i].Offset = uint32(i), 0
			if list[i].Err != nil { // not written again: a name is missing
				list[i].Name, list[i].Err = nil, nil
			}
		}
		again, err := DecodeIdentifierRequest(encodeIdentifiers(list))
		for i := range again {
			again[i].Offset = 0
		}
		if len(list) > 0 && (err != nil || !reflect.DeepEqual(list, again)) {
			t.Fatalf("%v\nread    %v\nwritten %v", err, list, again)
		}
	})
}

func FuzzCounterset(f *testing.F) {
	seed(f, "reginfo:1")
	seed(f, "reginfo_truncate:1")
	f.Fuzz(func(t *testing.T, b []byte) {
		set, _ := DecodeCounterset(b)
		again, err := DecodeCounterset(AppendCounterset(nil, &set))
		if err != nil || len(set.Counters) > len(b)/counterInfoSize || !reflect.DeepEqual(countersetJSON(&set), countersetJSON(&again)) {
			t.Fatalf("%v\nread    %v\nwritten %v", err, set, again)
		}
		if c, err := DecodeCounter(b); err == nil {
			if back, err := DecodeCounter(AppendCounter(nil, &c)); err != nil || back != c {
				t.Fatalf("%v\nread    %v\nwritten %v", err, c, back)
			}
		}
	})
}

func FuzzStrings(f *testing.F) {
	for _, code := range []string{"3", "4", "5", "6", "7", "9", "10"} {
		seed(f, "reginfo:"+code)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		list, _ := DecodeStrings(b)
		table := AppendStrings(nil, list)
		again, err := DecodeStrings(table)
		if err != nil || len(table)%8 != 0 || !equalStrings(list, again) {
			t.Fatalf("%v\nread    %v\nwritten %v", err, list, again)
		}
		if text, err := DecodeString(b); err == nil {
			if back, err := DecodeString(AppendString(nil, text)); err != nil || !bytes.Equal(back, text) {
				t.Fatalf("%v: read %q, written %q", err, text, back)
			}
		}
	})
}

func equalStrings(a, b []CounterString) bool {
	for i := range min(len(a), len(b)) {
		if a[i].ID != b[i].ID || !bytes.Equal(a[i].Text, b[i].Text) || (a[i].Text == nil) != (b[i].Text == nil) {
			return false
		}
	}
	return len(a) == len(b)
}

func FuzzGUID(f *testing.F) {
	f.Add("{b4fc721a-0378-476f-89ba-a5a79f810b36}")
	f.Add("B4FC721A-0378-476F-89BA-A5A79F810B36")
	f.Fuzz(func(t *testing.T, s string) {
		g, err := ParseGUID(s)
		if err != nil {
			return
		}
		if back, err := ParseGUID(g.String()); err != nil || back != g {
			t.Fatalf("%q: %v, %v", s, back, err)
		}
		if wire, err := DecodeGUID(AppendGUID(nil, g)); err != nil || wire != g {
			t.Fatalf("%q: %v, %v", s, wire, err)
		}
	})
}
