package alerts

import (
	"errors"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/session/text/printable"
	"perfdeck/tui/pane"
)

// ask asks all hosts for all of their countersets, with their history.
func (r *rig) ask() {
	for _, h := range r.Desk.Hosts {
		var asks []session.Ask
		for _, set := range h.Sampler.Catalogue().Sets {
			var counters []int
			for c := range set.Counters {
				if !set.Counters[c].Hidden() {
					counters = append(counters, c)
				}
			}
			asks = append(asks, session.Ask{Set: set, Counters: counters,
				Keep: []session.Keep{{Counters: counters, Match: func(*session.Instance) bool { return true }}}})
		}
		h.Feed.Ask(asks)
	}
	r.Clock.Advance(0)
}

// record lets n seconds pass in which the history of everything is kept.
func (r *rig) record(n int) {
	r.ask()
	for range n {
		r.Clock.Advance(second)
		r.Take()
	}
	r.Draw()
}

// waves is a host whose counters go up and down, so that something can be tried.
func waves() fake.Script {
	saw := func(lo, hi float64) fake.Motion {
		return func(at time.Duration, _ uint64) float64 {
			if int(at/(20*second))%3 == 2 {
				return hi
			}
			return lo
		}
	}
	return server("sql01", saw(0.004, 0.0412), saw(30, 71), saw(9000, 212))
}

// The form proposes a limit in the unit of the row; what is typed there is kept
// unscaled.
func TestWarnUnits(t *testing.T) {
	onAlerts(t, []fake.Script{waves()}, nil, func(r *rig) {
		r.Pass(1)
		r.record(120)
		h := r.Desk.Hosts[0]
		for _, test := range []struct {
			set, instance, counter string
			unit, limit, side      string
			typed                  string
			kept                   string
		}{
			{"PhysicalDisk", "1 D:", "Avg. Disk sec/Transfer", "ms", "50", sideAbove, "25", `\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer>0.025`},
			{"PhysicalDisk", "1 D:", "Avg. Disk sec/Transfer", "ms", "50", sideAbove, "41.3", `\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer>0.0413`},
			{"PhysicalDisk", "1 D:", "Avg. Disk sec/Transfer", "ms", "50", sideAbove, "900 µs", `\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer>0.0009`},
			{"PhysicalDisk", "1 D:", "Avg. Disk sec/Transfer", "ms", "50", sideAbove, "1.5 s", `\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer>1.5`},
			{"PhysicalDisk", "1 D:", "Disk Bytes/sec", "MB/s", "50", sideAbove, "100", `\PhysicalDisk(1 D:)\Disk Bytes/sec>104857600`},
			{"PhysicalDisk", "1 D:", "Disk Bytes/sec", "MB/s", "50", sideAbove, "1GB/s", `\PhysicalDisk(1 D:)\Disk Bytes/sec>1073741824`},
			{"Processor Information", "_Total", "% Processor Time", "%", "90", sideAbove, "85", `\Processor Information(_Total)\% Processor Time>85`},
			{"Memory", "", "Available MBytes", "MB", "6000", sideBelow, "200", `\Memory\Available MBytes<200`},
			{"Memory", "", "Available MBytes", "MB", "6000", sideBelow, "2 gb", `\Memory\Available MBytes<2048`},
			{"Memory", "", "Pages/sec", "/s", "100", sideAbove, "5000", `\Memory\Pages/sec>5000`},
			{"Memory", "", "Pages/sec", "/s", "100", sideAbove, "5 k/s", `\Memory\Pages/sec>5000`},
			{"Memory", "", "Status", "", "0x1F", sideAbove, "0xff", `\Memory\Status>255`},
			{"Memory", "", "Status", "", "0x1F", sideAbove, "16", `\Memory\Status>16`},
			{"SQLServer:Buffer Manager", "", "Page life expectancy", "s", "150", sideBelow, "300", `\SQLServer:Buffer Manager\Page life expectancy<300`},
			{"SQLServer:Buffer Manager", "", "Page life expectancy", "s", "150", sideBelow, "5 min", `\SQLServer:Buffer Manager\Page life expectancy<300`},
		} {
			target := r.Value(h, test.set, test.instance, test.counter)
			f := r.fill(WarnForm(r.Desk, target))
			field := f.ask.Fields[0]
			if field.Unit != test.unit || field.Value != test.limit || f.get("when it is") != test.side {
				t.Errorf("%s: proposes %s %s %s, want %s %s %s", test.counter, f.get("when it is"), field.Value, field.Unit, test.side, test.limit, test.unit)
			}
			f.set("limit", test.typed)
			if err := f.accept(); err != nil {
				t.Errorf("%s %s: %v", test.counter, test.typed, err)
				continue
			}
			st := statusOf(r.Desk, test.counter)
			if st != nil && st.Rule.Interval != 0 {
				t.Errorf("%s: keeps an interval of its own, %v", test.counter, st.Rule.Interval)
			}
			if st == nil {
				t.Fatalf("no rule %q", test.counter)
			}
			if got := st.Expression(); got != test.kept || st.Hosts != 1 && st.Rule.Hosts[0] != "sql01" || st.Severity != alert.Warning || st.Origin != origin {
				t.Errorf("%s %s: kept as %s %+v, want %s", test.counter, test.typed, got, st, test.kept)
			}
			r.Undo()
			if statusOf(r.Desk, test.counter) != nil {
				t.Errorf("undo left %s", test.counter)
			}
		}
	})
}

