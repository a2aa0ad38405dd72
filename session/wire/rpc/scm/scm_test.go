package scm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oiweiwei/go-msrpc/ndr"

	"perfdeck/session"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/rpc/scm/scmtest"
	"perfdeck/session/wire/smbtest"
)

func someServices(n int) (out []scmtest.Service) {
	for i := range n {
		s := scmtest.Service{Name: fmt.Sprintf("Service%03d", i), Title: fmt.Sprintf("Ein Dienst \U0001F600 %03d", i), Type: 0x20, State: 4, Process: uint32(1000 + i/3), Start: 2}
		if i%3 == 0 {
			s.State, s.Process, s.ExitCode, s.Start = 1, 0, 1077, 3
		}
		out = append(out, s)
	}
	return out
}

func dial(t testing.TB, h *scmtest.Host) (*Manager, error) {
	t.Helper()
	c, err := rpc.Dial(t.Context(), scmtest.Options(scmtest.Start(t, h)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return Open(t.Context(), "srv1", c)
}

func opened(t testing.TB, h *scmtest.Host) *Manager {
	t.Helper()
	m, err := dial(t, h)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A list takes two calls at first and one then, by either method, and is in parts where it is long.
func TestList(t *testing.T) {
	for _, isOld := range []bool{false, true} {
		h := &scmtest.Host{Services: someServices(300), IsOld: isOld}
		m := opened(t, h)
		check := func(want, calls int) {
			t.Helper()
			before := h.Calls(14, 42)
			list, err := m.List(t.Context())
			if err != nil || len(list) != want || h.Calls(14, 42)-before != calls {
				t.Fatalf("old %v: %d services in %d calls: %v", isOld, len(list), h.Calls(14, 42)-before, err)
			}
			for i, s := range list {
				if given := h.Services[i]; s.Name != given.Name || s.Title != given.Title || s.State != given.State || s.ExitCode != given.ExitCode || s.Process != given.Process && !isOld {
					t.Fatalf("%+v, want %+v", s, given)
				}
			}
		}
		first := 2
		if isOld { // it is asked for the other one
			first = 3
		}
		check(300, first)
		check(300, 1)
		h.Change(func() { h.Services = someServices(302) })
		check(302, 1)
		h.Change(func() { h.Services = someServices(500) })
		check(500, 2)
		check(500, 1)
		h.Change(func() { h.Services = someServices(4000) })
		check(4000, 3)
		check(4000, 2) // of 256 KiB at most
	}
}

// A list that is refused, or without an end, is told with what opens it.
func TestListFails(t *testing.T) {
	_, err := dial(t, &scmtest.Host{Denies: true})
	var hinted interface{ Hint() string }
	if !errors.Is(err, session.ErrDenied) || !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), "scmanager") {
		t.Errorf("%v", err)
	}
	h := &scmtest.Host{Services: someServices(10)}
	h.Alter = func(op uint16, stub []byte) []byte {
		if op == 42 {
			binary.LittleEndian.PutUint32(stub[len(stub)-4:], codeMoreData)
		}
		return stub
	}
	if list, err := opened(t, h).List(t.Context()); !errors.Is(err, errNoEnd) {
		t.Errorf("%d services, %v", len(list), err)
	}
}

// What a host tells of itself is bounded, and whatever it says of a list is told as damage.
func TestHostileList(t *testing.T) {
	whole := &scmtest.Host{Services: someServices(2)}
	m := opened(t, whole)
	if _, err := m.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := m.part(t.Context(), m.size, 0)
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, v uint32) []byte {
		b := slices.Clone(p.buffer)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	for name, hostile := range map[string]part{
		"2^32 services":          {op: OpList, buffer: p.buffer, returned: 1<<32 - 1},
		"more than bytes":        {op: OpList, buffer: p.buffer[:80], returned: 2},
		"an offset outside":      {op: OpList, buffer: change(0, 1<<31), returned: 2},
		"an offset at the end":   {op: OpList, buffer: change(0, uint32(len(p.buffer))), returned: 2},
		"an odd offset":          {op: OpList, buffer: change(4, 101), returned: 2},
		"an offset in the heads": {op: OpList, buffer: change(4, 44), returned: 2},
		"a name without an end":  {op: OpList, buffer: append(slices.Clone(p.buffer[:88]), []byte(strings.Repeat("n\x00", 10_000))...), returned: 1},
	} {
		if list, err := hostile.services(nil); !errors.Is(err, errList) {
			t.Errorf("%s: %d services, %v", name, len(list), err)
		}
	}
	shared := make([]byte, 44*5000, 256<<10) // all have one name, and its title is the same
	for i := range 5000 {
		binary.LittleEndian.PutUint32(shared[44*i:], uint32(len(shared)))
		binary.LittleEndian.PutUint32(shared[44*i+4:], uint32(len(shared)))
	}
	one := part{op: OpList, buffer: append(shared, []byte(strings.Repeat("\xff\xfe", 250)+"\x00\x00")...), returned: 5000}
	if list, err := one.services(nil); !errors.Is(err, errList) {
		t.Errorf("%d services of one text, %v", len(list), err)
	}
	if list, err := p.services(make([]Service, 1<<20)); !errors.Is(err, errList) {
		t.Errorf("%d services, %v", len(list), err)
	}
	for n := range p.buffer {
		cut := part{op: OpList, buffer: p.buffer[:n], returned: 2}
		list, err := cut.services(nil)
		if err == nil && len(list) != 2 {
			t.Fatalf("cut at %d: %d services", n, len(list))
		}
	}
}

// Replies that are cut anywhere cost their connection, and nothing hangs.
func TestCutReplies(t *testing.T) {
	h := &scmtest.Host{Services: someServices(1)}
	cut := -1
	h.Alter = func(_ uint16, stub []byte) []byte { return stub[:min(len(stub), max(cut, 0))] }
	for _, n := range []int{0, 1, 4, 20, 23} {
		h.Change(func() { cut = n })
		if m, err := dial(t, h); err == nil {
			t.Errorf("a reply of %d bytes opens %+v", n, m)
		}
	}
}

// How services start is asked for one by one, and what is denied of one is denied there alone.
func TestConfig(t *testing.T) {
	h := &scmtest.Host{Services: someServices(4)}
	h.Services[1].IsDelayed, h.Services[2].Triggers, h.Services[3].IsSecret = true, 3, true
	m := opened(t, h)
	for i, want := range []Config{{Start: 3}, {Start: 2, IsDelayed: true}, {Start: 2}} {
		before := h.Calls()
		if c, err := m.Config(t.Context(), h.Services[i].Name); err != nil || c != want || h.Calls()-before > 4 {
			t.Errorf("%d: %+v, %v in %d calls", i, c, err, h.Calls()-before)
		}
		if has, err := m.HasTriggers(t.Context(), h.Services[i].Name); err != nil || has != (i == 2) {
			t.Errorf("%d: %v, %v", i, has, err)
		}
	}
	if _, err := m.Config(t.Context(), h.Services[3].Name); !errors.Is(err, session.ErrDenied) {
		t.Error(err)
	}
	h.Change(func() { h.NoTriggers = true })
	if _, err := m.HasTriggers(t.Context(), "Service000"); rpc.CodeOf(err) != rpc.FaultOpRange {
		t.Error(err)
	}
	if _, err := m.List(t.Context()); err != nil {
		t.Error("after all that:", err)
	}
	if err := m.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A client by others reads what the fake manager lists, so that it is no matter of our own alone.
func TestImpacketLists(t *testing.T) {
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import impacket.dcerpc.v5.scmr").Run() != nil {
		t.Skip("NOT TESTED AGAINST AN INDEPENDENT CLIENT: python3 with impacket is not installed (Debian: python3-impacket)")
	}
	h := &scmtest.Host{Services: someServices(300)}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, filepath.Join("testdata", "impacket_list.py"), strconv.Itoa(scmtest.Start(t, h)), scmtest.User, scmtest.Password).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, s := range h.Services {
		for _, want := range []string{fmt.Sprintf("%s %d %d\n", s.Name, s.State, s.Process), "14 " + s.Name + "\n"} {
			if !strings.Contains(string(out), want) {
				t.Fatalf("%q is not in\n%s", want, out)
			}
		}
	}
}

