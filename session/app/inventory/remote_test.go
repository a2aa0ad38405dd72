package inventory

import (
	"slices"
	"testing"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
)

// What is asked of a host comes first in its catalogue: by the identifiers that are known of
// countersets, else by their names; and that is enough when nothing is missing.
func TestFirstOf(t *testing.T) {
	queries := []Query{
		NewQuery(`\Thermal Zone Information(*)\Temperature`, ""), NewQuery(`\\web02\Memory\Available MBytes`, ""), NewQuery(`\\web01\System\Processes`, ""),
		{Question: session.Question{Text: "Own Set", Whole: true, Optional: true}},
	}
	f := firstOf("web01", Mode{Asked: queries})
	if want := []string{"Thermal Zone Information", "System", "Own Set"}; !slices.Equal(f.Names, want) {
		t.Errorf("%q", f.Names)
	}
	for _, guid := range []string{"{52bc5412-dac2-449c-8bc2-96443888fe6b}", server.CountersetGUID("system").String(), server.CountersetGUID("own set").String()} {
		if !slices.Contains(f.GUIDs, guid) {
			t.Errorf("%s is not asked for", guid)
		}
	}
	one := func(name string, counter string) *session.Counterset {
		return &session.Counterset{Name: name, Instances: session.MultipleInstances, Counters: []session.Counter{{Name: counter}}}
	}
	cat := &session.Catalogue{Sets: []*session.Counterset{one("Thermal Zone Information", "Temperature"), one("System", "Processes")}}
	cat.Sets[1].Instances = session.SingleInstance
	if f.Enough(cat) {
		t.Error("what is optional is not looked for")
	}
	if cat.Sets = append(cat.Sets, one("Own Set", "A")); !f.Enough(cat) {
		t.Error("something is missed")
	}
	for name, m := range map[string]Mode{
		"named instances": {Asked: []Query{NewQuery(`\SQLServer:Locks(*)\Lock Waits/sec`, "")}},
		"another host":    {Asked: []Query{NewQuery(`\\web02\Memory\Available MBytes`, "")}},
		"nothing":         {},
	} {
		if f := firstOf("web01", m); f.Enough != nil || f.All || len(f.Names)+len(f.GUIDs) > 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if f := firstOf("web01", Mode{Bare: true}); !f.All {
		t.Error("not all")
	}
	if f := firstOf("web01", Mode{Deck: true}); !slices.Contains(f.GUIDs, "{b4fc721a-0378-476f-89ba-a5a79f810b36}") || f.Enough != nil {
		t.Errorf("%+v", f)
	}
}

// All that is opened of a host keeps to one limit: its own, or that of all.
func TestRateOf(t *testing.T) {
	v := New(Options{MaxRate: 1 << 20})
	web, own := Target{Name: "web01", Address: "tcp://web01:14500"}, Target{Name: "sql", Address: "sql01", Own: config.Host{MaxRate: 1}}
	if v.rateOf(web) == nil || v.rateOf(web) != v.rateOf(web) || v.rateOf(web) == v.rateOf(own) {
		t.Error("hosts have not each its limit")
	}
	engine := Target{Name: "db", Address: "prom+http://127.0.0.1:1#db", Own: config.Host{MaxRate: 1 << 20}}
	if _, err := v.Source(engine, Mode{}); failure.Hint(err) == "" {
		t.Errorf("a limit that nobody keeps to: %v", err)
	}
	if New(Options{}).rateOf(web) != nil {
		t.Error("a limit where none was set")
	}
	if New(Options{}).rateOf(own) == nil {
		t.Error("no limit where one was set")
	}
}

// A limit that the config changes is taken by a reload; hosts that are opened by the same share it.
func TestLimitsFollowTheConfig(t *testing.T) {
	with := func(most int64) *config.Config {
		return &config.Config{Hosts: []config.Host{{Name: "web01", Address: "tcp://127.0.0.1", MaxRate: most}}}
	}
	v := New(Options{Config: with(1 << 20)})
	rate := func() *rpc.Rate {
		target, err := v.Target("web01")
		if err != nil {
			t.Fatal(err)
		}
		return v.rateOf(target)
	}
	first := rate()
	if rate() != first {
		t.Error("it has two limits")
	}
	v.Reload(with(1 << 10))
	if second := rate(); second == first || second == nil {
		t.Error("it keeps to the old one")
	}
	v.Reload(with(0))
	if rate() != nil {
		t.Error("it has a limit still")
	}
}
