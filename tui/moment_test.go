package tui

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The past does not look like now: at every width the way back is the first hint,
// and the clock says that it is a moment.
func TestPastIsSaid(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {60, 15}, {80, 24}, {120, 36}} {
		onScreens(t, rigOptions{w: size[0], h: size[1]}, func(r *rig) {
			r.begin(70)
			r.hides(". now")
			for _, screen := range []string{"1", "5", "3"} {
				r.press(screen, "[")
				rows := r.rows()
				if hints := strings.TrimSpace(rows[len(rows)-1]); !strings.HasPrefix(hints, ". now") {
					r.Errorf("%v, screen %s: the hints begin with %q", size, screen, hints)
				}
				if n := strings.Count(rows[len(rows)-1], ". now"); n != 1 {
					r.Errorf("%v, screen %s: the way back is %d times among the hints", size, screen, n)
				}
				at := "at " + r.root.desk.At.Format("15:04")
				if !strings.Contains(rows[0], at) {
					r.Errorf("%v, screen %s: the header does not say %q: %s", size, screen, at, rows[0])
				}
				r.click(". now")
				if r.root.desk.Past() {
					r.Errorf("%v: a click on the hint does not lead back", size)
				}
				r.hides(". now")
			}
		})
	}
}

// Once the layout mode was left there is nothing of it to undo but the layout that
// was kept.
func TestUndoAfterLayoutMode(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 36}, func(r *rig) {
		r.begin(3)
		r.press("L", "|")
		r.write("disk sec tr")
		r.press("enter", "esc", "u")
		r.shows("nothing was changed")
		r.press("L", "|")
		r.write("disk sec tr")
		r.press("enter", "enter", "u")
		r.shows("undone: the layout")
		r.press("u")
		r.shows("nothing was changed")
	})
}

// playing notes what is to be played.
type playing struct {
	*standingRecords

	file string
	at   time.Time
}

func (p *playing) Player(file string, at time.Time) (*exec.Cmd, error) {
	p.file, p.at = file, at
	return nil, errStanding
}

// What is asked for by its time and not kept any more is played, of hosts that somebody has
// the past of; keys that move by steps end where what is kept begins.
func TestGoBeforeWhatIsKept(t *testing.T) {
	p := &playing{standingRecords: &standingRecords{}}
	onScreens(t, rigOptions{records: p}, func(r *rig) {
		r.begin(3)
		r.press("@")
		r.write("-20m")
		r.press("enter")
		r.shows("what is kept begins at")
		if p.file != "" {
			t.Fatalf("%q is played of a host without a past", p.file)
		}
		r.root.desk.Hosts[0].Past = func(from, to time.Time) (string, time.Duration) {
			return from.Format("15:04:05") + " " + to.Format("15:04:05"), time.Hour
		}
		r.press(".", "{")
		r.shows("what is kept begins at", "@ goes to a time before that")
		r.press(".", "@")
		r.write("-1s")
		r.press("enter")
		if p.file != "" {
			t.Fatalf("%q is played, which is kept", p.file)
		}
		_, last := r.root.desk.Sampled()
		r.press(".", "@")
		r.write("-20m")
		r.press("enter")
		at := last.Add(-20 * time.Minute)
		if want := at.Add(-15*time.Minute).Format("15:04:05") + " " + r.root.desk.Now().Format("15:04:05"); p.file != want || !p.at.Equal(at.Add(time.Hour)) {
			t.Errorf("played %q at %v, want %q at %v", p.file, p.at, want, at)
		}
		r.shows(errStanding.Error())
	})
}

// esc ends the cursor of a graph before it leaves a screen: after the filter and the zoom,
// before it says how to quit.
func TestEscapeEndsTheCursor(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 36}, func(r *rig) {
		r.begin(70)
		r.press("z", "[", "/")
		r.write("time")
		r.press("enter")
		past := func(want bool, when string) {
			r.Helper()
			if r.root.desk.Past() != want {
				r.Errorf("%s the past is shown: %v, want %v", when, !want, want)
			}
		}
		r.press("esc") // the filter
		past(true, "without the filter")
		r.press("esc") // the zoom
		past(true, "without the zoom")
		r.press("esc")
		past(false, "without the cursor")
		r.hides("quits")
		r.press("esc")
		r.shows("quits")
		r.press("c", "[", "esc")
		past(false, "on Chart")
		r.shows("[5 Chart]")
		r.press("esc")
		r.shows("[1 Deck]")
	})
}
