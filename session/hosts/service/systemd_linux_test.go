package service

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"perfdeck/cooker"
	"perfdeck/session"
)

// scripted is a bus that a test writes: it answers by the name of the method, in bytes where the
// test wants them.
type scripted struct {
	t      *testing.T
	root   string
	line   string // in place of "OK"
	raw    map[string][]byte
	answer map[string][]any
	refuse map[string]string
	silent string // a method that is never answered
}

// start has it listen, below a folder that is /run.
func (s *scripted) start(t *testing.T) Systemd {
	s.t, s.root = t, t.TempDir()
	for _, dir := range []string{booted, units, "dbus"} {
		if err := os.MkdirAll(filepath.Join(s.root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("unix", filepath.Join(s.root, busSocket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return Systemd{Root: s.root}
}

func (s *scripted) serve(c net.Conn) {
	defer c.Close()
	line := func() string {
		var out []byte
		for b := make([]byte, 1); ; {
			if _, err := c.Read(b); err != nil || b[0] == '\n' {
				return string(out)
			}
			out = append(out, b[0])
		}
	}
	if !strings.HasPrefix(line(), "\x00AUTH EXTERNAL ") {
		return
	}
	if s.line == "" {
		s.line = "OK 0123\r\n"
	}
	if _, err := io.WriteString(c, s.line); err != nil || line() != "BEGIN\r" {
		return
	}
	for {
		m, err := dbus.DecodeMessage(c)
		if err != nil {
			return
		}
		member, _ := m.Headers[dbus.FieldMember].Value().(string)
		if member == "Get" {
			member = m.Body[1].(string)
		}
		switch {
		case member == s.silent:
		case s.raw[member] != nil:
			_, _ = c.Write(s.raw[member])
		default:
			reply := dbus.Message{Type: dbus.TypeMethodReply, Body: s.answer[member], Headers: map[dbus.HeaderField]dbus.Variant{}}
			if name := s.refuse[member]; name != "" {
				reply.Type, reply.Headers[dbus.FieldErrorName] = dbus.TypeError, dbus.MakeVariant(name)
			}
			_, _ = c.Write(encode(s.t, reply, m.Serial()))
		}
	}
}

// encode writes a message that answers another.
func encode(t testing.TB, m dbus.Message, to uint32) []byte {
	t.Helper()
	m.Headers[dbus.FieldReplySerial] = dbus.MakeVariant(to)
	if len(m.Body) > 0 {
		m.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(m.Body...))
	}
	var b bytes.Buffer
	if err := m.EncodeTo(&b, binary.LittleEndian); err != nil {
		t.Error(err)
	}
	return b.Bytes()
}

// listed is an entry as systemd lists it.
type listed struct {
	Name, Description, Load, Active, Sub, Following string
	Path                                            dbus.ObjectPath
	Job                                             uint32
	JobType                                         string
	JobPath                                         dbus.ObjectPath
}

func entry(name, load, active string) listed {
	return listed{Name: name, Description: "of " + name, Load: load, Active: active, Sub: "x", Path: "/org/freedesktop/systemd1/unit/x", JobPath: "/"}
}

// read lists by a bus, with the details of all.
func read(t *testing.T, s Systemd) ([]Service, error) {
	t.Helper()
	m, err := s.Dial(t.Context())
	if err != nil {
		return nil, err
	}
	defer m.Close()
	list, err := m.List(t.Context())
	for i := range list {
		if err == nil {
			err = m.Detail(t.Context(), &list[i])
		}
	}
	return list, err
}

func TestSystemd(t *testing.T) {
	bus := &scripted{answer: map[string][]any{
		"ListUnitsByPatterns": {[]listed{
			entry(`dev-disk-by\x2duuid@\x41.service`, "loaded", "active"), entry("gone.service", "not-found", "inactive"),
			entry("crashed.service", "loaded", "failed"), entry("../../etc.service", "masked", "reloading"), entry("odd.service", "loaded", "maintenance"),
		}},
		"MainPID": {dbus.MakeVariant(uint32(77))}, "NRestarts": {dbus.MakeVariant(uint32(4))}, "ExecMainStatus": {dbus.MakeVariant(int32(3))}, "ExecMainCode": {dbus.MakeVariant(int32(1))},
		"Result": {dbus.MakeVariant("exit-code")}, "ActiveEnterTimestamp": {dbus.MakeVariant(uint64(1_000_000))}, "UnitFileState": {dbus.MakeVariant("enabled-runtime")},
	}}
	s := bus.start(t)
	if why := s.Absent(); why != "" {
		t.Fatal(why)
	}
	list, err := read(t, s)
	if err != nil || len(list) != 4 {
		t.Fatalf("%v: %+v", err, list)
	}
	for i, want := range []struct {
		name   string
		state  State
		failed bool
	}{{"dev-disk-by-uuid@A", Running, false}, {"crashed", Stopped, true}, {"../../etc", Resuming, false}, {"odd", Unknown, false}} {
		got := list[i]
		if got.Name != want.name || got.State != want.state || got.Failed != want.failed {
			t.Errorf("%+v, want %+v", got, want)
		}
		if got.Process.Raw != 77 || got.Restarts.Raw != 4 || got.ExitCode.Raw != 3 || got.Result != "exit-code" || got.Start.Raw != Automatic {
			t.Errorf("%+v", got.Details)
		}
	}
	if began := list[0].Began; began.Raw != cooker.Unix100ns+1e7 || list[1].Began.State != cooker.Unavailable {
		t.Errorf("%+v, %+v", began, list[1].Began)
	}
}

// A computer without systemd, or without its bus, says so; nothing is opened for it.
func TestSystemdIsAbsent(t *testing.T) {
	root := t.TempDir()
	if why := (Systemd{Root: root}).Absent(); !strings.Contains(why, "does not run here") {
		t.Error(why)
	}
	if err := os.MkdirAll(filepath.Join(root, booted), 0o700); err != nil {
		t.Fatal(err)
	}
	if why := (Systemd{Root: root}).Absent(); !strings.Contains(why, "no system bus") {
		t.Error(why)
	}
	if _, err := read(t, Systemd{Root: root}); err == nil {
		t.Error("a bus that is not there was read")
	}
}

// The address of the environment may be anybody's.
func TestBusOfEnvironment(t *testing.T) {
	other := (&scripted{answer: map[string][]any{"ListUnitsByPatterns": {[]listed{entry("x.service", "loaded", "active")}}}}).start(t)
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path="+filepath.Join(other.Root, busSocket))
	if list, err := read(t, Systemd{Root: t.TempDir()}); err == nil {
		t.Errorf("%+v", list)
	}
}

// Whatever a bus answers, the error says so: soon, and without much memory.
func TestHostileBus(t *testing.T) {
	head := func(order byte, body, fields uint32) []byte {
		b := make([]byte, 16)
		b[0], b[1], b[3] = order, 2, 1
		binary.LittleEndian.PutUint32(b[4:], body)
		binary.LittleEndian.PutUint32(b[12:], fields)
		return b
	}
	units := func(body ...any) *scripted { return &scripted{answer: map[string][]any{"ListUnitsByPatterns": body}} }
	bytesOf := func(b []byte) *scripted { return &scripted{raw: map[string][]byte{"ListUnitsByPatterns": b}} }
	long := encode(t, dbus.Message{Type: dbus.TypeMethodReply, Body: []any{[]listed{entry("a.service", "loaded", "active")}}, Headers: map[dbus.HeaderField]dbus.Variant{}}, 2)
	binary.LittleEndian.PutUint32(long[len(long)-int(binary.LittleEndian.Uint32(long[4:])):], 1<<32-1) // so many bytes of units
	for name, bus := range map[string]*scripted{
		"a log-on without end":   {line: strings.Repeat("x", 10_000)},
		"a log-on refused":       {line: "REJECTED EXTERNAL\r\n"},
		"another protocol":       {line: "HTTP/1.1 400\r\n"},
		"4 GB of body":           bytesOf(head('l', 1<<32-1, 0)),
		"4 GB of fields":         bytesOf(head('B', 0, 1<<32-1)),
		"both overflow":          bytesOf(head('l', 1<<31, 1<<31)),
		"4 GB of units":          bytesOf(long),
		"no message":             bytesOf(bytes.Repeat([]byte{0xff}, 64)),
		"messages of others":     bytesOf(bytes.Repeat(encode(t, dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{}}, 9999), 1000)),
		"nothing":                units(),
		"a number":               units(uint32(7)),
		"texts":                  units([]string{"a.service"}),
		"short entries":          units([]struct{ A, B string }{{"a", "b"}}),
		"entries of other types": units([]struct{ A, B, C, D, E, F, G, H, I, J uint32 }{{}}),
		"a variant":              units(dbus.MakeVariant([]listed{})),
		"access denied":          {refuse: map[string]string{"ListUnitsByPatterns": "org.freedesktop.DBus.Error.AccessDenied"}},
		"a name that nobody has": {refuse: map[string]string{"ListUnitsByPatterns": "org.freedesktop.DBus.Error.NameHasNoOwner"}},
	} {
		s := bus.start(t)
		began := time.Now()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		list, err := read(t, s)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: %+v", name, list)
		}
		if errors.Is(err, session.ErrDenied) != (name == "access denied" || name == "a log-on refused") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > 10*time.Second || after.TotalAlloc-before.TotalAlloc > 32<<20 {
			t.Errorf("%s: %v, %d bytes", name, took, after.TotalAlloc-before.TotalAlloc)
		}
	}
}

// A bus that never answers ends with the round, at whatever it stops.
func TestSilentBus(t *testing.T) {
	for _, member := range []string{"Hello", "ListUnitsByPatterns", "Result"} {
		bus := &scripted{silent: member, answer: map[string][]any{"ListUnitsByPatterns": {[]listed{entry("a.service", "loaded", "active")}}}}
		r := NewReader(Options{Dial: bus.start(t).Dial, Go: func(f func()) { go f() }, Now: func() time.Duration { return 0 }})
		set := Set()
		w := session.Want{Set: set, Counters: []int{0, 5}}
		r.Choose(&w)
		var b session.SetBatch
		b.Reset(&w)
		r.Collect(t.Context(), &b, cooker.Clocks{})
		r.Close()
		<-r.round.done
		b.Reset(&w)
		r.Collect(t.Context(), &b, cooker.Clocks{})
		switch {
		case member != "Result" && b.Err == nil:
			t.Errorf("%s: %+v", member, b.Instances)
		case member == "Result" && (b.Err != nil || len(b.Instances) != 2 || b.Row(0)[0].Raw != 4 || b.Row(0)[1].State != cooker.Pending):
			t.Errorf("%s: %v, %+v", member, b.Err, b.Readings)
		}
	}
}

// FuzzAnswers decodes what a bus may send.
func FuzzAnswers(f *testing.F) {
	none := map[dbus.HeaderField]dbus.Variant{}
	f.Add(encode(f, dbus.Message{Type: dbus.TypeMethodReply, Body: []any{[]listed{entry("a.service", "loaded", "active")}}, Headers: none}, 2))
	f.Add(encode(f, dbus.Message{Type: dbus.TypeMethodReply, Body: []any{dbus.MakeVariant(uint32(7))}, Headers: map[dbus.HeaderField]dbus.Variant{}}, 3))
	f.Add([]byte("l\x02\x00\x01\xff\xff\xff\xff\x01\x00\x00\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readMessage(bytes.NewReader(data))
		if err != nil {
			return
		}
		_ = m.refusal()
		list, err := unitsOf(m)
		for i := range list {
			s := list[i].service()
			if settled := settle([]Service{s}); strings.ContainsAny(settled[0].Name, "\x1b()#*/\\") {
				t.Errorf("%q", settled[0].Name)
			}
		}
		if err == nil && len(list) > mostServices+1 {
			t.Errorf("%d services", len(list))
		}
		answers := make([]*message, len(properties))
		for i := range answers {
			answers[i] = m
		}
		detailsOf(answers, Running)
	})
}

// BenchmarkUnits decodes a list of 300 units.
func BenchmarkUnits(b *testing.B) {
	var all []listed
	for i := range 300 {
		all = append(all, entry("service-number-"+strconv.Itoa(i)+".service", "loaded", "active"))
	}
	data := encode(b, dbus.Message{Type: dbus.TypeMethodReply, Body: []any{all}, Headers: map[dbus.HeaderField]dbus.Variant{}}, 2)
	b.ReportAllocs()
	for b.Loop() {
		m, err := readMessage(bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		if list, err := unitsOf(m); err != nil || len(list) != len(all) {
			b.Fatal(err)
		}
	}
}
