package feed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"perfdeck/session/system/failure"
)

// takenBy says that another program has what lines come from, and which, where that is known.
func takenBy(what string, pid int) error {
	if name := nameOf(pid); name != "" {
		what += fmt.Sprintf(": %s, process %d", name, pid)
	}
	return failure.WithHint(errors.New(what), "a feed is for one process: let perfdeck serve have it, and read this computer with -H tcp://127.0.0.1; session/hosts/README.md, Feeds")
}

// listen takes lines from all who connect to a socket.
func (in *inlet) listen(ctx context.Context) error {
	l, err := listenUnix(ctx, in.spec.Socket)
	if err != nil {
		return err
	}
	defer l.Close()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	in.alive()
	writers := make(chan struct{}, maxWriters)
	for {
		select {
		case writers <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		c, err := l.Accept()
		if err != nil {
			return err
		}
		in.source.running.Add(1)
		in.source.o.Go(func() {
			defer in.source.running.Done()
			defer func() { <-writers }()
			defer context.AfterFunc(ctx, func() { _ = c.Close() })()
			defer c.Close() //nolint:errcheck // it was only read
			_ = in.newLines().readAll(ctx, c)
		})
	}
}

// listenUnix listens on a socket for this user alone. One that is left from an earlier
// run is replaced.
func listenUnix(ctx context.Context, name string) (net.Listener, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSocket != 0 {
		c, err := new(net.Dialer).DialContext(ctx, "unix", name)
		switch {
		case err == nil:
			defer c.Close() //nolint:errcheck // nothing was written
			return nil, takenBy("another program listens on it", listener(c))
		case errors.Is(err, fs.ErrPermission): // somebody else's, who may listen
			return nil, err
		}
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", name)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(name, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}
