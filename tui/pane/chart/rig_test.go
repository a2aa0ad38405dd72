package chart

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

var start = time.Date(2026, 3, 2, 14, 2, 32, 0, time.UTC)

// rig is the chart of scripted hosts on a clock that the test moves. It does
// for the chart what the root does: snapshots, keys, messages.
type rig struct {
	testing.TB
	clock    *fake.Clock
	desk     *pane.Desk
	feeds    map[*pane.Host]*session.Feed
	chart    *Chart
	canvas   *canvas.Canvas
	hits     pane.Hits
	sent     []tea.Msg
	undo     []func() tea.Cmd
	w, h     int
	sampling time.Duration
}

// onChart runs a test on a rig in a bubble.
func onChart(t *testing.T, scripts []fake.Script, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, end := newRig(t, scripts, synctest.Wait)
		defer end()
		test(r)
	})
}

func newRig(t testing.TB, scripts []fake.Script, settle func()) (r *rig, end func()) {
	clock := fake.NewClock(start, settle)
	r = &rig{TB: t, clock: clock, feeds: map[*pane.Host]*session.Feed{}, w: 120, h: 34}
	r.desk = &pane.Desk{Now: func() time.Time { return clock.Now().Wall }, Span: 5 * time.Minute}
	ctx, cancel := context.WithCancel(context.Background())
	var ended []chan struct{}
	for _, script := range scripts {
		s := session.NewSampler(script.Name, fake.New(script, clock), clock)
		feed := s.Feed(session.FeedOptions{Every: time.Second, History: 20 * time.Minute})
		h := &pane.Host{Name: script.Name, Sampler: s, Feed: feed}
		r.desk.Hosts = append(r.desk.Hosts, h)
		r.feeds[h] = feed
		done := make(chan struct{})
		ended = append(ended, done)
		go func() { defer close(done); s.Run(ctx) }()
	}
	r.chart = New(r.desk)
	r.canvas = canvas.New(r.w, r.h, canvas.Full)
	clock.Advance(0)
	return r, func() {
		cancel()
		for _, d := range ended {
			<-d
		}
	}
}

// value is the target of a path such as `\Set(instance)\Counter`.
func (r *rig) value(h *pane.Host, set, instance, counter string) pane.Target {
	r.Helper()
	cat := h.Sampler.Catalogue()
	s := cat.Set(set)
	i, ok := s.Counter(counter)
	if !ok {
		r.Fatalf("no counter %s in %s", counter, set)
	}
	t := pane.Target{Host: h, Set: s, Counter: i}
	if view := h.Snap.Set(s); view != nil {
		for k := range view.Rows {
			if view.Rows[k].Key.Name == instance {
				t.Key = view.Rows[k].Key
			}
		}
	}
	return t
}

// ask does what the root does when a screen asks for something else.
func (r *rig) ask() {
	if r.chart.AskStale() {
		for h, f := range r.feeds {
			f.Ask(r.chart.Asks(h))
		}
		r.clock.Advance(0)
		r.deliver()
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

func (r *rig) deliver() {
	for _, h := range r.desk.Hosts {
		if snap := r.feeds[h].Take(); snap != nil {
			h.Snap.Release()
			h.Snap = snap
			r.chart.Snapshot(h)
		}
	}
}

func (r *rig) pass(d time.Duration) {
	for ; d > 0; d -= time.Second {
		r.clock.Advance(min(d, time.Second))
		r.deliver()
		r.ask()
	}
}

// press types keys and does what they send.
func (r *rig) press(names ...string) {
	r.Helper()
	for _, n := range names {
		b := keys.Match(n, r.chart.Bindings())
		if b == nil {
			r.Fatalf("no key %q", n)
		}
		if ok, why := b.Applies(); !ok {
			r.sent = append(r.sent, pane.Say{Text: why})
			continue
		}
		r.run(b.Do())
		r.draw()
	}
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	r.sent = append(r.sent, msg)
	switch m := msg.(type) {
	case tea.BatchMsg:
		for _, c := range m {
			r.run(c)
		}
	case pane.MoveTo:
		r.desk.At = m.At
	case pane.Did:
		r.undo = append(r.undo, m.Undo)
	}
	r.ask()
}

// draw draws the screen and returns it as text.
func (r *rig) draw() string {
	w, h := r.canvas.Size()
	if w != r.w || h != r.h {
		r.canvas.Resize(r.w, r.h)
	}
	r.hits.Reset()
	r.canvas.Clear(0)
	r.chart.Draw(pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits})
	return r.canvas.String()
}

func (r *rig) size(w, h int) { r.w, r.h = w, h }

// hit is what lies in a cell.
func (r *rig) hit(x, y int) pane.Hit {
	hit, _ := r.hits.Get(r.canvas.Hit(x, y))
	return hit
}

func (r *rig) click(x, y int) { r.run(r.chart.Click(r.hit(x, y), tea.MouseLeft)) }

// dragAcross drags from one place to another.
func (r *rig) dragAcross(x0, x1, y int) {
	from := r.hit(x0, y)
	r.run(r.chart.Click(from, tea.MouseLeft))
	r.run(r.chart.Drag(from, (x0+x1)/2, y, false))
	r.draw()
	r.run(r.chart.Drag(from, x1, y, true))
	r.draw()
}

func (r *rig) shows(texts ...string) {
	r.Helper()
	all := r.draw()
	for _, text := range texts {
		if !strings.Contains(all, text) {
			r.Errorf("%q is not shown:\n%s", text, all)
		}
	}
}

func (r *rig) hides(texts ...string) {
	r.Helper()
	all := r.draw()
	for _, text := range texts {
		if strings.Contains(all, text) {
			r.Errorf("%q is shown:\n%s", text, all)
		}
	}
}

// row is the first line that holds a text.
func (r *rig) row(text string) string {
	for row := range strings.SplitSeq(r.draw(), "\n") {
		if strings.Contains(row, text) {
			return row
		}
	}
	return ""
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

// draw2 draws the screen and makes no text of it.
func (r *rig) draw2() {
	r.hits.Reset()
	r.canvas.Clear(0)
	r.chart.Draw(pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits})
}
