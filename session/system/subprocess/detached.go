package subprocess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"perfdeck/session/system/osfile"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// Detached is a program that goes on when this one has ended.
type Detached struct {
	PID int

	ended chan struct{} // closed
}

// StartDetached starts one. What it says goes to a file. start starts a goroutine.
func StartDetached(cmd *exec.Cmd, log string, start func(func())) (*Detached, error) {
	out, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	Detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &Detached{cmd.Process.Pid, make(chan struct{})}
	start(func() {
		defer close(d.ended)
		_ = cmd.Wait()
	})
	return d, nil
}

// startPatience is how long one may take until it is at work: hosts may be slow to answer.
const startPatience = time.Minute

// ErrEnded is why one is not at work.
var ErrEnded = errors.New("its process ended")

// Await waits until it is at work, as runs tells. The end of the context is no error: it
// goes on.
func (d *Detached) Await(ctx context.Context, runs func() bool) error {
	for end := time.Now().Add(startPatience); time.Now().Before(end); {
		select {
		case <-d.ended:
			return ErrEnded
		case <-ctx.Done():
			return nil
		case <-time.After(20 * time.Millisecond):
		}
		if runs() {
			return nil
		}
	}
	return fmt.Errorf("it does not run after %s", english.Span(startPatience))
}

// LastWords is what one that ended said: why, and what it said before.
func LastWords(log string) (before []string, last string) {
	const most = 64 << 10
	said, _ := osfile.ReadPlain(log, most)
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	for i := range lines {
		lines[i] = printable.Text(lines[i])
	}
	last = strings.TrimPrefix(lines[len(lines)-1], "perfdeck: ")
	return lines[:len(lines)-1], cmp.Or(last, "its process ended and said nothing")
}
