package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"perfdeck/session"
)

func TestStateRoundTrip(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	empty, err := LoadState()
	if err != nil || !reflect.DeepEqual(empty, new(session.Kept)) {
		t.Fatalf("without a file: %+v, %v", empty, err)
	}
	scale := -2
	deck := session.Deck{Name: "night", Layout: "h(0.5,1,2)", Panes: []session.DeckPane{
		{Host: "sql01", Paths: []string{`\Memory\Available MBytes`}},
		{Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 5},
		{Paths: []string{`\A\b`}, Also: []string{`\C\d`, `\E(*)\f`}, Kind: "graph", Limit: `\A\limit`},
	}}
	s := &session.Kept{Theme: "nord", Decks: []session.Deck{deck}}
	s.SetTable(session.KeptTable{Set: "Process", Columns: []session.KeptColumn{{Name: "% Processor Time", Width: 9}, {Name: "user", Hidden: true}}})
	s.SetTable(session.KeptTable{Set: "Process", Columns: []session.KeptColumn{{Name: "user"}}, Sort: "pid", Reverse: true})
	s.SetLook(session.KeptLook{Path: `\System\Threads`, Scale: &scale, Colour: 3})
	if err := SaveState(s); err != nil {
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
	if len(left) != 1 {
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
