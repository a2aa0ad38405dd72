// Package relog makes recordings of recordings: what is chosen of them by counters, times
// and every so many samples, written to another file or checked to its end.
package relog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/language"
)

var (
	errNoRows  = errors.New("relog: the recording has no samples")
	errNothing = errors.New("relog: no counter of the recording is one of those that were asked for")
)

// ErrOutside is that a time is none of the recording's.
var ErrOutside = errors.New("not within the recording")

// Choice is what is asked for of a recording.
type Choice struct {
	Paths      []string // of counters, as NewFilter reads them; none: all
	Begin, End string   // as Limits reads them; empty: no limit
	Every      int      // so many samples one stays
}

// Selection is what is chosen of a recording, which is read once: by Span, Summarize or Write.
type Selection struct {
	reader     logs.Reader
	columns    []int     // of the reader that are kept
	begin, end time.Time // zero: no limit
	every      int
}

// Select chooses a part of a recording whose counters are all known (logs.Complete), and goes
// to its first row. A path that means no counter is reported, and missing tells of it; that
// none is left is an error. *session.UsageError is a path or a limit that cannot be read;
// ErrOutside is that no row lies between the limits. To find those the times of the recording are
// read.
func Select(ctx context.Context, r logs.Reader, c Choice, report func(error)) (s *Selection, missing bool, err error) {
	s = &Selection{reader: r, every: c.Every}
	filters := make([]Filter, len(c.Paths))
	for i, text := range c.Paths {
		filters[i] = NewFilter(text)
	}
	columns, unmatched := Matching(r.Header(), filters)
	for _, filter := range unmatched {
		if filter.Err != nil {
			return nil, false, failure.Usage(filter.Err)
		}
		report(failure.WithHint(fmt.Errorf("relog %s: no such counter in the recording", filter.Text), nearest(r.Header(), filter)))
	}
	if s.columns = columns; len(columns) == 0 {
		return nil, false, errNothing
	}
	if err := s.limit(ctx, c.Begin, c.End, report); err != nil {
		return nil, false, err
	}
	return s, len(unmatched) > 0, nil
}

// limit reads the limits, and goes to the first row.
func (s *Selection) limit(ctx context.Context, begin, end string, report func(error)) error {
	if begin != "" || end != "" {
		if err := logs.Know(ctx, s.reader); err != nil {
			return err
		}
	}
	span, err := s.reader.Span()
	if err != nil {
		return err
	}
	zone := logs.LineOf(s.reader).Location()
	again := func(words string) { report(errors.New("relog: " + words)) }
	if s.begin, s.end, err = Limits(begin, end, span.First.In(zone), span.Last, time.Time{}, again); err != nil {
		return err
	}
	if !s.begin.IsZero() && !s.end.IsZero() && s.begin.After(s.end) {
		return failure.Usage(fmt.Errorf("relog: --begin %s is later than --end %s", s.begin.In(zone).Format(time.DateTime), s.end.In(zone).Format(time.DateTime)))
	}
	return s.seek(span)
}

// Header is the header with the columns that are kept.
func (s *Selection) Header() *logs.Header {
	h := *s.reader.Header()
	all := h.Columns
	h.Columns = make([]logs.Column, len(s.columns))
	for i, c := range s.columns {
		h.Columns[i] = all[c]
	}
	return &h
}

// seek goes to the first row, and lets only the columns be read that are kept.
func (s *Selection) seek(span logs.Span) error {
	if len(s.columns) < len(s.reader.Header().Columns) {
		s.reader.Only(s.columns)
	}
	if s.begin.IsZero() && s.end.IsZero() {
		return nil
	}
	err := s.seekBegin(span)
	if err == nil && !s.begin.IsZero() {
		_, err = s.reader.Back(1)
	}
	return err
}

// seekBegin goes to the first row between the limits. The row before serves its
// rates: alone it is not what was asked for.
func (s *Selection) seekBegin(span logs.Span) error {
	from := cmp.Or(s.begin, span.First)
	if err := s.reader.SeekTime(from); err != nil {
		return err
	}
	var row logs.Row
	err := s.reader.Next(&row)
	switch {
	case err == nil && (s.end.IsZero() || !row.Time.After(s.end)):
		_, err = s.reader.Back(1)
		return err
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case span.First.IsZero():
		return errNoRows
	}
	zone := logs.LineOf(s.reader).Location()
	return failure.WithHint(
		fmt.Errorf("relog: no sample between --begin and --end: %w", ErrOutside),
		"the recording is from "+span.First.In(zone).Format(time.DateTime)+" to "+span.Last.In(zone).Format(time.DateTime))
}

// Span is when the rows are that are kept. Their values are not read.
func (s *Selection) Span(ctx context.Context, tick func()) (logs.Span, error) {
	s.columns = nil // the times are enough
	s.reader.Only([]int{})
	span := logs.Span{Exact: true}
	err := s.each(ctx, tick, func(row *logs.Row) error {
		if span.Rows++; span.Rows == 1 {
			span.First = row.Time
		}
		span.Last = row.Time
		return nil
	})
	if err != nil {
		return span, err
	}
	whole, err := s.reader.Span()
	span.Inferred = whole.Inferred
	return span, err
}

