package top

import (
	"math"
	"slices"
	"strconv"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/meter"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// gauge is a counter of the host that the summary above its processes shows.
type gauge struct {
	name  string
	at    kind.Limit // where it stands, as what limits others does
	drawn kind.Drawn
	look  session.Look
}

// The gauges, in the order of the summary. Of those with the same name the first one
// that the host has is shown, but all of the load, which is one word with three numbers.
const (
	gaugeCPU   = "cpu"
	gaugeMem   = "mem"
	gaugeLoad  = "load"
	gaugeTasks = "tasks"
	gaugeQueue = "queued"
	gaugeEnded = "ended"
	gaugeExits = "exits"
)

var gauges = []struct{ name, set, counter string }{
	{gaugeCPU, session.ProcessorLimit, "% Processor Time"},
	{gaugeCPU, "Processor Information", "% Processor Time"},
	{gaugeCPU, "Processor", "% Processor Time"},
	{gaugeEnded, "Process Exits", "% Processor Time"}, // in percent of one processor
	{gaugeEnded, "Process", "% Ended Children Time"},
	{gaugeExits, "Process Exits", "Exits/sec"},
	{gaugeMem, session.MemoryLimit, "Available Bytes"},
	{gaugeMem, "Memory", "Available Bytes"},
	{gaugeMem, "Memory", "Available MBytes"},
	{gaugeLoad, "System", "Load Average 1 Minutes x100"},
	{gaugeLoad, "System", "Load Average 5 Minutes x100"},
	{gaugeLoad, "System", "Load Average 15 Minutes x100"},
	{gaugeTasks, "System", "Processes"},
	{gaugeQueue, "System", "Processor Queue Length"},
}

// gaugesOf are the gauges that a host has, for a table of its processes.
func (t *Top) gaugesOf(numbers *pane.Numbers) (out []gauge) {
	cat := t.host.Offered()
	if cat == nil || !table.IsProcesses(t.set) {
		return nil
	}
	for _, g := range gauges {
		set, n := cat.Given(g.set, g.counter)
		if set == nil || len(out) > 0 && out[len(out)-1].name == g.name && g.name != gaugeLoad {
			continue
		}
		found := gauge{name: g.name, at: kind.Limit{Set: set, Counter: n}, look: numbers.Look(set, n)}
		if set.Instances.Multiple() {
			found.at.Instance = totalName
		}
		found.drawn = kind.Of(cat, set, n, found.look)
		out = append(out, found)
	}
	return out
}

const totalName = "_Total"

// askGauges are what the summary has to ask besides the table.
func (t *Top) askGauges(asks []session.Ask) []session.Ask {
	for i := range t.gauges {
		for _, l := range []*kind.Limit{&t.gauges[i].at, &t.gauges[i].drawn.Limit} {
			if ask, ok := l.Ask(); ok {
				asks = append(asks, ask)
			}
		}
		asks = session.AskExtent(asks, t.gauges[i].at.Set)
	}
	return asks
}

// summaryFrom is the height from which on the table has a summary.
const summaryFrom = 14

// hasSummary tells whether the line below the title is the summary.
func (t *Top) hasSummary(h int, view *session.SetView) bool {
	if h < summaryFrom || t.set == nil || view == nil {
		return false
	}
	if table.IsProcesses(t.set) {
		return len(t.gauges) > 0
	}
	return t.set.Instances.Multiple() && (t.table.AddsUp() && view.Left == 0 || totalRow(view) >= 0)
}

// totalRow is the row of a view that stands for all, -1 without one.
func totalRow(view *session.SetView) int {
	return slices.IndexFunc(view.Rows, func(r session.Row) bool { return !r.Gone && r.Key.Parent == "" && r.Key.Name == totalName })
}

// summaryPart is one number of the summary, behind a meter where it has a share.
type summaryPart struct {
	table.Total

	share float64 // in percent; NaN: there is no meter
}

// drawSummary draws what all rows are together, as far as that has room.
func (t *Top) drawSummary(f pane.Frame, y int, m *table.Frame) {
	parts, tail := t.hostParts(), ""
	if !table.IsProcesses(t.set) {
		parts, tail = t.totalParts(m)
	}
	x, end := layout.SignW, f.Width()-1
	if len(parts) > 0 && tail != "" {
		end -= canvas.Full.TextWidth(tail) + summaryGap
	}
	for i := range parts {
		if x+parts[i].cells() > end {
			break
		}
		x += parts[i].draw(f, x, y) + summaryGap
	}
	if len(parts) > 0 {
		f.Text(x, y, tail, themes.Muted)
	}
}

const (
	summaryGap   = 3
	summaryMeter = 10 // cells
)

func (p *summaryPart) cells() int {
	w := canvas.Full.TextWidth(p.Head) + 1 + canvas.Full.TextWidth(p.Number)
	if p.Unit != "" {
		w += 1 + canvas.Full.TextWidth(p.Unit)
	}
	if p.share == p.share {
		w += summaryMeter + 1
	}
	return w
}

// draw draws a part and returns the cells it took.
func (p *summaryPart) draw(f pane.Frame, x, y int) int {
	muted, from := themes.Muted, x
	x += f.Text(x, y, p.Head, muted) + 1
	if p.share == p.share {
		m := meter.Meter{Share: p.share / 100}
		m.Draw(f.Region, x, y, summaryMeter)
		x += summaryMeter + 1
	}
	x += f.Text(x, y, p.Number, themes.Strong)
	if p.Unit != "" {
		x += 1 + f.Text(x+1, y, p.Unit, muted)
	}
	return x - from
}

// totalParts are the columns of the row that stands for all, or their sums.
func (t *Top) totalParts(m *table.Frame) (out []summaryPart, tail string) {
	if row := totalRow(m.View); row >= 0 && t.filter.Text() == "" { // else the sum of what the filter lets through
		return partsOf(t.table.TotalsOf(m, row)), totalName
	}
	var every session.Combine
	t.addends = t.addends[:0]
	for _, r := range t.rows() {
		if in := &m.View.Rows[r.At]; !m.IsGone(in) && every.Includes(&in.Instance) {
			t.addends = append(t.addends, r.At)
		}
	}
	all := len(t.addends)
	again := -1 // the first that is left out, in the order of the host
	for _, row := range t.addends {
		if in := &m.View.Rows[row].Instance; in.CountsAgain() && (again < 0 || row < again) {
			again = row
		}
	}
	t.addends = session.Addends(t.addends, func(row int) *session.Instance { return &m.View.Rows[row].Instance })
	tail = "sum of " + strconv.Itoa(len(t.addends))
	if outer := t.set.Outermost(t.addends, func(row int) (*session.Instance, cooker.Value) {
		return &m.View.Rows[row].Instance, cooker.WholeValue(0)
	}); len(outer) < len(t.addends) {
		tail = "sum of those within no other"
	}
	if n := all - len(t.addends); n > 0 {
		tail += ", " + english.AndMore(printable.Text(m.View.Rows[again].Key.Name), n) + " not counted"
	}
	return partsOf(t.table.Totals(m, t.addends)), tail
}

func partsOf(totals []table.Total) []summaryPart {
	out := make([]summaryPart, len(totals))
	for i := range totals {
		out[i] = summaryPart{totals[i], math.NaN()}
	}
	return out
}

// hostParts are the gauges of the host.
func (t *Top) hostParts() (out []summaryPart) {
	for i := range t.gauges {
		g := &t.gauges[i]
		r := t.reading(g)
		n, ok := r.Value.Float()
		if !ok {
			continue
		}
		p := summaryPart{table.Total{Head: g.name, Number: g.text(n, n)}, math.NaN()}
		switch last := len(out) - 1; {
		case g.name == gaugeCPU:
			p.share, p.Unit = r.Share, "%"+t.host.Snap.OfProcessors(g.at.Set)
		case g.name == gaugeMem && r.Limit == r.Limit:
			p.share, p.Number, p.Unit = r.Share, g.text(n, r.Limit), "of "+g.text(r.Limit, r.Limit)+" "+g.look.Unit(r.Limit).Label
		case g.name == gaugeEnded:
			if p.Unit = "%"; n < 1 {
				continue
			}
		case g.name == gaugeExits:
			if last >= 0 && out[last].Head == gaugeEnded && n >= 1 {
				out[last].Unit += ", " + g.text(math.Round(n), n) + " a second"
			}
			continue
		case g.name == gaugeTasks:
			p.Unit = t.unlisted(n)
		case g.name == gaugeMem:
			p.Head, p.Unit = "mem available", g.look.Unit(n).Label
		case g.name == gaugeLoad && last >= 0 && out[last].Head == gaugeLoad: // three numbers, one word
			out[last].Number += " " + p.Number
			continue
		}
		out = append(out, p)
	}
	return out
}

// unlisted tells how many of the host's tasks the table leaves out, threads of the kernel,
// and the key that lists them; "" where those are none. Idle, and what came or went since,
// are not counted.
func (t *Top) unlisted(tasks float64) string {
	const few = 3
	n := int(tasks) - (t.total - t.ended)
	if t.all || n < few {
		return ""
	}
	return "(" + strconv.Itoa(n) + " hidden, K)"
}

// reading is what a gauge shows at the moment that is shown.
func (t *Top) reading(g *gauge) kind.Reading {
	snap := t.host.Snap
	at := func(l *kind.Limit) cooker.Value {
		v := l.Value(snap, session.InstanceKey{})
		if l.Set == nil {
			return v
		}
		return t.desk.Shown(snap, l.Series(snap, session.InstanceKey{}), v)
	}
	return g.drawn.Read(at(&g.at), at(&g.drawn.Limit))
}

// text writes a number in the unit that suits another one.
func (g *gauge) text(n, beside float64) string {
	if g.name == gaugeLoad {
		n /= 100 // as the name of the counter says
	}
	v := cooker.FloatValue(n)
	if n == math.Trunc(n) && n >= 0 && g.name != gaugeLoad && g.name != gaugeCPU {
		v = cooker.WholeValue(uint64(n))
	}
	return g.look.Field(v, g.look.Unit(beside))
}
