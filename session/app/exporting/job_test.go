package exporting

import (
	"errors"
	"slices"
	"testing"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/give/exporter"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/system/failure"
)

func isUsage(err error) bool {
	_, is := errors.AsType[*failure.UsageError](err)
	return is
}

// Paths name no computer, and packs give theirs.
func TestAsked(t *testing.T) {
	a, err := Asked([]string{"Memory"}, []string{`\A\B`}, []string{"disk"})
	if err != nil || len(a.Sets) != 1 || len(a.Paths) < 3 || a.Paths[0] != `\A\B` {
		t.Errorf("%+v, %v", a, err)
	}
	for _, wrong := range [][2][]string{{{"Memory"}, nil}, {{`\\web01\A\B`}, nil}, {nil, {"nope"}}} {
		if _, err := Asked(nil, wrong[0], wrong[1]); !isUsage(err) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// What is named is given by /metrics; the config and who is allowed are beside them.
func TestHosts(t *testing.T) {
	of := func(demo bool) *inventory.Inventory {
		return inventory.New(inventory.Options{
			Config:   &config.Config{Hosts: []config.Host{{Name: "web01", Address: "tcp://127.0.0.1:1"}}},
			Accounts: logon.New(logon.Options{Getenv: func(string) string { return "" }}), Demo: demo, Named: func() int { return 1 },
			Clock: func() session.Clock { return session.NewSystemClock() }, Go: func(do func()) { go do() }, Getenv: func(string) string { return "" }, Context: t.Context,
		})
	}
	var o exporter.Options
	if _, err := Hosts(&o, of(false), false, []string{"tcp://127.0.0.1:2"}, []string{"tcp://127.0.0.1:3"}); err != nil || len(o.Metrics) != 1 || len(o.Targets) != 3 || o.Targets[1].Name != "web01" {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := o.Open(t.Context(), "web01"); err == nil {
		t.Error("a host without an account is opened")
	}
	o = exporter.Options{}
	if _, err := Hosts(&o, of(false), false, nil, nil); err != nil || !slices.Equal(o.Metrics, []string{inventory.LocalName()}) {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := Hosts(&o, of(false), false, []string{"a b"}, nil); !isUsage(err) {
		t.Errorf("%v", err)
	}
	o = exporter.Options{}
	if _, err := Hosts(&o, of(true), true, []string{"sql01"}, nil); err != nil || !slices.Equal(o.Metrics, []string{"sql01"}) {
		t.Errorf("%+v, %v", o, err)
	}
	if s, err := o.Open(t.Context(), "sql01"); err != nil || s == nil {
		t.Errorf("%v", err)
	}
	if _, err := o.Open(t.Context(), "sql01"); !errors.Is(err, errOnce) {
		t.Errorf("%v", err)
	}
}
