package logs

import (
	"context"
	"errors"
	"os"
	"time"

	"perfdeck/session/record/blg"
)

// resumedBLG is a blgWriter that continues a file: its first row has to be later than the
// last one there.
type resumedBLG struct {
	*blgWriter

	last time.Time
}

func (w *resumedBLG) WriteRow(row *Row) error {
	if err := checkLater(w.file.Name(), w.last, row.Time.Truncate(time.Millisecond)); err != nil {
		return err
	}
	w.last = time.Time{}
	return w.blgWriter.WriteRow(row)
}

var errOtherBLG = errors.New("a binary log of another kind than is written here: it cannot be continued")

// resumeBLG continues a log with a value of each counter in its samples, as they are written
// here. What was not written to its end is cut off.
func resumeBLG(name string, h *Header, o WriteOptions) (Writer, Tail, error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, Tail{}, err
	}
	w, tail, err := continueBLG(file, h, o)
	if err != nil {
		_ = file.Close()
		return nil, Tail{}, err
	}
	return w, tail, nil
}

func continueBLG(file *os.File, h *Header, o WriteOptions) (*resumedBLG, Tail, error) {
	tail := Tail{Rows: -1}
	w, err := newBLGWriter(file, h, o)
	if err != nil {
		return nil, tail, err
	}
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return &resumedBLG{blgWriter: w}, Tail{}, err
	}
	r, err := newBLGReader(context.Background(), file.Name(), file, func() (int64, error) { return info.Size(), nil }, OpenOptions{})
	if err != nil {
		return nil, tail, err
	}
	if err := checkResume(file.Name(), r.Header(), h); err != nil {
		return nil, tail, err
	}
	var end blg.Place
	if end, tail.Last, err = r.end(); err != nil {
		return nil, tail, err
	}
	if !r.adopted(w) {
		return nil, tail, &FileError{File: file.Name(), Err: errOtherBLG, Advice: "record into a new file"}
	}
	if w.out, tail.Cut, err = blg.ContinueWriter(file, end, info.Size(), o.Buffered); err != nil {
		return nil, tail, err
	}
	w.holds = true
	return &resumedBLG{w, tail.Last}, tail, nil
}

// end is the place behind the last sample that is whole, or behind the list where there is
// none, and the time of that sample.
func (r *blgReader) end() (end blg.Place, last time.Time, err error) {
	place, err := r.stream.End()
	if err != nil {
		return end, last, err
	}
	_, found, err := r.sampleBefore(place)
	if err != nil {
		return end, last, err
	}
	if found {
		return r.stream.Place(), r.timeOf(r.event.Time), nil
	}
	r.stream.Seek(r.layouts[len(r.layouts)-1].place)
	return r.stream.Place(), last, orEOF(r.stream.Next(&r.event))
}

// adopted lets a writer go on with the list in force. It reports false where a log is not as
// they are written here.
func (r *blgReader) adopted(w *blgWriter) bool {
	if r.stream.Inferred || r.index.Samples > 0 || r.layout == nil || len(r.layout.entries) != len(w.list) || !r.stream.Header.IsWritten() {
		return false
	}
	for i := range r.layout.entries {
		e := &r.layout.entries[i]
		if !e.isOne() || e.Type != w.list[i].Type {
			return false
		}
		w.list[i].FreqHz = e.FreqHz
		w.before[i] = *r.cell(r.one(e)) // end decoded the last sample
	}
	w.zone, w.listed = r.header.Zone, true
	return true
}
