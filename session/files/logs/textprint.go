package logs

// streamed are beats as rows of a format whose columns are those of the first.
type streamed struct {
	outlet

	format pdhText
	out    Writer
	row    Row
}

func (p pdhText) print(o outlet) beatWriter { return &streamed{outlet: o, format: p} }

func (s *streamed) write(b *Beat) error {
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
func (s *streamed) begin(b *Beat) (err error) {
	if len(b.Columns) == 0 {
		return ErrNoColumns
	}
	h := &Header{Zone: LocalZone(b.Time)}
	for _, c := range b.Columns {
		h.Columns = append(h.Columns, Column{Path: c.Full()})
	}
	o := s.WriteOptions
	if s.file == "" && !o.Fixed {
		o.Fixed, o.Decimals = true, screenDecimals
	}
	s.out, err = s.format.stream(s.w, h, o)
	return err
}
