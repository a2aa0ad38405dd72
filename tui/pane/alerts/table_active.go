package alerts

import (
	"cmp"
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/kit/columns"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/layout"
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

// The columns of the table of what is active.
const (
	activeWord = iota
	activeRule
	activePath
	activeSpark
	activeValue
	activeLimit
	activeNote
	activeFor
)

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

// drawActive draws the active alerts below the title in f.
func (s *Screen) drawActive(f, body pane.Frame, from, end int) {
	shown := s.alerts[from:end]
	readings := make([]reading, len(shown))
	for i, a := range shown {
		if readings[i] = s.read(a, f.Now); a.Rule.Kind == alert.Threshold {
			readings[i].per = a.Rule.UnitSuffix()
		}
	}
	note := pane.Longest(0, 36, shown, func(a *alert.Alert) string { return noteOf(a, f.Now) })
	unit := pane.Longest(2, layout.UnitW+2, readings, func(r reading) string { return r.unit.Label + r.per })
	value := pane.Longest(cooker.FieldWidthCells, 64, readings, reading.number) + 1 + unit
	name := pane.Longest(leastName, mostName, shown, func(a *alert.Alert) string { return a.ID.Rule })
	path := pane.Longest(leastPath, mostPath, shown, func(a *alert.Alert) string { return s.whereOf(a).String() })
	cols := columns.Fit(layout.SignW, f.Width()-layout.SignW-gapW, gapW, []columns.Column{
		activeWord:  {Min: wordW, Rank: 4},
		activeRule:  {Min: min(name, max(leastName, f.Width()/5)), Want: name, Rank: 8, Align: columns.Name},
		activePath:  {Min: min(path, max(leastPath, f.Width()*2/5)), Want: path, Rank: 6},
		activeSpark: {Min: leastSpark, Want: mostSpark, Rank: 3},
		activeValue: {Min: value, Rank: columns.Stays, Align: columns.Number},
		activeLimit: {Min: pane.Longest(3, mostLimit, readings, func(r reading) string { return r.limit }), Rank: 5},
		activeNote:  {Min: min(note, 12), Want: note, Rank: 7},
		activeFor: {Min: pane.Longest(4, 8, shown, func(a *alert.Alert) string { return lasting(f.Now.Sub(a.Since)) }), Rank: 7,
			Align: columns.Right},
	})
	if p := cols.Places[activeFor]; p.W > 0 && !s.places.alone && s.active.Position() == "" {
		f.Text(p.X+p.W-len(" for"), 0, " for ", themes.Muted.Style())
	}
	for i, a := range shown {
		s.drawAlert(body, i, from+i, a, &cols, &readings[i])
	}
}

// whereOf is the path of an alert; one host alone need not be named.
func (s *Screen) whereOf(a *alert.Alert) *where {
	return whereOf(a.ID, a.Instance, len(s.desk.Hosts) > 1)
}

func (s *Screen) drawAlert(f pane.Frame, y, row int, a *alert.Alert, cols *columns.Layout, r *reading) {
	sign, st := signOf(a, f.Now, f.Glyphs())
	selected := s.drawCells(f, y, activePart, row, sign, st, s.active.IsMarked(a.ID))
	name, muted := textStyle(selected), themes.Muted.Style()
	cols.Draw(f.Region, y, activeWord, stateWord(a), st)
	cols.Draw(f.Region, y, activeRule, session.Printable(a.ID.Rule), name)
	cols.Draw(f.Region, y, activePath, s.whereOf(a).fit(f.Region, cols.Places[activePath].W), muted)
	spark, value := cols.Places[activeSpark], cols.Places[activeValue]
	s.drawSpark(f, spark.X, y, spark.W, a, r)
	drawValue(f, value.X, y, value.W, r, st, a)
	cols.Draw(f.Region, y, activeLimit, r.limit, muted)
	cols.Draw(f.Region, y, activeNote, noteOf(a, f.Now), muted)
	cols.Draw(f.Region, y, activeFor, lasting(f.Now.Sub(a.Since)), muted)
	f.Highlight(y, selected)
}

// read is the value of an alert, in a unit that changes seldom.
func (s *Screen) read(a *alert.Alert, now time.Time) reading {
	if a.Rule.Kind != alert.Threshold {
		return reading{limit: spanText(cmp.Or(a.Rule.After, alert.DefaultAfter))}
	}
	op := a.Rule.When.Op.String() + " "
	c := watchedIn(s.desk.Numbers, a)
	limit := op + limitText(a.Rule.When.Limit, c) // as in the rules: 5 MB beside 22 GB
	if c.Counter == nil {
		return reading{value: a.Value, limit: limit, look: c.look}
	}
	largest := math.Abs(a.Rule.When.Limit)
	for _, value := range []cooker.Value{a.Value, a.Peak} {
		if f, ok := value.Float(); ok {
			largest = max(largest, math.Abs(f))
		}
	}
	u, look := s.units.Choose(pane.UnitKey{Set: a.Set, Counter: a.Counter, Key: a.Key}, largest, now)
	if look.Scale != 0 && !look.IsHex() {
		limit = op + inUnit(a.Rule.When.Limit*pane.Power(look.Scale), u, besideDigits) + c.per
	}
	return reading{value: a.Value, unit: u, limit: limit, look: look}
}

// drawSpark draws the last values where they are kept; those beyond the limit in
// the colour of the alert.
func (s *Screen) drawSpark(f pane.Frame, x, y, w int, a *alert.Alert, r *reading) {
	h := s.desk.Find(a.ID.Host)
	if w <= 0 || h == nil || a.Rule.Kind != alert.Threshold || a.Rule.IsDerived() {
		return
	}
	view := h.Snap.Set(a.Set)
	row, col := view.Find(a.Key, -1), view.Column(a.Counter)
	if row < 0 || col < 0 {
		return
	}
	beyond := pane.LevelOf(a.Rule.Severity).Style()
	past := s.desk.Recent(h.Snap, view, row, col, 0)
	past.Look, past.Unit, past.Scale = r.look, r.unit, kind.RuleOf(a.Set, a.Counter)
	past.Limits = []graph.Limit{{Value: float32(a.Rule.When.Limit), Below: a.Rule.When.Op == paths.Below, State: beyond.Foreground()}}
	f.DrawRecent(x, y, graph.SparkWidth(w), &past)
}

// drawValue draws the value in a column of w cells, or the word for why there is
// none.
func drawValue(f pane.Frame, x, y, w int, r *reading, st themes.Style, a *alert.Alert) {
	if w <= 0 {
		return
	}
	if a.State == alert.Pending {
		st = themes.Strong.Style()
	}
	_, ok := r.value.Float()
	switch {
	case a.Rule.Kind != alert.Threshold:
		f.Right(x, y, min(w, cooker.FieldWidthCells), "absent", st)
	case !ok:
		word := f.Glyphs().Word(cmp.Or(r.value.Status().Word(), "…"))
		f.Right(x, y, min(w, cooker.FieldWidthCells), word, themes.Stale.Style())
	default:
		if a.Lacking != "" { // the last one there was
			st = themes.Stale.Style()
		}
		text := r.number()
		f.Left(x, y, w, text, st.Bold())
		f.Left(x+len(text)+1, y, w-len(text)-1, r.unit.Label+r.per, themes.Muted.Style())
	}
}
