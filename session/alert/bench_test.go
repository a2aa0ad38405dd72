package alert

import (
	"fmt"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// benchHost is a host of 100 countersets with 10 counters and 10 instances each,
// and snapshots of it.
type benchHost struct {
	cat  *session.Catalogue
	snap *session.Snapshot
	now  session.Instant
}

func newBenchHost() *benchHost {
	h := &benchHost{cat: &session.Catalogue{Host: "db"}, snap: &session.Snapshot{Host: "db"}}
	h.now = session.Instant{Wall: time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)}
	h.snap.State.Phase = session.Live
	for i := range 100 {
		set := &session.Counterset{Name: fmt.Sprint("Set ", i), Instances: session.MultipleInstances}
		view := &session.SetView{Set: set}
		for c := range 10 {
			set.Counters = append(set.Counters, session.Counter{Name: fmt.Sprint("Counter ", c), Type: cooker.CounterRawCount})
			view.Counters = append(view.Counters, c)
		}
		for r := range 10 {
			view.Rows = append(view.Rows, session.Row{Instance: session.Instance{Key: session.InstanceKey{Name: fmt.Sprint("Instance ", r), ID: uint64(r) + 1}}})
		}
		view.Values = make([]cooker.Value, 100)
		h.cat.Sets = append(h.cat.Sets, set)
		h.snap.Sets = append(h.snap.Sets, view)
	}
	return h
}

// next moves the snapshot on by a second. Each value is that of its number in the
// host, turned by n.
func (h *benchHost) next(n int) {
	h.now.Wall, h.now.Mono = h.now.Wall.Add(time.Second), h.now.Mono+time.Second
	for s, v := range h.snap.Sets {
		v.Time = h.now.Wall
		for i := range v.Values {
			v.Values[i] = cooker.FloatValue(float64((s*100 + i + n) % 10_000))
		}
	}
}

// BenchmarkRules judges 10,000 rules, each about one value, and looks at the
// time, as on every beat. In "calm" a hundredth of them is beyond the limit, in
// "storm" all are.
func BenchmarkRules(b *testing.B) {
	for name, limit := range map[string]float64{"calm": 9900, "storm": -1} {
		b.Run(name, func(b *testing.B) {
			h := newBenchHost()
			var rules []Rule
			for _, set := range h.cat.Sets {
				for c := range set.Counters {
					for _, row := range h.snap.Sets[0].Rows {
						p := paths.Of("", set.Name, "", row.Key.Name, 0, set.Counters[c].Name)
						rules = append(rules, Rule{Name: p.String(), Severity: Warning, Interval: time.Second, Need: 3, Of: 5,
							When: paths.Alert{Path: p, Op: paths.Above, Limit: limit}})
					}
				}
			}
			if len(rules) != 10_000 {
				b.Fatal(len(rules))
			}
			e := NewEngine(rules, 0, time.UTC, nil)
			e.Bind("db", h.cat, h.now)
			n := 0
			for range 10 { // all that fires fires
				h.next(n)
				e.Observe("db", time.Second, h.snap, h.now)
				n += 50
			}
			e.Take()
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				n += 50
				h.next(n)
				b.StartTimer()
				e.Observe("db", time.Second, h.snap, h.now)
				e.Tick(h.now, func(string) session.HostState { return h.snap.State })
				e.Take()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/beat")
		})
	}
}

// BenchmarkBoard makes the board of 10,000 rules of which a hundredth fires.
func BenchmarkBoard(b *testing.B) {
	h := newBenchHost()
	var rules []Rule
	for i := range 100 {
		r := Rule{Name: fmt.Sprint("rule ", i), Severity: Warning, Interval: time.Second}
		r.When, _ = paths.ParseAlert(fmt.Sprintf(`\Set %d(*)\Counter %d>9900`, i, i%10))
		rules = append(rules, r)
	}
	e := NewEngine(rules, 0, time.UTC, nil)
	e.Bind("db", h.cat, h.now)
	h.next(0)
	e.Observe("db", time.Second, h.snap, h.now)
	for b.Loop() {
		e.own.version++
		if e.Board() == nil {
			b.Fatal("no board")
		}
	}
}
