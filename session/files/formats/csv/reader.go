package csv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
)

// reader reads PDH-CSV and PDH-TSV, and what typeperf wrote to a screen.
type reader struct {
	textfile.Reader

	header *textHeader // the first, with the columns of all
	parts  textParts
	part   *textPart // of the line that comes next; nil: enter finds it
	order  fileOrder

	partEnd int64 // where the next part begins
	parted  int   // how many parts were known then

	only  logs.Chosen
	cells []cooker.Value // of the row that is read
	lost  map[error]bool // what was told once of the file
}

// Open opens a text of either kind.
func Open(ctx context.Context, name string, o logs.OpenOptions) (logs.FileRows, error) {
	return textfile.Open(name, func(file *os.File) (logs.FileRows, error) { return newReader(ctx, file, o) })
}

func newReader(ctx context.Context, file *os.File, o logs.OpenOptions) (*reader, error) {
	lines, err := textfile.NewReader(ctx, file, o)
	if err != nil {
		return nil, err
	}
	lines.Window.Source.Tell = func(header []byte) (*textfile.CodePage, bool, error) { return tellPage(header, o.Names) }
	r := &reader{Reader: lines}
	r.Finder = textfile.Finder{Window: &r.Window, First: -1, TimeOf: r.completeRow}
	r.header, err = readHeader(&r.Window)
	if err != nil {
		e := &logs.FileError{File: r.Name, Line: 1, Err: err}
		if page, ok := errors.AsType[*codePageError](err); ok {
			e.Advice = page.Hint()
		}
		return nil, e
	}
	return r, r.begin()
}

// begin finds out how times are written, and the first row.
func (r *reader) begin() error {
	h := r.header
	r.parts.ahead = textfile.Window{Ctx: r.Window.Ctx, Source: r.Window.Source, End: r.Window.End}
	r.parts.scanned, r.parts.raw = h.body, h.raw
	r.lost = map[error]bool{}
	var err error
	if r.order, err = r.findOrder(&textPart{comma: h.comma, timeCell: h.timeCell}, h.body); err != nil {
		return err
	}
	r.At, r.Line = h.body, h.line
	if err := r.addPart(h, h.body); err != nil {
		return err
	}
	r.Line = r.header.line + 1
	if _, err := r.nextLine(); err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	r.Finder.First = r.At
	return nil
}

// Span tells how dates were taken that can be read in two ways.
func (r *reader) Span() (logs.Span, error) {
	s, err := r.Reader.Span()
	switch {
	case r.order.others.isOpen && r.order.others.dayFirst:
		s.Inferred = logs.InferredDayFirst
	case r.order.others.isOpen:
		s.Inferred = logs.InferredMonthFirst
	}
	return s, err
}

func (r *reader) Header() *logs.Header { return &r.header.Header }

func (r *reader) Only(columns []int) {
	r.only, r.part = logs.ChooseColumns(columns, len(r.header.Columns)), nil
}

func (r *reader) Next(row *logs.Row) error {
	found, err := r.nextLine()
	if err != nil {
		return err
	}
	if r.Finder.First < 0 {
		r.Finder.First = r.At
	}
	row.Time, row.Raw = found.time, row.Raw[:0]
	row.Values = r.values(row.Values, found.cells)
	if r.Rows >= 0 {
		r.Rows++
	}
	r.Pass(found.next)
	return nil
}

// rowLine is a line that is a row.
type rowLine struct {
	time  time.Time
	cells []byte // from the separator before the first value on
	next  int64  // where the next line begins
}

