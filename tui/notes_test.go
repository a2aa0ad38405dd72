package tui

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/files/note"
)

// notesOf is a place for notes.
type notesOf struct {
	all []note.Note
	err error
}

func (n *notesOf) All() []note.Note { return n.all }

func (n *notesOf) Write(one note.Note) error {
	if n.err == nil {
		n.all = note.Merge(n.all, []note.Note{one})
	}
	return n.err
}

// A note is written by a key on any screen, of the moment that is shown, and stands on the
// chart and in the Log. What others write comes too.
func TestWritesNotes(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		notes := &notesOf{}
		r.press("I")
		r.shows("there is no place for notes here")
		r.root.desk.Notes = notes
		r.begin(60)
		r.press("c")
		r.pass(20 * time.Second)
		r.press("[", "I")
		r.shows("Note at")
		r.press("enter")
		r.shows("a note without text")
		r.write("deploy 4.2")
		r.press("enter")
		if len(notes.all) != 1 || notes.all[0].Text != "deploy 4.2" || notes.all[0].By != "ana" || !notes.all[0].Time.Equal(r.root.desk.At) {
			t.Fatalf("%v at %v", notes.all, r.root.desk.At)
		}
		clock := notes.all[0].Time.Format(time.TimeOnly)
		r.shows(clock + " deploy 4.2") // at the cursor
		r.press(".")
		if row := r.row("┊deploy 4.2"); !strings.Contains(row, "│") {
			t.Errorf("%q", row)
		}
		if n := strings.Count(r.text(), "┊"); n < 10 {
			t.Errorf("the upright line has %d cells", n)
		}
		other, err := note.New(r.root.options.Now(), "from \x1b[31m elsewhere", "ci")
		if err != nil {
			t.Fatal(err)
		}
		notes.all = append(notes.all, other)
		r.send(then((*root).noteNotes))
		r.press("8")
		r.shows("note: deploy 4.2 (ana)", "note: from ?[31m elsewhere (ci)")
		if n := strings.Count(r.text(), "deploy 4.2"); n != 1 {
			t.Errorf("%d entries", n)
		}
		notes.err = errors.New("no space left on device")
		r.press("I")
		r.write("lost")
		r.press("enter")
		r.shows("no space left on device")
	})
}

// What is seen is saved in the form that its name says; a file that is there is asked about.
func TestSavesPictures(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(10)
		seen := r.text()
		r.press("S")
		r.shows("Save what is seen", "perfdeck-deck-sql01-")
		r.press("ctrl+u")
		r.write("seen.png")
		r.press("enter")
		r.shows("its end says no form")
		r.press("ctrl+u")
		r.write("seen.txt")
		r.press("enter")
		r.shows("saved seen.txt")
		rows := strings.Split(seen, "\n")
		for i := range rows {
			rows[i] = strings.TrimRight(rows[i], " ")
		}
		got, err := os.ReadFile(filepath.Join(dir, "seen.txt"))
		if err != nil || string(got) != strings.Join(rows, "\n")+"\n" {
			t.Errorf("%v: %s", err, got)
		}
		if err := os.WriteFile("seen.txt", []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		save := func(name string) {
			r.press("S", "ctrl+u")
			r.write(name)
			r.press("enter")
		}
		save("seen.txt")
		r.shows("is there already")
		r.press("esc")
		if got, _ := os.ReadFile("seen.txt"); string(got) != "mine" {
			t.Errorf("it was replaced: %s", got)
		}
		save("seen.txt")
		r.press("tab", "enter")
		if got, _ := os.ReadFile("seen.txt"); string(got) == "mine" {
			t.Error("it was not replaced")
		}
		save("none/seen.svg")
		r.shows("save the picture:")
		if err := os.Symlink("/dev/full", "full.svg"); err != nil {
			t.Skip(err)
		}
		save("full.svg")
		r.shows("no plain file")
		names, _ := filepath.Glob("*")
		if want := []string{"full.svg", "seen.txt"}; !slices.Equal(names, want) {
			t.Errorf("%q is left", names)
		}
	})
}
