package replay

import (
	"context"
	"errors"
	"testing"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
)

// Walk gives every sample once, in order. Alert rules can be judged by it.
func TestWalk(t *testing.T) {
	h, rows := night(200, utc(), "sql01")
	p, err := Open([]string{write(t, "night.db", h, rows)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.closeTapes()
	asks := func(h *Host) []session.Ask {
		return []session.Ask{{Set: h.Catalogue().Set("Memory"), Counters: []int{0, 1}}}
	}
	var times []time.Time
	err = p.Walk(context.Background(), time.Time{}, asks, func(_ *Host, s *session.Snapshot) error {
		want := &rows[len(times)]
		times = append(times, s.Time)
		for col := range s.Sets[0].Counters {
			if got := s.Sets[0].Value(0, col); !s.Time.Equal(want.Time) || !same(got, want.Values[col]) {
				t.Errorf("%v: %v, want %v", s.Time, got, want.Values[col])
			}
		}
		return nil
	})
	if err != nil || len(times) != len(rows) {
		t.Fatalf("%d of %d samples, %v", len(times), len(rows), err)
	}
	stop := errors.New("stop")
	if err := p.Walk(context.Background(), time.Time{}, asks, func(*Host, *session.Snapshot) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("stopped with %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Walk(ctx, time.Time{}, asks, func(*Host, *session.Snapshot) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled with %v", err)
	}
}

// A rule judged by a walk fires where the file crosses its limit.
func TestAlertsOverARecording(t *testing.T) {
	h, rows := sheet(time.Second, []string{`\\a\M\load`}, "1", "1", "9", "9", "1", "1", "9")
	p, err := Open([]string{write(t, "load.csv", h, rows)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.closeTapes()
	when, err := paths.ParseAlert(`\M\load>5`)
	if err != nil {
		t.Fatal(err)
	}
	engine := alert.NewEngine([]alert.Rule{{Name: "load", When: when, Severity: alert.Warning, Interval: time.Second}}, time.Second, time.UTC, nil)
	instant := func(at time.Time) session.Instant { return session.Instant{Wall: at, Mono: at.Sub(start)} }
	var fired []time.Time
	err = p.Walk(context.Background(), time.Time{},
		func(h *Host) []session.Ask { return engine.Bind(h.Name(), h.Catalogue(), instant(start))[time.Second] },
		func(h *Host, s *session.Snapshot) error {
			engine.Observe(h.Name(), time.Second, s, instant(s.Time))
			for _, e := range engine.Take() {
				if e.Kind == alert.Fired {
					fired = append(fired, e.Time)
				}
			}
			return nil
		})
	if err != nil || len(fired) != 2 || !fired[0].Equal(rows[2].Time) || !fired[1].Equal(rows[6].Time) {
		t.Errorf("fired %v, %v", fired, err)
	}
}

// The samples of several files come in order of time.
func TestWalkOverSeveralFiles(t *testing.T) {
	h, rows := night(50, utc(), "sql01")
	other, otherRows := night(50, utc(), "web01")
	for i := range otherRows {
		otherRows[i].Time = otherRows[i].Time.Add(7 * time.Second)
	}
	p, err := Open([]string{write(t, "a.csv", h, rows), write(t, "b.csv", other, otherRows)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.closeTapes()
	seen := map[string]int{}
	var before time.Time
	err = p.Walk(context.Background(), time.Time{}, func(*Host) []session.Ask { return nil }, func(h *Host, s *session.Snapshot) error {
		if s.Time.Before(before) {
			t.Errorf("%s: %v comes after %v", h.Name(), s.Time, before)
		}
		before = s.Time
		seen[s.Host]++
		return nil
	})
	if err != nil || seen["sql01"] != 50 || seen["web01"] != 50 {
		t.Errorf("%v, %v", seen, err)
	}
}
