package sidechannel

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// What the other side says of events is printable, bounded, and known only where we have a sentence.
func TestEventsAnswer(t *testing.T) {
	at := time.Unix(1000, 0).UTC()
	sent := EventsAnswer{Now: at, Cursor: "c", Events: []session.HostEvent{
		{Time: at, Until: at.Add(-time.Hour), Count: -3, Level: session.EventError, Source: "a\x1b[31m", Text: strings.Repeat("x", 5000), Known: "nothing", Names: []string{"a"}},
		{Time: at, Until: at, Count: math.MaxInt},
		{Time: at, Until: at, Own: at, Count: 2, Log: "kernel", Known: "disk-reset", Names: []string{"sda\n"}},
	}}
	a, err := ParseEventsAnswer(Encode(sent))
	if err != nil || len(a.Events) != 3 || a.Cursor != "c" || !a.Now.Equal(at) {
		t.Fatalf("%+v, %v", a, err)
	}
	if e := a.Events[0]; e.Known != "" || e.Source != "a?[31m" || len([]rune(e.Text)) != session.MostEventText || e.Count != 1 || e.Until.Before(e.Time) || e.Level != session.EventError {
		t.Errorf("%+v", e)
	}
	if e := a.Events[1]; e.Count != 1<<20 || !e.AtLeast {
		t.Errorf("%+v", e)
	}
	if e := a.Events[2]; e.Known != "disk-reset" || e.Names[0] != "sda" || e.Count != 2 || !e.Own.Equal(at) {
		t.Errorf("%+v", e)
	}
	for _, bad := range []string{"", "[]", `{"events":[` + strings.Repeat("{},", mostEvents) + `{}]}`, `{"events":[{"level":"worst"}]}`} {
		if a, err := ParseEventsAnswer([]byte(bad)); err == nil {
			t.Errorf("%.30q: %+v", bad, a)
		}
	}
}

func TestFit(t *testing.T) {
	events := make([]session.HostEvent, 100)
	for i := range events {
		events[i].Text = strings.Repeat("\x01", 1000)
	}
	a := &EventsAnswer{}
	if n := a.Fit(events, 16<<10); n < 2 || n > 20 || len(Encode(a)) > 16<<10 {
		t.Errorf("%d in %d bytes", n, len(Encode(a)))
	}
	if n := a.Fit(events[:1], 10); n != 1 {
		t.Errorf("%d", n)
	}
}

func TestFailure(t *testing.T) {
	err := failure.WithHint(fmt.Errorf("read: %w", session.ErrDenied), "a group")
	far := FailureOf(err).Err()
	if !errors.Is(far, session.ErrDenied) || failure.Hint(far) != "a group" || far.Error() != err.Error() {
		t.Errorf("%v", far)
	}
	if far := FailureOf(session.ErrNoEvents).Err(); errors.Is(far, session.ErrDenied) {
		t.Errorf("%v", far)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add(Encode(EventsAnswer{Events: []session.HostEvent{{Known: "boot", Names: []string{"x"}, Text: "y"}}}))
	f.Add(Encode(EventsQuestion{Reader: 1, Cursor: "c", Back: time.Hour}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if a, err := ParseEventsAnswer(b); err == nil {
			for _, e := range a.Events {
				if printable.Text(e.Text+e.Source+e.Unit) != e.Text+e.Source+e.Unit {
					t.Fatalf("%+v", e)
				}
			}
		}
		if q, err := ParseEventsQuestion(b); err == nil {
			again, err := ParseEventsQuestion(Encode(q))
			if err != nil || !bytes.Equal(Encode(again), Encode(q)) {
				t.Fatalf("%+v became %+v: %v", q, again, err)
			}
		}
	})
}
