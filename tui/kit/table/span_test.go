package table

import (
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Where samples are far apart the head of the histories tells how far back they go.
func TestSpanOfHistories(t *testing.T) {
	set := &session.Counterset{Name: "Thread", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "x/sec", Type: cooker.CounterBulkCount}}}
	for every, want := range map[time.Duration]string{0: "last 60 s", time.Second: "last 60 s", time.Minute: "last 20:00"} {
		table := New(set, nil)
		table.Arrange(Frame{View: &session.SetView{Set: set}, Every: every}, Arranging{})
		table.Fit(0, 80, 80)
		if c := table.Columns[2]; c.Kind != Spark || c.Head != want {
			t.Errorf("samples every %v: %q, want %q", every, c.Head, want)
		}
	}
}
