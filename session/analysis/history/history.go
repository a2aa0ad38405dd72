// Package history reads what feeds keep of hosts, the histories of what screens, alert rules and
// charts ask for, as one recording of all of them.
package history

import (
	"context"
	"time"

	"perfdeck/session"
)

// Host is a host by its name; without a snapshot nothing is kept of it.
type Host struct {
	Name string
	Snap *session.Snapshot
}

// Series is a counter of an instance of which something is kept.
type Series struct {
	Host    int // among those that were given
	Set     *session.Counterset
	Counter int
	Row     session.Row
	IsEnded bool          // no view shows it any more
	Every   time.Duration // between its samples; 0: not known
	Begin   time.Time     // of its history

	values session.Series
}

// Came tells that the instance was not there before its history begins.
func (s *Series) Came() bool { return s.Row.Came && !s.Row.Since.Before(s.Begin.Add(-2*s.Every)) }

// Histories are those of hosts at a moment. They do not change, so they can be read beside what
// goes on.
type Histories struct {
	List        []Series // by host
	First, Last time.Time

	lines []session.Timeline // of the hosts
	every time.Duration      // the shortest interval
}

// Of takes along what there is of hosts, as far as it is wanted.
func Of(hosts []Host, wanted func(*Series) bool) *Histories {
	h := &Histories{lines: make([]session.Timeline, len(hosts))}
	for i := range hosts {
		snap := hosts[i].Snap
		if snap == nil || len(snap.Timeline.Nanos) == 0 {
			continue
		}
		line := snap.Timeline
		h.lines[i] = line
		every := line.Every(line.At(line.Next() - 1))
		if every > 0 && (h.every == 0 || every < h.every) {
			h.every = every
		}
		if first := line.At(line.First); h.First.IsZero() || first.Before(h.First) {
			h.First = first
		}
		h.Last = session.Later(h.Last, line.At(line.Next()-1))
		for _, view := range snap.Sets {
			take := func(row *session.Row, counter int, values session.Series, isEnded bool) {
				s := Series{Host: i, Set: view.Set, Counter: counter, Row: *row, IsEnded: isEnded, Every: every, values: values}
				if s.Begin = line.At(max(values.First, line.First)); len(values.Values) > 0 && !view.Set.Counters[counter].Type.IsText() && wanted(&s) {
					h.List = append(h.List, s)
				}
			}
			for row := range view.Rows {
				for col, counter := range view.Counters {
					take(&view.Rows[row], counter, view.Series(row, col), false)
				}
			}
			view.Ended(func(row *session.Row, counter int, values session.Series) { take(row, counter, values, true) })
		}
	}
	return h
}

// Read gives the samples of all hosts from one moment to another, not included, in order of time: a
// number for each of List, NaN where there is none, good until the next. Samples of different hosts
// that are less than half an interval apart are one row. came is told which share was read, 0 to 1.
func (h *Histories) Read(ctx context.Context, from, to time.Time, each func(at time.Time, values []float64), came func(share float64)) error {
	readings := make([]reading, len(h.lines))
	all := make([]session.Numbered, len(h.lines))
	for i, line := range h.lines {
		at := session.Behind(line.Nanos, from.UnixNano()-1)
		readings[i] = reading{of: h, line: line, next: line.First + uint64(at)}
		all[i] = &readings[i]
	}
	for i := range h.List {
		r := &readings[h.List[i].Host]
		r.places = append(r.places, i)
	}
	rows := session.Merged{From: from, To: to, Within: h.every / 2, Width: len(h.List), Came: came}
	return rows.Read(ctx, all, each)
}

// reading is what is kept of a host, from a sample on.
type reading struct {
	of     *Histories
	line   session.Timeline
	places []int // among all
	next   uint64
}

// Next implements session.Numbered.
func (r *reading) Next() (at time.Time, ok bool) { return r.line.At(r.next), r.next < r.line.Next() }

// Take implements session.Numbered.
func (r *reading) Take(among []float64) error {
	for _, i := range r.places {
		among[i] = r.of.List[i].values.At(r.next)
	}
	r.next++
	return nil
}
