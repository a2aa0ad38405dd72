package tui

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// historian knows of each value a hill in each step, and none before its beginning.
type historian struct {
	since time.Time

	mu    sync.Mutex
	fail  error
	asked []bandsAsked
}

type bandsAsked struct {
	values   int
	from, to time.Time
	step     time.Duration
}

func (h *historian) Bands(_ context.Context, of []session.Valued, from, to time.Time, step time.Duration) ([][]session.Band, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, bandsAsked{len(of), from, to, step})
	if h.fail != nil {
		return nil, h.fail
	}
	out := make([][]session.Band, len(of))
	for i := range of {
		for end := from.Add(step); !end.After(to); end = end.Add(step) {
			if end.After(h.since) {
				out[i] = append(out[i], session.Band{Begin: end.Add(-step).UnixNano(), End: end.UnixNano(), Low: 10, Mean: 40, High: 70})
			}
		}
	}
	return out, nil
}

func (h *historian) calls() []bandsAsked {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]bandsAsked(nil), h.asked...)
}

// The chart shows what a historian knows of the time before the first sample: the cursor goes
// there, statistics count it by its time, and it is asked once for a span.
func TestChartBeforeTheFirstSample(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		h := &historian{since: start.Add(-24 * time.Hour)}
		r.root.desk.Hosts[0].Historian = h
		r.begin(3)
		if n := len(h.calls()); n != 0 {
			t.Errorf("asked %d times for what no screen shows", n)
		}
		r.press("1", "c")
		r.pass(2 * time.Second)
		calls := h.calls()
		if len(calls) != 1 || calls[0].values != 1 {
			t.Fatalf("asked %+v", calls)
		}
		first, _ := r.root.desk.Sampled()
		if a := calls[0]; a.to.After(first.Add(time.Second)) || first.Sub(a.from) < 4*time.Minute || a.step < time.Second || a.step > 5*time.Second {
			t.Errorf("asked from %v to %v each %v, the first sample is of %v", a.from, a.to, a.step, first)
		}
		legend := r.row("► A")
		if !strings.Contains(legend, " 70.0") || !strings.Contains(legend, " 39.") { // maximum and average
			t.Errorf("the legend is %q", legend)
		}
		r.pass(5 * time.Second)
		if n := len(h.calls()); n != 1 {
			t.Errorf("asked %d times for the same", n)
		}
		for range 30 {
			r.press("left")
		}
		if at := r.root.desk.At; !at.Before(first.Add(-time.Minute)) {
			t.Errorf("the cursor is at %v, the first sample at %v", at, first)
		}
		if legend = r.row("► A"); !strings.Contains(legend, " 40.0 ") {
			t.Errorf("under the cursor is %q", legend)
		}
		r.press(".", ")", ")")
		r.pass(2 * time.Second)
		if calls = h.calls(); len(calls) > 3 || calls[len(calls)-1].step <= 2*calls[0].step {
			t.Errorf("zoomed out it was asked %+v", calls)
		}
	})
}

// What a historian knows is shown before the host gives a sample of what is charted.
func TestChartWithoutASample(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		h := &historian{since: start.Add(-24 * time.Hour)}
		host := r.root.desk.Hosts[0]
		r.begin(3)
		host.Historian = h
		set := host.Sampler.Catalogue().Set("Memory")
		i, _ := set.Counter("Pool Paged Bytes")
		r.root.desk.Send(pane.OpenChart{Targets: []pane.Target{{Host: host, Set: set, Counter: i}}, Replace: true})
		r.press("k")
		r.arrive()
		if n := len(h.calls()); n != 1 {
			t.Errorf("asked %d times before there is a sample", n)
		}
		r.shows("40.0")
	})
}

// What no screen shows is asked for seldom of a host that knows its past, and of no other.
func TestHiddenIsAskedSeldom(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		h := r.root.desk.Hosts[0]
		r.begin(3)
		seldom := func() (n int) {
			for _, a := range r.root.asks(h) {
				if a.Seldom {
					n++
				}
			}
			return n
		}
		r.press("8")
		if n := seldom(); n != 0 {
			t.Errorf("%d asks of a host without a past are seldom", n)
		}
		h.Historian = &historian{}
		if n, all := seldom(), len(r.root.asks(h)); n != all || n == 0 {
			t.Errorf("%d of %d asks are seldom behind the log", n, all)
		}
		r.press("1")
		if n := seldom(); n != 0 {
			t.Errorf("%d asks of the deck that is shown are seldom", n)
		}
	})
}

// A historian that fails is told and asked again later, and one that knows nothing is no error.
func TestHistorianFails(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		h := &historian{fail: errors.New("no \x1b[31mengine")}
		r.root.desk.Hosts[0].Historian = h
		r.begin(3)
		r.press("1", "c")
		r.pass(3 * time.Second)
		r.shows("what was before: no ")
		if n := len(h.calls()); n != 1 {
			t.Errorf("asked %d times within 3 s", n)
		}
		h.mu.Lock()
		h.fail, h.since = nil, start.Add(time.Hour)
		h.mu.Unlock()
		r.clock.Advance(20 * time.Second)
		r.press("k")
		r.pass(2 * time.Second)
		if n := len(h.calls()); n != 2 {
			t.Errorf("asked %d times", n)
		}
		if strings.Contains(r.text(), "NaN") {
			t.Error(r.text())
		}
	})
}
