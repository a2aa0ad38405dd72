package main

import (
	"testing"

	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/recording/collector"
)

// A successor logs on to a host as whom the user typed, and goes on without a host that
// it cannot open.
func TestHeirLogsOnAsTyped(t *testing.T) {
	p := loggingOn(t)
	p.config = new(config.Config)
	as, err := p.accounts().Typed(`CORP\ana`, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	typed, err := opened(t, p, "web01:1", as)
	if err != nil {
		t.Fatal(err)
	}
	defer typed.Source.Close()
	described := []collector.Host{
		{Name: "web01:1", Open: typed.Open, Account: typed.Account()},
		{Name: "sql01:1", Open: "sql01:1", Account: func() string { return "" }}, // nothing says as whom
	}
	successor := loggingOn(t)
	successor.config = new(config.Config)
	successor.accounts().SetHandedOn(p.accounts().HandedOn())
	o := collector.Options{Subject: collector.Subject{Hosts: described}}
	hosts, err := successor.reopenHosts(t.Context(), &o, true)
	if err != nil {
		t.Fatal(err)
	}
	defer inventory.CloseAll(hosts)
	if len(hosts) != 1 || len(o.Hosts) != 1 || o.Hosts[0].Name != "web01:1" || o.Hosts[0].Sampler == nil || o.Hosts[0].Account() != `CORP\ana` {
		t.Errorf("reopened %+v", o.Hosts)
	}
	// Who resumes by hand is told instead.
	o = collector.Options{Subject: collector.Subject{Hosts: described}}
	if _, err := successor.reopenHosts(t.Context(), &o, false); err == nil {
		t.Error("resumed without a host")
	}
}