// A row whose user scaled it takes its limit scaled, too.
func TestWarnScaledRow(t *testing.T) {
	onAlerts(t, []fake.Script{waves()}, nil, func(r *rig) {
		r.Desk.Numbers.Looks = func(_ *session.Counterset, c *session.Counter) session.Look {
			look := c.Look()
			look.Style, look.Scale = cooker.UnitPlain, 3
			return look
		}
		r.Pass(1)
		r.record(60)
		f := r.fill(WarnForm(r.Desk, r.Value(r.Desk.Hosts[0], "PhysicalDisk", "1 D:", "Avg. Disk sec/Transfer")))
		if unit := f.ask.Fields[0].Unit; !strings.Contains(unit, "x10^-3") {
			t.Errorf("the unit is %q", unit)
		}
		if err := f.set("limit", "25").accept(); err != nil {
			t.Fatal(err)
		}
		if st := statusOf(r.Desk, "Avg. Disk sec/Transfer"); st.When.Limit != 0.025 {
			t.Errorf("kept as %v", st.When.Limit)
		}
	})
}

// While it is filled in the form says how often the rule would have fired, and
// enter alone makes a rule that would not have.
func TestWarnPreview(t *testing.T) {
	onAlerts(t, []fake.Script{waves()}, nil, func(r *rig) {
		r.Pass(1)
		r.record(400)
		target := r.Value(r.Desk.Hosts[0], "PhysicalDisk", "1 D:", "Avg. Disk sec/Transfer")
		f := r.fill(WarnForm(r.Desk, target))
		if !strings.Contains(f.preview[0], "would not have fired in the last 6 min, highest 41.2 ms") {
			t.Errorf("the proposal: %q", f.preview)
		}
		if f.get("interval") != "15s" || f.preview[2] != "fires within 15 s of passing the limit" {
			t.Errorf("the interval of all rules is %q: %q", f.get("interval"), f.preview)
		}
		if f.set("for", "3 of 4"); f.preview[2] != "fires 30 s to 45 s after passing the limit" {
			t.Errorf("for 3 of 4: %q", f.preview)
		}
		f.set("for", "1 of 1")
		if f.set("limit", "1"); !strings.Contains(f.preview[0], "would have fired once in 6 min, 6 min ago, and still") {
			t.Errorf("1 ms: %q", f.preview)
		}
		f.set("limit", "25").set("interval", "1s")
		if !strings.Contains(f.preview[0], "would have fired 7 times in the last 6 min, longest 20 s") {
			t.Errorf("25 ms: %q", f.preview)
		}
		if f.preview[1] != `keeps > 0.025 of \PhysicalDisk(1 D:)\Avg. Disk sec/Transfer` || f.preview[2] != "fires within 1 s of passing the limit" || !strings.HasPrefix(f.preview[3], "now ") {
			t.Errorf("the other lines: %q", f.preview)
		}
		f.set("for", "30 of 30")
		if !strings.Contains(f.preview[0], "would not have fired") {
			t.Errorf("for 30 of 30: %q", f.preview)
		}
		f.set("for", "5/6").set("instance", everyInstance)
		if !strings.Contains(f.preview[0], "6 times") || !strings.Contains(f.preview[0], "on 1 of 2 values") {
			t.Errorf("all instances: %q", f.preview)
		}
		f.set("when it is", sideBelow).set("instance", "1 D:").set("for", "1")
		if !strings.Contains(f.preview[0], "7 times") || !strings.Contains(f.preview[0], "longest 40 s") {
			t.Errorf("below: %q", f.preview)
		}
		for label, bad := range map[string]string{"limit": "many", "for": "9 of 2", "well again at": "x", "interval": "8d"} {
			was := f.get(label)
			f.set(label, bad)
			if len(f.preview) != 1 || f.accept() == nil {
				t.Errorf("%s %q is taken; the preview is %q", label, bad, f.preview)
			}
			f.set(label, was)
		}
		f.set("when it is", sideAbove).set("well again at", "30")
		if err := f.accept(); err == nil || !strings.Contains(err.Error(), "clear") {
			t.Errorf("a clear level beyond the limit is %v", err)
		}
		f.set("well again at", "15").set("severity", "critical").set("hosts", everyHost).set("instance", everyInstance).set("then", "bell")
		if err := f.accept(); err != nil {
			t.Fatal(err)
		}
		st := statusOf(r.Desk, "Avg. Disk sec/Transfer")
		if *st.Clear != 0.015 || st.Severity != alert.Critical || len(st.Rule.Hosts) != 0 || st.Expression() != `\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.025` ||
			st.ThenText() != "bell" || st.Interval != second {
			t.Errorf("kept %+v", st)
		}
		r.record(60)
		if !fires(r, "Avg. Disk sec/Transfer") && len(r.watch.Board().History) < 2 {
			t.Error("the rule never fired")
		}
	})
}

