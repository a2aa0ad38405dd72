package textfile

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// Window gives the lines of a text file, from front to back and from any
// place, out of a buffer of fixed size that grows for longer lines only.
type Window struct {
	Ctx    context.Context // ends what is read; nil: nothing does
	Source *Source
	buf    []byte // of the file from at
	at     int64
	End    byte   // of a line: '\n', or '\r' in files that have only that
	found  []byte // what Find reads
}

// Bounds of what is read at once, and of a line.
const (
	WindowBytes = 256 << 10
	MostLine    = 64 << 20 // bytes of a line: 600,000 counters in a header
)

// Load makes the buffer hold the bytes from at on, at least n of them if there
// are that many. What the buffer holds already is not read again.
func (w *Window) Load(at int64, n int) ([]byte, error) {
	keep := w.From(at)
	if len(keep) >= n {
		return keep, nil
	}
	want := max(n, WindowBytes)
	if cap(w.buf) < want {
		fresh := make([]byte, 0, max(want, min(2*cap(w.buf), MostLine)))
		keep = append(fresh, keep...)
	} else {
		keep = w.buf[:copy(w.buf[:cap(w.buf)], keep)]
	}
	have := len(keep)
	if w.Ctx != nil && w.Ctx.Err() != nil {
		return nil, context.Cause(w.Ctx)
	}
	got, err := w.Source.ReadAt(keep[have:want], at+int64(have))
	w.buf, w.at = keep[:have+got], at
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return w.buf, nil
}

// From is what the buffer holds from at on.
func (w *Window) From(at int64) []byte {
	if at < w.at || at > w.at+int64(len(w.buf)) {
		return nil
	}
	return w.buf[at-w.at:]
}

// Line returns the line that begins at a place, without its end, and where the
// next one begins. whole is false for a last line without an end. The line is
// valid until the next call. It is nil at the end of the file.
func (w *Window) Line(at int64) (line []byte, next int64, whole bool, err error) {
	buf := w.From(at)
	for searched := 0; ; {
		if i := bytes.IndexByte(buf[searched:], w.End); i >= 0 {
			end := searched + i
			return TrimReturn(buf[:end]), at + int64(end) + 1, true, nil
		}
		searched = len(buf)
		if searched > MostLine {
			return nil, at, false, ErrTooLong
		}
		more, err := w.Load(at, max(2*searched, 1))
		if err != nil {
			return nil, at, false, err
		}
		if len(more) <= searched {
			if searched == 0 {
				return nil, at, false, nil
			}
			return TrimReturn(more), at + int64(searched), false, nil
		}
		buf = more
	}
}

// Find looks for ASCII text from a place on, in what the buffer holds or in as much of the file. at is
// negative where there is none; next is from where to go on, which is the place at the end of the file.
func (w *Window) Find(text string, from int64) (at, next int64, err error) {
	each, sought, held := int64(1), []byte(text), w.From(from)
	if len(held) < len(text) {
		if w.Source.Page.Wide != Narrow {
			each, sought = 2, w.Source.Page.units(text)
		}
		if w.found == nil {
			w.found = make([]byte, WindowBytes)
		}
		n, err := w.Source.file.ReadAt(w.found, w.Source.mark+each*from)
		if err != nil && !errors.Is(err, io.EOF) {
			return -1, from, err
		}
		held = w.found[:n]
	}
	for i := 0; ; i++ {
		found := bytes.Index(held[i:], sought)
		if found < 0 {
			break
		}
		if i += found; int64(i)%each == 0 {
			return from + int64(i)/each, from, nil
		}
	}
	return -1, from + max(int64(len(held)-len(sought))/each+1, 0), nil
}

// TrimReturn cuts carriage returns at the end: files pass through programs that
// write two.
func TrimReturn(line []byte) []byte {
	for len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	return line
}

// before returns where the line before a line begins, which is not before low.
func (w *Window) before(at, low int64) (int64, error) {
	if at <= low {
		return low, nil
	}
	if at > w.at && at <= w.at+int64(len(w.buf)) { // what is there already may do
		from := max(low, w.at)
		if i := lastIndexByte(w.buf[from-w.at:at-w.at-1], w.End); from < at && i >= 0 {
			return from + int64(i) + 1, nil
		}
	}
	for n := int64(WindowBytes); ; n *= 2 {
		from := max(at-n, low)
		if at-from > MostLine {
			return at, ErrTooLong
		}
		buf := w.From(from)
		if int64(len(buf)) < at-from {
			var err error
			if buf, err = w.Load(from, int(at-from)); err != nil {
				return at, err
			}
		}
		buf = buf[:min(int64(len(buf)), at-from)]
		// The last byte is the end of the line that is looked for.
		if i := lastIndexByte(buf[:max(len(buf)-1, 0)], w.End); i >= 0 {
			return from + int64(i) + 1, nil
		}
		if from == low {
			return low, nil
		}
	}
}

// lastIndexByte is bytes.LastIndexByte for long lines: that goes from byte to byte.
func lastIndexByte(b []byte, c byte) int {
	end := len(b)
	for block := 512; block >= 32; block /= 4 {
		for end > block && bytes.IndexByte(b[end-block:end], c) < 0 {
			end -= block
		}
	}
	return bytes.LastIndexByte(b[:end], c)
}

// HasZeros tells whether there are bytes of zero, as after a power cut.
func HasZeros(line []byte) bool { return bytes.IndexByte(line, 0) >= 0 }

// ErrTooLong is a line of more than MostLine.
var ErrTooLong = errors.New("the line is too long")
