package selfcheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is found names no home folder, and counts what is there.
func TestFind(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, "state")
	if err := os.MkdirAll(filepath.Join(state, "recordings"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"a": 1000, "recordings/b\x1b[31m": 3000} {
		if err := os.WriteFile(filepath.Join(state, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]string{}
	for _, part := range Find(Options{Home: home, Places: []Place{{"state", state}, {"config", filepath.Join(home, "config.toml")}, {"other", home + "-beside"}}}) {
		for _, f := range part.Facts {
			all[part.Title+"/"+f.Name] = f.Value
			if f.Value == "" || f.Value == "no" && f.Cure == "" || strings.Contains(f.Value+f.Cure, "\x1b") {
				t.Errorf("%s: %+v", part.Title, f)
			}
		}
	}
	for name, want := range map[string]string{
		"Paths/state": "~/state, drwx------", "Paths/config": "~/config.toml, not there", "Paths/other": home + "-beside, not there", "Kept on disk/state": "4.0 KB in 2 files",
	} {
		if got := all[filepath.FromSlash(name)]; got != want && got != strings.ReplaceAll(want, "4.0 KB", "3.91 KB") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if all["Limits/processors"] == "" {
		t.Errorf("%v", all)
	}
}
