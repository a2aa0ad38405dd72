//go:build unix

package ssh

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/hosts/ssh/sshtest"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/sharedtest"
	"perfdeck/session/text/printable"
)

// live is a host of which a query is open.
func (h *farHost) live() (*Source, session.Query, *session.Batch) {
	h.t.Helper()
	s := h.source()
	cat, err := s.Catalogue(h.t.Context())
	must(h.t, err)
	q, err := s.Open(h.t.Context())
	must(h.t, err)
	must(h.t, q.Select(h.t.Context(), []session.Want{{Set: cat.Set("Process"), Counters: []int{0}}}))
	b := &session.Batch{}
	must(h.t, q.Collect(h.t.Context(), b))
	return s, q, b
}

// pids are the processes whose command line has a text, but for this one.
func pids(t *testing.T, text string) (out []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	for _, file := range all {
		line, _ := os.ReadFile(file)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if bytes.Contains(line, []byte(text)) && pid != os.Getpid() {
			out = append(out, pid)
		}
	}
	return out
}

// gone waits until no process has a text in its command line.
func gone(t *testing.T, text string) {
	t.Helper()
	sharedtest.Until(t, "the end of "+text, func() bool { return len(pids(t, text)) == 0 })
}

// stop stops a process, and waits until each of its threads is.
func stop(t *testing.T, pid int) {
	t.Helper()
	must(t, syscall.Kill(pid, syscall.SIGSTOP))
	sharedtest.Until(t, "a stop", func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		must(t, err)
		return !slices.ContainsFunc(threads, func(file string) bool {
			line, err := os.ReadFile(file)
			return err == nil && !bytes.Contains(line, []byte(") T "))
		})
	})
}

// A far side that is stopped costs the time of a call; when the connection has gone
// nothing is left on either side, and the next one is as good as the first.
func TestFrozenFarSide(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	h := newHost(t, "")
	first, _ := h.reads() // it is copied
	must(t, first.Close())
	gone(t, h.Home)
	s, q, b := h.live()
	far := pids(t, h.Home)
	for _, pid := range far {
		stop(t, pid)
	}
	late, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := q.Collect(late, b)
	if len(far) == 0 || err == nil || !strings.Contains(err.Error(), "no answer in time") {
		t.Errorf("%v, %v", far, err)
	}
	for _, pid := range far {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	must(t, q.Close())
	if q, err = s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(t, q.Close())
	must(t, s.Close())
	gone(t, h.Config())
	gone(t, h.Home)
}

// A line that is cut is told by what ssh says, and the far side ends by itself.
func TestCutLine(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	h := newHost(t, "")
	s, q, b := h.live()
	for _, pid := range pids(t, h.Config()) {
		must(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	err := q.Collect(t.Context(), b)
	var hinted interface{ Hint() string }
	if err == nil || !errors.As(err, &hinted) || hinted.Hint() == "" {
		t.Errorf("%v", err)
	}
	must(t, s.Close())
	gone(t, h.Home)
}

// A far program that is killed is told as such, whichever way it is noticed.
func TestKilledFarProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	h := newHost(t, "")
	s, q, b := h.live()
	for _, pid := range pids(t, h.Home) {
		must(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	err := q.Collect(t.Context(), b)
	if hint := failure.Hint(err); err == nil || strings.Contains(err.Error(), "|1") || !strings.Contains(hint, "killed") {
		t.Errorf("%v, hint %q", err, hint)
	}
	for _, seen := range []error{io.EOF, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}} {
		if err := connectionError(h.o.Destination, 137, "", seen); strings.Contains(err.Error(), "|1") || !strings.Contains(failure.Hint(err), "killed") {
			t.Errorf("%v: %v", seen, err)
		}
	}
	must(t, s.Close())
}

// A line on which nothing is asked for long is used all the same, so that the other side
// does not end it, until it is closed.
func TestQuietLine(t *testing.T) {
	t.Parallel()
	h := newHost(t, "")
	h.o.quiet = 20 * time.Millisecond
	s := h.source()
	must(t, s.Connect(t.Context()))
	before := s.Traffic()
	sharedtest.Until(t, "use", func() bool { return s.Traffic() >= before+3*60 })
	must(t, s.Close())
}

// Where the home cannot be written perfdeck runs from a private folder, which is gone
// as soon as it does.
func TestNoHome(t *testing.T) {
	t.Parallel()
	for name, home := range map[string]string{"none": "$D/nowhere", "a file": "$D/login", "no cache": "$D/blocked"} {
		h := newHost(t, "export HOME="+home+`; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`)
		must(t, os.Mkdir(filepath.Join(h.Dir, "blocked"), 0o700))
		must(t, os.WriteFile(filepath.Join(h.Dir, "blocked/.cache"), nil, 0o600))
		h.progress()
		h.reads()
		_, file, _ := strings.Cut(h.told(), "start perfdeck: ")
		file, _, _ = strings.Cut(file, "\n")
		if !strings.Contains(file, "/perfdeck-") || strings.HasPrefix(file, h.Dir) {
			t.Errorf("%s: it runs as %s", name, file)
		}
		if _, err := os.Stat(filepath.Dir(file)); !os.IsNotExist(err) {
			t.Errorf("%s: %s is still there", name, file)
		}
	}
}

// mounted is a file system of a test's own, or the test is skipped.
func mounted(t *testing.T, dir, options string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "none", dir).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount: %s", bytes.TrimSpace(out))
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
}

// A home that is full, or where nothing may be run, is passed over.
func TestHomeOfNoUse(t *testing.T) {
	for name, options := range map[string]string{"full": "size=64k,mode=700", "noexec": "noexec,size=256m,mode=700"} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, "")
			mounted(t, h.Home, options)
			h.progress()
			h.reads()
			if _, file, _ := strings.Cut(h.told(), "start perfdeck: "); !strings.Contains(file, "/perfdeck-") {
				t.Errorf("it runs as %s", file)
			}
			if left, _ := filepath.Glob(filepath.Join(h.Home, ".cache/perfdeck/*")); len(left) > 0 {
				t.Errorf("%v", left)
			}
		})
	}
}

