package ruleset

import (
	"strings"
	"testing"
	"time"

	"perfdeck/paths"
	"perfdeck/session/alert"
	page "perfdeck/session/text"
)

// What fires is listed, whoever gave its rule.
func TestRulesElsewhere(t *testing.T) {
	memory := alert.NewMemory()
	fire := func(rule, path string, kind alert.EventKind, op paths.Op) {
		memory.Add(alert.Event{
			Time: time.Now(), Kind: kind, ID: alert.ID{Rule: rule, Host: "a", Set: "Memory", Counter: "Pages/sec"},
			Severity: alert.Critical, Path: path, Op: op, Limit: 5,
		})
	}
	const path = `\\a\Memory\Pages/sec`
	fire("known", path, alert.Fired, paths.Above)
	fire("other", path, alert.Fired, paths.Above)
	fire("absent", path, alert.Fired, 0)
	fire("over", path, alert.Fired, paths.Above)
	fire("over", path, alert.Cleared, paths.Above)
	var lines []string
	for _, r := range rulesElsewhere([]alert.Rule{{Name: "known"}}, memory) {
		lines = append(lines, r.Name+" "+r.Expression()+" "+r.Severity.String()+" "+r.Origin)
	}
	want := []string{"absent absent " + path, "other " + path + ">5"}
	if len(lines) != len(want) {
		t.Fatalf("listed: %q", lines)
	}
	for i := range want {
		if lines[i] != want[i]+" critical "+elsewhere {
			t.Errorf("%q, want %q", lines[i], want[i])
		}
	}
	if out := strings.Join(lines, ""); strings.Contains(out, "over") {
		t.Errorf("it is well again: %s", out)
	}
}

// Of each rule it is told what fires of it, and the mute that lasts longest.
func TestOf(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	memory := alert.NewMemory()
	add := func(kind alert.EventKind, host string, scope alert.Scope, until time.Time) {
		memory.Add(alert.Event{Time: now, Kind: kind, ID: alert.ID{Rule: "a", Host: host, Set: "Memory", Counter: "Pages/sec"}, Path: `\\h\Memory\Pages/sec`, Op: paths.Above})
		if !until.IsZero() {
			memory.Mutes[scope] = until
		}
	}
	add(alert.Fired, "one", alert.Scope{}, now.Add(time.Hour))
	add(alert.Fired, "two", alert.Scope{Rule: "a"}, now.Add(2*time.Hour))
	add(alert.Fired, "three", alert.Scope{Rule: "b"}, now.Add(-time.Hour))
	add(alert.Acked, "three", alert.Scope{}, time.Time{})
	s := StateOf([]alert.Rule{{Name: "a"}, {Name: "b", Disabled: true}}, memory, now)
	if len(s.Rules) != 2 || len(s.Mutes) != 2 {
		t.Fatalf("%+v", s)
	}
	if a := s.Rules[0]; a.Firing != 2 || a.Acknowledged != 1 || a.MutedUntil == nil || !a.MutedUntil.Equal(now.Add(2*time.Hour)) {
		t.Errorf("%+v", a)
	}
	if b := s.Rules[1]; b.Firing+b.Acknowledged != 0 || !strings.HasPrefix(b.state(), "off, muted until") {
		t.Errorf("%+v: %s", b, b.state())
	}
	var text, json strings.Builder
	if err := s.Write(page.Plain(&text)); err != nil || strings.Count(text.String(), "\n") != 5 || !strings.Contains(text.String(), "2 firing, 1 acknowledged") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if err := s.WriteJSON(&json); err != nil || strings.Count(json.String(), "\n") != 4 {
		t.Errorf("%v\n%s", err, json.String())
	}
}
