//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/session/system/sharedtest"
)

// endGoal is how long a command may take to end after a signal, endLimit what fails
// the test on a machine that has other things to do.
const (
	endGoal  = time.Second
	endLimit = 30 * time.Second
)

// ending is a command in a process of its own that is told to end while it works.
type ending struct {
	testing.TB

	dir    string // of all that it uses
	cmd    *exec.Cmd
	stdin  *os.File // the end that is written to
	stdout *os.File // the end that nobody reads
	stderr said
	done   chan struct{}
}

// started starts a command. {dir} in its arguments is its folder; its output is read
// by nobody if it is stuck.
func started(t *testing.T, dir string, isStuck bool, args ...string) *ending {
	t.Helper()
	e := &ending{TB: t, dir: dir, done: make(chan struct{})}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "{dir}", dir)
	}
	e.cmd = exec.CommandContext(t.Context(), binary(t), args...)
	e.cmd.Dir = dir
	e.cmd.Env = append(deleteEnv(plainEnviron, "HOME"), "HOME="+dir, "TMPDIR="+dir, passwordVariable+"="+testPassword)
	e.cmd.Stderr = &e.stderr
	in, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	e.cmd.Stdin, e.stdin = in, write
	if isStuck {
		read, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		e.cmd.Stdout, e.stdout = out, read
		defer out.Close()
		t.Cleanup(func() { _ = read.Close() })
	} else if e.cmd.Stdout, err = os.Create(filepath.Join(dir, "stdout")); err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	go func() { _ = e.cmd.Wait(); close(e.done) }()
	t.Cleanup(func() {
		_ = e.cmd.Process.Kill()
		<-e.done
		_ = write.Close()
	})
	return e
}

// until waits for what tells that the command is at work; it is true as well when
// the command ended by itself.
func (e *ending) until(what string, is func() bool) (ended bool) {
	e.Helper()
	sharedtest.Until(e, what, func() bool {
		select {
		case <-e.done:
			ended = true
		default:
		}
		return ended || is()
	})
	return ended
}

// hasRead is how many bytes the command has read, from wherever.
func (e *ending) hasRead() (n int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", e.cmd.Process.Pid))
	if err == nil {
		_, err = fmt.Sscanf(string(b), "rchar: %d", &n)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, unix.ESRCH) {
		e.Fatal(err)
	}
	return n
}

// ends sends a signal and waits for the end.
func (e *ending) ends(s syscall.Signal) {
	e.Helper()
	begun := time.Now()
	_ = e.cmd.Process.Signal(s)
	select {
	case <-e.done:
	case <-time.After(endLimit):
		e.Fatalf("it goes on %v after %v", endLimit, s)
	}
	if took := time.Since(begun); took > endGoal {
		e.Logf("it took %v to end, the goal is %v", took, endGoal)
	}
	if e.cmd.ProcessState.ExitCode() < 0 {
		e.Errorf("it did not end by itself: %v", e.cmd.ProcessState)
	}
	for _, pattern := range []string{"*.part*", "perfdeck-*"} {
		if left, _ := filepath.Glob(filepath.Join(e.dir, pattern)); len(left) > 0 {
			e.Errorf("%q was left behind", left)
		}
	}
}

// opensPipe is an end of a named pipe, as soon as somebody has the other end.
func opensPipe(name string, how int) (*os.File, bool) {
	f, err := os.OpenFile(name, how|unix.O_NONBLOCK, 0)
	return f, err == nil
}

// Every command that reads what the user names ends while it waits for a pipe.
func TestEndsWhileInputHangs(t *testing.T) {
	for _, args := range [][]string{
		{"alerts", "check", "{dir}/fifo"},
		{"alerts", "import", "{dir}/fifo"},
		{"alerts", "list", "--config", "{dir}/fifo"},
		{"cook", "{dir}/fifo"},
		{"keys", "--config", "{dir}/fifo"},
		{"list", "--demo", "--hosts-file", "{dir}/fifo"},
		{"list", "--manifest", "{dir}/fifo"},
		{"manifest", "check", "{dir}/fifo"},
		{"record", "-c", "{dir}/fifo", "-o", "{dir}/x.csv"},
		{"relog", "-q", "{dir}/fifo"},
		{"relog", "-o", "{dir}/x.csv", "{dir}/fifo"},
		{"replay", "{dir}/fifo"},
		{"sample", "--demo", "-c", "{dir}/fifo"},
		{"serve", "--account", "a", "--listen", "127.0.0.1:0", "--manifest", "{dir}/fifo"},
		{"themes", "check", "{dir}/fifo"},
		{"watch", "--replay", "{dir}/fifo", "--alert", `\Memory\Available MBytes<200`},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			fifo := filepath.Join(dir, "fifo")
			if err := unix.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			e := started(t, dir, false, slices.Clone(args)...)
			if e.until("the pipe was opened", func() bool {
				f, ok := opensPipe(fifo, os.O_WRONLY)
				if ok {
					t.Cleanup(func() { _ = f.Close() })
				}
				return ok
			}) {
				t.Fatalf("it ended: %s", e.stderr.String())
			}
			e.ends(syscall.SIGTERM)
			if !strings.Contains(e.stderr.String(), "ended by signal") || e.cmd.ProcessState.ExitCode() != exitFailed {
				t.Errorf("code %d, %q", e.cmd.ProcessState.ExitCode(), e.stderr.String())
			}
		})
	}
}

