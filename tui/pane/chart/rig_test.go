package chart

import (
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

var start = time.Date(2026, 3, 2, 14, 2, 32, 0, time.UTC)

// rig is the chart of scripted hosts. The chart is drawn when it is looked at.
type rig struct {
	*panetest.Rig

	chart *Chart
}

// onChart runs a test on a rig in a bubble.
func onChart(t *testing.T, scripts []fake.Script, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newRig(t, scripts, synctest.Wait)) })
}

func newRig(t testing.TB, scripts []fake.Script, settle func()) *rig {
	r := &rig{Rig: panetest.New(t, panetest.Options{Start: start, Settle: settle, Span: 5 * time.Minute})}
	for _, h := range panetest.Scripts(scripts...)(r.Clock) {
		r.Watch(h, 20*time.Minute)
	}
	r.chart = New(r.Desk)
	r.Show(r.chart)
	r.Clock.Advance(0)
	return r
}

// ask does what the root does when a screen asks for something else.
func (r *rig) ask() {
	if r.AskAgain() {
		r.Clock.Advance(0)
		r.Take()
	}
}

// add charts what paths mean on a host.
func (r *rig) add(h *pane.Host, paths ...string) {
	r.Helper()
	for _, p := range paths {
		if err := r.chart.Add(h, p); err != nil {
			r.Fatal(err)
		}
		r.ask()
		r.ask()
	}
}

func (r *rig) pass(d time.Duration) {
	for ; d > 0; d -= time.Second {
		r.Clock.Advance(min(d, time.Second))
		r.Take()
		r.ask()
	}
}

// press types keys and does what they send.
func (r *rig) press(names ...string) {
	r.Helper()
	for _, n := range names {
		r.Press(n)
		r.ask()
		r.Draw()
	}
}

// draw draws the screen and returns it as text.
func (r *rig) draw() string {
	r.Draw()
	return r.Text()
}

// size takes effect with the next drawing.
func (r *rig) size(w, h int) { r.Canvas.Resize(w, h) }

// hit is what lies in a cell.
func (r *rig) hit(x, y int) pane.Hit {
	hit, _ := r.HitAt(x, y)
	return hit
}

func (r *rig) click(x, y int) {
	r.ClickAt(x, y)
	r.ask()
}

// drag drags from one place to another.
func (r *rig) drag(x0, x1, y int) {
	r.Helper()
	r.Drag(x0, x1, y)
	r.ask()
}

func (r *rig) shows(texts ...string) {
	r.Helper()
	r.Draw()
	r.Shows(texts...)
}

func (r *rig) hides(texts ...string) {
	r.Helper()
	r.Draw()
	r.Hides(texts...)
}

// row is the first line that holds a text.
func (r *rig) row(text string) string {
	r.Draw()
	return r.Row(text)
}

// named is the series of a letter.
func (r *rig) named(letter rune) *series {
	r.Helper()
	for _, s := range r.chart.series {
		if s.letter() == letter {
			return s
		}
	}
	r.Fatalf("no series %c", letter)
	return nil
}
