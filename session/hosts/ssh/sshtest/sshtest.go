//go:build unix

// Package sshtest runs Debian's OpenSSH server for tests: one for a package, on loopback,
// with keys and a config of its own. Each host of a test is a key, for which the server
// runs the login of that host, as whoever runs the test.
package sshtest

import (
	"bytes"
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
	"syscall"
	"testing"
	"time"

	"perfdeck/session/system/guard"
)

// Server is a running sshd, whose MaxStartups is the usual.
type Server struct {
	Port int
	// HostKey is the file of its public key.
	HostKey string

	dir  string
	main *exec.Cmd
	mu   sync.Mutex // of authorized_keys
}

// Addresses is how many of loopback it listens on, from 127.0.0.1 on; sshd takes 16.
const Addresses = 10

// Shared is the server of a package's tests. The zero value is ready.
type Shared struct {
	once   sync.Once
	server *Server
	err    error
}

// Need starts the server, or skips the test where there is none.
func (s *Shared) Need(t testing.TB) *Server {
	t.Helper()
	s.once.Do(func() { s.server, s.err = start() })
	if errors.Is(s.err, fs.ErrNotExist) || errors.Is(s.err, exec.ErrNotFound) {
		t.Skip("needs Debian's openssh-client and openssh-server: ", s.err)
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.server
}

// Stop ends the server, if there is one.
func (s *Shared) Stop() {
	if s.server != nil {
		s.server.stop()
	}
}

func (s *Server) stop() {
	if s.main != nil && s.main.Process != nil {
		_ = s.main.Process.Kill()
	}
	_ = os.RemoveAll(s.dir)
}

func start() (*Server, error) {
	path, err := exec.LookPath("sshd")
	if err != nil {
		path = "/usr/sbin/sshd" // not in everybody's PATH
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("ssh"); err != nil {
		return nil, err
	}
	s := &Server{}
	if s.dir, err = os.MkdirTemp("", "perfdeck-sshd-"); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 {
		_ = os.Mkdir("/run/sshd", 0o755) //nolint:gosec // sshd insists on it
	}
	if err = keygen(s.file("hostkey")); err == nil {
		err = s.listen(path)
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	s.HostKey = s.file("hostkey.pub")
	return s, nil
}

// listen starts it on a port that is free, and waits until it answers.
func (s *Server) listen(path string) error {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	if err == nil {
		s.Port, err = strconv.Atoi(port)
	}
	if err != nil {
		return err
	}
	lines := []string{
		"Port " + strconv.Itoa(s.Port), "HostKey " + s.file("hostkey"), "PidFile none", "AuthorizedKeysFile " + s.file("authorized_keys"),
		"StrictModes no", "UsePAM no", "PermitRootLogin yes", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "LogLevel ERROR",
	}
	for n := 1; n <= Addresses; n++ {
		lines = append(lines, fmt.Sprintf("ListenAddress 127.0.0.%d", n))
	}
	if err := os.WriteFile(s.file("sshd_config"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	s.main = exec.CommandContext(context.Background(), path, "-D", "-e", "-f", s.file("sshd_config")) //nolint:gosec // the system's
	var said bytes.Buffer                                                                             // to be read after its end
	s.main.Stderr = &said
	if err := s.main.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	guard.Beside(func() { ended <- s.main.Wait() })
	for range 600 {
		select {
		case err := <-ended:
			return fmt.Errorf("sshd: %w: %s", err, said.String())
		default:
		}
		if nc, err := (&net.Dialer{Timeout: time.Second}).DialContext(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			_ = nc.Close()
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("sshd does not answer")
}

func (s *Server) file(name string) string { return filepath.Join(s.dir, name) }

// Host is a host of the server, and the user's ssh that leads to it.
type Host struct {
	Dir  string // of its own, as is all in it; $D of the login
	Home string // of whoever logs on
	// Program is the ssh: the system's, with a config of its own, in which every name
	// is this host.
	Program string

	t      testing.TB
	server *Server
}

// Host makes a host. login is what the server runs, a script of sh that runs
// $SSH_ORIGINAL_COMMAND; empty: by bash, at a home of its own. keyOptions are those of
// ssh-keygen for the user's key.
func (s *Server) Host(t testing.TB, login string, keyOptions ...string) *Host {
	t.Helper()
	h := &Host{Dir: t.TempDir(), t: t, server: s}
	h.Home, h.Program = filepath.Join(h.Dir, "home"), filepath.Join(h.Dir, "ssh")
	if login == "" {
		login = `export HOME="$D/home"; exec /bin/bash -c "$SSH_ORIGINAL_COMMAND"`
	}
	h.must(os.Mkdir(h.Home, 0o700))
	h.must(os.WriteFile(filepath.Join(h.Dir, "login"), []byte("D="+h.Dir+"\n"+login+"\n"), 0o600))
	h.must(keygen(filepath.Join(h.Dir, "id"), keyOptions...))
	h.authorize()
	h.Configure("127.0.0.1", s.Port, s.HostKey)
	return h
}

func (h *Host) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// authorize has the server run the host's login for its key.
func (h *Host) authorize() {
	h.t.Helper()
	public, err := os.ReadFile(filepath.Join(h.Dir, "id.pub"))
	h.must(err)
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	f, err := os.OpenFile(h.server.file("authorized_keys"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	h.must(err)
	defer f.Close()
	_, err = fmt.Fprintf(f, "command=\"/bin/sh %s/login\" %s", h.Dir, public)
	h.must(err)
}

// Configure makes the user's ssh anew, with more lines of its config. An empty name of a
// file with the host's key: the key is not known.
func (h *Host) Configure(address string, port int, hostKey string, more ...string) {
	h.t.Helper()
	var known strings.Builder
	if hostKey != "" {
		key, err := os.ReadFile(hostKey)
		h.must(err)
		for n := 1; n <= Addresses; n++ {
			fmt.Fprintf(&known, "[127.0.0.%d]:%d %s", n, port, key)
		}
	}
	h.must(os.WriteFile(filepath.Join(h.Dir, "known_hosts"), []byte(known.String()), 0o600))
	lines := append(more, // before those that hold for all
		"Host *", "HostName "+address, "Port "+strconv.Itoa(port), "IdentityFile "+filepath.Join(h.Dir, "id"), "IdentitiesOnly yes", "IdentityAgent none",
		"UserKnownHostsFile "+filepath.Join(h.Dir, "known_hosts"), "GlobalKnownHostsFile none")
	h.must(os.WriteFile(h.Config(), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	h.Write(h.Program, h.Config())
}

// Config is the file of the config.
func (h *Host) Config() string { return filepath.Join(h.Dir, "config") }

// Write writes an ssh that has a config of its own.
func (h *Host) Write(program, config string) {
	h.t.Helper()
	found, err := exec.LookPath("ssh")
	h.must(err)
	// A process that a test beside this one starts now would have it open, too, so that it could not be run.
	syscall.ForkLock.RLock()
	err = os.WriteFile(program, []byte("#!/bin/sh\nexec "+found+" -F "+config+" \"$@\"\n"), 0o700) //nolint:gosec // a program
	syscall.ForkLock.RUnlock()
	h.must(err)
}

// Keygen makes a key pair.
func Keygen(t testing.TB, file string) {
	t.Helper()
	if err := keygen(file); err != nil {
		t.Fatal(err)
	}
}

func keygen(file string, more ...string) error {
	args := append([]string{"-q", "-t", "ed25519", "-f", file, "-C", "test"}, more...)
	if len(more) == 0 {
		args = append(args, "-N", "")
	}
	if out, err := exec.CommandContext(context.Background(), "ssh-keygen", args...).CombinedOutput(); err != nil { //nolint:gosec // the test's
		return fmt.Errorf("ssh-keygen: %w: %s", err, out)
	}
	return nil
}