// What arrives damaged never runs, and is not left there.
func TestWrongSum(t *testing.T) {
	t.Parallel()
	h := newHost(t, "")
	own, err := theBinary.of("Linux", uname[runtime.GOARCH])
	if err != nil {
		t.Skip(err)
	}
	h.o.Binaries = &Binaries{seen: map[string]*binary{runtime.GOOS + "/" + runtime.GOARCH: {file: own.file, size: own.size, sum: strings.Repeat("a", 64)}}}
	if err := h.refused(); !strings.Contains(err.Error(), "another SHA-256 sum") {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(h.Home, ".cache/perfdeck/*")); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

var uname = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// What may be copied is what .ci/release builds, but for Windows, whose shell is another.
func TestReleased(t *testing.T) {
	text, err := os.ReadFile("../../../.ci/release.py")
	must(t, err)
	_, list, _ := strings.Cut(string(text), "SYSTEMS = {")
	list, _, _ = strings.Cut(list, "\n}")
	var built []string
	for _, m := range regexp.MustCompile(`"(\w+/\w+)":`).FindAllStringSubmatch(list, -1) {
		if !strings.HasPrefix(m[1], "windows/") {
			built = append(built, m[1])
		}
	}
	if !slices.Equal(built, released) {
		t.Errorf("built are %v, copied %v", built, released)
	}
}

// releasedVariable is a program of a release for this system, which .ci/try-release has.
const releasedVariable = "PERFDECK_TEST_RELEASED"

// For another system its file is named, and taken where it is said to be.
func TestAnotherSystem(t *testing.T) {
	t.Parallel()
	login := `uname() { echo Linux riscv64; }; export HOME="$D/home"; eval "set -- $SSH_ORIGINAL_COMMAND"; shift 3; script=$1; shift 2; eval "$script"`
	h := newHost(t, login)
	err := h.refused()
	var hinted interface{ Hint() string }
	if !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), "perfdeck-linux-riscv64") {
		t.Fatalf("%v", err)
	}
	own := os.Getenv(releasedVariable)
	if own == "" {
		own, err = os.Executable()
		must(t, err)
	}
	dir := t.TempDir()
	must(t, os.Symlink(own, filepath.Join(dir, FileFor("linux/riscv64"))))
	h.o.Binaries = &Binaries{Own: "/nonexistent", Dir: dir}
	h.reads()
}

