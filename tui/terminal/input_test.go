//go:build !windows

package terminal

import (
	"os"
	"testing"
)

// Not every terminal answers in turn: what it is may come before the rest, which is awaited a
// moment, and no longer than what was asked.
func TestAnswersOutOfTurn(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	in := NewInput(r)
	in.Asked()
	overdue := in.due
	if _, err := w.WriteString("\x1b[?62;22c"); err != nil {
		t.Fatal(err)
	}
	if in.settle(); in.due.IsZero() || !in.due.Before(overdue) {
		t.Errorf("answers are awaited until %v, before until %v", in.due, overdue)
	}
}