// A stock Samba has the older list alone, and tells states that there are not.
func TestSamba(t *testing.T) {
	s := smbtest.Start(t, smbtest.Options{Global: []string{"svcctl list = cron ssh"}})
	c, err := rpc.Dial(t.Context(), rpc.Options{
		Address: rpc.Address{Host: s.Host, Port: s.Port, Connect: rpc.SMB},
		Account: rpc.Account{User: smbtest.User, Domain: smbtest.Workgroup, Password: smbtest.FixedPassword(smbtest.Password)},
		Calls:   rpc.Calls{Interfaces: []rpc.Interface{rpc.MSSCMR}, CallTimeout: 20 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	m, err := Open(t.Context(), "srv1", c)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		list, err := m.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"cron", "ssh", "Spooler", "WINS"} {
			if !slices.ContainsFunc(list, func(s Service) bool { return s.Name == name && s.Title != "" }) {
				t.Errorf("%s is not in %+v", name, list)
			}
		}
	}
	if c, err := m.Config(t.Context(), "Spooler"); err != nil || c.Start < 2 || c.Start > 4 {
		t.Errorf("%+v, %v", c, err)
	}
	if err := m.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// recorded is a connection that answers with one stub, read as connections read.
type recorded struct {
	stub []byte
	read func(stub []byte, out ndr.Unmarshaler) error
}

func (r recorded) Generated(_ context.Context, _ rpc.Interface, _ string, _ rpc.Generated, out ndr.Unmarshaler, _ int) error {
	return r.read(r.stub, out)
}

// recordedList is the reply to the question for a list of n.
func recordedList(t testing.TB, n int) []byte {
	h := &scmtest.Host{Services: someServices(n)}
	m := opened(t, h)
	var stub []byte
	h.Alter = func(op uint16, s []byte) []byte {
		if op == 42 {
			stub = slices.Clone(s)
		}
		return s
	}
	if _, err := m.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	return stub
}

func (r recorded) list(t testing.TB) {
	m := &Manager{conn: r, size: 48 << 10}
	list, err := m.List(t.Context())
	if err != nil || len(list) != 300 {
		t.Fatal(len(list), err)
	}
}

// One call refreshes 300 services, in at most 64 KiB, without much memory of its own.
func TestListIsCheap(t *testing.T) {
	stub := recordedList(t, 300)
	if len(stub) > 64<<10 {
		t.Errorf("%d bytes", len(stub))
	}
	if n := testing.AllocsPerRun(10, func() { recorded{stub, rpc.ReadGenerated}.list(t) }); n > 30 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkList300(b *testing.B) {
	stub := recordedList(b, 300)
	for name, read := range map[string]func([]byte, ndr.Unmarshaler) error{
		"ours":    rpc.ReadGenerated,
		"library": func(stub []byte, out ndr.Unmarshaler) error { return ndr.NDR20(stub).Unmarshal(b.Context(), out) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(stub)))
			b.ReportAllocs()
			for b.Loop() {
				recorded{stub, read}.list(b)
			}
		})
	}
}

// FuzzList takes whatever is said to be a list: it costs no more than it is long.
func FuzzList(f *testing.F) {
	f.Add(uint32(1), true, make([]byte, 100))
	f.Add(uint32(1<<32-1), false, make([]byte, 100))
	f.Fuzz(func(t *testing.T, n uint32, isOld bool, b []byte) {
		p := part{op: OpList, buffer: b, returned: n}
		if isOld {
			p.op = OpOldList
		}
		list, err := p.services(nil)
		if err == nil && len(list) != int(n) {
			t.Errorf("%d services of %d", len(list), n)
		}
	})
}
