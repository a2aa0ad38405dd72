// Package replay is the time bar of a recording that is played: three rows above
// the hints of any screen, and the keys by which its time is moved.
package replay

import (
	"time"

	"perfdeck/tui/pane"
)

// Controller is the player of a recording as the screens know it. Its methods
// return at once.
type Controller interface {
	Timepiece
	Pace
	Recording
}

// Pace is how the time of a recording passes.
type Pace interface {
	Playing() bool
	Play(on bool)
	// Speed is how many times as fast as it was recorded it is played.
	Speed() int
	SetSpeed(times int)
	// Reached is how many times as fast it really is, where the recording cannot be
	// read at the speed; else 0.
	Reached() int
}

// Timepiece is the time of a recording.
type Timepiece interface {
	// Position is the moment that is shown: now, for all screens.
	Position() time.Time
	Bounds() (first, last time.Time)
	// Seek goes to a moment, within the bounds; End to the last sample there is.
	Seek(at time.Time)
	End()
	// Step goes on by samples, or back, and pauses.
	Step(samples int)
	// SetSpan says how much time before the position the screens show, and returns how
	// much of it they can.
	SetSpan(span time.Duration) (kept time.Duration)
}

// Recording is what there is in it.
type Recording interface {
	About() About
	// Overview is the extent of a value in cells parts of the whole recording.
	// Seen is how much of it was looked at so far, 0 to 1.
	Overview(t pane.Target, cells int) (list []Cell, seen float64)
	// Gaps are the times without samples that are known so far.
	Gaps() (list []Gap, seen float64)
	// Marks are alerts and bookmarks in order of time.
	Marks() []Mark
	SetBookmark(at time.Time, on bool) (was bool)
	// Said is what was found out of the recording since the last call; empty: nothing.
	Said() string
	// Changed gets a value when the bar, or the position, is another than time
	// alone makes it.
	Changed() <-chan struct{}
}

// MaxSpeed is the highest speed.
const MaxSpeed = 1000

// About is what a recording says of itself. Names are foreign text.
type About struct {
	Files    []string
	Hosts    []string
	Counters int
	Interval time.Duration // where it is played; 0: not known
	// IsInferred: not all of it was read as it stands, but inferred.
	IsInferred bool
}

// Cell is the lowest and the highest value of a part of the recording; Has is
// false where there is none.
type Cell struct {
	Min, Max float32
	Has      bool
}

// Gap is a time without samples.
type Gap struct{ From, To time.Time }

// Mark is a moment that is worth a look. Level is Info for a bookmark.
type Mark struct {
	At    time.Time
	Level pane.Level
	Text  string // foreign text
}

// isAlert tells an alert from a bookmark.
func (m *Mark) isAlert() bool { return m.Level > pane.Info }
