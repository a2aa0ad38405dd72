// Package kept reads what feeds keep of hosts, the histories of what screens, alert rules and
// charts ask for, as one recording of all of them.
package kept

import (
	"context"
	"math"
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
	const checked = 64 // rows between two looks at what else there is
	begin, end := from.UnixNano(), to.UnixNano()
	at := make([]int, len(h.lines))
	values := make([]float64, len(h.List))
	for i := range h.lines {
		at[i] = session.Behind(h.lines[i].Nanos, begin-1)
	}
	here := make([]bool, len(h.lines))
	for rows := 0; ; rows++ {
		if rows%checked == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		next := int64(math.MaxInt64)
		for i := range h.lines {
			if nanos := h.lines[i].Nanos; at[i] < len(nanos) {
				next = min(next, nanos[at[i]])
			}
		}
		if next >= end {
			return nil
		}
		for i := range h.lines {
			nanos := h.lines[i].Nanos
			here[i] = at[i] < len(nanos) && nanos[at[i]]-next <= int64(h.every/2)
		}
		for i := range h.List {
			values[i] = math.NaN()
			if s := &h.List[i]; here[s.Host] {
				values[i] = s.values.At(h.lines[s.Host].First + uint64(at[s.Host]))
			}
		}
		for i := range here {
			if here[i] {
				at[i]++
			}
		}
		if each(time.Unix(0, next), values); rows%checked == 0 {
			came(float64(next-begin) / float64(end-begin))
		}
	}
}
