package table

import (
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/kind"
)

// Total is what a column is over all rows.
type Total struct {
	Head, Number, Unit string
}

// Totals are the columns that have room, as one row has them; where row is -1, the sums
// over the rows of the table, of those columns whose numbers add up.
func (t *Table) Totals(m *Moment, row int) (out []Total) {
	for i := range t.Columns {
		c := &t.Columns[i]
		col := -1
		if c.Kind == Counter && !c.IsText && !c.Hidden && t.Has(i) {
			col = m.View.Column(c.Counter)
		}
		if col < 0 {
			continue
		}
		v := cooker.Absent(cooker.Pending)
		switch {
		case row >= 0:
			v = m.Value(row, col)
		case t.isAdditive(c):
			v = t.sum(m, col)
		}
		if _, ok := v.Float(); ok {
			out = append(out, Total{Head: c.Head, Number: c.text(v), Unit: c.label()})
		}
	}
	return out
}

// AddsUp tells whether a column that has room has numbers that add up.
func (t *Table) AddsUp() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return !c.Hidden && t.isAdditive(&c) })
}

func (t *Table) isAdditive(c *Column) bool {
	if c.Kind != Counter || c.IsText {
		return false
	}
	d := kind.Of(nil, t.Set, c.Counter, c.look)
	return d.HasPicture && d.Whole == kind.Sum
}

// sum is that of a column over the rows that are no total of others.
func (t *Table) sum(m *Moment, col int) cooker.Value {
	sum, known := 0., false
	for _, r := range t.rows {
		if m.View.Rows[r.At].Flags&session.FlagTotal != 0 {
			continue
		}
		if n, ok := m.Value(r.At, col).Float(); ok {
			sum, known = sum+n, true
		}
	}
	if !known {
		return cooker.Absent(cooker.Pending)
	}
	return cooker.FloatValue(sum)
}
