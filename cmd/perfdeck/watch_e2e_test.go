//go:build !windows

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"perfdeck/session/deliver/journal"
)

// watching is the command watch while it runs.
type watchingCommand struct {
	testing.TB
	cmd   *exec.Cmd
	lines *bufio.Scanner
	err   strings.Builder
}

// stateOf is the environment of a program that keeps its state in a directory.
func stateOf(dir string) []string {
	return append(plainEnviron[:len(plainEnviron):len(plainEnviron)], "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "TZ=UTC")
}

func startWatch(t testing.TB, dir string, args ...string) *watchingCommand {
	t.Helper()
	w := &watchingCommand{TB: t, cmd: exec.CommandContext(t.Context(), binary(t), append([]string{"watch"}, args...)...)}
	w.cmd.Env, w.cmd.Stderr = stateOf(dir), &w.err
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.lines = bufio.NewScanner(out)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill(); _ = w.cmd.Wait() })
	return w
}

// until reads lines up to one that holds a text, and returns all.
func (w *watchingCommand) until(text string) (all []string) {
	w.Helper()
	for w.lines.Scan() {
		all = append(all, w.lines.Text())
		if strings.Contains(w.lines.Text(), text) {
			return all
		}
	}
	w.Fatalf("it ended without %q: %q, %s", text, all, w.err.String())
	return nil
}

// end sends a signal and returns what is printed after it, and the exit code.
func (w *watchingCommand) end(s os.Signal) (rest []string, code int) {
	w.Helper()
	if err := w.cmd.Process.Signal(s); err != nil {
		w.Fatal(err)
	}
	for w.lines.Scan() {
		rest = append(rest, w.lines.Text())
	}
	_ = w.cmd.Wait()
	return rest, w.cmd.ProcessState.ExitCode()
}

func runIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), args...)
	cmd.Env = stateOf(dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return string(out)
}

const someMemory = `\Memory\Available MBytes>1`

// What was acknowledged survives the hardest end: it does not fire again.
func TestKillKeepsAcknowledged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := startWatch(t, dir, "--alert", someMemory)
	w.until("fired")
	if out := runIn(t, dir, "alerts", "ack"); !strings.Contains(out, "1 alert acknowledged") {
		t.Fatal(out)
	}
	w.until("acknowledged") // it heard of it
	if _, code := w.end(syscall.SIGKILL); code != -1 {
		t.Fatalf("exit code %d", code)
	}
	if out := runIn(t, dir, "alerts", "list", "--history"); strings.Count(out, "\n") != 2 {
		t.Errorf("history:\n%s", out)
	}
	w = startWatch(t, dir, "--alert", someMemory, "--alert", `\System\Processes>1`)
	for _, line := range w.until(`\System\Processes: `) {
		if strings.Contains(line, "fired") && strings.Contains(line, "Memory") {
			t.Errorf("it fires again: %s", line)
		}
	}
	if out := runIn(t, dir, "alerts", "list", "--history"); strings.Count(out, "fired") != 2 {
		t.Errorf("history:\n%s", out)
	}
	if _, code := w.end(syscall.SIGTERM); code != 0 {
		t.Errorf("SIGTERM ends it with %d: %s", code, w.err.String())
	}
}

// Whenever it is killed, the journal can be read, and says what was printed.
func TestKillAnytime(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		w := startWatch(t, dir, "--alert", `\Process(*)\ID Process>0`, "--alert", someMemory)
		time.AfterFunc(time.Duration(i)*7*time.Millisecond+50*time.Millisecond, func() { _ = w.cmd.Process.Kill() })
		printed := 0
		for w.lines.Scan() {
			printed++
		}
		_ = w.cmd.Wait()
		_, memory, damaged, err := journal.Open(filepath.Join(dir, "perfdeck"), time.Now())
		if err != nil && !os.IsNotExist(err) && !strings.Contains(err.Error(), "no such") || damaged > 1 {
			t.Fatal(damaged, err)
		}
		if printed > 0 && (memory == nil || len(memory.History) == 0) {
			t.Errorf("%d lines were printed and nothing is kept", printed)
		}
	}
}

// SIGHUP reads the config again; one that is wrong is not taken.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.toml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[[alert]]\nname = 'one'\nwhen = '" + someMemory + "'\ninterval = 1\n")
	w := startWatch(t, dir, "--config", file, "--json")
	w.until(`"rule":"one"`)
	write("[[alert]]\nname = 'two'\nwhen = '" + someMemory + "'\ninterval = 1\n")
	if err := w.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	all := w.until(`"rule":"two"`)
	if !strings.Contains(strings.Join(all, "\n"), `"event":"cleared"`) {
		t.Errorf("the alert of the rule that went does not end: %q", all)
	}
	var line struct {
		Time     time.Time
		Event    string
		Value    *float64
		Severity string
	}
	if err := json.Unmarshal([]byte(all[len(all)-1]), &line); err != nil || line.Event != "fired" || line.Value == nil || *line.Value < 1 || line.Severity != "warning" {
		t.Errorf("%+v, %v", line, err)
	}
	write("[[alert]]\nname = 'three'\n")
	if err := w.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, "alerts", "ack", "two")
	w.until(`"acknowledged"`)
	if _, code := w.end(os.Interrupt); code != 0 || !strings.Contains(w.err.String(), "alert[1].when") {
		t.Errorf("exit code %d, %s", code, w.err.String())
	}
}

