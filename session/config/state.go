package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/osfile"
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
	name := filepath.Join(dir, stateName)
	data, err := readStateFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return new(session.Kept), nil
	}
	if err != nil {
		return new(session.Kept), fmt.Errorf("load what the screens keep: %w", err)
	}
	s, err := parseState(data)
	if err != nil {
		aside := name + ".broken"
		_ = os.Rename(name, aside)
		return new(session.Kept), fmt.Errorf("load what the screens keep: %w (set aside as %s)", err, aside)
	}
	return s, nil
}

func readStateFile(name string) ([]byte, error) {
	f, err := osfile.OpenPlain(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxStateBytes+1))
}

var errLargeState = errors.New("the file is larger than 1 MiB")

func parseState(data []byte) (*session.Kept, error) {
	data = session.EscapeTOML(data)
	if len(data) > maxStateBytes {
		return nil, errLargeState
	}
	s := new(session.Kept)
	if err := toml.Unmarshal(data, s); err != nil {
		return nil, err
	}
	return s, nil
}

// SaveState writes what the screens changed, all of it or nothing: a power cut
// leaves the old file.
func SaveState(s *session.Kept) error {
	dir, err := MakeStateDir()
	if err != nil {
		return err
	}
	data, err := toml.Marshal(s)
	if err != nil {
		return fmt.Errorf("keep what the screens changed: %w", err)
	}
	if len(data) > maxStateBytes { // it would not be read
		return fmt.Errorf("keep what the screens changed: %w: delete decks", errLargeState)
	}
	if err := osfile.Write(filepath.Join(dir, stateName), data, 0o600, true); err != nil {
		return fmt.Errorf("keep what the screens changed: %w", err)
	}
	return nil
}

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

const lockPatience = time.Second

// locked runs f while a file is locked against other programs, which hold it for
// milliseconds. Where it cannot be locked f runs all the same: what is kept by a
// file system without locks is worth more than what two programs keep in the same
// moment.
func locked(name string, f func() error) error {
	if unlock, err := osfile.LockNamed(name, lockPatience); err == nil {
		defer unlock()
	}
	return f()
}
