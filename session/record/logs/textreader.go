package logs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"perfdeck/cooker"
)

// textReader reads PDH-CSV and PDH-TSV, and what typeperf wrote to a screen.
type textReader struct {
	lineReader

	header *textHeader
	clock  wallClock

	wanted []bool // by column; nil: all
	last   int    // the last that is wanted
}

func openPDHText(ctx context.Context, name string, o OpenOptions) (Reader, error) {
	return openLines(name, func(file *os.File) (Reader, error) { return newTextReader(ctx, file, o) })
}

func newTextReader(ctx context.Context, file *os.File, o OpenOptions) (*textReader, error) {
	lines, err := newLineReader(ctx, file, o)
	if err != nil {
		return nil, err
	}
	r := &textReader{lineReader: lines}
	r.finder = rowFinder{window: &r.window, first: -1, timeOf: r.completeRow}
	r.header, err = readHeader(&r.window)
	if err != nil {
		e := &FileError{File: r.name, Line: 1, Err: err}
		if page, ok := errors.AsType[*codePageError](err); ok {
			e.Advice = page.Hint()
		}
		return nil, e
	}
	r.last = len(r.header.Columns)
	return r, r.begin()
}

// begin finds the first row. It decides what only a row can tell: whether the
// last cell of the header is a caption, and the zone where no header tells it.
func (r *textReader) begin() error {
	r.clock = newWallClock(r.header.Zone)
	r.at, r.line = r.header.body, r.header.line+1
	found, err := r.nextLine()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	n, _ := countCells(found.cells, r.header.comma)
	r.header.decideCaption(n)
	if !r.header.Zone.Known {
		r.assumeZone(found.time)
	}
	r.finder.first = r.at
	r.last = len(r.header.Columns)
	return nil
}

// assumeZone takes the zone of this computer at the first row.
func (r *textReader) assumeZone(first time.Time) {
	y, m, d := first.Date()
	h, i, s := first.Clock()
	z := LocalZone(time.Date(y, m, d, h, i, s, 0, time.Local))
	r.clock = newWallClock(z)
	z.Known = false
	r.header.Zone = z
}

func (r *textReader) Header() *Header { return &r.header.Header }

func (r *textReader) Only(columns []int) {
	r.wanted, r.last = nil, len(r.header.Columns)
	if columns == nil {
		return
	}
	r.wanted, r.last = make([]bool, len(r.header.Columns)), 0
	for _, c := range columns {
		r.wanted[c] = true
		r.last = max(r.last, c+1)
	}
}

func (r *textReader) Next(row *Row) error {
	found, err := r.nextLine()
	if err != nil {
		return err
	}
	if r.finder.first < 0 {
		r.finder.first = r.at
	}
	row.Time, row.Raw = found.time, row.Raw[:0]
	row.Values = r.values(row.Values, found.cells)
	if r.rows >= 0 {
		r.rows++
	}
	r.pass(found.next)
	return nil
}

// rowLine is a line that is a row.
type rowLine struct {
	time  time.Time
	cells []byte // from the separator before the first value on
	next  int64  // where the next line begins
}

// nextLine goes on to the next line that is a row, and leaves out what is none.
func (r *textReader) nextLine() (found rowLine, err error) {
	for {
		line, next, whole, err := r.window.line(r.at)
		switch {
		case errors.Is(err, errTooLong):
			return found, r.fail(0, err)
		case err != nil:
			return found, err
		case line == nil:
			r.ended = true
			return found, io.EOF
		case len(line) > 0 && line[0] == 0:
			if err := r.skipZeros(); err != nil {
				return found, err
			}
			continue
		}
		t, cells, ok := r.rowTime(line)
		switch {
		case !whole && (ok && r.isTorn(line[cells:]) || !ok && r.couldBeRow(line)):
			r.ended = true
			r.faults.torn(r.fault(0, errTorn))
			return found, io.EOF
		case ok && hasZeros(line):
			r.faults.row(r.fault(0, errZeros))
			r.at += int64(bytes.IndexByte(line, 0))
		case ok:
			return rowLine{t, line[cells:], next}, nil
		default:
			r.noRow(line)
			r.pass(next)
		}
	}
}

// rowTime reads the time of a row and tells where the cells of the counters
// begin: at the separator before the first of them.
func (r *textReader) rowTime(line []byte) (t time.Time, cells int, ok bool) {
	text, end := cellAt(line, 0, r.header.comma)
	if quoted := len(line) > 0 && line[0] == '"'; quoted && len(text)+2 != end {
		return t, end, false // the quote is not closed
	}
	if r.header.timeCell && end < len(line) {
		clock, next := cellAt(line, end+1, r.header.comma)
		text = append(append(append(make([]byte, 0, 32), text...), ' '), clock...)
		end = next
	}
	t, ok = r.clock.parse(text)
	return t, end, ok
}

// completeRow is the time of a line that is a row.
func (r *textReader) completeRow(line []byte, whole bool) (time.Time, bool) {
	t, cells, ok := r.rowTime(line)
	return t, ok && (whole || !r.isTorn(line[cells:]))
}

// cellAt returns the text of the cell that begins at line[i], without its
// quotes, and where it ends: at a separator or at the end of the line. A quote
// within is written twice.
func cellAt(line []byte, i int, comma byte) (text []byte, end int) {
	if i < len(line) && line[i] == '"' {
		for j := i + 1; ; {
			quote := bytes.IndexByte(line[j:], '"')
			if quote < 0 {
				return line[i+1:], len(line)
			}
			j += quote + 1
			switch {
			case j >= len(line) || line[j] == comma:
				return line[i+1 : j-1], j
			case line[j] == '"':
				j++
			}
		}
	}
	end = bytes.IndexByte(line[i:], comma)
	if end < 0 {
		return line[i:], len(line)
	}
	return line[i : i+end], i + end
}

