package collector

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestHoldFile: a file that is recorded is not given to others, under its own name or
// that of a link to it; one that is held is not recorded. Where no lock can be made
// nobody has one.
func TestHoldFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "night.csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	names := []string{file}
	if link := filepath.Join(dir, "link.csv"); os.Symlink(file, link) == nil {
		names = append(names, link)
	}
	if other := filepath.Join(t.TempDir(), "other"); os.Symlink(dir, other) == nil {
		names = append(names, filepath.Join(other, "night.csv")) // another name of the same lock
	}
	if hard := filepath.Join(t.TempDir(), "hard.csv"); os.Link(file, hard) == nil {
		names = append(names, hard)
	}
	for _, name := range names {
		l, err := lockRecording(file)
		if err != nil {
			t.Fatal(err)
		}
		release, err := hold(name, true)
		if busy, ok := errors.AsType[*BusyError](err); !ok || busy.File != name {
			t.Errorf("%s is held while it is recorded: %v", name, err)
		}
		release()
		l.release()
		if release, err = hold(name, true); err != nil {
			t.Fatal(err)
		}
		if _, err := lockRecording(file); err == nil {
			t.Errorf("%s is held and recorded", name)
		}
		release()
		if l, err = lockRecording(file); err != nil {
			t.Errorf("%s is not held any more: %v", name, err)
		}
		l.release()
	}
	release, err := hold(filepath.Join(dir, "nowhere", "n.csv"), true)
	if err != nil {
		t.Errorf("no folder: %v", err)
	}
	release()
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestOneFileOfManyNames: two recorders never write to one file, whatever links lead to
// it, whether it was there before and whichever of them was first.
func TestOneFileOfManyNames(t *testing.T) {
	if os.Symlink("x", filepath.Join(t.TempDir(), "link")) != nil {
		t.Skip("no symbolic links here")
	}
	for _, file := range []string{"n.csv", "n.db", "n.json"} {
		for _, kind := range []string{"symbolic", "dangling", "hard", "late hard"} {
			t.Run(file+" "+kind, func(t *testing.T) {
				inBubble(t, start0, func(r *rig) { oneOfManyNames(r, file, kind) })
			})
		}
	}
}

func oneOfManyNames(r *rig, file, kind string) {
	h := r.host(plain("web01"), `\Memory\Seconds`)
	name, link := filepath.Join(r.dir, file), filepath.Join(r.TempDir(), "link"+filepath.Ext(file))
	must := func(err error) {
		r.Helper()
		if err != nil {
			r.Fatal(err)
		}
	}
	options := func(name string, exists Existing) Options {
		o := r.options(file, h)
		o.File, o.Exists = name, exists
		return o
	}
	switch kind {
	case "symbolic":
		must(os.WriteFile(name, nil, 0o600))
		must(os.Symlink(name, link))
	case "dangling":
		must(os.Symlink(name, link))
	case "hard":
		must(os.WriteFile(name, nil, 0o600))
		must(os.Link(name, link))
	}
	rec := r.start(options(name, Overwrite))
	r.clock.Advance(3 * time.Second)
	if kind == "late hard" {
		must(os.Link(name, link))
	}
	for _, exists := range []Existing{Append, Overwrite} {
		other, err := Start(options(link, exists))
		if busy, ok := errors.AsType[*BusyError](err); !ok || busy.File != link {
			r.Errorf("%v: another recorder begins: %v", exists, err)
		}
		if err == nil {
			r.stop(other)
		}
	}
	r.clock.Advance(2 * time.Second)
	must(r.stop(rec))
	if n := len(readTable(r, name).rows); n != 5 {
		r.Errorf("%d rows, want 5", n)
	}
	other := r.start(options(link, Append)) // the other way round
	r.clock.Advance(2 * time.Second)
	if _, err := Start(options(name, Append)); err == nil {
		r.Error("the link is recorded to, and its file too")
	}
	must(r.stop(other))
	if n := len(readTable(r, name).rows); n != 7 {
		r.Errorf("%d rows in the end, want 7", n)
	}
}
