//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"perfdeck/session/wire/capture"
)

const (
	testUser     = "perf"
	testPassword = "Tr0ub4dor&3"
)

// withPassword is an environment that has a password, and no place to keep
// anything.
func withPassword(password string) []string {
	return append(deleteEnv(plainEnviron, "HOME"), "HOME=/proc", passwordVariable+"="+password)
}

// runs runs the program as a process of its own.
func runs(t *testing.T, environ []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(t.Context(), binary(t), args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = environ, &out, &errOut
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// served is a server in a process of its own.
type served struct {
	testing.TB
	cmd     *exec.Cmd
	address string
	said    said // on standard error, after the address
}

// said is what a process has written so far.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// serves starts a server for testUser and waits until it listens.
func serves(t testing.TB, args ...string) *served {
	t.Helper()
	return servesWith(t, withPassword(testPassword), append(args, "--account="+testUser)...)
}

func servesWith(t testing.TB, environ []string, args ...string) *served {
	t.Helper()
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--listen=") }) {
		args = append(args, "--listen=127.0.0.1:0")
	}
	cmd := exec.CommandContext(t.Context(), binary(t), append([]string{"serve"}, args...)...)
	cmd.Env = environ
	errOut, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &served{TB: t, cmd: cmd}
	t.Cleanup(s.kill)
	line, err := bufio.NewReader(errOut).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), "serving on ")
	if err != nil || !ok {
		t.Fatalf("the server says %q, %v", line, err)
	}
	s.address = address
	go func() { _, _ = io.Copy(&s.said, errOut) }()
	return s
}

// kill ends the server without any farewell.
func (s *served) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *served) host() string { return "--host=tcp://" + s.address }

// numbers are the good values of a sample, by path.
func numbers(t *testing.T, line string) (host string, values map[string]float64) {
	t.Helper()
	var s struct {
		Host   string
		Values []struct {
			Path  string
			Value *float64
		}
	}
	if err := json.Unmarshal([]byte(line), &s); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	values = map[string]float64{}
	for _, v := range s.Values {
		if v.Value != nil {
			values[v.Path] = *v.Value
		}
	}
	return s.Host, values
}

// This computer over the wire shows what it shows directly.
func TestServedValuesAgree(t *testing.T) {
	t.Parallel()
	s := serves(t)
	near := map[string]struct{ share, plus float64 }{
		`\System\System Up Time`:                           {0, 2},
		`\System\Processes`:                                {0.1, 20},
		`\Memory\Available MBytes`:                         {0.1, 100},
		`\Memory\% Committed Bytes In Use`:                 {0.1, 5},
		`\System\Context Switches/sec`:                     {0.5, 2000},
		`\Processor Information(_Total)\% Idle Time`:       {0, 50},
		`\Processor Information(_Total)\% Privileged Time`: {0, 50},
	}
	args := []string{"sample", "--host=local", s.host(), "--user=" + testUser, "-n2", "-i1", "-fjson"}
	for path := range near {
		args = append(args, path)
	}
	out, stderr, code := runs(t, withPassword(testPassword), args...)
	if code != exitDone || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d samples of 4:\n%s", len(lines), out)
	}
	for i := 0; i < len(lines); i += 2 {
		here, direct := numbers(t, lines[i])
		there, served := numbers(t, lines[i+1])
		if here == there || there != s.address {
			t.Errorf("hosts %q and %q", here, there)
		}
		for path, may := range near {
			a, ok1 := direct[path]
			b, ok2 := served[path]
			if !ok1 || !ok2 || math.Abs(a-b) > may.share*math.Abs(a)+may.plus {
				t.Errorf("%s: %v here, %v there", path, a, b)
			}
		}
	}
}

// What may tell about users is published on demand only.
func TestServeExposes(t *testing.T) {
	lists := func(args ...string) string {
		s := serves(t, args...)
		out, stderr, code := runs(t, withPassword(testPassword), "list", s.host(), "--user="+testUser)
		if code != exitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return out
	}
	if all := lists(); !strings.Contains(all, "Memory") || strings.Contains(all, "Process\n") || strings.Contains(all, "Thread\n") {
		t.Errorf("published:\n%s", all)
	}
	if some := lists("--expose=Process,System"); !strings.Contains(some, "Process") || !strings.Contains(some, "System") || strings.Contains(some, "Memory") {
		t.Errorf("published:\n%s", some)
	}
}

