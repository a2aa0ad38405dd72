package alert_test

import (
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
)

// A rule of a pack is judged on the twin that a host has, with its limit in that unit, and is not
// told anew when the rules are read again. Other rules are of what they name.
func TestTwinsOfHost(t *testing.T) {
	script := fake.Script{Name: "web", Sets: []fake.Set{{
		Name: "Memory", Counters: []fake.Counter{{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: steps(400<<20, 100<<20)}},
	}}}
	list := rules(t, `\Memory\Available MBytes<200`, `\Memory\Available MBytes<200`)
	list[0].Origin = alert.PackOrigin + "memory"
	for i := range list {
		list[i].Interval = time.Second
	}
	onHosts(t, []fake.Script{script}, list, func(r *rig) {
		r.clock.Advance(3 * time.Second)
		r.want("1 fired r1 web")
		r.watch.SetRules(list)
		r.clock.Advance(2 * time.Second)
		r.want("1 fired r1 web")
		if ev := r.events[0]; ev.Limit != 200<<20 || ev.Path != `\\web\Memory\Available Bytes` {
			t.Errorf("limit %v of %s", ev.Limit, ev.Path)
		}
	})
}

// The condition of a rule of a pack is of the set that it finds: of a named instance of SQL Server, too.
func TestConditionOfNamedInstance(t *testing.T) {
	script := fake.Script{Name: "db", Sets: []fake.Set{{
		Name: "MSSQL$PROD:Locks", Counters: []fake.Counter{
			{Name: "Wait", Type: cooker.CounterRawCount, Is: steps(900)}, {Name: "Waits/sec", Type: cooker.CounterRawCount, Is: steps(0, 0, 5)},
		},
	}}}
	list := rules(t, `\SQLServer:Locks\Wait>500`)
	list[0].Origin, list[0].Interval = alert.PackOrigin+"sqlserver", time.Second
	var err error
	if list[0].Where, err = alert.ParseFormula("{Waits/sec} > 1"); err != nil {
		t.Fatal(err)
	}
	onHosts(t, []fake.Script{script}, list, func(r *rig) {
		r.clock.Advance(4 * time.Second)
		r.want("2 fired r1 db")
	})
}

// The instance for all of them is made where there is none, and judged alone where there is no
// other.
func TestTwinsOfTotal(t *testing.T) {
	of := func(names ...string) fake.Script {
		set := fake.Set{Name: "Processor Information", Instances: session.MultipleInstances, Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.CounterRawCount}}}
		for i, name := range names {
			set.Rows = append(set.Rows, fake.Row{Name: name, Is: map[string]fake.Motion{"% Processor Time": steps(float64(90 + 10*i))}})
		}
		return fake.Script{Name: "web", Sets: []fake.Set{set}}
	}
	for name, c := range map[string]struct {
		rule  string
		names []string
		want  []string
	}{
		"none for all": {`\Processor Information(_Total)\% Processor Time>94`, []string{"0,0", "0,1"}, []string{"0 fired r1 _Total"}},
		"it is below":  {`\Processor Information(_Total)\% Processor Time>96`, []string{"0,0", "0,1"}, []string{""}},
		"its own":      {`\Processor Information(_Total)\% Processor Time>94`, []string{"_Total", "0,0"}, []string{""}},
		"it alone":     {`\Processor Information(*)\% Processor Time>80`, []string{"_Total"}, []string{"0 fired r1 _Total"}},
		"with others":  {`\Processor Information(*)\% Processor Time>95`, []string{"0,0", "_Total"}, []string{""}},
	} {
		list := rules(t, c.rule)
		list[0].Origin, list[0].Interval = alert.PackOrigin+"processor", time.Second
		onHosts(t, []fake.Script{of(c.names...)}, list, func(r *rig) {
			r.clock.Advance(3 * time.Second)
			t.Log(name)
			r.want(c.want...)
		})
	}
}

// Rules of packs go by what may be used, where a host tells less than it has: of processors by all
// that one may use, of memory by the share that is left. Others are of what they name.
func TestRulesGoByLimits(t *testing.T) {
	value := func(name string, n float64) fake.Counter {
		return fake.Counter{Name: name, Type: cooker.CounterRawCount, Is: steps(n)}
	}
	total := func(set string, n float64) fake.Set {
		return fake.Set{Name: set, Instances: session.MultipleInstances, Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.CounterRawCount}},
			Rows: []fake.Row{{Name: "_Total", Is: map[string]fake.Motion{"% Processor Time": steps(n)}}}}
	}
	host := fake.Script{Name: "box", Sets: []fake.Set{
		total("Processor Information", 10), {Name: "Memory", Counters: []fake.Counter{value("Available MBytes", 9000)}},
		{Name: session.ProcessorLimit, Counters: []fake.Counter{value("% Processor Time", 99)}},
		{Name: session.MemoryLimit, Counters: []fake.Counter{value("% Available", 4)}},
	}}
	list := rules(t, `\Processor Information(_Total)\% Processor Time>90`, `\Memory\Available MBytes<512`, `\Processor Information(_Total)\% Processor Time>90`)
	for i := range list {
		list[i].Interval = time.Second
	}
	list[0].Origin, list[1].Origin = alert.PackOrigin+"processor", alert.PackOrigin+"memory"
	onHosts(t, []fake.Script{host}, list, func(r *rig) {
		r.clock.Advance(3 * time.Second)
		for i, want := range []string{`\\box\Processor Limit\% Processor Time`, `\\box\Memory Limit\% Available`} {
			if i >= len(r.events) || r.events[i].Path != want {
				t.Fatalf("event %d is not on %s: %+v", i, want, r.events)
			}
		}
		if len(r.events) > 2 || r.events[1].Limit != 5 {
			t.Errorf("limit %v, %d events", r.events[1].Limit, len(r.events))
		}
	})
}
