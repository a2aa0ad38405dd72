//go:build !windows

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

// recorded are the times of a recording, and how many values each row has.
func recorded(t *testing.T, file string) (times []time.Time, values []int) {
	t.Helper()
	in, err := formats.Open(t.Context(), file, logs.OpenOptions{})
	if err != nil {
		return nil, nil
	}
	defer in.Close()
	var row logs.Row
	for {
		err := in.Next(&row)
		if errors.Is(err, io.EOF) {
			return times, values
		}
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, v := range row.Values {
			if v.Valid() {
				n++
			}
		}
		times, values = append(times, row.Time), append(values, n)
	}
}

func awaitRows(t *testing.T, file string, n int) {
	t.Helper()
	awaitRecorded(t, file, func(values []int) bool { return len(values) >= n })
}

// awaitWhole waits until behind so many rows there are n with the values of two hosts:
// an answer that comes behind its row is missing there.
func awaitWhole(t *testing.T, file string, behind, n int) {
	t.Helper()
	awaitRecorded(t, file, func(values []int) bool {
		whole := 0
		for _, v := range values[min(behind, len(values)):] {
			if v == 2 {
				whole++
			}
		}
		return whole >= n
	})
}

func awaitRecorded(t *testing.T, file string, is func(values []int) bool) {
	t.Helper()
	sharedtest.Until(t, "the rows of "+file, func() bool {
		_, values := recorded(t, file)
		return is(values)
	})
}

// recordings are what record --list says.
func recordings(t *testing.T, environ []string) (all []jsonRecordingEntry) {
	t.Helper()
	out, stderr, code := runs(t, environ, "record", "--list", "--json")
	if code != exitDone {
		t.Fatal(stderr)
	}
	for line := range strings.Lines(out) {
		var e jsonRecordingEntry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// TestHandOver: a recording of a terminal that is closed goes on in a process of
// its own, which has the passwords and tells them to nobody.
func TestHandOver(t *testing.T) {
	t.Parallel()
	server := serves(t)
	for _, file := range []string{"n.csv", "n.db"} {
		t.Run(file, func(t *testing.T) {
			dir := t.TempDir()
			environ := append(deleteEnv(plainEnviron, "HOME"), "HOME="+dir, "XDG_STATE_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir+"/config")
			name := filepath.Join(dir, file)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			first := &exec.Cmd{
				Path: self, Dir: dir, Env: append(environ, passwordVariable+"="+testPassword), Stdout: &out, Stderr: &out,
				Args: []string{"recorder", "-i0.5", "--user=" + testUser, "--host=local", server.host(), file, `\System\System Up Time`},
			}
			if err := first.Start(); err != nil {
				t.Fatal(err)
			}
			awaitRows(t, name, 2)
			if err := first.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			if err := first.Wait(); err != nil || !strings.Contains(out.String(), "handed over") {
				t.Fatalf("%v: %s", err, &out)
			}
			before, _ := recorded(t, name)
			list := recordings(t, environ)
			if len(list) != 1 || list[0].State != "running" || list[0].PID == first.Process.Pid || list[0].File != name {
				t.Fatalf("%+v", list)
			}
			successor := list[0].PID
			t.Cleanup(func() { _ = syscall.Kill(successor, syscall.SIGKILL) })
			if session, err := unix.Getsid(successor); err != nil || session != successor {
				t.Errorf("process %d is of session %d (%v)", successor, session, err)
			}
			checkNoSecret(t, successor, dir)
			awaitWhole(t, name, len(before), 3)
			if _, stderr, code := runs(t, environ, "record", "--stop", list[0].ID); code != exitDone {
				t.Error(stderr)
			}
			if list := recordings(t, environ); len(list) != 0 {
				t.Errorf("%+v", list)
			}
			times, _ := recorded(t, name)
			for i := 1; i < len(times); i++ { // the successor has connected before it takes over, however slow the machine
				if d := times[i].Sub(times[i-1]); d <= 0 || d > 20*500*time.Millisecond {
					t.Errorf("row %d comes %v after the one before, hand-over at row %d", i, d, len(before))
				}
			}
			if text, err := os.ReadFile(filepath.Join(dir, "state", "perfdeck", "recordings", list[0].ID+".log")); err == nil && len(text) > 0 {
				t.Errorf("the second process says %s", text)
			}
		})
	}
}

// checkNoSecret looks for the password where others could read it.
func checkNoSecret(t *testing.T, pid int, dir string) {
	t.Helper()
	places := []string{}
	if runtime.GOOS == "linux" {
		places = append(places, fmt.Sprintf("/proc/%d/cmdline", pid), fmt.Sprintf("/proc/%d/environ", pid))
	}
	_ = filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			places = append(places, name)
		}
		return nil
	})
	for _, name := range places {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		if bytes.Contains(text, []byte(testPassword)) || bytes.Contains(text, []byte("VHIwdWI0ZG9yJjM")) { // in base64
			t.Errorf("%s has the password", name)
		}
	}
}

