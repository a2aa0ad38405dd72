package table

import (
	"slices"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/meter"
	"perfdeck/tui/kit/names"
)

const (
	meterCells = 8
	shareCells = 6 // of the number behind a meter
	meterRank  = 4
)

// withMeters puts a meter behind the columns for each counter whose limit another counter
// of the instance gives, as the bandwidth of a network interface, and for what is used of
// what disks tell as left.
func withMeters(in []Column, set *session.Counterset) []Column {
	for _, c := range slices.Clone(in) {
		if c.Kind != Counter || c.Hidden {
			continue
		}
		d := kind.Of(nil, set, c.Counter, c.look)
		own := d.Limit.Set == set && d.Limit.Instance == ""
		if !own && (d.Used == "" || len(presets[strings.ToLower(set.InEnglish())]) == 0) {
			continue
		}
		m := of(Meter, Column{Head: d.Used, Counter: c.Counter, drawn: d})
		if d.Used == "" {
			m.above = "use of"
			m.Head = "use of " + names.Short(set.Counters[d.Limit.Counter].Name, set.Name, meterCells+shareCells)
		}
		m.fit = columns.Column{Min: meterCells + shareCells, Rank: meterRank}
		if !slices.ContainsFunc(in, func(o Column) bool { return o.Kind == Meter && o.Head == m.Head }) {
			in = append(in, m)
		}
	}
	return in
}

// Limited is the counter that limits that of a meter, -1 where a number does.
func (c *Column) Limited() int {
	if c.drawn.Limit.Set == nil {
		return -1
	}
	return c.drawn.Limit.Counter
}

// Drawn is what a meter shows of its counter.
func (c *Column) Drawn() *kind.Drawn { return &c.drawn }

// Share is how much of its limit the counter of a meter is in a row, in percent; a value
// that is none tells why not.
func (c *Column) Share(m *Frame, row int) cooker.Value {
	value := func(counter int) cooker.Value {
		if col := m.View.Column(counter); col >= 0 {
			return m.Value(row, col)
		}
		return cooker.Absent(cooker.FirstSample)
	}
	v, given := value(c.Counter), cooker.Value{}
	if c.drawn.Limit.Set != nil {
		given = value(c.drawn.Limit.Counter)
	}
	return c.drawn.Share(v, given)
}

// drawMeter draws the meter and, in percent, how much of the limit that is.
func drawMeter(t *Table, r canvas.Region, c *Column, row *Row) {
	v := c.Share(&t.shown, row.At)
	share, ok := v.Float()
	if !ok {
		r.Right(meterCells, 0, shareCells, r.Glyphs().Word(v.Status().Word()), themes.Muted)
		return
	}
	bar := meter.Meter{Share: share / 100}
	bar.Draw(r, 0, 0, meterCells)
	text, st := strconv.FormatFloat(share, 'f', 1, 64), themes.Strong.Bold()
	if text == "0.0" {
		st = themes.Muted
	}
	r.Right(meterCells, 0, shareCells, text, st)
}
