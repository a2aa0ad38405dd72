package pane_test

import (
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// What is tried at this moment waits for nothing; in little room the wait alone is told.
func TestNextTries(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		wait time.Duration
		want string
	}{{4 * time.Minute, "2nd time, next try in 4 min|next try in 4 min|in 4 min|"}, {300 * time.Millisecond, "2nd time, trying|trying|trying|"}} {
		state := session.HostState{Tries: 2, NextTry: now.Add(c.wait)}
		if got := strings.Join(pane.NextTries(&state, now, ""), "|"); got != c.want {
			t.Errorf("%v: %q, want %q", c.wait, got, c.want)
		}
	}
}
