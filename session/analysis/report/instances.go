package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/compare"
	"perfdeck/session/source/replay"
)

// instances is which instances there are and how they were or, where the verdict is about
// no instance, the processes that used what it is about.
func (g *Gatherer) instances(d *draft, v *Verdict) *Table {
	if d.lead().Kind == alert.HostLost || d.window.store == nil {
		return nil
	}
	if d.column >= 0 && d.host.tape.Columns[d.column].Set.Instances.Multiple() && d.lead().Kind == alert.Threshold {
		if t := d.siblings(v); t != nil {
			return t
		}
	}
	for _, name := range culpritCounters[causeOf(d)] {
		if t := d.culprits(name); t != nil {
			return t
		}
	}
	return nil
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
	until := d.begin.Add(-d.margin())
	between := func(from, to time.Time) []float64 {
		if row.own {
			return sorted(w.own.Of(0, from, to), nil)
		}
		return sorted(w.store.Of(n, from, to), nil)
	}
	row.before, row.in = compare.Median(between(w.before, until)), between(d.begin, d.end.Add(1))
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
func (d *draft) siblings(v *Verdict) *Table {
	own := &d.host.tape.Columns[d.column]
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
	table := &Table{Title: "Instances of " + session.Printable(own.Set.Name), Head: []string{cmp.Or(s.Unit.Label, "count"), "before", "median"}}
	isFew := v.Of < fewSamples
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
		notes = append(notes, grouped(int64(n))+" more are not listed.")
	}
	if n := d.window.store.Stride; n > 1 {
		notes = append(notes, fmt.Sprintf("Of the others every %d. sample was looked at.", n))
	}
	return strings.Join(notes, " ")
}

// culpritCounters are what processes are known to cause, by the group of causes.
var culpritCounters = map[string][]string{
	"processor": {"% Processor Time"},
	"memory":    {"Private Bytes", "Working Set - Private", "Working Set"},
	"disk":      {"Disk Bytes/sec", "IO Data Bytes/sec", "IO Read Bytes/sec", "IO Write Bytes/sec"},
}

// isProcess tells counters of single processes.
func isProcess(c *replay.Column) bool {
	return (paths.EqualFold(c.Set.Name, "Process") || paths.EqualFold(c.Set.Name, "Process V2")) &&
		c.Instance.Flags&(session.FlagTotal|session.FlagIdle) == 0
}

// rise is how far it went; what was not there went all of it.
func (r *instanceRow) rise() float64 {
	if r.before != r.before {
		return r.worst
	}
	return r.worst - r.before
}

// culprits are the processes of the host by a counter, those that rose most first.
func (d *draft) culprits(name string) *Table {
	w := d.window
	rows := d.rows(func(_ int, c *replay.Column) bool { return isProcess(c) && paths.EqualFold(counterOf(c).Name, name) })
	largest := 0.0
	for i := range rows {
		row := &rows[i]
		row.worst = compare.Median(row.in)
		largest = max(largest, row.worst)
		if row.before == row.before {
			largest = max(largest, row.before)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	slices.SortStableFunc(rows, func(a, b instanceRow) int { return cmp.Compare(b.rise(), a.rise()) })
	s := scaleFor(rows[0].format, largest)
	unit := s.Unit.Label
	if causeOf(d) == "processor" {
		unit = "% of one processor"
	}
	known := w.store.rows(w.before, d.begin.Add(-d.margin())) > 0
	table := &Table{Title: fmt.Sprintf("Processes, %s, %s", name, unit), Head: []string{"", "before", "then", "change"}, Note: "Medians; those that rose most first."}
	if !known {
		table.Note = "Medians."
	}
	for _, row := range rows[:min(len(rows), mostInstances-1)] {
		table.Rows = append(table.Rows, row.change(s, known))
	}
	if n := len(rows) - len(table.Rows); n > 0 {
		table.Note += " " + grouped(int64(n)) + " more are not listed."
	}
	return table
}

// change is a process with how it was before. Without a sample before nothing is known.
func (r *instanceRow) change(s Scale, known bool) []string {
	before, change := "not there", "new"
	switch {
	case !known:
		before, change = "not known", ""
	case r.before == r.before:
		before, change = s.Number(r.before), s.Number(r.rise())
		if r.rise() > 0 && change != "0" {
			change = "+" + change
		}
	}
	return []string{r.name, before, s.Number(r.worst), change}
}

// instanceName is an instance as people call it.
func instanceName(in *session.Instance) string {
	name := paths.Of("", "x", in.Key.Parent, in.Key.Name, int(in.Index), "y").InstanceText()
	return session.Printable(name)
}
