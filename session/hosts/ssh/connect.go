package ssh

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/session/wire/rpc"
)

// Options say how a host is reached. Those without a default must be set.
type Options struct {
	Destination
	Program  *Program
	Prompter *Prompter
	Binaries *Binaries
	Gate     Gate
	Version  string   // of this program, as perfdeck --version tells it
	Environ  []string // of ssh

	CallTime time.Duration // of each call, default 10 s

	Deploy  bool // perfdeck is copied to the host where it lacks, without asking
	Go      func(func())
	Traffic *rpc.Traffic // counts the bytes of the connection; nil: nothing does
	Rate    *rpc.Rate    // bytes a second at most; nil: any number

	quiet time.Duration // after which a line is used so that it stays, default quietTime

	// Progress hears of every step that is done; nil: nobody does. Then ssh is not
	// asked to tell of its steps.
	Progress func(step, detail string)
}

// Gate spaces connections: an ssh server turns those away that come while many others
// have not logged on yet (MaxStartups), and many hosts are reached through one.
type Gate chan struct{}

// NewGate is a gate that lets as many be about to log on as a server with the usual
// MaxStartups takes for sure, and a bit fewer.
func NewGate() Gate { return make(Gate, 8) }

// How long a connection may take to its next step.
const (
	stepTime     = 30 * time.Second
	questionTime = 10 * time.Minute // while the user is asked
	callTime     = 10 * time.Second
)

// quietTime is well below the time after which the other side ends that hears nothing:
// samples may be further apart than that.
const quietTime = 4 * time.Minute

// connecting is an attempt to connect.
type connecting struct {
	o      *Options
	caller caller
	timer  *time.Timer // ends it
	leave  func()      // the gate
}

// connect has perfdeck answer on the other side, and binds to it.
func (o *Options) connect(ctx context.Context) (client *rpc.Client, err error) {
	word := rand.Text()
	over := rpc.Options{
		Address:   rpc.Address{Host: o.Host, Name: o.String()},
		Calls:     rpc.Calls{CallTimeout: cmp.Or(o.CallTime, callTime), Rate: o.Rate, Interfaces: []rpc.Interface{rpc.MSPCQ, rpc.OwnSideChannel}},
		Listeners: rpc.Listeners{Traffic: o.Traffic},
	}
	err = o.run(ctx, command(word), func(ctx context.Context, c *connecting, s *stream) error {
		out, early := timed{s.out, c.timer}, rpc.Opening(over)
		g, err := (&dialogue{in: s.in, out: out, word: word}).connectFar(ctx, c, early)
		if err == nil && !g.early {
			_, err = out.Write(early)
		}
		if err != nil {
			return err
		}
		c.progress("start perfdeck", g.path)
		if client, err = rpc.Over(ctx, s, over); err == nil {
			s.keep(client, cmp.Or(o.quiet, quietTime), o.Go)
		}
		return err
	})
	return client, err
}

// Clean takes away what was copied to the host, and tells what that was: the folder,
// and whether it was there.
func Clean(ctx context.Context, o Options) (folder string, there bool, err error) {
	word := rand.Text()
	err = o.run(ctx, cleaning+word, func(_ context.Context, _ *connecting, s *stream) error {
		what, rest, _, err := (&dialogue{in: s.in, word: word}).hear()
		folder, there = printable.Text(rest), what == "removed"
		if err == nil && !there && what != "nothing" {
			err = errFar
		}
		if err == nil {
			_ = s.Close()
		}
		return err
	})
	return folder, there, err
}

// talk is what is done with a command on the other side.
type talk func(ctx context.Context, c *connecting, s *stream) error

// run starts ssh for a command on the other side and talks to that. The stream stays
// after a talk without an error.
func (o *Options) run(ctx context.Context, command string, t talk) error {
	err := o.attempt(ctx, command, t)
	if err != nil && strings.Contains(strings.ToLower(err.Error()), badOption) && o.Program.doubt(ctx) {
		err = o.attempt(ctx, command, t)
	}
	return err
}

func (o *Options) attempt(ctx context.Context, command string, t talk) error {
	select {
	case o.Gate <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var once sync.Once
	c := &connecting{o: o, leave: func() { once.Do(func() { <-o.Gate }) }}
	defer c.leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.timer = time.AfterFunc(stepTime, func() { cancel(context.DeadlineExceeded) })
	defer c.timer.Stop()
	s, err := c.start(ctx, command)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	if err := t(ctx, c, s); err != nil {
		return s.failed(ctx, err)
	}
	return nil
}

// failed ends the connection and tells why.
func (s *stream) failed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if e, ok := errors.AsType[*Error](err); ok { // it is told already
		_ = s.Close()
		return e
	}
	if errors.Is(err, errNoise) || errors.Is(err, errFar) { // it may go on for ever
		_ = s.Close()
	}
	code, said := s.exit(ctx)
	_ = s.Close()
	return connectionError(s.of, code, said, err)
}

