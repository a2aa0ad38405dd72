package journal

import (
	"fmt"
	"testing"
	"time"

	"perfdeck/session"
)

func TestShape(t *testing.T) {
	for text, want := range map[string]string{
		"request 12 took 7 ms, reset by 10.0.3.77":    "request # took # ms, reset by #.#.#.#",
		"at 0x7fffe12 in sda1, eth0: deadbeef01 cafe": "at # in sda#, eth#: # cafe",
	} {
		if got := shape(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Lines that say the same are one; too many kinds in a minute are one more line, and what is known
// stays beside them.
func TestFold(t *testing.T) {
	at := time.Unix(1796036160, 0)
	var events []session.HostEvent
	add := func(n int, text, known string) {
		for range n {
			events = append(events, session.HostEvent{Time: at, Until: at, Own: at, Count: 1, Log: logJournal, Source: "web", Text: text, Known: known, Level: session.EventWarning})
			at = at.Add(time.Millisecond)
		}
	}
	for i := range 500 {
		add(2, fmt.Sprintf("request %d failed", i), "")
	}
	for i := range 100 {
		add(3, fmt.Sprintf("%c%c failed", 'a'+i/26, 'a'+i%26), "")
	}
	add(1, "known", "boot")
	f := &folding{}
	out := f.fold(events)
	if len(out) != mostKinds+2 || out[0].Count != 1000 || out[0].Text != "request 0 failed" || !out[0].Until.After(out[0].Time) {
		t.Fatalf("%d: %+v", len(out), out[0])
	}
	if rest := out[mostKinds]; rest.Count != 37*3 || rest.Text != "111 more of 37 kinds" || rest.Level != session.EventWarning {
		t.Errorf("%+v", rest)
	}
	if out[mostKinds+1].Known != "boot" {
		t.Errorf("%+v", out[mostKinds+1])
	}
	events = events[:0]
	add(1, "yet another", "")
	if out := f.fold(events); out[0].Text != "1 more of 1 kind" {
		t.Errorf("%+v", out)
	}
	at = at.Add(time.Minute)
	events = events[:0]
	add(1, "yet another", "")
	if out := f.fold(events); out[0].Text != "yet another" {
		t.Errorf("%+v", out)
	}
}