// Summarize sums up the counters that are kept.
func (s *Selection) Summarize(ctx context.Context, tick func()) ([]logs.Summary, error) {
	all := logs.Summarize(s.Header())
	err := s.each(ctx, tick, func(row *logs.Row) error {
		if row.Time.Before(s.begin) { // it only serves the first rate
			return nil
		}
		for i := range all {
			all[i].Add(row, i)
		}
		return nil
	})
	return all, err
}

// each hands out the rows between the limits, with the columns that are kept. It calls tick
// now and then.
func (s *Selection) each(ctx context.Context, tick func(), do func(*logs.Row) error) error {
	var out logs.Row
	thin := newThinner(s.every, s.Header().Columns)
	for in, err := range (logs.Scan{Until: s.end, Tick: tick}).Rows(ctx, s.reader) {
		if err != nil {
			return err
		}
		in.Project(s.columns, &out)
		if !thin.keeps(&out) {
			continue
		}
		if err := do(&out); err != nil {
			return err
		}
	}
	return nil
}

// thinner keeps every n-th row. Its values of known types that are over time are made of all
// rows since the one before that it kept.
type thinner struct {
	every   int
	seen    int
	columns []int // of such values
	sums    []cooker.Accumulator
}

func newThinner(every int, columns []logs.Column) *thinner {
	t := &thinner{every: every}
	for i := range columns {
		if sum := columns[i].Accumulator(); columns[i].TypeKnown && sum.IsOverTime() {
			t.columns, t.sums = append(t.columns, i), append(t.sums, sum)
		}
	}
	return t
}

// keeps tells whether a row stays. What is made of more than its two ends has no raw sample:
// nobody is to make a value of these.
func (t *thinner) keeps(row *logs.Row) bool {
	if t.every == 1 {
		return true
	}
	stays := t.seen%t.every == 0
	t.seen++
	for n, i := range t.columns {
		sum := &t.sums[n]
		row.Sum(i, sum)
		if !stays {
			continue
		}
		if row.Values[i] = sum.Value(); sum.Broke() && row.Values[i].Valid() && i < len(row.Raw) {
			row.Raw[i] = logs.Raw{IsMean: true}
		}
		sum.Next()
	}
	return stays
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
	return matches(&f.Path, &column.Path) || f.Path.Trimmed() != f.Path && matches(new(f.Path.Trimmed()), &column.Path)
}

func matches(a, b *paths.Path) bool {
	return (a.Computer == "" || paths.Match(a.Computer, b.Computer)) && paths.Match(a.Object, b.Object) &&
		a.HasInstance == b.HasInstance && paths.Match(a.InstanceText(), b.InstanceText()) && paths.Match(a.Counter, b.Counter)
}

// Matching finds the columns that filters match, ascending: all if there are no filters, and
// which of the filters match none. One that matches no name as it stands matches those that
// look the same, see paths.Plain, or are what it is in English.
func Matching(h *logs.Header, filters []Filter) (columns []int, unmatched []*Filter) {
	keep, found := make([]bool, len(h.Columns)), make([]bool, len(filters))
	match := func(as func(string) string) {
		var left []int
		var like []Filter
		for n := range filters {
			if !found[n] {
				left, like = append(left, n), append(like, NewFilter(as(filters[n].Text)))
			}
		}
		for i := 0; i < len(h.Columns) && len(left) > 0; i++ {
			column := NewFilter(as(h.Columns[i].Path))
			english := column
			if text := h.Columns[i].InEnglish(); text != h.Columns[i].Path {
				english = NewFilter(as(text))
			}
			for n := range like {
				if like[n].Matches(&column) || like[n].Matches(&english) {
					keep[i], found[left[n]] = true, true
				}
			}
		}
	}
	match(func(text string) string { return text })
	match(paths.Plain)
	match(inEnglish)
	for i := range h.Columns {
		if keep[i] || len(filters) == 0 {
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

// inEnglish is a path with English names, where it is in another language.
func inEnglish(text string) string {
	var names *language.Dictionary
	if p, ok, _ := names.Path(text); ok {
		return p.String()
	}
	return text
}

// nearest says what a filter that matches nothing may mean: of the first of its parts that no
// column has, what is most like it.
func nearest(h *logs.Header, f *Filter) string {
	const list = "perfdeck relog -q FILE lists them"
	parts := [...]func(*paths.Path) string{
		func(p *paths.Path) string { return p.Object },
		func(p *paths.Path) string { return p.Counter },
		(*paths.Path).InstanceText,
	}
	left := h.Columns
	for _, part := range parts {
		var names []string
		known := map[string]bool{}
		var with []logs.Column
		for i := range left {
			column := NewFilter(left[i].Path)
			name := part(&column.Path)
			if paths.Match(part(&f.Path), name) {
				with = append(with, left[i])
			} else if !known[name] {
				known[name], names = true, append(names, name)
			}
		}
		if left = with; len(left) == 0 {
			e := paths.LookupError{Nearest: paths.Nearest(part(&f.Path), names)}
			return strings.TrimSpace(e.Hint() + " " + list)
		}
	}
	return list
}
