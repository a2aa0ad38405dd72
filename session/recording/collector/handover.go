package collector

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/subprocess"
)

// A recording is handed over in three steps. The process that records starts
// another one, which outlives it, and writes secrets to its standard input. The
// other one opens the hosts, and when it has a sample to write it says so on its
// standard output; until then the first one goes on. Then the first one closes its
// files and the pipe, and the other one goes on behind its last row, and says when
// it has the files and when it wrote a row. When the first one dies at any time the
// pipe is closed too, and its locks are gone.

// What the second process says.
const (
	readyLine = "ready\n"
	takenLine = "taken\n"
	wroteLine = "wrote\n"
)

// How long that may take. Then the first process ends all the same: the second one
// begins when it can. Its first row takes two beats, or as long as somebody waits
// for a program to end.
const (
	readyWait = 15 * time.Second
	takenWait = 5 * time.Second
	wroteWait = 5 * time.Second
)

// secrets is the line that the second process reads. It goes through a pipe and is
// written nowhere.
type secrets struct {
	Passwords map[string][]byte `json:"passwords"` // by account
}

const mostSecretBytes = 1 << 20

var (
	errNotDescribed = errors.New("the recording is not described anywhere")
	errGaveUp       = errors.New("the process that was to go on with it ended")
)

// HandOver lets another process go on with a recording: cmd is `record --resume ID`
// without its standard files. passwords are those that it cannot find itself, by
// account. When HandOver returns this process records no more. With an error, as when
// the files could not be closed, the recording was ended and nobody goes on with it,
// but see SuccessorError; what is kept of it says why.
func HandOver(ctx context.Context, r *Recording, cmd *exec.Cmd, passwords map[string][]byte) error {
	if r.o.Dir == "" {
		return errors.Join(errNotDescribed, r.Stop(ctx, ""))
	}
	err := r.handOver(ctx, cmd, passwords)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("hand the recording over: %w", err)
	if end := r.Stop(ctx, err.Error()); !errors.Is(err, end) { // else it is told
		err = errors.Join(err, end)
	}
	return err
}

func (r *Recording) handOver(ctx context.Context, cmd *exec.Cmd, passwords map[string][]byte) error {
	r.ask(context.WithoutCancel(ctx), (*writer).saveDescriptor) // what the other process reads is as things stand
	s, err := r.startSuccessor(cmd)
	if err != nil {
		return err
	}
	defer s.close()
	r.o.Go(func() { s.converse(passwords) })
	if err := r.untilReady(ctx, s); err != nil {
		s.kill()
		return err
	}
	if err := r.stop(context.WithoutCancel(ctx), ending{hand: true}); err != nil {
		s.kill() // it cannot go on with what is closed now, or could not be
		return err
	}
	_ = s.in.Close()
	return r.untilWritten(s)
}

// successorProcess is the second process of a hand-over as the first one has it.
type successorProcess struct {
	cmd *exec.Cmd
	in  *os.File // to it
	out *os.File // from it

	answer chan error       // of what it was told
	steps  [2]chan struct{} // closed when it has the files, and when it wrote a row
	exited chan struct{}
}

// startSuccessor starts it. What it says besides goes to its log.
func (r *Recording) startSuccessor(cmd *exec.Cmd) (*successorProcess, error) {
	in, toChild, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	fromChild, out, err := os.Pipe()
	if err != nil {
		_ = toChild.Close()
		return nil, err
	}
	defer out.Close()
	s := &successorProcess{
		cmd: cmd, in: toChild, out: fromChild,
		answer: make(chan error, 1), steps: [2]chan struct{}{make(chan struct{}), make(chan struct{})}, exited: make(chan struct{}),
	}
	log, err := os.OpenFile(LogFile(r.o.Dir, r.id), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, log
		subprocess.Detach(cmd)
		err = cmd.Start()
		_ = log.Close()
	}
	if err != nil {
		s.close()
		return nil, err
	}
	r.o.Go(func() {
		_ = cmd.Wait() // what it did is in its log
		close(s.exited)
	})
	return s, nil
}

func (s *successorProcess) close() { _, _ = s.in.Close(), s.out.Close() }

func (s *successorProcess) kill() {
	_ = s.cmd.Process.Kill()
	select {
	case <-s.exited:
	case <-time.After(time.Second):
	}
}