const servedManifest = `<?xml version="1.0" encoding="UTF-8"?>
<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
 <instrumentation>
  <counters xmlns="http://schemas.microsoft.com/win/2005/12/counters" schemaVersion="1.1">
   <provider providerName="Sample" symbol="Sample" providerGuid="{51D1685C-35ED-45BE-99FE-17261A4F27F3}" applicationIdentity="sample.exe" providerType="userMode" callback="custom">
    <counterSet guid="{0D2C1E0A-5E1B-4A53-8B0C-2D3C6A5C9F11}" uri="Sample.Set" symbol="SampleSet" name="Sample Set" description="A set" instances="multiple">
     <counter id="1" uri="Sample.Set.Things" symbol="Things" name="Things" description="How many" type="perf_counter_rawcount" detailLevel="standard" defaultScale="0"/>
     <counter id="2" uri="Sample.Set.Rate" symbol="Rate" name="Things/sec" description="How fast" type="perf_counter_counter" detailLevel="standard" defaultScale="0"/>
    </counterSet>
    <counterSet guid="{7C3E9B1D-2A4F-4E0B-9D57-1F6B8A2C4E02}" uri="Sample.Memory" symbol="SampleMemory" name="Memory" description="Sizes and rates" instances="single">
     <counter id="1" uri="Sample.Memory.Available" symbol="Available" name="Available MBytes" description="What is free" type="perf_counter_large_rawcount" detailLevel="standard" defaultScale="0"/>
     <counter id="2" uri="Sample.Memory.Pages" symbol="Pages" name="Pages/sec" description="How many pages move" type="perf_counter_counter" detailLevel="standard" defaultScale="0"/>
     <counter id="3" uri="Sample.Memory.Cache" symbol="Cache" name="Cache Bytes" description="What is kept" type="perf_counter_large_rawcount" detailLevel="standard" defaultScale="-6"/>
    </counterSet>
    <counterSet guid="{7C3E9B1D-2A4F-4E0B-9D57-1F6B8A2C4E03}" uri="Sample.Disk" symbol="SampleDisk" name="PhysicalDisk" description="Transfers" instances="multiple">
     <counter id="1" uri="Sample.Disk.Read" symbol="Read" name="Disk Read Bytes/sec" description="How fast it reads" type="perf_counter_bulk_count" detailLevel="standard" defaultScale="-4"/>
     <counter id="2" uri="Sample.Disk.Transfer" symbol="Transfer" name="Avg. Disk sec/Transfer" description="How long each takes" type="perf_average_timer" baseID="3" detailLevel="standard" defaultScale="3"/>
     <counter id="3" uri="Sample.Disk.TransferBase" symbol="TransferBase" type="perf_average_base" detailLevel="advanced"><counterAttributes><counterAttribute name="noDisplay"/></counterAttributes></counter>
     <counter id="4" uri="Sample.Disk.Queue" symbol="Queue" name="Current Disk Queue Length" description="How many wait" type="perf_counter_rawcount" detailLevel="standard" defaultScale="1"/>
     <counter id="5" uri="Sample.Disk.Idle" symbol="Idle" name="% Idle Time" description="How much of the time" type="perf_precision_100ns_timer" baseID="6" detailLevel="standard" defaultScale="0"/>
     <counter id="6" uri="Sample.Disk.IdleBase" symbol="IdleBase" type="perf_large_raw_base" detailLevel="advanced"><counterAttributes><counterAttribute name="noDisplay"/></counterAttributes></counter>
    </counterSet>
   </provider>
  </counters>
 </instrumentation>
</instrumentationManifest>
`

