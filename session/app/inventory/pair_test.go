package inventory

import (
	"strings"
	"testing"

	"perfdeck/session/config"
)

// A host that is named itself and that an engine has, too, is one: by its name, or by the short
// one where that is clear.
func TestPaired(t *testing.T) {
	const engine = "prom+http://db:9090#"
	for _, c := range []struct{ names, want string }{
		{"sql01 dc01", "sql01 dc01"},
		{"sql01 " + engine + "sql01", "sql01+sql01"},
		{engine + "SQL01 sql01:1445", "sql01:1445+SQL01"},
		{"sql01.corp " + engine + "sql01", "sql01.corp+sql01"},
		{"sql01 " + engine + "sql01.corp", "sql01+sql01.corp"},
		{"sql01 " + engine + "sql01.corp " + engine + "sql01.other", "sql01 sql01.corp sql01.other"},
		{"sql01.corp " + engine + "sql01.other", "sql01.corp sql01.other"},
		{"sql01.corp " + engine + "sql01.corp " + engine + "sql01", "sql01.corp+sql01.corp sql01"},
		{"10.0.0.1 " + engine + "10.0.0.2 " + engine + "10.0.0.1", "10.0.0.1+10.0.0.1 10.0.0.2"},
		{"10.0.0.1 " + engine + "10", "10.0.0.1 10"},
		{"tcp://sql01:14500 " + engine + "sql01", "sql01:14500+sql01"},
		{"ssh://ana@sql01 " + engine + "sql01", "sql01+sql01"},
		{"local " + engine + LocalName(), LocalName() + "+" + LocalName()},
		{"local " + engine + "localhost", LocalName() + " localhost"},
		{"sql01 " + engine + "sql01 prom+http://other:9090#sql01", "sql01+sql01 sql01"},
	} {
		var targets []Target
		for _, name := range strings.Fields(c.names) {
			targets = append(targets, Target{Name: DisplayName(name), Address: name})
		}
		var got []string
		for _, one := range paired(targets) {
			text := one.Name
			if one.Engine != "" {
				text += "+" + engineName(one.Engine)
			}
			got = append(got, text)
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%s: %s, want %s", c.names, all, c.want)
		}
	}
	own := []Target{{Name: "sql01", Address: "sql01"}, {Name: "old", Address: engine + "sql01", Own: config.Host{Name: "old"}}}
	if got := paired(own); len(got) != 2 {
		t.Errorf("a host of the config lost its name: %v", got)
	}
}
