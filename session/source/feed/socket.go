package feed

import (
	"context"
	"errors"
	"net"
	"os"
)

var errTaken = errors.New("another program listens on it")

// listen takes lines from all who connect to a socket.
func (in *inlet) listen(ctx context.Context) error {
	l, err := listenUnix(ctx, in.spec.Socket)
	if err != nil {
		return err
	}
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
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
			stop := context.AfterFunc(ctx, func() { _ = c.Close() })
			defer stop()
			defer c.Close() //nolint:errcheck // it was only read
			_ = in.newLines().readAll(ctx, c)
		})
	}
}

// listenUnix listens on a socket for this user alone. One that is left from an earlier
// run is replaced.
func listenUnix(ctx context.Context, name string) (net.Listener, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSocket != 0 {
		if c, err := new(net.Dialer).DialContext(ctx, "unix", name); err == nil {
			_ = c.Close()
			return nil, errTaken
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
