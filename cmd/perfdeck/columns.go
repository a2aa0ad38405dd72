package main

import (
	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// columns are the series that a format shows side by side, fixed with its first
// row. They follow instances by identity, and else by name.
type columns struct {
	list   []*series
	byID   map[identity]int
	byName map[string]int
}

type identity struct {
	host    string
	counter *session.Counter
	key     session.InstanceKey
}

// fixColumns makes the columns of a row. A wildcard that found nothing has
// none.
func fixColumns(r row) *columns {
	f := &columns{byID: map[identity]int{}, byName: map[string]int{}}
	for _, s := range r.samples {
		for _, c := range s.cells {
			if !c.found && c.path.Wildcard() != 0 {
				continue
			}
			if c.found {
				f.byID[identity{c.host, c.counter, c.key}] = len(f.list)
			}
			f.byName[paths.Fold(c.full())] = len(f.list)
			f.list = append(f.list, c.series)
		}
	}
	return f
}

// place gives each column its cell of a row.
func (f *columns) place(r row) []cell {
	out := make([]cell, len(f.list))
	var others []cell
	for _, s := range r.samples {
		for _, c := range s.cells {
			if i, ok := f.byID[identity{c.host, c.counter, c.key}]; ok && c.found {
				out[i] = c
			} else {
				others = append(others, c)
			}
		}
	}
	for _, c := range others {
		if i, ok := f.byName[paths.Fold(c.full())]; ok && out[i].series == nil {
			out[i] = c
		}
	}
	for i := range out {
		if out[i].series == nil {
			out[i] = cell{series: f.list[i], value: cooker.Absent(cooker.Gone)}
		}
	}
	return out
}
