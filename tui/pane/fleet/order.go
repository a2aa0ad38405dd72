package fleet

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"perfdeck/tui/pane"
)

// sorting is what the list is sorted by: worst first, by name, or by a measure.
type sorting int

const (
	byTrouble sorting = iota
	byName
	byMeasure // and behind it one for each measure
)

const sortings = byMeasure + measureCount

// String is how the title says it.
func (s sorting) String() string {
	switch s {
	case byTrouble:
		return "worst first"
	case byName:
		return "by name"
	}
	return "by " + measures[s-byMeasure].name
}

// resortAfter is how often lines are sorted anew at most, and how long they keep
// still after a key.
const resortAfter = 2 * time.Second

// arrange chooses and sorts the lines if it is time: the filter takes values
// too, so that lines do not come and go under a key either.
func (s *Screen) arrange(now time.Time) {
	due := now.Sub(s.sorted) >= resortAfter && now.Sub(s.touched) >= resortAfter
	if !s.changed && !due && !s.sorted.IsZero() {
		return
	}
	s.changed = false
	s.Rows = s.Rows[:0]
	for _, l := range s.lines {
		if s.Filter.Matches(l) {
			s.Rows = append(s.Rows, l)
		}
	}
	if s.sorted.IsZero() || due {
		s.place, s.sorted = map[*pane.Host]int{}, now
		slices.SortStableFunc(s.Rows, s.compare())
		for i, l := range s.Rows {
			s.place[l.host] = i
		}
	} else { // hosts came or went: the others stay as they were
		slices.SortStableFunc(s.Rows, func(a, b *line) int { return cmp.Compare(s.placeOf(a), s.placeOf(b)) })
	}
	s.Put(s.Rows)
}

func (s *Screen) placeOf(l *line) int {
	if p, ok := s.place[l.host]; ok {
		return p
	}
	return math.MaxInt
}

// compare orders two lines. What has no value comes last, equals stay in the
// order of the desk.
func (s *Screen) compare() func(a, b *line) int {
	var by func(a, b *line) int
	switch s.sorting {
	case byTrouble:
		by = func(a, b *line) int {
			return cmp.Or(cmp.Compare(a.urgency(), b.urgency()), -cmp.Compare(a.bucket, b.bucket))
		}
	case byName:
		by = func(a, b *line) int { return strings.Compare(a.name, b.name) }
	default:
		m := s.sorting - byMeasure
		return func(a, b *line) int {
			x, y := number(a.values[m]), number(b.values[m])
			if x != x || y != y {
				return cmp.Compare(y, x) // it is less than any number
			}
			return s.sign() * cmp.Compare(y, x)
		}
	}
	return func(a, b *line) int { return s.sign() * by(a, b) }
}

func (s *Screen) sign() int {
	if s.reverse {
		return -1
	}
	return 1
}

// urgency is how far up a line stands, worst first; 0 is the most urgent.
func (l *line) urgency() int {
	switch {
	case l.standing.Condition == pane.Lost:
		return 0
	case l.standing.Condition == pane.Refusing:
		return 1
	case l.alert > pane.Info:
		return 2 + int(pane.Critical) - int(l.alert)
	case l.standing.Condition == pane.Overdue:
		return 5
	}
	return 6
}
