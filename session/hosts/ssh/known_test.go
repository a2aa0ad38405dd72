//go:build unix

package ssh

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What is known of a file holds for the next run, and only as long as the file stays what
// it was; whatever is in the place of the file with it costs no more than the time to
// find it out.
func TestKnown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, kept := filepath.Join(dir, "perfdeck"), filepath.Join(dir, "state/ssh.json")
	must(t, os.WriteFile(file, []byte("first"), 0o600))
	first := &Known{File: kept}
	first.note(subjectSum, file, "abc")
	if says := (&Known{File: kept}).about(subjectSum, file); says != "abc" {
		t.Errorf("%q", says)
	}
	if says := (&Known{File: kept}).about(subjectVersion, file); says != "" {
		t.Errorf("of another subject: %q", says)
	}
	must(t, os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour)))
	if says := (&Known{File: kept}).about(subjectSum, file); says != "" {
		t.Errorf("of a file that changed: %q", says)
	}
	text, err := os.ReadFile(kept)
	must(t, err)
	for _, bad := range []string{"", "null", "[]", `{"sha256 x":1}`, strings.Repeat(" ", mostFile) + string(text), "\x00"} {
		must(t, os.WriteFile(kept, []byte(bad), 0o600))
		k := &Known{File: kept}
		if says := k.about(subjectSum, file); says != "" {
			t.Errorf("%.10q: %q", bad, says)
		}
		k.note(subjectSum, file, "def")
		if says := (&Known{File: kept}).about(subjectSum, file); says != "def" {
			t.Errorf("%.10q: %q", bad, says)
		}
	}
	(*Known)(nil).note(subjectSum, file, "abc")
	if says := (*Known)(nil).about(subjectSum, file); says != "" {
		t.Errorf("%q", says)
	}
}

// An ssh that an earlier run knew as a newer one is asked again as soon as it refuses an
// option, and the host is reached all the same.
func TestOlderSSHThanKnown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "ssh")
	syscall.ForkLock.RLock() // a program that starts meanwhile would keep it open for writing: "text file busy"
	err := os.WriteFile(file, []byte(`#!/bin/sh
case "$*" in -V) echo OpenSSH_7.4p1 >&2; exit;; *SessionType*) echo "command-line: line 0: Bad configuration option: sessiontype" >&2; exit 255;; esac
echo Permission denied. >&2; exit 255
`), 0o700)
	syscall.ForkLock.RUnlock()
	must(t, err)
	known := &Known{File: filepath.Join(dir, "ssh.json")}
	known.note(subjectVersion, file, "OpenSSH_9.9p1")
	p, err := Find(file, known)
	must(t, err)
	o := Options{Destination: Destination{Host: "box"}, Program: p, Prompter: &Prompter{}, Binaries: &Binaries{Own: file}, Gate: NewGate(), Go: func(f func()) { go f() }}
	if _, err := o.connect(t.Context()); err == nil || !strings.Contains(err.Error(), "none of the keys") {
		t.Errorf("%v", err)
	}
	if says := known.about(subjectVersion, file); says != "OpenSSH_7.4p1" {
		t.Errorf("%q", says)
	}
}
