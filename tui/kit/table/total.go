package table

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/kind"
)

// Total is what a column is over all rows.
type Total struct {
	Head, Number, Unit string

	value cooker.Value
}

// TotalsOf are the columns that have room, as one row has them. Of well-known countersets
// they are those that everybody looks at.
func (t *Table) TotalsOf(m *Frame, row int) []Total {
	return t.totals(m, func(_ *Column, col int) cooker.Value { return m.Value(row, col) })
}

// Totals are the sums over rows of the view, of those columns whose numbers add up.
func (t *Table) Totals(m *Frame, rows []int) []Total {
	return t.totals(m, func(c *Column, col int) cooker.Value {
		sum := cooker.Absent(cooker.Pending)
		if t.isAdditive(c) {
			outer := t.Set.Outermost(rows, func(row int) (*session.Instance, cooker.Value) {
				return &m.View.Rows[row].Instance, m.Value(row, col)
			})
			for _, row := range outer {
				v := m.Value(row, col)
				if v.Status().Fell() { // without it the sum is not that of all
					return v
				}
				sum = plus(sum, v)
			}
		}
		return sum
	})
}

// totals are the columns that have room, those with the same name together.
func (t *Table) totals(m *Frame, of func(c *Column, col int) cooker.Value) (out []Total) {
	known := slices.ContainsFunc(t.Columns, func(c Column) bool { return c.total != "" })
	byName := map[string]int{}
	for i := range t.Columns {
		c := &t.Columns[i]
		if !c.hasCurve() || c.Growth || c.Hidden || !t.Has(i) || known && c.total == "" {
			continue
		}
		col := m.View.Column(c.Counter)
		if col < 0 {
			continue
		}
		v := of(c, col)
		if _, ok := v.Float(); !ok {
			continue
		}
		at, has := byName[c.total]
		if !has || !known {
			at = len(out)
			byName[c.total] = at
			out = append(out, Total{Head: cmp.Or(c.total, c.Head), value: cooker.Absent(cooker.Pending)})
		}
		sum := &out[at]
		sum.value = plus(sum.value, v)
		sum.Number, sum.Unit = c.totalText(sum.value)
	}
	return out
}

// plus adds what has a value.
func plus(a, b cooker.Value) cooker.Value {
	x, isA := a.Float()
	y, isB := b.Float()
	switch {
	case !isB:
		return a
	case !isA:
		return b
	}
	return cooker.FloatValue(x + y)
}

// totalText writes a sum and its unit, with as many digits as rows of values have.
func (c *Column) totalText(v cooker.Value) (number, unit string) {
	n, _ := v.Float()
	u, prefix, decimals := c.form(n)
	text := c.look.AppendField(nil, v, u)
	if prefix == "" && (c.total == "" || decimals == 0 && n == math.Trunc(n)) {
		text = c.look.AppendInColumn(nil, v, u, decimals)
	}
	return strings.TrimSpace(string(text)), c.label(u.Label)
}

// AddsUp tells whether a column that has room has numbers that add up.
func (t *Table) AddsUp() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return !c.Hidden && t.isAdditive(&c) })
}

func (t *Table) isAdditive(c *Column) bool {
	if !c.hasCurve() || c.Growth {
		return false
	}
	d := kind.Of(nil, t.Set, c.Counter, c.look)
	return d.HasPicture && d.Whole == kind.Sum
}
