package inventory

import (
	"errors"
	"os"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/hosts/pla/platest"
	"perfdeck/session/system/failure"
)

// accounts are those of a run by perf, whose password is given.
func accounts(password string) *logon.Accounts {
	return logon.New(logon.Options{User: platest.User, Password: []byte(password), Getenv: os.Getenv, Go: func(f func()) { go f() }})
}

// Hosts that are reached by SMB have sets, at the port that the config says, for the account of
// their counters.
func TestCollectorSets(t *testing.T) {
	h := platest.Start(t, platest.Options{})
	h.Add(pla.Service, platest.Set{Name: "Web", XML: "<DataCollectorSet/>"})
	with := func(password string) *Inventory {
		return New(Options{Accounts: accounts(password), Config: &config.Config{Hosts: []config.Host{{Name: "web01", Address: "127.0.0.1", EndpointPort: h.Port()}}}})
	}
	sets, err := with(platest.Password).CollectorSets("web01")
	if err != nil {
		t.Fatal(err)
	}
	if l, err := sets.List(t.Context()); err != nil || len(l.Sets) != 1 {
		t.Errorf("%+v: %v", l, err)
	}
	if held, _ := h.References(); held != 0 {
		t.Errorf("%d references are held", held)
	}
	_ = sets.Close()

	sets, err = with("wrong").CollectorSets("web01")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sets.List(t.Context()); !errors.Is(err, session.ErrDenied) {
		t.Error(err)
	}
	if _, err := sets.List(t.Context()); err == nil || !strings.Contains(err.Error(), "not tried") { // it would count against the account
		t.Error(err)
	}
	_ = sets.Close()
}

// What has no sets says so, before anybody is asked.
func TestNoCollectorSets(t *testing.T) {
	v := New(Options{Accounts: accounts("x"), Config: &config.Config{}})
	for _, name := range []string{"local", ".", "tcp://web01", "web01:446", "ssh://web01", "prom+http://127.0.0.1:1", `\\web01`, "a b"} {
		if sets, err := v.CollectorSets(name); err == nil || failure.Hint(err) == "" {
			t.Errorf("%s: %v, %v, hint %q", name, sets, err, failure.Hint(err))
		}
	}
	if _, err := New(Options{Demo: true}).CollectorSets("web01"); err == nil {
		t.Error("the demo has sets")
	}
	v = New(Options{Accounts: accounts("x"), Config: &config.Config{Hosts: []config.Host{{Name: "behind", Address: "gate:4451", EndpointPort: 1351}}}})
	for _, name := range []string{"web01", "web01:445", "192.0.2.1", "behind"} {
		if _, err := v.CollectorSets(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
