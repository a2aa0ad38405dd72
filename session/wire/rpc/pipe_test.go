package rpc

import (
	"context"
	"net"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
)

// pipes is a listener whose connections are pipes: in a bubble the time that
// peers wait for each other passes by itself, and nothing else does.
type pipes struct {
	come chan net.Conn
	done chan struct{}
	once sync.Once
}

func newPipes() *pipes { return &pipes{come: make(chan net.Conn), done: make(chan struct{})} }

// connect is a Transport.
func (p *pipes) connect(ctx context.Context, o *Options) (net.Conn, error) {
	return p.from("192.0.2.1")(ctx, o)
}

// addressed is a pipe that comes from somewhere.
type addressed struct {
	net.Conn
	peer net.Addr
}

func (a addressed) RemoteAddr() net.Addr { return a.peer }

// from is a Transport of an address.
func (p *pipes) from(address string) Transport {
	return func(ctx context.Context, _ *Options) (net.Conn, error) {
		client, server := net.Pipe()
		return p.hand(ctx, client, addressed{server, &net.TCPAddr{IP: net.ParseIP(address), Port: 1}})
	}
}

func (p *pipes) hand(ctx context.Context, client, server net.Conn) (net.Conn, error) {
	var err error
	select {
	case p.come <- server:
		return client, nil
	case <-p.done:
		err = syscall.ECONNREFUSED
	case <-ctx.Done():
		err = ctx.Err()
	}
	_, _ = client.Close(), server.Close()
	return nil, err
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case nc := <-p.come:
		return nc, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// onPipes runs a test with a server in a bubble: its waits cost nothing and hang
// on no machine's pace.
func onPipes(t *testing.T, change func(*ServerOptions), test func(t *testing.T, ts *testServer)) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		ts := &testServer{connect: p.connect, from: p.from}
		ts.start(t, p, change)
		test(t, ts)
	})
}
