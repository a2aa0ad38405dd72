package notes

import (
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
)

// Notes of other programs are seen when Look is called, not more often than need be, and
// nothing looks by itself.
func TestLiveLooksWhenAsked(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		report := func(err error) { t.Error(err) }
		l := NewLive(t.Context(), dir, notebook.New(dir), report)
		go l.Follow(t.Context(), report)
		write := func(text string) {
			if err := notebook.New(dir).Add(note.Note{Time: time.Now(), Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		known := func(when string, want int) {
			t.Helper()
			synctest.Wait()
			if got := len(l.All()); got != want {
				t.Errorf("%s: %d notes are known, want %d", when, got, want)
			}
		}
		write("first")
		time.Sleep(time.Minute)
		known("nobody asked", 0)
		l.Look()
		known("asked", 1)
		write("second")
		l.Look()
		known("asked again at once", 1)
		time.Sleep(notebook.LookEvery)
		l.Look()
		known("asked when it was due", 2)
	})
}
