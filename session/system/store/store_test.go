package store

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"perfdeck/session/system/osfile"
)

func journal(dir string) *Journal {
	return &Journal{Name: filepath.Join(dir, "j.jsonl"), Lock: filepath.Join(dir, "j.lock"), Roomy: 1 << 20, Live: Newest(1 << 19)}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func lines(t testing.TB, j *Journal) (out []string) {
	t.Helper()
	must(t, j.Lines(func(line []byte) { out = append(out, strings.TrimSuffix(string(line), "\n")) }))
	return out
}

func joined(lines iter.Seq[[]byte]) (text string) {
	for line := range lines {
		text += string(line)
	}
	return text
}

func all(t testing.TB, j *Journal) (text string) {
	t.Helper()
	must(t, j.Read(func(lines iter.Seq[[]byte]) { text = joined(lines) }))
	return text
}

func want(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%.200q, want %.200q", got, want)
	}
}

// What one adds the others see, once, and a torn line costs that line.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	a, b := journal(dir), journal(dir)
	want(t, lines(t, a))
	must(t, a.Append([]byte("1\n2\n"), true))
	want(t, lines(t, b), "1", "2")
	want(t, lines(t, b))
	f, err := os.OpenFile(a.Name, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, _ = f.WriteString("tor")
	must(t, f.Close())
	want(t, lines(t, b)) // it may be being written
	b.Late = 1
	must(t, b.Append([]byte("3\n"), false)) // which is bounded only where it has to wait
	want(t, lines(t, b), "tor", "3")
	want(t, lines(t, a), "1", "2", "tor", "3")
	text := all(t, journal(dir))
	if text != "1\n2\ntor\n3\n" {
		t.Errorf("%q", text)
	}
	must(t, b.Look(func(lines iter.Seq[[]byte]) bool { return joined(lines) != text }))
	must(t, a.AppendAfter(func([]byte) { t.Error("a line twice") }, func() ([]byte, error) { return []byte("4\n"), nil }, true))
	err = b.AppendAfter(func(line []byte) { want(t, []string{string(line)}, "4\n") }, func() ([]byte, error) { return nil, ErrLarge }, true)
	if !errors.Is(err, ErrLarge) {
		t.Errorf("%v", err)
	}
}

// Wherever a write ended, all whole lines before it are read, and what is added later too.
func TestTorn(t *testing.T) {
	const whole = "first\nsecond\nthird\n"
	for cut := range len(whole) + 1 {
		j := journal(t.TempDir())
		must(t, os.WriteFile(j.Name, []byte(whole[:cut]), 0o600))
		n := strings.Count(whole[:cut], "\n")
		if got := lines(t, j); len(got) != n {
			t.Errorf("cut at %d: %q", cut, got)
		}
		must(t, j.Append([]byte("more\n"), true))
		if got := lines(t, j); got[len(got)-1] != "more" {
			t.Errorf("cut at %d: then %q", cut, got)
		}
	}
}