// converse tells it the passwords and hears how far it is.
func (s *successorProcess) converse(passwords map[string][]byte) {
	lines := bufio.NewReader(io.LimitReader(s.out, int64(len(readyLine+takenLine+wroteLine))))
	s.answer <- tell(s.in, lines, passwords)
	for i, line := range []string{takenLine, wroteLine} {
		if text, err := lines.ReadString('\n'); err != nil || text != line {
			return // it ended, or will not say
		}
		close(s.steps[i])
	}
}

// untilReady waits until it has something to write; when it takes too long it has to
// begin later.
func (r *Recording) untilReady(ctx context.Context, s *successorProcess) error {
	select {
	case err := <-s.answer:
		if err != nil {
			return r.whyGone(s.exited, err)
		}
	case <-s.exited:
		return r.whyGone(s.exited, errGaveUp)
	case <-time.After(readyWait):
	case <-r.done: // the recording ended by itself
		return cmp.Or(r.Status().Err, errGaveUp)
	case <-ctx.Done():
	}
	return nil
}

// untilWritten waits until it has the files and wrote a row: who looks now finds that the
// recording goes on.
func (r *Recording) untilWritten(s *successorProcess) error {
	wait := takenWait
	for _, step := range s.steps {
		select {
		case <-step:
			wait = min(2*r.o.Every, wroteWait)
		case <-s.exited:
			return r.successorEnd()
		case <-time.After(wait):
		}
	}
	return nil
}

// whyGone adds to an error what the second process said, if it ended.
func (r *Recording) whyGone(exited <-chan struct{}, err error) error {
	select {
	case <-exited:
	case <-time.After(time.Second): // it closed its files and is about to
	}
	if words := exitReason(LogFile(r.o.Dir, r.id), false); words != "" {
		return fmt.Errorf("%w: %s", err, words)
	}
	return err
}

// successorEnd is how the second process ended: nil where the recording was complete.
// Where it died what is kept of the recording says why from now on.
func (r *Recording) successorEnd() error {
	d, err := loadDescriptor(filepath.Join(r.o.Dir, r.id+descriptorSuffix))
	switch {
	case isGone(err):
		return nil
	case err != nil:
		return err
	case !d.Stopped.IsZero():
		return gaveUp(d.Reason, "record with --append")
	}
	if d.Reason = exitReason(LogFile(r.o.Dir, r.id), false); d.Reason == "" {
		d.Reason = "it did not say why"
	}
	return errors.Join(gaveUp(d.Reason, "perfdeck record --resume "+r.id+" goes on with it"), d.save(r.o.Dir))
}

// gaveUp says that the second process ended as soon as it had the recording.
func gaveUp(reason, hint string) error {
	return failure.WithHint(fmt.Errorf("%w: %s", errGaveUp, reason), hint)
}

// tell gives the second process what it needs, and waits until it is ready.
func tell(to io.Writer, from *bufio.Reader, passwords map[string][]byte) error {
	line, err := json.Marshal(secrets{passwords})
	if err != nil {
		return err
	}
	defer clear(line)
	if _, err := to.Write(append(line, '\n')); err != nil {
		return errors.Join(errGaveUp, err)
	}
	if text, err := from.ReadString('\n'); err != nil || text != readyLine {
		return errGaveUp
	}
	return nil
}

// Successor is the second process of a hand-over.
type Successor struct {
	Turn

	Passwords map[string][]byte // by account
}

var errNoSuccessor = errors.New("standard input holds nothing that was handed over")

// TakeOver reads what the first process gives to the second. in and out are its
// standard files.
func TakeOver(in io.Reader, out io.WriteCloser, start func(func())) (*Successor, error) {
	lines := bufio.NewReader(io.LimitReader(in, mostSecretBytes))
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("take a recording over: %w", errNoSuccessor)
	}
	defer clear(line)
	var s secrets
	if err := json.Unmarshal(line, &s); err != nil {
		return nil, fmt.Errorf("take a recording over: %w", errNoSuccessor) // err would show what was read
	}
	hold := make(chan struct{})
	start(func() {
		_, _ = io.Copy(io.Discard, lines) // until the first process closes it, or dies
		close(hold)
	})
	// When the first process is gone there is no need to say anything.
	return &Successor{
		Passwords: s.Passwords,
		Turn: Turn{
			Hold:  hold,
			Ready: func() { _, _ = io.WriteString(out, readyLine) },
			Taken: func() { _, _ = io.WriteString(out, takenLine) },
			Wrote: func() {
				_, _ = io.WriteString(out, wroteLine)
				_ = out.Close()
			},
		},
	}, nil
}
