// Package note is what people and programs write down while something is watched: a
// moment, and a line of text. It is pure: who keeps notes where is for others.
package note

import (
	"cmp"
	"errors"
	"slices"
	"sort"
	"time"

	"perfdeck/session/text/printable"
)

// Note is what somebody wrote of a moment. New and Read make them: their texts are
// printable, of one line, and bounded.
type Note struct {
	Time time.Time
	Text string
	By   string // the user who wrote it, or the file in which it stood; may be empty
}

// The bounds.
const (
	MostText = 1000   // characters of a text
	mostBy   = 100    // characters
	MostRead = 20_000 // notes of one file: the last ones
)

var (
	errNoText = errors.New("a note without text")
	errTime   = errors.New("a time before the year 1 or after 9999")
)

// New makes a note of foreign text, of which what steers a terminal is replaced, lines
// are joined, and what is too long is cut.
func New(at time.Time, text, by string) (Note, error) {
	n := Note{Time: at.UTC().Round(0), Text: printable.Line(text, MostText), By: printable.Line(by, mostBy)}
	if n.Text == "" {
		return Note{}, errNoText
	}
	if y := n.Time.Year(); y < 1 || y > 9999 { // RFC 3339 has no others
		return Note{}, errTime
	}
	return n, nil
}

// IsOf tells whether a note that is read now may be of what began at a time: that is not after it,
// or lies ahead, as the clock was set back since.
func (n Note) IsOf(began, now time.Time) bool { return !n.Time.Before(began) || began.After(now) }

// Compare orders notes by time; those of one moment by what they say.
func Compare(a, b Note) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Text, b.Text), cmp.Compare(a.By, b.By))
}

// Merge puts notes of several places into one order. What stands in several of them is
// one note.
func Merge(lists ...[]Note) []Note {
	all := slices.Concat(lists...)
	slices.SortFunc(all, Compare)
	return slices.CompactFunc(all, func(a, b Note) bool { return Compare(a, b) == 0 })
}

// Times are the times of notes.
func Times(notes []Note) []*time.Time {
	times := make([]*time.Time, len(notes))
	for i := range notes {
		times[i] = &notes[i].Time
	}
	return times
}

// Within are those of ordered notes from a time on and up to another, both included. A
// zero time is no limit. The result shares memory with notes.
func Within(notes []Note, begin, end time.Time) []Note {
	from, to := 0, len(notes)
	if !begin.IsZero() {
		from = sort.Search(to, func(i int) bool { return !notes[i].Time.Before(begin) })
	}
	if !end.IsZero() {
		to = sort.Search(to, func(i int) bool { return notes[i].Time.After(end) })
	}
	return slices.Clip(notes[min(from, to):to])
}
