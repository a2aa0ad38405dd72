// Package journaltest writes journals of alerts for tests.
package journaltest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/deliver/journal"
)

// KeepRules writes down what users did to rules on the screens: off is the name of
// one that was switched off, put are names and texts.
func KeepRules(t testing.TB, state, off string, put ...string) {
	t.Helper()
	dir := filepath.Join(state, "perfdeck")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	j, _, _, err := journal.Open(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	events := []alert.Event{{Seq: 1, Time: time.Now(), Kind: alert.RuleDisabled, ID: alert.ID{Rule: off}}}
	for pair := range slices.Chunk(put, 2) {
		r, err := alert.ParseRule(pair[1])
		if err != nil {
			t.Fatal(err)
		}
		r.Name = pair[0]
		events = append(events, alert.Event{Seq: uint64(len(events) + 1), Time: time.Now(), Kind: alert.RulePut, ID: alert.ID{Rule: r.Name}, Rule: &r})
	}
	if err := j.Keep(events); err != nil {
		t.Fatal(err)
	}
}
