package notebook_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
)

var at = time.Date(2026, 11, 23, 3, 12, 0, 0, time.UTC)

func made(t testing.TB, after time.Duration, text string) note.Note {
	t.Helper()
	n, err := note.New(at.Add(after), text, "anna")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The notes of several recordings are one list; what was written of all stands once, and
// damage in one takes none from the others.
func TestOf(t *testing.T) {
	dir := t.TempDir()
	a, b, c := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.db"), filepath.Join(dir, "c.blg")
	first, second := made(t, 0, "deploy 4.2"), made(t, time.Minute, "rolled back")
	for name, text := range map[string][]byte{
		a: note.Lines([]note.Note{second, first}),
		b: append([]byte("damage\n"), note.Lines([]note.Note{first, made(t, time.Hour, "late")})...),
	} {
		if err := os.WriteFile(notebook.Beside(name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	notes, damaged := notebook.Of([]string{a, b, c}, nil, at, at.Add(time.Minute))
	if len(notes) != 2 || notes[0] != first || notes[1] != second || len(damaged) != 1 {
		t.Errorf("%v, %v", notes, damaged)
	}
	if err := os.Mkdir(notebook.Beside(c), 0o700); err != nil {
		t.Fatal(err)
	}
	if notes, damaged = notebook.Of([]string{a, c}, nil, time.Time{}, time.Time{}); len(notes) != 2 || len(damaged) != 1 {
		t.Errorf("%v, %v", notes, damaged)
	}
}
