package browser

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// rig is the browser of scripted hosts. Keys go where the root would send them;
// what they send is kept.
type rig struct {
	*panetest.Rig

	b *Browser
}

// onBrowser runs a test on a rig in a bubble, which fails the test if a
// goroutine is left behind.
func onBrowser(t *testing.T, hosts func(*clocktest.Clock) []fake.Host, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, hosts, synctest.Wait)
		r.pass(3)
		test(r)
	})
}

func newRig(t testing.TB, hosts func(*clocktest.Clock) []fake.Host, settle func()) *rig {
	r := &rig{Rig: panetest.New(t, panetest.Options{Settle: settle})}
	for _, h := range hosts(r.Clock) {
		r.Watch(h, 2*time.Minute)
	}
	r.b = New(r.Desk)
	r.Show(r.b)
	r.b.Opened()
	return r
}

// pass lets seconds pass and delivers the snapshots.
func (r *rig) pass(seconds int) {
	for range seconds {
		r.ask()
		r.Clock.Advance(time.Second)
		r.Take()
	}
	r.Draw()
}

// ask tells the hosts what the browser wants to see.
func (r *rig) ask() {
	for _, h := range r.Desk.Hosts {
		asks := r.b.Asks(h)
		if cat := h.Sampler.Catalogue(); cat != nil && len(cat.Sets) > 0 { // as the deck does
			asks = append(asks, session.Ask{Set: cat.Sets[len(cat.Sets)-1], Counters: []int{0}})
		}
		h.Feed.Ask(asks)
	}
}

// settle delivers what hosts have for new questions.
func (r *rig) settle() {
	r.Draw()
	r.ask()
	r.Clock.Advance(0)
	r.Take()
	r.Draw()
}

// press presses keys; those that mean nothing here are the root's.
func (r *rig) press(names ...string) {
	r.Helper()
	for _, name := range names {
		r.Key(panetest.KeyPress(name))
	}
	r.settle()
}

func (r *rig) write(text string) {
	r.Write(text)
	r.settle()
}

func (r *rig) click(text string) {
	r.Helper()
	r.Click(text)
	r.settle()
}

func (r *rig) clickAt(x, y int) {
	r.ClickAt(x, y)
	r.settle()
}

// take is what was sent since the last call.
func (r *rig) take() []pane.Intent {
	sent := r.Sent
	r.Sent = nil
	return sent
}

// column is the lines of a column of the last drawing.
func (r *rig) column(c column) string {
	all, _ := r.Canvas.Size()
	first, widths := r.b.widths(all)
	x := 0
	for i, w := range widths {
		if first+column(i) == c {
			return strings.TrimRight(r.Part(layout.Rect{X: x, Y: 1, W: w, H: r.b.split.lists}), "\n")
		}
		x += w + columnGap
	}
	return ""
}
