package session

import (
	"context"
	"slices"
	"time"
)

// group is the feeds of one interval, or one on demand; what they ask for is collected
// together.
type group struct {
	every time.Duration
	feeds []*Feed
	first int // of its wants in the query
	wants []Want
}

// regroup takes over what the feeds changed and selects it.
func (s *Sampler) regroup(ctx context.Context) {
	changed := s.groups == nil
	now := s.clock.Now()
	alive := s.current()
	for _, f := range alive {
		ended, renewed := f.update(now)
		changed = changed || renewed
		if ended {
			s.drop(f)
		}
	}
	if !changed {
		return
	}
	s.groups = []group{}
	var wants []Want
	for _, f := range s.current() {
		i := slices.IndexFunc(s.groups, func(g group) bool { return g.every == f.beat.every && !g.feeds[0].beat.onDemand })
		if i < 0 || f.beat.onDemand {
			i = len(s.groups)
			s.groups = append(s.groups, group{every: f.beat.every})
		}
		s.groups[i].feeds = append(s.groups[i].feeds, f)
	}
	for i := range s.groups {
		g := &s.groups[i]
		slices.SortStableFunc(g.feeds, func(a, b *Feed) int { return a.rank() - b.rank() })
		g.first, g.wants = len(wants), mergeWants(g.every, g.feeds)
		wants = append(wants, g.wants...)
		s.align(g)
	}
	if slices.EqualFunc(s.wants, wants, sameWant) {
		return // what changed is not the host's business, as which history is kept
	}
	s.wants = wants
	s.setAsking(now.Mono)
	err := s.query.Select(ctx, wants)
	s.setAsking(0)
	if err != nil {
		s.failed(ctx, err)
	}
}

// align gives the feeds of a group one beat.
func (s *Sampler) align(g *group) {
	next := g.feeds[0].beat.next
	for _, f := range g.feeds {
		next = min(next, f.beat.next)
	}
	for _, f := range g.feeds {
		f.beat.next = next
	}
}

func (s *Sampler) drop(f *Feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feeds = slices.DeleteFunc(s.feeds, func(o *Feed) bool { return o == f })
}

// dueNow tells whether a collection is due, on the beat or for feeds that never
// had one or want one now, or else how long to wait.
func (s *Sampler) dueNow() (onBeat bool, wait time.Duration) {
	now := s.clock.Now()
	wait = time.Hour
	prime := false
	for i := range s.groups {
		g := &s.groups[i]
		if len(g.wants) == 0 {
			continue
		}
		for _, f := range g.feeds {
			prime = prime || f.waits(now)
			if f.second > 0 {
				wait = min(wait, f.second-now.Mono)
			}
		}
		b := &g.feeds[0].beat
		if b.due(now) {
			return true, 0
		}
		wait = min(wait, b.next-now.Mono)
	}
	if prime {
		return false, 0
	}
	return false, wait
}

// collect reads once for the groups that are due and hands it to their feeds.
func (s *Sampler) collect(ctx context.Context, onBeat bool) {
	now := s.clock.Now()
	due := make([]bool, len(s.groups))
	s.batch.Due = s.batch.Due[:0]
	for i := range s.groups {
		g := &s.groups[i]
		if onBeat {
			due[i] = g.feeds[0].beat.due(now)
		} else {
			due[i] = slices.ContainsFunc(g.feeds, func(f *Feed) bool { return f.waits(now) })
		}
		for range g.wants {
			s.batch.Due = append(s.batch.Due, due[i])
		}
	}
	s.setAsking(now.Mono)
	err := s.query.Collect(ctx, &s.batch)
	s.setAsking(0)
	if err != nil {
		s.failed(ctx, err)
		return
	}
	state := s.answered(now, &s.batch)
	s.opened = nil
	for i := range s.groups {
		if !due[i] {
			continue
		}
		for _, f := range s.groups[i].feeds {
			if onBeat || f.waits(now) {
				f.receive(s.part(&s.groups[i]), now, onBeat, state)
				f.planSecond(now, s.clock.Now())
			}
		}
	}
	s.countMissed()
}

// part is the batch of one group.
func (s *Sampler) part(g *group) *Batch {
	end := g.first + len(g.wants)
	return &Batch{Time: s.batch.Time, Due: s.batch.Due[g.first:end], Sets: s.batch.Sets[g.first:end]}
}

// countMissed adds the beats that the feeds missed to those of the host. Feeds
// of one interval miss the same.
func (s *Sampler) countMissed() {
	n := uint64(0)
	for _, g := range s.groups {
		most := uint64(0)
		for _, f := range g.feeds {
			most = max(most, f.missed)
			f.missed = 0
		}
		n += most
	}
	s.mu.Lock()
	s.state.Missed += n
	s.mu.Unlock()
}
