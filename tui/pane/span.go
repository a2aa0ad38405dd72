package pane

import (
	"cmp"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/note"
)

// Spans are the steps by which what charts and graphs show gets shorter and longer.
var Spans = []time.Duration{
	30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute,
	30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour,
}

// SpansFrom are those to choose from where least is shown by itself, which is 0: longer ones, the
// last of which shows all that is kept; kept is 0 where that is not known.
func SpansFrom(all []time.Duration, least, kept time.Duration) []time.Duration {
	out := []time.Duration{0}
	for _, s := range all {
		if s <= least {
			continue
		}
		if kept > 0 && max(out[len(out)-1], least) >= kept {
			break
		}
		out = append(out, s)
	}
	return out
}

// Span is a stretch of time that the user selected, on all screens: what happened in it is
// looked at. The zero Span is none.
type Span struct {
	from, to time.Time
	open     bool // it has one end yet
}

// SpanOf is the span between two moments.
func SpanOf(a, b time.Time) Span {
	if b.Before(a) {
		a, b = b, a
	}
	return Span{from: a, to: b}
}

// SpanFrom is a span that begins, or ends, at a moment: the other end is the moment that
// is shown, until it is ended.
func SpanFrom(at time.Time) Span { return Span{from: at, open: true} }

// IsNone tells whether nothing is selected.
func (s Span) IsNone() bool { return s.from.IsZero() }

// IsOpen tells whether it waits for its other end.
func (s Span) IsOpen() bool { return s.open }

// Ends are its beginning and its end, given the moment that is shown. ok is false of none,
// and of one without any length.
func (s Span) Ends(shown time.Time) (from, to time.Time, ok bool) {
	if s.open {
		s = SpanOf(s.from, shown)
	}
	return s.from, s.to, !s.from.IsZero() && s.to.After(s.from)
}

// SpanEnds are the ends of the selected span.
func (d *Desk) SpanEnds() (from, to time.Time, ok bool) { return d.Selected.Ends(d.Moment()) }

// LookedAt is the moment that screens show: the cursor's, or now.
func (d *Desk) LookedAt() time.Time { return cmp.Or(d.At, d.Now()) }

// Moment is the moment that is shown: where the cursor is, else the newest sample, or now
// before there is one.
func (d *Desk) Moment() time.Time {
	_, last := d.Sampled()
	return cmp.Or(d.At, last, d.Now())
}

// Sampled is the time of the first and of the last sample that any host keeps.
func (d *Desk) Sampled() (first, last time.Time) {
	for _, h := range d.Hosts {
		t := h.Timeline()
		if begin := t.At(t.First); first.IsZero() || !begin.IsZero() && begin.Before(first) {
			first = begin
		}
		last = session.Later(t.At(t.Next()-1), last)
	}
	return first, last
}

// Dragged is a range of columns that the mouse draws; the zero one is none.
type Dragged struct {
	Active   bool
	From, To int
}

// Within is the range in order, within n columns; ok is false of none, and of one alone.
func (d *Dragged) Within(n int) (from, to int, ok bool) {
	from, to = max(0, min(d.From, d.To)), min(n-1, max(d.From, d.To))
	return from, to, d.Active && to > from
}

// Notes are what people and programs write down.
type Notes interface {
	// All are those that are known, in order of time; do not change.
	All() []note.Note
	// Write writes one down. It may take as long as a disk does.
	Write(n note.Note) error
}

// NotesIn are those of a time, both ends included.
func (d *Desk) NotesIn(from, to time.Time) []note.Note {
	if d.Notes == nil {
		return nil
	}
	return note.Within(d.Notes.All(), from, to)
}

// TimeSteps are the distances between labels of time.
var TimeSteps = [...]time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 2 * 24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour,
	56 * 24 * time.Hour, 84 * 24 * time.Hour, 168 * 24 * time.Hour, 364 * 24 * time.Hour,
}
