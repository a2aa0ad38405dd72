package alerts

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// recording is what a watch told, as that of a recording at a moment.
type recording struct {
	*alert.Watch

	at     time.Time
	judged bool
	asked  []uint64
}

func (r *recording) WhyFixed() string            { return "this is past" }
func (r *recording) IsJudged() bool              { return r.judged }
func (r *recording) EventOf(*alert.Alert) uint64 { return 1 }
func (r *recording) Seek(at time.Time)           { r.at = at }

func (r *recording) Around(event uint64) (alert.Past, bool) {
	r.asked = append(r.asked, event)
	nanos := []int64{r.at.Add(-40 * time.Second).UnixNano(), r.at.UnixNano(), r.at.Add(40 * time.Second).UnixNano()}
	return alert.Past{Timeline: session.Timeline{Nanos: nanos}, Series: session.Series{Values: []float32{1, 2, 3}}}, true
}

// In a recording nothing can be changed; the selected event is the one at which it
// has arrived, and n N go from alert to alert.
func TestRecorded(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(120)
		rec := &recording{Watch: r.watch, at: start.Add(-second)}
		r.Desk.Alerts, r.Desk.Now = rec, func() time.Time { return rec.at }
		r.screen.dirty = true
		r.Resize(120, 40)
		r.Shows("whole recording, 10 events", "the recording is being judged")
		rec.judged = true
		r.Draw()
		r.Hides("being judged")
		fixed := 0
		for _, b := range r.screen.Bindings() {
			for _, key := range []string{"A", "M", "e", "a", "O", "d"} {
				if b.Keys.Has(key) {
					if fixed++; b.Why == nil || b.Why() != rec.WhyFixed() {
						t.Errorf("%s can be pressed", key)
					}
				}
			}
		}
		if fixed != 6 {
			t.Errorf("%d keys", fixed)
		}
		var fired []time.Time
		for _, ev := range r.watch.Board().History {
			if ev.Kind == alert.Fired && !slices.Contains(fired, ev.Time) {
				fired = append(fired, ev.Time)
			}
		}
		for i, at := range fired {
			r.Press("n")
			if !rec.at.Equal(at) {
				t.Fatalf("n went to %v, not to %v, the %d. of %v", rec.at, at, i+1, fired)
			}
			r.Draw()
			line := r.screen.history.Line()
			row := r.screen.history.Rows[line]
			if row.before(at) == nil || row.event.Kind != alert.Fired {
				t.Errorf("at %v the row of %v is selected", at, row.event.Time)
			}
		}
		r.Press("n")
		if !strings.Contains(r.Said(), "no other alert") {
			t.Errorf("behind the last it says %q", r.Said())
		}
		for _, at := range slices.Backward(fired[:len(fired)-1]) {
			if r.Press("N"); !rec.at.Equal(at) {
				t.Fatalf("N went to %v, not to %v", rec.at, at)
			}
		}
		rec.asked = nil
		r.Press("G")
		r.Press("k")
		r.Draw()
		if ev := r.screen.event(); len(rec.asked) == 0 || rec.asked[len(rec.asked)-1] != ev.Seq {
			t.Errorf("the values around %d are asked for: %v", ev.Seq, rec.asked)
		}
		at := r.screen.event().Time
		r.Press("enter")
		if !rec.at.Equal(at) {
			t.Errorf("enter goes to %v, not to %v", rec.at, at)
		}
	})
}

// The values around an event of live hosts are those that were judged, where the
// screens did not ask for them at that time.
func TestAroundLive(t *testing.T) {
	onAlerts(t, theHosts(), theRules(t), func(r *rig) {
		r.Pass(60)
		r.screen.focus = historyPart
		var ev *alert.Event
		for line := range r.screen.history.Rows {
			if ev = r.screen.history.Rows[line].event; ev.Kind == alert.Fired && ev.ID.Set != "" {
				r.screen.history.Select(line)
				break
			}
		}
		p, ok := r.watch.Around(ev.Seq)
		if !ok || len(p.Nanos) < 2 || len(p.Nanos) > len(p.Values) || !reaches(&p, ev.Time) {
			t.Fatalf("%v: %+v, %v", ev.Text(), p, ok)
		}
		for _, h := range r.Desk.Hosts {
			h.Snap = nil // nothing is kept for the screens
		}
		d, ok := r.screen.detailOf(r.Desk.Now(), r.Canvas.Glyphs().Glyphs())
		if !ok || !d.around || !slices.Equal(d.past.Nanos, p.Nanos) {
			t.Errorf("%+v", d)
		}
	})
}

// A limit is written in a unit of its own, as in the rules.
func TestLimitFarFromItsValue(t *testing.T) {
	set := &session.Counterset{Name: "Memory", Counters: []session.Counter{{
		Name: "Available MBytes", Type: cooker.CounterLargeRawCount, Quantity: cooker.Quantity{Kind: cooker.Bytes, Exponent: 2},
	}}}
	onAlerts(t, theHosts(), nil, func(r *rig) {
		for limit, want := range map[float64]string{1: "> 1 MB", 20000: "> 20000 MB"} {
			rule := &alert.Rule{When: paths.Alert{Op: paths.Above, Limit: limit}}
			a := &alert.Alert{ID: alert.ID{Rule: "r", Host: "h"}, Rule: rule, Set: set, Value: cooker.WholeValue(22282), State: alert.Firing}
			if got := r.screen.read(a, r.Desk.Now()).limit; got != want {
				t.Errorf("%q, want %q", got, want)
			}
			r.screen.units = pane.NewUnits(r.Desk.Numbers)
		}
	})
}

// Without an interval of its own a rule is tried at that of the rules.
func TestTriedInterval(t *testing.T) {
	onAlerts(t, theHosts(), nil, func(r *rig) {
		r.Desk.Alerts = alert.NewWatch(alert.Options{Clock: r.Clock, Every: 2 * second})
		if every := everyOf(r.Desk); every != 2*second {
			t.Errorf("tried every %v", every)
		}
		r.record(60)
		rule, _ := alert.ParseRule(`\Memory\*>0.5`)
		t, err := try(r.Desk, &rule, everyOf(r.Desk))
		for id, p := range t.values {
			if n := len(p.Nanos); n < 20 || n > 30 {
				r.Errorf("%v was tried on %d values", id, n)
			}
		}
		if err != nil || len(t.values) == 0 {
			r.Errorf("tried on %d values, %v", len(t.values), err)
		}
	})
}
