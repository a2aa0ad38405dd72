package inventory

import (
	"slices"
	"testing"

	"perfdeck/session/alert"
	"perfdeck/session/config"
)

// An engine is given how many services there are, of this computer and where the config says so, and
// those that a rule or a recording names: no others, and none of hosts that are not meant.
func TestServicesForEngines(t *testing.T) {
	rule := func(when string, change func(*alert.Rule)) alert.Rule {
		r, err := alert.ParseRule(when)
		if err != nil {
			t.Fatal(err)
		}
		change(&r)
		return r
	}
	as := func(*alert.Rule) {}
	v := inventoryOf(&config.Config{
		Alerts: config.Alerts{Rules: []alert.Rule{
			rule(`\Service(MSSQLSERVER)\Running<1`, func(r *alert.Rule) { r.Hosts = []string{"sql*"} }), rule(`\Service(*)\Failed>0`, as), rule(`\Service(off)\Running<1`, func(r *alert.Rule) { r.Disabled = true }),
			rule(`\\sql02\Service(Agent)\State<4`, as), rule(`\Memory\x>5`, as), rule("absent host", as),
		}},
		Records: []config.Record{{Paths: []string{`\Service(Spooler)\State`, `\Service(a*)\State`}, Hosts: []string{"web01"}}, {Paths: []string{`\Service(nginx)\Restarts`}}},
	})
	counts := []string{`\Service(_Total)\Running`, `\Service(_Total)\Stopped`, `\Service(_Total)\Failed`}
	for _, c := range []struct {
		target Target
		want   []string
	}{
		{Target{Name: "db01", Address: "db01"}, nil},
		{Target{Name: "db02", Address: "db02", Own: config.Host{Name: "db02", Services: true}}, counts},
		{Target{Name: "sql01", Address: "sql01"}, append(slices.Clone(counts), `\Service(MSSQLSERVER)\Running`, `\Service(MSSQLSERVER)\State`)},
		{Target{Name: "sql02", Address: "sql02"}, append(slices.Clone(counts), `\Service(MSSQLSERVER)\Running`, `\Service(MSSQLSERVER)\State`, `\Service(Agent)\State`)},
		{Target{Name: "web01", Address: "web01"}, append(slices.Clone(counts), `\Service(Spooler)\State`)},
		{Target{Name: "here", Address: Local}, append(slices.Clone(counts), `\Service(nginx)\Restarts`, `\Service(nginx)\State`)},
	} {
		if got := v.Services(c.target); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.target.Name, got, c.want)
		}
	}
}