// Every command that reads standard input ends while more of it is awaited, and says
// what it made of the rest.
func TestEndsWhileStandardInputHangs(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		input string
		says  string
	}{
		"cook":      {[]string{"cook"}, "type_name\tc0\tc1\nPERF_COUNTER_RAWCOUNT\t1\t42\n", "\t42\t"},
		"cook file": {[]string{"cook", "/dev/stdin"}, "type_name\tc0\tc1\nPERF_COUNTER_RAWCOUNT\t1\t42\n", "\t42\t"},
		"path":      {[]string{"path"}, "\\Memory\\Available MBytes\n", "Available MBytes"},
		"hosts":     {[]string{"list", "--hosts-file", "-"}, "srv1\n", ""},
		"counters":  {[]string{"sample", "--demo", "-c", "-"}, "\\Memory\\Available MBytes\n", ""},
		"config":    {[]string{"keys", "--config", "/dev/fd/0"}, "theme = 'default'\n", ""},
		"manifest":  {[]string{"manifest", "check", "-"}, "<x>", ""},
		"relog":     {[]string{"relog", "-q", "-"}, "\"(PDH-CSV 4.0)\n", ""},
		"import":    {[]string{"alerts", "import", "-"}, "<PAL>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := started(t, t.TempDir(), false, c.args...)
			if _, err := e.stdin.WriteString(c.input); err != nil {
				t.Fatal(err)
			}
			if e.until("the input was read", func() bool {
				n, err := unix.IoctlGetInt(int(e.stdin.Fd()), unix.TIOCINQ)
				return err == nil && n == 0
			}) {
				t.Fatalf("it ended: %s", e.stderr.String())
			}
			e.ends(syscall.SIGINT)
			out, _ := os.ReadFile(filepath.Join(e.dir, "stdout"))
			if c.says != "" && !strings.Contains(string(out), c.says) {
				t.Errorf("what was gathered is lost: %q, %q", out, e.stderr.String())
			}
		})
	}
}

// Every command ends while a host takes its connection and says nothing.
func TestEndsWhileHostHangs(t *testing.T) {
	for _, args := range [][]string{
		{"sample", `\Memory\Available MBytes`},
		{"record", `\Memory\Available MBytes`, "-o", "{dir}/x.csv"},
		{"list"},
		{"doctor"},
		{"explain", `\Memory\Available MBytes`},
		{"watch", "--alert", `\Memory\Available MBytes<200`},
		{"alerts", "check", "--alert", `\Memory\Available MBytes<200`},
		{"--plain"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			called := make(chan net.Conn, 64)
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					select {
					case called <- c:
					default:
						_ = c.Close()
					}
				}
			}()
			e := started(t, t.TempDir(), false, append(slices.Clone(args), "--host", "tcp://"+l.Addr().String(), "--user", testUser)...)
			if e.until("a call", func() bool { return len(called) > 0 }) {
				t.Fatalf("it ended: %s", e.stderr.String())
			}
			e.ends(syscall.SIGTERM)
		})
	}
}

// Every command ends while nobody reads what it prints.
func TestEndsWhileOutputHangs(t *testing.T) {
	t.Parallel()
	long := filepath.Join(t.TempDir(), "long.csv")
	longRecording(t, long, 4000, 50)
	for _, args := range [][]string{
		{"relog", "{dir}/long.csv", "-o", "-"},
		{"relog", "{dir}/long.csv", "-o", "{dir}/fifo"},
		{"sample", "--demo", "-i", "0.1", `\Process(*)\*`},
		{"list", "--demo", "--instances", "Process"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			dir := t.TempDir()
			fifo := filepath.Join(dir, "fifo")
			if err := errors.Join(os.Symlink(long, filepath.Join(dir, "long.csv")), unix.Mkfifo(fifo, 0o600)); err != nil {
				t.Fatal(err)
			}
			reader, _ := opensPipe(fifo, os.O_RDONLY)
			defer reader.Close()
			e := started(t, dir, true, slices.Clone(args)...)
			full := e.stdout
			if args[len(args)-1] == "{dir}/fifo" {
				full = reader
			}
			before := 0
			if e.until("the pipe is full", func() bool {
				n, err := unix.IoctlGetInt(int(full.Fd()), unix.TIOCINQ)
				isFull := err == nil && n >= 32<<10 && n == before
				before = n
				return isFull
			}) {
				t.Skipf("it ended before the pipe was full: %s", e.stderr.String())
			}
			e.ends(syscall.SIGTERM)
		})
	}
}