// Nobody reads what is printed: it ends, and says no more than at any end.
func TestWatchClosedPipe(t *testing.T) {
	r, wr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd := exec.CommandContext(t.Context(), binary(t), "watch", "--alert", someMemory)
	cmd.Env, cmd.Stdout = stateOf(t.TempDir()), wr
	var errOut strings.Builder
	cmd.Stderr = &errOut
	err = cmd.Run()
	if err != nil || strings.Count(errOut.String(), "\n") != 2 || !strings.HasSuffix(errOut.String(), "watch ends: nothing is left to do\n") {
		t.Errorf("%v: %s", err, errOut.String())
	}
}

// Two of them, or one beside the screens: only one leads, and users act on both.
func TestTwoWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := startWatch(t, dir, "--alert", someMemory)
	a.until("fired")
	b := startWatch(t, dir, "--alert", `\System\Processes>1`)
	b.until(`\System\Processes: `)
	runIn(t, dir, "alerts", "ack")
	a.until("acknowledged")
	b.until("acknowledged")
	if _, code := b.end(syscall.SIGTERM); code != 0 || !strings.Contains(b.err.String(), "watches alerts already") {
		t.Errorf("exit code %d: %s", code, b.err.String())
	}
	if _, code := a.end(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d: %s", code, a.err.String())
	}
}

// What a webhook was to be told when the program was killed it is told by the next run.
func TestKillKeepsDelivery(t *testing.T) {
	dir, up := t.TempDir(), atomic.Bool{}
	tried, got := make(chan string, 100), make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if up.Load() {
			got <- q.Header.Get("Idempotency-Key")
			return
		}
		w.WriteHeader(http.StatusBadGateway)
		tried <- q.Header.Get("Idempotency-Key")
	}))
	defer server.Close()
	file := filepath.Join(dir, "c.toml")
	text := "[[alert]]\nwhen = '" + someMemory + "'\ninterval = 1\nthen = ['webhook:ops']\n[webhooks.ops]\nurl = '" + server.URL + "'\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w := startWatch(t, dir, "--config", file)
	first := <-tried
	w.end(syscall.SIGKILL)
	up.Store(true)
	w = startWatch(t, dir, "--config", file)
	if again := <-got; again != first || first == "" {
		t.Errorf("sent as %s, then as %s", first, again)
	}
	if _, code := w.end(syscall.SIGTERM); code != 0 || len(got) != 0 {
		t.Errorf("exit code %d, sent %d times more: %s", code, len(got), w.err.String())
	}
}

// A rule that is judged once and begins a recording: that goes on for as long as it is
// to, and watch with it. What cannot be judged is told, and the exit code is 3.
func TestOnceRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.toml")
	text := "[[record]]\nname = 'r'\nfile = '" + filepath.Join(dir, "r.csv") + "'\npaths = ['\\Memory\\Available MBytes']\ninterval = 0.1\nduration = '1s'\n" +
		"[[alert]]\nwhen = '" + someMemory + "'\ninterval = 'once'\nthen = ['record:r']\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := runIn(t, dir, "watch", "--config", file); !strings.Contains(out, "r_000001.csv") {
		t.Errorf("it says nothing of what it records: %s", out)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "r_000001.csv")); err != nil || strings.Count(string(text), "\n") < 4 {
		t.Errorf("recorded: %q, %v", text, err)
	}
	w := startWatch(t, dir, "--alert", `\NoSuch\X>1`)
	for w.lines.Scan() {
		t.Errorf("printed %s", w.lines.Text())
	}
	if _ = w.cmd.Wait(); w.cmd.ProcessState.ExitCode() != exitPartly || !strings.Contains(w.err.String(), "NoSuch") {
		t.Errorf("exit code %d: %s", w.cmd.ProcessState.ExitCode(), w.err.String())
	}
}

// systemd starts the command in another folder: the unit names files from the root on.
func TestUnitNamesWholeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), binary(t), "watch", "--systemd", "--host", "a", "--config", "c.toml", "--password-file", "p",
		"--keytab", "k", "--ccache", "~/cc", "--krb5-conf", "conf")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--config=" + dir + "/c.toml", "LoadCredential=password-file:" + dir + "/p", "LoadCredential=keytab:" + dir + "/k", "--krb5-conf=" + dir + "/conf", "--ccache=~/cc", "--host=a"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
}

// The demo pushes nothing: when its rules are judged it is over.
func TestDemoPushesNothing(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	engine := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
	}))
	t.Cleanup(engine.Close)
	dir := t.TempDir()
	config := filepath.Join(dir, "c.toml")
	text := "[[alert]]\nname = 'm'\nwhen = '\\Memory\\Available MBytes<1'\ninterval = 'once'\n[[push]]\nname = 'p'\ninterval = '1s'\nurl = '" + engine.URL + "/w'\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(t), "watch", "--demo", "-H", "web02", "--config", config)
	cmd.Env = stateOf(dir)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil || len(asked) > 0 {
		t.Errorf("%v, pushed %d:\n%s", err, len(asked), out)
	}
}
