//go:build !windows

package terminal

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

const canSuspend = true

// modes is the state of the terminal before the program.
type modes struct{ in *term.State }

func makeRaw(in, _ *os.File) (modes, error) {
	state, err := term.MakeRaw(int(in.Fd()))
	return modes{state}, err
}

func restore(in, _ *os.File, saved modes) error {
	if saved.in == nil {
		return nil
	}
	return term.Restore(int(in.Fd()), saved.in)
}

// Watch calls notify for each event until the context ends.
func (t *Terminal) Watch(ctx context.Context, notify func(Event)) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGCONT)
	defer signal.Stop(signals)
	notify(Resized) // it may have been before anybody listened
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-signals:
			if s == syscall.SIGCONT {
				notify(Continued)
			} else {
				notify(Resized)
			}
		}
	}
}

// stopWait bounds the wait for the stop: the signal is dropped when no shell
// could continue the job (an orphaned process group).
const stopWait = 300 * time.Millisecond

// stopJob stops the whole job, as the terminal would at ctrl+z, and returns
// when it is continued. It works only while nothing is notified of SIGTSTP:
// the runtime keeps its handler then, and the default action is gone for good.
func stopJob() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return
	}
	select {
	case <-continued:
	case <-time.After(stopWait):
	}
}

// readable waits until a terminal has something to read.
func readable(file *os.File, wait time.Duration) bool {
	fd := int(file.Fd())
	if fd >= unix.FD_SETSIZE {
		return wait == 0
	}
	for end := time.Now().Add(wait); ; {
		var set unix.FdSet
		set.Set(fd)
		left := unix.NsecToTimeval(max(0, int64(time.Until(end))))
		n, err := unix.Select(fd+1, &set, nil, nil, &left)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return n > 0 || err != nil
	}
}
