// Package csv reads and writes PDH-CSV and PDH-TSV as Windows does, and reads what spreadsheets
// and other programs made of them.
package csv

import (
	"io"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
	"perfdeck/session/text/printable"
)

// pdhWords are what the first cell of a header begins with, by separator.
var pdhWords = map[byte]string{',': "PDH-CSV 4.0", '\t': "PDH-TSV 4.0"}

// Separator is PDH-CSV or PDH-TSV, by what stands between cells.
type Separator byte

// writer writes PDH-CSV and PDH-TSV as Windows does: every cell in quotes,
// CRLF, wall clocks of the zone of the header, a blank for what is not there.
type writer struct {
	out     textfile.Out
	options logs.WriteOptions
	columns int
	comma   byte
	end     string
	clock   wallClock
	line    []byte
}

// Stream writes a recording, its header at once.
func (p Separator) Stream(w io.Writer, h *logs.Header, o logs.WriteOptions) (logs.Writer, error) {
	t := &writer{out: textfile.NewOut(w, o), options: o, columns: len(h.Columns), comma: byte(p), end: "\r\n", clock: newWallClock(h.Zone)}
	t.header(h)
	return t, t.out.Write(t.line)
}

// header writes the first line.
func (t *writer) header(h *logs.Header) {
	first := "(" + pdhWords[t.comma] + ")"
	if h.Zone.Known || h.Zone.Name != "" {
		first += " (" + h.Zone.Name + ")(" + string(textfile.AppendNumber(nil, float64(h.Zone.Bias))) + ")"
	}
	t.text(first)
	for i := range h.Columns {
		t.line = append(t.line, t.comma)
		t.name(h.Columns[i].Path)
	}
	if h.Caption != "" {
		t.line = append(t.line, t.comma)
		t.text(h.Caption)
	}
	t.line = append(t.line, t.end...)
}

// name writes the path of a counter as a cell, as it is: instances that differ in
// what cannot be printed are different, and a file that is continued has to have
// the same columns. Line ends stand in the quotes, as RFC 4180 has it. What no text
// file can hold is replaced: NUL, and what is not UTF-8.
func (t *writer) name(s string) {
	if t.options.Screen {
		t.text(s)
		return
	}
	t.quote(strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "?"), "\uFFFD"))
}

// text writes other foreign text as a cell, on one line.
func (t *writer) text(s string) { t.quote(printable.Text(s)) }

// quote writes a cell, on demand fit for a spreadsheet, which runs cells that begin
// as a formula.
func (t *writer) quote(s string) {
	t.line = append(t.line, '"')
	if t.options.Spreadsheet && s != "" && strings.IndexByte("=+-@", s[0]) >= 0 {
		t.line = append(t.line, '\'')
	}
	if strings.IndexByte(s, '"') >= 0 {
		s = strings.ReplaceAll(s, `"`, `""`)
	}
	t.line = append(t.line, s...)
	t.line = append(t.line, '"')
}

func (t *writer) WriteRow(row *logs.Row) error {
	if len(row.Values) != t.columns {
		return logs.ErrRowWidth
	}
	t.line = append(t.line[:0], '"')
	t.line = t.clock.appendTo(t.line, row.Recorded())
	t.line = append(t.line, '"')
	for i := range row.Values {
		t.cell(row.Values[i])
	}
	t.line = append(t.line, t.end...)
	return t.out.Write(t.line)
}

// cell writes a separator and a value.
func (t *writer) cell(v cooker.Value) {
	t.line = append(t.line, t.comma, '"')
	f, isNumber := v.Float()
	switch {
	case !isNumber:
		if s, ok := v.Text(); ok {
			t.line = t.line[:len(t.line)-1]
			t.text(s)
			return
		}
		t.line = append(t.line, ' ')
	case t.options.Fixed:
		t.line = cooker.AppendValue(t.line, v.WithStatus(cooker.OK), cooker.Format{Digits: t.options.Decimals})
	case v.IsWhole():
		t.line = cooker.AppendMachine(t.line, v)
	default:
		t.line = textfile.AppendNumber(t.line, f)
	}
	t.line = append(t.line, '"')
}

func (t *writer) Sync() error          { return t.out.Sync() }
func (t *writer) Size() (int64, error) { return t.out.Size, nil }
func (t *writer) Close() error         { return t.out.Close() }
