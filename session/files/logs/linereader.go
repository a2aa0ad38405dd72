package logs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"perfdeck/session/system/osfile"
)

// lineReader is what readers of text have in common: a place in a file of lines,
// and what was left out on the way.
type lineReader struct {
	name   string
	window textWindow
	finder rowFinder
	faults Faults

	at    int64 // of the line that comes next
	line  int64 // its number; 0: not known
	rows  int64 // read since the first without a jump; -1: there was one
	ended bool  // the end was read
}

// newLineReader is at the beginning of a file. The finder still needs to know
// what a row is.
func newLineReader(ctx context.Context, file *os.File, o OpenOptions) (lineReader, error) {
	head := make([]byte, sniffBytes)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return lineReader{}, err
	}
	source, err := sourceOf(file, head[:n], o)
	return lineReader{name: file.Name(), window: textWindow{ctx: ctx, source: source}, faults: Faults{most: o.Faults}}, err
}

// openLines opens a file for a reader of text, which closes it.
func openLines(name string, read func(*os.File) (rows, error)) (rows, error) {
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

func (r *lineReader) Faults() Faults { return r.faults }
func (r *lineReader) Close() error   { return r.window.source.file.Close() }

// jump goes to a line.
func (r *lineReader) jump(at int64) {
	r.at, r.line, r.rows, r.ended = at, 0, -1, false
	if at == r.finder.first {
		r.rows = 0
	}
}

func (r *lineReader) position() int64 { return r.at }

func (r *lineReader) goTo(place int64) error {
	r.jump(place)
	return nil
}

func (r *lineReader) bounds() (first, end, near int64, err error) {
	end, err = r.window.source.size()
	return r.finder.first, end, bisectBytes, err
}

func (r *lineReader) rowAt(place, before int64) (at int64, t time.Time, err error) {
	return r.finder.from(place, before)
}

// pass goes on to the line that begins at next.
func (r *lineReader) pass(next int64) { r.passLines(next, 1) }

// passLines goes on over so many lines.
func (r *lineReader) passLines(next, lines int64) {
	r.at = next
	if r.line > 0 {
		r.line += lines
	}
}

// fail is an error in the line that comes next.
func (r *lineReader) fail(cell int, err error) *FileError {
	return &FileError{File: r.name, Line: r.line, Offset: r.at, Cell: cell, Err: err}
}

// fault is fail for what is only noted: nil when enough was.
func (r *lineReader) fault(cell int, err error) *FileError {
	if r.faults.full() {
		return nil
	}
	return r.fail(cell, err)
}

// Span guesses the number of rows from that of lines, unless all were read.
func (r *lineReader) Span() (s Span, err error) {
	if r.finder.first < 0 {
		s.Bytes, err = r.window.source.size()
		s.Exact = true
	} else {
		s, err = r.finder.span()
	}
	if r.ended && r.rows >= 0 {
		s.Rows, s.Exact = r.rows, true
	}
	s.At = r.at
	return s, err
}

// goOn lets a file of lines go on behind its last row, or behind low if that is later.
func (r *lineReader) goOn(low int64, lineEnd string, o WriteOptions) (out outFile, tail Tail, err error) {
	file, end, whole := r.window.source.file, low, true
	if r.finder.first >= 0 {
		at, rowEnd, last, rowWhole, err := r.finder.last()
		if err == nil && at < 0 {
			err = &FileError{File: file.Name(), Err: errNotASample}
		}
		if err != nil {
			return out, tail, err
		}
		if tail.Last = last; rowEnd >= low {
			end, whole = rowEnd, rowWhole
		}
	}
	size, err := fileSize(file)
	end += r.window.source.mark
	tail.Rows, tail.Cut = -1, size-end
	out = newOutFile(file, o)
	out.size = end
	_, seekErr := file.Seek(end, io.SeekStart)
	if err = cmp.Or(err, file.Truncate(end), seekErr); err == nil && !whole {
		err = out.write([]byte(lineEnd))
	}
	return out, tail, err
}

var errNotASample = errors.New("not a sample in JSON")
