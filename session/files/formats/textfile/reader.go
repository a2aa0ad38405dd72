// Package textfile is what recordings in files of lines have in common: how they are encoded, lines
// and rows from any place, numbers, and what is written row by row.
package textfile

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"perfdeck/session/files/logs"
	"perfdeck/session/system/osfile"
)

// Reader is what readers of text have in common: a place in a file of lines,
// and what was left out on the way.
type Reader struct {
	Name    string
	Window  Window
	Finder  Finder
	LeftOut logs.Faults

	At    int64 // of the line that comes next
	Line  int64 // its number; 0: not known
	Rows  int64 // read since the first without a jump; -1: there was one
	Ended bool  // the end was read
}

// NewReader is at the beginning of a file. The finder still needs to know
// what a row is.
func NewReader(ctx context.Context, file *os.File, o logs.OpenOptions) (Reader, error) {
	head := make([]byte, logs.HeadBytes)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Reader{}, err
	}
	source, err := sourceOf(file, head[:n], o)
	return Reader{Name: file.Name(), Window: Window{Ctx: ctx, Source: source}, LeftOut: logs.Faults{Most: o.Faults}}, err
}

// Open opens a file for a reader of text, which closes it.
func Open(name string, read func(*os.File) (logs.FileRows, error)) (logs.FileRows, error) {
	file, err := osfile.OpenPlain(name)
	if err != nil {
		return nil, err
	}
	r, err := read(file)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return r, nil
}

// Faults are what was left out.
func (r *Reader) Faults() logs.Faults { return r.LeftOut }

// Close closes the file.
func (r *Reader) Close() error { return r.Window.Source.file.Close() }

// Jump goes to a line.
func (r *Reader) Jump(at int64) {
	r.At, r.Line, r.Rows, r.Ended = at, 0, -1, false
	if at == r.Finder.First {
		r.Rows = 0
	}
}

// Position is the line that comes next.
func (r *Reader) Position() int64 { return r.At }

// GoTo is Jump.
func (r *Reader) GoTo(place int64) error {
	r.Jump(place)
	return nil
}

// Bounds are the first row and the end of the file.
func (r *Reader) Bounds() (first, end, near int64, err error) {
	end, err = r.Window.Source.Size()
	return r.Finder.First, end, BisectBytes, err
}

// RowAt finds the first row from one place to another.
func (r *Reader) RowAt(place, before int64) (at int64, t time.Time, err error) {
	return r.Finder.from(place, before)
}

// Pass goes on to the line that begins at next.
func (r *Reader) Pass(next int64) { r.PassLines(next, 1) }

// PassLines goes on over so many lines.
func (r *Reader) PassLines(next, lines int64) {
	r.At = next
	if r.Line > 0 {
		r.Line += lines
	}
}

// Fail is an error in the line that comes next.
func (r *Reader) Fail(cell int, err error) *logs.FileError {
	return &logs.FileError{File: r.Name, Line: r.Line, Offset: r.At, Cell: cell, Err: err}
}

// Fault is Fail for what is only noted: nil when enough was.
func (r *Reader) Fault(cell int, err error) *logs.FileError {
	if r.LeftOut.Full() {
		return nil
	}
	return r.Fail(cell, err)
}

// Span guesses the number of rows from that of lines, unless all were read.
func (r *Reader) Span() (s logs.Span, err error) {
	if r.Finder.First < 0 {
		s.Bytes, err = r.Window.Source.Size()
		s.Exact = true
	} else {
		s, err = r.Finder.span()
	}
	if r.Ended && r.Rows >= 0 {
		s.Rows, s.Exact = r.Rows, true
	}
	s.At = r.At
	return s, err
}

// GoOn lets a file of lines go on behind its last row, or behind low if that is later.
func (r *Reader) GoOn(low int64, lineEnd string, o logs.WriteOptions) (out Out, tail logs.Tail, err error) {
	file, end, whole := r.Window.Source.file, low, true
	if r.Finder.First >= 0 {
		at, rowEnd, last, rowWhole, err := r.Finder.Last()
		if err == nil && at < 0 {
			err = &logs.FileError{File: file.Name(), Err: errNoWholeRow, Advice: "record into a new file"}
		}
		if err != nil {
			return out, tail, err
		}
		if tail.Last = last; rowEnd >= low {
			end, whole = rowEnd, rowWhole
		}
	}
	size, err := logs.FileSize(file)
	end += r.Window.Source.mark
	tail.Rows, tail.Cut = -1, size-end
	out = NewOut(file, o)
	out.Size = end
	_, seekErr := file.Seek(end, io.SeekStart)
	if err = cmp.Or(err, file.Truncate(end), seekErr); err == nil && !whole {
		err = out.Write([]byte(lineEnd))
	}
	return out, tail, err
}

var errNoWholeRow = errors.New("no whole row is found that another could follow")
