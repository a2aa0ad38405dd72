package main

import (
	"errors"
	"io"

	"perfdeck/session/logs"
)

// pdhText writes PDH-CSV 4.0 and PDH-TSV 4.0. The columns are those of the first
// row.
type pdhText struct {
	w       io.Writer
	look    look
	format  string
	file    bool
	columns *columns
	rows    logs.Writer
	row     logs.Row
}

func newPDHCSV(o outlet, l look) rowWriter { return newPDHText(o, l, "csv") }
func newPDHTSV(o outlet, l look) rowWriter { return newPDHText(o, l, "tsv") }

func newPDHText(o outlet, l look, format string) rowWriter {
	return &pdhText{w: o.w, look: l, format: format, file: o.file != ""}
}

var errNoColumns = errors.New("no instance of what was asked for is there")

func (p *pdhText) write(r row) error {
	if p.columns == nil {
		if err := p.begin(r); err != nil {
			return err
		}
	}
	p.row.Time, p.row.Values = r.time, p.row.Values[:0]
	for _, c := range p.columns.place(r) {
		p.row.Values = append(p.row.Values, c.value)
	}
	return p.rows.WriteRow(&p.row)
}

// begin fixes the columns and writes the header. Times stay in the zone that it
// names, through changes to daylight saving time too.
func (p *pdhText) begin(r row) error {
	p.columns = fixColumns(r)
	if len(p.columns.list) == 0 {
		return &hinted{errNoColumns, "the columns of csv and tsv are fixed at the start; json and table follow instances"}
	}
	h := &logs.Header{Zone: logs.LocalZone(r.time)}
	for _, s := range p.columns.list {
		h.Columns = append(h.Columns, logs.Column{Path: s.full()})
	}
	o := logs.WriteOptions{Spreadsheet: p.look.csvSafe, Fixed: p.look.digits != unsetDigits, Decimals: p.look.digits}
	if !p.file && !o.Fixed {
		o.Fixed, o.Decimals = true, 6 // as typeperf
	}
	format, _ := logs.FormatNamed(p.format)
	var err error
	p.rows, err = logs.Stream(p.w, format, h, o)
	return err
}
