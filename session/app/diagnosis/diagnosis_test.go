package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/engine/prom"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/system/failure"
)

// clinic examines hosts, and keeps what it is told.
type clinic struct {
	*testing.T
	o     Options
	own   session.Source // this computer
	steps []Step
	notes []error
}

// newClinic is one where hosts are logged on to with an account; without one by nobody.
func newClinic(t *testing.T, account, password string) *clinic {
	return clinicThat(t, account, password, false)
}

// clinicThat may copy this program to hosts of ssh.
func clinicThat(t *testing.T, account, password string, deploy bool) *clinic {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	c := &clinic{T: t}
	known := inventory.New(inventory.Options{
		Config:   &config.Config{},
		Accounts: logon.New(logon.Options{User: account, Password: []byte(password), Getenv: func(string) string { return "" }}),
		Clock:    func() session.Clock { return session.NewSystemClock() }, Go: func(do func()) { go do() },
		Getenv: func(string) string { return "" }, Environ: os.Environ(), Named: func() int { return 1 }, Context: t.Context,
		SSH: inventory.SSHOptions{Version: "test", Deploy: deploy},
		Own: func() (session.Source, error) {
			if c.own == nil {
				return nil, errBroken
			}
			return c.own, nil
		},
	})
	t.Cleanup(known.Close)
	c.o = Options{Known: known, Tell: func(s Step) { c.steps = append(c.steps, s) }, Note: func(err error) { c.notes = append(c.notes, err) }}
	return c
}

var errBroken = errors.New("it is broken")

// examine examines a host. The steps that went well are to be those that are wanted, in turn; the
// name of the one that did not is told behind a "!", and is the last.
func (c *clinic) examine(host string, want ...string) error {
	c.Helper()
	c.steps, c.notes = nil, nil
	t, err := c.o.Known.Target(host)
	if err != nil {
		c.Fatal(err)
	}
	err = Examine(c.Context(), t, c.o)
	var got []string
	for _, s := range c.steps {
		if s.Err != nil {
			got = append(got, "!"+s.Name)
		} else {
			got = append(got, s.Name)
		}
		if s.Took < 0 || s.Err != nil && s.Detail != "" {
			c.Errorf("%s took %v, came to %q, and failed with %v", s.Name, s.Took, s.Detail, s.Err)
		}
	}
	if !slices.Equal(got, want) {
		c.Errorf("%s: the steps are %q, want %q: %v", host, got, want, err)
	}
	failed := len(want) > 0 && strings.HasPrefix(want[len(want)-1], "!")
	if failed != (err != nil) || failed && len(c.steps) > 0 && !errors.Is(err, c.steps[len(c.steps)-1].Err) {
		c.Errorf("%s: it is said to end with %v", host, err)
	}
	return err
}

// detail is what came of a step that was told.
func (c *clinic) detail(name string) string {
	for _, s := range c.steps {
		if s.Name == name {
			return s.Detail
		}
	}
	return ""
}

// reading are the steps that every source has.
var reading = []string{"read the catalogue", "open a query", "add counters", "collect", "collect"}

func upTo(name string) []string {
	i := slices.Index(reading, name)
	return append(slices.Clone(reading[:i]), "!"+name)
}

