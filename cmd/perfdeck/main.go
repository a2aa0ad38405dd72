// Command perfdeck is perfmon for the terminal: it shows, samples and explains
// performance counters of this computer and of other hosts.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/kept"
	"perfdeck/session/logon"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}

// run is the program without its process: it returns the exit code.
func run(args []string, in, out, errOut *os.File, environ []string) int {
	p := &program{in: in, out: out, err: errOut, environ: environ}
	return p.run(args)
}

func (p *program) run(args []string) int {
	p.guard = session.NewGuard(p.panicked)
	p.takePassword()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	p.watchSignals(ctx, cancel)

	code := 0
	p.guard.Run(func() { code = p.execute(ctx, args) })
	return code
}

// program is what the commands share.
type program struct {
	in, out, err *os.File
	environ      []string
	guard        *session.Guard
	flags        flags
	config       *config.Config                                // nil until it is read
	password     []byte                                        // of the environment; nil: none
	keyring      func(service, account string) (string, error) // nil: that of the system
	shared       kept.Shared                                   // of the catalogues of hosts
	own          func() (session.Source, error)                // nil: this computer
	// keptWillDo: catalogues of an earlier run may be used until fresh ones come.
	keptWillDo bool

	loggingOn sync.Once
	known     *logon.Accounts // see accounts

	onScreen atomic.Bool // the terminal is the screens': nothing may be asked on it

	mu      sync.Mutex
	restore func() // gives the terminal back; nil when it was never taken
	echo    func() // switches the echo on again; nil while nothing is asked
	hangup  func() // is called for SIGHUP; nil: that ends the program
}

// onExit remembers how the terminal is given back.
func (p *program) onExit(restore func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.restore = restore
}

// panicked ends the program after a panic in any goroutine: the terminal is
// given back first, so that the report can be read.
func (p *program) panicked(e *session.PanicError) {
	p.mu.Lock()
	restore := p.restore
	p.mu.Unlock()
	if restore != nil {
		restore()
	}
	fmt.Fprintf(p.err, "perfdeck: %s\n%s", session.Printable(e.Error()), e.Stack)
	os.Exit(exitFailed)
}

// prompting remembers how the echo is switched on again while a password is
// asked for; nil when it was answered.
func (p *program) prompting(echo func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.echo = echo
}

// leavePrompt ends the program if it is asking for a password: nothing else
// would wake it.
func (p *program) leavePrompt() {
	p.mu.Lock()
	echo := p.echo
	p.mu.Unlock()
	if echo != nil {
		echo()
		fmt.Fprintln(p.err)
		os.Exit(exitFailed)
	}
}

// signalError says which signal ended the program.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "ended by signal: " + e.signal.String() }

// oneEnd is how long signals ask for one end: a shell whose terminal closes sends
// its SIGHUP beside that of the system, timeout(1) its SIGTERM to the process and
// to its group.
const oneEnd = 2 * time.Second

// watchSignals ends the context at the first signal that asks for it, and the
// process at a later one, unless only its terminal went.
func (p *program) watchSignals(ctx context.Context, cancel context.CancelCauseFunc) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	p.guard.Go(func() {
		defer signal.Stop(signals)
		s := p.ending(ctx, signals)
		if s == nil {
			return
		}
		p.leavePrompt()
		cancel(&signalError{s})
		begun := time.Now()
		for again := s; again == syscall.SIGHUP || time.Since(begun) < oneEnd; {
			again = p.ending(context.WithoutCancel(ctx), signals)
		}
		os.Exit(exitFailed)
	})
}

// ending waits for a signal that ends the program; nil if the context ended
// before.
func (p *program) ending(ctx context.Context, signals <-chan os.Signal) os.Signal {
	for {
		select {
		case s := <-signals:
			p.mu.Lock()
			hangup := p.hangup
			p.mu.Unlock()
			if s != syscall.SIGHUP || hangup == nil {
				return s
			}
			hangup()
		case <-ctx.Done():
			return nil
		}
	}
}

// onHangup takes SIGHUP for something else than the end; nil gives it back.
func (p *program) onHangup(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangup = f
}
