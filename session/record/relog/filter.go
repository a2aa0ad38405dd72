package relog

import (
	"perfdeck/paths"
	"perfdeck/session/record/logs"
)

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

// choose finds the columns that filters match, ascending: all if there are no filters, and
// which of the filters match none.
func choose(h *logs.Header, filters []Filter) (columns []int, unmatched []*Filter) {
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
