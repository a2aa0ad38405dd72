package session_test

import (
	"strings"
	"testing"

	"perfdeck/paths"
	"perfdeck/session"
)

// A sampler asks a selection on its own goroutine while the screen that chose it
// goes on to another one: what it was given stays as it was.
func TestMatchesStaysAsItWas(t *testing.T) {
	set := &session.Counterset{Name: "Process", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "Threads"}}}
	cat := &session.Catalogue{Host: "sql01", Sets: []*session.Counterset{set}}
	of := func(path string) session.Selection {
		sel, err := cat.Resolve(path, paths.Options{})
		if err != nil || len(sel) != 1 {
			t.Fatalf("%s: %d %v", path, len(sel), err)
		}
		return sel[0]
	}
	shown := of(`\Process(a)\Threads`)
	match := shown.Matches
	a, b := &session.Instance{Key: session.InstanceKey{Name: "a"}}, &session.Instance{Key: session.InstanceKey{Name: "b"}}
	done := make(chan bool)
	go func() { done <- match(a) && !match(b) }() // the race detector looks on
	shown = of(`\Process(b)\Threads`)
	if !<-done || !match(a) || match(b) || !shown.Matches(b) {
		t.Error("what a selection means went over to one that was handed out before")
	}
}

// A path in another language is taken where the host has no such name; what it has by the name wins.
func TestResolveOtherLanguages(t *testing.T) {
	cat := &session.Catalogue{Sets: []*session.Counterset{
		{Name: "Processor", Instances: session.MultipleInstances, Counters: []session.Counter{{ID: 1, Name: "% Processor Time"}, {ID: 2, Name: "% User Time"}}},
		{Name: "Memory", Label: "Mem", Counters: []session.Counter{{ID: 1, Name: "Pages/sec", Label: "Verfügbare MB"}, {ID: 2, Name: "Available MBytes"}}},
	}}
	for text, want := range map[string]string{
		`\Prozessor(*)\Prozessorzeit (%)`:   "% Processor Time",
		`\İŞLEMCİ(_Total)\% islemci zamani`: "% Processor Time",
		`\Arbeitsspeicher\Verfügbare MB`:    "Available MBytes",
		`\Mem\Verfügbare MB`:                "Pages/sec", // the host calls it so
	} {
		found, err := cat.Resolve(text, paths.Options{})
		if err != nil || len(found) != 1 || found[0].Set.Counters[found[0].Counters[0]].Name != want {
			t.Errorf("%s: %v %v", text, found, err)
			continue
		}
		if found[0].Taken == strings.HasPrefix(text, `\Mem`) {
			t.Errorf("%s: taken for another: %v", text, found[0].Taken)
		}
	}
	for _, text := range []string{`\Prozessor(*)\Nix`, `\Datenbank\Zeit`, `\Prozessor\Prozessorzeit (%)`} {
		if found, err := cat.Resolve(text, paths.Options{}); err == nil {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// A recording in another language is found by its English names first, and by its own.
func TestInEnglish(t *testing.T) {
	set := &session.Counterset{Name: "Prozessor", English: "Processor", Counters: []session.Counter{
		{ID: 1, Name: "% User Time", English: "% Processor Time"}, {ID: 2, Name: "Zeit", English: "% User Time"},
	}}
	cat := &session.Catalogue{Sets: []*session.Counterset{set}}
	for _, name := range []string{"processor", "prozessor"} {
		if cat.Set(name) != set {
			t.Errorf("there is no %s", name)
		}
	}
	for name, want := range map[string]int{"% User Time": 1, "% processor time": 0, "zeit": 1} {
		if got, ok := set.Counter(name); !ok || got != want {
			t.Errorf("%s is counter %d", name, got)
		}
		if found, err := cat.Resolve(`\Processor\`+name, paths.Options{}); err != nil || found[0].Counters[0] != want {
			t.Errorf("%s: %v %v", name, found, err)
		}
	}
	if got := session.PathOf("H", set, 0, nil).String(); got != `\\H\Prozessor\% User Time` {
		t.Errorf("it is shown as %s", got)
	}
}
