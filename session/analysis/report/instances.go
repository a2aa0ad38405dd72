package report

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/text/printable"
)

// instances is which instances there are and how they were or, where the verdict is about
// no instance, the processes that used what it is about.
func (d *draft) instances() *Table {
	if d.lead().Kind == alert.HostLost || d.window.store == nil {
		return nil
	}
	who := d.account.table()
	if d.column < 0 || !d.hasLimit() {
		return who
	}
	if c := d.own(); !c.Set.Instances.Multiple() || who != nil && !d.isOfOne() {
		return who
	}
	return cmp.Or(d.siblings(), who)
}

// mostInstances bounds the rows of a table of instances.
const mostInstances = 6

// instanceRow is a row of it.
type instanceRow struct {
	name   string
	before float64 // median
	in     []float64
	worst  float64
	over   int
	own    bool
	format cooker.Format
}

// rowOf is an instance in the time of a verdict; ok is false where it has no value.
func (d *draft) rowOf(n, i int) (row instanceRow, ok bool) {
	w, t := d.window, d.host.tape
	row = instanceRow{name: instanceName(t.Columns[i].Instance), own: i == d.column, format: t.series[i].format}
	between := func(from, to time.Time) iter.Seq2[time.Time, float64] {
		if row.own {
			return w.own.Of(0, from, to)
		}
		return w.store.Of(n, from, to)
	}
	row.before, row.in = compare.Median(sorted(between(w.before, d.until()), nil)), d.of(between(d.Begin, d.End.Add(1)))
	return row, len(row.in) > 0
}

// rows are the instances with values in the time of the verdict of columns that fit.
func (d *draft) rows(fits func(i int, c *replay.Column) bool) (rows []instanceRow) {
	for n, i := range d.window.store.columns {
		if !fits(i, &d.host.tape.Columns[i]) {
			continue
		}
		if row, ok := d.rowOf(n, i); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// siblings are the instances of the counter that the verdict is about.
func (d *draft) siblings() *Table {
	own := d.own().Column
	rows := d.siblingRows(own)
	isTotal := paths.IsTotal(own.Instance.Key.Name)
	if len(rows) < 2 || isTotal && len(rows) < 3 {
		return nil
	}
	isBelow := d.lead().When.Op == paths.Below
	slices.SortStableFunc(rows, func(a, b instanceRow) int {
		switch {
		case a.own != b.own && !isTotal && a.own:
			return -1
		case a.own != b.own && !isTotal:
			return 1
		case isBelow:
			return cmp.Compare(a.worst, b.worst)
		}
		return cmp.Compare(b.worst, a.worst)
	})
	largest := 0.0
	for _, row := range rows {
		largest = max(largest, math.Abs(row.in[len(row.in)-1]))
	}
	s := scaleFor(d.window.chartScale, largest)
	table := &Table{Title: "Instances of " + printable.Text(own.Set.Name), Head: []string{cmp.Or(s.Unit.Label, "count"), "before", "median"}}
	isFew := d.Of < fewSamples
	if !isFew {
		table.Head = append(table.Head, "p95")
	}
	if isBelow {
		table.Head = append(table.Head, "min", "under")
	} else {
		table.Head = append(table.Head, "max", "over")
	}
	for _, row := range rows[:min(len(rows), mostInstances)] {
		table.Rows = append(table.Rows, row.cells(s, isFew))
	}
	table.Note = d.siblingNote(rows)
	return table
}

// siblingRows are those that have values, with how often they were beyond the limit.
func (d *draft) siblingRows(own *replay.Column) (rows []instanceRow) {
	rule := d.lead()
	rows = d.rows(func(i int, c *replay.Column) bool {
		return c.Set == own.Set && c.Counter == own.Counter && (i == d.column || !paths.IsTotal(c.Instance.Key.Name))
	})
	for i := range rows {
		row := &rows[i]
		row.worst = row.in[len(row.in)-1]
		if rule.When.Op == paths.Below {
			row.worst = row.in[0]
		}
		for _, f := range row.in {
			if rule.When.Holds(f) {
				row.over++
			}
		}
	}
	return rows
}

func (r *instanceRow) cells(s Scale, isFew bool) []string {
	before := "none"
	if r.before == r.before {
		before = s.Number(r.before)
	}
	cells := []string{r.name, before, s.Number(compare.Median(r.in))}
	if !isFew {
		cells = append(cells, s.Number(share(r.in, 0.95)))
	}
	return append(cells, s.Number(r.worst), fmt.Sprintf("%d of %d", r.over, len(r.in)))
}

func (d *draft) siblingNote(rows []instanceRow) string {
	var notes []string
	passed, first := 0, ""
	for i := range rows {
		if rows[i].over > 0 {
			passed++
			first = cmp.Or(first, rows[i].name)
		}
	}
	switch {
	case passed == 1:
		notes = append(notes, "Only "+first+" passed the limit.")
	case passed > 1:
		notes = append(notes, fmt.Sprintf("%s of %d passed the limit at least once.", capital(inWords(passed)), len(rows)))
	}
	if n := len(rows) - mostInstances; n > 0 {
		notes = append(notes, grouped(n)+" more are not listed.")
	}
	if n := d.window.store.Stride; n > 1 {
		notes = append(notes, fmt.Sprintf("Of the others every %d. sample was looked at.", n))
	}
	return strings.Join(notes, " ")
}

// instanceName is an instance as people call it.
func instanceName(in *session.Instance) string {
	name := paths.Of("", "x", in.Key.Parent, in.Key.Name, int(in.Index), "y").InstanceText()
	return printable.Text(name)
}
