package perflib_test

import (
	"encoding/binary"
	"errors"
	"reflect"
	"testing"

	. "perfdeck/session/wire/perflib"
)

type v1Name struct {
	index uint32
	text  string
}

func readV1Names(b []byte) (list []v1Name, err error) {
	n := ReadV1Names(b)
	for n.Next() {
		list = append(list, v1Name{n.Index, n.Text.String()})
	}
	return list, n.Err()
}

func TestV1Names(t *testing.T) {
	utf16 := func(s string) []byte {
		var b []byte
		for _, c := range s {
			b = binary.LittleEndian.AppendUint16(b, uint16(c))
		}
		return b
	}
	for _, c := range []struct {
		name, wire string
		want       []v1Name
		err        error
	}{
		{"usual", "1\x001847\x002\x00System\x004\x00Memory\x00\x00", []v1Name{{1, "1847"}, {2, "System"}, {4, "Memory"}}, nil},
		{"empty", "\x00", nil, nil},
		{"nothing", "", nil, nil},
		{"other languages", "2\x00Größe\x004\x00процесс\x00\x00", []v1Name{{2, "Größe"}, {4, "процесс"}}, nil},
		{"trailing blanks", "2 \x00Name \x00\x00", []v1Name{{2, "Name "}}, nil},
		{"leading zeros", "007\x00x\x00\x00", []v1Name{{7, "x"}}, nil},
		{"an empty text", "2\x00\x004\x00Memory\x00\x00", []v1Name{{2, ""}, {4, "Memory"}}, nil},
		{"more NULs at the end", "2\x00x\x00\x00\x00\x00", []v1Name{{2, "x"}}, nil},
		{"no end", "2\x00x\x00", []v1Name{{2, "x"}}, nil},
		{"cut text", "2\x00x\x004\x00Mem", []v1Name{{2, "x"}, {4, "Mem"}}, MissingTerminator},
		{"cut index", "2\x00x\x0014", []v1Name{{2, "x"}}, MissingTerminator},
		{"index without text", "2\x00x\x0014\x00", []v1Name{{2, "x"}}, Truncated},
		{"stray text", "2\x00x\x00stray\x004\x00y\x00\x00", []v1Name{{2, "x"}, {4, "y"}}, BadIndex},
		{"too large", "4294967296\x004\x00y\x00\x00", []v1Name{{4, "y"}}, BadIndex},
		{"the largest", "4294967295\x00y\x00\x00", []v1Name{{4294967295, "y"}}, nil},
		{"bytes after the end", "2\x00x\x00\x00rest", []v1Name{{2, "x"}}, TrailingBytes},
	} {
		list, err := readV1Names(utf16(c.wire))
		if !errors.Is(err, c.err) || !reflect.DeepEqual(list, c.want) {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, list, err, c.want, c.err)
		}
	}
	if list, err := readV1Names(append(utf16("2\x00x\x00\x00"), 0)); err != nil || len(list) != 1 {
		t.Errorf("an odd byte: %v, %v", list, err)
	}
}
