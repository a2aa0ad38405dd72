package config

import (
	"path/filepath"
	"slices"
	"testing"
)

// Files of notes are named from the root on.
func TestNotePaths(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	whole := filepath.Join(home, "b")
	c := &Config{NoteFiles: []string{"~/a", whole}}
	if got, want := c.NotePaths(), []string{filepath.Join(home, "a"), whole}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if c = nil; c.NotePaths() != nil {
		t.Error("there are files of no config")
	}
}
