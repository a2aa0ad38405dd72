package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// of reads from texts by their names.
func of(texts map[string]string) func(string, int64) ([]byte, error) {
	return func(name string, _ int64) ([]byte, error) {
		text, ok := texts[name]
		if !ok {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	}
}

func checked(t *testing.T, names ...string) *Checked {
	t.Helper()
	good, err := os.ReadFile(filepath.Join("testdata", "user.man"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Check(names, of(map[string]string{"good": string(good), "twin": string(good), "bad": "<x>\x1b"}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What is wrong of two together stands with the later file.
func TestCheckedTogether(t *testing.T) {
	c := checked(t, "good", "twin")
	if !Valid(c.Problems[0]) || Valid(c.Problems[1]) {
		t.Errorf("valid: %v and %v, want the second alone to be refused", Valid(c.Problems[0]), Valid(c.Problems[1]))
	}
	if err := c.Verdict("check"); err == nil || !strings.Contains(err.Error(), "1 of 2") {
		t.Errorf("verdict of both: %v", err)
	}
	if err := checked(t, "good").Verdict("check"); err != nil {
		t.Errorf("verdict of a good one: %v", err)
	}
	if n := len(checked(t, "good").Catalogue()); n == 0 || len(c.Catalogue()) != 2*n {
		t.Errorf("%d countersets of one, %d of both", n, len(c.Catalogue()))
	}
	if _, err := Check([]string{"none"}, of(nil)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of no file: %v", err)
	}
}

// Errors come with every form; text is printable, JSON a line a file.
func TestCheckedWritten(t *testing.T) {
	c := checked(t, "good", "bad")
	var text, errs bytes.Buffer
	if err := c.WriteCheck(&text, false); err != nil {
		t.Fatal(err)
	}
	c.WriteErrors(&errs)
	if strings.Contains(text.String(), "\x1b") || !strings.Contains(text.String(), "good: 0 errors") || strings.Contains(text.String(), "bad: 0 errors") {
		t.Errorf("check: %q", text.String())
	}
	if !strings.Contains(errs.String(), "bad:1:") || strings.Contains(errs.String(), "good:") {
		t.Errorf("errors: %q", errs.String())
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"check": func(b *bytes.Buffer) error { return c.WriteCheck(b, true) },
		"show":  func(b *bytes.Buffer) error { return c.WriteDescriptions(b, true) },
		"paths": func(b *bytes.Buffer) error { return c.WritePaths(b, false, true) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if len(lines) != 2 || !json.Valid([]byte(lines[0])) || !json.Valid([]byte(lines[1])) {
			t.Errorf("%s --json: %q", name, b.String())
		}
	}
	var paths bytes.Buffer
	if err := c.WritePaths(&paths, false, false); err != nil || !strings.HasPrefix(paths.String(), `\`) {
		t.Errorf("paths: %v %q", err, paths.String())
	}
}
