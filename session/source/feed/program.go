package feed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"perfdeck/session/system/osfile"
	"perfdeck/session/system/subprocess"
)

// runProgram runs a program as long as it lasts. One that ends well is run again.
func (in *inlet) runProgram(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	var complaints subprocess.Head
	c := exec.CommandContext(ctx, in.spec.Command[0], in.spec.Command[1:]...) //nolint:gosec // what the user named
	c.Env, c.Stdout, c.Stderr, c.WaitDelay = subprocess.Environ(in.source.o.Environ), w, &complaints, time.Second
	finish, err := subprocess.Start(c)
	_ = w.Close()
	if err != nil {
		return err
	}
	// What it started may hold its output open: it ends with the program.
	ended := make(chan error, 1)
	in.source.o.Go(func() {
		err := c.Wait()
		finish()
		ended <- err
	})
	readErr := in.newLines().readAll(ctx, osfile.Until(ctx, r))
	if readErr != nil {
		end()
	}
	err = <-ended
	switch {
	case readErr != nil:
		return readErr
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case complaints.FirstLine() != "":
		return fmt.Errorf("it ended: %w: %s", err, complaints.FirstLine())
	}
	return fmt.Errorf("it ended: %w", err)
}