// A copy of an earlier version makes room for the new one, and clean takes all away.
func TestOlderCopies(t *testing.T) {
	t.Parallel()
	h := newHost(t, "")
	cache := filepath.Join(h.Home, ".cache/perfdeck")
	old := filepath.Join(cache, strings.Repeat("0", 64))
	must(t, os.MkdirAll(old, 0o700))
	must(t, os.WriteFile(filepath.Join(cache, "notes"), nil, 0o600))
	h.reads()
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Error("the old one is still there")
	}
	if _, err := os.Stat(filepath.Join(cache, "notes")); err != nil {
		t.Error(err)
	}
	for _, want := range []bool{true, false} {
		folder, there, err := Clean(t.Context(), h.o)
		if err != nil || there != want || folder != cache {
			t.Errorf("%q, %v, %v", folder, there, err)
		}
	}
	if _, err := os.Stat(cache); !os.IsNotExist(err) {
		t.Error("it is still there")
	}
}

// A host with nothing but busybox is as good as any.
func TestBusybox(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program: see .ci/test --all")
	}
	path, err := exec.LookPath("busybox")
	if err != nil || os.Getuid() != 0 {
		t.Skip("needs Debian's busybox-static, and root for a root of its own: ", err)
	}
	if out, err := exec.Command("ldd", path).CombinedOutput(); err == nil && !bytes.Contains(out, []byte("not a dynamic")) {
		t.Skip("needs a busybox without libraries")
	}
	h := newHost(t, `exec chroot "$D/root" /bin/busybox sh -c "HOME=/root PATH=/bin; export HOME PATH; $SSH_ORIGINAL_COMMAND"`)
	root := filepath.Join(h.Dir, "root")
	for _, dir := range []string{"bin", "dev", "proc", "root", "tmp"} {
		must(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	box, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(root, "bin/busybox"), box, 0o755))
	applets, err := exec.Command(path, "--list").Output()
	must(t, err)
	for _, name := range strings.Fields(string(applets)) {
		if name != "busybox" {
			must(t, os.Symlink("busybox", filepath.Join(root, "bin", name)))
		}
	}
	for _, device := range [][]string{{"null", "3"}, {"zero", "5"}, {"urandom", "9"}} {
		if out, err := exec.Command("mknod", "-m", "666", filepath.Join(root, "dev", device[0]), "c", "1", device[1]).CombinedOutput(); err != nil {
			t.Skipf("needs the right to make devices: %s", out)
		}
	}
	h.o.Binaries = &Binaries{Own: staticProgram(t)} // that of a test has libraries
	h.reads()
	h.progress()
	h.reads()
	if strings.Contains(h.told(), "copy") {
		t.Errorf("copied again:\n%s", h.told())
	}
}

// staticProgram builds this test without libraries.
func staticProgram(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "perfdeck")
	cmd := exec.Command("go", "test", "-c", "-o", out, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("needs to build itself: %s", text)
	}
	return out
}

// Whatever the other side says it ends in an error, soon, and with bounds.
func TestHostileFarSide(t *testing.T) {
	t.Parallel()
	word := `word=${SSH_ORIGINAL_COMMAND##* }; hello="$word hello 2 Linux x86_64"; `
	for name, login := range map[string]string{
		"nothing":        `exit 0`,
		"noise":          `exec cat /dev/zero`,
		"wrong greeting": word + `echo "$word hello 9 Linux x86_64"; cat >/dev/null`,
		"short greeting": word + `echo "$word hello"; cat >/dev/null`,
		"another word":   word + `echo "$hello"; read x; echo "$word dance"; cat >/dev/null`,
		"failure":        word + `echo "$hello"; read x; echo "$word failed $(printf '\033]0;title\007')"; cat >/dev/null`,
		"asks for ever":  word + `echo "$hello"; read x; while :; do echo "$word absent"; done`,
		"zeros":          word + `echo "$hello"; read x; echo "$word run /bin/perfdeck"; exec cat /dev/zero`,
		"echo":           word + `echo "$hello"; read x; echo "$word run /bin/perfdeck"; exec cat`,
		"text":           word + `echo "$hello"; read x; echo "$word run /bin/perfdeck"; echo 'perfdeck: no such flag' >&2; exit 2`,
		"endless errors": `yes "$(printf 'words\033[31m')" >&2 & sleep 0.2; kill $!; exit 4`,
	} {
		h := newHost(t, login)
		h.o.CallTime = 20 * time.Second
		err := h.refused()
		if printable.Text(err.Error()) != err.Error() || len(err.Error()) > 1000 {
			t.Errorf("%s: %q", name, err)
		}
	}
}

