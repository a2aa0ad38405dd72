package session

import (
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

// NewGuard returns a guard that hands panics to report, which may be called
// from any goroutine.
func NewGuard(report func(*PanicError)) *Guard { return &Guard{report: report} }

// Go runs f in a goroutine of its own.
func (g *Guard) Go(f func()) {
	go g.Run(f)
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
