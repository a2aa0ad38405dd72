package session

import (
	"slices"
	"time"
)

// Targets are what somebody follows in the snapshots of a host, whoever makes these: a sampler, a reel or
// a back-test. T is a target as its user knows it.
type Targets[T any] []*Followed[T]

// Followed is a counterset that is followed, at one interval.
type Followed[T any] struct {
	Rows

	Set     *Counterset
	Every   time.Duration
	Targets []T
	View    *SetView  // of the newest snapshot; nil: nothing came
	At      time.Time // of what its user took last
}

// In is a counterset at an interval, with no targets where it is followed from now on.
func (all *Targets[T]) In(set *Counterset, every time.Duration) *Followed[T] {
	i := slices.IndexFunc(*all, func(f *Followed[T]) bool { return f.Set == set && f.Every == every })
	if i < 0 {
		i = len(*all)
		*all = append(*all, &Followed[T]{Set: set, Every: every})
	}
	return (*all)[i]
}

// Clear lets go of all targets. What was taken of countersets stays known until they are without any
// when it is called.
func (all *Targets[T]) Clear() {
	*all = slices.DeleteFunc(*all, func(f *Followed[T]) bool { return len(f.Targets) == 0 })
	for _, f := range *all {
		f.Rows, f.Targets = Rows{}, nil
	}
}

// Follow goes on to a snapshot. Where the rows or columns are not those of the view before, it tells so, and
// each target which moved and which are new: see Rows.Next.
func (f *Followed[T]) Follow(s *Snapshot, each func(t T, moved, added []int)) (changed bool) {
	f.View = s.Set(f.Set)
	if f.View == nil || f.Same(f.View) {
		return false
	}
	moved, added := f.Next(f.View)
	for _, t := range f.Targets {
		each(t, moved, added)
	}
	return true
}

// Place is where the value of a counter of an instance is in a view. It goes by what
// its user knows it by.
type Place[K any] struct {
	Row, Column int // without the counter, Column is negative
	Counter     int // index in Set.Counters
	As          K
}

// Places are those that a target means, by row and counter.
type Places[K any] []Place[K]

// Follow goes on to a view whose rows were moved and added: see Rows.Next. It returns
// what the places of rows that are gone were known by.
func (p *Places[K]) Follow(v *SetView, t *Target, moved, added []int, means func(*Instance) bool, as func(in *Instance, counter int) K) (left []K) {
	kept := (*p)[:0]
	for _, at := range *p {
		if at.Row = moved[at.Row]; at.Row != GoneRow {
			kept = append(kept, at)
		} else {
			left = append(left, at.As)
		}
	}
	for _, row := range added {
		in := &v.Rows[row].Instance
		if !means(in) {
			continue
		}
		for _, c := range t.Counters {
			kept = append(kept, Place[K]{Row: row, Counter: c, As: as(in, c)})
		}
		if t.Combine != nil {
			break
		}
	}
	for i := range kept {
		kept[i].Column = v.Column(kept[i].Counter)
	}
	slices.SortStableFunc(kept, func(a, b Place[K]) int { return a.Row - b.Row })
	clear((*p)[min(len(kept), len(*p)):])
	*p = kept
	return left
}
