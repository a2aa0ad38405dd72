package collector

import (
	"testing"
	"time"

	"perfdeck/session/clocktest"
	"perfdeck/session/files/note"
)

// TestFileOfNote holds that a note goes beside the file that was being written at its time, also
// where the clock was set back over the begin of that file.
func TestFileOfNote(t *testing.T) {
	start := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	clock := clocktest.New(start, func() {})
	l := &output{r: &writer{Recording: &Recording{o: Options{Runtime: Runtime{Clock: clock}}}}}
	minute := func(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }
	l.begun = []begun{{"a", minute(0)}, {"b", minute(20)}}
	expect := func(at int, want string) {
		t.Helper()
		if got := l.fileOf(note.Note{Time: minute(at)}); got != want {
			t.Errorf("at minute %d: %s, want %s", at, got, want)
		}
	}
	clock.Advance(30 * time.Minute)
	for at, want := range map[int]string{-1: "a", 5: "a", 20: "b", 29: "b"} {
		expect(at, want)
	}
	clock.Step(-25 * time.Minute) // it is minute 5
	expect(5, "b")
	l.begun = append(l.begun, begun{"c", minute(6)})
	clock.Advance(3 * time.Minute)
	expect(7, "c")
}
