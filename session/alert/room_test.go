package alert

import (
	"fmt"
	"testing"

	"perfdeck/session"
)

// Rules and instances that are fine by themselves may be too many together: then rules are
// left out, which is said, and those that were there first are judged.
func TestRoom(t *testing.T) {
	var rules []Rule
	for i := range 30 {
		r, err := ParseRule(`\Process(*)\% Processor Time>1`)
		if err != nil {
			t.Fatal(err)
		}
		r.Name = fmt.Sprint("rule ", i)
		rules = append(rules, r)
	}
	b := NewBacktest(BacktestOptions{Rules: rules})
	if b.Left() != "" {
		t.Errorf("%s before anything was judged", b.Left())
	}
	e := b.engine.lock()
	e.room = 10
	b.engine.unlock()
	for i := range 3 {
		b.engine.Bind(fmt.Sprint("host", i), nil, session.Instant{})
	}
	e = b.engine.lock()
	if e.followed != 10 || len(e.left) != 30 {
		t.Errorf("%d are followed, of %d rules some are left", e.followed, len(e.left))
	}
	b.engine.unlock()
	if b.Left() == "" || !b.IsLeft("rule 29") || b.IsLeft("rule 30") {
		t.Errorf("%q", b.Left())
	}
	for _, r := range b.engine.Board().Rules {
		if r.Problem == "" {
			t.Errorf("of %s nothing is told", r.Name)
		}
	}
	for i := range 3 {
		b.engine.Unbind(fmt.Sprint("host", i), session.Instant{})
	}
	if e = b.engine.lock(); e.followed != 0 {
		t.Errorf("%d are followed without a host", e.followed)
	}
	b.engine.unlock()
}
