package rows

import (
	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// Columns are the series that a format shows side by side, fixed with its first
// row. They follow instances by identity, and else by name.
type Columns struct {
	List []*Series

	byID   map[identity]int
	byName map[string]int
}

type identity struct {
	host    string
	counter *session.Counter
	key     session.InstanceKey
}

// FixColumns makes the columns of the first row. A wildcard that found nothing has
// none.
func FixColumns(r Row) *Columns {
	f := &Columns{byID: map[identity]int{}, byName: map[string]int{}}
	for _, s := range r.Columns {
		for _, c := range s.Cells {
			if !c.Found && c.Path.Wildcard() != 0 {
				continue
			}
			if c.Found {
				f.byID[identity{c.Host, c.Counter, c.Key}] = len(f.List)
			}
			f.byName[paths.Fold(c.Full())] = len(f.List)
			f.List = append(f.List, c.Series)
		}
	}
	return f
}

// Place gives each column its cell of a row.
func (f *Columns) Place(r Row) []Cell {
	out := make([]Cell, len(f.List))
	var others []Cell
	for _, s := range r.Samples {
		for _, c := range s.Cells {
			if i, ok := f.byID[identity{c.Host, c.Counter, c.Key}]; ok && c.Found {
				out[i] = c
			} else {
				others = append(others, c)
			}
		}
	}
	for _, c := range others {
		if i, ok := f.byName[paths.Fold(c.Full())]; ok && out[i].Series == nil {
			out[i] = c
		}
	}
	for i := range out {
		if out[i].Series == nil {
			out[i] = Cell{Series: f.List[i], Value: cooker.Absent(cooker.Gone)}
		}
	}
	return out
}
