package eventlog

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"
	"unicode/utf16"

	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

// planted is a record as a test wants it.
type planted struct {
	number  uint32
	at      time.Time
	id      uint32
	kind    uint16
	source  string
	inserts []string
	data    []byte
	flags   uint16
}

func wideBytes(s string) (b []byte) {
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return append(b, 0, 0)
}

// bytes are those of an EVENTLOGRECORD. Offsets of what is absent are nonsense, as they may be.
func (p planted) bytes() []byte {
	b := append([]byte(nil), make([]byte, recordHeadBytes)...)
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	b = append(append(b, wideBytes(p.source)...), wideBytes("host")...)
	for len(b)%4 != 0 {
		b = append(b, 0xee)
	}
	put(44, 0xdeadbeef) // no SID
	put(36, 0xdeadbeef)
	put(52, 0xdeadbeef)
	if len(p.inserts) > 0 {
		put(36, uint32(len(b)))
	}
	for _, s := range p.inserts {
		b = append(b, wideBytes(s)...)
	}
	if len(p.data) > 0 {
		put(48, uint32(len(p.data)))
		put(52, uint32(len(b)))
		b = append(b, p.data...)
	}
	for len(b)%4 != 0 {
		b = append(b, 0xee)
	}
	length := uint32(len(b) + 4)
	b = binary.LittleEndian.AppendUint32(b, length)
	put(0, length)
	put(4, signature)
	put(8, p.number)
	put(12, uint32(p.at.Unix()))
	put(16, uint32(p.at.Unix()))
	put(20, p.id)
	binary.LittleEndian.PutUint16(b[24:], p.kind)
	binary.LittleEndian.PutUint16(b[26:], uint16(len(p.inserts)))
	binary.LittleEndian.PutUint16(b[30:], p.flags)
	return b
}

// host is one for tests: logs by their names, and what it is asked.
type host struct {
	logs   map[string]*hostLog
	calls  int
	parts  int // reads among them
	open   int
	fails  error
	begins func(log *hostLog) // before a read
}

type hostLog struct {
	refused rpc.Code
	records []planted
	raw     []byte // in place of the records of a read
}

func newHost() *host {
	return &host{logs: map[string]*hostLog{"System": {}, "Application": {}}}
}

// write adds records, of which each has the number behind that of the one before.
func (l *hostLog) write(all ...planted) {
	for _, p := range all {
		if p.number == 0 {
			p.number = 1
			if n := len(l.records); n > 0 {
				p.number = l.records[n-1].number + 1
			}
		}
		if p.kind == 0 {
			p.kind = 2
		}
		l.records = append(l.records, p)
	}
}

func (h *host) of(handle rpc.Handle) *hostLog {
	return h.logs[map[byte]string{'S': "System", 'A': "Application"}[handle[0]]]
}

func (h *host) OpenLog(_ context.Context, name string) (rpc.Handle, rpc.Code, error) {
	h.calls++
	if h.logs[name] == nil {
		return rpc.Handle{}, 0, errors.New("a log that nobody should ask for: " + name)
	}
	h.open++
	return rpc.Handle{name[0]}, h.logs[name].refused, h.fails
}

func (h *host) LogNumber(_ context.Context, log rpc.Handle) (uint32, rpc.Code, error) {
	h.calls++
	return uint32(len(h.of(log).records)), 0, h.fails
}

func (h *host) LogOldest(_ context.Context, log rpc.Handle) (uint32, rpc.Code, error) {
	h.calls++
	if l := h.of(log); len(l.records) > 0 {
		return l.records[0].number, 0, h.fails
	}
	return 0, 0, h.fails
}

func (h *host) ReadLog(_ context.Context, log rpc.Handle, how rpc.LogRead, number, size uint32) (p rpc.LogPart, err error) {
	h.calls++
	h.parts++
	l := h.of(log)
	if h.begins != nil {
		h.begins(l)
	}
	if l.raw != nil {
		return rpc.LogPart{Data: l.raw}, h.fails
	}
	i := slices.IndexFunc(l.records, func(p planted) bool { return p.number == number })
	if i < 0 {
		return rpc.LogPart{Code: codesNothing[1]}, h.fails
	}
	for ; i >= 0 && i < len(l.records); i++ {
		b := l.records[i].bytes()
		if len(p.Data)+len(b) > int(size) {
			if len(p.Data) == 0 {
				return rpc.LogPart{Code: codesTooSmall[0], Needed: uint32(len(b))}, h.fails
			}
			break
		}
		p.Data = append(p.Data, b...)
		if how == rpc.LogBackwards {
			i -= 2
		}
	}
	return p, h.fails
}

func (h *host) CloseLog(context.Context, rpc.Handle) error { h.open--; return nil }
func (h *host) Close() error                               { return nil }

// reader is one of a host, from a time on.
func (h *host) reader(t *testing.T, from session.EventsFrom, ahead ...time.Duration) session.EventReader {
	t.Helper()
	o := Options{Host: "win1", Dial: func(context.Context) (Conn, error) { return h, nil }, Right: RemoteRight}
	if len(ahead) > 0 {
		o.Ahead = func() (time.Duration, bool) { return ahead[0], true }
	}
	r, err := New(t.Context(), o, from)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// all reads until there is no more.
func all(t *testing.T, r session.EventReader) (events []session.HostEvent) {
	t.Helper()
	for range 10_000 {
		part, more, err := r.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, part...)
		if !more {
			return events
		}
	}
	t.Fatal("it never ends")
	return nil
}