// manifestFile writes servedManifest.
func manifestFile(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "sample.man")
	if err := os.WriteFile(name, []byte(servedManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestServeManifest(t *testing.T) {
	t.Parallel()
	s := servesFed(t, manifestFile(t))
	out, stderr, code := runs(t, withPassword(testPassword), "sample", s.host(), "--user="+testUser, "-n2", "-i0.5", "-fjson", `\Sample Set(*)\*`)
	if code != exitDone || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for line := range strings.Lines(out) {
		if _, values := numbers(t, line); len(values) != 8 {
			t.Errorf("values %v", values)
		}
	}
	if out, _, code := runs(t, withPassword(testPassword), "serve", "--account=a", "--manifest=/absent.man"); code != exitFailed {
		t.Errorf("an absent manifest: exit code %d %s", code, out)
	}
}

// Accounts made by serve passwd are those that serve lets in.
func TestServePasswd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "accounts")
	for _, password := range []string{"old", testPassword} { // the second replaces the first
		if _, stderr, code := runs(t, withPassword(password), "serve", "passwd", "--accounts="+file, testUser); code != exitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
	}
	if _, stderr, code := runs(t, withPassword("other"), "serve", "passwd", "--accounts="+file, "other"); code != exitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || strings.Contains(string(text), testPassword) || strings.Count(string(text), "\n") != 2 {
		t.Errorf("mode %04o:\n%s", info.Mode().Perm(), text)
	}
	s := servesWith(t, plainEnviron, "--accounts="+file, "--expose=System")
	for user, password := range map[string]string{testUser: testPassword, "other": "other"} {
		if _, stderr, code := runs(t, withPassword(password), "sample", s.host(), "--user="+user, "-n1", "-i0.1", `\System\Processes`); code != exitDone {
			t.Errorf("%s: exit code %d: %s", user, code, stderr)
		}
	}
	// No account without name or password.
	for _, args := range [][]string{{"serve", "passwd", "name"}, {"serve", "passwd", "--accounts=" + file}, {"serve", "passwd", "--accounts=" + file, " "}} {
		if _, _, code := runs(t, withPassword("x"), args...); code != exitUsage {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
	if _, stderr, code := runs(t, plainEnviron, "serve", "passwd", "--accounts="+file, "name"); code == exitDone || !strings.Contains(stderr, "hint:") {
		t.Errorf("without a terminal: exit code %d: %s", code, stderr)
	}
}

func TestServeRefusesToStart(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return "--accounts=" + path
	}
	hash := strings.Repeat("0a", 16)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for what, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no account":       {nil, exitUsage, "hint: use --account"},
		"no account there": {[]string{file("none", "# nobody\n", 0o600)}, exitUsage, "hint: use --account"},
		"readable by all":  {[]string{file("open", "ana:"+hash+"\n", 0o644)}, exitFailed, "hint: chmod 600"},
		"damaged":          {[]string{file("damaged", "ana:xyz\n", 0o600)}, exitFailed, "line 1"},
		"absent":           {[]string{"--accounts=" + dir + "/absent"}, exitFailed, "absent"},
		"unknown set":      {[]string{file("good", "ana:"+hash+"\n", 0o600), "--expose=Nothing"}, exitFailed, "Nothing"},
		"a pattern of set": {[]string{file("good3", "ana:"+hash+"\n", 0o600), "--expose=*"}, exitFailed, "hint: name countersets"},
		"port in use":      {[]string{file("good2", "ana:"+hash+"\n", 0o600), "--listen=" + taken.Addr().String()}, exitFailed, "hint:"},
	} {
		args := append([]string{"serve", "--listen=127.0.0.1:0"}, c.args...)
		_, stderr, code := runs(t, plainEnviron, args...)
		if code != c.code || !strings.Contains(stderr, c.says) || strings.Contains(stderr, hash) {
			t.Errorf("%s: exit code %d: %s", what, code, stderr)
		}
	}
}

// A wrong password is answered late, once, and with a hint.
func TestServeWrongPassword(t *testing.T) {
	t.Parallel()
	s := serves(t, "--expose=System")
	began := time.Now()
	out, stderr, code := runs(t, withPassword("wrong"), "sample", s.host(), "--user="+testUser, "-n1", `\System\Processes`)
	if code != exitFailed || out != "" || !strings.Contains(stderr, "hint:") || strings.Count(stderr, "\n") != 2 {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("answered after %v", took)
	}
	for _, secret := range []string{"wrong\n", testPassword} {
		if strings.Contains(stderr, secret) {
			t.Errorf("it says %q", stderr)
		}
	}
	if _, stderr, code := runs(t, withPassword("x"), "sample", s.host(), "-n1", `\System\Processes`); code != exitUsage || !strings.Contains(stderr, "--user") {
		t.Errorf("no user: exit code %d: %s", code, stderr)
	}
}

