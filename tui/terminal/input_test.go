//go:build !windows

package terminal

import (
	"os"
	"reflect"
	"sync"
	"testing"
	"time"

	"golang.org/x/term"
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
	in.Ask()
	overdue := in.due
	if _, err := w.WriteString("\x1b[?62;22c"); err != nil {
		t.Fatal(err)
	}
	if in.settle(); in.due.IsZero() || !in.due.Before(overdue) {
		t.Errorf("answers are awaited until %v, before until %v", in.due, overdue)
	}
}

// The end of the program and a signal whose patience is over both give the terminal back.
func TestSettleAfterTwice(t *testing.T) {
	tty, _ := openPTY(t)
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	in := NewInput(tty)
	for range 5 {
		in.Ask()
		in.Hurry()
		var all sync.WaitGroup
		for after := time.Duration(0); after < shortWait; after += shortWait / 5 {
			all.Go(func() { time.Sleep(after); in.SettleAfter() })
		}
		all.Wait()
	}
	if is, err := term.GetState(int(tty.Fd())); err != nil || !reflect.DeepEqual(is, before) {
		t.Errorf("the mode was %v, is %v %v", before, is, err)
	}
}