// nextLine goes on to the next line that is a row, and leaves out what is none.
func (r *reader) nextLine() (found rowLine, err error) {
	for {
		line, next, whole, err := r.Window.Line(r.At)
		switch {
		case errors.Is(err, textfile.ErrTooLong):
			return found, r.Fail(0, err)
		case err != nil:
			return found, err
		case line == nil:
			r.Ended = true
			return found, io.EOF
		case len(line) > 0 && line[0] == 0:
			if err := r.skipZeros(); err != nil {
				return found, err
			}
			continue
		}
		end, err := r.enter(next)
		if err != nil {
			return found, err
		}
		if r.At < r.part.body { // its header
			r.PassLines(r.part.body, r.part.lines)
			continue
		}
		cut := next > end // the header stands in the same line
		if cut {
			line, next = line[:end-r.At], end
		}
		t, cells, ok := r.part.rowTime(line)
		switch {
		case cut && ok && r.part.isTorn(line[cells:]):
			r.LeftOut.NoteRow(r.Fault(0, logs.ErrTorn))
			r.At = next
		case !whole && !cut && (ok && r.part.isTorn(line[cells:]) || !ok && r.couldBeRow(line)):
			r.Ended = true
			r.LeftOut.NoteTorn(r.Fault(0, logs.ErrTorn))
			return found, io.EOF
		case ok && textfile.HasZeros(line):
			r.LeftOut.NoteRow(r.Fault(0, errZeros))
			r.At += int64(bytes.IndexByte(line, 0))
		case ok:
			return rowLine{t, line[cells:], next}, nil
		case !whole && isHeader(line): // it is still written
			r.Ended = true
			return found, io.EOF
		default:
			r.noRow(line)
			r.Pass(next)
		}
	}
}

// timeText is what tells the time of a row, and where the cells of the counters
// begin: at the separator before the first of them.
func (p *textPart) timeText(line []byte) (text []byte, cells int, ok bool) {
	text, end := cellAt(line, 0, p.comma)
	if quoted := len(line) > 0 && line[0] == '"'; quoted && len(text)+2 != end {
		return nil, end, false // the quote is not closed
	}
	if p.timeCell && end < len(line) {
		clock, next := cellAt(line, end+1, p.comma)
		text = append(append(append(make([]byte, 0, 32), text...), ' '), clock...)
		end = next
	}
	return text, end, true
}

// rowTime reads the time of a row and tells where the cells of the counters begin.
func (p *textPart) rowTime(line []byte) (t time.Time, cells int, ok bool) {
	text, cells, ok := p.timeText(line)
	if ok {
		t, ok = p.clock.parse(text)
	}
	return t, cells, ok
}

