package trace

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// walk reads all events of a trace out of memory.
func walk(data []byte) (n int, err error) {
	s, err := NewStream(bytes.NewReader(data), func() (int64, error) { return int64(len(data)), nil })
	if err != nil {
		return 0, err
	}
	s.Begin()
	var e Event
	for ; ; n++ {
		if err = s.Next(&e); err != nil {
			break
		}
	}
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	_, _, _ = s.First(s.Place()/2, s.Place(), KindSample)
	_, _, err = s.Before(s.Place(), KindSample)
	return n, err
}

func FuzzStream(f *testing.F) {
	f.Add(make([]byte, 2048))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := walk(data)
		if n > len(data)/eventHeaderBytes {
			t.Fatalf("%d events in %d bytes, %v", n, len(data), err)
		}
	})
}

func FuzzReadList(f *testing.F) {
	f.Add([]byte{0xFF, 6, 0, 0, 8, 0, 2, 0, 56, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if list, _ := ReadList(data); len(list) > len(data)/counterBytes {
			t.Fatalf("%d counters in %d bytes", len(list), len(data))
		}
	})
}

func FuzzReadNames(f *testing.F) {
	f.Add([]byte("\\\x00\\\x00A\x00\x00\x002\x00\x00\x00x\x00\x00\x00"))
	f.Fuzz(func(_ *testing.T, data []byte) { _ = ReadNames(data, map[string]Names{}) })
}

func FuzzReadIndex(f *testing.F) {
	f.Add(make([]byte, 64))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, _ := ReadIndex(data)
		text := 0
		for i := range x.Objects {
			for _, in := range x.Objects[i].Instances {
				text += len(in.Name) + len(in.Parent)
			}
		}
		if text > 16*len(data)+64 {
			t.Fatalf("%d bytes of text out of %d", text, len(data))
		}
	})
}

func FuzzReadSample(f *testing.F) {
	f.Add([]byte("BL\x03\x00\x18\x00\x00\x00BL\x03\x02\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		bytes := 0
		for r := ReadSample(data); r.Next(); {
			bytes += len(r.Body)
			_, _ = ReadRaw(r.Body)
			items, _ := ReadItems(r.Body)
			for items.Next() {
				_ = items.Name.String()
			}
		}
		if bytes > len(data) {
			t.Fatalf("%d bytes of records in %d", bytes, len(data))
		}
	})
}

func FuzzReadHeader(f *testing.F) {
	f.Add(make([]byte, 1024))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if h, err := ReadHeader(data); err == nil {
			h.Zone.At(Time(0))
		}
	})
}
