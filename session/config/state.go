package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/store"
	"perfdeck/session/text/printable"
)

// stateName is the state file below StateDir, stateLock what is locked while it is
// changed.
const (
	stateName = "screens.toml"
	stateLock = "screens.lock"
)

// maxStateBytes bounds the state file.
const maxStateBytes = 1 << 20

// LoadState reads what the screens changed. Without a file, or a place for one,
// it is empty. A file that cannot be understood is set aside and reported with
// an empty Kept: nothing that the screens remember is worth not to start.
func LoadState() (*session.Saved, error) {
	dir, err := StateDir()
	if err != nil {
		return new(session.Saved), nil //nolint:nilerr // no home: nothing is kept
	}
	state := stateFile(dir)
	data, err := state.Read()
	if err != nil && !errors.Is(err, store.ErrLarge) { // one of another version stays as it is
		return new(session.Saved), fmt.Errorf("load what the screens keep: %w", err)
	}
	s := new(session.Saved)
	if err == nil {
		s, err = parseState(data)
	}
	if err != nil {
		aside := state.Name + ".broken"
		_ = osfile.Replace(state.Name, aside)
		return new(session.Saved), fmt.Errorf("load what the screens keep: %w (set aside as %s)", err, aside)
	}
	return s, nil
}

func stateFile(dir string) store.Document {
	return store.Document{Name: filepath.Join(dir, stateName), Lock: filepath.Join(dir, stateLock), Most: maxStateBytes, Form: store.FormTOML}
}

func parseState(data []byte) (*session.Saved, error) {
	s := new(session.Saved)
	if err := toml.Unmarshal(printable.EscapeTOML(data), s); err != nil {
		return nil, err
	}
	return s, nil
}

// SaverOf saves what the screens change of what they loaded, all of it or nothing: a power cut leaves
// the old file. What another program changed meanwhile stays, unless the same deck, table or look was
// changed here too: then it is as it is here.
func SaverOf(loaded *session.Saved) func(*session.Saved) error {
	base := asWritten(loaded)
	return func(s *session.Saved) error {
		mine := asWritten(s)
		dir, err := MakeStateDir()
		if err != nil {
			return err
		}
		state := stateFile(dir)
		err = state.Change(func(old []byte) ([]byte, error) {
			if theirs, err := parseState(old); old != nil && err == nil {
				return toml.Marshal(mergeState(mine, base, theirs))
			}
			return toml.Marshal(s)
		})
		if err != nil {
			return fmt.Errorf("keep what the screens changed: %w", err)
		}
		base = mine
		return nil
	}
}

// asWritten is a copy as a file gives it back.
func asWritten(s *session.Saved) *session.Saved {
	out := new(session.Saved)
	if data, err := toml.Marshal(s); err == nil {
		_ = toml.Unmarshal(data, out)
	}
	return out
}

// mergeState joins what was changed here and elsewhere since base.
func mergeState(mine, base, theirs *session.Saved) *session.Saved {
	out := &session.Saved{
		Theme:  mine.Theme,
		Decks:  mergeList(mine.Decks, base.Decks, theirs.Decks, func(d session.Deck) string { return paths.Fold(d.Name) }),
		Tables: mergeList(mine.Tables, base.Tables, theirs.Tables, func(t session.SavedTable) string { return t.Set }),
		Looks:  mergeList(mine.Looks, base.Looks, theirs.Looks, func(l session.SavedLook) string { return l.Path }),
	}
	if mine.Theme == base.Theme {
		out.Theme = theirs.Theme
	}
	return out
}

// mergeList takes of every item, by its name, the one that was changed.
func mergeList[T any](mine, base, theirs []T, name func(T) string) []T {
	find := func(list []T, item T) int {
		key := name(item)
		return slices.IndexFunc(list, func(o T) bool { return name(o) == key })
	}
	var out []T
	for _, m := range mine {
		b, t := find(base, m), find(theirs, m)
		switch {
		case b < 0 || !reflect.DeepEqual(base[b], m):
			out = append(out, m)
		case t >= 0:
			out = append(out, theirs[t])
		}
	}
	for _, t := range theirs {
		if find(mine, t) < 0 && find(base, t) < 0 {
			out = append(out, t)
		}
	}
	return out
}
