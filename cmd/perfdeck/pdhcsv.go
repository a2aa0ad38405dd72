package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// pdhText writes PDH-CSV 4.0 and PDH-TSV 4.0 as Windows does: every cell in
// quotes, CRLF, local time in the zone that the header names, a blank for what
// is not there. The columns are those of the first row.
type pdhText struct {
	w       io.Writer
	look    look
	name    string
	comma   string
	file    bool
	zone    *time.Location
	columns *columns
}

func newPDHCSV(o outlet, l look) rowWriter { return newPDHText(o, l, "PDH-CSV 4.0", ",") }
func newPDHTSV(o outlet, l look) rowWriter { return newPDHText(o, l, "PDH-TSV 4.0", "\t") }

func newPDHText(o outlet, l look, name, comma string) rowWriter {
	return &pdhText{w: o.w, look: l, name: name, comma: comma, file: o.file != ""}
}

const pdhTime = "01/02/2006 15:04:05.000"

var errNoColumns = errors.New("no instance of what was asked for is there")

func (p *pdhText) write(r row) error {
	if p.columns == nil {
		if err := p.begin(r); err != nil {
			return err
		}
	}
	line := []string{r.time.In(p.zone).Format(pdhTime)}
	for _, c := range p.columns.place(r) {
		line = append(line, p.cell(c))
	}
	return p.line(line)
}

// begin fixes the columns and writes the header. Times stay in the zone that it
// names, through changes to daylight saving time too.
func (p *pdhText) begin(r row) error {
	p.columns = fixColumns(r)
	if len(p.columns.list) == 0 {
		return &hinted{errNoColumns, "the columns of csv and tsv are fixed at the start; json and table follow instances"}
	}
	name, seconds := r.time.Zone()
	p.zone = time.FixedZone(name, seconds)
	line := []string{fmt.Sprintf("(%s) (%s)(%d)", p.name, strings.Trim(name, "()"), -seconds/60)}
	for _, s := range p.columns.list {
		line = append(line, p.safe(s.full()))
	}
	return p.line(line)
}

func (p *pdhText) line(cells []string) error {
	var b []byte
	for i, c := range cells {
		if i > 0 {
			b = append(b, p.comma...)
		}
		b = append(b, '"')
		b = append(b, strings.ReplaceAll(c, `"`, `""`)...)
		b = append(b, '"')
	}
	_, err := p.w.Write(append(b, "\r\n"...))
	return err
}

// cell is a value: six decimals on the screen, all 17 digits in a file, a blank
// where there is none.
func (p *pdhText) cell(c cell) string {
	if text, ok := c.value.Text(); ok {
		return p.safe(text)
	}
	if !c.value.Valid() {
		return " "
	}
	digits := p.look.digits
	if digits == unsetDigits && !p.file {
		digits = 6
	}
	if digits == unsetDigits && !c.value.IsWhole() {
		f, _ := c.value.WithStatus(cooker.OK).Float()
		return string(appendPDH(nil, f))
	}
	return string(cooker.AppendValue(nil, c.value.WithStatus(cooker.OK), cooker.Format{Digits: digits}))
}

// safe makes foreign text fit for one line, and on demand for a spreadsheet,
// which runs cells that begin as a formula.
func (p *pdhText) safe(text string) string {
	text = session.Printable(text)
	if p.look.csvSafe && text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}

// appendPDH writes a number with 17 significant digits, zeros at the end cut,
// plain from 1e-4 to 1e20, and else with an exponent of at least three digits.
func appendPDH(b []byte, f float64) []byte {
	magnitude := math.Abs(f)
	if f == 0 || magnitude >= 1e-4 && magnitude < 1e20 {
		text := strconv.FormatFloat(f, 'g', 17, 64)
		if strings.Contains(text, "e") {
			text = strconv.FormatFloat(f, 'f', 0, 64)
		}
		return append(b, cutZeros(text)...)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', 16, 64), "e")
	sign, digits := exponent[:1], exponent[1:]
	b = append(b, cutZeros(mantissa)...)
	return append(b, "e"+sign+strings.Repeat("0", max(0, 3-len(digits)))+digits...)
}

// cutZeros cuts zeros behind the point.
func cutZeros(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimRight(strings.TrimRight(number, "0"), ".")
}
