package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/record/logs"
)

// chosenColumns are the columns of a recording that were asked for.
type chosenColumns struct {
	columns []int // ascending
	partly  bool  // some path means none of them
}

// chooseColumns finds the columns that the paths of the flags mean: all if there
// are no paths.
func (p *program) chooseColumns(h *logs.Header, f relogFlags) (chosenColumns, error) {
	var chosen chosenColumns
	filters, err := p.filters(f)
	if err != nil {
		return chosen, err
	}
	found := make([]bool, len(filters))
	for i := range h.Columns {
		keep := len(filters) == 0
		column := newFilter(h.Columns[i].Path)
		for n := range filters {
			if filters[n].means(&column) {
				keep, found[n] = true, true
			}
		}
		if keep {
			chosen.columns = append(chosen.columns, i)
		}
	}
	for n := range filters {
		switch {
		case found[n]:
		case filters[n].err != nil:
			return chosen, usage(filters[n].err)
		default:
			chosen.partly = true
			p.report(session.WithHint(fmt.Errorf("relog %s: no such counter in the recording", filters[n].text), "perfdeck relog -q FILE lists them"))
		}
	}
	if len(chosen.columns) == 0 {
		return chosen, errNothing
	}
	return chosen, nil
}

// filters are the paths of the flags.
func (p *program) filters(f relogFlags) ([]filter, error) {
	var filters []filter
	for _, text := range f.counters {
		filters = append(filters, newFilter(text))
	}
	for _, name := range f.files {
		lines, err := p.readCounters(name)
		if err != nil {
			return nil, err
		}
		for _, q := range lines {
			filters = append(filters, newFilter(q.Text))
		}
	}
	if len(filters) == 0 && len(f.files) > 0 {
		return nil, usage(session.WithHint(fmt.Errorf("relog -c %s: %w", strings.Join(f.files, ", "), errNoPaths), "perfdeck relog -q FILE lists those of the recording"))
	}
	return filters, nil
}

// filter is a path with wildcards, or the path of a column.
type filter struct {
	text string
	path paths.Path
	err  error // it does not follow the grammar: only the text counts
}

func newFilter(text string) filter {
	path, err := paths.Parse(text)
	return filter{text, path, err}
}

// means tells whether a filter means a column, part by part: * stands for anything
// in its part, and a filter without a computer means all of them.
func (f *filter) means(column *filter) bool {
	if paths.EqualFold(f.text, column.text) {
		return true
	}
	if f.err != nil || column.err != nil {
		return f.err == nil && f.path.Wildcard() != 0 && paths.Match(`*`+f.text, column.text)
	}
	a, b := &f.path, &column.path
	return (a.Computer == "" || paths.Match(a.Computer, b.Computer)) && paths.Match(a.Object, b.Object) &&
		a.HasInstance == b.HasInstance && paths.Match(a.InstanceText(), b.InstanceText()) && paths.Match(a.Counter, b.Counter)
}

var errNotAMoment = errors.New("not a time")

// momentLayouts are those of --begin and --end, dayTimeLayouts those without a day.
var (
	momentLayouts = []string{
		"2006-1-2 15:4:5", "2006-1-2 15:4", "2006-1-2T15:4:5", "2006-1-2T15:4", "2006-1-2",
		"1/2/2006 15:4:5", "1/2/2006 15:4", "1/2/2006", "1/2/2006 3:4:5PM", "1/2/2006 3:4:5 PM",
	}
	dayTimeLayouts = []string{"15:4:5", "15:4"}
)

// limit reads --begin or --end. A time of day is that of the first day, or of the
// next if it would be before after. The zero time is no limit.
func limit(flag, text string, first, after time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	for _, layout := range momentLayouts {
		if t, err := time.ParseInLocation(layout, text, first.Location()); err == nil {
			return t, nil
		}
	}
	for _, layout := range dayTimeLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		at := time.Date(first.Year(), first.Month(), first.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), first.Location())
		if at.Before(after) {
			at = at.AddDate(0, 0, 1)
		}
		return at, nil
	}
	return time.Time{}, usage(session.WithHint(fmt.Errorf("--%s %q: %w", flag, text, errNotAMoment), `write "2026-03-01 22:30", "3/1/2026 22:30:00" or 22:30`))
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
