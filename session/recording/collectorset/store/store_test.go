package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"perfdeck/session/recording/collectorset"
)

func open(t *testing.T) *Store {
	t.Helper()
	return Open(t.TempDir())
}

func TestKeeps(t *testing.T) {
	s := open(t)
	set := collectorset.New("Web load")
	set.Keywords = []string{"web"}
	set.Extra = []string{"<Odd/>"}
	if err := s.Create(&Entry{Set: set, Encoding: collectorset.UTF16, State: State{Root: "/x"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(&Entry{Set: collectorset.New("WEB LOAD")}); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "0x803000B7") {
		t.Errorf("a second one of that name: %v", err)
	}
	if err := s.Change("update", "web LOAD", func(e *Entry) error { e.Set.Duration = 60; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Change("update", "Web load", func(e *Entry) error { e.Set.Duration = 90; return errors.New("no") }); err == nil {
		t.Error("a change that failed was none")
	}
	e, err := s.Load("Web load")
	if err != nil || e.Set.Duration != 60 || e.State.Root != "/x" || !slices.Equal(e.Set.Extra, set.Extra) || e.Encoding != collectorset.UTF16 {
		t.Errorf("%+v %v", e, err)
	}
	if err := s.Delete("web load"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load("Web load"); !errors.Is(err, ErrNotFound) {
		t.Errorf("after it was deleted: %v", err)
	}
}

// TestNames holds that no name leads out of the folder or hides in it.
func TestNames(t *testing.T) {
	s := open(t)
	for _, name := range []string{"", " ", ".x", "..", "../x", `a\b`, "a/b", "NUL", "con.x", "a:b", "x ", strings.Repeat("x", 300), "a\x00b", "a\nb"} {
		if err := s.Create(&Entry{Set: collectorset.New(name)}); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
	if names, err := s.Names(); err != nil || len(names) > 0 {
		t.Errorf("%q %v", names, err)
	}
	for _, name := range []string{"\u00fcber 1", "x.y"} {
		if err := s.Create(&Entry{Set: collectorset.New(name)}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestBoth holds that of many changes at once none is lost.
func TestBoth(t *testing.T) {
	s := open(t)
	if err := s.Create(&Entry{Set: collectorset.New("x")}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			other := &Store{s.dir}
			for range 5 {
				if err := other.Change("update", "x", func(e *Entry) error { e.Set.SerialNumber++; return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if e, err := s.Load("x"); err != nil || e.Set.SerialNumber != 41 {
		t.Errorf("%+v %v", e, err)
	}
}

func TestHold(t *testing.T) {
	s := open(t)
	if err := s.Create(&Entry{Set: collectorset.New("x")}); err != nil {
		t.Fatal(err)
	}
	h, err := s.Hold("start", "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Hold("start", "x"); !errors.Is(err, ErrRunning) {
		t.Errorf("a second one: %v", err)
	}
	if err := s.Delete("x"); !errors.Is(err, ErrRunning) {
		t.Errorf("deleted while it runs: %v", err)
	}
	if h.IsWanted() {
		t.Error("it is to end, though nobody said so")
	}
	if err := s.WantEnd("X"); err != nil || !h.IsWanted() {
		t.Errorf("%v", err)
	}
	h.Release()
	if s.Running("x") {
		t.Error("it runs still")
	}
	if err := s.WantEnd("x"); err == nil {
		t.Error("what does not run was stopped")
	}
}

// TestLeavesNothing holds that a set that was deleted, or is not there, leaves no file.
func TestLeavesNothing(t *testing.T) {
	s := open(t)
	if err := s.Create(&Entry{Set: collectorset.New("A")}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "absent"} {
		h, err := s.Hold("start", name)
		if err != nil {
			t.Fatal(err)
		}
		h.Release()
	}
	if err := s.Delete("A"); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "[^.]*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestHoldsWhereLinked holds that a lock that a link stands for is taken as any other.
func TestHoldsWhereLinked(t *testing.T) {
	s := open(t)
	if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), s.file("A", runSuffix)); err != nil {
		t.Skip("no links here: ", err)
	}
	h, err := s.Hold("start", "A")
	if err != nil {
		t.Fatal(err)
	}
	if !s.Running("A") {
		t.Error("nobody has it")
	}
	h.Release()
}

// TestHoldByTurns holds that one at a time has a set, though each removes the lock.
func TestHoldByTurns(t *testing.T) {
	s := open(t)
	var inside, most atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				h, err := s.Hold("start", "A")
				if err != nil {
					continue
				}
				most.Store(max(most.Load(), inside.Add(1)))
				inside.Add(-1)
				h.Release()
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d had it at once", most.Load())
	}
}

// TestDamaged holds that a set whose file is none is told of, and the others are there.
func TestDamaged(t *testing.T) {
	s := open(t)
	for name, text := range map[string]string{"a.xml": "<x>", "b.xml": "<DataCollectorSet/>", "b.json": "{"} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		if _, err := s.Load(name); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	if names, err := s.Names(); err != nil || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("%q %v", names, err)
	}
}
