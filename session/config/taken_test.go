package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What changes from one file to another is told by name, and nothing of what is said is kept.
func TestTaken(t *testing.T) {
	of := func(text string) Taken {
		c, _, err := Parse("c.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return c.Taken
	}
	before := of("interval = 1\n[groups]\nfra = ['a']\n[[host]]\nname = 'a'\naddress = 'tcp://a'\n[[host]]\nname = 'b'\naddress = 'tcp://b'\n[webhooks.w]\nurl = 'https://example.com/hunter2'\n")
	now := of("interval = 2\n[groups]\nfra = ['a']\n[[host]]\nname = 'b'\naddress = 'tcp://c'\n[[host]]\nname = 'd'\naddress = 'tcp://d'\n[[alert]]\nwhen = '\\A\\B > 1'\n")
	if got, want := before.Changes(now), []string{`alert +\A\B > 1`, "host -a *b +d", "interval", "webhooks -w"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := now.Changes(now); len(got) > 0 {
		t.Errorf("to itself: %q", got)
	}
	many := Taken{}
	for i := range 100 {
		many.Add("host", strings.Repeat("x", i+1), i)
	}
	if got := (Taken{}).Changes(many); len(got) != 1 || !strings.HasSuffix(got[0], " and 92 more") {
		t.Errorf("%q", got)
	}

	dir := t.TempDir()
	l, err := Leave(dir, "watch")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Set(&Running{Command: "watch", Config: "/c.toml", Taken: before}); err != nil {
		t.Fatal(err)
	}
	if err := l.Set(&Running{Command: "watch", Config: "/c.toml", Taken: now}); err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(dir, runningDir, "serve-1.json")
	if err := os.WriteFile(killed, []byte(`{"command":"serve"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := RunningIn(dir)
	if err != nil || len(all) != 1 || len(all[0].Taken.Changes(now)) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := os.Stat(killed); err != nil {
		t.Errorf("who looks removes what others left: %v", err)
	}
	if text, err := os.ReadFile(l.f.Name()); err != nil || strings.Contains(string(text), "hunter2") {
		t.Errorf("%s, %v", text, err)
	}
	l.End()
	if again, err := Leave(dir, "serve"); err != nil {
		t.Error(err)
	} else if _, err := os.Stat(killed); err == nil {
		t.Error("what a killed process left stays")
	} else {
		again.End()
	}
	if all, err := RunningIn(dir); err != nil || len(all) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
}
