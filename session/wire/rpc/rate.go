package rpc

import (
	"net"
	"sync"
	"time"
)

// Rate is how many bytes a second go over connections at most, both ways and all that
// share it together. A nil one sets no limit.
type Rate struct {
	bytes int64 // a second

	mu   sync.Mutex
	free time.Time // when what went so far has had its time
}

// NewRate is a limit in bytes a second; nil where that is 0.
func NewRate(bytes int64) *Rate {
	if bytes <= 0 {
		return nil
	}
	return &Rate{bytes: bytes}
}

// mostSlowed is the size of an answer for which calls have time beyond their own.
const mostSlowed = 256 << 10

// extra is how much longer calls may take.
func (r *Rate) extra() time.Duration {
	if r == nil {
		return 0
	}
	return r.lasts(mostSlowed)
}

func (r *Rate) lasts(n int) time.Duration {
	return time.Duration(float64(n) / float64(r.bytes) * float64(time.Second))
}

// piece is how many bytes go at once: those of a tenth of a second.
func (r *Rate) piece() int { return int(min(max(r.bytes/10, 128), 64<<10)) }

// take has so many bytes go, and gives when those before them had their time.
func (r *Rate) take(n int) (at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); r.free.Before(now) {
		r.free = now
	}
	at = r.free
	r.free = at.Add(r.lasts(n))
	return at
}

// slowed is nc kept to the limit.
func (r *Rate) slowed(nc net.Conn) net.Conn {
	if r == nil {
		return nc
	}
	if c, is := nc.(*net.TCPConn); is { // what is not read yet waits at the host
		_ = c.SetReadBuffer(max(4*r.piece(), 4<<10))
	}
	return &slowedConn{Conn: nc, rate: r, over: make(chan struct{})}
}

type slowedConn struct {
	net.Conn
	rate *Rate
	once sync.Once
	over chan struct{} // closed when the connection is
}

// wait waits until a time, or the end of the connection.
func (c *slowedConn) wait(at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.over:
		return net.ErrClosed
	}
}

// Read hands on what came when it has had its time.
func (c *slowedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b[:min(len(b), c.rate.piece())])
	if n > 0 {
		if closed := c.wait(c.rate.take(n).Add(c.rate.lasts(n))); closed != nil {
			return 0, closed
		}
	}
	return n, err //nolint:wrapcheck // it stands for the connection
}

func (c *slowedConn) Write(b []byte) (written int, err error) {
	for len(b) > 0 && err == nil {
		part := b[:min(len(b), c.rate.piece())]
		if err = c.wait(c.rate.take(len(part))); err == nil {
			var n int
			n, err = c.Conn.Write(part)
			written, b = written+n, b[n:]
		}
	}
	return written, err //nolint:wrapcheck // it stands for the connection
}

func (c *slowedConn) Close() error {
	c.once.Do(func() { close(c.over) })
	return c.Conn.Close() //nolint:wrapcheck // it stands for the connection
}
