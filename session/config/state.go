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
func LoadState() (*session.Kept, error) {
	dir, err := StateDir()
	if err != nil {
		return new(session.Kept), nil //nolint:nilerr // no home: nothing is kept
	}
	state := stateFile(dir)
	data, err := state.Read()
	if err != nil && !errors.Is(err, store.ErrLarge) {
		return new(session.Kept), fmt.Errorf("load what the screens keep: %w", err)
	}
	s := new(session.Kept)
	if err == nil {
		s, err = parseState(data)
	}
	if err != nil {
		aside := state.Name + ".broken"
		_ = osfile.Replace(state.Name, aside)
		return new(session.Kept), fmt.Errorf("load what the screens keep: %w (set aside as %s)", err, aside)
	}
	return s, nil
}

func stateFile(dir string) store.Document {
	return store.Document{Name: filepath.Join(dir, stateName), Lock: filepath.Join(dir, stateLock), Most: maxStateBytes}
}

func parseState(data []byte) (*session.Kept, error) {
	s := new(session.Kept)
	if err := toml.Unmarshal(session.EscapeTOML(data), s); err != nil {
		return nil, err
	}
	return s, nil
}

// SaveState writes what the screens changed, all of it or nothing: a power cut
// leaves the old file.
func SaveState(s *session.Kept) error {
	return changeState(func([]byte) *session.Kept { return s })
}

func changeState(change func(old []byte) *session.Kept) error {
	dir, err := MakeStateDir()
	if err != nil {
		return err
	}
	state := stateFile(dir)
	if err := state.Change(func(old []byte) ([]byte, error) { return toml.Marshal(change(old)) }); err != nil {
		return fmt.Errorf("keep what the screens changed: %w", err)
	}
	return nil
}

// SaverOf saves what the screens change of what they loaded. What another
// program changed meanwhile stays, unless the same deck, table or look was
// changed here too: then it is as it is here.
func SaverOf(loaded *session.Kept) func(*session.Kept) error {
	base := asWritten(loaded)
	return func(s *session.Kept) error {
		mine := asWritten(s)
		err := changeState(func(old []byte) *session.Kept {
			if theirs, err := parseState(old); old != nil && err == nil {
				return mergeState(mine, base, theirs)
			}
			return s
		})
		if err == nil {
			base = mine
		}
		return err
	}
}

// asWritten is a copy as a file gives it back.
func asWritten(s *session.Kept) *session.Kept {
	out := new(session.Kept)
	if data, err := toml.Marshal(s); err == nil {
		_ = toml.Unmarshal(data, out)
	}
	return out
}

// mergeState joins what was changed here and elsewhere since base.
func mergeState(mine, base, theirs *session.Kept) *session.Kept {
	out := &session.Kept{
		Theme:  mine.Theme,
		Decks:  mergeList(mine.Decks, base.Decks, theirs.Decks, func(d session.Deck) string { return paths.Fold(d.Name) }),
		Tables: mergeList(mine.Tables, base.Tables, theirs.Tables, func(t session.KeptTable) string { return t.Set }),
		Looks:  mergeList(mine.Looks, base.Looks, theirs.Looks, func(l session.KeptLook) string { return l.Path }),
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
