package fleet

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/pane"
)

// line is what the screen knows of a host.
type line struct {
	host  *pane.Host
	index int // in the desk's order
	name  string

	asked     bool               // its services were asked for
	catalogue *session.Catalogue // in which sources were looked up
	sources   [measureCount]source

	snap   *session.Snapshot // of which the values are
	moment time.Time         // for which they are; zero: its newest sample
	isRead bool              // values are those of snap and moment
	values [measureCount]cooker.Value
	old    [measureCount]bool // the set could not be read now: the value is the last one

	state    session.HostState
	standing pane.HostStatus
	alert    pane.Level
	alerts   [3]int // careful, warning, critical

	bucket int // of its load: how far up it is sorted
}

// sync makes the lines fit the hosts there are.
func (s *Screen) sync() {
	if slices.EqualFunc(s.lines, s.Desk.Hosts, func(l *line, h *pane.Host) bool { return l.host == h }) {
		return
	}
	lines, by := make([]*line, 0, len(s.Desk.Hosts)), make(map[*pane.Host]*line, len(s.Desk.Hosts))
	for i, h := range s.Desk.Hosts {
		l := s.lineOf(h)
		if l == nil {
			l = &line{host: h, name: h.Name}
		}
		l.index = i
		lines, by[h] = append(lines, l), l
	}
	s.lines, s.lineBy = lines, by
	gone := func(l *line) bool { return s.lineOf(l.host) == nil }
	s.Rows = slices.DeleteFunc(s.Rows, gone)
	s.groups, s.changed = groupsOf(s.lines), true
}

// lineOf is the line of a host; nil: it has none.
func (s *Screen) lineOf(h *pane.Host) *line { return s.lineBy[h] }

// refresh brings all lines up to now.
func (s *Screen) refresh(now time.Time) {
	news := s.measured != len(s.lines)
	s.measured = len(s.lines)
	for _, l := range s.lines {
		l.state = l.host.Sampler.State()
		l.standing = pane.StandingOf(&l.state, now)
		l.alert, l.alerts = pane.Info, [3]int{}
		if s.Trouble != nil {
			l.alert, l.alerts = s.Trouble(l.host)
		}
		news = l.read(s.Desk) || news
	}
	for m := range measures {
		if news {
			s.largest[m] = 0
			for _, l := range s.lines {
				if f, ok := l.values[m].Float(); ok {
					s.largest[m] = max(s.largest[m], f)
				}
			}
		}
		s.settleUnit(m, now)
	}
	for _, l := range s.lines {
		l.settleBucket(s.share(s.measure, number(l.values[s.measure])))
	}
}

// read takes the values from the host's snapshot, for the moment that the desk
// shows. It tells whether they are others.
func (l *line) read(desk *pane.Desk) bool {
	l.look()
	if l.isRead && l.snap == l.host.Snap && l.moment.Equal(desk.At) {
		return false
	}
	l.isRead, l.snap, l.moment = true, l.host.Snap, desk.At
	for m := range l.sources {
		s := &l.sources[m]
		l.old[m] = false
		switch {
		case s.set == nil && l.catalogue != nil:
			l.values[m] = cooker.Absent(cooker.Unavailable)
		case desk.Past():
			l.values[m] = s.at(l.snap, desk.End(l.snap))
			l.old[m] = desk.IsSilent(l.snap)
		default:
			l.values[m] = s.value(l.snap)
			view := l.snap.Set(s.set)
			l.old[m] = view != nil && view.Err != nil
		}
	}
	return true
}

// look finds the measures in the host's catalogue when there is another one.
func (l *line) look() {
	cat := l.host.Offered()
	if cat == l.catalogue {
		return
	}
	l.catalogue, l.isRead = cat, false
	for m := range measures {
		l.sources[m] = source{}
		if cat != nil {
			l.sources[m] = sourceOf(&measures[m], cat)
		}
	}
}

