package perflib

import (
	"errors"
	"reflect"
	"testing"
	"time"
)

var testHeader = NewDataHeader(time.Date(2026, 9, 29, 17, 32, 23, 755_000_000, time.UTC), 40683488519791, 10_000_000)

// blocksOf writes a reply of the blocks and gives it with their offsets.
func blocksOf(t testing.TB, blocks ...func(w *DataWriter)) (buf []byte, offsets []int) {
	t.Helper()
	w := NewDataWriter(nil, &testHeader)
	for _, write := range blocks {
		offsets = append(offsets, w.Len())
		write(&w)
	}
	buf, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return buf, offsets
}

func counter(v uint64) func(w *DataWriter) {
	return func(w *DataWriter) { w.Counter(); w.Uint64(v) }
}

func counterset(rows ...string) func(w *DataWriter) {
	return func(w *DataWriter) {
		w.Counterset([]uint32{1, 2, 9})
		for i, name := range rows {
			w.Instance(uint32(i), EncodeText(name))
			w.Uint64(uint64(i))
			w.Uint32(uint32(i))
			w.Uint64(uint64(i))
		}
	}
}

// readNumbers reads all there is: for each block its values, or how many whole
// instances it has.
func readNumbers(buf []byte) (blocks [][]uint64, damaged []int, err error) {
	r := ReadData(buf)
	for r.Next() {
		b, list := r.Block(), []uint64{}
		for v := b.Values(); v.Next(); {
			n, _ := v.Value.Uint64()
			list = append(list, n)
		}
		for it := b.Instances(); it.Next(); {
			list = append(list, uint64(it.ID))
		}
		blocks = append(blocks, list)
		if b.Err != nil {
			damaged = append(damaged, b.Index)
		}
	}
	return blocks, damaged, r.Err()
}

func TestDamagedBlockLeavesTheOthers(t *testing.T) {
	buf, at := blocksOf(t, counter(7), counterset("a", "b", "c"), counter(8), counter(9))
	putU32(buf, at[1]+counterHeaderSize+24+listHeaderSize, 1) // Size of the first instance
	putU32(buf, at[2]+counterHeaderSize+4, 4)                 // dwSize of the value
	blocks, damaged, err := readNumbers(buf)
	if want := [][]uint64{{7}, {}, {}, {9}}; !reflect.DeepEqual(blocks, want) {
		t.Errorf("read %v, want %v", blocks, want)
	}
	if !reflect.DeepEqual(damaged, []int{1, 2}) || !errors.Is(err, SizeTooSmall) {
		t.Errorf("damaged blocks %v, %v", damaged, err)
	}
}

func TestDamageEndsWhereBlocksDoNotFit(t *testing.T) {
	buf, at := blocksOf(t, counter(7), counter(1), counter(8), counter(9))
	putU32(buf, at[1]+8, 24) // dwSize of the block: what follows is no block
	blocks, damaged, err := readNumbers(buf)
	if want := [][]uint64{{7}, {}}; !reflect.DeepEqual(blocks, want) {
		t.Errorf("read %v, want %v", blocks, want)
	}
	if !reflect.DeepEqual(damaged, []int{1}) || !errors.Is(err, SizeExceedsParent) {
		t.Errorf("damaged blocks %v, %v", damaged, err)
	}
}

func TestCutReplyKeepsWhatIsThere(t *testing.T) {
	buf, at := blocksOf(t, counter(7), counterset("a", "b", "c"), counter(8))
	row := 16 + 3*16
	instances := at[1] + counterHeaderSize + 24 + listHeaderSize
	for cut := range buf {
		want := [][]uint64(nil)
		if cut >= at[0]+counterHeaderSize {
			want = append(want, []uint64{})
			if cut >= at[1] {
				want[0] = []uint64{7}
			}
		}
		if cut >= at[1]+counterHeaderSize {
			want = append(want, []uint64{})
			for i := range 3 {
				if cut >= instances+(i+1)*row {
					want[1] = append(want[1], uint64(i))
				}
			}
		}
		if cut >= at[2]+counterHeaderSize {
			want = append(want, []uint64{})
		}
		blocks, _, err := readNumbers(buf[:cut])
		if !reflect.DeepEqual(blocks, want) {
			t.Fatalf("cut at %d: read %v, want %v", cut, blocks, want)
		}
		if err == nil {
			t.Fatalf("cut at %d: no error", cut)
		}
	}
}

