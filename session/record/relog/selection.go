// Package relog makes recordings of recordings: what is chosen of them by counters, times
// and every so many samples, written to another file or checked to its end.
package relog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/record/logs"
)

var errNoRows = errors.New("relog: the recording has no samples")

// ErrOutside is that a time is none of the recording's.
var ErrOutside = errors.New("not within the recording")

// Selection is what is chosen of a recording.
type Selection struct {
	Reader     logs.Reader
	Columns    []int     // of the reader that are kept
	Begin, End time.Time // zero: no limit
	Every      int       // so many samples one stays
}

// Header is the header with the columns that are kept.
func (s *Selection) Header() *logs.Header {
	h := *s.Reader.Header()
	all := h.Columns
	h.Columns = make([]logs.Column, len(s.Columns))
	for i, c := range s.Columns {
		h.Columns[i] = all[c]
	}
	return &h
}

// Seek goes to the first row, and lets only the columns be read that are kept.
func (s *Selection) Seek(span logs.Span) error {
	if len(s.Columns) < len(s.Reader.Header().Columns) {
		s.Reader.Only(s.Columns)
	}
	if s.Begin.IsZero() && s.End.IsZero() {
		return nil
	}
	err := s.seekBegin(span)
	if err == nil && !s.Begin.IsZero() {
		_, err = s.Reader.Back(1)
	}
	return err
}

// seekBegin goes to the first row between the limits. The row before serves its
// rates: alone it is not what was asked for.
func (s *Selection) seekBegin(span logs.Span) error {
	from := cmp.Or(s.Begin, span.First)
	if err := s.Reader.SeekTime(from); err != nil {
		return err
	}
	var row logs.Row
	err := s.Reader.Next(&row)
	switch {
	case err == nil && (s.End.IsZero() || !row.Time.After(s.End)):
		_, err = s.Reader.Back(1)
		return err
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case span.First.IsZero():
		return errNoRows
	}
	zone := s.Reader.Header().Zone.Location()
	return session.WithHint(
		fmt.Errorf("relog: no sample between --begin and --end: %w", ErrOutside),
		"the recording is from "+span.First.In(zone).Format(time.DateTime)+" to "+span.Last.In(zone).Format(time.DateTime))
}

// Span is when the rows are that are kept. Their values are not read.
func (s *Selection) Span(ctx context.Context, tick func()) (logs.Span, error) {
	s.Columns = nil // the times are enough
	s.Reader.Only([]int{})
	span := logs.Span{Exact: true}
	err := s.Each(ctx, tick, func(row *logs.Row) error {
		if span.Rows++; span.Rows == 1 {
			span.First = row.Time
		}
		span.Last = row.Time
		return nil
	})
	if err != nil {
		return span, err
	}
	whole, err := s.Reader.Span()
	span.Inferred = whole.Inferred
	return span, err
}

// Summarize sums up the counters that are kept.
func (s *Selection) Summarize(ctx context.Context, tick func()) ([]logs.Summary, error) {
	all := logs.Summarize(s.Header())
	err := s.Each(ctx, tick, func(row *logs.Row) error {
		if row.Time.Before(s.Begin) { // it only serves the first rate
			return nil
		}
		for i := range all {
			all[i].Add(row.Time, row.Values[i])
		}
		return nil
	})
	return all, err
}

// Each hands out the rows between the limits, with the columns that are kept. It calls tick
// now and then.
func (s *Selection) Each(ctx context.Context, tick func(), do func(*logs.Row) error) error {
	var in, out logs.Row
	cook := &thinner{every: s.Every, columns: s.Header().Columns}
	for n := 0; ; n++ {
		if ctx.Err() != nil { // a row may be long
			return context.Cause(ctx)
		}
		if n%256 == 0 {
			tick()
		}
		err := s.Reader.Next(&in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !s.End.IsZero() && in.Time.After(s.End) {
			return nil
		}
		s.project(&in, &out)
		if !cook.keeps(&out) {
			continue
		}
		if err := do(&out); err != nil {
			return err
		}
	}
}

// project takes the columns that are kept out of a row.
func (s *Selection) project(in, out *logs.Row) {
	out.Time = in.Time
	out.Values, out.Raw = out.Values[:0], out.Raw[:0]
	for _, c := range s.Columns {
		out.Values = append(out.Values, in.Values[c])
		if len(in.Raw) > 0 {
			out.Raw = append(out.Raw, in.Raw[c])
		}
	}
}

// thinner keeps every n-th row and computes rates anew from the raw samples of
// the rows that stay, where they are known.
type thinner struct {
	every   int
	columns []logs.Column
	seen    int
	before  []logs.Raw // of the last row that stayed
}

// keeps tells whether a row stays.
func (t *thinner) keeps(row *logs.Row) bool {
	t.seen++
	if (t.seen-1)%t.every != 0 {
		return false
	}
	if t.every == 1 {
		return true
	}
	for i := range row.Raw {
		c := &t.columns[i]
		if i >= len(t.before) || !c.TypeKnown || !row.Raw[i].Known || !t.before[i].Known {
			continue
		}
		a, b := &t.before[i], &row.Raw[i]
		if v := cooker.Cook(c.Type, &a.Reading, &b.Reading, &a.Clocks, &b.Clocks, nil); v.Valid() {
			row.Values[i] = v
		}
	}
	t.before = append(t.before[:0], row.Raw...)
	return true
}

// Filter is a path with wildcards, or the path of a column.
type Filter struct {
	Text string
	Path paths.Path
	Err  error // it does not follow the grammar: only the text counts
}

// NewFilter reads one.
func NewFilter(text string) Filter {
	path, err := paths.Parse(text)
	return Filter{text, path, err}
}

// Matches tells whether a filter matches a column, part by part: * stands for anything
// in its part, and a filter without a computer means all of them.
func (f *Filter) Matches(column *Filter) bool {
	if paths.EqualFold(f.Text, column.Text) {
		return true
	}
	if f.Err != nil || column.Err != nil {
		return f.Err == nil && f.Path.Wildcard() != 0 && paths.Match(`*`+f.Text, column.Text)
	}
	a, b := &f.Path, &column.Path
	return (a.Computer == "" || paths.Match(a.Computer, b.Computer)) && paths.Match(a.Object, b.Object) &&
		a.HasInstance == b.HasInstance && paths.Match(a.InstanceText(), b.InstanceText()) && paths.Match(a.Counter, b.Counter)
}

// Choose finds the columns that filters match, ascending: all if there are no filters, and
// which of the filters match none.
func Choose(h *logs.Header, filters []Filter) (columns []int, unmatched []*Filter) {
	found := make([]bool, len(filters))
	for i := range h.Columns {
		keep := len(filters) == 0
		column := NewFilter(h.Columns[i].Path)
		for n := range filters {
			if filters[n].Matches(&column) {
				keep, found[n] = true, true
			}
		}
		if keep {
			columns = append(columns, i)
		}
	}
	for n := range filters {
		if !found[n] {
			unmatched = append(unmatched, &filters[n])
		}
	}
	return columns, unmatched
}
