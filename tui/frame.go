package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/dialog"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// What can be hit in the frame around the screens.
const (
	hitFrame pane.HitKind = 200 + iota
	hitTab
	hitHint
)

// draw draws everything on the canvas: what the next key and the next click mean.
func (r *root) draw() {
	r.pacing.drawn = r.options.Now()
	r.putOffTick()
	now := r.desk.Now()
	r.hits.Reset()
	r.canvas.Clear(0)
	f := pane.Frame{Region: r.canvas.Root(), Now: now, Hits: &r.hits, Wipe: r.desk.Wipe}
	frame, bar := r.frame()
	if frame.TooSmall {
		drawTooSmall(f, r.w, r.h)
	} else {
		r.drawHeader(f.At(frame.Header).On(themes.Header))
		r.screen().Draw(f.At(frame.Body))
		if bar.H > 0 {
			r.bar.Select(r.selected())
			r.bar.Draw(f.At(bar))
		}
		r.drawHints(f.At(frame.Hints).On(themes.Header))
		dialog.DrawStack(f, frame.Body, r.dialogs)
	}
}

// present brings what was drawn to the terminal, in pieces where that is slow: now, as the user
// waits for it, or when what was written before has come through.
func (r *root) present(now bool) {
	if !r.output.show(r.canvas, now) && !r.pacing.lacks {
		r.pacing.lacks = true
		r.later(tea.Tick(pieceWait, func(time.Time) tea.Msg { return showMore{} }))
	}
}

// pieceWait is how soon it is looked whether there is room for the next piece.
const pieceWait = 100 * time.Millisecond

// drawTooSmall says what is missing instead of showing a broken screen.
func drawTooSmall(f pane.Frame, w, h int) {
	strong, muted := themes.Strong.Bold(), themes.Muted
	need := fmt.Sprintf("%dx%d, needs %dx%d", w, h, layout.MinWidth, layout.MinHeight)
	lines := []struct {
		text string
		st   themes.Style
	}{{"too small", strong}, {need, muted}, {"q quit", muted}}
	if h < len(lines) {
		lines = lines[:1]
		lines[0].text = "too small: " + need
	}
	y := max(0, (h-len(lines))/2)
	for i, l := range lines {
		x := max(0, (w-utf8.RuneCountInString(l.text))/2)
		f.Left(x, y+i, w-x, l.text, l.st)
	}
}

// drawHeader draws the scope and the tabs from the left, clock, interval and
// state from the right. What does not fit leaves in this order: names of tabs, the last
// first, the interval, the seconds of the clock.
func (r *root) drawHeader(f pane.Frame) {
	f.Clear(themes.Muted)
	w := f.Width()
	right := r.headerRight(f.Now, w)
	x := w
	for _, part := range slices.Backward(right) {
		x -= utf8.RuneCountInString(part.text) + 1
		f.Text(x, 0, part.text, part.st)
		if part.hit.Kind != 0 {
			f.Zone(x, 0, utf8.RuneCountInString(part.text), 1, part.hit.Kind, part.hit.A, part.hit.B)
		}
		x--
	}
	at := 1 + f.Middle(1, 0, min(24, x/2), r.screen().Scope(), themes.Strong.Bold()) + 1
	wide, short := r.tabsWidth()
	isWide := at+1+wide <= x
	if isWide {
		at++
	}
	for room, i := x-at-short, 0; i < len(r.tabs); i++ {
		t := r.tabs[i]
		if t.tab != r.at {
			room -= 1 + len(t.screen.Title()) // the first ones have their names
		}
		at = r.drawTab(f, at, x, t, isWide, isWide || room >= 0)
	}
}

// tabsWidth is the room that all tabs take with their names, and without but for
// that of the active one.
func (r *root) tabsWidth() (wide, short int) {
	for _, t := range r.tabs {
		wide += len(t.key) + 1 + len(t.screen.Title()) + 2
		short += len(t.key) + 1
	}
	return wide, short + len(r.tabOf(r.at).screen.Title()) + 4
}

// drawTab draws one tab if it fits before end, and returns where the next one
// begins. Under 60 cells only the active one is drawn.
func (r *root) drawTab(f pane.Frame, x, end int, t tab, isWide, named bool) int {
	active := t.tab == r.at
	title := ""
	width := len(t.key)
	if named || active {
		title = t.screen.Title()
		width += 1 + len(title)
	}
	if !active && r.w < 60 || x+width+2 > end {
		return x
	}
	start := x
	key, name := themes.Accent.Bold(), themes.Muted
	if active {
		key, name = themes.Focus.Bold(), themes.Focus.Bold()
		x += f.Put(x, 0, '[', key)
	} else if isWide {
		x++
	}
	x += f.Text(x, 0, t.key, key)
	if title != "" {
		x += f.Put(x, 0, ' ', name)
		x += f.Text(x, 0, title, name)
	}
	if active {
		x += f.Put(x, 0, ']', key)
	}
	if !active || !isWide {
		x++
	}
	f.Zone(start, 0, x-start, 1, hitTab, int(t.tab))
	return x
}

type headerPart struct {
	text string
	st   themes.Style
	hit  pane.Hit // the zero Hit: nothing to click on
}