// countCells counts the cells behind a separator, and tells whether the last is
// complete: there is one, and its quote is closed.
func countCells(rest []byte, comma byte) (n int, closed bool) {
	closed = true
	for i := 0; i < len(rest); n++ {
		begin := i + 1
		_, i = cellAt(rest, begin, comma)
		closed = begin < len(rest) && (rest[begin] != '"' || i-begin > 1 && rest[i-1] == '"')
	}
	return n, closed
}

// isTorn tells whether the last line of the file, which has no end, is not
// complete: a cell is missing, or the closing quote of the last.
func (r *textReader) isTorn(rest []byte) bool {
	n, closed := countCells(rest, r.header.comma)
	return !closed || n < len(r.header.Columns)
}

// couldBeRow tells whether a line without a time may be the beginning of a row.
func (r *textReader) couldBeRow(line []byte) bool {
	const timeBytes = len(wallClockLayout) + 2
	return len(line) > 0 && len(line) < timeBytes && (line[0] == '"' || line[0]-'0' <= 9)
}

// noRow judges a line that is no row: typeperf's last words and empty lines mean
// nothing, and neither does the same header again.
func (r *textReader) noRow(line []byte) {
	switch {
	case len(bytes.TrimSpace(line)) == 0:
	case isHeader(line):
		if text, err := r.window.source.text(line, r.at); err == nil && text != r.header.raw {
			r.faults.row(r.fault(0, errHeaderAgain))
		}
	case line[0] == '"' || line[0]-'0' <= 9:
		r.faults.row(r.fault(1, errNotATime))
	case r.header.console, bytes.HasPrefix(line, []byte("Exiting")), bytes.HasPrefix(line, []byte("The command")):
	default:
		r.faults.row(r.fault(0, errNotATime))
	}
}

// skipZeros goes on behind bytes of zero. They end the file, as after a power
// cut, or stand between rows.
func (r *textReader) skipZeros() error {
	at := r.at
	for {
		buf, err := r.window.load(at, windowBytes)
		if err != nil {
			return err
		}
		zeros := len(buf) - len(bytes.TrimLeft(buf, "\x00"))
		at += int64(zeros)
		if len(buf) == 0 {
			r.faults.torn(r.fault(0, errZeros))
			r.ended = true
			return io.EOF
		}
		if zeros < len(buf) {
			r.faults.row(r.fault(0, errZeros))
			r.at = at
			return nil
		}
	}
}

// values reads the cells of the counters. rest begins at the separator before
// the first.
func (r *textReader) values(values []cooker.Value, rest []byte) []cooker.Value {
	n := len(r.header.Columns)
	if cap(values) < n {
		values = make([]cooker.Value, n)
	}
	values = values[:n]
	i := 0
	for c := range values[:r.last] {
		if i >= len(rest) {
			r.missing(values[c:r.last], c)
			i = -1
			break
		}
		if r.wanted != nil && !r.wanted[c] {
			_, i = cellAt(rest, i+1, r.header.comma)
			values[c] = cooker.Absent(cooker.Pending)
			continue
		}
		if v, end, ok := r.quotedNumber(rest, i+1); ok {
			values[c], i = v, end
			continue
		}
		var text []byte
		text, end := cellAt(rest, i+1, r.header.comma)
		values[c], i = r.otherCell(text, c), end
	}
	for c := r.last; c < n; c++ {
		values[c] = cooker.Absent(cooker.Pending)
	}
	if r.last == n && i >= 0 && i < len(rest) {
		r.faults.cell(r.fault(n+2, errManyCells))
	}
	return values
}

// missing fills the cells that a short row lacks.
func (r *textReader) missing(values []cooker.Value, c int) {
	for i := range values {
		values[i] = cooker.Absent(cooker.Gap)
	}
	r.faults.cell(r.fault(c+2, errFewCells))
}

// quotedNumber reads a cell as Windows writes most: a number or a blank, in
// quotes. end is at the separator behind it.
func (r *textReader) quotedNumber(b []byte, i int) (v cooker.Value, end int, ok bool) {
	if i+2 >= len(b) || b[i] != '"' || r.header.console {
		return v, i, false
	}
	if b[i+1] == ' ' && b[i+2] == '"' {
		v, end = cooker.Absent(cooker.Gap), i+2
	} else {
		v, end, ok = scanNumber(b, i+1, '.')
		if !ok || end >= len(b) || b[end] != '"' {
			return v, i, false
		}
	}
	end++
	return v, end, end >= len(b) || b[end] == r.header.comma
}

// otherCell reads any other cell: blanks around a number, no quotes, nothing, or
// a text.
func (r *textReader) otherCell(text []byte, column int) cooker.Value {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return cooker.Absent(cooker.Gap)
	}
	point := byte('.')
	if r.header.comma == ';' && bytes.IndexByte(text, ',') >= 0 {
		point = ','
	}
	v, end, ok := scanNumber(text, 0, point)
	switch {
	case ok && end == len(text):
		if n, _ := v.Float(); r.header.console && n == -1 {
			return cooker.Absent(cooker.Gap) // what typeperf prints for no value
		}
		return v
	case bytes.IndexByte(text, '#') > 0 && (text[0]-'0' <= 9 || text[0] == '-'): // 1.#QNAN, -1.#IND of the C runtime
		return cooker.Absent(cooker.NotFinite)
	case text[0]-'0' <= 9 || text[0] == '-' || text[0] == '+' || text[0] == '.':
		r.faults.cell(r.fault(column+2, errNotANumber))
		return cooker.Absent(cooker.Gap)
	}
	return cooker.TextValue(strings.ReplaceAll(r.window.source.page.text(text), `""`, `"`))
}
