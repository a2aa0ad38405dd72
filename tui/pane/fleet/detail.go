package fleet

import (
	"math"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// extras are what is asked of the selected host beside its measures.
var extras = []struct{ set, counter string }{
	{"System", "Processor Queue Length"},
	{"Memory", "Available MBytes"},
	{"Memory", "Pages/sec"},
	{"System", upTime},
}

const upTime = "System Up Time"

// detailRows is how many rows the details of a well host have.
func (s *Screen) detailRows() int { return services + len(extras) - 1 }

// detailAsks are what the details show: the extras, and the history of the
// busiest parts of what is summed up in the list.
func (l *line) detailAsks() (asks []session.Ask) {
	for _, e := range extras {
		if set, c := l.catalogue.Given(e.set, e.counter); set != nil {
			counters := []int{c}
			asks = append(asks, session.Ask{Set: set, Counters: counters,
				Keep: []session.Keep{{Counters: counters, Match: soleRow.match}}})
		}
	}
	for _, m := range [...]int{disk, net} {
		if src := &l.sources[m]; src.set != nil && src.rows != soleRow {
			counters := []int{src.counter}
			asks = append(asks, session.Ask{Set: src.set, Counters: counters,
				Keep: []session.Keep{{Counters: counters, Busiest: 4, By: src.counter}}})
		}
	}
	return asks
}

// drawDetail draws what is known of the selected host: its values, or why there
// are none.
func (s *Screen) drawDetail(f pane.Frame) {
	l := s.lineOf(s.host())
	if l == nil {
		pane.DrawTitle(f, pane.Title{Name: "no host"})
		return
	}
	past := s.Desk.Past()
	t := pane.Title{Name: l.name, Subtitle: l.about()}
	row := layout.NewRow(f.Width())
	if l.fine(past) && (past || l.standing.Condition == pane.Answering) {
		t.Problem, t.ProblemStyle = l.alertText(f.Glyphs())
		t.ProblemHit = pane.Hit{Kind: hitAlerts}
		pane.DrawTitle(f, t)
		s.drawRows(f, row, l)
		return
	}
	sign, st := l.standing.Sign(f.Glyphs())
	t.Problem, t.ProblemStyle = l.standing.Text(f.Now), st
	if sign != 0 {
		t.Problem = string(sign) + " " + t.Problem
	}
	pane.DrawTitle(f, t)
	pane.DrawFacts(f.Below(1), l.host.Facts(f.Now))
}

// alertText counts the alerts of a host, the worst first.
func (l *line) alertText(g *canvas.Glyphs) (string, themes.Style) {
	var parts []string
	for level := pane.Critical; level > pane.Info; level-- {
		if n := l.alerts[level-1]; n > 0 {
			sign, _ := pane.SignOf(level, g)
			parts = append(parts, string(sign)+strconv.Itoa(n))
		}
	}
	return strings.Join(parts, "  "), l.alert.Style()
}

// about is what the title says of a host: its size, how long it runs, how far
// it is and how it is read.
func (l *line) about() string {
	var parts []string
	if n := l.snap.OfProcessors(l.sources[cpu].set); n != "" {
		parts = append(parts, strings.TrimPrefix(n, " of ")+" logical")
	}
	if up := l.upTime(); up > 0 {
		parts = append(parts, "up "+english.Age(up))
	}
	if l.state.Phase == session.Live {
		parts = append(parts, english.Span(l.state.Latency))
	}
	if source := l.host.Source(); source != "" {
		parts = append(parts, source)
	}
	return strings.Join(append(parts, l.host.Groups...), ", ")
}

// upTime is how long the host runs, 0 when that was not asked.
func (l *line) upTime() time.Duration {
	set, c := l.catalogue.Given("System", upTime)
	view := l.snap.Set(set)
	col := view.Column(c)
	if col < 0 || len(view.Rows) == 0 {
		return 0
	}
	v, _ := view.Value(0, col).Float()
	return time.Duration(max(0, min(v, math.MaxInt32)) * float64(time.Second))
}

// detail is one row of the details.
type detail struct {
	set     *session.Counterset
	counter int
	row     int // of the set's view
	drawn   kind.Drawn
}

// details are the rows about a host: of disks and interfaces the worst one.
func (l *line) details() (out []detail) {
	for m := range l.sources {
		src := &l.sources[m]
		view := l.snap.Set(src.set)
		row := src.row(view)
		if m == disk || m == net {
			if worst := largestRow(view, src.counter); worst >= 0 {
				row = worst
			}
		}
		if row >= 0 {
			d := detail{set: src.set, counter: src.counter, row: row}
			if src.drawn != nil {
				d.drawn = *src.drawn
			}
			out = append(out, d)
		}
	}
	for _, e := range extras {
		set, c := l.catalogue.Given(e.set, e.counter)
		if e.counter != upTime && l.snap.Set(set).Column(c) >= 0 {
			out = append(out, detail{set: set, counter: c})
		}
	}
	return out
}

func (s *Screen) drawRows(f pane.Frame, row layout.Row, l *line) {
	units, ok := s.units[l.host]
	if !ok {
		if s.units == nil || len(s.units) > 100 { // they are cheap to choose anew
			s.units = map[*pane.Host]pane.Units{}
		}
		units = pane.NewUnits(s.Desk.NumbersOf(l.host))
		s.units[l.host] = units
	}
	for i, d := range l.details() {
		if 1+i >= f.Height() {
			return
		}
		view := l.snap.Set(d.set)
		if d.row >= len(view.Rows) { // it was asked for a moment ago
			continue
		}
		t := pane.Target{Host: l.host, Set: d.set, Counter: d.counter, Key: view.Rows[d.row].Key}
		r := s.Desk.Row(t, d.drawn, units)
		if d.set.Instances.Multiple() {
			r.Instance = t.Key.Name
		}
		pane.DrawRow(f, 1+i, row, &r)
	}
}
