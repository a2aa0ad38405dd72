package pane

import (
	"bytes"
	"cmp"
	"math"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/kit/scale"
	"perfdeck/tui/layout"
	"perfdeck/tui/search"
)

// Row is one value as a row of a pane shows it.
type Row struct {
	Name, Instance string      // the instance is muted, and cut before the name
	Common         string      // what the instances of its list begin with, or the names of one that are instances
	Short          string      // the counterset of a pane that has short names; "": names as they are
	Object         string      // with Short: a word before the name
	Names          *ShortNames // remembers the short name; nil: nothing does
	Set            *session.Counterset
	Counter        int
	Recent         // with the zero Scale measured against what the counter is
	Selected       bool
	Marked         bool
	Alert          alert.Mark
	Colour         int  // series colour of the sparkline, from 1; 0: the usual one
	Stale          bool // shown with the colour of what is old
}

// Row is the row of a value, drawn so, at the moment that is shown, with all that is kept of it.
func (d *Desk) Row(t Target, as kind.Drawn, units Units) Row {
	snap, now := t.Host.Snap, d.Now()
	r := Row{Name: as.Name(t.Of().Name), Set: t.Set, Counter: t.Counter, Recent: Recent{Value: cooker.Absent(cooker.FirstSample)}}
	if view, row, col, ok := t.Cell(); ok {
		r.Recent, r.Stale, now = d.Recent(snap, view, row, col, math.MaxInt), view.Err != nil, view.Time
		if as.Used != "" {
			r.Value, r.Series = as.As(nil, snap, t.Key, r.Value, r.Series)
			r.Window = r.Series.Window(r.End, math.MaxInt)
		}
	}
	r.Unit, r.Look = units.Choose(t.UnitKey(), r.Window.Largest(r.Value), now)
	return r
}

// DrawRow draws a row in line y of the frame, with the columns of l.
func DrawRow(f Frame, y int, l layout.Row, r *Row) {
	sign, alarm, isAlarmed := SignOfMark(r.Alert, f.Glyphs())
	f.DrawLead(y, Lead{Selected: r.Selected, Marked: r.Marked, Sign: sign, Style: alarm})
	text, number, muted := themes.Text, themes.Strong.Bold(), themes.Muted
	var spark themes.Style // shades
	if own, ok := ColourOf(r.Colour); ok {
		spark = own
	}
	if r.Stale || r.Value.Status() == cooker.Gone {
		s := themes.Stale
		text, number, muted, spark = s, s, s, s
	}
	if isAlarmed && r.Alert.State == alert.Firing && !r.Stale {
		number = alarm.Bold()
		if len(r.Limits) == 0 {
			spark = alarm
		}
	}
	_, isNumber := r.Value.Float()
	var first int // cell of the value
	switch said, isText := r.Value.Text(); {
	case isNumber:
		l, first = drawNumber(f, y, l, r, number)
	case isText:
		first = drawText(f, y, l, said, r.Stale, number)
	default:
		first = drawWord(f, y, l, r.Value, muted)
	}
	l.NameW = min(l.NameW, max(0, first-1-l.NameX)) // names beside graphs end where numbers may begin
	drawName(f, y, l, r, text, muted)
	if !r.Value.IsText() {
		drawSpark(f, y, l, r, spark)
	}
	drawStats(f, y, l, r, muted)
	f.Highlight(y, r.Selected)
}

// drawWord shows why there is no number, right-aligned where it would stand. It returns the
// cell of the first letter.
func drawWord(f Frame, y int, l layout.Row, v cooker.Value, st themes.Style) (first int) {
	return l.ValueX + layout.ValueW - f.Right(l.ValueX, y, layout.ValueW, f.Glyphs().Word(v.Status().Word()), st)
}

// drawText shows a text from where numbers begin to the end of the row: it has no
// unit, no curve and no statistics. It returns its first cell.
func drawText(f Frame, y int, l layout.Row, text string, stale bool, st themes.Style) (first int) {
	f.Rest(l.ValueX, y, text, st)
	if first = l.ValueX; stale { // before it, so that it does not live by colour alone
		first--
		f.Put(first, y, f.Glyphs().Stale, st)
	}
	return first
}

