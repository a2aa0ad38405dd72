//go:build unix

package feed

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestProgramsAreRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, Feed{Inlets: []Inlet{{Command: []string{"/bin/sh", "-c", `sleep 99 & echo '` + lineOf("a", 1) + `'; exec sleep 99`}}}})
	r.awaits("a", "Length", "1")
	begun := time.Now()
	if err := r.Close(); err != nil || time.Since(begun) > 30*time.Second {
		t.Errorf("it ends after %v: %v", time.Since(begun), err)
	}
}

// A program that ends well is run again; what it told stays.
func TestProgramsAreRunAgain(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/n"
	r := newRig(t, nil, Feed{Every: time.Millisecond, Inlets: []Inlet{{Command: []string{"/bin/sh", "-c",
		`echo x >>` + file + `; printf '{"set":"Queue","instance":"a","Length":%d}\n' $(wc -l <` + file + `)`}}}})
	r.awaits("a", "Length", "3")
}

func TestDeadProgramsSayWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, want string }{
		{`echo '` + lineOf("a", 1) + `'; echo no such printer >&2; exit 3`, "feed queue (/bin/sh): it ended: exit status 3: no such printer"},
		{`kill -9 $$`, "killed"},
	} {
		r := newRig(t, nil, Feed{Inlets: []Inlet{{Command: []string{"/bin/sh", "-c", c.script}}}})
		r.awaits("a", "Length", c.want)
	}
	r := newRig(t, nil, Feed{Inlets: []Inlet{{Command: []string{"/no/such/program"}}}})
	r.awaits("a", "Length", "no such file")
}

// A program that prints without an end is held back, and its memory is not ours.
func TestEndlessLinesAreHeldBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, Feed{Inlets: []Inlet{{Command: []string{"/bin/sh", "-c", `while :; do echo '` + lineOf("a", 1) + `'; done`}}, {Command: []string{"/bin/sh", "-c", `exec tr '\0' x </dev/zero`}}}})
	r.awaits("a", "Length", "1")
}

// A named pipe is one process's: a second one is told, and takes no lines from the first. Who writes a line and goes is heard.
func TestPipesAreOnes(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	r := newRig(t, nil, Feed{Inlets: []Inlet{{File: name}}})
	r.Begin()
	write := func(line string) {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString(line)
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write(lineOf("a", 1))
	r.awaits("a", "Length", "1")
	other := newRig(t, nil, Feed{Inlets: []Inlet{{File: name}}})
	other.awaits("a", "Length", "another program reads it")
	trial := other.Try(t.Context())[0]
	if trial.Err == nil || trial.Feed != "queue" {
		t.Errorf("%+v", trial)
	}
	for i := range 9 {
		write(lineOf("b", i))
	}
	r.awaits("b", "Length", "8")
	trial = r.Try(t.Context())[0]
	if trial.Err != nil || !strings.Contains(trial.Detail, "2 instances") {
		t.Errorf("%+v", trial)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	other.awaits("a", "Length", "nothing was told of it")
}

// A program that tells something and ends, again and again, is told of once a minute, and once more that it is well.
func TestFlappingIsBounded(t *testing.T) {
	r := still(t)
	in := r.inlets[0]
	flap := func(n int) {
		for range n {
			in.fail(errEnded)
			in.alive()
		}
	}
	flap(9)
	if len(r.said) != 2 {
		t.Errorf("%q", r.said)
	}
	in.fail(errEnded)
	in.fail(errEnded)
	if len(r.said) != 2 {
		t.Errorf("%q", r.said)
	}
	r.clock.Advance(tellEvery)
	in.fail(errEnded)
	in.fail(errEnded)
	if len(r.said) != 3 {
		t.Errorf("it is dead for a minute: %q", r.said)
	}
}

// One that ends well is well, though it says nothing: what it dies of then is told anew.
func TestQuietIsWell(t *testing.T) {
	r := still(t)
	in := r.inlets[0]
	in.fail(errEnded)
	in.alive()
	r.clock.Advance(tellEvery)
	in.fail(errEnded)
	if len(r.said) != 3 {
		t.Errorf("%q", r.said)
	}
}
