package bundle

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/backtest"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/text/field"
)

// odd are instances whose names are changed, in a bundle or an anonymous one.
var odd = []string{"bash", "bash#1", "java-billing", "java", "Contoso Billing", "Contoso Billing#1", "mysqld --password=hunter2", "mysqld --password=hunter3", "/home/ana", "west/orders", "_Total"}

// steady is a recording of three hours in which nothing grows and 1 % of the bytes are read.
func steady(t testing.TB) string {
	t.Helper()
	var h logs.Header
	var values []cooker.Value
	add := func(path string, value float64) {
		h.Columns = append(h.Columns, logs.Column{Path: path})
		values = append(values, cooker.FloatValue(value))
	}
	for _, host := range []string{`\\web01`, `\\db02.corp.example.com`} {
		add(host+`\Memory\Available MBytes`, 500)
		for i, in := range odd {
			add(host+`\PhysicalDisk(`+in+`)\Disk Bytes/sec`, 1000)
			add(host+`\PhysicalDisk(`+in+`)\Disk Read Bytes/sec`, 10)
			add(host+`\PhysicalDisk(`+in+`)\Acme's share`, float64(i))
		}
	}
	h.Zone = logs.Zone{Known: true}
	file := filepath.Join(t.TempDir(), "steady.db")
	w, err := formats.Create(file, formats.Usual(formats.ToRecord), &h, logs.WriteOptions{Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 240 {
		row := logs.Row{Time: start.Add(time.Duration(i) * 45 * time.Second), Values: slices.Clone(values), Raw: make([]logs.Raw, len(values))}
		if i > 100 && i < 120 {
			row.Values[0] = cooker.FloatValue(50)
		}
		if err := w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// verdict is what rules tell of a recording, without names.
func verdict(t testing.TB, file string, rules ...alert.Rule) string {
	t.Helper()
	player, err := replay.Open([]string{file}, replay.Options{Open: func(name string) (logs.Reader, error) {
		return formats.Open(context.Background(), name, logs.OpenOptions{})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer player.Close()
	b := alert.NewBacktest(alert.BacktestOptions{Rules: rules, Zone: time.UTC})
	var told []string
	try := backtest.Try{Meant: func(*replay.Host) bool { return true }, Take: func(events []alert.Event) error {
		for _, e := range events {
			value := 0.0
			if e.Value != nil {
				value = *e.Value
			}
			told = append(told, fmt.Sprint(e.Time.UTC().Format(time.TimeOnly), e.Kind, e.Severity, e.Index, e.Op, e.Limit, value, e.Shown, e.ShownLimit, e.Peak, e.Lasted, e.Hits, e.Of, e.Held, e.Until.UTC()))
		}
		return nil
	}}
	if err := try.Run(t.Context(), player, b); err != nil {
		t.Fatal(err)
	}
	slices.Sort(told)
	for _, o := range b.Outcomes() {
		told = append(told, fmt.Sprint(o.Fired, o.Values, o.Held, o.Total, o.Firing, o.Samples, o.Problem != ""))
	}
	return strings.Join(told, "\n")
}

func with(t testing.TB, text string, change func(*alert.Rule)) alert.Rule {
	r := rule(t, text)
	change(&r)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// ruleFields has rules for each field of a rule, with which it is another one. A field that
// is new has none, and fails until it is in a bundle, or the rule is left out.
func ruleFields(t testing.TB) map[string][]alert.Rule {
	const disk, low = `\PhysicalDisk(*)\Disk Bytes/sec>0.9`, `\Memory\Available MBytes<100`
	list := func(text string, changes ...func(*alert.Rule)) (out []alert.Rule) {
		for _, change := range changes {
			out = append(out, with(t, text, change))
		}
		return out
	}
	formula := func(text string) *alert.Formula {
		f, err := alert.ParseFormula(text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	when := func(texts ...string) (out []alert.Rule) {
		for _, text := range texts {
			out = append(out, rule(t, text))
		}
		return out
	}
	return map[string][]alert.Rule{
		"Name": list(low, func(r *alert.Rule) { r.Name = "low" }),
		"Kind": when(`absent \PhysicalDisk(Contoso Billing)\Nothing`, `absent \PhysicalDisk(gone)\Disk Bytes/sec`, `absent host`),
		"When": when(disk, low, `\PhysicalDisk(Contoso Billing#1)\Disk Bytes/sec>1`, `\PhysicalDisk(java*)\Disk Bytes/sec>1`, `\PhysicalDisk(mysqld*)\Disk Bytes/sec>1`, `\PhysicalDisk(*hunter2)\Disk Bytes/sec>1`,
			`\PhysicalDisk(bash*)\Disk Bytes/sec>1`, `\PhysicalDisk(/home/*)\Disk Bytes/sec>1`, `\PhysicalDisk(west/*)\Disk Bytes/sec>1`, `\PhysicalDisk(mysqld --password=hunter3)\Disk Bytes/sec>1`,
			`\\db02.corp.example.com\PhysicalDisk(*)\Acme's share>2`, `\PhysicalDisk(/home/ana)\Acme's share>2`, `\PhysicalDisk(west/orders)\Acme's share>2`, `\\web02\Memory\Available MBytes<100`),
		"Events":   when("event unit-failed>0 in 10m", "event System:disk/153>3 in 10m", "event acme-billing/*>0 in 1h"),
		"Severity": list(low, func(r *alert.Rule) { r.Severity = alert.Critical }),
		"Interval": list(low, func(r *alert.Rule) { r.Interval = 10 * time.Minute }, func(r *alert.Rule) { r.Interval = alert.Once }),
		"Need":     list(low, func(r *alert.Rule) { r.Need, r.Of = 3, 5 }),
		"Of":       list(low, func(r *alert.Rule) { r.Need, r.Of = 3, 6 }),
		"Clear":    list(`\Memory\Available MBytes<100`, func(r *alert.Rule) { limit := 600.0; r.Clear = &limit }),
		"After":    list(`absent \PhysicalDisk(gone)\Disk Bytes/sec`, func(r *alert.Rule) { r.After = time.Hour }),
		"Cooldown": list(low, func(r *alert.Rule) { r.Cooldown = time.Hour }),
		"Quiet": list(low, func(r *alert.Rule) {
			q, _ := alert.ParseQuiet("00:00-23:00")
			r.Quiet = []alert.QuietHours{q}
		}),
		"Hosts": list(disk, func(r *alert.Rule) { r.Hosts = []string{"web*"} }, func(r *alert.Rule) { r.Hosts = []string{"*"} }, func(r *alert.Rule) { r.Hosts = []string{"other", "DB02.corp*"} }, func(r *alert.Rule) { r.Hosts = []string{"none"} }),
		"Except": list(disk, func(r *alert.Rule) { r.Except = []string{"Contoso*", "bash#1"} }, func(r *alert.Rule) { r.Except = []string{"java*"} }, func(r *alert.Rule) { r.Except = []string{"*hunter2"} },
			func(r *alert.Rule) { r.Except = []string{"/home/*"} }, func(r *alert.Rule) { r.Except = []string{"west/orders", "nobody"} }, func(r *alert.Rule) { r.Except = []string{"*"} }),
		"Totals": list(disk, func(r *alert.Rule) { r.Totals = true }),
		"Value": list(disk, func(r *alert.Rule) { r.Value = formula("{Disk Read Bytes/sec} / {Disk Bytes/sec}") }, func(r *alert.Rule) { r.Value = formula("max({ Acme's share }, 1) * 0.1 * {Disk Read Bytes/sec}") },
			func(r *alert.Rule) { r.Value = formula("{Nothing} + 1") }),
		"Where": list(disk, func(r *alert.Rule) { r.Where = formula("{Disk Read Bytes/sec} > 5000") }, func(r *alert.Rule) { r.Where = formula("{Nothing} > 1") }),
		"Trend": list(disk, func(r *alert.Rule) { r.Trend = time.Hour }),
		"Grows": list(low, func(r *alert.Rule) { r.When.Op, r.When.Limit, r.Grows = paths.Above, 1, 0.5 }),
		"Aggregate": list(`\PhysicalDisk(*)\Disk Bytes/sec>10500`, func(r *alert.Rule) {
			f, _ := cooker.ParseAggregate("total")
			r.Aggregate = &f
		}),
		"Actions":  list(low, func(r *alert.Rule) { r.Actions = []alert.Action{{Do: alert.Webhook, Name: "ops"}} }),
		"OnClear":  list(low, func(r *alert.Rule) { r.OnClear = []alert.Action{{Do: alert.Webhook, Name: "ops"}} }),
		"Text":     list(low, func(r *alert.Rule) { r.Text = "page" }),
		"Why":      list(low, func(r *alert.Rule) { r.Why = "swap" }),
		"Next":     list(low, func(r *alert.Rule) { r.Next = []string{"look"} }),
		"Disabled": list(low, func(r *alert.Rule) { r.Disabled = true }),
		"Origin":   list(low, func(r *alert.Rule) { r.Origin = "config.toml" }),
	}
}

// A rule of a bundle tells of its recording what it told of the file, whatever it has; else
// it is left out, and listed.
func TestVerdictsOfABundle(t *testing.T) {
	file, fields := steady(t), ruleFields(t)
	for i := range reflect.TypeFor[alert.Rule]().NumField() {
		name := reflect.TypeFor[alert.Rule]().Field(i).Name
		if len(fields[name]) == 0 {
			t.Errorf("no rule has %s: what is it in a bundle?", name)
		}
		for k, r := range fields[name] {
			r.Name = fmt.Sprint("rule ", k)
			want := verdict(t, file, r)
			for _, o := range []Options{{}, {Anonymous: true}} {
				packed, m := pack(t, []Recording{{Title: "steady", Reader: reader(t, file)}}, Extras{Rules: []alert.Rule{r}}, o)
				got := unpack(t, packed)
				if len(got.Rules) == 0 {
					if !slices.ContainsFunc(m.Left, func(s string) bool { return strings.HasPrefix(s, "rules: 1") }) || name == "Value" && k < 2 || name == "Trend" {
						t.Errorf("%s %d, anonymous %v: %s is not there: %v", name, k, o.Anonymous, r.Condition(), m.Left)
					}
					continue
				}
				if have := verdict(t, got.Files[0], got.Rules...); have != want {
					t.Errorf("%s %d, anonymous %v: %s of\n%s tells\n%.600s\nwant\n%.600s", name, k, o.Anonymous, got.Rules[0].Condition(), r.Condition(), have, want)
				}
			}
		}
	}
}

// What an event tells is what it told: each field that is not what is done then.
func TestFieldsOfAnEvent(t *testing.T) {
	apart := []string{"Since", "UserText", "RuleWhy", "Next", "Open", "Actions", "Rule", "Foreign"} // what is done, and where
	e := alert.Event{
		Seq: 7, Time: start.Add(time.Minute), Kind: alert.Cleared, ID: alert.ID{Rule: "r", Host: "web01", Set: "Process", Counter: "{ID Process} * 2 / {% Processor Time}", Name: "bash", Number: 3}, Severity: alert.Critical,
		Path: `\\web01\Process(bash#2)\{ID Process} * 2 / {% Processor Time}`, Instance: "bash#2", Index: 2, Number: 4711, Op: paths.Above, Limit: 2, Value: new(3.0), Shown: "3 ms", ShownLimit: "2 ms",
		Peak: "9 ms", Lasted: field.Seconds(time.Minute), Hits: 4, Of: 5, Why: "gone", Held: "muted", Until: start.Add(time.Hour), By: "root", Group: 6, Replacement: true,
	}
	v := reflect.ValueOf(e)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() != slices.Contains(apart, name) {
			t.Errorf("what is %s of an event in a bundle?", name)
		}
	}
	for _, o := range []Options{{}, {Anonymous: true}} {
		packed, m := pack(t, []Recording{{Title: "night", Reader: night(t, "night", "web01")}}, Extras{Events: []alert.Event{e}}, o)
		got := unpack(t, packed)
		if len(got.Events) != 1 {
			t.Fatalf("%v", m.Left)
		}
		have := got.Events[0]
		if o.Anonymous {
			have.ID.Rule, have.ID.Host, have.Path = e.ID.Rule, e.ID.Host, strings.Replace(have.Path, "host-1", "web01", 1)
		}
		if !reflect.DeepEqual(have, e) {
			t.Errorf("anonymous %v: %+v, want\n%+v", o.Anonymous, have, e)
		}
	}
}

// A rule that says what this version does not know is another rule: it is left out.
func TestRuleOfALaterVersion(t *testing.T) {
	var b Extras
	for line, want := range map[string]bool{
		`{"name":"a","when":"\\Memory\\Available MBytes<1","severity":"warning"}`:                                  true,
		`{"name":"a","when":"\\Memory\\Available MBytes<1","severity":"warning","totals":false,"then":[]}`:         true,
		`{"name":"a","when":"\\Memory\\Available MBytes<1","severity":"warning","ratio":"2 of 3"}`:                 false,
		`{"name":"a","when":"\\Memory\\Available MBytes<1","severity":"warning","unless":"\\System\\Processes>1"}`: false,
	} {
		if got := b.readLine(kindRules, []byte(line), &used{}); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

// A deck shows what it showed, with every field of it; what was left out is a list, if an
// empty one.
func TestFieldsOfADeck(t *testing.T) {
	d := session.Deck{Name: "web", Sets: []string{"Web*"}, Layout: "|50.00(0,1)", Panes: []session.DeckPane{{
		Host: "web01", Paths: []string{`\Memory\Available MBytes`}, Or: []string{`\Memory\Available KBytes`}, Also: []string{`\Process(bash)\ID Process`}, Kind: "graph", Limit: "1000", Busiest: 3, Spare: true, AsNamed: true,
	}}}
	for _, v := range []reflect.Value{reflect.ValueOf(d), reflect.ValueOf(d.Panes[0])} {
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("what is %s of a deck in a bundle?", v.Type().Field(i).Name)
			}
		}
	}
	packed, _ := pack(t, []Recording{{Title: "night", Reader: night(t, "night", "web01")}}, Extras{Decks: []session.Deck{d}}, Options{})
	d.Sets = nil // it is for the recordings that are there
	if got := unpack(t, packed); len(got.Decks) != 1 || !reflect.DeepEqual(got.Decks[0], d) || got.Left == nil {
		t.Errorf("%+v, left %v", got.Decks, got.Left)
	}
}
