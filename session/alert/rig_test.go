package alert_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

var start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// rig is a watch over scripted hosts on a clock that the test moves.
type rig struct {
	*testing.T
	clock    *clocktest.Clock
	watch    *alert.Watch
	samplers map[string]*session.Sampler
	sources  map[string]*fake.Source
	memory   *alert.Memory // of what was kept
	events   []alert.Event
	notices  []alert.Notice
	stop     func() // ends the watch, as a program does that is restarted
}

// onHosts runs a test over scripted hosts. Rules are those of mustRule, a line
// each. The bubble fails the test if a goroutine is left behind.
func onHosts(t *testing.T, scripts []fake.Script, rules []alert.Rule, test func(r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, clock: clocktest.New(start, synctest.Wait), samplers: map[string]*session.Sampler{}, sources: map[string]*fake.Source{}, memory: alert.NewMemory()}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{}, len(scripts))
		for _, script := range scripts {
			source := fake.New(script, r.clock)
			s := session.NewSampler(script.Name, source, r.clock)
			r.samplers[script.Name], r.sources[script.Name] = s, source
			go func() {
				s.Run(ctx)
				done <- struct{}{}
			}()
		}
		r.begin(scripts, rules)
		test(r)
		r.stop()
		cancel()
		for range scripts {
			<-done
		}
	})
}

// begin starts a watch over the hosts, with what was kept so far.
func (r *rig) begin(scripts []fake.Script, rules []alert.Rule) {
	var memory alert.Memory
	memory = *r.memory
	r.watch = alert.NewWatch(alert.Options{
		Clock: r.clock, Zone: time.UTC, Rules: rules, Memory: &memory,
		Keep: func(events []alert.Event) error {
			for _, ev := range events {
				r.memory.Add(ev)
				r.events = append(r.events, ev)
			}
			return nil
		},
		Deliver: func(n alert.Notice) { r.notices = append(r.notices, n) },
		Report:  func(err error) { r.Error(err) },
	})
	for _, s := range scripts {
		r.watch.Add(s.Name, r.samplers[s.Name])
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	w := r.watch
	go func() {
		w.Run(ctx)
		close(done)
	}()
	r.stop = func() {
		cancel()
		<-done
		for _, s := range scripts {
			w.Drop(s.Name)
		}
	}
	r.clock.Advance(0)
}

// log is what happened so far, a line each: seconds since the start, kind, rule,
// instance or host.
func (r *rig) log() string {
	var b strings.Builder
	for _, ev := range r.events {
		where := ev.Instance
		if where == "" {
			where = ev.ID.Host
		}
		fmt.Fprintf(&b, "%d %s %s %s", int(ev.Time.Sub(start).Seconds()), ev.Kind, ev.ID.Rule, where)
		if ev.Held != "" {
			b.WriteString(" (" + ev.Held + ")")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// want holds what happened so far, in any order: hosts answer side by side.
func (r *rig) want(lines ...string) {
	r.Helper()
	got := strings.Split(strings.TrimSuffix(r.log(), "\n"), "\n")
	slices.Sort(got)
	slices.Sort(lines)
	if !slices.Equal(got, lines) {
		r.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// rules reads rules, named r1, r2 ...
func rules(t testing.TB, texts ...string) []alert.Rule {
	t.Helper()
	var out []alert.Rule
	for i, text := range texts {
		r := alert.MustRule(t, text)
		r.Name = fmt.Sprintf("r%d", i+1)
		out = append(out, r)
	}
	return out
}

// steps is a motion that has one value after the other, a second each; the last
// one stays.
func steps(values ...float64) fake.Motion {
	return func(at time.Duration, _ uint64) float64 {
		return values[min(max(int(at/time.Second), 0), len(values)-1)]
	}
}

// gauge is a host with one counterset of one instance.
func gauge(name string, motion fake.Motion, faults ...fake.Fault) fake.Script {
	return fake.Script{Name: name, Faults: faults, Sets: []fake.Set{{
		Name: "Memory", Counters: []fake.Counter{{Name: "Load", Type: cooker.CounterRawCount, Is: motion}},
	}}}
}

// disks is a host with a counterset of several instances.
func disks(name string, rows ...fake.Row) fake.Script {
	return fake.Script{Name: name, Sets: []fake.Set{{
		Name: "Disk", Instances: session.MultipleInstances, Rows: rows,
		Counters: []fake.Counter{
			{Name: "Queue", Type: cooker.CounterRawCount},
			{Name: "Reads/sec", Type: cooker.CounterBulkCount},
			{Name: "sec/Read", Type: cooker.AverageTimer},
		},
	}}}
}

func row(name string, queue fake.Motion) fake.Row {
	return fake.Row{Name: name, Is: map[string]fake.Motion{"Queue": queue}}
}

func during(from, to time.Duration) fake.Window { return fake.Window{From: from, To: to} }

// valueIn is the value of an event, 0 if it has none.
func valueIn(ev *alert.Event) float64 {
	if ev.Value == nil {
		return 0
	}
	return *ev.Value
}
