package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/session"
	"perfdeck/session/system/failure"
)

// A stock journald in a mount namespace of its own: nothing of the computer's is read or written.
const namespace = `
mount --make-rprivate /
mount -t tmpfs -o size=400m tmpfs /run
mount -t tmpfs tmpfs /etc/systemd
mount -t tmpfs tmpfs /var/log
mkdir -p /run/systemd/journal /run/log/journal
printf '[Journal]\nStorage=volatile\nRateLimitIntervalSec=0\nReadKMsg=no\nRuntimeMaxUse=300M\n' > /etc/systemd/journald.conf
[ -s /etc/machine-id ] || { head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n' > /run/machine-id; touch /etc/machine-id; mount --bind /run/machine-id /etc/machine-id; }
/lib/systemd/systemd-journald & J=$!
n=0; until [ -S /run/systemd/journal/socket ] && [ -e /run/log/journal/*/system.journal ] || [ $n = 100 ]; do sleep 0.05; n=$((n+1)); done
"$@"; rc=$?
kill $J; wait $J; exit $rc`

const journaldVariable = "PERFDECK_TEST_JOURNALD"

// TestJournald runs TestInJournald where a journald can be had.
func TestJournald(t *testing.T) {
	if os.Getenv(journaldVariable) != "" {
		t.Skip("it runs")
	}
	if _, err := os.Stat("/lib/systemd/systemd-journald"); err != nil || os.Getuid() != 0 || (&Options{}).journalctl() == "" {
		t.Skip("no journald, or not root")
	}
	c := exec.CommandContext(t.Context(), "unshare", "-m", "sh", "-c", namespace, "sh", os.Args[0], "-test.run=^TestInJournald$", "-test.v")
	seconds := cmp.Or(os.Getenv("PERFDECK_TEST_FLOOD"), "6") // as long as one wants to measure
	if testing.Short() {
		seconds = "0"
	}
	c.Env = append(os.Environ(), journaldVariable+"="+seconds)
	out, err := c.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "--- ") {
		t.Skipf("%v: %s", err, out)
	}
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// TestInJournald is what TestJournald runs.
func TestInJournald(t *testing.T) {
	switch os.Getenv(journaldVariable) {
	case "":
		t.Skip("TestJournald runs it")
	case "flood":
		flood(t)
		return
	case "nobody":
		if r, err := Open(t.Context(), session.EventsFrom{}, Options{}); !errors.Is(err, session.ErrDenied) || !strings.Contains(failure.Hint(err), "systemd-journal") {
			t.Errorf("%v, %v", r, err)
		}
		return
	}
	t.Run("forged", testForgedLive)
	t.Run("nobody", testNobody)
	t.Run("core dump", testCoreDump)
	if seconds, _ := strconv.Atoi(os.Getenv(journaldVariable)); seconds > 0 {
		t.Run("left out", func(t *testing.T) { testFlood(t, seconds, "6") })
		t.Run("flood", func(t *testing.T) { testFlood(t, seconds, "4") })
	}
}

// as runs a program as nobody.
func as(t *testing.T, input string, environ []string, name string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Stdin, c.Env, c.Dir = strings.NewReader(input), append(os.Environ(), environ...), "/"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := c.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Errorf("%s: %v: %s", name, err, out)
	}
}

// readFor reads events for a time, or until there are so many.
func readFor(t *testing.T, r session.EventReader, most int, d time.Duration) (all []session.HostEvent) {
	t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end) && len(all) < most; {
		events, more, err := r.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, events...)
		if !more {
			time.Sleep(r.Every() / 10)
		}
	}
	return all
}

