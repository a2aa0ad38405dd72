package report

import (
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"perfdeck/session/text/english"
)

var countWords = [...]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// inWords is a small count as a word.
func inWords(n int) string {
	if n < len(countWords) {
		return countWords[n]
	}
	return strconv.Itoa(n)
}

// rank puts what is so before what is not.
func rank(is bool) int {
	if is {
		return 0
	}
	return 1
}

// plural is a count with its noun.
func plural[N ~int | ~int64](n N, one, many string) string {
	return grouped(n) + " " + english.Plural(n, one, many)
}

// capital begins a sentence.
func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// narrow parts groups of three digits.
const narrow = "\u202f"

// grouped is a whole number in groups of three digits.
func grouped[N ~int | ~int64](n N) string {
	return english.GroupDigits(strconv.FormatInt(int64(n), 10), narrow)
}

// clock writes times as short as the length of the recordings lets it.
type clock struct {
	zone *time.Location
	day  bool // times tell their day
	year bool // and their month
	fine bool // it is so short that minutes tell nothing
}

func newClock(begin, end time.Time, zone *time.Location) clock {
	d := end.Sub(begin)
	const short = 10 * time.Minute
	return clock{zone, d >= 24*time.Hour, d >= 7*24*time.Hour, d < short}
}

// second is a time to the second.
func (c clock) second(t time.Time) string { return c.prefix(t) + t.In(c.zone).Format(time.TimeOnly) }

// minute is a time to the minute, where minutes tell it.
func (c clock) minute(t time.Time) string {
	if c.fine {
		return c.second(t)
	}
	return c.prefix(t) + t.In(c.zone).Format("15:04")
}

func (c clock) prefix(t time.Time) string {
	switch {
	case c.year:
		return t.In(c.zone).Format("2 Jan ")
	case c.day:
		return t.In(c.zone).Format("Mon ")
	}
	return ""
}

// whole is a time with its day.
func (c clock) whole(t time.Time) string { return t.In(c.zone).Format("Mon 2 Jan 2006 15:04:05") }

// tick is a time at an axis whose steps are so long.
func (c clock) tick(t time.Time, step time.Duration) string {
	t = t.In(c.zone)
	switch {
	case step >= 24*time.Hour:
		return t.Format("2 Jan")
	case c.day && t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0:
		return t.Format("Mon 2")
	case step < time.Minute:
		return t.Format(time.TimeOnly)
	}
	return t.Format("15:04")
}

// zoneText is what the times are of.
func zoneText(t time.Time) string { return "UTC" + t.Format("-07:00") }

// axisSteps are what is between the ticks of an axis.
var axisSteps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, 28 * 24 * time.Hour, 91 * 24 * time.Hour, 364 * 24 * time.Hour,
}

// stepFor is the step with which a length has at most so many ticks.
func stepFor(length time.Duration, most int) time.Duration {
	for _, s := range axisSteps {
		if length/s <= time.Duration(most) {
			return s
		}
	}
	return axisSteps[len(axisSteps)-1]
}

// firstTick is the first multiple of a step by the wall clock, not before a time.
func firstTick(t time.Time, step time.Duration) time.Time {
	_, offset := t.Zone()
	wall := t.Unix() + int64(offset)
	s := max(int64(step/time.Second), 1)
	at := time.Unix((wall+s-1)/s*s-int64(offset), 0).In(t.Location())
	if at.Before(t) {
		at = at.Add(step)
	}
	return at
}
