package promrule_test

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/promrule"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/engine/prom"
	"perfdeck/session/hosts/local"
)

// What PromQL cannot say is told with the reason; the rest of the rules is there.
func TestLeft(t *testing.T) {
	quiet, _ := alert.ParseQuiet("22:00-06:00")
	rules := []alert.Rule{
		rule(t, "once", `\Memory\Available MBytes<5`, func(r *alert.Rule) { r.Interval = alert.Once }),
		rule(t, "quiet", `\Memory\Available MBytes<5`, func(r *alert.Rule) { r.Quiet = []alert.QuietHours{quiet} }),
		rule(t, "unknown", `\Nothing\Here>5`, nil),
		rule(t, "part", `\PhysicalDisk(*)\Current Disk Queue Length>5`, func(r *alert.Rule) { r.Except = []string{"a#1"} }),
		rule(t, "off", `\Memory\Available MBytes<5`, func(r *alert.Rule) { r.Disabled = true }),
		rule(t, "host", `absent host`, func(r *alert.Rule) { r.Hosts = []string{"sql*", "web01"} }),
	}
	f := promrule.Make(rules, promrule.Options{Catalogues: []*session.Catalogue{rulepack.Catalogue()}})
	whole := map[string]bool{}
	for _, l := range f.Left {
		if whole[l.Rule] = l.Whole; l.Reason == "" {
			t.Errorf("%s without a reason", l.Rule)
		}
	}
	if len(whole) != 4 || !whole["once"] || whole["quiet"] || !whole["unknown"] || !whole["part"] {
		t.Errorf("left %v", f.Left)
	}
	text := string(f.Append(nil))
	if strings.Count(text, "- alert:") != 2 || strings.Count(text, "# left out:") != 3 || !strings.Contains(text, "mute_time_intervals") {
		t.Errorf("%s", text)
	}
	promtool(t, "check", "rules", write(t, "rules.yml", []byte(text)))
}

// A trend over cooked values is a deriv, which promtool finds right; over raw ones it is left.
func TestTrend(t *testing.T) {
	list := []alert.Rule{
		rule(t, "leak", `\PhysicalDisk(*)\Current Disk Queue Length>100`, func(r *alert.Rule) { r.Trend = time.Hour }),
		rule(t, "all", `\PhysicalDisk(*)\Current Disk Queue Length>100`, func(r *alert.Rule) {
			sum := cooker.AggregateTotal
			r.Trend, r.Aggregate, r.Need, r.Of, r.Clear = time.Hour, &sum, 2, 3, level(5)
		}),
	}
	f := promrule.Make(list, promrule.Options{Catalogues: []*session.Catalogue{rulepack.Catalogue()}})
	text := string(f.Append(nil))
	for _, want := range []string{"deriv(windows_physical_disk_requests_queued{", "[1h]) * 3600 > 100", "[1h:15s]) * 3600 > 100"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	promtool(t, "check", "rules", write(t, "rules.yml", []byte(text)))
	list[0] = rule(t, "rate", `\Processor Information(*)\% Processor Time>5`, func(r *alert.Rule) { r.Trend = time.Hour })
	f = promrule.Make(list[:1], promrule.Options{Catalogues: []*session.Catalogue{rulepack.Catalogue()}, Raw: true})
	if len(f.Groups) > 0 || len(f.Left) != 1 || !f.Left[0].Whole {
		t.Errorf("raw: %+v", f)
	}
}

// What hosts have by another name has the limit in that unit.
func TestTwin(t *testing.T) {
	cat := &session.Catalogue{Sets: []*session.Counterset{{Name: "Memory", Counters: []session.Counter{{
		Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Companions: session.NoCompanions,
	}}}}}
	list := []alert.Rule{rule(t, "low", `\Memory\Available MBytes<512`, func(r *alert.Rule) { r.Origin = alert.PackOrigin + "memory" })}
	if text := string(promrule.Make(list, promrule.Options{Catalogues: []*session.Catalogue{cat}}).Append(nil)); !strings.Contains(text, "< 536870912") {
		t.Error(text)
	}
}

// Whatever rules say, the file is YAML, and says it as it is.
func TestHostile(t *testing.T) {
	var rules []alert.Rule
	for _, name := range []string{
		"{{ template \"x\" }}", "a: b", "- c", "'quoted'", `"quoted"`, "# no comment", "back\\slash", "名前 💥", "\u00a0", "%", "*ref", "!tag", "tab", "yes", "{}", "|", "a\u2028b",
	} {
		r, err := alert.ParseRule(`\PhysicalDisk(` + `C: {{ "x" }} 'a' .+|(b)` + `)\Current Disk Queue Length>5`)
		if err != nil {
			t.Fatal(err)
		}
		r.Name, r.Why, r.Text, r.Hosts, r.Except = name, name, name, []string{name + "*"}, []string{strings.Trim(name, "#")}
		r.Need, r.Of, r.Clear, r.Cooldown = 2, 3, level(2), time.Minute
		rules = append(rules, r)
	}
	f := promrule.Make(rules, promrule.Options{Catalogues: []*session.Catalogue{rulepack.Catalogue()}})
	if len(f.Groups) != 1 || len(f.Groups[0].Rules) != len(rules) {
		t.Fatalf("left %v", f.Left)
	}
	promtool(t, "check", "rules", write(t, "rules.yml", f.Append(nil)))
}

// The counters that packs know have on a host the names that they have without one.
func TestPackNames(t *testing.T) {
	source, err := local.Open(local.Options{Go: func(f func()) { go f() }})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	cat, err := source.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for _, known := range rulepack.Catalogue().Sets {
		set := cat.Set(known.Name)
		if set == nil {
			continue
		}
		want, got := prom.NamesOf(known), prom.NamesOf(set)
		for i := range known.Counters {
			at, ok := set.Counter(known.Counters[i].Name)
			if !ok {
				continue
			}
			if got[at].Cooked.Name != want[i].Cooked.Name || got[at].Cooked.Scale != want[i].Cooked.Scale {
				t.Errorf("%s, %s is %s here, %s there", known.Name, known.Counters[i].Name, got[at].Cooked.Name, want[i].Cooked.Name)
			}
			same++
		}
	}
	if same < 10 {
		t.Errorf("only %d counters were compared", same)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 15 * time.Second: "15s", 89_999 * time.Millisecond: "1m29s999ms", 25 * time.Hour: "1d1h", 1500 * time.Millisecond: "1s500ms",
	} {
		if got := promrule.Duration(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
