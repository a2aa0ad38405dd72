package logon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"time"

	"perfdeck/session/config"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
)

// The limits of a password command.
const (
	commandTimeout = 10 * time.Second
	commandGrace   = time.Second // for its output to close after its end
	commandOutput  = 64 << 10    // bytes
)

// commandVariables are what a password command sees of the environment.
var commandVariables = []string{"PATH", "HOME", "LANG", "USERPROFILE"} // the last one is HOME on Windows

var (
	errCommandTime   = errors.New("it did not end in time")
	errCommandOutput = fmt.Errorf("it printed more than %s", english.Size(commandOutput))
	errCommandSignal = errors.New("ended by a signal")
)

// commandPassword is the first line that a program prints. What it prints
// besides is never shown, nor are its arguments: a password may be in them.
func (a *Accounts) commandPassword(ctx context.Context, of string, command []string) ([]byte, error) {
	var environ []string
	for _, name := range commandVariables {
		if v := a.o.Getenv(name); v != "" {
			environ = append(environ, name+"="+v)
		}
	}
	password, err := runPasswordCommand(ctx, command, environ, commandTimeout)
	if err != nil && ctx.Err() == nil {
		err = failure.WithHint(fmt.Errorf("run the password_command of %s: %w", of, err),
			"run the command in a shell to see why; it gets no terminal, and only PATH, HOME and LANG")
	}
	return password, err
}

func runPasswordCommand(ctx context.Context, command, environ []string, limit time.Duration) ([]byte, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	timer := time.AfterFunc(limit, func() { end(errCommandTime) })
	defer timer.Stop()
	program, err := config.Program(command[0])
	if insecure, is := errors.AsType[*config.InsecureError](err); is {
		err = errors.New("its program is not yours alone: " + insecure.Reason) // a password may be among its names, too
	}
	if err != nil {
		return nil, err
	}
	out := &bounded{left: make([]byte, commandOutput), over: func() { end(errCommandOutput) }}
	text := out.left
	defer clear(text)
	c := exec.CommandContext(ctx, program, command[1:]...) //nolint:gosec // of a file that only the user may write
	c.Env, c.Stdout, c.WaitDelay = environ, out, commandGrace
	detach(c)
	if err := c.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) || ctx.Err() != nil {
		return nil, commandFailure(ctx, err)
	}
	return firstLine(text[:len(text)-len(out.left)])
}

// commandFailure says why a command failed, without its name.
func commandFailure(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if exit.ExitCode() < 0 {
			return errCommandSignal
		}
		return fmt.Errorf("exit code %d", exit.ExitCode())
	}
	if not, ok := errors.AsType[*exec.Error](err); ok {
		return not.Err
	}
	if not, ok := errors.AsType[*fs.PathError](err); ok {
		return not.Err
	}
	return err
}

// bounded is a writer into a slice that does not grow.
type bounded struct {
	left []byte
	over func() // called when it does not fit
}

func (b *bounded) Write(text []byte) (int, error) {
	defer clear(text) // the pipe's buffer, which nobody else wipes
	n := copy(b.left, text)
	b.left = b.left[n:]
	if n < len(text) {
		b.over()
		return n, errCommandOutput
	}
	return n, nil
}