// completeRow is the time of a line that is a row.
func (r *reader) completeRow(at int64, line []byte, whole bool) (time.Time, bool) {
	if r.reach(at+int64(len(line))) != nil { // who reads the line tells it
		return time.Time{}, false
	}
	p := r.parts.all[r.parts.partAt(at)]
	if at < p.body {
		return time.Time{}, false
	}
	t, cells, ok := p.rowTime(line)
	return t, ok && (whole || !p.isTorn(line[cells:]))
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
func (p *textPart) isTorn(rest []byte) bool {
	n, closed := countCells(rest, p.comma)
	return !closed || n < len(p.place)
}

// filledCells counts the cells behind a separator, up to the last that holds something.
func filledCells(rest []byte, comma byte) (n int) {
	for i, at := 0, 1; i < len(rest); at++ {
		var text []byte
		if text, i = cellAt(rest, i+1, comma); len(text) > 0 {
			n = at
		}
	}
	return n
}

// couldBeRow tells whether a line without a time may be the beginning of a row.
func (r *reader) couldBeRow(line []byte) bool {
	const timeBytes = len(wallClockLayout) + 2
	return len(line) > 0 && len(line) < timeBytes && (line[0] == '"' || line[0]-'0' <= 9)
}

// noRow judges a line that is no row: typeperf's last words, empty lines and those of empty
// cells mean nothing, and neither does the same header again.
func (r *reader) noRow(line []byte) {
	begins := len(line) > 0 && (line[0] == '"' || line[0]-'0' <= 9)
	switch {
	case isBlank(line), isHeader(line):
	case !begins && (r.part.console || bytes.HasPrefix(line, []byte("Exiting")) || bytes.HasPrefix(line, []byte("The command"))):
	default:
		r.notATime(line)
	}
}

// isBlank tells whether there is nothing in cells.
func isBlank(cells []byte) bool { return len(bytes.Trim(cells, "\"\t\r\x1A,; ")) == 0 }

// notATime notes a row whose time cannot be read. What was lost when the file was saved is
// told once.
func (r *reader) notATime(line []byte) {
	err := errNotATime
	if text, _, ok := r.part.timeText(line); ok {
		_, read := scanMoment(text)
		switch {
		case read && r.order.of(text).halfLost:
			err = errHalfLost
		case isClock(text):
			err = errDateLost
		case isDate(text):
			err = errClockLost
		}
	}
	if r.lost[err] {
		r.LeftOut.NoteRow(nil)
		return
	}
	e := r.Fault(1, err)
	if r.lost[err] = !errors.Is(err, errNotATime); r.lost[err] && e != nil {
		e.Advice = logs.TimeAdvice
	}
	r.LeftOut.NoteRow(e)
}

// skipZeros goes on behind bytes of zero. They end the file, as after a power
// cut, or stand between rows.
func (r *reader) skipZeros() error {
	at := r.At
	for {
		buf, err := r.Window.Load(at, textfile.WindowBytes)
		if err != nil {
			return err
		}
		zeros := len(buf) - len(bytes.TrimLeft(buf, "\x00"))
		at += int64(zeros)
		if len(buf) == 0 {
			r.LeftOut.NoteTorn(r.Fault(0, errZeros))
			r.Ended = true
			return io.EOF
		}
		if zeros < len(buf) {
			r.LeftOut.NoteRow(r.Fault(0, errZeros))
			r.At = at
			return nil
		}
	}
}

// values reads the cells of the counters. rest begins at the separator before
// the first.
func (r *reader) values(values []cooker.Value, rest []byte) []cooker.Value {
	n := len(r.header.Columns)
	if cap(values) < n {
		values = make([]cooker.Value, n)
	}
	values = values[:n]
	if r.part.inOrder {
		own := len(r.part.place)
		r.readCells(values[:own], rest)
		r.lack(values, own)
		return values
	}
	r.cells = slices.Grow(r.cells[:0], len(r.part.place))[:len(r.part.place)]
	r.readCells(r.cells, rest)
	r.lack(values, 0)
	for i, at := range r.part.place {
		if at >= 0 {
			values[at] = r.cells[i]
		}
	}
	return values
}

// lack fills columns, from one on, that the part may not have.
func (r *reader) lack(values []cooker.Value, from int) {
	for c := from; c < len(values); c++ {
		values[c] = cooker.Absent(cooker.Gap)
		if !r.only.Has(c) {
			values[c] = cooker.Absent(cooker.Pending)
		}
	}
}

// readCells reads the cells of a row.
func (r *reader) readCells(values []cooker.Value, rest []byte) {
	p := r.part
	i := 0
	for c := range values[:p.last] {
		if i >= len(rest) {
			r.missing(values[c:p.last], c)
			i = -1
			break
		}
		if p.wanted != nil && !p.wanted[c] {
			_, i = cellAt(rest, i+1, p.comma)
			values[c] = cooker.Absent(cooker.Pending)
			continue
		}
		if v, end, ok := p.quotedNumber(rest, i+1); ok {
			values[c], i = v, end
			continue
		}
		var text []byte
		text, end := cellAt(rest, i+1, p.comma)
		values[c], i = r.otherCell(text, c), end
	}
	for c := p.last; c < len(values); c++ {
		values[c] = cooker.Absent(cooker.Pending)
	}
	if p.last == len(values) && i >= 0 && i < len(rest) && !isBlank(rest[i:]) {
		r.LeftOut.NoteCell(r.Fault(len(values)+2, errManyCells))
	}
}

// missing fills the cells that a short row lacks.
func (r *reader) missing(values []cooker.Value, c int) {
	for i := range values {
		values[i] = cooker.Absent(cooker.Gap)
	}
	r.LeftOut.NoteCell(r.Fault(c+2, errFewCells))
}

// quotedNumber reads a cell as Windows writes most: a number or a blank, in
// quotes. end is at the separator behind it.
func (p *textPart) quotedNumber(b []byte, i int) (v cooker.Value, end int, ok bool) {
	if i+2 >= len(b) || b[i] != '"' || p.console {
		return v, i, false
	}
	if b[i+1] == ' ' && b[i+2] == '"' {
		v, end = cooker.Absent(cooker.Gap), i+2
	} else {
		v, end, ok = textfile.ScanNumber(b, i+1, '.')
		if !ok || end >= len(b) || b[end] != '"' {
			return v, i, false
		}
	}
	end++
	return v, end, end >= len(b) || b[end] == p.comma
}

// otherCell reads any other cell: blanks around a number, no quotes, nothing, or
// a text.
func (r *reader) otherCell(text []byte, column int) cooker.Value {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return cooker.Absent(cooker.Gap)
	}
	point := byte('.')
	if r.part.comma == ';' && bytes.IndexByte(text, ',') >= 0 {
		point = ','
	}
	v, end, ok := textfile.ScanNumber(text, 0, point)
	switch {
	case ok && end == len(text):
		if n, _ := v.Float(); r.part.console && n == -1 {
			return cooker.Absent(cooker.Gap) // what typeperf prints for no value
		}
		return v
	case r.isText(column):
	case isNotFinite(text):
		return cooker.Absent(cooker.NotFinite)
	case looksNumeric(text):
		r.LeftOut.NoteCell(r.Fault(column+2, logs.ErrNotANumber))
		return cooker.Absent(cooker.Gap)
	}
	return cooker.TextValue(strings.ReplaceAll(r.Window.Source.Page.Text(text), `""`, `"`))
}

