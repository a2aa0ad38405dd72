package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestUserDir(t *testing.T) {
	root := t.TempDir() // absolute on every system
	home, other := filepath.Join(root, "home"), filepath.Join(root, "other")
	for _, c := range []struct {
		goos string
		env  map[string]string
		p    places
		want string // empty: no home
	}{
		{"linux", map[string]string{"HOME": home}, configPlaces, filepath.Join(home, ".config", product)},
		{"linux", map[string]string{"HOME": home}, statePlaces, filepath.Join(home, ".local", "state", product)},
		{"linux", map[string]string{"HOME": home, "XDG_CONFIG_HOME": other}, configPlaces, filepath.Join(other, product)},
		{"linux", map[string]string{"HOME": home, "XDG_CONFIG_HOME": other}, statePlaces, filepath.Join(home, ".local", "state", product)},
		{"freebsd", map[string]string{"XDG_STATE_HOME": other}, statePlaces, filepath.Join(other, product)},
		{"linux", map[string]string{"HOME": home, "XDG_CONFIG_HOME": "relative"}, configPlaces, filepath.Join(home, ".config", product)},
		{"linux", map[string]string{"HOME": "relative"}, configPlaces, ""},
		{"linux", nil, statePlaces, ""},
		{"darwin", map[string]string{"HOME": home}, statePlaces, filepath.Join(home, "Library", "Application Support", product)},
		{"windows", map[string]string{"AppData": home, "LocalAppData": other}, configPlaces, filepath.Join(home, product)},
		{"windows", map[string]string{"AppData": home, "LocalAppData": other}, statePlaces, filepath.Join(other, product)},
		{"windows", map[string]string{"HOME": home}, statePlaces, ""},
	} {
		got, err := userDir("x", c.p, c.goos, func(k string) string { return c.env[k] })
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s %v: %q, %v, want %q", c.goos, c.env, got, err, c.want)
		}
	}
}

func TestMakeStateDir(t *testing.T) {
	root := t.TempDir()
	t.Setenv("XDG_STATE_HOME", filepath.Join(root, "a", "b"))
	dir, err := MakeStateDir()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", file)
	var e *DirError
	if _, err := MakeStateDir(); !errors.As(err, &e) || e.Hint() == "" {
		t.Errorf("below a file: %v", err)
	}
}

func TestBelowHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for name, want := range map[string]string{"~/a/b": filepath.Join(home, "a", "b"), "pass": "pass", "/x": "/x", "~a/b": "~a/b"} {
		if got, err := BelowHome(name); got != want || err != nil {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
