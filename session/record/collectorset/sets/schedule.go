package sets

import (
	"context"
	"fmt"
	"time"

	"perfdeck/session"

	"perfdeck/session/record/collectorset"
	"perfdeck/session/record/collectorset/store"
)

// Scheduler starts sets when they are due. What it read of them is its Run's.
type Scheduler struct {
	desk   *Desk
	store  *store.Store
	start  func(ctx context.Context, name string) error
	report func(error)
	tell   func(string)
}

// NewScheduler is nil where there is no place for sets. start starts one. That it ended is told.
func (d *Desk) NewScheduler(start func(ctx context.Context, name string) error, report func(error), tell func(string)) *Scheduler {
	s, err := d.store()
	if err != nil {
		return nil // what else is kept tells why
	}
	return &Scheduler{desk: d, store: s, start: start, report: report, tell: tell}
}

// HasWork tells whether any set has a schedule that is not over.
func (s *Scheduler) HasWork(now time.Time) bool {
	if s == nil {
		return false
	}
	var read scheduled
	return len(read.due(s, now)) > 0
}

// scheduled are the sets that have schedules, as they were read.
type scheduled struct {
	changed time.Time // of the store, when they were read
	sets    map[string]*collectorset.Set
}

// due are the sets with schedules, and when they start next.
func (r *scheduled) due(s *Scheduler, now time.Time) map[string]time.Time {
	if at := s.store.Changed(); r.sets == nil || !at.Equal(r.changed) {
		*r = scheduled{at, s.read()}
	}
	out := map[string]time.Time{}
	for name, set := range r.sets {
		if at, ok := set.Next(now); ok {
			out[name] = at
		}
	}
	return out
}

// read reads the sets that have schedules.
func (s *Scheduler) read() map[string]*collectorset.Set {
	out := map[string]*collectorset.Set{}
	names, err := s.store.Names()
	if err != nil {
		s.report(err)
	}
	for _, name := range names {
		if e, err := s.store.Load(name); err == nil && len(e.Set.Schedules) > 0 { // of others collect list says why
			out[name] = e.Set
		}
	}
	return out
}

// lookAgain is how often the scheduler looks for sets that changed.
const lookAgain = 30 * time.Second

// Run starts sets until the context ends. A time at which it did not run is not made up.
func (s *Scheduler) Run(ctx context.Context) {
	clock := s.desk.o.Clock
	var read scheduled
	from := clock.Now().Wall.In(time.Local)
	for ctx.Err() == nil {
		next := read.due(s, from)
		wake := lookAgain
		now := clock.Now().Wall.In(time.Local)
		for name, at := range next {
			if at.After(now) {
				wake = min(wake, at.Sub(now))
				continue
			}
			s.desk.o.Go(func() {
				if err := s.start(ctx, name); err != nil {
					s.report(err)
					return
				}
				s.await(ctx, name)
			})
		}
		from = now
		timer, stop := clock.Timer(max(wake, time.Millisecond))
		select {
		case <-ctx.Done():
		case <-timer:
		}
		stop()
	}
}

// endEvery is how often it is looked whether a set ended.
const endEvery = 2 * time.Second

// await tells when a set ends, unless the context does before.
func (s *Scheduler) await(ctx context.Context, name string) {
	for s.store.Running(name) {
		if !session.Sleep(ctx, endEvery) {
			return
		}
	}
	e, err := s.store.Load(name)
	switch {
	case err != nil:
		s.report(err)
	case e.State.Why != "":
		s.report(fmt.Errorf("the set %s ended: %s", session.Printable(name), e.State.Why))
	default:
		s.tell("the set " + session.Printable(name) + " ended")
	}
}
