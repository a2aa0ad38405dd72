package english

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// step is how times are written that are below a limit once they are rounded: in a unit, and
// what is left in another, or as a decimal where that is a tenth.
type step struct{ below, unit, left time.Duration }

var (
	steps = []step{
		{10 * time.Millisecond, time.Millisecond, time.Millisecond / 10}, {time.Second, time.Millisecond, time.Millisecond},
		{10 * time.Second, time.Second, time.Second / 10}, {time.Minute, time.Second, time.Second},
		{time.Hour, time.Minute, time.Second}, {day, time.Hour, time.Minute}, {math.MaxInt64, day, time.Hour},
	}
	unitNames = map[time.Duration]string{time.Millisecond: "ms", time.Second: "s", time.Minute: "min", time.Hour: "h", day: "d"}
)

// Span is how long something took or lasts, for sentences: "<1 ms", "3.4 ms", "340 ms", "3.4 s",
// "34 s", "1 min 18 s", "2 h 52 min", "3 d 4 h".
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Span(-max(d, -math.MaxInt64))
	case d < time.Millisecond: // of nothing too: a clock may be coarse
		return "<1 ms"
	}
	i := 0
	for i < len(steps)-1 && d.Round(steps[i].left) >= steps[i].below {
		i++
	}
	s := steps[i]
	d = d.Round(s.left)
	text, left := strconv.Itoa(int(d/s.unit)), strconv.Itoa(int(d%s.unit/s.left))
	switch {
	case left == "0":
		return text + " " + unitNames[s.unit]
	case s.unit <= time.Second:
		return text + "." + left + " " + unitNames[s.unit]
	}
	return text + " " + unitNames[s.unit] + " " + left + " " + unitNames[s.left]
}

// Short is [Span] for cells and heads, at most 9 to 99 days: from a minute on "98 s", from two "2:32",
// from an hour "1:05:00", and from two days "2 d 3 h".
func Short(d time.Duration) string {
	switch s := int(d.Round(time.Second) / time.Second); {
	case s < 60 || s >= 48*3600:
		return Span(d)
	case s < 120:
		return strconv.Itoa(s) + " s"
	case s < 3600:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	default:
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
}

// Age is how long something is ago, goes on, or is to come: as many whole units as have passed,
// at most 7 cells. "0 s", "98 s", "4 min", "5 h", "12 d". What is below 0 is 0.
func Age(d time.Duration) string {
	unit := day
	switch {
	case d < 2*time.Minute:
		unit = time.Second
	case d < 2*time.Hour:
		unit = time.Minute
	case d < 2*day:
		unit = time.Hour
	}
	return strconv.Itoa(int(max(0, d)/unit)) + " " + unitNames[unit]
}

// Ahead tells how a clock stands to another: "3 s ahead of", "1 min 18 s behind".
func Ahead(d time.Duration) string {
	way := " ahead of"
	if d < 0 {
		way = " behind"
	}
	return Span(d.Abs().Round(time.Second)) + way
}

// Exact is a duration as it can be typed where one is asked for, without parts that are 0:
// "500ms", "24h", "1m30s". [time.ParseDuration] reads it.
func Exact(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
