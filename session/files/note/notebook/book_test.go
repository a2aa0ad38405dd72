package notebook_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
)

func texts(notes []note.Note) (out []string) {
	for _, n := range notes {
		out = append(out, n.Text)
	}
	return out
}

func news(t *testing.T, b *notebook.Notebook) []string {
	t.Helper()
	notes, err := b.News()
	if err != nil {
		t.Fatal(err)
	}
	return texts(notes)
}

// What one process writes all others see, once each.
func TestBook(t *testing.T) {
	dir := t.TempDir()
	a, b := notebook.New(dir), notebook.New(dir)
	if got := news(t, a); len(got) > 0 {
		t.Errorf("an empty folder: %q", got)
	}
	if err := a.Add(made(t, time.Minute, "second"), made(t, 0, "first")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Add(made(t, time.Hour, "third")); err != nil { // twice is once
			t.Fatal(err)
		}
	}
	for _, book := range []*notebook.Notebook{a, b, notebook.New(dir)} {
		if got := news(t, book); !slices.Equal(got, []string{"first", "second", "third"}) {
			t.Errorf("%q", got)
		}
		if got := news(t, book); len(got) > 0 {
			t.Errorf("again: %q", got)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "notes.jsonl")); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

// A file that other programs append to is read once by all processes together, through
// rotation and truncation; its notes are of when they say, or of when it was written.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "deploys.log")
	a, b := notebook.New(dir, file), notebook.New(dir, file)
	defer func() { a.Close(); b.Close() }()
	add := func(text string) {
		t.Helper()
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	step := func(want ...string) {
		t.Helper()
		for _, book := range []*notebook.Notebook{a, b} {
			if got := news(t, book); !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		}
	}
	add("of a time that nobody knows\n2026-11-23T03:12:00Z before it was followed\n2026-11-23T03:13:00Z to")
	step("before it was followed")
	add("rn\n")
	step("torn")
	add("now\n\x1b]0;hostile\x07\n\n" + `{"time":"2026-11-23T03:14:00Z","text":"json"}` + "\n")
	step("json", "?]0;hostile?", "now")
	step()
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	step()
	add("2026-11-23T03:15:00Z rotated\n")
	step("rotated")
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file+".1", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("2026-11-23T03:16:00Z last of the old one\n")
	_ = f.Close()
	add("2026-11-23T03:17:00Z first of the new one\n")
	step("last of the old one", "first of the new one")
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	step()
	add("2026-11-23T03:18:00Z cut\n")
	step("cut")
	if err := os.WriteFile(file, []byte("2026-11-23T03:19:00Z written anew, and longer than it was\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	step("written anew, and longer than it was")
	a.Close()
	a = notebook.New(dir, file) // a process that starts later
	if got := news(t, a); len(got) != 10 {
		t.Errorf("%q", got)
	}
	step()
}

// What a file that came later holds is new, whatever its lines say of time.
func TestFollowComing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deploys.log")
	b := notebook.New(t.TempDir(), file)
	defer b.Close()
	news(t, b)
	if err := os.WriteFile(file, []byte("now\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if notes, err := b.News(); err != nil || len(notes) != 1 || time.Since(notes[0].Time) > time.Minute || notes[0].By != "deploys.log" {
		t.Errorf("%v, %v", notes, err)
	}
}

// What floods, has no lines, or is no file takes no more than its bound, and is told once.
func TestFollowHostile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deploys.log")
	b := notebook.New(t.TempDir(), file)
	defer b.Close()
	news(t, b)
	if err := os.WriteFile(file, bytes.Repeat([]byte("flood\n2026-11-23T03:12:00Z x\n"), 1<<17), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := b.News(); err == nil || len(got) == 0 || len(got) > 1000 {
		t.Errorf("of a flood: %d notes, %v", len(got), err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString(strings.Repeat("x", 100<<10))
	if got := news(t, b); len(got) > 0 {
		t.Errorf("%.100q", got)
	}
	_, _ = f.WriteString("\nafter it\n")
	_ = f.Close()
	if got := news(t, b); !slices.Equal(got, []string{"after it"}) {
		t.Errorf("%.100q", got)
	}
	b.SetFiles([]string{t.TempDir()})
	if _, err := b.News(); err == nil {
		t.Error("a folder is followed")
	}
	if _, err := b.News(); err != nil {
		t.Errorf("told again: %v", err)
	}
}

// The file stays small, and nobody is told old notes as new ones.
func TestRewrite(t *testing.T) {
	dir := t.TempDir()
	a, b := notebook.New(dir), notebook.New(dir)
	long := strings.Repeat("x", 900)
	var all []note.Note
	for i := range 9500 {
		all = append(all, made(t, time.Duration(i), long))
	}
	if err := a.Add(all...); err != nil {
		t.Fatal(err)
	}
	if got := news(t, b); len(got) != len(all) {
		t.Fatalf("%d notes", len(got))
	}
	all = nil
	for i := range 10000 { // twice what lives
		all = append(all, made(t, time.Hour+time.Duration(i), long))
	}
	if err := a.Add(all...); err != nil {
		t.Fatal(err)
	}
	if got := news(t, b); len(got) != len(all) {
		t.Errorf("%d notes after it was written anew", len(got))
	}
	if got := news(t, notebook.New(dir)); len(got) != note.MostRead/2 {
		t.Errorf("%d notes are kept", len(got))
	}
}

// Beside a recording every note stands once, for those who may read the recording.
func TestAddBeside(t *testing.T) {
	night := filepath.Join(t.TempDir(), "night.csv")
	if err := os.WriteFile(night, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	a, b := made(t, 0, "a"), made(t, time.Minute, "b")
	for _, notes := range [][]note.Note{{b}, {a, b}, {a}, nil} {
		if err := notebook.AddBeside(night, notes...); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(notebook.Beside(night))
	if info, _ := os.Stat(notebook.Beside(night)); err != nil || bytes.Count(text, []byte("\n")) != 2 || info.Mode().Perm() != 0o640 {
		t.Errorf("%s, %v, %v", text, info.Mode(), err)
	}
	for range 2 {
		if err := notebook.RemoveBeside(night); err != nil {
			t.Error(err)
		}
	}
}
