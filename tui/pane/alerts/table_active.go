package alerts

import (
	"cmp"
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/pane"
)

// The widths of columns, in cells.
const (
	gapW       = 2
	wordW      = 8 // "critical", "acknowledged" is told as "known"
	leastName  = 8
	mostName   = 24
	leastPath  = 12
	mostLimit  = 24
	mostPath   = 72
	leastSpark = 10
	mostSpark  = 20
)

// active is a row of what is active.
type active struct {
	*alert.Alert
	reading
}

// reading is what is shown of the value of an alert.
type reading struct {
	value cooker.Value
	unit  cooker.Unit
	limit string // with its unit
	look  session.Look
	per   string // stands behind the unit: of trends
}

// number is the value in its unit, empty without one.
func (r reading) number() string {
	if _, ok := r.value.Float(); !ok {
		return ""
	}
	var buf [64]byte
	return string(r.look.AppendField(buf[:0], r.value, r.unit))
}

// activeValue is the place of the value among the columns of what is active.
const activeValue = 4

func (s *Screen) activeColumns() []pane.ListColumn[*active] {
	muted := func(text func(f pane.Frame, a *active) string) func(pane.Frame, *active) (string, themes.Style) {
		return func(f pane.Frame, a *active) (string, themes.Style) { return text(f, a), themes.Muted }
	}
	return []pane.ListColumn[*active]{
		{Min: wordW, Rank: 4, Cell: func(f pane.Frame, a *active) (string, themes.Style) {
			_, st := signOf(f, a)
			return stateWord(a.Alert), st
		}},
		{Min: leastName, Rank: 8, Align: columns.Name, Most: mostName, Tight: func(w int) int { return w / 5 }, Bold: true,
			Cell: func(_ pane.Frame, a *active) (string, themes.Style) { return a.ID.Rule, themes.Text }},
		{Min: leastPath, Rank: 6, Most: mostPath, Tight: func(w int) int { return w * 2 / 5 },
			Cell: muted(func(_ pane.Frame, a *active) string { return s.whereOf(a.Alert).String() }),
			Cut:  func(f pane.Frame, a *active, w int) string { return s.whereOf(a.Alert).fit(f.Region, w) }},
		{Min: leastSpark, Want: mostSpark, Rank: 3, Draw: s.drawSpark},
		activeValue: {Rank: columns.Stays, Align: columns.Number, Draw: drawValue},
		{Min: 3, Rank: 5, Most: mostLimit, Cell: muted(func(_ pane.Frame, a *active) string { return a.limit })},
		{Rank: 7, Most: 36, Tight: func(int) int { return 12 }, Cell: muted(func(f pane.Frame, a *active) string { return noteOf(a.Alert, f.Now) })},
		{Min: 4, Rank: 7, Align: columns.Right, Most: 8, Cell: muted(func(f pane.Frame, a *active) string { return english.Short(f.Now.Sub(a.Since)) })},
	}
}

// whereOf is the path of an alert; one host alone need not be named.
func (s *Screen) whereOf(a *alert.Alert) *where {
	return whereOf(a.ID, a.Instance, len(s.desk.Hosts) > 1)
}

// read is the value of an alert, in a unit that changes seldom.
func (s *Screen) read(a *alert.Alert, now time.Time) reading {
	if !a.Rule.Kind.HasLimit() {
		return reading{limit: a.Rule.ForText()}
	}
	than, most := a.Rule.Limit()
	op := than.String() + " "
	c := watchedIn(s.desk.Numbers, a)
	out := reading{value: a.Value, limit: op + limitText(most, c), look: c.look, per: c.per} // as in the rules: 5 MB beside 22 GB
	if c.Counter == nil {
		return out
	}
	largest := math.Abs(most)
	for _, value := range []cooker.Value{a.Value, a.Peak} {
		if f, ok := value.Float(); ok {
			largest = max(largest, math.Abs(f))
		}
	}
	out.unit, out.look = s.units.Choose(pane.UnitKey{Set: a.Set, Counter: a.Counter, Key: a.Key}, largest, now)
	if out.look.Scale != 0 && !out.look.IsHex() {
		out.limit = op + inUnit(most*pane.Power(out.look.Scale), out.unit, besideDigits) + c.per
	}
	return out
}

// drawSpark draws the last values where they are kept; those beyond the limit in
// the colour of the alert.
func (s *Screen) drawSpark(f pane.Frame, y int, p columns.Place, a *active) {
	h := s.desk.Find(a.ID.Host)
	if h == nil || a.Rule.Kind != alert.Threshold || a.Rule.IsDerived() {
		return
	}
	view := h.Snap.Set(a.Set)
	row, col := view.Find(a.Key, -1), view.Column(a.Counter)
	if row < 0 || col < 0 {
		return
	}
	beyond := pane.LevelOf(a.Rule.Severity).Style()
	past := s.desk.Recent(h.Snap, view, row, col, 0)
	past.Look, past.Unit, past.Scale = a.look, a.unit, kind.RuleOf(a.Set, a.Counter)
	past.Limits = []graph.Limit{{Value: float32(a.Rule.When.Limit), Below: a.Rule.When.Op == paths.Below, State: beyond.Foreground()}}
	f.DrawRecent(p.X, y, graph.SparkWidth(p.W), &past)
}

// drawValue draws the value in its column, or the word for why there is none.
func drawValue(f pane.Frame, y int, p columns.Place, a *active) {
	_, st := signOf(f, a)
	if a.State == alert.Pending {
		st = themes.Strong
	}
	_, ok := a.value.Float()
	switch {
	case !a.Rule.Kind.HasLimit():
		f.Right(p.X, y, min(p.W, cooker.FieldWidthCells), "absent", st)
	case !ok:
		word := f.Glyphs().Word(cmp.Or(a.value.Status().Word(), "…"))
		f.Right(p.X, y, min(p.W, cooker.FieldWidthCells), word, themes.Stale)
	default:
		if a.Lacking != "" { // the last one there was
			st = themes.Stale
		}
		text := a.number()
		f.Left(p.X, y, p.W, text, st.Bold())
		f.Left(p.X+len(text)+1, y, p.W-len(text)-1, a.unit.Label+a.per, themes.Muted)
	}
}
