package main

import (
	"strings"
	"testing"
	"time"

	"perfdeck/paths"
	"perfdeck/session/alert"
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
