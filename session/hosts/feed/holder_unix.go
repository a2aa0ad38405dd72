//go:build unix

package feed

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// followPipe reads a named pipe, whoever writes to it, until another file has its name. It is this
// process's alone: of two that read each would get a part of the lines.
func (in *inlet) followPipe(ctx context.Context) error {
	f, err := os.OpenFile(in.spec.File, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	raw, err := f.SyscallConn() // os.File.Fd would have reads block
	if err != nil {
		return err
	}
	var locked error
	err = raw.Control(func(fd uintptr) { locked = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(locked, unix.EWOULDBLOCK) { // others: a system that cannot lock pipes
		return takenBy("another program reads it", locker(f))
	}
	defer context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })()
	in.alive()
	for l := in.newLines(); err == nil; {
		if err = l.readAll(ctx, f); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var now, was os.FileInfo
		if now, err = os.Stat(in.spec.File); err != nil {
			return err
		}
		if was, err = f.Stat(); err != nil || !os.SameFile(now, was) {
			return err
		}
		if !in.sleep(ctx, minPause) {
			return context.Cause(ctx)
		}
	}
	return err
}