// drawName draws the name and, muted, the instance. The name keeps at least minName cells
// of one that is in full, and leastShort of one that is short.
func drawName(f Frame, y int, l layout.Row, r *Row, text, muted themes.Style) {
	const minName, leastShort = 12, 5
	x, w, least := l.NameX, l.NameW, minName
	if r.Short != "" {
		if least = leastShort; r.Object != "" {
			n := f.Text(x, y, r.Object, text) + 1
			x, w = x+n, w-n
		}
	}
	instance, room := r.Instance, w
	if instance != "" {
		room -= min(canvas.Full.TextWidth(instance)+1, max(0, w-least))
	}
	switch {
	case r.Short != "":
		x += f.Text(x, y, r.Names.Cut(f, r.Name, r.Short, room), text)
	case r.Instance == "" && r.Common != "":
		x += f.Text(x, y, names.Cut(f.Region, room, r.Name, r.Common), text)
	default:
		x += f.Text(x, y, names.CutWords(f.Region, room, names.Shorten(names.Counter(r.Name, r.Set.Name, room), room)), text)
	}
	if left := l.NameX + l.NameW - x - 1; instance != "" && left > 0 {
		f.Text(x+1, y, names.Cut(f.Region, left, instance, r.Common), muted)
	}
}

// drawNumber draws the value and its unit, and returns the layout of the rest, and the first
// cell: a form of its own may be wider than the field, and takes cells of the unit
// and of the sparkline, where there is none of the name. It is never cut.
func drawNumber(f Frame, y int, l layout.Row, r *Row, st themes.Style) (rest layout.Row, first int) {
	var buf [64]byte
	field := bytes.TrimRight(r.Look.AppendField(buf[:0], r.Value, r.Unit), " ")
	blanks := len(field) - len(bytes.TrimLeft(field, " "))
	end := l.ValueX + len(field)
	if len(field) > layout.ValueW {
		l = l.Widen(len(field)+unitCells(r.Unit.Label), f.Width())
		end = l.ValueX + len(field)
	}
	f.Text(l.ValueX, y, string(field), st)
	first = l.ValueX + blanks
	if r.Stale { // right before the number, so that it does not live by colour alone
		first--
		f.Put(first, y, f.Glyphs().Stale, st)
	}
	f.Left(max(l.UnitX, end+1), y, l.UnitW, r.Unit.Label, themes.Muted)
	return l, first
}

// unitCells are the cells that a unit takes behind its number.
func unitCells(label string) int {
	if label == "" {
		return 0
	}
	return 1 + canvas.Full.TextWidth(label)
}

func drawSpark(f Frame, y int, l layout.Row, r *Row, st themes.Style) {
	if l.SparkW == 0 {
		return
	}
	if r.Plain = st; r.Scale == (scale.Rule{}) {
		r.Scale = kind.RuleOf(r.Set, r.Counter)
	}
	if r.Value.Status() == cooker.Gone { // its history ended before now
		r.End = r.Series.End()
	}
	f.DrawRecent(l.SparkX, y, l.SparkW, &r.Recent)
}

func drawStats(f Frame, y int, l layout.Row, r *Row, st themes.Style) {
	if r.Window.Count == 0 || r.Value.Status() == cooker.Gone {
		return
	}
	if l.Full && r.Window.Min == r.Window.Max {
		return
	}
	stat := func(x int, v cooker.Value) {
		if x == 0 {
			return
		}
		var buf [32]byte
		if l.Full {
			if text := r.Look.AppendField(buf[:0], v, r.Unit); len(text) <= layout.ValueW {
				f.Right(x, y, layout.ValueW, string(text), st)
			}
			return
		}
		if text := r.Look.AppendStatField(buf[:0], v, r.Unit); len(text) < layout.StatW {
			f.Text(x+1, y, string(text), st)
		}
	}
	stat(l.MinX, r.Window.Min)
	stat(l.AvgX, r.Window.Mean)
	stat(l.MaxX, r.Window.Max)
}