// Of many that write, and write the file anew, no line is lost, and each reader has each at
// least once.
func TestAnew(t *testing.T) {
	const writers, each = 4, 200
	dir := t.TempDir()
	all := make([]*Journal, writers)
	for n := range all {
		all[n] = journal(dir)
		all[n].Roomy = 1 << 10
		all[n].Live = func(lines iter.Seq[[]byte]) ([]byte, error) { return []byte("#\n" + joined(lines)), nil }
	}
	var running sync.WaitGroup
	for n, j := range all {
		running.Go(func() {
			seen := map[string]bool{}
			look := func() {
				if err := j.Lines(func(line []byte) { seen[string(line)] = true }); err != nil {
					t.Error(err)
				}
			}
			for i := range each {
				if err := j.Append(fmt.Appendf(nil, "%d-%d\n", n, i), i%50 == 0); err != nil {
					t.Error(err)
				}
				if i%10 == n {
					look()
				}
			}
			if look(); len(seen) < each {
				t.Errorf("%d lines seen", len(seen))
			}
		})
	}
	running.Wait()
	got := lines(t, journal(dir))
	if slices.Sort(got); got[0] != "#" {
		t.Error("it was never written anew")
	}
	if got = slices.Compact(got); len(got) != writers*each+1 {
		t.Errorf("%d lines", len(got))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What cannot be written waits, for room or for the lock, as far as there is room for it, and is written with what follows.
func TestLate(t *testing.T) {
	dir := t.TempDir()
	j := journal(dir)
	j.Late = 1000
	must(t, os.Mkdir(j.Name, 0o700))
	for i := range 300 {
		if err := j.Append(fmt.Appendf(nil, "%d\n", i), false); err == nil {
			t.Fatal("no error")
		}
	}
	if err := j.Append([]byte("wide\n"), false); !errors.Is(err, ErrDropped) {
		t.Errorf("%v", err)
	}
	if err := j.CatchUp(); err == nil || len(j.late) > j.Late || len(j.late) < j.Late/2 {
		t.Errorf("%v, %d bytes wait", err, len(j.late))
	}
	must(t, os.Remove(j.Name))
	must(t, j.Append([]byte("300\n"), false))
	must(t, j.CatchUp())
	got := lines(t, j)
	if got[len(got)-1] != "300" || got[len(got)-2] != "wide" || len(got) < 100 {
		t.Errorf("%q", got)
	}
}

// Another process that holds the lock is told of, and keeps nobody from reading.
func TestLocked(t *testing.T) {
	j := journal(t.TempDir())
	j.Patience = 1
	must(t, j.Append([]byte("1\n"), true))
	unlock, err := Lock(j.Lock, 1)
	must(t, err)
	err = j.Append([]byte("2\n"), true)
	if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, osfile.ErrLocked) || e.Hint() == "" {
		t.Errorf("%v", err)
	}
	want(t, lines(t, j), "1")
	unlock()
	must(t, j.Append([]byte("2\n"), true))
	want(t, lines(t, j), "2")
}

// Where the lock is a file that may not be written it is written all the same.
func TestNoLock(t *testing.T) {
	dir := t.TempDir()
	j := journal(dir)
	must(t, os.WriteFile(j.Lock, nil, 0o400))
	if os.Geteuid() == 0 {
		j.Lock = "/sys/kernel/uevent_seqnum" // nobody may write that
	}
	if f, err := os.OpenFile(j.Lock, os.O_RDWR, 0); !errors.Is(err, os.ErrPermission) {
		_ = f.Close()
		t.Skipf("%s can be written: %v", j.Lock, err)
	}
	must(t, j.Append([]byte("1\n"), true))
	d := &Document{Name: filepath.Join(dir, "d"), Lock: j.Lock, Most: 10}
	must(t, d.Change(func(text []byte) ([]byte, error) { return append(text, 'x'), nil }))
	must(t, d.Change(func(text []byte) ([]byte, error) { return append(text, 'y'), nil }))
	text, err := d.Read()
	must(t, err)
	want(t, append(lines(t, j), string(text)), "1", "xy")
	if err := d.Write(make([]byte, 11)); !errors.Is(err, ErrLarge) {
		t.Errorf("%v", err)
	}
	if err := journal(filepath.Join(dir, "none")).Append([]byte("1\n"), true); err == nil {
		t.Error("no folder is no error")
	}
}

// A file that became very large is read and written anew without all of it in memory; of a line that
// has no end the beginning is read.
func TestHuge(t *testing.T) {
	j := journal(t.TempDir())
	line := append(bytes.Repeat([]byte("x"), 99), '\n')
	must(t, os.WriteFile(j.Name, bytes.Repeat(line, 200_000), 0o600))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	must(t, j.Append([]byte("last\n"), false))
	n := 0
	must(t, j.Read(func(lines iter.Seq[[]byte]) {
		for range lines {
			n++
		}
	}))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; n < 5_000 || n > 5_300 || took > 20<<20 {
		t.Errorf("%d lines, %d bytes", n, took)
	}
	j = journal(t.TempDir())
	j.line = 10
	must(t, os.WriteFile(j.Name, []byte(strings.Repeat("y", 10_000)+"\n1\n"+strings.Repeat("z", 10_000)), 0o600))
	want(t, lines(t, j), "1")
	want(t, []string{all(t, j)}, "yyyyyyyyyy1\nzzzzzzzzzz")
	if text, _ := Newest(25)(bytes.Lines([]byte("123456789\n123456789\n123456789\n"))); len(text) != 20 {
		t.Errorf("%q", text)
	}
	must(t, j.Read(func(lines iter.Seq[[]byte]) {
		for range lines {
			return // who had enough reads no more
		}
	}))
}

// What is to be on the disk is, when that is told, and a disk that refuses is told.
func TestDurable(t *testing.T) {
	j := journal(t.TempDir())
	var synced []string
	fails := error(nil)
	j.sync = func(f *os.File) error {
		text, err := os.ReadFile(f.Name())
		synced = append(synced, string(text))
		return errors.Join(err, fails)
	}
	must(t, j.Append([]byte("1\n"), true))
	must(t, j.Append([]byte("2\n"), false))
	want(t, synced, "1\n")
	fails = errors.New("input/output error")
	err := j.Append([]byte("3\n"), true)
	if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, fails) || e.Hint() == "" {
		t.Errorf("a disk that refuses: %v", err)
	}
	want(t, lines(t, j), "1", "2") // what is not on the disk is not said to be there
	j.Late = 100
	if j.Append([]byte("3\n"), true) == nil || j.CatchUp() == nil {
		t.Error("it is said to be on the disk")
	}
	fails = nil
	must(t, j.CatchUp())
	must(t, j.CatchUp())
	want(t, synced[len(synced)-1:], "1\n2\n3\n")
	want(t, lines(t, j), "3")
}

// FuzzLines: whatever a file has, whole lines are read, and one that is added is the last.
func FuzzLines(f *testing.F) {
	f.Add([]byte("1\n\n2"))
	f.Fuzz(func(t *testing.T, text []byte) {
		j := journal(t.TempDir())
		must(t, os.WriteFile(j.Name, text, 0o600))
		n := len(lines(t, j))
		must(t, j.Append([]byte("more\n"), false))
		if got := lines(t, j); n > len(text) || got[len(got)-1] != "more" {
			t.Errorf("%d lines, then %q", n, got)
		}
	})
}

// Lines that wait go with any others that are written.
func TestWaitingGoesAlong(t *testing.T) {
	refused := errors.New("refused")
	j := &Journal{Name: filepath.Join(t.TempDir(), "lines"), Late: 100, sync: func(*os.File) error { return refused }}
	if err := j.Append([]byte("a\n"), true); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	j.sync = nil
	if err := j.AppendAfter(func([]byte) {}, func() ([]byte, error) { return []byte("b\n"), nil }, false); err != nil {
		t.Fatal(err)
	}
	if err := j.CatchUp(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(j.Name); string(text) != "a\nb\n" {
		t.Errorf("%q, %v", text, err)
	}
}
