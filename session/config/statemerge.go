package config

import (
	"path/filepath"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"perfdeck/paths"
	"perfdeck/session"
)

// SaverOf saves what the screens change of what they loaded. What another
// program changed meanwhile stays, unless the same deck, table or look was
// changed here too: then it is as it is here. The file is locked from reading to
// writing.
func SaverOf(loaded *session.Kept) func(*session.Kept) error {
	base := asWritten(loaded)
	return func(s *session.Kept) error {
		mine := asWritten(s)
		dir, err := MakeStateDir()
		if err != nil {
			return err
		}
		err = locked(filepath.Join(dir, stateLock), func() error {
			all := s
			if theirs := otherState(); theirs != nil {
				all = mergeState(mine, base, theirs)
			}
			return SaveState(all)
		})
		if err == nil {
			base = mine
		}
		return err
	}
}

// otherState is what the file holds now, nil if there is none that can be read.
func otherState() *session.Kept {
	dir, err := StateDir()
	if err != nil {
		return nil
	}
	data, err := readStateFile(filepath.Join(dir, stateName))
	if err != nil {
		return nil
	}
	s, err := parseState(data)
	if err != nil {
		return nil
	}
	return s
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