// Doctor names the step that fails.
func TestDoctor(t *testing.T) {
	t.Parallel()
	s := serves(t, "--expose=System,Memory")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	_ = closed.Close()
	for what, c := range map[string]struct {
		host, password string
		code           int
		fails          string // the step; empty: none
	}{
		"well":           {s.address, testPassword, exitDone, ""},
		"closed port":    {nobody, testPassword, exitFailed, "connect"},
		"wrong password": {s.address, "wrong", exitFailed, "log on"},
		"no such name":   {"no.such.host.invalid:14500", testPassword, exitFailed, "find the host"},
	} {
		out, stderr, code := runs(t, withPassword(c.password), "doctor", "tcp://"+c.host, "--user="+testUser)
		failed := ""
		for line := range strings.Lines(out) {
			if f := strings.Fields(line); len(f) > 3 && f[0] == "FAILED" {
				failed += strings.Join(f[3:], " ")
			}
		}
		if code != c.code || stderr != "" || !strings.HasPrefix(failed, c.fails) || (failed == "") != (c.fails == "") || (c.fails != "") != strings.Contains(out, "hint:") {
			t.Errorf("%s: exit code %d, failed %q: %s\n%s", what, code, failed, stderr, out)
		}
		if strings.Contains(out, c.password+"\n") || strings.Contains(out, testPassword) {
			t.Errorf("%s: it tells the password:\n%s", what, out)
		}
	}
}

var capturesFlag = flag.String("captures", "", "directory, from the root of the project, for the capture of TestDoctorCapture")

// A capture is JSON, a call a line, and tells no secret; sizes only, no name
// either.
func TestDoctorCapture(t *testing.T) {
	t.Parallel()
	s := servesFed(t, manifestFile(t))
	for _, sizesOnly := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "capture.jsonl")
		args := []string{"doctor", "tcp://" + s.address, "--user=" + testUser, "--capture=" + file, fmt.Sprintf("--sizes-only=%v", sizesOnly)}
		if out, stderr, code := runs(t, withPassword(testPassword), args...); code != exitDone {
			t.Fatalf("exit code %d: %s%s", code, out, stderr)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkCapture(t, string(text), sizesOnly)
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode %04o", info.Mode().Perm())
		}
		if _, _, code := runs(t, withPassword(testPassword), args...); code != exitFailed {
			t.Errorf("over a file that is there: exit code %d", code)
		}
		if *capturesFlag != "" && !sizesOnly {
			keep := filepath.Join("..", "..", *capturesFlag, "perfdeck-serve.jsonl")
			if err := os.WriteFile(keep, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func checkCapture(t *testing.T, text string, sizesOnly bool) {
	t.Helper()
	calls, bytes := map[string]int{}, 0
	for line := range strings.Lines(text) {
		var c capture.Call
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		calls[c.Call]++
		bytes += len(c.Reply) + len(c.Request)
		if c.Code == 0 && len(c.Reply) != 2*c.Size && !sizesOnly {
			t.Errorf("%d bytes said, %d kept", c.Size, len(c.Reply)/2)
		}
	}
	for _, call := range []string{"EnumerateCounterSet", "QueryCounterSetRegistrationInfo", "OpenQueryHandle", "ValidateCounters", "QueryCounterInfo", "QueryCounterData", "CloseQueryHandle"} {
		if calls[call] == 0 {
			t.Errorf("no %s", call)
		}
	}
	if (bytes == 0) != sizesOnly {
		t.Errorf("%d bytes with sizes only %v", bytes, sizesOnly)
	}
	wide := make([]byte, 0, 2*len(testPassword))
	for _, c := range []byte(testPassword) {
		wide = append(wide, c, 0)
	}
	for _, secret := range []string{testPassword, testUser, fmt.Sprintf("%x", testPassword), fmt.Sprintf("%x", wide)} {
		if strings.Contains(text, secret) {
			t.Errorf("it holds %q", secret)
		}
	}
}

// A server ends at a signal though a client is connected.
func TestServeEndsAtSignals(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		s := serves(t, "--expose=System")
		client := exec.CommandContext(t.Context(), binary(t), "sample", s.host(), "--user="+testUser, "-i0.1", "-fjson", `\System\Processes`)
		client.Env = withPassword(testPassword)
		out, err := client.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		_ = s.cmd.Process.Signal(signal)
		done := make(chan error, 1)
		go func() { done <- s.cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(waitLimit):
			t.Errorf("%v: the server does not end", signal)
		}
		_ = client.Process.Kill()
		_ = client.Wait()
	}
}
