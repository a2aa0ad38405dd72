package rpc

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// bentConn changes what a client reads or writes once it is armed.
type bentConn struct {
	net.Conn
	armed   atomic.Bool
	read    int // bytes read since it was armed
	bendIn  func(at int, b []byte)
	cutAt   int // end of the stream after so many bytes, if not 0
	bendOut func(b []byte)
}

func (c *bentConn) Read(b []byte) (int, error) {
	armed := c.armed.Load()
	if armed && c.cutAt > 0 {
		if c.read >= c.cutAt {
			return 0, io.EOF
		}
		b = b[:min(len(b), c.cutAt-c.read)]
	}
	n, err := c.Conn.Read(b)
	if armed {
		if c.bendIn != nil {
			c.bendIn(c.read, b[:n])
		}
		c.read += n
	}
	return n, err
}

func (c *bentConn) Write(b []byte) (int, error) {
	if c.armed.Load() && c.bendOut != nil {
		b = append([]byte(nil), b...)
		c.bendOut(b)
	}
	return c.Conn.Write(b)
}

// dialBent dials through a connection that can be bent.
func (ts *testServer) dialBent(t testing.TB, b *bentConn) *Client {
	return ts.dial(t, func(o *Options) {
		o.Connect = func(ctx context.Context, o *Options) (_ net.Conn, err error) {
			b.Conn, err = ts.connect(ctx, o)
			return b, err
		}
	})
}

// Every bit of a sealed reply is under its signature, or leads to no reply.
func TestOneFlippedBitIsRefused(t *testing.T) {
	t.Parallel()
	onPipes(t, nil, checkFlippedReplies)
}

func checkFlippedReplies(t *testing.T, ts *testServer) {
	size := callHeaderSize + 80 + trailerSize + signatureSize // an enumeration of 3 sets, with its padding
	for bit := range size * 8 {
		b := &bentConn{bendIn: func(at int, p []byte) {
			if i := bit/8 - at; i >= 0 && i < len(p) {
				p[i] ^= 1 << (bit % 8)
			}
		}}
		c := ts.dialBent(t, b)
		b.armed.Store(true)
		a, err := c.EnumerateCounterSet(t.Context(), 256)
		if err == nil {
			t.Fatalf("bit %d of byte %d: taken: %+v", bit%8, bit/8, a)
		}
		if bit/8 >= callHeaderSize && bit/8 < callHeaderSize+80 && !errors.Is(err, errSignature) {
			t.Errorf("bit %d of byte %d: %v", bit%8, bit/8, err)
		}
		if c.Err() == nil {
			t.Fatalf("bit %d of byte %d: the connection is kept", bit%8, bit/8)
		}
		_ = c.Close()
		synctest.Wait() // until the server knows, too: it has room for so many
	}
	c := ts.dialBent(t, &bentConn{})
	if a, err := c.EnumerateCounterSet(t.Context(), 256); err != nil || len(a.Data) != 48 {
		t.Fatalf("unbent: %+v, %v", a, err)
	}
}

// The same holds for requests.
func TestOneFlippedBitOfARequestIsRefused(t *testing.T) { onPipes(t, nil, checkFlippedRequests) }

func checkFlippedRequests(t *testing.T, ts *testServer) {
	size := callHeaderSize + 16 + trailerSize + signatureSize // szMachine only
	for bit := 0; bit < size*8; bit += 5 {
		b := &bentConn{bendOut: func(p []byte) {
			if bit/8 < len(p) {
				p[bit/8] ^= 1 << (bit % 8)
			}
		}}
		c := ts.dialBent(t, b)
		b.armed.Store(true)
		if _, _, err := c.OpenQueryHandle(t.Context()); err == nil {
			t.Fatalf("bit %d of byte %d: taken", bit%8, bit/8)
		}
		_ = c.Close()
		synctest.Wait()
	}
	if n := ts.opened.Load(); n != 0 {
		t.Fatalf("%d changed requests reached a session", n)
	}
}