// The other side is sent a perfdeck once, after that was allowed here, whatever it says.
func TestCopyIsAllowedHere(t *testing.T) {
	const word = "0123"
	own := filepath.Join(t.TempDir(), "perfdeck")
	must(t, os.WriteFile(own, []byte("<program>"), 0o600))
	_, names := (&Binaries{Own: own}).own()
	if len(names) == 0 {
		t.Skip("this program is for no other host")
	}
	hello := "0123 hello 2 " + strings.Replace(names[0], "/", " ", 1) + "\n"
	for _, c := range []struct {
		what, says string
		deploy     bool
		copies     int
	}{
		{"asked for", "0123 absent\n0123 copy /home\n0123 run /home/perfdeck\n", true, 1},
		{"not asked for", "0123 copy /home\n0123 run /home/perfdeck\n", true, 0},
		{"not allowed", "0123 copy /home\n", false, 0},
		{"refused", "0123 absent\n0123 copy /home\n", false, 0},
		{"after another", "0123 other\n0123 copy /home\n", true, 0},
		{"twice", "0123 absent\n0123 copy /home\n0123 copy /home\n", true, 1},
		{"twice, asked for each time", "0123 absent\n0123 copy /home\n0123 absent\n0123 copy /home\n", true, 1},
	} {
		var sent bytes.Buffer
		o := &Options{Deploy: c.deploy, Prompter: &Prompter{}, Binaries: &Binaries{Own: own}, Version: "test"}
		d := &dialogue{in: bufio.NewReader(strings.NewReader(hello + c.says)), out: &sent, word: word}
		_, err := d.connectFar(t.Context(), &connecting{o: o, timer: time.NewTimer(time.Hour), leave: func() {}}, nil)
		if n := strings.Count(sent.String(), "<program>"); n != c.copies || (err == nil) != (c.what == "asked for") {
			t.Errorf("%s: %d copies are sent, %v", c.what, n, err)
		}
	}
}

// FuzzFarSide plays any bytes to the talk with the other side's shell.
func FuzzFarSide(f *testing.F) {
	const word = "0123"
	f.Add([]byte("Welcome\n0123 hello 2 Linux x86_64\n0123 absent /usr/bin/perfdeck\n0123 copy /home\n0123 run /home/perfdeck\n"))
	f.Add([]byte("0123 hello 2 Plan9 mips\n0123 other\n0123 failed sum\n"))
	dir := f.TempDir()
	own := filepath.Join(dir, "perfdeck")
	if err := os.WriteFile(own, []byte("program"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := &Options{Deploy: true, Prompter: &Prompter{}, Binaries: &Binaries{Own: own}, Version: "test"}
		c := &connecting{o: o, timer: time.NewTimer(time.Hour), leave: func() {}}
		d := &dialogue{in: bufio.NewReader(bytes.NewReader(b)), out: io.Discard, word: word}
		g, err := d.connectFar(t.Context(), c, []byte("early"))
		if err != nil {
			err = connectionError(Destination{Host: "box"}, 255, string(b), err)
			if printable.Text(err.Error()) != err.Error() {
				t.Fatalf("%q", err)
			}
		}
		if len(g.noise) > mostNoise+8<<10 {
			t.Fatalf("%d bytes of noise", len(g.noise))
		}
	})
}

