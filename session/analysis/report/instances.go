package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"perfdeck/cooker/compare"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/printable"
)

// instances is which instances there are and how they were or, where the verdict is about
// no instance, the processes that used what it is about.
func (d *draft) instances() *Table {
	if d.store == nil {
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
}

// siblings are the instances of the counter that the verdict is about.
func (d *draft) siblings() *Table {
	own := d.own().Column
	rows := d.siblingRows()
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
	s := scaleFor(d.chartScale, largest)
	table := &Table{Title: "Instances of " + printable.Text(own.Set.Name), Head: []string{cmp.Or(s.Unit.Label, "count"), "before", "median"}}
	isFew := d.Of < fewSamples
	if !isFew {
		table.Head = append(table.Head, "p95")
	}
	table.Head = append(table.Head, d.side("max", "min"), d.side("over", "under"))
	for _, row := range rows[:min(len(rows), mostInstances)] {
		table.Rows = append(table.Rows, row.cells(s, isFew))
	}
	table.Note = d.siblingNote(rows)
	return table
}

// siblingRows are those that have values, with how often they were beyond the limit.
func (d *draft) siblingRows() (rows []instanceRow) {
	rule, own := d.lead(), d.own().Column
	for n, c := range d.stored(own.Set.InEnglish(), counterOf(own).InEnglish()) {
		isOwn := c == own
		if c.Set != own.Set || c.Counter != own.Counter || !isOwn && paths.IsTotal(c.Instance.Key.Name) {
			continue
		}
		if isOwn {
			n = -1
		}
		before, in := d.values(n)
		if len(in) == 0 {
			continue
		}
		row := instanceRow{name: instanceName(c.Instance), before: compare.Median(before), in: in, worst: in[len(in)-1], own: isOwn}
		if rule.When.Op == paths.Below {
			row.worst = in[0]
		}
		for _, f := range in {
			if rule.When.Holds(f) {
				row.over++
			}
		}
		rows = append(rows, row)
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
	if n := d.store.Stride; n > 1 {
		notes = append(notes, fmt.Sprintf("Of the others every %d. sample was looked at.", n))
	}
	return strings.Join(notes, " ")
}

// instanceName is an instance as people call it.
func instanceName(in *session.Instance) string {
	name := paths.Of("", "x", in.Key.Parent, in.Key.Name, int(in.Index), "y").InstanceText()
	return printable.Text(name)
}