// Every command ends while it works its way through what is large.
func TestEndsWhileAtWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	longRecording(t, filepath.Join(dir, "wide.csv"), 40, 20_000)
	longRecording(t, filepath.Join(dir, "long.csv"), 200_000, 10)
	largeManifest(t, filepath.Join(dir, "large.man"))
	largePAL(t, filepath.Join(dir, "large.xml"))
	reads := func(e *ending) bool { return e.hasRead() > 1<<20 }
	writes := func(name string) func(e *ending) bool {
		return func(e *ending) bool {
			info, err := os.Stat(filepath.Join(e.dir, name))
			return err == nil && info.Size() > 0
		}
	}
	for _, c := range []struct {
		args []string
		busy func(*ending) bool
	}{
		{[]string{"relog", "{dir}/wide.csv", "-o", "{dir}/wide.db"}, writes("wide.db.part")},
		{[]string{"relog", "{dir}/long.csv", "-o", "{dir}/out.db", "--yes"}, writes("out.db.part")},
		{[]string{"relog", "{dir}/long.csv", "-o", "{dir}/out.json"}, writes("out.json.part")},
		{[]string{"relog", "--summary", "{dir}/long.csv"}, reads},
		{[]string{"relog", "-q", "{dir}/long.csv", "{dir}/wide.csv"}, reads},
		{[]string{"watch", "--replay", "{dir}/long.csv", "--alert", `\Process(*)\% Processor Time>1`}, reads},
		{[]string{"manifest", "check", "{dir}/large.man"}, reads},
		{[]string{"alerts", "import", "{dir}/large.xml"}, reads},
		{[]string{"record", "--host", "local", `\Memory\Available MBytes`, "-o", "{dir}/mine.db"}, writes("mine.db")},
		{[]string{"serve", "--account", "a", "--listen", "127.0.0.1:0"}, func(e *ending) bool { return strings.Contains(e.stderr.String(), "serving on") }},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			e := started(t, dir, false, slices.Clone(c.args)...)
			e.until("it is at work", func() bool { return c.busy(e) })
			e.ends(syscall.SIGTERM)
			for _, name := range []string{"wide.db", "out.db", "out.json"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err == nil && e.cmd.ProcessState.ExitCode() != exitDone {
					t.Errorf("there is a part of %s under its name", name)
				}
			}
		})
	}
}

// longRecording writes a recording of so many rows and columns.
func longRecording(t *testing.T, name string, rows, columns int) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for i := range columns {
		fmt.Fprintf(&b, `,"\\SRV\Process(p%d)\%% Processor Time"`, i)
	}
	b.WriteString("\r\n")
	cells := strings.Repeat(`,"12.345678"`, columns)
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for range rows {
		b.WriteString(at.Format(`"01/02/2006 15:04:05.000"`) + cells + "\r\n")
		at = at.Add(time.Second)
	}
	write(t, name, &b)
}

func write(t *testing.T, name string, b io.WriterTo) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := b.WriteTo(f); err != nil {
		t.Fatal(err)
	}
}

// largeManifest writes a manifest that is nearly as large as one may be.
func largeManifest(t *testing.T, name string) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events"><instrumentation><counters xmlns="http://schemas.microsoft.com/win/2005/12/counters">` +
		`<provider providerName="P" providerGuid="{ab8e1320-965a-4cf9-9c07-fe25378c2a23}" applicationIdentity="p.exe" providerType="userMode">`)
	for i := 0; b.Len() < 15<<20; i++ {
		fmt.Fprintf(&b, `<counterSet guid="{%08x-8d8f-4f5b-9c6e-0123456789ab}" uri="u.%d" name="Set %d" description="d" instances="single"><counter id="1" uri="u.%d.c" name="c" description="d" type="perf_counter_rawcount" detailLevel="standard"/></counterSet>`, i, i, i, i)
	}
	b.WriteString(`</provider></counters></instrumentation></instrumentationManifest>`)
	write(t, name, &b)
}

