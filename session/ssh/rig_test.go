//go:build unix

package ssh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/fake"
	"perfdeck/session/pcq"
	"perfdeck/session/pcq/server"
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
	theServer.stop()
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
		cat.Set("Process").Facts = []string{"User", "Command Line"}
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

// sshd is the server of the package: one on loopback, with keys and a config of its
// own. Each host of a test is a key, for which the server runs the login of that host.
type sshd struct {
	once sync.Once
	why  error // it cannot be had
	dir  string
	port int
	cmd  *exec.Cmd
	mu   sync.Mutex // of authorized_keys
}

var theServer sshd

func (s *sshd) stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}

// needServer starts the server, or skips the test where there is none.
func needServer(t *testing.T) *sshd {
	t.Helper()
	s := &theServer
	s.once.Do(func() {
		s.why = s.start()
	})
	if errors.Is(s.why, fs.ErrNotExist) || errors.Is(s.why, exec.ErrNotFound) {
		t.Skip("needs Debian's openssh-server: ", s.why)
	}
	must(t, s.why)
	return s
}

func (s *sshd) start() error {
	path, err := exec.LookPath("sshd")
	if err != nil {
		path = "/usr/sbin/sshd"
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if _, err := exec.LookPath("ssh"); err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp("", "perfdeck-sshd-"); err != nil {
		return err
	}
	if os.Getuid() == 0 {
		_ = os.Mkdir("/run/sshd", 0o755) // sshd insists on it
	}
	if err := keygen(s.file("hostkey")); err != nil {
		return err
	}
	return s.listen(path)
}

// addresses is how many of loopback it listens on, from 127.0.0.1 on; sshd takes 16.
const addresses = 10

// listen starts it on a port that is free, and waits until it answers.
func (s *sshd) listen(path string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	lines := []string{
		"Port " + strconv.Itoa(s.port), "HostKey " + s.file("hostkey"), "PidFile none", "AuthorizedKeysFile " + s.file("authorized_keys"),
		"StrictModes no", "UsePAM no", "PermitRootLogin yes", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "LogLevel ERROR",
	}
	for n := 1; n <= addresses; n++ {
		lines = append(lines, fmt.Sprintf("ListenAddress 127.0.0.%d", n))
	}
	if err := os.WriteFile(s.file("sshd_config"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	s.cmd = exec.Command(path, "-D", "-e", "-f", s.file("sshd_config"))
	said := &head{}
	s.cmd.Stderr = said
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	for range 600 {
		select {
		case err := <-ended:
			return fmt.Errorf("sshd: %w: %s", err, said.text())
		default:
		}
		if nc, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))); err == nil {
			_ = nc.Close()
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("sshd does not answer: " + said.text())
}

func (s *sshd) file(name string) string { return filepath.Join(s.dir, name) }

func keygen(file string, more ...string) error {
	args := append([]string{"-q", "-t", "ed25519", "-f", file, "-C", "test"}, more...)
	if len(more) == 0 {
		args = append(args, "-N", "")
	}
	return exec.Command("ssh-keygen", args...).Run()
}

// farHost is a host of the server.
type farHost struct {
	t    *testing.T
	dir  string
	home string // of whoever logs on
	o    Options

	mu    sync.Mutex
	steps []string
}

const passphrase = "geheim"

// host makes a host of the server. login is what the server runs, a script of sh that
// runs $SSH_ORIGINAL_COMMAND; empty: by bash, at a home of its own.
func (s *sshd) host(t *testing.T, login string, keyOptions ...string) *farHost {
	t.Helper()
	h := &farHost{t: t, dir: t.TempDir()}
	h.home = filepath.Join(h.dir, "home")
	if login == "" {
		login = `export HOME="$D/home"; exec /bin/bash -c "$SSH_ORIGINAL_COMMAND"`
	}
	must(t, os.Mkdir(h.home, 0o700))
	must(t, os.WriteFile(filepath.Join(h.dir, "login"), []byte("D="+h.dir+"\n"+login+"\n"), 0o600))
	must(t, keygen(filepath.Join(h.dir, "id"), keyOptions...))
	s.authorize(t, h.dir)
	h.configure("127.0.0.1", s.port, s.file("hostkey.pub"))
	program, err := Find(filepath.Join(h.dir, "ssh"), nil)
	must(t, err)
	own, err := os.Executable()
	must(t, err)
	desk := &Desk{Program: own, Go: func(f func()) { go f() }}
	t.Cleanup(desk.Close)
	h.o = Options{
		Destination: Destination{Host: "box"}, Program: program, Desk: desk, Binaries: ownBinary(own), Gate: theGate,
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

// authorize has the server run the login of a folder for its key.
func (s *sshd) authorize(t *testing.T, dir string) {
	t.Helper()
	public, err := os.ReadFile(filepath.Join(dir, "id.pub"))
	must(t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := os.OpenFile(s.file("authorized_keys"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	must(t, err)
	defer f.Close()
	_, err = fmt.Fprintf(f, "command=\"/bin/sh %s/login\" %s", dir, public)
	must(t, err)
}

// configure makes the user's ssh: the system's, with a config of its own. An empty name
// of a file with the host's key: the key is not known.
func (h *farHost) configure(address string, port int, hostKey string, more ...string) {
	h.t.Helper()
	known := ""
	if hostKey != "" {
		key, err := os.ReadFile(hostKey)
		must(h.t, err)
		for n := 1; n <= addresses; n++ {
			known += fmt.Sprintf("[127.0.0.%d]:%d %s", n, port, key)
		}
	}
	must(h.t, os.WriteFile(filepath.Join(h.dir, "known_hosts"), []byte(known), 0o600))
	lines := append([]string{
		"Host *", "HostName " + address, "Port " + strconv.Itoa(port), "IdentityFile " + filepath.Join(h.dir, "id"), "IdentitiesOnly yes", "IdentityAgent none",
		"UserKnownHostsFile " + filepath.Join(h.dir, "known_hosts"), "GlobalKnownHostsFile none",
	}, more...)
	must(h.t, os.WriteFile(filepath.Join(h.dir, "config"), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	found, err := exec.LookPath("ssh")
	must(h.t, err)
	must(h.t, os.WriteFile(filepath.Join(h.dir, "ssh"), []byte("#!/bin/sh\nexec "+found+" -F "+filepath.Join(h.dir, "config")+" \"$@\"\n"), 0o700))
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
	s := New(h.o, pcq.Options{Host: "box", Go: func(f func()) { go f() }})
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
