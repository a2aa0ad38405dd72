package output

import (
	"errors"
	"io"

	"perfdeck/session/collector"
	"perfdeck/session/logs"
)

// pdhText writes PDH-CSV 4.0 and PDH-TSV 4.0. The columns are those of the first
// row.
type pdhText struct {
	w      io.Writer
	look   Look
	format string
	file   bool
	isTerm bool
	out    logs.Writer
	row    logs.Row
}

func newPDHCSV(o outlet, l Look) rowWriter { return newPDHText(o, l, "csv") }
func newPDHTSV(o outlet, l Look) rowWriter { return newPDHText(o, l, "tsv") }

func newPDHText(o outlet, l Look, format string) rowWriter {
	return &pdhText{w: o.w, look: l, format: format, file: o.file != "", isTerm: o.isTerm}
}

// ErrNoColumns says that a format with fixed columns found nothing to make them of.
var ErrNoColumns = errors.New("no instance of what was asked for is there")

func (p *pdhText) write(r *collector.Row) error {
	if p.out == nil {
		if err := p.begin(r); err != nil {
			return err
		}
	}
	p.row.Time, p.row.Values = r.Time, r.Values
	return p.out.WriteRow(&p.row)
}

// begin fixes the columns and writes the header. Times stay in the zone that it
// names, through changes to daylight saving time too.
func (p *pdhText) begin(r *collector.Row) error {
	if len(r.Columns) == 0 {
		return ErrNoColumns
	}
	h := &logs.Header{Zone: logs.LocalZone(r.Time)}
	for _, s := range r.Columns {
		h.Columns = append(h.Columns, logs.Column{Path: s.Full()})
	}
	o := logs.WriteOptions{Screen: p.isTerm, Spreadsheet: p.look.CSVSafe, Fixed: p.look.Digits != UnsetDigits, Decimals: p.look.Digits}
	if !p.file && !o.Fixed {
		o.Fixed, o.Decimals = true, 6 // as typeperf
	}
	format, _ := logs.FormatNamed(p.format)
	var err error
	p.out, err = logs.Stream(p.w, format, h, o)
	return err
}
