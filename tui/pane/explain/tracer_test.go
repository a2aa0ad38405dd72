package explain

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

// engineOf is a tracer with one thing to say.
type engineOf struct {
	told  session.Trace
	err   error
	asked int
}

func (e *engineOf) Trace(context.Context, session.Valued) (session.Trace, error) {
	e.asked++
	return e.told, e.err
}

// Of a value out of an engine the series there are named, with their own samples, and what the
// engine makes of them stands beside what is made here.
func TestTracer(t *testing.T) {
	at := start.Add(-10 * time.Second)
	engine := &engineOf{told: session.Trace{
		Series: []session.TracedSeries{{Name: `node_load1{instance="lin07:9100"}`, At: []time.Time{at.Add(-time.Minute), at}, Values: []float64{5, 12.5}}},
		Recipe: "rate(node_load1[60s])", Exact: "irate(node_load1[60s])", Result: 12.5, Has: true, At: at,
	}}
	set := &session.Counterset{Name: "System", Protocol: "Prometheus", From: "db:9090", Counters: []session.Counter{{Name: "Load", Type: cooker.CounterLargeRawCount}}}
	snap := reeled(set, false)
	host := &pane.Host{Name: "lin07", Sampler: recorded{}, Snap: snap, Tracer: engine}
	desk := &pane.Desk{Hosts: []*pane.Host{host}, Now: func() time.Time { return start }}
	s := New(desk, pane.Target{Host: host, Set: set})
	text := func() string {
		var b strings.Builder
		for _, l := range s.explain(start, 200) {
			b.WriteString(l.label + ":")
			for _, p := range l.parts {
				b.WriteString(" " + p.text)
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	ask := func(now time.Time) {
		s.askTracer(now)
		desk.Drain(func(i pane.Intent) {
			if w, ok := i.(pane.Wait); ok {
				w.Work()(true)
			}
		})
	}
	ask(start)
	ask(start.Add(time.Second)) // not at each frame
	if engine.asked != 1 {
		t.Errorf("asked %d times", engine.asked)
	}
	got := text()
	for _, part := range []string{`node_load1{instance="lin07:9100"}`, at.Local().Format(clockFormat) + " 12.5 +7.5 in 1m", "promql: irate(", "12.5 there", "the same", "rate() and increase() even out"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q:\n%s", part, got)
		}
	}
	engine.told.Result = 13
	ask(start.Add(tracerEvery))
	if got := text(); !strings.Contains(got, "0.5 apart") {
		t.Errorf("%s", got)
	}
	engine.err = errors.New("the engine is away")
	ask(start.Add(2 * tracerEvery))
	if got := text(); !strings.Contains(got, "the engine is away") {
		t.Errorf("%s", got)
	}
}
