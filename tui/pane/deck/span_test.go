package deck

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// Spans are those that change a graph, up to what is kept.
func TestSpans(t *testing.T) {
	minutes := func(n ...int) (out []time.Duration) {
		for _, m := range n {
			out = append(out, time.Duration(m)*time.Minute)
		}
		return out
	}
	for _, c := range []struct {
		reach, kept time.Duration
		want        []time.Duration
	}{
		{98 * time.Second, 10 * time.Minute, minutes(0, 5, 10)},
		{98 * time.Second, 7 * time.Minute, minutes(0, 5, 10)},
		{98 * time.Second, time.Minute, minutes(0)},
		{7 * time.Minute, 10 * time.Minute, minutes(0, 10)},
		{30 * time.Hour, 24 * time.Hour, minutes(0)},
		{98 * time.Second, 0, append(minutes(0), longSpans...)},
	} {
		if got := pane.SpansFrom(longSpans, c.reach, c.kept); !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v, want %v", c.reach, c.kept, got, c.want)
		}
	}
}

// stepped is a value that is high for a minute at a time, from a moment on.
func stepped(from time.Duration) fake.Motion {
	return func(at time.Duration, _ uint64) float64 {
		if at >= from && at < from+time.Minute {
			return 90
		}
		return 10
	}
}

// tall counts the columns of cells of the first graph in its upper half that hold dots.
func (r *rig) tall(y int) (n int) {
	for _, c := range []rune(r.Canvas.Rows()[y]) {
		if c > 0x2800 && c < 0x2900 {
			n++
		}
	}
	return n
}

// A longer span shows what is no more in the usual one, with its true length; keys and
// clicks change it, on the deck of one host and of several, and in the past.
func TestSpanOfDecks(t *testing.T) {
	m := quiet("one")
	m.cpu = stepped(30 * time.Second)
	m.isLinux = true
	for _, hosts := range []int{1, 2} {
		scripts := []fake.Script{m.script()}
		if hosts == 2 {
			scripts = append(scripts, quiet("two").script())
		}
		onDeck(t, 120, 34, nil, func(r *rig) {
			for _, s := range scripts {
				h, _ := r.Watch(fake.Host{Name: s.Name, Source: fake.New(s, r.Clock)}, 10*time.Minute)
				h.History = 10 * time.Minute
			}
			r.book.HostsChanged()
			r.Clock.Advance(0)
			for _, h := range r.Desk.Hosts {
				r.book.Load(h, nil)
			}
			r.pass(320)
			usual := "56 s"
			if hosts == 1 {
				usual = "84 s"
			}
			r.Shows(usual)
			row := 2 // within the upper half of the first graph
			if n := r.tall(row); n > 30 {
				t.Fatalf("%d hosts: the peak is there already:\n%s", hosts, r.Text())
			}
			before := r.tall(row)
			r.Run(func() { r.book.ShiftSpan(1) })
			r.Draw()
			if r.Desk.DeckSpan != 5*time.Minute || r.tall(row) <= before {
				t.Errorf("%d hosts: %v shows no peak:\n%s", hosts, r.Desk.DeckSpan, r.Text())
			}
			r.Hides(usual)
			r.Run(func() { r.book.ShiftSpan(1) })
			r.Draw()
			r.Shows(" of 10 min") // more than there is
			r.Run(func() { r.book.ShiftSpan(1) })
			if s, ok := r.Last().(pane.Say); !ok || !strings.Contains(s.Text, "--history") || r.Desk.DeckSpan != 10*time.Minute {
				t.Errorf("beyond what is kept: %v, %+v", r.Desk.DeckSpan, r.Last())
			}
			r.clickOn(" of 10 min", 1)
			r.Draw()
			r.Shows(usual)
			r.Run(func() { r.book.ShiftSpan(-1) })
			if s, ok := r.Last().(pane.Say); !ok || !strings.Contains(s.Text, "shorter") || r.Desk.DeckSpan != 0 {
				t.Errorf("below all: %v, %+v", r.Desk.DeckSpan, r.Last())
			}
			r.clickOn(usual, 0)
			r.Draw()
			shown := r.tall(row)
			r.Desk.At = r.Desk.Now().Add(-4 * time.Minute) // while it was high
			r.Draw()
			if n := r.tall(row); n == 0 || n == shown {
				t.Errorf("%d hosts: the past shows %d tall cells, now has %d:\n%s", hosts, n, shown, r.Text())
			}
			if r.Desk.Reach() < 5*time.Minute {
				t.Errorf("the screens want %v", r.Desk.Reach())
			}
		})
	}
}

// While there is less than what was asked for, both are told: a click on the span shows.
func TestSpanIsToldBeforeItIsFull(t *testing.T) {
	onDeck(t, 120, 34, nil, func(r *rig) {
		h, _ := r.Watch(fake.Host{Name: "one", Source: fake.New(quiet("one").script(), r.Clock)}, 10*time.Minute)
		h.History = 10 * time.Minute
		r.book.HostsChanged()
		r.Clock.Advance(0)
		r.book.Load(h, nil)
		r.pass(12)
		r.Shows("since 12 s")
		r.Hides("12 s of")
		r.clickOn("since 12 s", 0)
		r.Draw()
		r.Shows("12 s of 5 min")
		r.Run(func() { r.book.ShiftSpan(1) })
		r.Draw()
		r.Shows("12 s of 10 min")
		r.clickOn("12 s of 10 min", 0) // around the end
		r.Draw()
		r.Shows("since 12 s")
	})
}