// largePAL writes a threshold file of many rules.
func largePAL(t *testing.T, name string) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`<PAL NAME="large" VERSION="1">`)
	for i := 0; b.Len() < 20<<20; i++ {
		fmt.Fprintf(&b, `<ANALYSIS NAME="a%d" ENABLED="True" CATEGORY="c" PRIMARYDATASOURCE="\Memory\Available MBytes" FROMALLCOUNTERSTATS="True" ID="{%d}"><DATASOURCE TYPE="CounterLog" NAME="\Memory\Available MBytes" COLLECTIONVARNAME="CollectionOfMemory" EXPRESSIONPATH="\Memory\Available MBytes" DATATYPE="integer"/>`+
			`<THRESHOLD NAME="low" CONDITION="Warning" COLOR="Yellow" PRIORITY="50" ID="{%d}"><CODE><![CDATA[StaticThreshold -CollectionOfCounterInstances $CollectionOfMemory -Operator 'lt' -Threshold %d]]></CODE></THRESHOLD></ANALYSIS>`, i, i, i, i)
	}
	b.WriteString(`</PAL>`)
	write(t, name, &b)
}

// Files with secrets that are none are refused at once, by what they are.
func TestSecretFilesByKind(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			_ = c.Close()
		}
	}()
	for _, args := range [][]string{
		{"sample", `\Memory\Available MBytes`, "--host", "tcp://127.0.0.1:1", "--user", "a", "--password-file", "{dir}/fifo"},
		{"serve", "--accounts", "{dir}/fifo", "--listen", "127.0.0.1:0"},
		{"serve", "passwd", "--accounts", "{dir}/fifo", "a"},
		{"list", "--host", "{host}", "--require-kerberos", "--user", `B\a`, "--keytab", "{dir}/fifo"},
		{"list", "--host", "{host}", "--require-kerberos", "--user", `B\a`, "--ccache", "{dir}/fifo"},
		{"list", "--host", "{host}", "--require-kerberos", "--user", `B\a`, "--krb5-conf", "{dir}/fifo"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
				t.Fatal(err)
			}
			args := slices.Clone(args)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "{host}", l.Addr().String())
			}
			e := started(t, dir, false, args...)
			if !e.until("the end", func() bool { return false }) || e.cmd.ProcessState.ExitCode() <= 0 {
				t.Errorf("%v", e.cmd.ProcessState)
			}
			if text := e.stderr.String(); !strings.Contains(text, "it is a pipe") || !strings.Contains(text, "hint: ") {
				t.Errorf("%q", text)
			}
		})
	}
}

// What comes through a pipe is read as a file is, and leaves nothing behind.
func TestInputThroughPipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "night.csv")
	longRecording(t, file, 30, 3)
	recording, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		input string
		says  string
	}{
		{[]string{"relog", "-q", "-"}, string(recording), "30 samples"},
		{[]string{"relog", "-q", "/dev/stdin"}, string(recording), "30 samples"},
		{[]string{"relog", "-q", "{dir}/fifo"}, string(recording), "30 samples"},
		{[]string{"relog", "--summary", "/dev/fd/0", file}, string(recording), "p2"},
		{[]string{"watch", "--replay", "-", "--alert", `\Process(p1)\% Processor Time>1`}, string(recording), "fire"},
		{[]string{"sample", "--demo", "--host", "sql01", "-n", "1", "-f", "json", "-c", "{dir}/fifo"}, "\\Memory\\Available MBytes\n", "Available MBytes"},
		{[]string{"keys", "--config", "/dev/null"}, "", "quit"},
		{[]string{"alerts", "check", "/dev/stdin"}, "[[alert]]\nname = 'low'\nwhen = '\\Memory\\Available MBytes<200'\n", "1 rule"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			dir := t.TempDir()
			fifo := filepath.Join(dir, "fifo")
			if err := unix.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			e := started(t, dir, false, slices.Clone(c.args)...)
			to := io.WriteCloser(e.stdin)
			if c.args[len(c.args)-1] == "{dir}/fifo" {
				if to, err = os.OpenFile(fifo, os.O_WRONLY, 0); err != nil {
					t.Fatal(err)
				}
			}
			_, _ = io.WriteString(to, c.input)
			_ = to.Close()
			e.until("the end", func() bool { return false })
			out, _ := os.ReadFile(filepath.Join(dir, "stdout"))
			if e.cmd.ProcessState.ExitCode() != exitDone || !strings.Contains(string(out), c.says) {
				t.Errorf("code %d: %.300q, %s", e.cmd.ProcessState.ExitCode(), out, e.stderr.String())
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "perfdeck-*")); len(left) > 0 {
				t.Errorf("%q was left behind", left)
			}
		})
	}
}
