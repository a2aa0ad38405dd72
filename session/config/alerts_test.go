package config

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
)

const alertsFile = `
[alerts]
packs = ["disk"]

[[alert]]
name = "slow disk"
when = '\PhysicalDisk(*)\Avg. Disk sec/Transfer > 25e-3'
severity = "critical"
interval = 5
for = "5 of 6"
clear = 0.015
cooldown = "10m"
quiet = ["22:00-06:00", "sat,sun 00:00-24:00"]
hosts = ["sql*"]
except = ["D:"]
totals = true
aggregate = "average"
then = ["bell", "webhook:ops", "task:page", "file:/var/log/alerts"]
cleared = ["webhook:ops"]
text = "runbook 12"
why = "Users wait."

[[alert]]
absent = 'host'
after = 30

[[alert]]
when = '\Memory\Available MBytes<200'
interval = 4294967295
enabled = false
for = 3

[tasks.page]
command = ["page", "{counter}"]
most = 2

[webhooks.ops]
url = "https://example.com/hook"
token_file = "/etc/ops.token"
per_minute = 5
`

func TestAlerts(t *testing.T) {
	c, warnings, err := Parse("f", []byte(alertsFile))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	a := c.Alerts
	if len(a.Rules) != 3 || a.Packs[0] != "disk" {
		t.Fatalf("%+v", a)
	}
	r := a.Rules[0]
	if r.Expression() != `\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.025` || r.Severity != alert.Critical || r.Interval != 5*time.Second ||
		r.Need != 5 || r.Of != 6 || *r.Clear != 0.015 || r.Cooldown != 10*time.Minute || len(r.Quiet) != 2 || !r.Totals || r.Aggregate == nil ||
		len(r.Actions) != 4 || r.Actions[3] != (alert.Action{Do: alert.File, Name: "/var/log/alerts"}) || len(r.OnClear) != 1 || r.Text != "runbook 12" {
		t.Errorf("%+v", r)
	}
	if r := a.Rules[1]; r.Kind != alert.HostLost || r.After != 30*time.Second || r.Name != "absent host" || r.Severity != alert.Warning || len(r.Actions) != 1 {
		t.Errorf("%+v", r)
	}
	if r := a.Rules[2]; r.Interval != alert.Once || !r.Disabled || r.Need != 3 || r.Of != 3 {
		t.Errorf("%+v", r)
	}
	if task := a.Tasks["page"]; task.Most != 2 || task.Timeout != 30*time.Second || len(task.Command) != 2 {
		t.Errorf("%+v", task)
	}
	if w := a.Webhooks["ops"]; w.Token.File != "/etc/ops.token" || w.Header != "" || w.PerMinute != 5 {
		t.Errorf("%+v", w)
	}
}

