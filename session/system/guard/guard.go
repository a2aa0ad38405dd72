// Package guard starts the goroutines of the program, so that a panic in any of them reaches one
// place.
package guard

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Guard starts every goroutine of the program, so that a panic in any of them
// reaches one place that can restore the terminal before it is reported.
type Guard struct {
	report    func(*PanicError)
	reporting sync.Mutex // held while a panic is reported
}

// New returns a guard that hands panics to report, which may be called
// from any goroutine.
func New(report func(*PanicError)) *Guard { return &Guard{report: report} }

// Go runs f in a goroutine of its own.
func (g *Guard) Go(f func()) {
	go g.Run(f)
}

// Await runs f in a goroutine of its own and waits for it, or for the end of the
// context, whose cause it returns then: f is left behind. For calls of the system
// that cannot be told to end. A panic of f is the caller's.
func Await(ctx context.Context, f func()) error {
	done := beside(f)
	select {
	case e := <-done:
		if e != nil {
			panic(e)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Beside runs f in a goroutine of its own. Wait returns when it has ended; a panic
// of f is that of who waits.
func Beside(f func()) (wait func()) {
	done := beside(f)
	return func() {
		if e := <-done; e != nil {
			panic(e)
		}
	}
}

func beside(f func()) <-chan *PanicError {
	done := make(chan *PanicError, 1)
	go func() {
		var caught *PanicError
		g := New(func(e *PanicError) { caught = e })
		g.Run(f)
		done <- caught
	}()
	return done
}

// Run runs f and reports its panic, if any.
func (g *Guard) Run(f func()) {
	defer func() {
		if v := recover(); v != nil {
			g.reporting.Lock()
			defer g.reporting.Unlock()
			g.report(&PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	f()
}

// Wait returns when no panic is being reported: who was stopped by a report
// must not end the program before it is told.
func (g *Guard) Wait() {
	g.reporting.Lock()
	defer g.reporting.Unlock()
}

// PanicError is a panic that was caught.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }
