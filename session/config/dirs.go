package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

const product = "perfdeck"

// DirError says that a directory of the user's files cannot be made.
type DirError struct {
	Dir string
	Err error
}

func (e *DirError) Error() string { return fmt.Sprintf("make state directory %s: %v", e.Dir, e.Err) }

// Hint says how to have another one.
func (e *DirError) Hint() string { return "set XDG_STATE_HOME to a directory that can be written" }

func (e *DirError) Unwrap() error { return e.Err }

// DefaultFile is the config file that is read when none is named. It need not be
// there.
func DefaultFile() (string, error) {
	dir, err := Dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "config.toml"), nil
}

// Dir is where the config file and the user's themes are:
// $XDG_CONFIG_HOME/perfdeck or what the system has in its place. It need not be
// there.
func Dir() (string, error) {
	return userDir("config directory", configPlaces, runtime.GOOS, os.Getenv)
}

// StateDir is where perfdeck keeps what it writes for itself:
// $XDG_STATE_HOME/perfdeck or what the system has in its place. It need not be
// there. The error is *StateError for one that is not the user's alone, or
// *DirError where there is no home that it could be made in.
func StateDir() (string, error) {
	dir, err := stateDir()
	if err == nil {
		err = checkState(dir)
	}
	if err != nil {
		return "", err
	}
	if home := os.Getenv("HOME"); !filepath.IsAbs(os.Getenv(statePlaces.xdg)) && runtime.GOOS != "windows" {
		if _, err := os.Stat(home); err != nil {
			return "", &DirError{Dir: dir, Err: fmt.Errorf("the home %s is not there", home)}
		}
	}
	return dir, nil
}

// checkState refuses what others can write.
func checkState(dir string) error {
	if reason, hint := stateOfOthers(dir); reason != "" {
		return &StateError{dir, reason, hint}
	}
	return nil
}

func stateDir() (string, error) {
	return userDir("state directory", statePlaces, runtime.GOOS, os.Getenv)
}

// StateError says why the state folder is not used: what others can write there is
// neither obeyed nor added to.
type StateError struct{ Dir, Reason, hint string }

func (e *StateError) Error() string {
	return fmt.Sprintf("nothing that is kept in %s is read or written: %s", e.Dir, e.Reason)
}

// Hint says what would make it trusted.
func (e *StateError) Hint() string {
	if strings.HasSuffix(e.Reason, osfile.AnothersOwn) {
		return "set HOME to your own, or XDG_STATE_HOME to a folder of yours"
	}
	return e.hint
}

// MakeStateDir is StateDir, made if it is not there, for the user alone as the
// XDG base directory specification wants. The error is that of StateDir or, on
// read-only disks and the like, *DirError.
func MakeStateDir() (string, error) {
	dir, err := StateDir()
	if err != nil {
		return "", err
	}
	return dir, makeState(dir)
}

func makeState(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &DirError{Dir: dir, Err: err}
	}
	return nil
}

// trustedState is a folder that nobody else can write, or without one the user's own. For who
// writes it is made.
func trustedState(dir string, writes bool) (string, error) {
	if dir == "" {
		own, err := StateDir()
		if err != nil {
			return "", err
		}
		dir = own
	} else if err := checkState(dir); err != nil {
		return "", err
	}
	if !writes {
		return dir, nil
	}
	return dir, makeState(dir)
}

// places tells where a kind of files is.
type places struct {
	xdg     string // wins on every system
	windows string // the variable on Windows
	home    string // below $HOME elsewhere
}

var (
	configPlaces = places{"XDG_CONFIG_HOME", "AppData", ".config"}
	statePlaces  = places{"XDG_STATE_HOME", "LocalAppData", ".local/state"}
)

const darwinPlace = "Library/Application Support"

func userDir(what string, p places, goos string, getenv func(string) string) (string, error) {
	// The specification: a relative path is invalid and is ignored.
	if dir := getenv(p.xdg); filepath.IsAbs(dir) {
		return filepath.Join(dir, product), nil
	}
	variable, below := "HOME", p.home
	switch goos {
	case "windows":
		variable, below = p.windows, ""
	case "darwin":
		below = darwinPlace
	}
	if dir := getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, below, product), nil
	}
	return "", failure.WithHint(fmt.Errorf("find %s: %s and %s not set to an absolute path", what, variable, p.xdg), "set "+variable+" to a directory")
}

// BelowHome replaces the ~ of a path by the user's home directory.
func BelowHome(name string) (string, error) {
	below, ok := strings.CutPrefix(name, "~/")
	if !ok {
		return name, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	return filepath.Join(home, below), nil
}
