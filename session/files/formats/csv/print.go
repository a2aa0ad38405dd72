package csv

import (
	"perfdeck/session/files/logs"
)

// streamed are beats as rows of a format whose columns are those of the first.
type streamed struct {
	logs.Outlet

	format Separator
	out    logs.Writer
	row    logs.Row
}

// Print writes beats as rows.
func (p Separator) Print(o logs.Outlet) logs.BeatWriter { return &streamed{Outlet: o, format: p} }

func (s *streamed) Write(b *logs.Beat) error {
	if s.out == nil {
		if err := s.begin(b); err != nil {
			return err
		}
	}
	s.row.Time, s.row.Values = b.Time, b.Values
	return s.out.WriteRow(&s.row)
}

// begin fixes the columns and writes the header. Times stay in the zone that it
// names, through changes to daylight saving time too.
func (s *streamed) begin(b *logs.Beat) (err error) {
	if len(b.Columns) == 0 {
		return logs.ErrNoColumns
	}
	h := &logs.Header{Zone: logs.LocalZone(b.Time)}
	for _, c := range b.Columns {
		h.Columns = append(h.Columns, logs.Column{Path: c.Full()})
	}
	o := s.WriteOptions
	if s.File == "" && !o.Fixed {
		o.Fixed, o.Decimals = true, logs.ScreenDecimals
	}
	s.out, err = s.format.Stream(s.W, h, o)
	return err
}
