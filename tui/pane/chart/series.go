package chart

import (
	"errors"
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/chart"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/pane"
)

var errNoCatalogue = errors.New("it has not told its counters yet")

// letters name the series. Colours repeat, letters do not.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// mostSeries is how many counters can be told apart.
const mostSeries = len(letters)

// series is one counter on the chart.
type series struct {
	target pane.Target
	slot   int // of its letter and colour
	colour int // that the user chose, from 1; 0: that of the slot
	hidden bool
	scale  int  // it is drawn times 10^scale
	pinned bool // the user chose the scale

	numbers    *pane.Numbers
	generation int // of the numbers that gave the look
	units      cooker.UnitChooser
	look       session.Look

	drawn kind.Drawn
	used  []float32 // memory of the history, where what is used is drawn

	// What the newest snapshot said.
	row     int    // where the instance was
	name    string // of the instance
	value   cooker.Value
	history session.Series // stays when the instance is gone
	every   time.Duration  // between its samples: others of its host may come more often

	past past

	// What the window shows: see picture.go.
	collected samples // what the rest was made of
	points    []chart.Point
	stats     statistics
	low, high float64 // of the values in the window
	peak      int     // column of dots of the highest, -1: none
	unit      cooker.Unit
	shares    bool // the unit is that of the axis
	lane      laneScale
}

func newSeries(t pane.Target, slot int, desk *pane.Desk) *series {
	numbers := desk.NumbersOf(t.Host)
	s := &series{target: t, drawn: t.Drawn(), slot: slot, row: -1, peak: -1, name: t.Key.Name, numbers: numbers}
	s.adopt()
	s.recall(desk)
	return s
}

// adopt takes over how the numbers of the counter are written now.
func (s *series) adopt() {
	s.generation, s.look = s.numbers.Generation(), s.numbers.Look(s.target.Set, s.target.Counter)
	if s.units = s.look.Chooser(); !s.pinned {
		s.scale = s.look.ChartScale
	}
}

// is tells whether the series shows a value.
func (s *series) is(t pane.Target) bool {
	return s.target == t
}

func (s *series) letter() rune { return rune(letters[s.slot]) }

func (s *series) style() themes.Style {
	if st, ok := pane.ColourOf(s.colour); ok {
		return st
	}
	return themes.Series(s.slot)
}

// recall takes over how the user wants the counter drawn.
func (s *series) recall(desk *pane.Desk) {
	look := desk.Look(pane.LookPath(s.target.Set, s.target.Counter))
	s.colour, s.pinned = look.Colour, look.Scale != nil
	if look.Scale != nil {
		s.scale = cooker.ClampScale(*look.Scale)
	}
}

// keepScale keeps the scale that the user chose, or that none is chosen.
func (s *series) keepScale(desk *pane.Desk) {
	look := desk.Look(pane.LookPath(s.target.Set, s.target.Counter))
	look.Scale = nil
	if s.pinned {
		look.Scale = &s.scale
	}
	desk.KeepLook(look)
}

// called is the name of the series.
func (s *series) called() string { return printable.Text(s.drawn.Name(s.target.Of().Name)) }

func (s *series) quantity() cooker.Quantity { return s.target.Of().Quantity }

// refresh takes over what the newest snapshot of the host says. It reports
// whether the counter was found again in a new catalogue of the host, so that
// it has to be asked for.
func (s *series) refresh() (moved bool) {
	if s.numbers.Generation() != s.generation {
		s.adopt()
	}
	snap := s.target.Host.Snap
	if snap == nil {
		s.value = cooker.Absent(cooker.Pending)
		return false
	}
	moved = s.follow()
	view := snap.Set(s.target.Set)
	if view == nil {
		s.value = cooker.Absent(cooker.Pending)
		return moved
	}
	col := view.Column(s.target.Counter)
	s.row = view.Find(s.target.Key, s.row)
	switch {
	case col < 0:
		s.value = cooker.Absent(cooker.Pending)
	case s.row < 0:
		s.value = cooker.Absent(cooker.Gone)
	default:
		var h session.Series
		s.value, h = s.drawn.As(s.used, snap, s.target.Key, view.Value(s.row, col), view.Series(s.row, col))
		s.every = view.Rate.Interval
		s.name = names.Instance(&view.Rows[s.row].Instance)
		if s.drawn.Used != "" {
			s.used = h.Values
		}
		if len(h.Values) > 0 {
			s.history = h
		}
	}
	return moved
}

// follow looks the counter up by name when the host has another catalogue than
// before, as after it started anew.
func (s *series) follow() bool {
	set := s.target.Host.Renewed(s.target.Set)
	if set == nil {
		return false
	}
	i, ok := set.Counter(s.target.Of().Name)
	if !ok {
		return false
	}
	s.target.Set, s.target.Counter = set, i
	s.drawn = s.target.Drawn()
	return true
}

// at is the value at a moment. Where nothing was sampled, that is said.
func (s *series) at(moment time.Time) cooker.Value {
	snap := s.target.Host.Snap
	if snap == nil {
		return cooker.Absent(cooker.Pending)
	}
	t := snap.Timeline
	end := pane.EndAt(t, moment)
	if end <= t.First || moment.UnixNano() < s.keptNanos() {
		return s.bandAt(moment)
	}
	i := int(end - 1 - t.First)
	if i < len(t.Nanos) && session.IsLate(t.Nanos, i, moment.UnixNano()) {
		return cooker.Absent(cooker.Gap)
	}
	return s.history.Value(s.held(t, i))
}

// none is the number of no sample.
const none = math.MaxUint64

// held is the number of the sample that counts at sample i of the host. A counter
// that is asked more seldom than others has no value yet for the newest samples:
// its last one counts until the next one comes.
func (s *series) held(t session.Timeline, i int) uint64 {
	n := t.First + uint64(i)
	last := s.history.End() // behind it
	if n >= s.history.First && n < last {
		return n
	}
	if n < s.history.First || len(s.history.Values) == 0 || last <= t.First || i >= len(t.Nanos) {
		return none
	}
	if _, ok := s.value.Float(); !ok { // it is gone, or cannot be read
		return none
	}
	const late = 2.5 // intervals
	if waited := t.Nanos[i] - t.Nanos[last-1-t.First]; float64(waited) > late*float64(s.every) {
		return none
	}
	return last - 1
}

// limit is the largest magnitude in the window.
func (s *series) limit() float64 { return max(math.Abs(s.low), math.Abs(s.high)) }

// number writes a value as the legend shows it, without unit; why there is none
// as a word.
func (s *series) number(v cooker.Value) string { return s.write(v, s.look.Field) }

// brief writes an average, minimum or maximum: one decimal less.
func (s *series) brief(v cooker.Value) string { return s.write(v, s.look.StatField) }

func (s *series) write(v cooker.Value, field func(cooker.Value, cooker.Unit) string) string {
	if text, ok := v.Text(); ok {
		return printable.Text(text)
	}
	return field(v, s.unit)
}

// withUnit writes a value and its unit, as short as it goes.
func (s *series) withUnit(v cooker.Value) string {
	text := s.number(v)
	if _, ok := v.Float(); ok && s.unit.Label != "" {
		text += " " + s.unit.Label
	}
	return text
}

// isLost tells whether the host does not answer, so that the newest value is an
// old one.
func isLost(h *pane.Host) bool {
	phase := session.Live
	switch {
	case h.Sampler != nil:
		phase = h.Sampler.State().Phase
	case h.Snap != nil:
		phase = h.Snap.State.Phase
	}
	return phase != session.Live && phase != session.Connecting
}