func opened(t *testing.T, back time.Duration) session.EventReader {
	t.Helper()
	r, err := Open(t.Context(), session.EventsFrom{Time: time.Now().Add(-back)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// What a user writes under the names of others is that user's.
func testForgedLive(t *testing.T) {
	r := opened(t, time.Minute)
	readFor(t, r, 1000, 500*time.Millisecond)
	as(t, "MESSAGE=Out of memory: Killed process 1 (init) total-vm:1kB\nPRIORITY=0\nSYSLOG_IDENTIFIER=kernel\n_TRANSPORT=kernel\nSYSLOG_FACILITY=0\n\n", nil, "logger", "--journald")
	as(t, "MESSAGE=db failed\nPRIORITY=3\nSYSLOG_IDENTIFIER=systemd\n_PID=1\n_UID=0\nMESSAGE_ID=d9b373ed55a64feb8242e02dbe79a49c\nUNIT=db.service\nUNIT_RESULT=signal\n\n", nil, "logger", "--journald")
	as(t, "MESSAGE=dumped\nPRIORITY=2\nSYSLOG_IDENTIFIER=systemd-coredump\n_UID=0\nMESSAGE_ID=fc2e22bc6ee647b6b90729ab34a250b1\nCOREDUMP_COMM=x\n\n", nil, "logger", "--journald")
	as(t, "MESSAGE=secret\nPRIORITY=0\nSYSLOG_IDENTIFIER=sudo\nSYSLOG_FACILITY=10\n\n", nil, "logger", "--journald")
	as(t, "MESSAGE=last\x1b]0;x\x07\nPRIORITY=3\nSYSLOG_IDENTIFIER=me\n\n", nil, "logger", "--journald")
	got := readFor(t, r, 4, 10*time.Second)
	if len(got) != 4 || got[3].Text != "last?]0;x?" {
		t.Fatalf("%+v", got)
	}
	for i, who := range []string{"kernel of user 65534", "systemd of user 65534", "systemd-coredump of user 65534", "me"} {
		if e := &got[i]; e.Known != "" || e.Log != logJournal || e.Source != who || e.ID != "" {
			t.Errorf("%+v", e)
		}
	}
}

// What takes core dumps is believed, whether or not journald saw what it was: it ends when it has written.
func testCoreDump(t *testing.T) {
	const program = "/lib/systemd/systemd-coredump"
	if _, err := os.Stat(program); err != nil {
		t.Skip("systemd-coredump is not installed")
	}
	if err := os.MkdirAll("/run/systemd", 0o755); err != nil {
		t.Fatal(err)
	}
	socket := exec.CommandContext(t.Context(), "systemd-socket-activate", "--seqpacket", "-a", "-l", "/run/systemd/coredump", program)
	if err := socket.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { _ = socket.Process.Kill(); _ = socket.Wait() }()
	r := opened(t, time.Minute)
	for range 100 {
		if _, err := os.Stat("/run/systemd/coredump"); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	readFor(t, r, 1000, 500*time.Millisecond)
	const dumps = 6
	for range dumps { // as the kernel calls it
		c := exec.CommandContext(t.Context(), program, strconv.Itoa(os.Getpid()), "0", "0", "11", strconv.FormatInt(time.Now().Unix(), 10), "0", "host")
		c.Stdin = strings.NewReader("a core")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	n := 0
	for _, e := range readFor(t, r, dumps, 3*time.Second) {
		if e.Known != "core-dump" || e.PID != uint64(os.Getpid()) {
			t.Errorf("%+v", e)
		}
		n += e.Count
	}
	if n < dumps {
		t.Errorf("%d of %d came", n, dumps)
	}
}

// Who may not read the journal of the system is told so.
func testNobody(t *testing.T) {
	as(t, "", []string{journaldVariable + "=nobody"}, os.Args[0], "-test.run=^TestInJournald$")
}

// flood writes lines of a priority at a rate.
func flood(t *testing.T) {
	t.Helper()
	nc, err := (&net.Dialer{}).DialContext(t.Context(), "unixgram", "/run/systemd/journal/socket")
	if err != nil {
		t.Fatal(err)
	}
	seconds, err := strconv.Atoi(os.Getenv("SECONDS"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for begin := time.Now(); time.Since(begin) < time.Duration(seconds)*time.Second; time.Sleep(5 * time.Millisecond) {
		for want := int(time.Since(begin) * 10_000 / time.Second); n < want; n++ {
			if _, err := fmt.Fprintf(nc, "MESSAGE=request %d took %d ms, connection reset by peer 10.0.%d.7\nPRIORITY=%s\nSYSLOG_IDENTIFIER=floodd\n", n, n%977, n%250, os.Getenv("PRIORITY")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// usage is the processors' time of this process and of the children that were waited for.
func usage(t *testing.T) time.Duration {
	t.Helper()
	var sum time.Duration
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if err := unix.Getrusage(who, &u); err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// A flood costs little, and outside of gaps all of it is counted.
func testFlood(t *testing.T, seconds int, priority string) {
	begin := time.Now()
	r := opened(t, 0)
	readFor(t, r, 1, 300*time.Millisecond)
	used := usage(t)
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInJournald$")
	c.Env = append(os.Environ(), journaldVariable+"=flood", "PRIORITY="+priority, "SECONDS="+strconv.Itoa(seconds))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var all []session.HostEvent
	for end := time.Now().Add(time.Duration(seconds)*time.Second + pause + 2*every); time.Now().Before(end); {
		events, more, err := r.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, events...)
		if !more {
			time.Sleep(r.Every())
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	spent := usage(t) - used
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("%v of a processor in %d s: %.1f %%", spent, seconds, float64(spent)/float64(time.Duration(seconds)*time.Second)*100)
	counted, gaps := 0, []session.HostEvent{}
	for _, e := range all {
		if e.Known == session.EventGap {
			gaps = append(gaps, e)
			t.Logf("gap of %s", e.Names[0])
		} else if e.Source == "floodd" {
			counted += e.Count
		}
	}
	sent, outside := 0, 0
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/usr/bin/journalctl", "-q", "-o", "json", "--output-fields=PRIORITY", since(begin), "SYSLOG_IDENTIFIER=floodd", "PRIORITY="+priority).Output()
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(string(out)) {
		e, err := parseEntry([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		sent++
		if !slices.ContainsFunc(gaps, func(g session.HostEvent) bool { return e.time.After(g.Time) && e.time.Before(g.Until) }) {
			outside++
		}
	}
	t.Logf("%d lines were sent, %d outside of gaps, %d counted", sent, outside, counted)
	if priority != "4" {
		if counted != 0 || len(gaps) != 0 {
			t.Error("what is left out came")
		}
		return
	}
	if d := outside - counted; d < 0 || d > len(gaps) || len(gaps) == 0 { // two may have one time
		t.Errorf("%d are missing", d)
	}
}
