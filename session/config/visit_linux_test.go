package config

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

const another = 4711 // a user

// given gives names below a folder to another user.
func given(t *testing.T, names ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	for _, name := range names {
		if err := os.Lchown(name, another, another); err != nil {
			t.Skip(err)
		}
	}
}

// stateIn is a home, and the state folder in it, made of so many of its parts.
func stateIn(t *testing.T, parts ...string) (home, dir string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	dir = filepath.Join(home, ".local/state/perfdeck")
	if err := os.MkdirAll(filepath.Join(append([]string{home}, parts...)...), 0o755); err != nil {
		t.Fatal(err)
	}
	return home, dir
}

// The state folder is used if nobody else can write what is in it, and made if nobody else
// could have put another one there.
func TestStateOfOthers(t *testing.T) {
	for what, c := range map[string]struct {
		change func(home, dir string)
		fine   bool
	}{
		"as it is":              {func(string, string) {}, true},
		"nothing is there":      {func(home, _ string) { os.RemoveAll(filepath.Join(home, ".local")) }, true},
		"everybody may write":   {func(_, dir string) { os.Chmod(dir, 0o777) }, false},
		"a group may write":     {func(_, dir string) { os.Chmod(dir, 0o770) }, false},
		"a folder above":        {func(home, _ string) { os.Chmod(home, 0o777) }, false},
		"a file in it":          {func(_, dir string) { wide(dir, "alerts.jsonl") }, false},
		"a file of its folders": {func(_, dir string) { wide(dir, "sets/a.xml") }, false},
		"a file nobody reaches": {func(_, dir string) { wide(dir, "alerts.jsonl"); os.Chmod(dir, 0o700) }, true},
		"another's":             {func(_, dir string) { given(t, dir) }, false},
		"in another's home":     {func(home, _ string) { given(t, home) }, false},
		"a home to be filled":   {func(home, _ string) { os.RemoveAll(filepath.Join(home, ".local")); given(t, home) }, false},
		"a file of another's":   {func(_, dir string) { given(t, wide(dir, "notes.jsonl")) }, false},
	} {
		t.Run(what, func(t *testing.T) {
			home, dir := stateIn(t, ".local/state/perfdeck")
			c.change(home, dir)
			_, err := MakeStateDir()
			e, refused := errors.AsType[*StateError](err)
			if refused == c.fine || err != nil && (!refused || e.Hint() == "") {
				t.Errorf("%v", err)
			}
			if info, err := os.Stat(dir); !c.fine && err == nil && what == "a home to be filled" {
				t.Errorf("it was made: %v", info.Mode())
			}
		})
	}
	t.Run("no home", func(t *testing.T) {
		home := filepath.Join(t.TempDir(), "none")
		t.Setenv("HOME", home)
		t.Setenv("XDG_STATE_HOME", "")
		_, err := MakeStateDir()
		if _, ok := errors.AsType[*DirError](err); !ok {
			t.Error(err)
		}
		if _, err := os.Stat(home); err == nil {
			t.Error("a home was made")
		}
	})
}

// wide makes a file that everybody may write.
func wide(dir, name string) string {
	name = filepath.Join(dir, name)
	_ = os.MkdirAll(filepath.Dir(name), 0o755)
	_ = os.WriteFile(name, nil, 0o600)
	_ = os.Chmod(name, 0o666)
	return name
}

// What root does to the state of another user it does as that user: no link leads to root's
// files, and what is new belongs to who owns the folder.
func TestVisitState(t *testing.T) {
	for _, private := range []bool{false, true} {
		home, dir := stateIn(t, ".local/state/perfdeck")
		mine := filepath.Join(home, "mine")
		if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		link, dangling := filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
		if err := errors.Join(os.Symlink(mine, link), os.Symlink(filepath.Join(home, "new"), dangling)); err != nil {
			t.Fatal(err)
		}
		given(t, dir)
		if private { // as of a service whose user comes and goes
			if err := os.Chmod(filepath.Dir(dir), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		before, _ := os.Getwd()
		at, shown, back, err := VisitState("", true)
		if err != nil {
			t.Fatal(err)
		}
		if shown != dir {
			t.Errorf("shown as %s", shown)
		}
		for _, name := range []string{"link", "dangling"} {
			if f, err := os.OpenFile(filepath.Join(at, name), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
				t.Errorf("%s is followed", name)
				_ = f.Close()
			}
		}
		err = os.WriteFile(filepath.Join(at, "file"), nil, 0o600)
		back()
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, "file"))
		if err != nil || info.Sys().(*syscall.Stat_t).Uid != another || info.Sys().(*syscall.Stat_t).Gid != another {
			t.Errorf("%+v, %v", info, err)
		}
		if after, _ := os.Getwd(); after != before || os.Geteuid() != 0 || os.Getegid() != 0 {
			t.Errorf("in %s as %d", after, os.Geteuid())
		}
	}
}

// For who only reads nothing is made, and root reads as the owner.
func TestVisitToRead(t *testing.T) {
	for _, others := range []bool{false, true} {
		home, dir := stateIn(t)
		if others {
			given(t, home)
		}
		at, shown, back, err := VisitState("", false)
		if err != nil || shown != dir {
			t.Fatalf("%s, %v", shown, err)
		}
		euid := os.Geteuid()
		_, err = os.ReadDir(at)
		back()
		if !errors.Is(err, os.ErrNotExist) || others != (euid == another) {
			t.Errorf("read as %d: %v", euid, err)
		}
		if left, _ := os.ReadDir(home); len(left) != 0 {
			t.Errorf("made: %v", left)
		}
	}
}