// start starts ssh for a command on the other side.
func (c *connecting) start(ctx context.Context, command string) (*stream, error) {
	o := c.o
	of := o.Program.version(ctx)
	headless := o.Prompter.Ask == nil
	done := func() {}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), o.Program.path, o.arguments(of, headless, o.Progress != nil, command)...) //nolint:gosec // that is what it is for
	cmd.Env = o.Environ
	if !headless {
		c.caller = caller{host: o.String(), shares: of >= promptsNamed, waits: c.waits}
		environ, leave, err := o.Prompter.admit(&c.caller)
		if err != nil {
			return nil, &Error{"make a way for ssh to ask", err, ""}
		}
		cmd.Env, done = append(withDisplay(cmd.Env, of), environ...), leave
	}
	s, err := start(cmd, c.heard(), o.Go)
	if err != nil {
		done()
		return nil, &Error{"start ssh", err, ""}
	}
	s.of, s.done = o.Destination, done
	return s, nil
}

// withDisplay is an environment in which an ssh before 8.4 asks its askpass.
func withDisplay(environ []string, of release) []string {
	environ = slices.Clip(environ)
	if of < askpassRequired && !slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, "DISPLAY=") }) {
		environ = append(environ, "DISPLAY=:0")
	}
	return environ
}

// waits gives the user time, and the place at the gate to others.
func (c *connecting) waits() {
	c.timer.Reset(questionTime)
	c.leave()
}

// greeted is called when the other side's shell has answered: ssh has logged on.
func (c *connecting) greeted(g *greeting) {
	c.timer.Reset(stepTime)
	c.leave()
	detail := g.system + " " + g.machine
	if g.noise != "" {
		detail += fmt.Sprintf(", after %d bytes that its login shell prints: %s", len(g.noise), short(strings.TrimSpace(g.noise)))
	}
	c.progress("far shell", detail)
}

func (c *connecting) progress(step, detail string) {
	if c.o.Progress != nil {
		c.o.Progress(step, detail)
	}
}

// mayDeploy asks whether perfdeck may be copied to the host, where that is not said.
func (c *connecting) mayDeploy(ctx context.Context, g *greeting, installed string, b *binary, err error) error {
	o := c.o
	missing := "the host has no perfdeck"
	if installed != "" {
		missing = "the host has another perfdeck, " + short(installed)
	}
	switch {
	case err != nil:
		return err
	case o.Deploy:
		c.timer.Reset(stepTime)
		return nil
	case o.Prompter.Ask == nil:
		return &Error{"start perfdeck on the host", fmt.Errorf("%s of version %s", missing, o.Version), "--deploy copies this one there, to ~/.cache/perfdeck; so does deploy = true of a [[host]]"}
	}
	where := o.String()
	answer, err := o.Prompter.put(ctx, &c.caller, Question{
		Host: where, YesNo: true,
		Text: fmt.Sprintf("%s of version %s (%s, %s).\nCopy this one there, %s, to ~/.cache/perfdeck?", missing, o.Version, short(g.system), short(g.machine), english.Size(b.size)),
	}, where+"\ndeploy")
	if err == nil && answer == "yes" {
		c.timer.Reset(stepTime)
		return nil
	}
	return &Error{"start perfdeck on the host", fmt.Errorf("%s, and it was not to be copied there", missing), "--deploy copies it without asking"}
}

// timed gives who writes time for each piece.
type timed struct {
	io.Writer
	timer *time.Timer
}

func (t timed) Write(b []byte) (int, error) {
	t.timer.Reset(stepTime)
	return t.Writer.Write(b)
}

// heard tells of the steps of ssh, where somebody wants to hear of them.
func (c *connecting) heard() func(line string) {
	if c.o.Progress == nil {
		return nil
	}
	return func(line string) {
		for _, s := range sshSteps {
			if _, detail, ok := strings.Cut(line, s.words); ok {
				c.o.Progress(s.step, short(strings.TrimSuffix(strings.TrimSpace(s.before+detail), ".")))
			}
		}
	}
}

// sshSteps are the steps of a connection, by what ssh says of them at DEBUG1.
var sshSteps = []struct{ words, step, before string }{
	{"debug1: Connecting to ", "find the host", ""},
	{"debug1: Connection established", "connect", ""},
	{"debug1: Server host key: ", "host key", ""},
	{"Authenticated to ", "log on", ""},
}
