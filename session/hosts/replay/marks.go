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

// Gaps are the times without samples that are known so far, in order of time, and
// how much of the recording was looked at, 0 to 1.
func (p *Player) Gaps() (gaps []Gap, seen float64) { return p.survey.foundGaps() }
