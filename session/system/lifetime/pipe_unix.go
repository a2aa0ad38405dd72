//go:build unix

package lifetime

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"perfdeck/session/system/guard"
)

// tidyPipes has SIGPIPE end the process as it always does, once nobody reads its output: but
// not before files that are not complete are removed. Writing to any other pipe or connection
// that was closed gives its error alone, as without.
func (l *Life) tidyPipes(ctx context.Context, guard *guard.Guard) {
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	guard.Go(func() {
		defer signal.Stop(pipes)
		for {
			select {
			case <-ctx.Done():
				return
			case <-pipes:
			}
			if l.outlives.Load() == 0 && (isUnread(os.Stdout) || isUnread(os.Stderr)) {
				l.endOfPipe()
			}
		}
	})
}

func (l *Life) endOfPipe() {
	l.set(func() {
		for name := range l.halves {
			_ = os.RemoveAll(name)
		}
	})
	signal.Reset(syscall.SIGPIPE)
	_ = unix.Kill(os.Getpid(), syscall.SIGPIPE)
}

// isUnread tells a pipe that nobody reads any more.
func isUnread(file *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(file.Fd()), Events: unix.POLLOUT}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