func (r *root) headerRight(now time.Time, w int) []headerPart {
	var parts []headerPart
	if state := r.troubles(); state != "" {
		parts = append(parts, headerPart{text: state, st: themes.Stale})
	}
	if part, ok := r.recordPart(now); ok {
		parts = append(parts, part)
	}
	parts = append(parts, r.alertCounts()...)
	clock := "15:04:05"
	if w < 60 {
		clock = "15:04"
	} else {
		every := r.interval
		if replay := r.options.Replay; replay != nil {
			every = cmp.Or(replay.About().Interval, every)
		}
		parts = append(parts, headerPart{text: english.Exact(every), st: themes.Muted})
	}
	if r.desk.Past() {
		if h := r.focused(); h != nil && h.Kept != nil && h.Kept.Source(r.desk.At) != "" {
			parts = append(parts, headerPart{text: h.Kept.Source(r.desk.At), st: themes.Accent})
		}
		return append(parts, headerPart{text: "at " + r.desk.At.Format(clock), st: themes.Focus.Bold()})
	}
	if r.paused {
		return append(parts, headerPart{text: "paused", st: themes.Focus.Bold()})
	}
	return append(parts, headerPart{text: now.Format(clock), st: themes.Text})
}

// troubles tells how the host stands if it does not answer, or of several how
// many do not.
func (r *root) troubles() string {
	if len(r.desk.Hosts) == 1 {
		if p := r.desk.Hosts[0].Sampler.State().Phase; p != session.Live {
			return "~ " + p.String()
		}
		return ""
	}
	n := 0
	for _, w := range r.watched { // as it was noted within a second: of thousands, each look counts
		if w.phase != session.Live {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return "~" + strconv.Itoa(n)
}

// drawHints draws what can be done now, or what was just said. The help is
// never dropped.
func (r *root) drawHints(f pane.Frame) {
	f.Clear(themes.Muted)
	said := r.ahead.text()
	if said == "" && r.pacing.drawn.Before(r.word.until) {
		said = r.word.text
	}
	if said != "" {
		f.Left(1, 0, f.Width()-2, said, themes.Text)
		return
	}
	const help = "? help"
	end := f.Width() - len(help) - 1
	f.DrawHint(end, 0, "?", "help")
	maps := r.maps()
	hit := hintOf(maps, len(maps)-1, "?")
	f.Zone(end, 0, len(help), 1, hit.Kind, hit.A, hit.B)
	first := r.firstHint(maps)
	x := 1
	if first.B >= 0 { // before all others, so that it has room
		x = r.drawHint(f, x, end-2, maps, first)
	}
	for _, at := range hintOrder(maps, f.Width()) {
		if at != first {
			x = r.drawHint(f, x, end-2, maps, at)
		}
	}
}

// mostHints is how many of them there are mostly.
const mostHints = 32

// manyHints is from which width on a bar has room for many hints.
const manyHints = 100

// hintOrder is which bindings of some maps have a hint in a bar of w cells, from the left.
func hintOrder(maps [][]keys.Binding, w int) (order []pane.Hit) {
	order, behind := make([]pane.Hit, 0, mostHints), make([]pane.Hit, 0, 4)
	for m, bindings := range maps {
		for i := range bindings {
			b, at := &bindings[i], pane.Hit{Kind: hitHint, A: m, B: i}
			switch {
			case b.Hint == "" || m > 0 && keys.Match(b.Keys.First(), maps[:m]...) != nil: // or the key has another meaning here
				continue
			case b.Place == keys.Behind:
				behind = append(behind, at)
				continue
			case m > 0 && len(behind) > 0 && b.In() != keys.Selected:
				order, behind = append(order, behind...), nil
			}
			if b.Place != keys.WideOnly || w >= manyHints {
				order = append(order, at)
			}
		}
	}
	return append(order, behind...)
}

// firstHint is the hint before all others: from a moment of the past it leads back
// to now, in a replay that is at its own time it plays. B is -1 where there is none,
// or its key has another meaning here.
func (r *root) firstHint(maps [][]keys.Binding) pane.Hit {
	key, in := ".", len(maps)-1
	if r.bar != nil {
		in-- // the bar's keys go before those of the root
	}
	none := pane.Hit{Kind: hitHint, A: in, B: -1}
	switch {
	case r.desk.Past():
	case r.bar != nil:
		key = "p"
	default:
		return none
	}
	if keys.Match(key, maps[:in]...) != nil {
		return none
	}
	return hintOf(maps, in, key)
}

// hintOf is the hint of the binding that one of some maps has for a key; B is -1 where it has none.
func hintOf(maps [][]keys.Binding, in int, key string) pane.Hit {
	return pane.Hit{Kind: hitHint, A: in, B: slices.IndexFunc(maps[in], func(b keys.Binding) bool { return b.Keys.Has(key) })}
}

// drawHint draws the hint of a binding of some maps if it has one, applies and fits before end.
func (r *root) drawHint(f pane.Frame, x, end int, maps [][]keys.Binding, hit pane.Hit) int {
	b := &maps[hit.A][hit.B]
	label := r.options.Keys.Label(b)
	if b.Keys.Has("?") || label == "" {
		return x
	}
	if b.Show == "" { // the first of several will do
		label, _, _ = strings.Cut(label, " ")
	}
	w := utf8.RuneCountInString(label) + 1 + utf8.RuneCountInString(b.Hint)
	if x+w > end {
		return x
	}
	if ok, _ := b.Applies(); !ok {
		return x
	}
	f.DrawHint(x, 0, label, b.Hint)
	f.Zone(x, 0, w, 1, hit.Kind, hit.A, hit.B)
	return x + w + 2
}
