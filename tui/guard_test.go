package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session/system/guard"
)

// A panic of a command reaches the guard, also of one within a batch.
func TestCommandsAreGuarded(t *testing.T) {
	told := 0
	r := &root{options: Options{Runtime: Runtime{Guard: guard.New(func(*guard.PanicError) { told++ })}}}
	broken := func() tea.Msg { panic("broken") }
	if r.guarded(nil) != nil {
		t.Error("no command became one")
	}
	r.guarded(broken)()
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	batch, ok := r.guarded(tea.Batch(broken, tea.Batch(broken, broken)))().(tea.BatchMsg)
	if !ok {
		t.Fatal("a batch is none any more")
	}
	for _, c := range batch {
		if inner, ok := c().(tea.BatchMsg); ok {
			for _, c := range inner {
				c()
			}
		}
	}
	if told != 4 {
		t.Errorf("told %d times, want 4", told)
	}
}
