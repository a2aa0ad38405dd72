package main

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// unread is a pipe that nobody reads.
func unread(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// A reader that went away, as head does, is no failure, whichever command prints: nothing is
// told, and the exit code is 0.
func TestReaderGone(t *testing.T) {
	xdg := t.TempDir()
	t.Setenv("XDG_STATE_HOME", xdg)
	t.Setenv("XDG_CONFIG_HOME", xdg)
	night := nightCSV(t, "night.csv", "sql01", 2, -60)
	errOut, err := os.Create(xdg + "/err")
	if err != nil {
		t.Fatal(err)
	}
	defer errOut.Close()
	for _, line := range []string{
		"version", "--version", "help", "man", "keys", "themes", "themes show dark", "completion bash",
		"list --demo Memory", `sample --demo -n 1 \Memory\*`, `path \Memory\*`,
		"report " + night, "relog -q " + night, "relog --summary " + night, "relog --check " + night, "relog -o - -f csv " + night,
		"compare " + night + " " + night, `watch --replay ` + night + ` --alert \Memory\*<1000000`,
		"alerts list --pack sqlserver", "alerts list --json --pack sqlserver",
		`collect create counter x \Memory\*`, "collect list", "collect list --json", "collect show x", "collect export x",
		"record --list --json", "note so", "note --list",
	} {
		if code := run(strings.Fields(line), os.Stdin, unread(t), errOut, os.Environ()); code != exitDone {
			t.Errorf("%s: %d", line, code)
		}
	}
	told, err := os.ReadFile(errOut.Name())
	if err != nil || bytes.Contains(told, []byte("pipe")) {
		t.Errorf("%s%v", told, err)
	}
}

// What is wrong with recordings is told though nobody reads the output.
func TestFailuresBesideReaderGone(t *testing.T) {
	xdg := t.TempDir()
	t.Setenv("XDG_STATE_HOME", xdg)
	t.Setenv("XDG_CONFIG_HOME", xdg)
	night := nightCSV(t, "night.csv", "sql01", 2, -60)
	for _, line := range []string{"relog -o - -f csv", "relog --summary"} {
		if code := run(strings.Fields(line+" "+night+" "+xdg+"/none.csv"), os.Stdin, unread(t), os.Stderr, os.Environ()); code != exitPartly {
			t.Errorf("%s: %d", line, code)
		}
	}
}

// A pipe of ours that was closed is a failure as any other.
func TestOutputGone(t *testing.T) {
	p := &program{out: unread(t)}
	_, err := p.out.WriteString("x")
	if !p.outputGone(err) {
		t.Errorf("write to nobody: %v", err)
	}
	other, err := os.Create(t.TempDir() + "/other")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	p.out = other
	if _, err := unread(t).WriteString("x"); err == nil || p.outputGone(err) || p.outputGone(fs.ErrNotExist) {
		t.Errorf("taken for standard output: %v", err)
	}
}
