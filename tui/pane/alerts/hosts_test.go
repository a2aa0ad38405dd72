package alerts

import (
	"context"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
)

// rule reads a rule and gives it a name and a severity.
func rule(t testing.TB, name, when string, s alert.Severity, more ...func(*alert.Rule)) alert.Rule {
	t.Helper()
	r, err := alert.ParseRule(when)
	if err != nil {
		t.Fatal(err)
	}
	r.Name, r.Severity, r.Interval, r.Origin = name, s, second, "config"
	for _, m := range more {
		m(&r)
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// server is a host with disks, a processor, memory and a buffer manager. The
// motions are those of its disk D:, its processor and its page life.
func server(name string, disk, cpu, life fake.Motion, faults ...fake.Fault) fake.Script {
	return fake.Script{Name: name, Faults: faults, Sets: []fake.Set{
		{Name: "Processor Information", Instances: session.MultipleAggregate,
			Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.Timer100ns, Is: cpu, Mean: true}},
			Rows:     []fake.Row{{Name: "0,0"}, {Name: "_Total", Flags: session.FlagTotal}}},
		{Name: "Memory", Counters: []fake.Counter{
			{Name: "Available MBytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(9418)},
			{Name: "% Committed Bytes In Use", Type: cooker.LargeRawFraction, Is: fake.Const(81.4)},
			{Name: "Pages/sec", Type: cooker.CounterCounter, Is: fake.Const(70)},
			{Name: "Status", Type: cooker.CounterRawCountHex, Is: fake.Const(0x1f)},
		}},
		{Name: "PhysicalDisk", Instances: session.MultipleAggregate, Rows: []fake.Row{
			{Name: "0 C:", Is: map[string]fake.Motion{"Avg. Disk sec/Transfer": fake.Const(0.002)}},
			{Name: "1 D:", Is: map[string]fake.Motion{"Avg. Disk sec/Transfer": disk}},
			{Name: "_Total", Flags: session.FlagTotal},
		}, Counters: []fake.Counter{
			{Name: "Avg. Disk sec/Transfer", Type: cooker.AverageTimer, Mean: true},
			{Name: "Disk Bytes/sec", Type: cooker.CounterBulkCount, Is: fake.Const(40 << 20)},
		}},
		{Name: "SQLServer:Buffer Manager", Counters: []fake.Counter{{Name: "Page life expectancy", Type: cooker.CounterLargeRawCount, Is: life}}},
	}}
}

// until has one value until a time, then another.
func until(at time.Duration, before, after float64) fake.Motion {
	return func(t time.Duration, _ uint64) float64 {
		if t < at {
			return before
		}
		return after
	}
}

func during(from, to time.Duration) fake.Window { return fake.Window{From: from, To: to} }

func clearAt(v float64) func(*alert.Rule) { return func(r *alert.Rule) { r.Clear = &v } }

func needing(need, of int) func(*alert.Rule) {
	return func(r *alert.Rule) { r.Need, r.Of = need, of }
}

// theRules are those of the specification's picture.
func theRules(t testing.TB) []alert.Rule {
	return []alert.Rule{
		rule(t, "slow disk", `\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.025`, alert.Critical, needing(5, 6), clearAt(0.015),
			func(r *alert.Rule) { r.Actions = []alert.Action{{Do: alert.Bell}, {Do: alert.Log}} }),
		rule(t, "cpu", `\Processor Information(_Total)\% Processor Time>85`, alert.Warning, needing(3, 5), clearAt(75)),
		rule(t, "page life", `\SQLServer:Buffer Manager\Page life expectancy<300`, alert.Warning, needing(3, 3), clearAt(600),
			func(r *alert.Rule) {
				r.Hosts, r.Actions = []string{"sql*"}, []alert.Action{{Do: alert.Task, Name: "mail.sh"}}
			}),
		rule(t, "commit", `\Memory\% Committed Bytes In Use>80`, alert.Careful, clearAt(75), func(r *alert.Rule) { r.Why = "Windows grows the page file from here on." }),
		rule(t, "low disk", `\LogicalDisk(*)\% Free Space<10`, alert.Critical),
		rule(t, "host lost", `absent host`, alert.Warning, func(r *alert.Rule) { r.After = 5 * second }),
		rule(t, "retrans", `\Memory\Pages/sec>5000`, alert.Careful, func(r *alert.Rule) { r.Disabled, r.Hosts = true, []string{"web*"} }),
	}
}

// theHosts are two database servers and a web server: of the first one the disk,
// the processor and the page life go bad.
func theHosts() []fake.Script {
	return []fake.Script{
		server("sql01", until(60*second, 0.004, 0.0412), until(40*second, 30, 93.1), until(70*second, 7204, 212)),
		server("sql02", until(20*second, 0.030, 0.0044), fake.Const(20), fake.Const(9000)),
		server("web01", fake.Const(0.001), fake.Const(12), fake.Const(9000), fake.Fault{Window: during(30*second, 45*second), Err: context.DeadlineExceeded}),
	}
}
