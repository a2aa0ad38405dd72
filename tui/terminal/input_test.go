//go:build !windows

package terminal

import (
	"errors"
	"io"
	"os"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
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

// A terminal that hung up has no end as files have, which readers take for all that comes.
func TestHungUp(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	defer tty.Close()
	_ = master.Close()
	if n, err := NewInput(tty).Read(make([]byte, 9)); n > 0 || err == nil || errors.Is(err, io.EOF) {
		t.Errorf("%d bytes, %v", n, err)
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