// Names are those of the counters, made unlike others.
func TestNames(t *testing.T) {
	onAlerts(t, []fake.Script{waves()}, nil, func(r *rig) {
		r.Pass(1)
		r.record(3)
		target := r.Value(r.Desk.Hosts[0], "Memory", "", "Pages/sec")
		for _, want := range []string{"Pages/sec", "Pages/sec 2", "Pages/sec 3"} {
			f := r.fill(WarnForm(r.Desk, target))
			if got := f.get("name"); got != want {
				t.Errorf("the name is %q, want %q", got, want)
			}
			if err := f.accept(); err != nil {
				t.Fatal(err)
			}
		}
		f := r.fill(WarnForm(r.Desk, target)).set("name", "Pages/sec")
		if err := f.accept(); err == nil || !strings.Contains(err.Error(), "there is a rule") {
			t.Errorf("a taken name is %v", err)
		}
		f.set("name", "")
		if err := f.accept(); err != nil || statusOf(r.Desk, "Pages/sec 4") == nil {
			t.Errorf("no name is %v", err)
		}
		f = r.fill(RuleForm(r.Desk, alert.Rule{})).set("when", "absent host").set("absent for", "45 sec")
		if err := f.accept(); err != nil {
			t.Fatal(err)
		}
		if st := statusOf(r.Desk, "host lost"); st == nil || st.After != 45*second || st.Severity != alert.Warning {
			t.Errorf("a rule on hosts is %+v", st)
		}
		if choices := thenChoices(r.Desk); choices[0] != "bell, title" || len(choices) != 5 {
			t.Errorf("the choices of actions are %q", choices)
		}
	})
}

// All fields of a rule go through the form and come back.
func TestRuleFormRoundTrip(t *testing.T) {
	onAlerts(t, []fake.Script{waves()}, nil, func(r *rig) {
		r.Pass(1)
		f := r.fill(RuleForm(r.Desk, alert.Rule{}))
		for label, value := range map[string]string{
			"when": `\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.025`, "name": "slow disk", "severity": "critical", "for": "5 of 6",
			"well again at": "0.015", "interval": "5s", "cool-down": "10m", "quiet hours": "22:00-06:00; sat,sun 00:00-24:00",
			"hosts": "sql*, web1", "except": "0 C:; E*", "totals too": "yes", "combined": "maximum", "then": "bell, task:page", "when it is over": "log",
			"absent for": "1 min", "value": "{Avg. Disk sec/Read} + 0", "where": "{Disk Bytes/sec} > 10", "trend": "1h",
			"text": "call ana", "why": "queues grow", "next": "Who writes?; Who reads?", "enabled": "no",
		} {
			f.set(label, value)
		}
		if err := f.accept(); err != nil {
			t.Fatal(err)
		}
		first := statusOf(r.Desk, "slow disk").Rule
		if first.Need != 5 || first.Of != 6 || *first.Clear != 0.015 || first.Interval != 5*second || first.Cooldown != 10*time.Minute || len(first.Quiet) != 2 ||
			len(first.Hosts) != 2 || len(first.Except) != 2 || !first.Totals || *first.Aggregate != cooker.AggregateMax || len(first.Actions) != 2 ||
			first.Actions[1] != (alert.Action{Do: alert.Task, Name: "page"}) || len(first.OnClear) != 1 || first.Text != "call ana" || first.Why != "queues grow" ||
			!first.Disabled || first.After != time.Minute || first.Value.String() != "{Avg. Disk sec/Read} + 0" || first.Where == nil || first.Trend != time.Hour || len(first.Next) != 2 || first.Origin != origin || first.Severity != alert.Critical {
			t.Errorf("the rule is %+v", first)
		}
		again := r.fill(RuleForm(r.Desk, first))
		for i, value := range again.values {
			if label := again.ask.Fields[i].Label; label != "grows" && value == "" {
				t.Errorf("%s is empty", label)
			}
		}
		if err := again.accept(); err != nil {
			t.Fatal(err)
		}
		second := statusOf(r.Desk, "slow disk").Rule
		was, _ := first.MarshalJSON()
		is, _ := second.MarshalJSON()
		if string(was) != string(is) {
			t.Errorf("editing without a change makes\n%s of\n%s", is, was)
		}
		for label, bad := range map[string]string{
			"when": `\PhysicalDisk(*)\x`, "for": "0 of 3", "well again at": "0.03", "interval": "100ms", "cool-down": "x", "quiet hours": "always",
			"then": "explode", "when it is over": "task", "combined": "median", "name": "bad\x1bname", "value": "{A} +", "where": "1", "trend": "1s", "grows": "much", "absent for": "long",
		} {
			f := r.fill(RuleForm(r.Desk, first)).set(label, bad)
			if err := f.accept(); err == nil {
				t.Errorf("%s %q is taken", label, bad)
			}
			if len(f.preview) != 1 || strings.ContainsRune(f.preview[0], 0x1b) {
				t.Errorf("%s %q: the preview is %q", label, bad, f.preview)
			}
		}
		absent := r.fill(RuleForm(r.Desk, first)).set("when", `absent \PhysicalDisk(1 D:)\Disk Bytes/sec`).set("well again at", "").set("combined", "none").set("for", "").set("value", "").set("where", "").set("trend", "").set("absent for", "")
		if err := absent.accept(); err != nil {
			t.Fatal(err)
		}
		if st := statusOf(r.Desk, "slow disk"); st.Kind != alert.NoValue || st.After != 0 || st.Need != 0 {
			t.Errorf("a threshold that became an absence is %+v", st)
		}
	})
}

