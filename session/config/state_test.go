package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"perfdeck/session"
)

func TestStateRoundTrip(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	empty, err := LoadState()
	if err != nil || !reflect.DeepEqual(empty, new(session.Saved)) {
		t.Fatalf("without a file: %+v, %v", empty, err)
	}
	scale := -2
	deck := session.Deck{Name: "night", Layout: "h(0.5,1,2)", Panes: []session.DeckPane{
		{Host: "sql01", Paths: []string{`\Memory\Available MBytes`}},
		{Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 5},
		{Paths: []string{`\A\b`}, Also: []string{`\C\d`, `\E(*)\f`}, Kind: "graph", Limit: `\A\limit`},
	}}
	s := &session.Saved{Theme: "nord", Decks: []session.Deck{deck}}
	s.SetTable(session.SavedTable{Set: "Process", Columns: []session.SavedColumn{{Name: "% Processor Time", Width: 9}, {Name: "user", Hidden: true}}})
	s.SetTable(session.SavedTable{Set: "Process", Columns: []session.SavedColumn{{Name: "user"}}, Sort: "pid", Reverse: true})
	s.SetLook(session.SavedLook{Path: `\System\Threads`, Scale: &scale, Colour: 3})
	if err := SaverOf(new(session.Saved))(s); err != nil {
		t.Fatal(err)
	}
	got, err := LoadState()
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("got %+v, %v", got, err)
	}
	if len(got.Tables) != 1 || got.Table("Process").Sort != "pid" || got.Table("Memory") != nil {
		t.Errorf("the tables are %+v", got.Tables)
	}
	dir, _ := StateDir()
	left, _ := os.ReadDir(dir)
	if len(left) != 2 { // and the lock
		t.Errorf("files are left over: %v", left)
	}
	info, err := os.Stat(filepath.Join(dir, stateName))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

// A broken file does not keep the screens from starting, and is not lost.
func TestStateBroken(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := MakeStateDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []string{"theme = ", strings.Repeat("#", maxStateBytes+1), "deck = 7"} {
		name := filepath.Join(dir, stateName)
		if err := os.WriteFile(name, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := LoadState()
		if err == nil || s == nil {
			t.Errorf("%.20q: %v, %v", broken, s, err)
		}
		if kept, err := os.ReadFile(name + ".broken"); err != nil || string(kept) != broken {
			t.Errorf("%.20q is not set aside: %v", broken, err)
		}
	}
}

func FuzzState(f *testing.F) {
	f.Add([]byte("theme = 'x'\n[[deck]]\nname='a'\n[[deck.panes]]\npaths=['b']\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := parseState(data); err == nil && s == nil {
			t.Error("neither a state nor an error")
		}
	})
}

// Two programs keep what each of them changes.
func TestTwoPrograms(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	deck := func(name, path string) session.Deck {
		return session.Deck{Name: name, Panes: []session.DeckPane{{Paths: []string{path}}}}
	}
	begin := &session.Saved{Theme: "nord", Decks: []session.Deck{deck("shared", "1"), deck("old", "1"), deck("both", "1")}}
	if err := SaverOf(new(session.Saved))(begin); err != nil {
		t.Fatal(err)
	}
	load := func() *session.Saved {
		s, err := LoadState()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one, two := load(), load()
	saveOne, saveTwo := SaverOf(one), SaverOf(two)
	save := func(f func(*session.Saved) error, s *session.Saved) {
		t.Helper()
		if err := f(s); err != nil {
			t.Fatal(err)
		}
	}
	one.Decks = append(one.Decks, deck("of one", "1"))
	one.Decks[2] = deck("both", "one's")
	one.Theme = "gruvbox"
	save(saveOne, one)
	two.Decks = slices.Delete(two.Decks, 1, 2) // "old"
	two.Decks[1] = deck("both", "two's")
	two.SetTable(session.SavedTable{Set: "Process", Sort: "pid"})
	save(saveTwo, two)
	one.SetLook(session.SavedLook{Path: "x", Colour: 3})
	save(saveOne, one)

	got := load()
	var names []string
	for _, d := range got.Decks {
		names = append(names, d.Name+" "+d.Panes[0].Paths[0])
	}
	slices.Sort(names)
	if want := []string{"both two's", "of one 1", "shared 1"}; !slices.Equal(names, want) {
		t.Errorf("decks %q, want %q", names, want)
	}
	if got.Theme != "gruvbox" || got.Table("Process") == nil || got.Look("x") == nil {
		t.Errorf("kept %+v", got)
	}

	dir, _ := StateDir() // a file that was deleted, or broken, hides nothing
	for _, there := range []func(string) error{os.Remove, func(name string) error { return os.WriteFile(name, []byte("="), 0o600) }} {
		if err := there(filepath.Join(dir, stateName)); err != nil {
			t.Fatal(err)
		}
		save(saveTwo, two)
		if n := len(load().Decks); n != len(two.Decks) {
			t.Errorf("%d decks are left of %d", n, len(two.Decks))
		}
	}
}

// What could not be read again is not written.
func TestStateTooLarge(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	small := &session.Saved{Theme: "nord"}
	if err := SaverOf(new(session.Saved))(small); err != nil {
		t.Fatal(err)
	}
	if err := SaverOf(new(session.Saved))(&session.Saved{Theme: strings.Repeat("x", maxStateBytes)}); err == nil {
		t.Error("it is written")
	}
	if s, err := LoadState(); err != nil || s.Theme != "nord" {
		t.Errorf("%v, %v is left", s, err)
	}
}

// Programs that save in the same moment lose nothing of each other.
func TestSavedAtOnce(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	const programs, saves = 4, 12
	var running sync.WaitGroup
	for p := range programs {
		running.Go(func() {
			mine := new(session.Saved)
			save := SaverOf(mine)
			for i := range saves {
				mine.Decks = append(mine.Decks, session.Deck{Name: fmt.Sprint("deck", p, "-", i), Panes: []session.DeckPane{{Paths: []string{"x"}}}})
				if err := save(mine); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	got, err := LoadState()
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Decks) != programs*saves {
		t.Errorf("%d decks are kept, want %d", len(got.Decks), programs*saves)
	}
}