func TestWrongAlerts(t *testing.T) {
	const rule = "[[alert]]\nwhen = '\\M\\A>5'\n"
	for text, key := range map[string]string{
		"[[alert]]\n":                                                       "alert[1].when",
		"[[alert]]\nwhen = '\\M\\A'\n":                                      "alert[1].when",
		"[[alert]]\nwhen = 5\n":                                             "alert[1].when",
		"[[alert]]\nabsent = 'M'\n":                                         "alert[1].absent",
		rule + "absent = 'host'\n":                                          "alert[1].absent",
		rule + "severity = \"bad\"\n":                                       "alert[1].severity",
		rule + "interval = \"10ms\"\n":                                      "alert[1].interval",
		rule + "for = \"6 of 5\"\n":                                         "alert[1].for",
		rule + "for = 0\n":                                                  "alert[1].for",
		rule + "for = \"5 of 65\"\n":                                        "alert[1].for",
		rule + "clear = 6\n":                                                "alert[1].clear",
		rule + "clear = nan\n":                                              "alert[1].clear",
		rule + "quiet = [\"22-6\"]\n":                                       "alert[1].quiet[1]",
		rule + "then = [\"beep\"]\n":                                        "alert[1].then[1]",
		rule + "then = [\"task:none\"]\n":                                   "alert[1].then",
		rule + "cleared = [\"webhook:none\"]\n":                             "alert[1].cleared",
		rule + "then = [\"file:alerts\"]\n":                                 "alert[1].then",
		rule + "aggregate = \"average\"\n":                                  "alert[1].aggregate",
		rule + "name = \"a\\u001b[2J\"\n":                                   "alert[1].name",
		rule + rule:                                                         "alert[2].name",
		"[[alert]]\nabsent = 'host'\nclear = 3\n":                           "alert[1].clear",
		"[tasks.a]\n":                                                       "tasks.a.command",
		"[tasks.a]\ncommand = []\n":                                         "tasks.a.command",
		"[tasks.a]\ncommand = [\"a/b\"]\n":                                  "tasks.a.command",
		"[tasks.a]\ncommand = [\"a\", 5]\n":                                 "tasks.a.command",
		"[tasks.a]\ncommand = [\"a\"]\nmost = 0\n":                          "tasks.a.most",
		"[tasks.a]\ncommand = [\"a\"]\ntimeout = 0\n":                       "tasks.a.timeout",
		"[tasks]\na = 5\n":                                                  "tasks.a",
		"[webhooks.a]\n":                                                    "webhooks.a.url",
		"[webhooks.a]\nurl = \"http://example.com\"\n":                      "webhooks.a.url",
		"[webhooks.a]\nurl = \"ftp://example.com\"\n":                       "webhooks.a.url",
		"[webhooks.a]\nurl = \"https://u:p@example.com\"\n":                 "webhooks.a.url",
		"[webhooks.a]\nurl = \"https://example.com\"\ntoken = \"s3cret\"\n": "webhooks.a.token",
		"[webhooks.a]\nurl = \"https://example.com\"\ntoken_file = \"s3cret\"\n":                             "webhooks.a.token_file",
		"[webhooks.a]\nurl = \"https://example.com\"\ntoken_keyring = \"x\"\ntoken_command = [\"s3cret\"]\n": "webhooks.a.token_command",
		"[webhooks.a]\nurl = \"https://example.com\"\nheader = \"A: b\"\n":                                   "webhooks.a.header",
		"[webhooks.a]\nurl = \"https://example.com\"\nper_minute = 0\n":                                      "webhooks.a.per_minute",
	} {
		_, _, err := Parse("f", []byte(text))
		var e *FileError
		if !errors.As(err, &e) || e.Key != key || e.Line == 0 {
			t.Errorf("%q: %v, want it of %s", text, err, key)
			continue
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q shows the token: %v", text, err)
		}
	}
	for _, address := range []string{"http://127.0.0.1:8080/x", "http://[::1]/", "http://localhost:1/", "https://example.com:444/a?b=c"} {
		if _, _, err := Parse("f", []byte("[webhooks.a]\nurl = \""+address+"\"\n")); err != nil {
			t.Error(err)
		}
	}
}

// A file that others may write must neither name programs nor files to write to.
func TestDistrustedAlerts(t *testing.T) {
	distrust := &InsecureError{"config.toml", "everybody may write it", "chmod go-w config.toml"}
	for text, refused := range map[string]bool{
		"[[alert]]\nwhen = '\\M\\A>5'\nthen = [\"bell\"]\n":                       false,
		"[webhooks.a]\nurl = \"https://example.com\"\ntoken_file = \"/a\"\n":      true,
		"[tasks.a]\ncommand = [\"a\"]\n":                                          true,
		"[webhooks.a]\nurl = \"https://example.com\"\ntoken_command = [\"a\"]\n":  true,
		"[[alert]]\nwhen = '\\M\\A>5'\nthen = [\"file:/home/ana/.profile\"]\n":    true,
		"[[alert]]\nwhen = '\\M\\A>5'\ncleared = [\"file:/home/ana/.profile\"]\n": true,
	} {
		_, _, err := parse("f", []byte(text), distrust, false)
		if (err != nil) != refused {
			t.Errorf("%q: %v", text, err)
		}
		var e *FileError
		if refused && (!errors.As(err, &e) || e.Hint() == "" || !errors.Is(err, error(distrust))) {
			t.Errorf("%q: %v with hint %q", text, err, e.Hint())
		}
	}
}

// An error in a list names the item, and where it stands.
func TestWrongItems(t *testing.T) {
	for text, want := range map[string]struct {
		key    string
		found  string
		column int
	}{
		`then = ["log", "file"]`:               {"alert[1].then[2]", `"file"`, 16},
		`cleared = ["bell", 5]`:                {"alert[1].cleared[2]", "5", 20},
		`quiet = ["22:00-06:00", "sometimes"]`: {"alert[1].quiet[2]", `"sometimes"`, 25},
		`hosts = [""]`:                         {"alert[1].hosts[1]", `""`, 10},
		`then = "log"`:                         {"alert[1].then", `"log"`, 8},
	} {
		_, _, err := Parse("f", []byte("[[alert]]\nwhen = '\\M\\A>5'\n"+text+"\n"))
		e, ok := errors.AsType[*FileError](err)
		if !ok || e.Key != want.key || !strings.Contains(e.Reason, want.found) || e.Line != 3 || e.Column != want.column || e.Expected == "" {
			t.Errorf("%s: %v, %+v", text, err, e)
		}
	}
}

