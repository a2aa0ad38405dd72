package rpc

import (
	"io"
	"net"
	"testing"
)

func TestTrafficCountsBothWays(t *testing.T) {
	a, b := net.Pipe()
	defer b.Close()
	var traffic, none *Traffic = &Traffic{}, nil
	c := traffic.counted(a)
	defer c.Close()
	if none.counted(a) != a {
		t.Error("nobody counts, and the connection is another")
	}
	done := make(chan error)
	go func() {
		_, err := io.ReadFull(b, make([]byte, 5))
		if err == nil {
			_, err = b.Write([]byte("abc"))
		}
		done <- err
	}()
	if _, err := c.Write([]byte("12345")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || traffic.Bytes() != 8 {
		t.Errorf("%d bytes, %v", traffic.Bytes(), err)
	}
}
