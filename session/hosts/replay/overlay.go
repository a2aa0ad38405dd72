package replay

import (
	"fmt"
	"math"
	"time"

	"perfdeck/session/files/logs"
)

// Align says how recordings are laid over the first one.
type Align uint8

// How recordings are aligned.
const (
	// AlignClock lays the same time of day over each other, on the days on which
	// the recordings have the most in common. Wall clocks count: nine o'clock is
	// nine o'clock, whatever daylight saving makes of it.
	AlignClock Align = iota
	// AlignWeek is AlignClock with the same day of the week.
	AlignWeek
	// AlignStart lays the first samples over each other.
	AlignStart
)

const day = 24 * time.Hour

// extent is the time of a recording and the zone of its wall clocks.
type extent struct {
	first, last time.Time
	zone        logs.Zone
}

// wall is the wall clock of a moment as if it were UTC.
func (e *extent) wall(t time.Time) time.Time {
	return t.UTC().Add(-time.Duration(e.zone.Bias) * time.Minute)
}

// shiftOver is what has to be added to the times of a recording to lay it over
// another, and the days that it is earlier.
func (e *extent) shiftOver(base *extent, how Align) (shift time.Duration, days int) {
	if how == AlignStart {
		return base.first.Sub(e.first), daysBetween(e.wall(e.first), base.wall(base.first))
	}
	step := 1
	if how == AlignWeek {
		step = 7
	}
	first, last := base.wall(base.first).Sub(e.wall(e.first)), base.wall(base.last).Sub(e.wall(e.last))
	most := time.Duration(math.MinInt64)
	for _, apart := range []time.Duration{first, last} {
		n := int(math.Round(float64(apart)/float64(day)/float64(step))) * step
		by := time.Duration(n) * day
		if common := overlap(base.wall(base.first), base.wall(base.last), e.wall(e.first).Add(by), e.wall(e.last).Add(by)); common > most {
			most, days = common, n
		}
	}
	bias := time.Duration(base.zone.Bias-e.zone.Bias) * time.Minute
	return time.Duration(days)*day + bias, days
}

// overlap is the time that two stretches have in common; below 0 it is how far
// they are apart.
func overlap(first, last, otherFirst, otherLast time.Time) time.Duration {
	if otherFirst.After(first) {
		first = otherFirst
	}
	if otherLast.Before(last) {
		last = otherLast
	}
	return last.Sub(first)
}

// daysBetween is how many midnights are between two wall clocks.
func daysBetween(a, b time.Time) int {
	return int(b.Truncate(day).Sub(a.Truncate(day)) / day)
}

// label tells an overlay of so many days before from the recording it is laid
// over.
func label(days int, first time.Time) string {
	ago, unit := days, "day"
	if days != 0 && days%7 == 0 {
		ago, unit = days/7, "week"
	}
	switch {
	case ago == 0:
		return "from " + first.Format("15:04")
	case ago == 1 && unit == "day":
		return "yesterday"
	case ago == 1:
		return "last week"
	case ago == -1 && unit == "day":
		return "a day later"
	case ago == -1:
		return "a week later"
	case ago < 0:
		return fmt.Sprintf("%d %ss later", -ago, unit)
	}
	return fmt.Sprintf("%d %ss ago", ago, unit)
}

// Every is how far apart samples of the host's recording are that follow on a moment; what is usual
// where that is none of the recording. 0: it is not known.
func (h *Host) Every(at time.Time) time.Duration { return h.tape.source.every(at) }

// Last is the time of the last sample of the host's recording.
func (h *Host) Last() time.Time { return h.tape.source.last }
