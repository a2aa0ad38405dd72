package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/pcq/server"
)

// manyScript is a host of which 100 values are watched by manyPaths.
func manyScript(name string, seed uint64) fake.Script {
	kinds := []cooker.CounterType{
		cooker.CounterBulkCount, cooker.CounterLargeRawCount, cooker.Timer100nsInv, cooker.CounterRawCount, cooker.AverageTimer,
	}
	counters := func(n int) (list []fake.Counter) {
		for i := range n {
			list = append(list, fake.Counter{Name: fmt.Sprint("Counter ", i), Type: kinds[i%len(kinds)], Is: fake.Sine(50, 40, time.Minute)})
		}
		return list
	}
	rows := func(n int) (list []fake.Row) {
		for i := range n {
			list = append(list, fake.Row{Name: fmt.Sprint("Instance ", i)})
		}
		return list
	}
	return fake.Script{Name: name, Seed: seed, Sets: []fake.Set{
		{Name: "Memory", Counters: counters(25)},
		{Name: "System", Counters: counters(15)},
		{Name: "Disk", Instances: session.MultipleInstances, Counters: counters(10), Rows: rows(2)},
		{Name: "Processor", Instances: session.MultipleInstances, Counters: counters(5), Rows: rows(8)},
	}}
}

var manyPaths = []string{`\Memory\*`, `\System\*`, `\Disk(*)\*`, `\Processor(*)\*`}

// BenchmarkManyHosts shows 200 hosts, which this process serves, on a screen of
// 200x60 of another process: 100 values of each, one sample a second, two
// minutes of history. An iteration is a second. It reports how much of one
// processor and how much memory at most the screen's process took; histories
// are full after 150 seconds:
//
//	go test -run '^$' -bench ManyHosts -benchtime 150x ./cmd/perfdeck
func BenchmarkManyHosts(b *testing.B) {
	args := append(manyServed(b), "--history=2m")
	pid, shown := manyOnScreen(b, append(args, manyPaths...))
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if text := shown(); strings.Contains(text, "200 hosts") && strings.Contains(text, " ms ") && !strings.Contains(text, "~") {
			break
		} else if time.Now().After(end) {
			b.Fatalf("some hosts do not come:\n%s", text)
		}
	}
	before, began := cpuTimeOf(b, pid), time.Now()
	for b.Loop() {
		time.Sleep(time.Second)
	}
	b.ReportMetric(100*float64(cpuTimeOf(b, pid)-before)/float64(time.Since(began)), "%CPU")
	b.ReportMetric(peakMiBOf(b, pid), "MiB-peak")
}

// manyServed serves 200 hosts in this process. It returns the flags that name them.
func manyServed(b *testing.B) []string {
	b.Helper()
	const hosts = 200
	args := []string{"--user=" + testUser}
	accounts := server.Accounts{}
	if err := accounts.Add(testUser, []byte(testPassword)); err != nil {
		b.Fatal(err)
	}
	clock := session.NewSystemClock()
	for i := range hosts {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		source := fake.New(manyScript(fmt.Sprint("host", i), uint64(i)), clock)
		ctx, cancel := context.WithCancel(context.Background())
		b.Cleanup(cancel)
		go func() {
			_ = server.Serve(ctx, l, server.Options{Source: source, Accounts: accounts, Go: func(f func()) { go f() }})
		}()
		args = append(args, "--host=tcp://"+l.Addr().String())
	}
	return args
}

// BenchmarkManyPushed pushes the same hosts to an engine that this process plays:
//
//	go test -run '^$' -bench ManyPushed -benchtime 60x ./cmd/perfdeck
func BenchmarkManyPushed(b *testing.B) {
	var requests, bytes atomic.Int64
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		bytes.Add(n)
		requests.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	b.Cleanup(engine.Close)
	args := append([]string{"push", "--to=" + engine.URL, "--queue=" + b.TempDir()}, manyServed(b)...)
	pid, shown := manyOnScreen(b, append(args, manyPaths...))
	sent := regexp.MustCompile(`: ([0-9,]+) sent.*200 hosts, (\d+) series`)
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if m := sent.FindStringSubmatch(shown()); m != nil && m[2] == "20200" { // and whether each is up
			break
		} else if time.Now().After(end) {
			b.Fatalf("some hosts do not come:\n%s", shown())
		}
	}
	samples := func() float64 {
		m := sent.FindStringSubmatch(shown())
		n, _ := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		return n
	}
	before, began, first, sentBytes := cpuTimeOf(b, pid), time.Now(), samples(), bytes.Load()
	for b.Loop() {
		time.Sleep(time.Second)
	}
	used, passed, n := cpuTimeOf(b, pid)-before, time.Since(began), samples()-first
	b.ReportMetric(100*float64(used)/float64(passed), "%CPU")
	b.ReportMetric(peakMiBOf(b, pid), "MiB-peak")
	b.ReportMetric(n/passed.Seconds(), "samples/s")
	b.ReportMetric(float64(used.Nanoseconds())/n, "ns/sample")
	b.ReportMetric(float64(bytes.Load()-sentBytes)/n, "B/sample")
}

// manyOnScreen runs the program on a screen of 200x60. shown reads what it
// shows.
func manyOnScreen(b *testing.B, args []string) (pid int, shown func() string) {
	b.Helper()
	pid, shown, _ = onBigScreen(b, args)
	return pid, shown
}

// onBigScreen is the same, with keys that are pressed.
func onBigScreen(b *testing.B, args []string) (pid int, shown func() string, press func(string)) {
	b.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		b.Skipf("no pseudo terminal: %v", err)
	}
	_ = pty.Setsize(tty, &pty.Winsize{Cols: 200, Rows: 60})
	screen := vt.NewSafeEmulator(200, 60)
	go func() { _, _ = io.Copy(master, screen) }()
	go func() { _, _ = io.Copy(screen, master) }()
	cmd := exec.CommandContext(b.Context(), binary(b), args...)
	cmd.Env = append(plainEnviron[:len(plainEnviron):len(plainEnviron)], passwordVariable+"="+testPassword)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = tty.Close()
		_ = master.Close()
		_ = screen.InputPipe().(io.Closer).Close()
	})
	return cmd.Process.Pid, screen.String, func(keys string) { _, _ = io.WriteString(master, keys) }
}

// ticksPerSecond is the unit of times in /proc/PID/stat, USER_HZ of proc(5).
const ticksPerSecond = 100

// cpuTimeOf is how long the processors worked for a process.
func cpuTimeOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var sum time.Duration
	for _, at := range []int{11, 12} { // utime and stime
		n, err := strconv.ParseInt(f[at], 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(n) * time.Second / ticksPerSecond
	}
	return sum
}

// peakMiBOf is how much memory a process held at most.
func peakMiBOf(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			kib, err := strconv.ParseFloat(f[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib / 1024
		}
	}
	b.Fatal("no VmHWM")
	return 0
}