// TestHandOverFails: when nobody can go on the recording is closed, and the next
// start says so.
func TestHandOverFails(t *testing.T) {
	dir := t.TempDir()
	environ := append(deleteEnv(plainEnviron, "HOME"), "HOME="+dir, "XDG_STATE_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir+"/config")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "n.csv")
	config := filepath.Join(dir, "c.toml")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	first := &exec.Cmd{Path: self, Dir: dir, Env: environ, Stdout: &out, Stderr: &out, Args: []string{"recorder", "-i0.1", "--config=" + config, name, `\System\System Up Time`}}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	awaitRows(t, name, 3)
	if err := os.WriteFile(config, []byte("interval = {"), 0o600); err != nil { // the second process cannot begin
		t.Fatal(err)
	}
	if err := first.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil || !strings.Contains(out.String(), "hand the recording over") {
		t.Fatalf("%v: %s", err, &out)
	}
	list := recordings(t, environ)
	if len(list) != 1 || list[0].State != "ended" || !strings.Contains(list[0].Reason, "hand") {
		t.Errorf("%+v", list)
	}
	if times, _ := recorded(t, name); len(times) < 3 {
		t.Errorf("%d rows", len(times))
	}
}

// TestRecordSignals: SIGHUP begins the next file, SIGTERM ends the recording,
// however often it comes.
func TestRecordSignals(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), binary(t), "record", "-i0.1", "-o", "n.csv", `\System\System Up Time`)
	cmd.Dir, cmd.Env = dir, append(plainEnviron[:len(plainEnviron):len(plainEnviron)], "XDG_STATE_HOME="+dir+"/state")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitRows(t, filepath.Join(dir, "n.csv"), 3)
	for _, s := range []struct {
		signal syscall.Signal
		file   string
	}{{syscall.SIGHUP, "n_000002.csv"}, {syscall.SIGHUP, "n_000003.csv"}} {
		if err := cmd.Process.Signal(s.signal); err != nil {
			t.Fatal(err)
		}
		awaitRows(t, filepath.Join(dir, s.file), 2)
	}
	// timeout(1) sends it twice, a shell its SIGHUP beside.
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM, syscall.SIGHUP} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, &out)
	}
	late := 0 // samples, on a machine that has other things to do
	files := slices.DeleteFunc(slices.Collect(strings.Lines(out.String())), func(line string) bool {
		n, err := fmt.Sscanf(line, "perfdeck: %d sample", &late)
		return n == 1 && err == nil && strings.Contains(line, "not there in time")
	})
	if len(files) != 3 {
		t.Errorf("it prints %q", &out)
	}
	var all []time.Time
	for _, name := range []string{"n.csv", "n_000002.csv", "n_000003.csv"} {
		times, _ := recorded(t, filepath.Join(dir, name))
		all = append(all, times...)
	}
	for i := 1; i < len(all); i++ {
		if d := all[i].Sub(all[i-1]); d > time.Duration(3+late)*100*time.Millisecond {
			t.Errorf("row %d comes %v after the one before", i, d)
		}
	}
}

// TestResumeKilled: after kill -9 record --resume goes on in the same file, though
// a process has come that a CSV has no column for.
func TestResumeKilled(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"n.db", "n.csv"} {
		t.Run(file, func(t *testing.T) { testResumeKilled(t, file) })
	}
}

func testResumeKilled(t *testing.T, file string) {
	dir := t.TempDir()
	environ := append(plainEnviron[:len(plainEnviron):len(plainEnviron)], "XDG_STATE_HOME="+dir+"/state")
	name := filepath.Join(dir, file)
	cmd := exec.CommandContext(t.Context(), binary(t), "record", "-i0.1", "-o", name, `\System\System Up Time`, `\Process(*)\ID Process`)
	cmd.Env = environ
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitRows(t, name, 3)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	came := exec.CommandContext(t.Context(), "sleep", "60")
	if err := came.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = came.Process.Kill(); _ = came.Wait() }()
	before, _ := recorded(t, name)
	list := recordings(t, environ)
	if len(list) != 1 || list[0].State != "interrupted" {
		t.Fatalf("%+v", list)
	}
	resumed := exec.CommandContext(t.Context(), binary(t), "record", "--resume", list[0].ID)
	resumed.Env = environ
	if err := resumed.Start(); err != nil {
		t.Fatal(err)
	}
	awaitRows(t, name, len(before)+3)
	if _, stderr, code := runs(t, environ, "record", "--stop", name); code != exitDone {
		t.Error(stderr)
	}
	if err := resumed.Wait(); err != nil {
		t.Error(err)
	}
}
