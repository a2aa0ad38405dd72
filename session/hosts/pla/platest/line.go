package platest

import (
	"bytes"
	"cmp"
	"context"
	"net"
	"strconv"
	"sync"
	"time"
)

// listen listens at a port; in memory at any that is given.
func (h *Host) listen(port int) (net.Listener, error) {
	if h.o.InMemory {
		return &memory{port: cmp.Or(port, 50000), come: make(chan net.Conn), closed: make(chan struct{})}, nil
	}
	return (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort(h.o.Address, strconv.Itoa(port)))
}

// dialer connects to a listener.
func (h *Host) dialer(l net.Listener) func(ctx context.Context) (net.Conn, error) {
	m, is := l.(*memory)
	if !is {
		return nil
	}
	return func(ctx context.Context) (net.Conn, error) {
		near, far := line(h.o.Latency)
		err := net.ErrClosed
		select {
		case m.come <- far:
			return near, nil
		case <-m.closed:
		case <-ctx.Done():
			err = ctx.Err()
		}
		_ = near.Close()
		_ = far.Close()
		return nil, err
	}
}

// memory is a listener for connections in memory.
type memory struct {
	port   int
	come   chan net.Conn
	closed chan struct{}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.come:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	select {
	case <-m.closed:
	default:
		close(m.closed)
	}
	return nil
}

func (m *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: m.port} }

// line is a connection over which bytes take their time.
func line(latency time.Duration) (near, far net.Conn) {
	near, a := net.Pipe()
	b, far := net.Pipe()
	go carry(a, b, latency)
	go carry(b, a, latency)
	return near, far
}

// sent are bytes under way.
type sent struct {
	bytes   []byte
	arrives time.Time
}

// carry carries bytes one way until either end closes.
func carry(from, to net.Conn, latency time.Duration) {
	way := make(chan sent, 1<<12)
	go func() {
		for s := range way {
			time.Sleep(time.Until(s.arrives))
			if _, err := to.Write(s.bytes); err != nil {
				_ = from.Close()
			}
		}
		_ = to.Close()
	}()
	defer close(way)
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		if n > 0 {
			way <- sent{bytes.Clone(b[:n]), time.Now().Add(latency)}
		}
		if err != nil {
			return
		}
	}
}

// lyingListener lets a host lie in the PDUs that it sends.
type lyingListener struct {
	net.Listener

	host     *Host
	exporter bool
	count    int
}

func (l *lyingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil || l.host.o.Sent == nil {
		return c, err
	}
	l.count++
	lying := &lyingConn{Conn: c, out: make(chan []byte, 1<<12)}
	go lying.lie(l.host.o.Sent, PDU{Exporter: l.exporter, Connection: l.count})
	return lying, nil
}

// lyingConn is written to by whole PDUs, about which is lied when the server has let go of them.
type lyingConn struct {
	net.Conn

	mu     sync.Mutex
	out    chan []byte
	closed bool
}

func (c *lyingConn) lie(about func(PDU) ([]byte, bool), p PDU) {
	defer func() { _ = c.Conn.Close() }()
	for p.Bytes = range c.out {
		p.N++
		instead, end := about(p)
		var err error
		if len(instead) > 0 {
			_, err = c.Conn.Write(instead)
		}
		if err != nil || end {
			return
		}
	}
}

func (c *lyingConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	select {
	case c.out <- bytes.Clone(b):
	default: // it ended, or nobody reads
	}
	return len(b), nil
}

// Close closes the connection when what was written is sent.
func (c *lyingConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.out)
	}
	return nil
}
