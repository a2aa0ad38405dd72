package session_test

import (
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