// looksNumeric tells whether a cell that is no number should be one.
func looksNumeric(text []byte) bool {
	return text[0]-'0' <= 9 || text[0] == '-' || text[0] == '+' || text[0] == '.'
}

// isNotFinite tells the words for what is no number: 1.#QNAN, -1.#IND of the C runtime, NaN,
// -inf of others.
func isNotFinite(text []byte) bool {
	if bytes.IndexByte(text, '#') > 0 && (text[0]-'0' <= 9 || text[0] == '-') {
		return true
	}
	switch strings.ToLower(strings.TrimLeft(string(text[:min(len(text), 12)]), "+-")) {
	case "nan", "inf", "infinity", "nan(ind)", "nan(snan)":
		return true
	}
	return false
}

// isText tells whether the values of a column are texts, by the first rows of its part. It is
// asked of cells that could be either.
func (r *reader) isText(column int) bool {
	p := r.part
	if p.texts == nil {
		p.texts = make([]bool, len(p.place))
		sure := make([]bool, len(p.place))
		_ = r.rowsAhead(p, textfile.BisectBytes, func(_ time.Time, cells []byte) bool { // who reads the rows tells it
			for c, i := 0, 0; c < len(sure) && i < len(cells); c++ {
				var text []byte
				text, i = cellAt(cells, i+1, p.comma)
				if text = bytes.TrimSpace(text); len(text) > 0 && !sure[c] && !isNotFinite(text) {
					sure[c], p.texts[c] = true, !looksNumeric(text)
				}
			}
			return true
		})
	}
	return p.texts[column]
}

func (r *reader) BackFrom(place int64, n int) (at int64, went int, err error) {
	return logs.BackBy(place, n, func(place int64) (int64, error) {
		at, _, _, _, err := r.Finder.Before(place)
		return at, err
	})
}
