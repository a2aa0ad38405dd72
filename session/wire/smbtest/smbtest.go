// Package smbtest runs Samba's smbd for tests, as Debian packages it: on
// loopback, in a folder of its own, with an account and with performance data
// that its \PIPE\winreg serves as HKEY_PERFORMANCE_DATA. It needs root, as smbd
// does; where that or a program is missing the test is skipped with the reason.
package smbtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The account of every server. The name stands for a system account that every
// Debian has.
const (
	User      = "perf"
	Password  = "Pass1rd!"
	Workgroup = "LAB"

	systemUser = "daemon"
)

// Options say how a server differs from a stock one.
type Options struct {
	// Global are lines of smb.conf's [global], such as "smb encrypt = required".
	Global []string
	// Shares are folders that the account may read, by the names of shares.
	Shares map[string]string
	// Environment are variables of smbd's besides the test's.
	Environment []string
	// Performance is what HKEY_PERFORMANCE_DATA holds; nil: nothing.
	Performance *Performance
}

// Server is a running smbd.
type Server struct {
	Host string // 127.0.0.1
	Port int
	// Dir holds its files; smb.conf lies in it.
	Dir string

	t           testing.TB
	environment []string
	main        *exec.Cmd
}

// Need skips the test unless it runs as root on Linux and the programs are
// there. A package is Debian's.
func Need(t testing.TB, pkg string, programs ...string) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skipf("%s needs root on Linux", programs[0])
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed (Debian's package %s)", p, pkg)
		}
	}
}

// Start starts smbd and waits until it listens. It ends with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	Need(t, "samba", "smbd", "smbpasswd", "tdbrestore")
	s := &Server{Host: "127.0.0.1", Port: FreePort(t), Dir: folder(t), t: t, environment: append(os.Environ(), o.Environment...)}
	global := o.Global
	for name, folder := range o.Shares {
		global = append(global, "["+name+"]", "path = "+folder, "read only = yes")
	}
	s.configure(global)
	//nolint:gosec // a file of this package
	run(t, exec.CommandContext(context.Background(), "smbpasswd", "-c", s.Config(), "-s", "-a", systemUser), Password+"\n"+Password+"\n")
	if o.Performance != nil {
		s.Publish(*o.Performance)
	}
	s.Run()
	t.Cleanup(s.Stop)
	return s
}

// folder is a temporary one that everybody may enter: pipes are served with the
// rights of the account.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "smbd") //nolint:usetesting // t.TempDir is closed to others
	if err == nil {
		err = os.Chmod(dir, 0o755) //nolint:gosec // as said
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// FreePort is a port of loopback that nobody listens on. It is none of those
// that systems give to whoever asks for any (Linux: from 32768 on), so nobody
// else takes it before it is used.
func FreePort(t testing.TB) int {
	t.Helper()
	var err error
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		var l net.Listener
		l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))) //nolint:noctx // it is closed at once
		if err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal(err)
	return 0
}

func run(t testing.TB, c *exec.Cmd, input string) {
	t.Helper()
	c.Stdin = strings.NewReader(input)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", c.Path, err, out)
	}
}

// Config is the path of smb.conf.
func (s *Server) Config() string { return filepath.Join(s.Dir, "smb.conf") }