// Title is the rule above a pane, which is also the head of its columns.
type Title struct {
	Sign           rune // before the name: what is wrong; 0: nothing
	SignStyle      themes.Style
	Name, Subtitle string
	Host           string // that the subtitle begins with: the name gives way to it; empty: none
	Focused        bool
	Follows        bool // another one on the same rule, and is not what the rule is of
	Heads          bool // name the columns of Row
	Row            layout.Row
	At             time.Time // the moment that the heads tell; zero: the newest sample
	Problem        string
	ProblemStyle   themes.Style
	ProblemHit     Hit    // what a click on the problem hits; the zero Hit: nothing
	Position       string // which rows are in view, at the right end; the subtitle gives way to it
}

// leastTitle is how many cells of its name a pane has at least beside that of its host.
const leastTitle = 8

// DrawTitle draws the title rule of a pane in line 0 of the frame.
// It returns the cell behind its words.
func DrawTitle(f Frame, t Title) int {
	name := themes.Strong.Bold()
	muted := themes.Muted
	switch {
	case t.Follows:
		name = muted
	case t.Focused:
		name = themes.Focus.Bold()
	}
	DrawRule(f, t.Focused)
	room := f.Width() - 4
	if t.Heads {
		if room = t.Row.ValueX - 1; !t.At.IsZero() {
			room--
		}
		drawHeads(f, t.Row, t.At)
	}
	room -= drawPosition(f, room, &t)
	x := 2
	if t.Sign != 0 {
		f.Put(x, 0, t.Sign, t.SignStyle)
		f.Put(x+1, 0, ' ', muted)
		x += 2
	}
	host := t.Host
	named := max(0, room-x)
	if host != "" {
		named = max(min(named, leastTitle), named-1-f.GlyphSet().TextWidth(host))
	}
	if behind := cmp.Or(t.Subtitle, t.Problem); behind != "" && isNumber(behind[:1]) && isNumber(t.Name[strings.LastIndexByte(t.Name, ' ')+1:]) {
		t.Name += "," // a number and what is counted behind it
	}
	x += f.Middle(x, 0, named, names.Counter(t.Name, "", named), name)
	f.Put(1, 0, ' ', muted)
	f.Put(x, 0, ' ', muted)
	tell := func(text string, st themes.Style, hit Hit) {
		if text != "" && x+1 < room {
			x += 1 + drawTold(f, x+1, room-x-1, text, host, st, hit)
			f.Put(x, 0, ' ', muted)
		}
	}
	tell(t.Subtitle, muted, Hit{})
	tell(t.Problem, t.ProblemStyle, t.ProblemHit)
	return x
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// drawHeads draws the heads of a row's columns into a title, of values of a moment.
func drawHeads(f Frame, l layout.Row, at time.Time) {
	muted := themes.Muted
	DrawHead(f, l.ValueX+layout.ValueW, momentText(at, "last"), muted)
	heads := [...]string{"min", "avg", "max"}
	for i, x := range [...]int{l.MinX, l.AvgX, l.MaxX} {
		if x > 0 {
			DrawHead(f, x+layout.StatW, heads[i], muted)
		}
	}
}

// drawTold draws what a title says behind its name into w cells from x on, and returns how many it
// takes. The host at its beginning stays, as its end does: hosts differ there, too.
func drawTold(f Frame, x, w int, text, host string, st themes.Style, hit Hit) int {
	const more = 4 // cells in which something else is told, too
	width := f.GlyphSet().TextWidth
	if host != "" && strings.HasPrefix(text, host) && width(text) > w && width(host)+more > w {
		text = f.CutMiddle(w, host)
	}
	n := f.Left(x, 0, w, text, st)
	if hit.Kind != 0 {
		f.Zone(x, 0, n, 1, hit.Kind, hit.A, hit.B)
	}
	return n
}

// DrawRule draws the rule of a title over line 0 of the frame.
func DrawRule(f Frame, focused bool) {
	rule, st := f.Glyphs().Rule, themes.Rule
	if focused {
		rule, st = f.Glyphs().FocusRule, themes.Focus
	}
	f.Repeat(0, 0, f.Width(), rule, st)
}

// ShortNames remembers the short name of a row, which takes long to find.
type ShortNames struct {
	List *names.List // of which it is one; nil: of none

	name, set, short string
	w                int
}

// Cut is the name in w cells, unlike others of its list. Nil remembers nothing.
func (n *ShortNames) Cut(f Frame, name, set string, w int) string {
	if n != nil && n.List != nil {
		return n.List.Short(f.Region, w, name)
	}
	return names.CutWords(f.Region, w, n.Of(name, set, w))
}

// Of is the name of a counter in a pane of a counterset, as screens write it. Nil remembers
// nothing.
func (n *ShortNames) Of(name, set string, w int) string {
	if n == nil {
		return names.Short(name, set, w)
	}
	if n.name != name || n.set != set || n.w != w {
		n.name, n.set, n.w, n.short = name, set, w, (*ShortNames)(nil).Of(name, set, w)
	}
	return n.short
}

// drawPosition tells at the right end of a title which rows are in view, where name
// and problem leave room for it, and returns the cells it takes.
func drawPosition(f Frame, room int, t *Title) (taken int) {
	n := len(t.Position)
	used := 2 + canvas.Full.TextWidth(t.Name)
	if t.Problem != "" {
		used += 1 + canvas.Full.TextWidth(t.Problem)
	}
	if n == 0 || t.Heads || used+1+n > room {
		return 0
	}
	f.Text(f.Width()-n-3, 0, " "+t.Position+" ", themes.Muted)
	return n + 1
}

// DrawHead draws a column head so that its last letter is before end.
func DrawHead(f Frame, end int, text string, st themes.Style) {
	x := end - len(text)
	f.Put(x-1, 0, ' ', st)
	f.Text(x, 0, text, st)
	f.Put(end, 0, ' ', st)
}

// momentText is a moment as heads of values tell it, another word for the newest one.
func momentText(at time.Time, newest string) string {
	if at.IsZero() {
		return newest
	}
	return at.Format(time.TimeOnly)
}

// DrawValueHeads names the columns of the values beside a graph, which are of a moment;
// zero: of now.
func DrawValueHeads(f Frame, l layout.Row, at time.Time) {
	muted := themes.Muted
	DrawHead(f, l.ValueX+layout.ValueW-1, momentText(at, "now"), muted)
	if l.MaxX > 0 {
		DrawHead(f, l.MaxX+6, "peak", muted)
		DrawHead(f, l.AvgX+6, "mean", muted)
	}
}

// Lead is what stands before the text of each row of a list, in the first
// layout.SignW cells.
type Lead struct {
	Selected, Marked bool
	Sign             rune // what is wrong with it; 0: nothing
	Style            themes.Style
}

// DrawLead draws what stands before a row in line y.
func (f Frame) DrawLead(y int, l Lead) {
	if l.Selected {
		f.Put(0, y, f.Glyphs().Selected, themes.Focus)
	}
	if l.Sign != 0 {
		f.Put(1, y, l.Sign, l.Style)
	}
	if l.Marked {
		f.Put(layout.SignW-1, y, f.Glyphs().Mark, themes.Focus)
	}
}

// Marked draws a text with what a search found of it, and returns the cells it takes.
func (f Frame) Marked(x, y int, text string, found []search.Span, st themes.Style) int {
	start, at := x, 0
	for _, m := range found {
		x += f.Text(x, y, text[at:m.From], st)
		x += f.Text(x, y, text[m.From:m.To], st.In(themes.Focus).Bold())
		at = m.To
	}
	return x + f.Text(x, y, text[at:], st) - start
}

// Highlight gives a row that was drawn the look of the selected one, if it is.
func (f Frame) Highlight(y int, selected bool) {
	if selected {
		f.SetBackground(0, y, f.Width(), 1, themes.Selection)
	}
}
