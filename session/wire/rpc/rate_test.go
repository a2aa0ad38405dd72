package rpc

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Connections that share a limit keep to it together, both ways, at any time; what goes over
// them arrives whole. Who is closed does not wait.
func TestRate(t *testing.T) {
	const most = 4 << 10
	synctest.Test(t, func(t *testing.T) {
		rate := NewRate(most)
		var arrived atomic.Int64
		ends := make(chan error, 4)
		for range 2 {
			near, far := net.Pipe()
			slow := rate.slowed(near)
			defer slow.Close()
			defer far.Close()
			go func() {
				_, err := slow.Write(make([]byte, 10*most))
				ends <- err
			}()
			go func() { _, _ = far.Write(make([]byte, 10*most)) }()
			count := func(r io.Reader) {
				b, left := make([]byte, 1<<10), 10*most
				for left > 0 {
					n, err := r.Read(b)
					if arrived.Add(int64(n)); err != nil {
						ends <- err
						return
					}
					left -= n
				}
				ends <- nil
			}
			go count(slow)
			go func() { // as the host sees it
				b, left := make([]byte, 1<<10), 10*most
				for left > 0 {
					n, _ := far.Read(b)
					arrived.Add(int64(n))
					left -= n
				}
			}()
		}
		began := time.Now()
		for second := 1; second <= 40; second++ {
			time.Sleep(time.Second)
			// Two pieces may have begun that are not over.
			if n := arrived.Load(); n > int64(second)*most+4*int64(rate.piece()) || n < int64(second)*most*9/10-4*int64(rate.piece()) {
				t.Fatalf("%d bytes after %d s, of %d a second", n, second, most)
			}
		}
		for range 4 {
			if err := <-ends; err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took > 42*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestRateEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, far) }()
		slow := NewRate(1 << 10).slowed(near)
		ended := make(chan error)
		go func() {
			_, err := slow.Write(make([]byte, 1<<20))
			ended <- err
		}()
		time.Sleep(time.Second)
		began := time.Now()
		_ = slow.Close()
		if err := <-ended; err == nil || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		_ = far.Close()
	})
	a, b := net.Pipe()
	defer b.Close()
	if c := (*Rate)(nil).slowed(a); c != a || NewRate(0) != nil {
		t.Error("without a limit the connection is another")
	}
	_ = a.Close()
}
