// Command perfdeck is perfmon for the terminal: it shows, samples and explains
// performance counters of this computer and of other hosts.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/windowscli"
	"perfdeck/session/config"
	"perfdeck/session/files/spool"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/hosts/ssh"
	"perfdeck/session/system/guard"
	"perfdeck/session/system/lifetime"
	"perfdeck/session/text/language"
	"perfdeck/session/text/printable"
	"perfdeck/tui"
)

func main() {
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ(), lacksZone: useSystemZone()}
	if tool := windowscli.ByName(os.Args[0]); tool != nil {
		os.Exit(p.runTool(tool, os.Args[1:]))
	}
	os.Exit(p.runOrAsk(os.Args[1:]))
}

func (p *program) runOrAsk(args []string) int {
	if ssh.IsAskpass(p.getenv) {
		return ssh.Askpass(p.getenv, args, p.out)
	}
	return p.run(args)
}

func (p *program) run(args []string) int {
	spool.Clear()
	return p.alone(func(ctx context.Context) int { return p.execute(ctx, args) })
}

// alone does what the process is for, and returns the exit code.
func (p *program) alone(do func(context.Context) int) int {
	p.guard = guard.New(p.panicked)
	p.takePassword()
	code := 0
	p.life.Run(p.guard, p.err, func(ctx context.Context) { code = do(ctx) })
	if known, made := p.hostsKnown.Made(); made {
		known.Close()
	}
	p.life.End()
	if ended, is := errors.AsType[*lifetime.SignalError](context.Cause(p.context())); is && code == exitDone && ended.Signal == syscall.SIGHUP {
		return exitFailed // what ends by SIGHUP was not to
	}
	return code
}

// program is what the commands share.
type program struct {
	in, out, err *os.File
	life         lifetime.Life
	environ      []string
	lacksZone    string // what is to be told of the time zone; empty: nothing, or it was
	guard        *guard.Guard
	flags        flags
	given        *flags                                        // as the command line has them, before hosts were gathered
	listed       []string                                      // hosts that the standard input listed; nil: it was not read
	service      *running                                      // the command goes on until it is told to end; nil: it does not
	args         []string                                      // the command line
	command      *cobra.Command                                // that is run; nil until it is known
	isTool       bool                                          // the command line is one of Windows' tools
	config       *config.Config                                // nil until it is read; see use
	current      config.Current                                // the same, for those who work beside
	visits       string                                        // see whose
	visited      string                                        // see visit
	visitedOf    string                                        // folder of another that was told of
	servicePlace string                                        // folder of the service's files, in tests
	toldState    session.Late[bool]                            // that the state folder is not used
	password     []byte                                        // of the environment; nil: none
	keyring      func(service, account string) (string, error) // nil: that of the system
	own          func() (session.Source, error)                // nil: this computer
	clock        func() session.Clock                          // nil: the system's
	system       session.Late[*session.SystemClock]            // see runClock
	loggedOn     session.Late[*logon.Accounts]                 // see accounts
	hostsKnown   session.Late[*inventory.Inventory]            // see inventory

	unsaid error // the first that say met

	asks session.Latest[*tui.Session] // where questions are asked; none: on the terminal

	spool     session.Late[*spool.Spool]         // see spooled
	languages session.Late[*language.Dictionary] // see dictionary
}

// runClock is the clock of all hosts of this run.
func (p *program) runClock() session.Clock {
	if p.clock != nil {
		return p.clock()
	}
	clock, _ := p.system.Get(func() (*session.SystemClock, error) { return session.NewSystemClock(), nil })
	return clock
}

// context ends with the first signal that asks for the end.
func (p *program) context() context.Context { return p.life.Context() }

// panicked ends the program after a panic in any goroutine: the terminal is
// given back first, so that the report can be read.
func (p *program) panicked(e *guard.PanicError) {
	p.life.GiveBack()
	fmt.Fprintf(p.err, "perfdeck: %s\n%s", printable.Text(e.Error()), e.Stack)
	os.Exit(exitFailed)
}

// isOnScreen tells that the terminal is the screens': nothing may be asked on it.
func (p *program) isOnScreen() bool {
	_, is := p.asks.Get()
	return is
}

// ownCommand is this program with other arguments. Its environment is that of this
// program, without passwords.
func (p *program) ownCommand(args ...string) (*exec.Cmd, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program itself: %w", err)
	}
	if _, err := os.Stat(name); err != nil {
		name = "/proc/self/exe" // it was replaced while it ran: Linux still has it
	}
	return &exec.Cmd{Path: name, Args: append([]string{"perfdeck"}, args...), Env: p.environ}, nil
}