// A reply that is repeated, as by someone who recorded it, is refused.
func TestReplayedReplyIsRefused(t *testing.T) {
	ts := startServer(t, nil)
	var first []byte
	replay := false
	b := &bentConn{bendIn: func(_ int, p []byte) {
		if replay {
			copy(p[callHeaderSize:], first[callHeaderSize:])
		}
		first = append([]byte(nil), p...)
	}}
	c := ts.dialBent(t, b)
	b.armed.Store(true)
	if _, err := c.EnumerateCounterSet(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	replay = true
	if _, err := c.EnumerateCounterSet(t.Context(), 0); !errors.Is(err, errSignature) {
		t.Fatalf("a repeated reply: %v", err)
	}
}

// A connection cut at any byte of a reply gives an error at once.
func TestCutInMidReply(t *testing.T) {
	ts := startServer(t, nil)
	ts.blocks.Store(5000)
	for _, at := range []int{1, 8, 15, 16, 17, 24, 100, 1000, 65528, 65529, 65530 + 16, 100000} {
		b := &bentConn{cutAt: at}
		c := ts.dialBent(t, b)
		h := openHandle(t, c)
		b.armed.Store(true)
		_, err := c.QueryCounterData(t.Context(), h, 1<<20, nil)
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", at, err)
		}
	}
}

// A peer that stops answering, at any point, costs no more than the deadline.
func TestFrozenPeer(t *testing.T) { onPipes(t, nil, checkFrozenPeer) }

func checkFrozenPeer(t *testing.T, ts *testServer) {
	const patience = 5 * time.Second
	o := ts.options()
	o.CallTimeout = patience
	o.Connect = func(context.Context, *Options) (net.Conn, error) {
		client, server := net.Pipe()
		t.Cleanup(func() { _ = server.Close() })
		return client, nil
	}
	began := time.Now()
	if _, err := Dial(t.Context(), o); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != patience {
		t.Errorf("dial: %v after %v", err, time.Since(began))
	}
	ts.blocks.Store(5000)
	ts.delay.Store(int64(time.Hour))
	for name, limit := range map[string]func(c *Client) (context.Context, context.CancelFunc){
		"call timeout": func(c *Client) (context.Context, context.CancelFunc) {
			c.o.CallTimeout = patience
			return t.Context(), func() {}
		},
		"deadline": func(*Client) (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), patience) },
		"cancel": func(*Client) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(patience, cancel)
			return ctx, cancel
		},
	} {
		c := ts.dial(t, nil)
		h := openHandle(t, c)
		ctx, cancel := limit(c)
		began := time.Now()
		_, err := c.QueryCounterData(ctx, h, 1<<20, nil)
		cancel()
		if took := time.Since(began); took != patience {
			t.Errorf("%s: after %v", name, took)
		}
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if errors.Is(err, os.ErrClosed) || c.Err() == nil {
			t.Errorf("%s: %v, connection %v", name, err, c.Err())
		}
		if _, err := c.EnumerateCounterSet(t.Context(), 1); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: next call: %v", name, err)
		}
	}
}

// Who waits for a turn waits no longer than the deadline, and harms nobody.
func TestWaitingForATurn(t *testing.T) { onPipes(t, nil, checkWaiting) }

func checkWaiting(t *testing.T, ts *testServer) {
	ts.delay.Store(int64(3 * time.Second))
	c := ts.dial(t, nil)
	h := openHandle(t, c)
	done := make(chan error)
	go func() {
		_, err := c.QueryCounterData(context.Background(), h, 1<<20, nil)
		done <- err
	}()
	synctest.Wait() // for the first call to have its turn
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := c.EnumerateCounterSet(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting: %v", err)
	}
	if err := <-done; err != nil {
		t.Errorf("the call under way: %v", err)
	}
	if c.Err() != nil {
		t.Errorf("the connection is broken: %v", c.Err())
	}
}
