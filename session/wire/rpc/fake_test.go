package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/wire/smbtest"
)

const (
	testUser     = "perf"
	testPassword = "Pass\u00e9rd!"
	testSPN      = "cifs/host"
)

// fakeSession answers every method in a way that shows its arguments.
type fakeSession struct {
	mu      sync.Mutex
	handles map[Handle]bool
	blocks  int           // of 32 bytes in collected data
	delay   time.Duration // before data
	closed  *atomic.Int32
}

func fill(code Code, inSize uint32, data []byte, unit int) (Array, error) {
	need := uint32(len(data) / unit)
	if need > inSize {
		return Array{Code: CodeNotEnoughMemory, Needed: need}, nil
	}
	return Array{Code: code, Needed: need, Data: data}, nil
}

func (s *fakeSession) EnumerateCounterSet(_ context.Context, inSize uint32) (Array, error) {
	return fill(CodeOK, inSize, bytes.Repeat([]byte{7}, 3*16), 16)
}

func (s *fakeSession) QueryCounterSetRegistrationInfo(_ context.Context, set [16]byte, requestCode, lcid, inSize uint32) (Array, error) {
	if requestCode == 99 {
		return Array{Code: CodeInvalidParameter}, nil
	}
	return fill(CodeOK, inSize, fmt.Appendf(nil, "%x/%d/%d", set, requestCode, lcid), 1)
}

func (s *fakeSession) EnumerateCounterSetInstances(_ context.Context, set [16]byte, inSize uint32) (Array, error) {
	return fill(CodeOK, inSize, fmt.Appendf(nil, "instances of %x", set), 1)
}

func (s *fakeSession) OpenQueryHandle(context.Context) (Handle, Code, error) {
	h := NewHandle()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handles[h] = true
	return h, CodeOK, nil
}

func (s *fakeSession) check(h Handle) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.handles[h] {
		return Fault(FaultContextMismatch)
	}
	return nil
}

func (s *fakeSession) CloseQueryHandle(_ context.Context, h Handle) (Handle, Code, error) {
	err := s.check(h)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.handles, h)
	return Handle{}, CodeOK, err
}

func (s *fakeSession) QueryCounterInfo(_ context.Context, h Handle, inSize uint32) (Array, error) {
	if err := s.check(h); err != nil {
		return Array{}, err
	}
	return fill(CodeOK, inSize, []byte("info"), 1)
}

func (s *fakeSession) QueryCounterData(ctx context.Context, h Handle, inSize uint32, dst []byte) (Array, error) {
	if err := s.check(h); err != nil {
		return Array{}, err
	}
	if s.delay > 0 {
		session.Sleep(ctx, s.delay)
	}
	dst = dst[:0]
	for i := range s.blocks {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(i))
		dst = append(dst, zeros[:24]...)
	}
	return fill(CodeOK, inSize, dst, 1)
}

var zeros [24]byte

func (s *fakeSession) ValidateCounters(_ context.Context, h Handle, identifiers []byte, add bool) (Code, error) {
	if err := s.check(h); err != nil {
		return 0, err
	}
	if len(identifiers) < 40 {
		return CodeInvalidParameter, nil
	}
	identifiers[16] = 0xB7
	if add {
		identifiers[17] = 1
	}
	return CodeOK, nil
}

func (s *fakeSession) Close() { s.closed.Add(1) }

// testServer is a server with one account, on loopback or on pipes.
type testServer struct {
	*Server
	addr    *net.TCPAddr // of loopback
	connect Transport
	from    func(address string) Transport // of pipes
	blocks  atomic.Int64
	delay   atomic.Int64 // a time.Duration
	opened  atomic.Int32
	closed  atomic.Int32
	running atomic.Int32
	stop    func()

	mu      sync.Mutex
	reports []error
}

func testAccounts(name string) ([16]byte, bool) {
	return NTHash([]byte(testPassword)), strings.EqualFold(name, testUser)
}

func startServer(t testing.TB, change func(*ServerOptions)) *testServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ts := &testServer{addr: l.Addr().(*net.TCPAddr), connect: TCP}
	ts.start(t, l, change)
	return ts
}

// start serves until the test ends.
func (ts *testServer) start(t testing.TB, l net.Listener, change func(*ServerOptions)) {
	ts.blocks.Store(10)
	o := ServerOptions{
		Go: func(f func()) {
			ts.running.Add(1)
			go func() {
				defer ts.running.Add(-1)
				f()
			}()
		},
		Accounts: testAccounts,
		Connect: func() Session {
			ts.opened.Add(1)
			return &fakeSession{handles: map[Handle]bool{}, blocks: int(ts.blocks.Load()), delay: time.Duration(ts.delay.Load()), closed: &ts.closed}
		},
		Report: func(_ net.Addr, err error) {
			ts.mu.Lock()
			defer ts.mu.Unlock()
			ts.reports = append(ts.reports, err)
		},
		LogonDelay: time.Millisecond,
	}
	if change != nil {
		change(&o)
	}
	ts.Server = NewServer(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := ts.Serve(ctx, l); err != nil {
			t.Errorf("serve: %v", err)
		}
	}()
	ts.stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(ts.stop)
}

func (ts *testServer) options() Options {
	o := Options{Address: Address{Host: "127.0.0.1", Connect: ts.connect}, Account: Account{User: testUser, Password: smbtest.FixedPassword(testPassword)}, Calls: Calls{CallTimeout: 20 * time.Second}}
	if ts.addr != nil {
		o.Port = ts.addr.Port
	}
	return o
}

func (ts *testServer) dial(t testing.TB, change func(*Options)) *Client {
	t.Helper()
	o := ts.options()
	if change != nil {
		change(&o)
	}
	c, err := Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func openHandle(t testing.TB, c *Client) Handle {
	t.Helper()
	h, code, err := c.OpenQueryHandle(t.Context())
	if err != nil || code != CodeOK || h.IsNull() {
		t.Fatalf("open query: %v, %v, %v", h, code, err)
	}
	return h
}
