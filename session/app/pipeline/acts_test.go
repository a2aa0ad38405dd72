package pipeline

import (
	"errors"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/deliver/journal"
)

// What a user does in a process that judges nothing is in the journal for those that do.
func TestActs(t *testing.T) {
	dir := t.TempDir()
	j, _, _, err := journal.Open(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for i, rule := range []string{"disk", "memory"} {
		err := j.Keep([]alert.Event{{Seq: uint64(i + 7), Time: now, Kind: alert.Fired, ID: alert.ID{Rule: rule, Host: "web"}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	a, err := OpenActs(dir, "ana", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	known := func(_ *alert.Memory, rule string) bool { return rule == "disk" || rule == "memory" }
	if _, err := a.Acknowledge([]string{"disk", "none"}, known); !errors.As(err, new(*NoRuleError)) {
		t.Errorf("a rule that is not there: %v", err)
	}
	if n, err := a.Acknowledge([]string{"disk"}, known); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	a.Close()
	if a, err = OpenActs(dir, "ana", func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if n, err := a.Acknowledge(nil, known); n != 1 || err != nil {
		t.Errorf("what is left: %d, %v", n, err)
	}
	if ev, err := a.Mute(time.Hour, "memory", "", known); err != nil || ev.Kind != alert.Muted || ev.By != "ana" || !ev.Until.After(now) {
		t.Errorf("%+v, %v", ev, err)
	}
	if _, err := a.Mute(time.Hour, "none", "", known); !errors.As(err, new(*NoRuleError)) {
		t.Errorf("mute a rule that is not there: %v", err)
	}
	a.Close()
	memory, _, err := journal.Read(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]bool{}
	for i := range memory.History {
		if seq := memory.History[i].Seq; seen[seq] {
			t.Errorf("two events have the number %d", seq)
		} else {
			seen[seq] = true
		}
	}
	for id, s := range memory.Alerts {
		if s.State != alert.Acknowledged {
			t.Errorf("%v is %v", id, s.State)
		}
	}
}
