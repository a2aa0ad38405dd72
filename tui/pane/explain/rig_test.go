package explain

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

var start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// rig is the screen on a value of a scripted host.
type rig struct {
	testing.TB
	clock  *fake.Clock
	desk   *pane.Desk
	screen *Screen
	canvas *canvas.Canvas
	hits   pane.Hits
	sent   []tea.Msg
}

// explained runs a test on the explanation of a path of a host, after n samples.
func explained(t *testing.T, source func(session.Clock) session.Source, path string, w, h, n int, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(start, synctest.Wait)
		r := &rig{TB: t, clock: clock, canvas: canvas.New(w, h, canvas.Full)}
		s := session.NewSampler("sql01", source(clock), clock)
		host := &pane.Host{Name: "sql01", Sampler: s, Feed: s.Feed(session.FeedOptions{Every: time.Second, History: 2 * time.Minute})}
		r.desk = &pane.Desk{Hosts: []*pane.Host{host}, Now: func() time.Time { return clock.Now().Wall }}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() { defer close(ended); s.Run(ctx) }()
		clock.Advance(0)
		target := pane.Target{Host: host}
		if cat := s.Catalogue(); cat != nil {
			selections, err := cat.Resolve(path, paths.Options{})
			if err != nil {
				t.Fatal(err)
			}
			sel := selections[0]
			target.Set, target.Counter = sel.Set, sel.Counters[0]
			host.Feed.Ask([]session.Ask{{Set: sel.Set, Counters: sel.Counters[:1],
				Keep: []session.Keep{{Counters: sel.Counters[:1], Match: sel.Matches}}}})
			r.pass(max(n, 1))
			if view := host.Snap.Set(sel.Set); view != nil {
				for i := range view.Rows {
					if sel.Matches(&view.Rows[i].Instance) {
						target.Key = view.Rows[i].Key
						break
					}
				}
			}
		}
		r.screen = New(r.desk, target)
		r.draw()
		test(r)
		cancel()
		<-ended
	})
}

// pass lets n seconds pass, one by one.
func (r *rig) pass(n int) {
	for range n {
		r.clock.Advance(time.Second)
		for _, h := range r.desk.Hosts {
			if snap := h.Feed.Take(); snap != nil {
				h.Snap.Release()
				h.Snap = snap
			}
		}
		if r.screen != nil {
			r.draw()
		}
	}
}

func (r *rig) draw() {
	r.hits.Reset()
	r.canvas.Clear(0)
	r.screen.Draw(pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits})
}

func (r *rig) press(names ...string) {
	r.Helper()
	for _, k := range names {
		b := keys.Match(k, r.screen.Bindings())
		if b == nil {
			r.Fatalf("%s means nothing", k)
		}
		if cmd := b.Do(); cmd != nil {
			r.sent = append(r.sent, cmd())
		}
		r.draw()
	}
}

func (r *rig) shows(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if !strings.Contains(r.canvas.String(), text) {
			r.Errorf("%q is not shown:\n%s", text, r.canvas)
		}
	}
}

func (r *rig) hides(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if strings.Contains(r.canvas.String(), text) {
			r.Errorf("%q is shown:\n%s", text, r.canvas)
		}
	}
}

// sound checks what holds at every size: nothing is drawn outside, and nothing
// that steers a terminal.
func (r *rig) sound(w, h int, glyphs canvas.GlyphSet) {
	r.Helper()
	const mark = '\u2591'
	r.canvas.SetGlyphs(canvas.Full)
	r.canvas.Resize(w+4, h+4)
	r.canvas.Root().Fill(0, 0, w+4, h+4, mark, 0)
	r.canvas.SetGlyphs(glyphs)
	f := pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits}.At(layout.Rect{X: 2, Y: 2, W: w, H: h})
	f.Clear(0)
	r.screen.Draw(f)
	for y := range h + 4 {
		for x := range w + 4 {
			c := r.canvas.At(x, y)
			inside := x >= 2 && x < w+2 && y >= 2 && y < h+2
			switch {
			case !inside && c.Rune != mark:
				r.Fatalf("%dx%d: %q is drawn outside, at %d,%d:\n%s", w, h, c.Rune, x-2, y-2, r.canvas)
			case inside && (c.Rune != 0 && c.Rune < ' ' || c.Rune >= 0x7f && c.Rune < 0xa0 || c.Rune == mark || glyphs == canvas.ASCII && c.Rune > 0x7e):
				r.Fatalf("%dx%d: %q is drawn at %d,%d:\n%s", w, h, c.Rune, x-2, y-2, r.canvas)
			}
		}
	}
}

// demo is the first host of the demo.
func demo(c session.Clock) session.Source { return fake.Demo(c)[0].Source }
