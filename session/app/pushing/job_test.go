package pushing

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/engine/link"
	"perfdeck/session/give/push"
	"perfdeck/session/system/failure"
)

// of is a maker over a config.
func of(t *testing.T, pushes ...config.Push) *Maker {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	return &Maker{
		Config: &config.Config{Pushes: pushes}, Clock: func() session.Clock { return session.NewSystemClock() },
		Link: func(u *url.URL, _, _ string, a config.EngineAccount) (link.Engine, error) {
			return link.Engine{URL: u.String(), Tenant: a.Tenant}, nil
		},
	}
}

func isUsage(err error) bool {
	_, is := errors.AsType[*failure.UsageError](err)
	return is
}

// A push is named as the config has it, or by its address.
func TestNamed(t *testing.T) {
	m := of(t, config.Push{Name: "prometheus", URL: "http://127.0.0.1:9090/api/v1/write", Rate: 5})
	if p, err := m.Named("prometheus"); err != nil || p.Rate != 5 {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := m.Named("http://127.0.0.1:1/w"); err != nil || p.URL != "http://127.0.0.1:1/w" || p.Name != "" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := m.Named("mimir"); !isUsage(err) || !strings.Contains(failure.Hint(err), "prometheus") {
		t.Errorf("%v", err)
	}
}

// Countersets, paths and packs are asked for, and the usual countersets where nothing is said.
func TestQueries(t *testing.T) {
	all, err := Queries(config.Push{Sets: []string{"Memory"}, Paths: []string{`\\web01\System\Processes`}, Packs: []string{"disk"}}, inventory.NewQuery(`\A\B`, "f:1"))
	if err != nil || len(all) < 4 || !all[0].Whole || all[1].IsFor(&inventory.Host{Name: "web02"}) || !all[1].IsFor(&inventory.Host{Name: "web01"}) || all[len(all)-1].Text != `\A\B` {
		t.Errorf("%+v, %v", all, err)
	}
	if got := questionsOf(push.Host{Name: "web02"}, all); len(got) != len(all)-1 {
		t.Errorf("%d of %d are meant for another host", len(got), len(all))
	}
	if got := questionsOf(push.Host{Name: "web01", Aside: true}, all); len(got) != 1 {
		t.Errorf("%+v are meant for a host that a path alone names", got)
	}
	if all, err := Queries(config.Push{Sets: []string{"service"}}); err != nil || len(all) == 0 || all[0].Whole || !strings.Contains(all[0].Text, "_Total") {
		t.Errorf("of services each is given: %+v, %v", all, err)
	}
	if all, err := Queries(config.Push{}); err != nil || len(all) == 0 || !all[0].Optional {
		t.Errorf("%+v, %v", all, err)
	}
	for name, wrong := range map[string]config.Push{"path": {Paths: []string{"Memory"}}, "pack": {Packs: []string{"nope"}}} {
		if _, err := Queries(wrong); !isUsage(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What waits has a folder of its own for each engine, tenant, replica and shard, and bounds.
func TestMake(t *testing.T) {
	m := of(t)
	seen := map[string]bool{}
	named := config.Push{URL: "http://127.0.0.1:9090"}
	for _, edit := range []func(*config.Push){
		func(*config.Push) {}, func(p *config.Push) { p.URL = "http://127.0.0.1:9091" },
		func(p *config.Push) { p.Tenant = "ops" }, func(p *config.Push) { p.Replica = "a" },
	} {
		one := named
		edit(&one)
		for _, shard := range []push.Shard{{}, {Number: 1, Of: 2}} {
			o, err := m.Make(one, "", shard)
			if err != nil || o.Bytes != usualQueueSize || o.Age != usualQueueAge || seen[o.Queue] {
				t.Errorf("%+v %v: %s, %d, %v, %v", one, shard, o.Queue, o.Bytes, o.Age, err)
			}
			seen[o.Queue] = true
		}
	}
	queue := filepath.Join(t.TempDir(), "q")
	named.QueueSize, named.QueueAge, named.Labels = 1<<26, time.Hour, map[string]string{"site": "fra"}
	if o, err := m.Make(named, queue, push.Shard{}); err != nil || o.Queue != queue || o.Bytes != 1<<26 || o.Age != time.Hour || len(o.Labels) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	for _, wrong := range []config.Push{{URL: "http://"}, {URL: "ftp://x"}, {URL: named.URL, Labels: map[string]string{"__name__": "x"}}} {
		if _, err := m.Make(wrong, queue, push.Shard{}); !isUsage(err) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// The pushes of a config are meant for hosts that it names, at their interval or the usual one.
func TestEntries(t *testing.T) {
	m := of(t, config.Push{Name: "a", URL: "http://127.0.0.1:1", Hosts: []string{"web01"}}, config.Push{Name: "b", URL: "http://127.0.0.1:2", Interval: time.Minute})
	entries := m.Entries(time.Second)
	if len(entries) != 2 {
		t.Fatalf("%+v", entries)
	}
	for i, want := range []struct {
		every time.Duration
		web02 bool
	}{{time.Second, false}, {time.Minute, true}} {
		o, asks, err := entries[i].Open()
		if err != nil || o.Every != want.every {
			t.Errorf("%v, %v", o.Every, err)
			continue
		}
		if _, meant := asks(push.Host{Name: "web02"}); meant != want.web02 {
			t.Errorf("%s is meant for web02: %v", entries[i].Name, meant)
		}
	}
}
