package alert

import (
	"fmt"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Instances that come and go, and hosts, take their trails with them: the values
// around an alert of the next one are kept.
func TestTrailsEnd(t *testing.T) {
	const every, instances = time.Second, 2000
	set := &session.Counterset{Name: "Process", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "Threads", Type: cooker.CounterRawCount}}}
	cat := &session.Catalogue{Host: "db", Sets: []*session.Counterset{set}}
	r := mustRule(t, `\Process(*)\Threads>90`)
	r.Name, r.Interval, r.Need, r.Of = "threads", every, 1, 1
	e := NewEngine([]Rule{r}, 0, time.UTC, nil)
	trace := newTrace()
	trace.around = map[uint64]*Past{}
	e.own.trace = trace
	now := session.Instant{Wall: time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)}
	observe := func(value float64, names ...string) {
		now.Wall, now.Mono = now.Wall.Add(every), now.Mono+every
		v := &session.SetView{Set: set, Time: now.Wall, Counters: []int{0}}
		for _, name := range names {
			v.Rows = append(v.Rows, session.Row{Instance: session.Instance{Key: session.InstanceKey{Name: name}}})
			v.Values = append(v.Values, cooker.FloatValue(value))
		}
		e.Observe("db", every, &session.Snapshot{Host: "db", Sets: []*session.SetView{v}}, now)
	}
	// Those that fire have a trail for that, too.
	round := func(n int) {
		names := make([]string, instances)
		for i := range names {
			names[i] = fmt.Sprint(n, " ", i)
		}
		observe(float64(10*n), names...)
	}
	e.Bind("db", cat, now)
	for n := range mostTrails/instances + 1 {
		round(n)
	}
	e.Unbind("db", now)
	if trace.trails != 0 {
		t.Errorf("%d trails of a host that is forgotten", trace.trails)
	}
	e.Bind("db", cat, now)
	for n := range mostTrails/instances + 1 {
		round(n)
	}
	e.Take()
	for _, value := range []float64{1, 2, 3, 95} {
		observe(value, "next")
	}
	events := e.Take()
	last := events[len(events)-1]
	if last.Kind != Fired || last.ID.Name != "next" {
		t.Fatalf("%+v", last)
	}
	if p := trace.around[last.Seq]; p == nil || len(p.Values) != 4 {
		t.Errorf("around its alert: %+v", p)
	}
	if trace.trails != 1 {
		t.Errorf("%d trails of one series", trace.trails)
	}
}
