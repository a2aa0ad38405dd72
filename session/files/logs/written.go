package logs

import "time"

// Notes, marks and events are written down beside a recording, by the clock of then, in the
// order in which they came: of moments that were twice that order tells which is meant.

// byZone tells whether the parts are those of a zone, as at the end of summer: other clocks, as
// those of notes are, were not set. l.mu is held.
func (l *Line) byZone() bool {
	for i := range l.parts {
		if l.parts[i].Shift%zoneStep != 0 {
			return false
		}
	}
	return l.wall
}

// Place makes times at which something was written down, in the order in which it was, moments of
// the line: those of the part that was being written. A time that is in none stays with the part
// that had begun last by then.
func (l *Line) Place(times ...*time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.parts) < 2 || l.byZone() {
		return
	}
	var before time.Time
	for _, t := range times {
		before = t.Add(l.parts[l.partOf(*t, before)].Shift).In(t.Location())
		*t = before
	}
}

// partOf is the part in which something was written at a time, behind what was written at a
// moment of the line: the first that has the time behind that moment, else the first that has
// it, else the last that had begun. l.mu is held.
func (l *Line) partOf(t, before time.Time) int {
	has, begun := -1, 0
	for i := range l.parts {
		p := &l.parts[i]
		if i > 0 && t.Before(p.First) {
			continue
		}
		begun = i
		if i < len(l.parts)-1 && t.After(p.Last) {
			continue
		}
		if !t.Add(p.Shift).Before(before) {
			return i
		}
		if has < 0 {
			has = i
		}
	}
	if has < 0 {
		return begun
	}
	return has
}

// Written makes moments of the line what somebody who writes them down then has as their time.
func (l *Line) Written(moments ...*time.Time) {
	l.mu.Lock()
	byZone := len(l.parts) < 2 || l.byZone()
	l.mu.Unlock()
	if byZone {
		return
	}
	for _, at := range moments {
		recorded, _ := l.Recorded(*at)
		*at = recorded.In(at.Location())
	}
}