func TestListsKeepWhatComesBeforeDamage(t *testing.T) {
	ids := encodeIdentifiers([]Identifier{{CounterID: 1, Name: EncodeText("abcd")}, {CounterID: 2, Name: EncodeText("*")}})
	if list, err := DecodeIdentifiers(ids[:len(ids)-1]); len(list) != 1 || !errors.Is(err, SizeExceedsBuffer) {
		t.Errorf("identifiers: kept %d, %v", len(list), err)
	}
	instances := encodeInstances([]Instance{{ID: 1, Name: EncodeText("abcd")}, {ID: 2, Name: EncodeText("x")}})
	if list, err := DecodeInstances(instances[:len(instances)-1]); len(list) != 1 || !errors.Is(err, SizeExceedsParent) {
		t.Errorf("instances: kept %d, %v", len(list), err)
	}
	set := AppendCounterset(nil, &CountersetInfo{Counters: make([]CounterInfo, 3)})
	if got, err := DecodeCounterset(set[:len(set)-1]); len(got.Counters) != 2 || !errors.Is(err, CountExceedsSize) {
		t.Errorf("counterset: kept %d, %v", len(got.Counters), err)
	}
	table := AppendStrings(nil, []CounterString{{1, EncodeText("one")}, {2, nil}, {3, EncodeText("three")}})
	putU32(table, stringTableSize+4, 33) // odd
	list, err := DecodeStrings(table)
	if len(list) != 2 || list[1].Text.String() != "three" || !errors.Is(err, OffsetOdd) {
		t.Errorf("strings: kept %v, %v", list, err)
	}
}

func TestIdentifierWithDamagedNameIsReportedAlone(t *testing.T) {
	buf := encodeIdentifiers([]Identifier{{CounterID: 1, Name: EncodeText("abc")}, {CounterID: 2, Name: EncodeText("x")}})
	buf[46] = 1 // the NUL
	list, err := DecodeIdentifierRequest(buf)
	if len(list) != 2 || list[0].Err == nil || list[1].Err != nil || !errors.Is(err, MissingTerminator) {
		t.Fatalf("got %v, %v", list, err)
	}
	list[0].SetStatus(buf, 0x57)
	list[1].SetStatus(buf, 0xB7)
	if list, _ = DecodeIdentifiers(buf); list[0].Status != 0x57 || list[1].Status != 0xB7 {
		t.Errorf("statuses %#x, %#x", list[0].Status, list[1].Status)
	}
	if list, err = DecodeIdentifierRequest(buf[:len(buf)-8]); len(list) != 1 || !errors.Is(err, SizeExceedsBuffer) {
		t.Errorf("damage of a block comes before that of a name: %v, %v", list, err)
	}
}

// A table may not make a few bytes mean a great deal of text.
func TestOverlappingStringsAreBounded(t *testing.T) {
	const entries = 20_000
	list := make([]CounterString, entries)
	for i := range list {
		list[i] = CounterString{uint32(i), Text{}}
	}
	table := AppendStrings(nil, list)
	text := len(table) - 8 // where the strings are
	table = append(table[:text], make([]byte, 200_000)...)
	for i := text; i < len(table)-2; i++ {
		table[i] = 'x'
	}
	putU32(table, 0, uint32(len(table)))
	for i := range entries {
		putU32(table, stringTableSize+i*stringEntrySize+4, uint32(text+2*i))
	}
	got, err := DecodeStrings(table)
	total := 0
	for _, s := range got {
		total += len(s.Text)
	}
	if !errors.Is(err, TextOversized) || total > 2*textFactor*len(table) {
		t.Errorf("%d bytes of text from %d, %v", total, len(table), err)
	}
}
