package blg

import (
	"context"
	"errors"
	"os"
	"time"

	"perfdeck/session/files/formats/blg/trace"
	"perfdeck/session/files/logs"
)

var errOtherBLG = errors.New("a binary log of another kind than is written here: it cannot be continued")

// Resume continues a log with a value of each counter in its samples, as they are written
// here.
func Resume(file *os.File, name string, h *logs.Header, o logs.WriteOptions) (logs.Writer, logs.Tail, error) {
	tail := logs.Tail{Rows: -1}
	w, err := newWriter(file, h, o)
	if err != nil {
		return nil, tail, err
	}
	size, err := logs.FileSize(file)
	if err != nil {
		return nil, tail, err
	}
	r, err := newReader(context.Background(), name, file, func() (int64, error) { return size, nil }, logs.OpenOptions{})
	if err != nil {
		return nil, tail, err
	}
	if err := logs.CheckResume(name, r.Header(), h); err != nil {
		return nil, tail, err
	}
	var end trace.Place
	if end, tail.Last, err = r.end(); err != nil {
		return nil, tail, err
	}
	if !r.adopted(w) {
		return nil, tail, &logs.FileError{File: name, Err: errOtherBLG, Advice: "record into a new file"}
	}
	w.out, tail.Cut, err = trace.ContinueWriter(file, end, size, o.Buffered)
	w.holds = true
	return w, tail, err
}

// end is the place behind the last sample that is whole, or behind the list where there is
// none, and the time of that sample.
func (r *reader) end() (end trace.Place, last time.Time, err error) {
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
	return r.stream.Place(), last, trace.IgnoreEOF(r.stream.Next(&r.event))
}

// adopted lets a writer go on with the list in force. It reports false where a log is not as
// they are written here.
func (r *reader) adopted(w *writer) bool {
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
