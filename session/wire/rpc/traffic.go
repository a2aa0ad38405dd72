package rpc

import (
	"net"
	"sync/atomic"
)

// Traffic counts the bytes that go over connections, both ways. The zero value
// is ready; connections may share one.
type Traffic struct{ n atomic.Uint64 }

// Bytes is how many went so far.
func (t *Traffic) Bytes() uint64 { return t.n.Load() }

// counted is nc with its bytes counted; a nil Traffic counts nothing.
func (t *Traffic) counted(nc net.Conn) net.Conn {
	if t == nil {
		return nc
	}
	return &countedConn{Conn: nc, traffic: t}
}

type countedConn struct {
	net.Conn
	traffic *Traffic
}

func (c *countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.traffic.n.Add(uint64(n))
	return n, err //nolint:wrapcheck // it stands for the connection
}

func (c *countedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.traffic.n.Add(uint64(n))
	return n, err //nolint:wrapcheck // it stands for the connection
}
