package eventlog

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/smbtest"
)

// serve answers the calls of MS-EVEN for a host for tests, over TCP.
func (h *host) serve(t *testing.T, change func(op uint16, reply []byte) []byte) rpc.Options {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accounts := func(name string) ([16]byte, bool) {
		return rpc.NTHash([]byte("Passw0rd!")), strings.EqualFold(name, "perf")
	}
	s := rpc.NewServer(rpc.ServerOptions{
		Go: func(f func()) { go f() }, Accounts: accounts, LogonDelay: time.Millisecond,
		Interface: func(id [16]byte, _ uint32) rpc.Handler {
			if id != rpc.MSEVEN.ID() {
				return nil
			}
			return func(ctx context.Context, c *rpc.Call) ([]byte, error) {
				reply, err := h.answer(ctx, c)
				if change != nil && err == nil {
					reply = change(c.Op, reply)
				}
				return reply, err
			}
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return rpc.Options{
		Address: rpc.Address{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port},
		Account: rpc.Account{User: "perf", Password: smbtest.FixedPassword("Passw0rd!")},
		Calls:   rpc.Calls{Interfaces: []rpc.Interface{rpc.MSEVEN}, CallTimeout: 10 * time.Second},
	}
}

// answer is the reply to a call.
func (h *host) answer(ctx context.Context, c *rpc.Call) ([]byte, error) {
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(c.Stub[at:]) }
	put := func(b []byte, values ...uint32) []byte {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	var log rpc.Handle
	if c.Op != 7 {
		copy(log[:], c.Stub)
	}
	switch c.Op {
	case 2:
		_ = h.CloseLog(ctx, log)
		return make([]byte, 24), nil
	case 4:
		n, code, err := h.LogNumber(ctx, log)
		return put(nil, n, uint32(code)), err
	case 5:
		n, code, err := h.LogOldest(ctx, log)
		return put(nil, n, uint32(code)), err
	case 7:
		at := 0
		if u32(0) != 0 { // the server's name
			at = 12 + int(u32(12))*2
			at = (at+3)&^3 + 4
		}
		var name []uint16
		for i := range int(u32(at+20) & 0xff) {
			name = append(name, binary.LittleEndian.Uint16(c.Stub[at+24+2*i:]))
		}
		handle, code, err := h.OpenLog(ctx, strings.TrimRight(string(utf16.Decode(name)), "\x00"))
		return put(handle[:], uint32(code)), err
	case 10:
		size := u32(28)
		p, err := h.ReadLog(ctx, log, rpc.LogRead(u32(20)), u32(24), size)
		b := append(put(nil, size), append(p.Data, make([]byte, int(size)-len(p.Data))...)...)
		return put(append(b, make([]byte, -len(b)&3)...), uint32(len(p.Data)), p.Needed, uint32(p.Code)), err
	}
	return nil, rpc.Fault(rpc.FaultOpRange)
}

func TestOverRPC(t *testing.T) {
	h := newHost()
	h.logs["System"].write(planted{id: 153, source: "disk", at: noon}, planted{id: 7, source: "disk", at: noon, data: make([]byte, 50_001)})
	h.logs["Application"].write(planted{id: 1000, source: "Application Error", kind: 1, at: noon, inserts: []string{"a.exe"}})
	var change func(op uint16, reply []byte) []byte
	to := h.serve(t, func(op uint16, reply []byte) []byte {
		if change != nil {
			return change(op, reply)
		}
		return reply
	})
	o := Options{Host: "win1", Right: RemoteRight, Dial: func(ctx context.Context) (Conn, error) { return rpc.Dial(ctx, to) }}
	read := func() ([]session.HostEvent, error) {
		r, err := New(t.Context(), o, session.EventsFrom{Time: noon})
		if err != nil {
			return nil, err
		}
		defer func() { _ = r.Close() }()
		events, _, err := r.Read(t.Context())
		return events, err
	}
	events, err := read()
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "as they are", events, "System disk-retried", "System bad-block", "Application crash")
	for what, c := range map[string]struct {
		op     uint16
		change func(b []byte) []byte
	}{
		"a reply of a read that is cut":    {10, func(b []byte) []byte { return b[:len(b)-8] }},
		"a reply that is much longer":      {10, func(b []byte) []byte { return append(b, make([]byte, 1<<20)...) }},
		"a buffer that is not there":       {10, func(b []byte) []byte { binary.LittleEndian.PutUint32(b, 1<<31); return b }},
		"no reply":                         {4, func([]byte) []byte { return nil }},
		"a handle that is cut":             {7, func(b []byte) []byte { return b[:10] }},
		"a result that nobody has seen":    {5, func(b []byte) []byte { binary.LittleEndian.PutUint32(b[4:], 0xC0000188); return b }},
		"the log is not to be read at all": {10, func(b []byte) []byte { binary.LittleEndian.PutUint32(b[len(b)-4:], 0xC0000188); return b }},
	} {
		change = func(op uint16, b []byte) []byte {
			if op == c.op {
				return c.change(b)
			}
			return b
		}
		if events, err := read(); err == nil {
			t.Errorf("%s: %q", what, told(events))
		}
	}
	change = func(op uint16, b []byte) []byte {
		if op == 10 { // more was read than there is
			binary.LittleEndian.PutUint32(b[len(b)-12:], 1<<31)
		}
		return b
	}
	events, err = read()
	if err != nil || len(events) != 5 || events[0].Known != session.EventGap {
		t.Errorf("%q, %v", told(events), err)
	}
	change = nil
	h.logs["System"].refused, h.logs["Application"].refused = 0xC0000022, 0xC0000022
	if _, err := read(); !errors.Is(err, session.ErrDenied) || failure.Hint(err) != RemoteRight {
		t.Errorf("%v: %q", err, failure.Hint(err))
	}
}

// A client by others reads what the host for tests serves: so that host is as such hosts are.
func TestImpacketReadsTheSame(t *testing.T) {
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import impacket.dcerpc.v5.even").Run() != nil {
		t.Skip("python3-impacket is not installed")
	}
	h := newHost()
	h.logs["System"].write(many(5, 153, noon)...)
	to := h.serve(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, "testdata/impacket_peer.py", strconv.Itoa(to.Port)).CombinedOutput()
	whole := 0
	for _, p := range h.logs["System"].records {
		whole += len(p.bytes())
	}
	if want := "5 1 " + strconv.Itoa(whole); err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("%v, %s, want %s", err, out, want)
	}
}
