package config

import (
	"strings"
	"testing"
)

// setsFile are two hosts with sets.
const setsFile = `
[[host]]
name = "web1"
address = "web1.example.com"
sets = ["Detail", 'System\System Performance']
[[host]]
name = "web2"
address = "web2.example.com"
sets = ['Service\Detail']
stop_sets = "any"
`

func TestHostSets(t *testing.T) {
	c, warnings, err := Parse("f", []byte(setsFile))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	for name, want := range map[string]HostSet{
		`WEB1\detail`:                     {"web1", "Detail", false},
		`web1\service\Detail`:             {"web1", "Detail", false},
		`web1\System\system performance`:  {"web1", `System\System Performance`, false},
		`web2\Detail`:                     {"web2", `Service\Detail`, true},
		`web1\Session\Detail`:             {},
		`web1\Service\System Performance`: {},
		`web3\Detail`:                     {},
		`web1`:                            {},
		``:                                {},
	} {
		if got, ok := c.Alerts.Set(name); got != want || ok != (want != HostSet{}) {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
	for _, sets := range []string{`["a\u001bb"]`, `['Legacy\X']`, `['Service\']`, `['Service\a\b']`, `[""]`, `[" a"]`, `"Detail"`} {
		_, _, err := Parse("f", []byte("[[host]]\nname = \"a\"\naddress = \"b\"\nsets = "+sets+"\n"))
		if err == nil || !strings.Contains(err.Error(), "sets") {
			t.Errorf("%s: %v", sets, err)
		}
	}
}

// Actions start and stop sets that the config names, and say where they would never do anything.
func TestSetActions(t *testing.T) {
	for actions, wrong := range map[string]string{
		`then = ['start-set:web1\Detail']`:                                             "",
		`then = ['start-set:web1\Detail']|cleared = ['stop-set:WEB1\Service\Detail']`:  "",
		`cleared = ['stop-set:web2\Detail']`:                                           "",
		`then = ['stop-set:web2\Detail']`:                                              "",
		`then = ['start-set:web1\Other']`:                                              "then",
		`then = ['start-set:Detail']`:                                                  "then",
		`then = ['start-set']`:                                                         "then",
		`cleared = ['start-set:web1\Detail']`:                                          "cleared",
		`cleared = ['stop-set:web1\Detail']`:                                           "cleared",
		`then = ['start-set:web1\Detail', 'stop-set:web1\Detail']`:                     "then",
		`then = ['start-set:web2\Detail']|cleared = ['stop-set:web1\Detail']`:          "cleared",
		`then = ['start-set:web1\System\System Performance', 'start-set:web2\Detail']`: "",
	} {
		_, _, err := Parse("f", []byte(setsFile+"[[alert]]\nwhen = '\\A\\B > 1'\n"+strings.ReplaceAll(actions, "|", "\n")+"\n"))
		if (err != nil) != (wrong != "") || err != nil && !strings.Contains(err.Error(), "alert[1]."+wrong) {
			t.Errorf("%s: %v", actions, err)
		}
	}
}
