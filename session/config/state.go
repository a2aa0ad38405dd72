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
