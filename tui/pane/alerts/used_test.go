package alerts

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/promrule"
	"perfdeck/session/hosts/fake"
)

// filling is a host whose memory and disk fill up to 95 % after a minute.
func filling() fake.Script {
	left := func(of float64) fake.Motion {
		return func(at time.Duration, _ uint64) float64 {
			if at >= 60*second {
				return of / 20
			}
			return of / 2
		}
	}
	return fake.Script{Name: "db", Sets: []fake.Set{
		{Name: "Memory", Counters: []fake.Counter{
			{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: left(4 << 30)},
			{Name: "Physical Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(4 << 30)},
		}},
		{
			Name: "LogicalDisk", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "C:"}},
			Counters: []fake.Counter{{Name: "% Free Space", Type: cooker.CounterLargeRawCount, Is: left(100)}},
		},
	}}
}

// Of what is used one is warned in percent of it. What is kept is a rule about what is left,
// which is judged live, over what was recorded and by engines alike.
func TestWarnOfUsed(t *testing.T) {
	for _, c := range []struct{ set, instance, counter, title, kept, name, now string }{
		{"Memory", "", "Available Bytes", `Warn of \\db\Memory\Used`, `\Memory\Available Bytes<429496729.6`, "Memory Used > 90 %", "now 95.0 %: beyond"},
		{"LogicalDisk", "C:", "% Free Space", `Warn of \\db\LogicalDisk(C:)\Used`, `\LogicalDisk(C:)\% Free Space<10`, "LogicalDisk Used > 90 %", "now 95.0 %: beyond"},
	} {
		onAlerts(t, []fake.Script{filling()}, nil, func(r *rig) {
			r.record(40)
			target := r.Value(r.Desk.Hosts[0], c.set, c.instance, c.counter)
			target.Used = true
			f := r.fill(WarnForm(r.Desk, target)).set("interval", "1s")
			if f.ask.Title != c.title || f.get("limit") != "90" || f.get("when it is") != sideAbove || f.ask.Fields[0].Unit != "%" ||
				!strings.Contains(f.preview[0], "would not have fired in the last 39 s, highest 50.0 %") {
				t.Fatalf("%s, limit %q when it is %s: %q", f.ask.Title, f.get("limit"), f.get("when it is"), f.preview)
			}
			if hosts := f.ask.Fields[f.at("hosts")].Choices; (len(hosts) == 1) != (c.set == "Memory") {
				t.Errorf("other hosts have other memories: %q", hosts)
			}
			f.set("well again at", "80")
			if err := f.accept(); err != nil {
				t.Fatal(err)
			}
			st := statusOf(r.Desk, c.name)
			if st == nil || st.Expression() != c.kept || !st.When.Holds(st.When.Limit-1) || !(*st.Clear > st.When.Limit) {
				t.Fatalf("kept %+v", st)
			}
			lines := Thresholds(r.Desk, target)
			if len(lines) != 1 || lines[0].Below || !strings.HasPrefix(lines[0].Text, "> 90 %") || lines[0].Value < 90 {
				t.Errorf("its line is %+v", lines)
			}
			r.record(40)
			h := r.Desk.Hosts[0]
			if past := alert.Try(st.Rule, alert.BacktestOptions{}, []alert.History{{Snapshot: h.Snap, Catalogue: h.Sampler.Catalogue()}}); !fires(r, c.name) || past.Fired != 1 || past.Firing != 1 {
				t.Errorf("it fires live: %v; over what was recorded %+v", fires(r, c.name), past)
			}
			if preview := r.fill(WarnForm(r.Desk, target)).set("limit", "90").preview; !strings.Contains(preview[len(preview)-1], c.now) {
				t.Errorf("now: %q", preview)
			}
			out := promrule.Make([]alert.Rule{st.Rule}, promrule.Options{Catalogues: []*session.Catalogue{h.Sampler.Catalogue()}})
			if len(out.Groups) != 1 || slices.ContainsFunc(out.Left, func(l promrule.Left) bool { return l.Whole }) {
				t.Errorf("engines do not judge it: %+v", out)
			}
		})
	}
}
