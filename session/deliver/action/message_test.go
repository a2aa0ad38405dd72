package action

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/text/field"
)

// Whoever is called at night is told of an alert by whatever way it comes: why there is the
// rule, what to look at, how it stands to the limit, and the command that shows it.
func TestWhatPeopleNeed(t *testing.T) {
	n := notice("alertmanager:ops")
	n.RuleWhy, n.Next, n.Open = "disks of this kind answer in 5 ms", []string{"Who writes to it?", "Is the RAID degraded?"}, "ssh://ana@db"
	want := map[string]string{
		"event": "fired", "op": ">", "why": n.RuleWhy, "next": "Who writes to it? Is the RAID degraded?", "instance": "C:",
		"graph": `perfdeck --host=ssh://ana@db '\\db\Disk(C:)\sec/Read'`,
	}
	holds := func(n *alert.Notice, want map[string]string) {
		t.Helper()
		env, journal := strings.Join(environ(nil, "PERFDECK_ALERT_", variables(n)), "\n")+"\n", string(journalEntry(n))
		posted := annotations(&n.Event)
		var sent map[string]any
		if body, err := json.Marshal(MessageOf(n, 0)); err != nil || json.Unmarshal(body, &sent) != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			if got := arguments([]string{"x", "{" + name + "}"}, variables(n))[1]; got != text {
				t.Errorf("{%s} is %q, want %q", name, got, text)
			}
			for _, line := range []string{"PERFDECK_ALERT_" + strings.ToUpper(name), "PERFDECK_" + strings.ToUpper(name)} {
				if line += "=" + text + "\n"; !strings.Contains(env+journal, line) {
					t.Errorf("no %q", line)
				}
			}
			if posted[name] != text {
				t.Errorf("annotation %s is %q, want %q", name, posted[name], text)
			}
			list, isList := sent[name].([]any)
			if got := strings.Trim(fmt.Sprint(list), "[]"); isList && got != text || !isList && sent[name] != text {
				t.Errorf("%s is sent as %v, want %q", name, sent[name], text)
			}
		}
	}
	holds(&n, want)

	n.Kind, n.Value, n.Shown, n.Why, n.Lasted = alert.Cleared, new(0.012), "12.0 ms", "", field.Seconds(time.Minute)
	holds(&n, map[string]string{"event": "cleared", "op": "<=", "why": n.RuleWhy})
	if got := arguments([]string{"x", "{value} {op} {threshold}"}, variables(&n))[1]; got != "0.012 <= 0.025" {
		t.Errorf("an end reads %q", got)
	}
	if a := annotations(&n.Event); a["value"]+" "+a["threshold"] != "12.0 ms <= 25.0 ms" {
		t.Errorf("an end reads %q %q", a["value"], a["threshold"])
	}
	n.Why, n.RuleWhy, n.Open = "gone", "", ""
	holds(&n, map[string]string{"why": "gone", "reason": "gone"})
	if a := annotations(&n.Event); a["graph"] != "" {
		t.Errorf("a recording has the graph %q", a["graph"])
	}
}

// There is one list of what is told: each name of the JSON is a variable, and none is a secret.
func TestNamesOfTellings(t *testing.T) {
	n := notice()
	v := variables(&n)
	body, err := json.Marshal(MessageOf(&alert.Notice{Event: n.Event, More: []alert.Event{n.Event}}, 1))
	var sent map[string]any
	if err != nil || json.Unmarshal(body, &sent) != nil {
		t.Fatal(err)
	}
	for name := range sent {
		if _, known := v[name]; !known && name != "more" {
			t.Errorf("{%s} is not known", name)
		}
	}
	for _, name := range []string{"name", "counter", "value", "threshold", "date", "usertext", "event", "op", "severity", "host", "instance", "why", "next"} {
		if _, known := v[name]; !known {
			t.Errorf("{%s} is not known", name)
		}
	}
	for _, host := range []string{"it's", "a b", "$(x)", "-x"} {
		n.Open = host
		if got := graphOf(&n.Event); host != "-x" && !strings.Contains(got, "'") || slices.Contains(strings.Fields(got), "$(x)") {
			t.Errorf("%s: %s", host, got)
		}
	}
}