func TestAlertExample(t *testing.T) {
	c, warnings, err := Parse("f", []byte(uncommented()))
	if err != nil || len(warnings) > 0 || len(c.Alerts.Rules) != 7 || len(c.Alerts.Tasks) != 1 || len(c.Alerts.Webhooks) != 3 {
		t.Errorf("%+v, %v, %v", c.Alerts, warnings, err)
	}
}

// sameRule tells whether two rules say the same but for where they stand.
func sameRule(a, b alert.Rule) bool {
	a.Origin, b.Origin = "", ""
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && reflect.DeepEqual(x, y)
}

// FuzzAlerts: a rule that is read is written so that it reads back the same.
func FuzzAlerts(f *testing.F) {
	f.Add([]byte(alertsFile))
	f.Add([]byte("[[alert]]\nwhen = \"\\\\O'b\\\\C > 1 > -5\"\nname = \"it's\\\\\\\"\"\ntext='\"'\n"))
	f.Add([]byte("[[alert]]\nwhen = '\\A(*)\\B > 5'\ntrend = '90m'\nvalue = '{B} / {C}'\n"))
	f.Add([]byte("[[alert]]\nabsent = '\\A(x#3)\\B'\nafter = 0.5\nthen = []\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, _, err := Parse("f", data)
		if err != nil {
			return
		}
		for _, r := range c.Alerts.Rules {
			if len(r.Actions) == 0 {
				continue // an empty list is written as none, which is the log
			}
			var tables []byte
			for _, a := range append(r.Actions, r.OnClear...) {
				switch a.Do {
				case alert.Task:
					tables = append(tables, "[tasks."+keyText(a.Name)+"]\ncommand = [\"a\"]\n"...)
				case alert.Webhook:
					tables = append(tables, "[webhooks."+keyText(a.Name)+"]\nurl = \"https://a\"\n"...)
				default:
				}
			}
			text := AppendAlert(nil, r)
			again, warnings, err := Parse("f", append(text, tables...))
			if err != nil && strings.Contains(err.Error(), "already") {
				continue // an action twice
			}
			if err != nil || len(warnings) > 0 || len(again.Alerts.Rules) != 1 || !sameRule(again.Alerts.Rules[0], r) {
				t.Fatalf("%+v is written as\n%s%v %v", r, text, err, warnings)
			}
		}
	})
}

const clusterFile = `
[[alertmanager]]
name = "ops"
urls = ["https://am1.example.com:9093", "http://127.0.0.1:9093/am/"]
user = "perfdeck"
password_file = "/etc/am.password"
ca_file = "/etc/am.pem"
repeat = "30s"
labels = { site = "fra", _a1 = "内存" }
link = "https://wiki.example.com/x?y=z"

[[alertmanager]]
name = "plain"
urls = ["http://am.example.com:9093"]

[[alert]]
when = '\M\A>5'
then = ["alertmanager:OPS", "alertmanager:plain"]
`

func TestAlertmanagers(t *testing.T) {
	c, warnings, err := Parse("f", []byte(clusterFile))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := []Alertmanager{
		{Name: "ops", URLs: []string{"https://am1.example.com:9093", "http://127.0.0.1:9093/am/"}, User: "perfdeck", Secret: PasswordRef{File: "/etc/am.password"}, CAFile: "/etc/am.pem",
			Repeat: 30 * time.Second, Labels: map[string]string{"site": "fra", "_a1": "内存"}, Link: "https://wiki.example.com/x?y=z"},
		{Name: "plain", URLs: []string{"http://am.example.com:9093"}},
	}
	if !reflect.DeepEqual(c.Alerts.Alertmanagers, want) {
		t.Errorf("%+v\nwant\n%+v", c.Alerts.Alertmanagers, want)
	}
	const begin = "[[alertmanager]]\nname = \"a\"\n"
	const good = begin + "urls = [\"https://a\"]\n"
	for text, key := range map[string]string{
		"[[alertmanager]]\nurls = [\"https://a\"]\n": "alertmanager[1].name",
		good + good:                      "alertmanager[2].name",
		begin:                            "alertmanager[1].urls",
		begin + "urls = []\n":            "alertmanager[1].urls",
		begin + "urls = [\"ftp://a\"]\n": "alertmanager[1].urls",
		begin + "urls = [\"https://u:s3cret@a\"]\n":                                               "alertmanager[1].urls",
		begin + "urls = [\"http://am.example.com\"]\ntoken_file = \"/a\"\n":                       "alertmanager[1].urls",
		good + "user = \"a\"\n":                                                                   "alertmanager[1].password_file",
		good + "password_file = \"/a\"\n":                                                         "alertmanager[1].user",
		good + "user = \"a:b\"\npassword_file = \"/a\"\n":                                         "alertmanager[1].user",
		good + "user = \"a\"\ntoken_file = \"/a\"\n":                                              "alertmanager[1].user",
		good + "password = \"s3cret\"\n":                                                          "alertmanager[1].password",
		good + "token = \"s3cret\"\n":                                                             "alertmanager[1].token",
		good + "repeat = \"1s\"\n":                                                                "alertmanager[1].repeat",
		good + "labels = { alertname = \"x\" }\n":                                                 "alertmanager[1].labels.alertname",
		good + "labels = { \"a-b\" = \"x\" }\n":                                                   "alertmanager[1].labels.a-b",
		good + "labels = { a = 5 }\n":                                                             "alertmanager[1].labels.a",
		good + "link = \"javascript:alert(1)\"\n":                                                 "alertmanager[1].link",
		"[[alert]]\nwhen = '\\M\\A>5'\nthen = [\"alertmanager:none\"]\n":                          "alert[1].then",
		good + "[[alert]]\nwhen = '\\M\\A>5'\nthen = [\"log\"]\ncleared = [\"alertmanager:a\"]\n": "alert[1].cleared",
	} {
		_, _, err := Parse("f", []byte(text))
		e, ok := errors.AsType[*FileError](err)
		if !ok || e.Key != key || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v, want it of %s", text, err, key)
		}
	}
	if _, _, err := parse("f", []byte(good+"token_command = [\"a\"]\n"), &InsecureError{"f", "everybody may write it", ""}, false); err == nil {
		t.Error("a file that others may write names a program")
	}
}

