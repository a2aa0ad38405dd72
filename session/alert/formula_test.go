package alert_test

import (
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/failure"
)

// withValue gives rules a formula.
func withValue(t *testing.T, formula string, texts ...string) []alert.Rule {
	t.Helper()
	f, err := alert.ParseFormula(formula)
	if err != nil {
		t.Fatal(err)
	}
	all := rules(t, texts...)
	for i := range all {
		all[i].Value = f
	}
	return all
}

// A rule with a formula judges what it makes of the counters of one instance, live; what
// divides by nothing has nothing to measure.
func TestFormulaJudged(t *testing.T) {
	script := fake.Script{Name: "web", Sets: []fake.Set{{
		Name: "Net", Instances: session.MultipleInstances,
		Rows: []fake.Row{
			{Name: "a", Is: map[string]fake.Motion{"Sent": steps(0, 10, 40, 40, 10), "Width": fake.Const(100)}},
			{Name: "b", Is: map[string]fake.Motion{"Sent": steps(90), "Width": fake.Const(0)}},
			{Name: "c", Is: map[string]fake.Motion{"Sent": steps(31, 30), "Width": fake.Const(100)}},
		},
		Counters: []fake.Counter{{Name: "Sent", Type: cooker.CounterRawCount}, {Name: "Width", Type: cooker.CounterRawCount}},
	}}}
	onHosts(t, []fake.Script{script}, withValue(t, "{Sent} / {width} * 100", `\Net(*)\Sent>30 | every 1s`), func(r *rig) {
		r.clock.Advance(2 * second)
		if text := r.events[len(r.events)-1].Text(); !strings.Contains(text, `(a)\{Sent} / {width} * 100: 40.0 > 30`) {
			t.Errorf("told as %s", text)
		}
		r.clock.Advance(4 * second)
		r.want("0 fired r1 c", "1 cleared r1 c", "2 fired r1 a", "4 cleared r1 a")
	})
}

// rate is how much something grew a second since the value before; what begins anew has none then.
func TestFormulaRate(t *testing.T) {
	script := gauge("web", steps(100, 100, 140, 180, 20, 30, 30))
	onHosts(t, []fake.Script{script}, withValue(t, "rate({Load}) / 2", `\Memory\Load>8 | every 2s`), func(r *rig) {
		r.clock.Advance(7 * second)
		r.want("2 fired r1 web", "6 cleared r1 web")
		if got := *r.events[0].Value; got != 10 {
			t.Errorf("rate %v", got)
		}
	})
}

// A formula that names what the counterset lacks is told as a problem of the rule.
func TestFormulaUnknownCounter(t *testing.T) {
	onHosts(t, []fake.Script{gauge("web", steps(9))}, withValue(t, "{Load} / {None}", `\Memory\Load>5 | every 1s`), func(r *rig) {
		r.clock.Advance(2 * second)
		if b := r.watch.Board(); len(r.events) > 0 || !strings.Contains(b.Rules[0].Problem, `no counter "None"`) {
			t.Errorf("problem %q, events %s", b.Rules[0].Problem, r.log())
		}
	})
}

func TestParseFormula(t *testing.T) {
	for _, text := range []string{"{a}", "-{a}", "({a} >= 1) * ({b} > 0.015)", "min({a}, max({b},3)) - abs(-{c}) / 1e-3", "round({% Idle Time (x)} * 8)"} {
		f, err := alert.ParseFormula(text)
		if err != nil || f.String() != text {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, reason := range map[string]string{
		"": "missing", "5 + 3": "no counter", "{a": "counter", "{}": "counter", "{a} {b}": "operator", "{a} +": "missing", "({a}": `")"`, "min({a})": `","`,
		"sin({a})": "expected", `{\Memory\x}`: "without its counterset", "{a*}": "expected", strings.Repeat("(", 900) + "{a}": "nested", strings.Repeat("{a}+", 500): "longer", "1.2.3 * {a}": "number",
	} {
		if _, err := alert.ParseFormula(text); err == nil || !strings.Contains(err.Error(), reason) || failure.Hint(err) == "" {
			t.Errorf("%.30q: %v, want %q", text, err, reason)
		}
	}
}

// A rule with a formula is the same after it was written down.
func TestFormulaKept(t *testing.T) {
	r := withValue(t, "{Load} * 2", `\Memory\Load>5`)[0]
	text, err := r.MarshalJSON()
	var again alert.Rule
	if err != nil || again.UnmarshalJSON(text) != nil || again.Value.String() != "{Load} * 2" {
		t.Errorf("%s, %v", text, err)
	}
	if got := r.Condition(); got != `\Memory\{Load} * 2>5` {
		t.Errorf("told as %s", got)
	}
	r.When.Path.Counter = "*"
	if err := r.Check(); err == nil || !strings.Contains(err.Error(), "value") {
		t.Errorf("a formula with all counters: %v", err)
	}
}

// Whatever stands there, reading ends, with a formula or with why there is none.
func FuzzParseFormula(f *testing.F) {
	f.Add("round({Bytes Total/sec} * 8 / {Current Bandwidth} * 100)")
	f.Add("({a} >= 1) * -{b}")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := alert.ParseFormula(text)
		if (got == nil) == (err == nil) {
			t.Fatal(got, err)
		}
		if err == nil {
			if again, err := alert.ParseFormula(got.String()); err != nil || again.String() != got.String() {
				t.Errorf("%q reads back as %v, %v", text, again, err)
			}
		}
	})
}