// FuzzParse: what is taken as a host is written alike, and is never an option of ssh.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"ssh://web01", "ssh://ana@db02:2222", "ssh://[::1]:22", "ssh://-oProxyCommand=x", `ssh://CORP\ana@web01`, "ssh://a@b@c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(d.String())
		if err != nil || again != d {
			t.Fatalf("%q is %+v, again %+v: %v", text, d, again, err)
		}
		args := d.arguments(902, true, false, "true")
		if args[len(args)-3] != "--" || strings.HasPrefix(d.Host, "-") || strings.HasPrefix(d.User, "-") || strings.ContainsAny(d.Host+d.User, " \t\n'\"`$;&|<>()") {
			t.Fatalf("%q", args)
		}
	})
}

// An ssh that is too old for an option is not given it, and doctor names it; one whose
// version is not known passes it over.
func TestOldSSH(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]struct {
		lacks  bool
		ignore bool
		names  string
	}{
		"OpenSSH_7.4p1, OpenSSL 1.0.2k-fips":  {true, false, "too old for RemoteCommand, ForkAfterAuthentication"},
		"OpenSSH_for_Windows_8.1p1, LibreSSL": {true, false, "too old for ForkAfterAuthentication"},
		"OpenSSH_9.9p1":                       {false, false, "OpenSSH_9.9p1"},
		"Dropbear v2022.83":                   {false, true, "not known"},
	} {
		file := filepath.Join(t.TempDir(), "ssh")
		must(t, os.WriteFile(file, []byte("#!/bin/sh\necho '"+says+"' >&2\n"), 0o700))
		p, err := Find(file, nil)
		must(t, err)
		args := strings.Join(Destination{Host: "box"}.arguments(p.version(t.Context()), true, false, "true"), " ")
		if strings.Contains(args, "ForkAfterAuthentication=no") == want.lacks || strings.Contains(args, "IgnoreUnknown=") != want.ignore ||
			!strings.Contains(p.Describe(t.Context()), want.names) {
			t.Errorf("%s: %s\n%s", says, args, p.Describe(t.Context()))
		}
	}
}

// Many reconnects leave no processes, descriptors or goroutines behind, on either side.
func TestReconnects(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	times := 1000
	if testing.Short() {
		times = 5
	}
	h := newHost(t, "")
	first, _ := h.reads() // it is copied
	must(t, first.Close())
	reconnect := func() {
		s := New(h.o, pcq.Options{Reach: pcq.Reach{Host: "box", Go: h.o.Go}})
		must(t, s.Connect(t.Context()))
		must(t, s.Close())
	}
	held := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		must(t, err)
		return len(list) + runtime.NumGoroutine()
	}
	reconnect()
	before := held()
	for range times {
		reconnect()
	}
	gone(t, h.Config())
	gone(t, h.Home)
	sharedtest.Until(t, "as few descriptors and goroutines as before", func() bool { return held() <= before+2 })
	t.Logf("%d reconnects: %d descriptors and goroutines, %d before", times, held(), before)
}

// Fifty hosts behind one server, whose MaxStartups is the usual, are all reached at the
// first attempt, and are read.
func TestFiftyHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: see .ci/test --all")
	}
	first := newHost(t, "")
	s, _ := first.reads() // it is copied
	must(t, s.Close())
	failed := make(chan error)
	for n := range 50 {
		one := first.o
		config := fmt.Sprintf("%s.%d", first.Config(), n)
		text, err := os.ReadFile(first.Config())
		must(t, err)
		must(t, os.WriteFile(config, bytes.Replace(text, []byte("HostName 127.0.0.1\n"), fmt.Appendf(nil, "HostName 127.0.0.%d\n", n%sshtest.Addresses+1), 1), 0o600))
		program := filepath.Join(first.Dir, fmt.Sprintf("ssh%d", n))
		first.Write(program, config)
		one.Program, err = Find(program, nil)
		must(t, err)
		one.Traffic = nil
		source := New(one, pcq.Options{Reach: pcq.Reach{Host: fmt.Sprint("box", n), Go: one.Go}})
		t.Cleanup(func() { _ = source.Close() })
		go func() {
			_, err := source.Catalogue(t.Context())
			failed <- err
		}()
	}
	for range 50 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}