func script(faults ...fake.Fault) fake.Script {
	return fake.Script{Name: "web01", Faults: faults, Sets: []fake.Set{
		{Name: "Memory", GUID: "{3f2504e0-4f89-41d3-9a0c-0305e82c3301}", Counters: []fake.Counter{
			{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(4096)},
			{Name: "Available MBytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(1)},
		}},
		{Name: "Queue", GUID: "{3f2504e0-4f89-41d3-9a0c-0305e82c3302}", Instances: session.MultipleInstances,
			Rows:     []fake.Row{{Name: "in"}, {Name: "out"}, {Name: "dead"}},
			Counters: []fake.Counter{{Name: "Length", Type: cooker.CounterRawCount, Is: fake.Const(3)}}},
	}}
}

// ownHost is a source whose query may not open, and which warns.
type ownHost struct {
	*fake.Source

	noQuery  error
	warnings []error
	closed   bool
}

func (h *ownHost) Open(ctx context.Context) (session.Query, error) {
	if h.noQuery != nil {
		return nil, h.noQuery
	}
	return h.Source.Open(ctx)
}

func (h *ownHost) Warnings() []error { return h.warnings }

func (h *ownHost) Close() error { h.closed = true; return nil }

// A host without steps of its own is opened and read twice, by what the default deck shows of
// it or, where that is nothing, by its first counter; it is told at which step it ended, and why.
func TestSteps(t *testing.T) {
	strange := fake.Script{Name: "web01", Sets: script().Sets[1:]}
	empty := fake.Script{Name: "web01"}
	whole := append(slices.Clone(reading), "read events")
	for name, c := range map[string]struct {
		script    fake.Script
		noQuery   error
		want      []string
		why       error
		catalogue string
		values    string
	}{
		"well":          {script(), nil, whole, nil, "2 countersets, 3 counters", "1 value, 1 instance"},
		"strange":       {strange, nil, whole, nil, "1 counterset, 1 counter", "3 values, 3 instances"},
		"empty":         {empty, nil, whole, nil, "0 countersets, 0 counters", "0 values, 0 instances"},
		"denied":        {script(fake.Fault{Err: fake.Denied("web01")}), nil, upTo("read the catalogue"), session.ErrDenied, "", ""},
		"no query":      {script(), errBroken, upTo("open a query"), errBroken, "2 countersets, 3 counters", ""},
		"set":           {script(fake.Fault{Set: "Memory", Err: errBroken}), nil, upTo("collect"), errBroken, "2 countersets, 3 counters", ""},
		"another set":   {script(fake.Fault{Set: "Queue", Err: errBroken}), nil, whole, nil, "2 countersets, 3 counters", "1 value, 1 instance"},
		"did not begin": {fake.Script{}, nil, []string{"!open"}, errBroken, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			clinic := newClinic(t, "", "")
			host := &ownHost{Source: fake.New(c.script, session.NewSystemClock()), noQuery: c.noQuery, warnings: []error{errors.New("its clock is slow")}}
			if c.script.Name != "" {
				clinic.own = host
			}
			err := clinic.examine(inventory.Local, c.want...)
			if !errors.Is(err, c.why) {
				t.Errorf("it ended with %v, want %v", err, c.why)
			}
			if got := clinic.detail("read the catalogue"); got != c.catalogue {
				t.Errorf("of its catalogue it is said %q, want %q", got, c.catalogue)
			}
			if got := clinic.detail("collect"); got != c.values {
				t.Errorf("of its values it is said %q, want %q", got, c.values)
			}
			opened := clinic.own != nil
			if host.closed != opened || (len(clinic.notes) == 1) != opened {
				t.Errorf("it was closed: %v; it warned: %v", host.closed, clinic.notes)
			}
		})
	}
}

// Who gives up waiting is told which step the host did not take.
func TestGivenUp(t *testing.T) {
	clinic := newClinic(t, "", "")
	clinic.own = fake.New(script(fake.Fault{Hang: true}), session.NewSystemClock())
	target, err := clinic.o.Known.Target(inventory.Local)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Examine(ctx, target, clinic.o); !errors.Is(err, context.Canceled) || len(clinic.steps) != 1 || !errors.Is(clinic.steps[0].Err, err) {
		t.Errorf("%v: %+v", err, clinic.steps)
	}
}

// serve is a host on loopback that serves a script over TCP to ana, whose password is "right".
func serve(t *testing.T, of fake.Script) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveAt(t, of, l)
}

func serveAt(t *testing.T, of fake.Script, l net.Listener) (address string) {
	t.Helper()
	accounts := server.Accounts{}
	if err := accounts.Add("ana", []byte("right")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(ctx, l, server.Options{Source: fake.New(of, session.NewSystemClock()), Accounts: accounts, Go: func(f func()) { go f() }})
	}()
	t.Cleanup(func() { cancel(); <-served })
	return "tcp://" + l.Addr().String()
}

