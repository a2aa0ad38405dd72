package sharedtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is copied into the project, so that a clone tests the same, is as its original:
// the vectors and mock-ups that are our own. A copy may have more lines.
func TestCopiesAreAsTheirOriginals(t *testing.T) {
	originals := map[string][]string{} // by name of the file
	for _, folder := range []string{"vectors", "screens2"} {
		err := filepath.WalkDir(Path(t, folder), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && filepath.Ext(path) != ".py" && filepath.Ext(path) != ".png" {
				originals[e.Name()] = append(originals[e.Name()], path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	copies := map[string][]string{}
	err := filepath.WalkDir("../../..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "golden"):
			return fs.SkipDir
		case !e.IsDir() && originals[e.Name()] != nil && strings.Contains(filepath.ToSlash(path), "/testdata/"):
			copies[e.Name()] = append(copies[e.Name()], path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(copies) < 150 {
		t.Errorf("only %d files are copied", len(copies))
	}
	for name, paths := range copies {
		held := map[string]bool{}
		for _, path := range paths {
			for line := range strings.Lines(read(t, path)) {
				held[line] = true
			}
		}
		for line := range strings.Lines(read(t, originals[name][0])) {
			if !held[line] && !(name == "INDEX.tsv" && strings.HasPrefix(line, "st")) { // of stubs the files' names tell it
				t.Errorf("%s: no copy has the line %.80q", name, line)
				break
			}
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