// What a key of a rule cannot be is refused there, with what it takes.
func TestWrongAlertKeys(t *testing.T) {
	for _, field := range alert.Fields() {
		key := field.Name
		if field.Help == "" { // it is no key
			continue
		}
		text := "[[alert]]\nwhen = '\\A(*)\\B > 5'\n" + key + " = {}\n"
		if key == "when" || key == "absent" {
			text = "[[alert]]\n" + key + " = {}\n"
		}
		_, _, err := Parse("f", []byte(text))
		e, ok := errors.AsType[*FileError](err)
		if !ok || e.Key != "alert[1]."+key || e.Line != strings.Count(text, "\n") || e.Expected == "" || strings.Contains(e.Expected, "%") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// Rules that count events say which by keys of their own, and are written as they were read.
func TestCountsInTheConfig(t *testing.T) {
	for text, want := range map[string]string{
		"source = \"disk\"\nid = \"153\"\nlog = \"System\"\nmore_than = 3\nwithin = \"10m\"\n": "event System:disk/153>3 in 10m",
		"key = \"unit-failed\"\nwithin = \"1h\"\nseverity = \"critical\"\n":                    "event unit-failed>0 in 1h",
		"source = \"nginx\"\n": "event nginx/*>0 in 10m",
	} {
		c, warnings, err := Parse("f", []byte("[[alert]]\n"+text))
		if err != nil || len(warnings) > 0 || len(c.Alerts.Rules) != 1 || c.Alerts.Rules[0].Name != want {
			t.Errorf("%q: %+v, %v, %v", text, c, warnings, err)
			continue
		}
		r := c.Alerts.Rules[0]
		again, _, err := Parse("f", AppendAlert(nil, r))
		if err != nil || !sameRule(again.Alerts.Rules[0], r) || again.Alerts.Rules[0].Events != r.Events {
			t.Errorf("%s\nis read as %+v, %v", AppendAlert(nil, r), again.Alerts, err)
		}
	}
	for text, key := range map[string]string{
		"when = '\\A\\B>5'\nkey = \"unit-failed\"\n": "key",
		"absent = \"host\"\nsource = \"disk\"\n":     "source",
		"when = '\\A\\B>5'\nmore_than = 3\n":         "when",
		"key = \"unit-failed\"\nid = \"7\"\n":        "id",
		"key = \"no-such\"\n":                        "key",
		"source = \"a\"\nfor = \"5 of 6\"\n":         "source",
		"source = \"a\"\nwithin = \"0s\"\n":          "within",
		"source = \"a\"\nmore_than = -1\n":           "source",
		"source = \"a\"\nvalue = \"{A} / 2\"\n":      "value",
		"source = \"a\"\nclear = 1\n":                "clear",
		"source = \"a\"\naggregate = \"total\"\n":    "aggregate",
		"when = 'event unit-failed>0 in 10m'\n":      "when",
	} {
		_, _, err := Parse("f", []byte("[[alert]]\n"+text))
		if e, ok := errors.AsType[*FileError](err); !ok || e.Key != "alert[1]."+key {
			t.Errorf("%q: %v, want it of %s", text, err, key)
		}
	}
}
