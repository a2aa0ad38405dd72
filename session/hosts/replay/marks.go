package replay

import (
	"slices"
	"time"
)

// MarkKind says what is marked. The order is that of urgency.
type MarkKind uint8

// The kinds of marks.
const (
	Bookmark MarkKind = iota
	Careful
	Warning
	Critical
)

// Mark is a moment of a recording that is worth a look.
type Mark struct {
	At   time.Time
	Kind MarkKind
	Text string // in words; foreign text
}

// mostMarks bounds what is kept of each kind.
const mostMarks = 10_000

// Marks are the alerts and the bookmarks, in order of time.
func (p *Player) Marks() []Mark {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.marks)
}

// SetAlerts replaces the marks that are no bookmarks.
func (p *Player) SetAlerts(marks []Mark) {
	p.mu.Lock()
	kept := slices.DeleteFunc(slices.Clone(p.marks), func(m Mark) bool { return m.Kind != Bookmark })
	p.marks = sortMarks(append(kept, marks[:min(len(marks), mostMarks)]...))
	p.mu.Unlock()
	p.tell()
}

// AddMark adds a mark to those that there are.
func (p *Player) AddMark(m Mark) {
	p.mu.Lock()
	p.marks = sortMarks(append(slices.Clone(p.marks), m))
	p.mu.Unlock()
	p.tell()
}

// SetBookmark puts a bookmark at a moment, or takes it away. It reports whether
// there was one.
func (p *Player) SetBookmark(at time.Time, on bool) (was bool) {
	p.mu.Lock()
	before := len(p.marks)
	p.marks = slices.DeleteFunc(slices.Clone(p.marks), func(m Mark) bool { return m.Kind == Bookmark && m.At.Equal(at) })
	was = len(p.marks) < before
	if on && before < 2*mostMarks {
		p.marks = sortMarks(append(p.marks, Mark{At: at.In(p.zone), Kind: Bookmark}))
	}
	p.mu.Unlock()
	p.tell()
	return was
}

func sortMarks(marks []Mark) []Mark {
	slices.SortStableFunc(marks, func(a, b Mark) int { return a.At.Compare(b.At) })
	return marks
}

// NextMark is the first alert or bookmark after a moment or, with back, the last
// one before it.
func (p *Player) NextMark(after time.Time, back bool) (Mark, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if back {
		for _, m := range slices.Backward(p.marks) {
			if m.At.Before(after) {
				return m, true
			}
		}
		return Mark{}, false
	}
	i := slices.IndexFunc(p.marks, func(m Mark) bool { return m.At.After(after) })
	if i < 0 {
		return Mark{}, false
	}
	return p.marks[i], true
}

// Gaps are the times without samples that are known so far, in order of time, and
// how much of the recording was looked at, 0 to 1.
func (p *Player) Gaps() (gaps []Gap, seen float64) { return p.survey.foundGaps() }

// NextGap is the first gap that ends after a moment or, with back, the last one
// that ended before it. Seen is how much of the recording was looked at so far,
// 0 to 1.
func (p *Player) NextGap(after time.Time, back bool) (gap Gap, seen float64, ok bool) {
	gaps, seen := p.survey.foundGaps()
	if back {
		for _, g := range slices.Backward(gaps) {
			if g.To.Before(after) {
				return g, seen, true
			}
		}
		return Gap{}, seen, false
	}
	i := slices.IndexFunc(gaps, func(g Gap) bool { return g.To.After(after) })
	if i < 0 {
		return Gap{}, seen, false
	}
	return gaps[i], seen, true
}