// Address is host and port.
func (s *Server) Address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// configure writes smb.conf. Unlike a stock server this one touches nothing
// outside its folder and answers on loopback only.
func (s *Server) configure(lines []string) {
	folders := []string{"private dir", "lock directory", "state directory", "cache directory", "pid directory", "ncalrpc dir", "binddns dir"}
	b := &strings.Builder{}
	fmt.Fprintf(b, "[global]\n netbios name = LABSRV\n workgroup = %s\n server role = standalone server\n", Workgroup)
	fmt.Fprintf(b, " smb ports = %d\n bind interfaces only = yes\n interfaces = 127.0.0.1/8\n", s.Port)
	for _, f := range folders {
		path := filepath.Join(s.Dir, strings.Fields(f)[0])
		s.must(os.MkdirAll(path, 0o755)) //nolint:gosec // the account enters some of them
		fmt.Fprintf(b, " %s = %s\n", f, path)
	}
	users := filepath.Join(s.Dir, "users.map")
	s.must(os.WriteFile(users, []byte(systemUser+" = "+User+" "+Workgroup+`\`+User+"\n"), 0o600))
	fmt.Fprintf(b, " log file = %s/log.%%m\n log level = 1\n passdb backend = tdbsam\n username map = %s\n", s.Dir, users)
	b.WriteString(" map to guest = never\n disable netbios = yes\n load printers = no\n disable spoolss = yes\n server min protocol = SMB2\n")
	for _, line := range lines {
		b.WriteString(" " + line + "\n")
	}
	s.must(os.WriteFile(s.Config(), []byte(b.String()), 0o600))
}

func (s *Server) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// Run starts the configured server, at first or after Stop.
func (s *Server) Run() {
	s.t.Helper()
	//nolint:gosec // a file of this package
	s.main = exec.CommandContext(context.Background(), "smbd", "-F", "-s", s.Config(), "-l", s.Dir)
	s.main.Env = s.environment
	s.must(s.main.Start())
	if !listens(s.Address()) {
		out, _ := os.ReadFile(filepath.Join(s.Dir, "log.smbd"))
		s.t.Fatalf("smbd does not listen: %s", out)
	}
}

// listens waits until somebody listens at the address.
func listens(address string) bool {
	for range 200 {
		c, err := net.DialTimeout("tcp", address, time.Second) //nolint:noctx // it has a timeout
		if err == nil {
			_ = c.Close()
			return true
		}
		time.Sleep(25 * time.Millisecond)
	}
	return false
}

// Stop ends the server and everything that it started.
func (s *Server) Stop() {
	s.all(freeze)
	s.all(kill)
	_ = s.main.Wait()
	_ = os.RemoveAll(filepath.Join(s.Dir, "pid"))
	s.must(os.MkdirAll(filepath.Join(s.Dir, "pid"), 0o755)) //nolint:gosec // as it was
}

// Freeze stops all processes of the server without ending them: connections
// stay and nothing answers. Thaw lets them go on.
func (s *Server) Freeze() { s.all(freeze) }

// Thaw ends Freeze.
func (s *Server) Thaw() { s.all(thaw) }

// FreezeOnly stops the processes of one program, as of one that serves pipes.
func (s *Server) FreezeOnly(program string) (goOn func()) {
	var stopped []int
	for _, pid := range s.processes() {
		if line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline")); strings.Contains(string(line), program) {
			freeze(pid)
			stopped = append(stopped, pid)
		}
	}
	if len(stopped) == 0 {
		s.t.Fatal("no process of " + program)
	}
	return func() {
		for _, pid := range stopped {
			thaw(pid)
		}
	}
}

// all does it to every process, and to those that these started meanwhile.
func (s *Server) all(do func(pid int)) {
	done := map[int]bool{}
	for before := -1; len(done) > before; {
		before = len(done)
		for _, pid := range s.processes() {
			if !done[pid] {
				do(pid)
				done[pid] = true
			}
		}
	}
}

// processes are those that were started with this server's configuration: smbd
// with its children, and the helpers for pipes.
func (s *Server) processes() []int {
	var out []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		program, arguments, _ := strings.Cut(string(line), "\x00")
		switch name := filepath.Base(program); {
		case name != "smbd" && name != "samba-dcerpcd" && !strings.HasPrefix(name, "rpcd_"):
		case strings.Contains(arguments, s.Config()):
			out = append(out, pid)
		}
	}
	return out
}

// FixedPassword is a password as clients ask for it, always the same.
func FixedPassword(password string) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return []byte(password), nil }
}
