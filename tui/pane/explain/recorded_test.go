package explain

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

// recorded is a sampler that tells nothing but that all is well.
type recorded struct{ pane.Sampler }

func (recorded) Catalogue() *session.Catalogue { return nil }

func (recorded) State() session.HostState { return session.HostState{Phase: session.Live} }

// reeled is what a recording shows of a counter with a value, or of one that had it.
func reeled(set *session.Counterset, gone bool) *session.Snapshot {
	var r session.Reel
	r.Ask([]session.Ask{{Set: set, Counters: []int{0}, Keep: []session.Keep{{Counters: []int{0}, Recent: true, Match: func(*session.Instance) bool { return true }}}}}, nil)
	r.Begin(0, 2)
	b := session.Batch{Time: start, Sets: []session.SetBatch{{
		Set: set, Counters: []int{0}, Instances: make([]session.Instance, 1), Values: []cooker.Value{cooker.FloatValue(12.5)}, Readings: []cooker.Reading{{State: cooker.Pending}},
	}}}
	r.Add(&b, session.Rate{})
	if gone {
		b.Sets[0].Instances, b.Sets[0].Values, b.Sets[0].Readings = nil, nil, nil
		r.Add(&b, session.Rate{})
	}
	return r.Snapshot("sql01", start, session.HostState{})
}

// Of a recording that keeps values alone nothing is worked out, and nothing is
// said to be gone that is there.
func TestRecordedValue(t *testing.T) {
	set := &session.Counterset{Name: "Memory", Protocol: "recording a.csv", Counters: []session.Counter{{Name: "Pages/sec", Type: cooker.CounterLargeRawCount, Description: "as it was recorded"}}}
	for _, gone := range []bool{false, true} {
		snap := reeled(set, gone)
		host := &pane.Host{Name: "sql01", Sampler: recorded{}, Snap: snap}
		s := New(&pane.Desk{Hosts: []*pane.Host{host}, Now: func() time.Time { return start }}, pane.Target{Host: host, Set: set})
		var text strings.Builder
		for _, l := range s.explain(start, 80) {
			for _, p := range l.parts {
				text.WriteString(p.text + "\n")
			}
		}
		got := text.String()
		if strings.Contains(got, "gone since") != gone || !strings.Contains(got, "12.5") || strings.Contains(got, "keeps values") == gone || !strings.Contains(got, "recording a.csv") {
			t.Errorf("gone %v:\n%s", gone, got)
		}
	}
}