// fine tells whether the values are to be shown: the host answers, or they are
// of another moment at which it did.
func (l *line) fine(past bool) bool {
	switch l.standing.Condition {
	case pane.Answering:
		return true
	case pane.Expected:
		return l.catalogue != nil
	}
	return past && l.values[cpu].Valid()
}

// share is the height of a number of a measure: 0 to 1, NaN without a number.
func (s *Screen) share(m int, v float32) float32 {
	switch {
	case v != v:
		return v
	case measures[m].percent:
		return max(0, min(1, v/100))
	case s.tops[m].At <= 0:
		return 0
	}
	return max(0, min(1, v/float32(s.tops[m].At)))
}

// buckets is in how many steps hosts are sorted by their load: within one they
// keep still.
const buckets = 7

// settleBucket follows the load, but not when it only just passed a bound.
func (l *line) settleBucket(share float32) {
	const slack = 0.2 // of a step
	if share != share {
		l.bucket = -1
		return
	}
	at := float64(share) * buckets
	if l.bucket < 0 || at < float64(l.bucket)-slack || at > float64(l.bucket)+1+slack {
		l.bucket = min(buckets-1, int(math.Floor(at)))
	}
}

// settleUnit chooses the unit of a column by its largest number, and gives one
// with small numbers a decimal more, until they are well above.
func (s *Screen) settleUnit(m int, now time.Time) {
	of := &measures[m]
	// Never less than one: the column has no smaller unit.
	s.shown[m] = s.choice[m].Choose(max(1, s.largest[m]/of.unit), now)
	if !of.percent {
		s.tops[m].settle(m, s.largest[m]/of.unit, s.shown[m], now)
	}
	if of.decimals == 0 {
		return
	}
	switch largest := s.inUnit(m, s.largest[m]); {
	case largest < 1:
		s.finer[m] = true
	case largest >= 3:
		s.finer[m] = false
	}
}

// inUnit is a number of a measure in the unit that its column has now.
func (s *Screen) inUnit(m int, v float64) float64 {
	return v / measures[m].unit / cmp.Or(s.shown[m].Factor, 1)
}

// decimals are those of the column of a measure.
func (s *Screen) decimals(m int) int {
	if s.finer[m] {
		return measures[m].decimals + 1
	}
	return measures[m].decimals
}

// appendNumber appends a number of a measure as its column has it.
func (s *Screen) appendNumber(buf []byte, m int, v float64) []byte {
	plain := cooker.Format{Digits: cooker.DefaultDigits}
	return plain.AppendInColumn(buf, cooker.FloatValue(s.inUnit(m, v)), cooker.Unit{}, s.decimals(m))
}

// top is what the whole height of the heat of a measure stands for.
type top struct {
	scale.Scale

	At   float64 // in the counter's own unit
	text string  // as titles write it
}

// settle follows the largest number of all hosts, in the measure's smallest unit.
func (t *top) settle(m int, largest float64, u cooker.Unit, now time.Time) {
	of := &measures[m]
	f := cooker.Format{Digits: cooker.DefaultDigits, Style: cooker.UnitWindows, Quantity: of.quantity()}
	at := t.Top(scale.Rule{}, largest, f, u, now)
	if at*of.unit != t.At || t.text == "" {
		t.At, t.text = at*of.unit, string(f.AppendTop(nil, at, u))
	}
}

// headOf is the head of a column, with its unit.
func (s *Screen) headOf(m int) string {
	if measures[m].percent {
		return measures[m].head
	}
	return strings.TrimSpace(measures[m].head + " " + s.shown[m].Label)
}

// group is the hosts of one site, in the desk's order.
type group struct {
	name  string
	lines []*line
}

// noGroup is where hosts without a group are.
const noGroup = "hosts"

// groupsOf sorts the lines into groups, in the order in which they come up.
func groupsOf(lines []*line) (out []group) {
	for _, l := range lines {
		name := siteOf(l)
		i := slices.IndexFunc(out, func(g group) bool { return g.name == name })
		if i < 0 {
			i = len(out)
			out = append(out, group{name: name})
		}
		out[i].lines = append(out[i].lines, l)
	}
	return out
}
