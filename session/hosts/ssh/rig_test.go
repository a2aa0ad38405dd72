//go:build unix

package ssh

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/hosts/ssh/sshtest"
)

// The test's own program is the askpass of ssh, and the perfdeck of the other side.
func TestMain(m *testing.M) {
	switch {
	case IsAskpass(os.Getenv):
		os.Exit(Askpass(os.Getenv, os.Args[1:], os.Stdout))
	case len(os.Args) > 1 && os.Args[1] == "--version":
		fmt.Println("perfdeck test")
		return
	case len(os.Args) > 2 && os.Args[1] == "serve":
		serveStdio(os.Args[2:])
		return
	}
	code := m.Run()
	theServer.Stop()
	os.Exit(code)
}

// serveStdio is what perfdeck serve --stdio does, with processes of a script.
func serveStdio(args []string) {
	if len(args) == 3 { // --private
		_ = os.RemoveAll(args[2])
	}
	near, far := net.Pipe()
	go func() { copyAll(far, os.Stdin); _ = far.Close() }()
	go func() { copyAll(os.Stdout, far) }()
	script := fake.Script{Name: "far", Sets: []fake.Set{
		{Name: "Memory", Counters: []fake.Counter{{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(1000)}}},
		{Name: "Process", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "init"}, {Name: "sshd"}},
			Counters: []fake.Counter{{Name: "Thread Count", Type: cooker.CounterRawCount, Is: fake.Const(3)}}},
	}}
	source := &withFacts{fake.New(script, session.NewSystemClock())}
	if err := server.ServeStream(context.Background(), near, server.StreamOptions{Source: source, Program: "test"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func copyAll(to interface{ Write([]byte) (int, error) }, from interface{ Read([]byte) (int, error) }) {
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if _, failed := to.Write(b[:n]); err != nil || failed != nil {
			return
		}
	}
}

// withFacts adds facts and numbers to the processes of a script.
type withFacts struct{ *fake.Source }

func (s *withFacts) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	cat, err := s.Source.Catalogue(ctx)
	if err == nil {
		cat.Set("Process").Facts = []string{"User", "\x1b[31mEvil", "Command Line", ""}
	}
	return cat, err
}

func (s *withFacts) Open(ctx context.Context) (session.Query, error) {
	q, err := s.Source.Open(ctx)
	return &factQuery{Query: q}, err
}

type factQuery struct {
	session.Query

	wants []session.Want
}

func (q *factQuery) Select(ctx context.Context, wants []session.Want) error {
	q.wants = wants
	return q.Query.Select(ctx, wants)
}

func (q *factQuery) Collect(ctx context.Context, b *session.Batch) error {
	if err := q.Query.Collect(ctx, b); err != nil {
		return err
	}
	for i := range q.wants {
		set := &b.Sets[i]
		if set.Set.Name != "Process" {
			continue
		}
		set.Facts = set.Facts[:0]
		for k := range set.Instances {
			set.Instances[k].Number = uint64(100 + k)
			for _, key := range q.wants[i].Facts.Keys {
				set.Facts = append(set.Facts, key+" of "+set.Instances[k].Key.Name+"\x1b[31m")
			}
		}
	}
	return nil
}

var theServer sshtest.Shared

// farHost is a host of the server.
type farHost struct {
	*sshtest.Host
	t *testing.T
	o Options

	mu    sync.Mutex
	steps []string
}

const passphrase = "geheim"

// newHost makes a host of the server, see sshtest.
func newHost(t *testing.T, login string, keyOptions ...string) *farHost {
	t.Helper()
	h := &farHost{t: t, Host: theServer.Need(t).Host(t, login, keyOptions...)}
	program, err := Find(h.Program, nil)
	must(t, err)
	own, err := os.Executable()
	must(t, err)
	prompter := &Prompter{Program: own, Go: func(f func()) { go f() }}
	t.Cleanup(prompter.Close)
	h.o = Options{
		Destination: Destination{Host: "box"}, Program: program, Prompter: prompter, Binaries: ownBinary(own), Gate: theGate,
		Version: "test", Environ: os.Environ(), Deploy: true, Go: func(f func()) { go f() }, CallTime: time.Minute,
	}
	return h
}

// theGate is that of all tests: they share one server, whose MaxStartups is the usual.
var theGate = NewGate()

var theBinary Binaries

// ownBinary is shared by all tests: it is summed up once.
func ownBinary(own string) *Binaries {
	theBinary.mu.Lock()
	defer theBinary.mu.Unlock()
	theBinary.Own = own
	return &theBinary
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// progress notes the steps of the next connections.
func (h *farHost) progress() {
	h.o.Progress = func(step, detail string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.steps = append(h.steps, step+": "+detail)
	}
}

func (h *farHost) told() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.steps, "\n")
}

// source is the host as it is read; it ends with the test.
func (h *farHost) source() *Source {
	s := New(h.o, pcq.Options{Reach: pcq.Reach{Host: "box", Go: func(f func()) { go f() }}})
	h.t.Cleanup(func() { _ = s.Close() })
	return s
}

// reads reads the host once.
func (h *farHost) reads() (*Source, *session.Batch) {
	h.t.Helper()
	s := h.source()
	cat, err := s.Catalogue(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	q, err := s.Open(h.t.Context())
	must(h.t, err)
	processes := cat.Set("Process")
	must(h.t, q.Select(h.t.Context(), []session.Want{
		{Set: cat.Set("Memory"), Counters: []int{0}},
		{Set: processes, Counters: []int{0}, Facts: session.FactWant{Keys: processes.Facts, All: true}},
	}))
	b := &session.Batch{}
	must(h.t, q.Collect(h.t.Context(), b))
	must(h.t, q.Close())
	return s, b
}

// refused is why the host cannot be read.
func (h *farHost) refused() error {
	h.t.Helper()
	_, err := h.source().Catalogue(h.t.Context())
	if err == nil {
		h.t.Fatal("the host is read")
	}
	return err
}
