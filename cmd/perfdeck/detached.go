package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/osfile"
	detached "perfdeck/session/system/subprocess"
)

// detachedRun is a perfdeck of its own that goes on when this one has ended.
type detachedRun struct {
	pid   int
	ended chan struct{} // closed
}

// detach starts one. What it says goes to a file.
func (p *program) detach(log string, args []string) (*detachedRun, error) {
	cmd, err := p.ownCommand(args)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	detached.Detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &detachedRun{cmd.Process.Pid, make(chan struct{})}
	p.guard.Go(func() {
		defer close(d.ended)
		_ = cmd.Wait()
	})
	return d, nil
}

// startPatience is how long one may take until it is at work: hosts may be slow to answer.
const startPatience = time.Minute

var errDetachedEnded = errors.New("its process ended")

// await waits until it is at work, as runs tells. The end of the context is no error: it
// goes on.
func (d *detachedRun) await(ctx context.Context, runs func(pid int) bool) error {
	for end := time.Now().Add(startPatience); time.Now().Before(end); {
		select {
		case <-d.ended:
			return errDetachedEnded
		case <-ctx.Done():
			return nil
		case <-time.After(20 * time.Millisecond):
		}
		if runs(d.pid) {
			return nil
		}
	}
	return fmt.Errorf("it does not run after %v", startPatience)
}

// lastLines is what one that ended said: why, and what it said before.
func lastLines(log string) (before []string, last string) {
	const most = 64 << 10
	said, _ := osfile.ReadPlain(log, most)
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	for i := range lines {
		lines[i] = session.Printable(lines[i])
	}
	last = strings.TrimPrefix(lines[len(lines)-1], "perfdeck: ")
	return lines[:len(lines)-1], cmp.Or(last, "its process ended and said nothing")
}

// successorCommand is the program that goes on with a recording.
func (p *program) successorCommand(id string) (*exec.Cmd, error) {
	return p.ownCommand([]string{"record", "--resume", id, "--hand-over"})
}

// ownCommand is this program with other arguments. Its environment is that of this
// program, without passwords.
func (p *program) ownCommand(args []string) (*exec.Cmd, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program itself: %w", err)
	}
	if _, err := os.Stat(name); err != nil {
		name = "/proc/self/exe" // it was replaced while it ran: Linux still has it
	}
	return &exec.Cmd{Path: name, Args: append([]string{"perfdeck"}, args...), Env: p.environ}, nil
}
