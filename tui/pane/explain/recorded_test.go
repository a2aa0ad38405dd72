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

// Of a recording that keeps values alone nothing is worked out, and nothing is
// said to be gone that is there.
func TestRecordedValue(t *testing.T) {
	set := &session.Counterset{Name: "Memory", Protocol: "recording a.csv", Counters: []session.Counter{{Name: "Pages/sec", Type: cooker.CounterLargeRawCount, Description: "as it was recorded"}}}
	for _, gone := range []bool{false, true} {
		data := session.ViewData{Set: set, Counters: []int{0}, Time: start, Rows: []session.Row{{Gone: gone, Since: start}}, Values: []cooker.Value{cooker.FloatValue(12.5)}}
		if !gone {
			data.Live = 1
		}
		snap := session.NewSnapshot("sql01", start, session.HostState{}, session.Timeline{}, []*session.SetView{new(session.Builder).View(&data)})
		host := &pane.Host{Name: "sql01", Sampler: recorded{}, Snap: snap}
		s := New(&pane.Desk{Hosts: []*pane.Host{host}, Now: func() time.Time { return start }}, pane.Target{Host: host, Set: set})
		var text strings.Builder
		for _, l := range s.explain(start, 80) {
			for _, p := range l.parts {
				text.WriteString(p.text + "\n")
			}
		}
		got := text.String()
		if strings.Contains(got, "gone since") != gone || strings.Contains(got, "12.5") == gone || strings.Contains(got, "keeps values") == gone || !strings.Contains(got, "recording a.csv") {
			t.Errorf("gone %v:\n%s", gone, got)
		}
	}
}