// A limit on a text is refused with the reason; that it is absent can be told.
func TestLimitOnText(t *testing.T) {
	script := fake.Script{Name: "one", Sets: []fake.Set{{Name: "Service", Counters: []fake.Counter{{Name: "State", Type: cooker.CounterText}}}}}
	onAlerts(t, []fake.Script{script}, nil, func(r *rig) {
		r.Pass(1)
		f := r.fill(RuleForm(r.Desk, alert.Rule{})).set("when", `\Service\State>5`)
		if err := f.accept(); !errors.Is(err, alert.ErrText) || statusOf(r.Desk, "State") != nil {
			t.Errorf("accepted: %v", err)
		}
		if got := strings.Join(f.preview, "\n"); !strings.Contains(got, "is a text") {
			t.Errorf("the preview is %q", got)
		}
		if err := r.fill(RuleForm(r.Desk, alert.Rule{})).set("when", `absent \Service\State`).accept(); err != nil {
			t.Error(err)
		}
	})
}

// Instance and host names that look like something else are kept as what they
// are, or refused with a reason.
func TestHostileForms(t *testing.T) {
	var rows []fake.Row
	for _, name := range faketest.HostileNames() {
		rows = append(rows, fake.Row{Name: name})
	}
	script := fake.Script{Name: "h\x1b[2J", Sets: []fake.Set{{Name: "Set", Instances: session.MultipleInstances, Rows: rows,
		Counters: []fake.Counter{{Name: "Value", Type: cooker.CounterRawCount, Is: fake.Const(7)}}}}}
	onAlerts(t, []fake.Script{script}, nil, func(r *rig) {
		r.Pass(1)
		r.record(5)
		h := r.Desk.Hosts[0]
		set := h.Snap.Sets[0].Set
		var all []session.InstanceKey
		for _, row := range h.Snap.Sets[0].Rows {
			all = append(all, row.Key)
		}
		kept := 0
		for _, key := range all {
			target := pane.Target{Host: h, Set: set, Key: key}
			ask := WarnForm(r.Desk, target)
			f := r.fill(ask)
			var texts []string // that are edited; what is drawn alone is made printable there
			for _, field := range ask.Fields {
				texts = append(append(texts, field.Value), field.Choices...)
			}
			for _, text := range texts {
				if printable.Text(text) != text {
					t.Errorf("%q is not printable", text)
				}
			}
			if f.set("interval", "1s").set("limit", "1").accept() != nil {
				continue
			}
			kept++
			r.Pass(3)
			if st := r.watch.Board().Rules[0]; st.Firing > 1 && !strings.Contains(key.Name, "*") && !strings.HasPrefix(key.Name, "same") {
				t.Errorf("a warning of %q fires %d times", key.Name, st.Firing)
			}
			r.Undo()
		}
		if kept < 10 {
			t.Errorf("%d names were taken", kept)
		}
	})
}
