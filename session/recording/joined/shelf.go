// Package joined joins what recordings have of a host to what its screens, or a command, see of it
// themselves: the recordings that the user made, and for root those of the service, by the lists that
// recorders keep. Nothing is opened before somebody asks for a moment.
package joined

import (
	"cmp"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/recording/collector"
)

// Shelf finds recordings of hosts. Its methods may be called by any goroutine.
type Shelf struct {
	Dirs []string // folders with a list of recordings each
	// Open opens a recording, more than once.
	Open func(name string) (logs.Reader, error)
	Go   func(func()) // starts goroutines; of who has no Feed nil
}

// Piece is a part of a recording: rows from one moment to another, both included.
type Piece struct {
	collector.Made

	Host     string // as the recording calls it
	From, To time.Time

	of *replay.Host
}

// every is how far apart the rows around a moment are, as far as they were read; else those of the whole.
func (p *Piece) every(at time.Time) time.Duration { return cmp.Or(p.of.Every(at), p.Every) }

// mostOpened bounds the recordings that are opened for one look.
const mostOpened = 16

// of are the recordings of a host, by the lists alone.
func (s *Shelf) of(identity string) (out []Piece) {
	for _, dir := range s.Dirs {
		for _, m := range collector.ListMade(dir) {
			if name, ok := m.NameOf(identity); ok {
				out = append(out, Piece{Made: m, Host: name, From: m.Begin, To: m.End})
			}
		}
	}
	return out
}

// Begin is from when on there are recordings of a host, by the lists: zero where there are none.
func (s *Shelf) Begin(identity string) (first time.Time) {
	all := s.of(identity)
	slices.SortStableFunc(all, func(a, b Piece) int { return a.From.Compare(b.From) })
	for i := range all { // of hundreds the first that is still there
		if all[i].IsMade() {
			return all[i].From
		}
	}
	return first
}

// pieces are what there is of a host between two moments, in order of time, no two of the same
// moment: of several recordings that has one it is the one with most of the countersets, of those one with
// raw samples, of those the densest. open opens a recording whose list says that it may have some.
func (s *Shelf) pieces(identity string, sets []string, from, to time.Time, open func(*Piece) (first, last time.Time, err error)) (out []Piece) {
	all := s.of(identity)
	slices.SortStableFunc(all, func(a, b Piece) int {
		return cmp.Or(cmp.Compare(b.has(sets), a.has(sets)), cmp.Compare(rank(b.HasRaw), rank(a.HasRaw)), cmp.Compare(a.Every, b.Every))
	})
	gaps := [][2]time.Time{{from, to}}
	tries := 0
	for i := range all {
		p := &all[i]
		over := func(g [2]time.Time) bool { return !p.From.After(g[1]) && (p.Open || !p.To.Before(g[0])) }
		if p.has(sets) == 0 || !slices.ContainsFunc(gaps, over) || !p.IsMade() {
			continue
		}
		if tries++; tries > mostOpened {
			break
		}
		first, last, err := open(p)
		if err != nil {
			continue // it is damaged, or none: what else there is counts
		}
		var left [][2]time.Time
		keep := func(from, to time.Time) {
			if to.Sub(from) > 2*p.Every { // less is between two rows
				left = append(left, [2]time.Time{from, to})
			}
		}
		for _, g := range gaps {
			begin, end := session.Later(first, g[0]), session.Earlier(last, g[1])
			if begin.After(end) {
				left = append(left, g)
				continue
			}
			part := *p
			part.From, part.To = begin, end
			out = append(out, part)
			keep(g[0], begin.Add(-1))
			keep(end.Add(1), g[1])
		}
		gaps = left
	}
	slices.SortFunc(out, func(a, b Piece) int { return a.From.Compare(b.From) })
	return out
}

// has is how many of some countersets, folded, a recording has.
func (p *Piece) has(sets []string) (n int) {
	for _, set := range sets {
		if slices.Contains(p.Sets, set) {
			n++
		}
	}
	return n
}

func rank(is bool) int {
	if is {
		return 1
	}
	return 0
}

// folded are names of countersets as lists have them.
func folded(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = paths.Fold(name)
	}
	return out
}