// Of a host over RPC the steps of the connection come before those of its counters.
func TestOverRPC(t *testing.T) {
	connecting := []string{"find the host", "get the password", "connect", "bind"}
	at := serve(t, script())
	clinic := newClinic(t, "ana", "right")
	wrapped := 0
	clinic.o.Wrap = func(c inventory.Conn) inventory.Conn { wrapped++; return c }
	_ = clinic.examine(at, slices.Concat(connecting, reading)...)
	if got := clinic.detail("find the host"); got != "127.0.0.1" {
		t.Errorf("the host is found at %q", got)
	}
	if got := clinic.detail("read the catalogue"); got != "2 countersets, 3 counters" {
		t.Errorf("its catalogue: %q", got)
	}
	if wrapped == 0 {
		t.Error("nothing stood around its connection")
	}

	if err := newClinic(t, "ana", "wrong").examine(at, "find the host", "get the password", "connect", "!log on"); failure.Hint(err) == "" || !strings.HasSuffix(err.Error(), "as ana") || strings.Contains(err.Error(), "wrong") {
		t.Errorf("nothing is said of what can be done, or of whom: %v", err)
	}
	if err := newClinic(t, "", "").examine(at, "!prepare"); !errors.Is(err, logon.ErrNoAccount) {
		t.Errorf("without an account: %v", err)
	}
	_ = clinic.examine("tcp://127.0.0.1:1", "find the host", "get the password", "!connect")
	if prom.ReasonOf(clinic.steps[len(clinic.steps)-1].Err) != prom.NotThere {
		t.Error("nothing listens, and it is said to be there")
	}
	if last := clinic.steps[len(clinic.steps)-1].Err.Error(); strings.Contains(last, "ana") {
		t.Errorf("nobody was logged on, and it is said as whom: %s", last)
	}
	if err := clinic.examine("tcp://no..such..name:14500", "!find the host"); failure.Hint(err) == "" {
		t.Errorf("nothing is said of what can be done: %v", err)
	}
	_ = clinic.examine("nowhere\\at all", "!prepare")
	_ = clinic.examine(serve(t, script(fake.Fault{Set: "Memory", Err: errBroken})), slices.Concat(connecting, upTo("collect"))...)
}

// farAway is a listener whose hosts take a while for each answer; it counts connections.
type farAway struct {
	net.Listener

	connections atomic.Int32
}

func (l *farAway) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.connections.Add(1)
	}
	return farConn{c}, err
}

type farConn struct{ net.Conn }

func (c farConn) Write(b []byte) (int, error) {
	time.Sleep(10 * time.Millisecond)
	return c.Conn.Write(b)
}

// A host is read by several calls at once, as screens do; what is captured, by one after the other.
func TestReadAsByScreens(t *testing.T) {
	of := fake.Script{Name: "web01"}
	for i := range 30 {
		of.Sets = append(of.Sets, fake.Set{Name: fmt.Sprint("Set ", i), Counters: []fake.Counter{{Name: "A", Type: cooker.CounterRawCount, Is: fake.Const(1)}}})
	}
	for _, captured := range []bool{false, true} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		far := &farAway{Listener: l}
		at := serveAt(t, of, far)
		clinic := newClinic(t, "ana", "right")
		if captured {
			clinic.o.Wrap = func(c inventory.Conn) inventory.Conn { return c }
		}
		_ = clinic.examine(at, slices.Concat([]string{"find the host", "get the password", "connect", "bind"}, reading)...)
		if n := far.connections.Load(); captured != (n == 1) || clinic.detail("read the catalogue") != "30 countersets, 30 counters" {
			t.Errorf("captured %v: %d connections, %s", captured, n, clinic.detail("read the catalogue"))
		}
	}
}
