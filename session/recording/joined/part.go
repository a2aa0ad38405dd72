package joined

import (
	"fmt"
	"io"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// Part is a part of a recording as a recording of its own, of a host under the name that it has now.
type Part struct {
	Piece

	As   string // that name
	File string // a name for the part: that of its file, unless another part has it
	open func(name string) (logs.Reader, error)
}

// Parts are what recordings have of a host between two moments, in order of time, for who wants
// countersets of it.
func (s *Shelf) Parts(identity, as string, sets []string, from, to time.Time) (parts []Part) {
	open := opened{open: s.Open}
	defer open.Close()
	for i, p := range s.pieces(identity, folded(sets), from, to, open.host) {
		one := Part{p, as, p.Name, s.Open}
		if slices.ContainsFunc(parts, func(o Part) bool { return o.Name == p.Name }) {
			one.File = fmt.Sprintf("%s#%d", p.Name, i)
		}
		parts = append(parts, one)
	}
	return parts
}

// Open opens the part.
func (p *Part) Open() (logs.Reader, error) {
	r, err := p.open(p.Name)
	if err != nil {
		return nil, err
	}
	part := &partReader{Reader: r, from: p.From, to: p.To, as: [2]string{p.Host, p.As}}
	if err := r.SeekTime(p.From); err != nil {
		_ = r.Close()
		return nil, err
	}
	return part, nil
}

// partReader is a reader that keeps to a time.
type partReader struct {
	logs.Reader

	from, to time.Time
	as       [2]string // how the host is called, and is to be
	header   logs.Header
}

// Header has the columns of the host under its name of now.
func (r *partReader) Header() *logs.Header {
	h := r.Reader.Header()
	if paths.EqualFold(r.as[0], r.as[1]) {
		return h
	}
	r.header.Zone, r.header.Caption = h.Zone, h.Caption
	for _, c := range h.Columns[len(r.header.Columns):] {
		if p, err := paths.Parse(c.Path); err == nil && paths.EqualFold(p.Computer, r.as[0]) {
			p.Computer = r.as[1]
			c.Path = p.String()
		}
		r.header.Columns = append(r.header.Columns, c)
	}
	return &r.header
}

// Next is that of the reader, up to the end of the part.
func (r *partReader) Next(row *logs.Row) error {
	err := r.Reader.Next(row)
	if err == nil && row.Time.After(r.to) {
		_, err = r.Reader.Back(1)
		if err == nil {
			err = io.EOF
		}
	}
	return err
}

// SeekTime goes no further back than the part does.
func (r *partReader) SeekTime(t time.Time) error {
	return r.Reader.SeekTime(session.Later(t, r.from))
}

// Back stops at the first row of the part.
func (r *partReader) Back(n int) (int, error) {
	went, err := r.Reader.Back(n)
	var row logs.Row
	for err == nil && went > 0 {
		if err = r.Reader.Next(&row); err != nil || !row.Time.Before(r.from) {
			break
		}
		went--
	}
	if err == nil && went > 0 {
		_, err = r.Reader.Back(1)
	}
	return went, err
}

// Span is that of the part, with a part of the rows.
func (r *partReader) Span() (logs.Span, error) {
	span, err := r.Reader.Span()
	if err != nil || span.First.IsZero() {
		return span, err
	}
	whole := max(span.Last.Sub(span.First), 1)
	span.First, span.Last = session.Later(span.First, r.from), session.Earlier(span.Last, r.to)
	span.Rows, span.Exact = max(int64(float64(span.Rows)*float64(span.Last.Sub(span.First))/float64(whole)), 1), false
	return span, nil
}
