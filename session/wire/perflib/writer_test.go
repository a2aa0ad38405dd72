package perflib

import (
	"bytes"
	"errors"
	"testing"
	"time"
)

func TestWriterAppendsAndPads(t *testing.T) {
	before := []byte{0xAA, 0xBB, 0xCC}
	dst := append(make([]byte, 0, 4096), before...)
	for i := range dst[3:cap(dst)] {
		dst[3:cap(dst)][i] = 0xEE // what a re-used buffer holds
	}
	w := NewDataWriter(dst, &testHeader)
	w.Counters([]uint32{4, 5, 6})
	w.Uint32(7)
	w.Text(EncodeText("on"))
	w.Bytes(nil)
	buf, err := w.Finish()
	if err != nil || !bytes.HasPrefix(buf, before) {
		t.Fatalf("%v, % x", err, buf)
	}
	if bytes.Contains(buf, []byte{0xEE}) {
		t.Errorf("pad bytes are not zero:\n% x", buf)
	}
	r := ReadData(buf[len(before):])
	var got []string
	for r.Next() {
		for v := r.Block().Values(); v.Next(); {
			got = append(got, string(v.Value))
		}
	}
	want := []string{"\x07\x00\x00\x00", "o\x00n\x00\x00\x00", ""}
	if r.Err() != nil || len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("read %q, %v", got, r.Err())
	}
}

func TestWriterTellsOfWrongShapes(t *testing.T) {
	for name, write := range map[string]func(w *DataWriter){
		"value without a block":      func(w *DataWriter) { w.Uint64(1) },
		"value of a failure":         func(w *DataWriter) { w.Failed(5); w.Uint32(1) },
		"no value":                   func(w *DataWriter) { w.Counter() },
		"two values":                 func(w *DataWriter) { w.Counter(); w.Uint64(1); w.Uint64(2) },
		"value missing":              func(w *DataWriter) { w.Counters([]uint32{1, 2}); w.Uint64(1); w.Failed(5) },
		"value without an instance":  func(w *DataWriter) { w.Instances(); w.Uint64(1) },
		"instance without its value": func(w *DataWriter) { w.Instances(); w.Instance(0, nil); w.Instance(1, nil); w.Uint64(1) },
		"instance without a block":   func(w *DataWriter) { w.Instance(0, nil) },
		"instance of one counter":    func(w *DataWriter) { w.Counter(); w.Instance(0, nil); w.Uint64(1) },
		"row too long":               func(w *DataWriter) { w.Counterset([]uint32{1}); w.Instance(0, nil); w.Uint64(1); w.Uint64(1) },
	} {
		w := NewDataWriter([]byte("x"), &testHeader)
		write(&w)
		if buf, err := w.Finish(); !errors.Is(err, ErrShape) || string(buf) != "x" {
			t.Errorf("%s: %q, %v", name, buf, err)
		}
	}
}

// The bytes of a live reply tell that both times are the same instant.
func TestDataHeaderIsOneInstant(t *testing.T) {
	h := ReadData(loadHex(t, "dt01_real_win11_112.hex")).header
	at := time.Date(2026, 9, 29, 17, 32, 23, 755_000_000, time.UTC).
		Add(time.Duration(h.Time100ns%10_000) * 100) // SYSTEMTIME ends at milliseconds
	got := NewDataHeader(at.In(time.FixedZone("", 7200)), h.PerfTime, h.PerfFreqHz)
	if got.TotalSize, got.NumCounters = h.TotalSize, h.NumCounters; got != h {
		t.Errorf("got %+v, want %+v", got, h)
	}
	if c := h.Clocks(); c.PerfTime != h.PerfTime || c.PerfFreqHz != h.PerfFreqHz || c.Time100ns != h.Time100ns {
		t.Errorf("clocks %+v", c)
	}
}
