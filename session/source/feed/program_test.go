//go:build unix

package feed

import (
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
