package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"perfdeck/session"
)

// State is what the screens changed: perfdeck writes it, other than the config.
// It names no programs.
type State struct {
	Theme  string       `toml:"theme,omitempty"`
	Decks  []DeckState  `toml:"deck,omitempty"`
	Tables []TableState `toml:"table,omitempty"`
	Looks  []LookState  `toml:"look,omitempty"`
}

// DeckState is a deck as the user left it.
type DeckState struct {
	Name   string      `toml:"name"`
	Layout string      `toml:"layout,omitempty"` // as layout.Tree writes it; empty: automatic
	Panes  []PaneState `toml:"panes,omitempty"`
}

// PaneState is a pane of a deck.
type PaneState struct {
	Host    string   `toml:"host,omitempty"`
	Paths   []string `toml:"paths"`
	Busiest int      `toml:"busiest,omitempty"`
}

// TableState is the columns of the table of a counterset, in their order.
type TableState struct {
	Set     string   `toml:"set"`
	Columns []string `toml:"columns,omitempty"`
	Widths  []int    `toml:"widths,omitempty"` // cells of each column, 0: as it wants
	Sort    string   `toml:"sort,omitempty"`
	Reverse bool     `toml:"reverse,omitempty"`
}

// LookState is how a counter is drawn: a power of ten, and the number of a
// series colour from 1.
type LookState struct {
	Path   string `toml:"path"`
	Scale  *int   `toml:"scale,omitempty"`
	Colour int    `toml:"colour,omitempty"`
}

// Deck is the deck as screens show it.
func (d DeckState) Deck() session.Deck {
	out := session.Deck{Name: d.Name, Layout: d.Layout}
	for _, p := range d.Panes {
		out.Panes = append(out.Panes, session.DeckPane{Host: p.Host, Paths: p.Paths, Busiest: p.Busiest})
	}
	return out
}

// NewDeckState is the deck as it is kept.
func NewDeckState(d session.Deck) DeckState {
	out := DeckState{Name: d.Name, Layout: d.Layout}
	for _, p := range d.Panes {
		out.Panes = append(out.Panes, PaneState{Host: p.Host, Paths: p.Paths, Busiest: p.Busiest})
	}
	return out
}

// stateName is the state file below StateDir.
const stateName = "screens.toml"

// maxStateBytes bounds the state file.
const maxStateBytes = 1 << 20

// LoadState reads what the screens changed. Without a file, or a place for one,
// it is empty. A file that cannot be understood is set aside and reported with
// the empty State: nothing that the screens remember is worth not to start.
func LoadState() (*State, error) {
	dir, err := StateDir()
	if err != nil {
		return new(State), nil //nolint:nilerr // no home: nothing is kept
	}
	name := filepath.Join(dir, stateName)
	f, err := os.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return new(State), nil
		}
		return new(State), fmt.Errorf("load what the screens keep: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxStateBytes+1))
	if err != nil {
		return new(State), fmt.Errorf("load what the screens keep: %w", err)
	}
	s, err := parseState(data)
	if err != nil {
		aside := name + ".broken"
		_ = os.Rename(name, aside)
		return new(State), fmt.Errorf("load what the screens keep: %w (set aside as %s)", err, aside)
	}
	return s, nil
}

var errLargeState = errors.New("the file is larger than 1 MiB")

func parseState(data []byte) (*State, error) {
	if len(data) > maxStateBytes {
		return nil, errLargeState
	}
	s := new(State)
	if err := toml.Unmarshal(data, s); err != nil {
		return nil, err
	}
	return s, nil
}

// Save writes the state, all of it or nothing: a power cut leaves the old file.
func (s *State) Save() error {
	dir, err := MakeStateDir()
	if err != nil {
		return err
	}
	data, err := toml.Marshal(s)
	if err != nil {
		return fmt.Errorf("keep what the screens changed: %w", err)
	}
	if err := replaceFile(filepath.Join(dir, stateName), data); err != nil {
		return fmt.Errorf("keep what the screens changed: %w", err)
	}
	return nil
}

// replaceFile puts a file in the place of another.
func replaceFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
