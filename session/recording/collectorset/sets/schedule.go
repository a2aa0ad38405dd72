package sets

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/store"
	"perfdeck/session/system/osfile"
)

// Scheduler starts sets when they are due, or looks whether another process does. What it read of them is
// its Run's.
type Scheduler struct {
	sets   *Sets
	store  *store.Store
	start  func(ctx context.Context, name string) error
	report func(error)
	tell   func(string)
	keeps  string // a file that is locked while it starts sets; empty: it only looks
}

// NewScheduler is nil where there is no place for sets. start starts one. That it ended is told.
func (d *Sets) NewScheduler(start func(ctx context.Context, name string) error, report func(error), tell func(string)) *Scheduler {
	s, err := d.store()
	if err != nil {
		return nil // what else is kept tells why
	}
	return &Scheduler{sets: d, store: s, start: start, report: report, tell: tell, keeps: d.lock()}
}

// NewLookout reports the sets that nobody starts when they are due. It is nil where there is no place for sets.
func (d *Sets) NewLookout(report func(error)) *Scheduler {
	s, err := d.store()
	if err != nil {
		return nil
	}
	look := &Scheduler{sets: d, store: s, report: report}
	look.start = func(ctx context.Context, name string) error {
		if !session.Await(ctx, d.o.Clock, startsWithin, nil) {
			return nil
		}
		return look.missed(name)
	}
	return look
}

// lock is the file that who keeps schedules has locked; empty: there is no place.
func (d *Sets) lock() string {
	dir, err := d.o.StateDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, config.WatchLock)
}

// startsWithin is how long after its time a set runs at the latest.
const startsWithin = time.Minute

// MissedError says that a set was not started when it was due.
type MissedError struct {
	Set string
	At  time.Time
	Why string // empty: not known
}

func (e *MissedError) Error() string { return e.Set + ": " + e.text() }

func (e *MissedError) text() string {
	text := "it was not started on " + e.At.Format("Mon 2006-01-02 at 15:04:05")
	if e.Why != "" {
		text += ": it " + e.Why
	}
	return text
}

// Missed are the sets that did not run when they were due last, within a day.
func (s *Scheduler) Missed() (out []error) {
	for name := range s.read() {
		if err := s.missed(name); err != nil {
			out = append(out, err)
		}
	}
	return out
}

// missed tells of the newest time of a day at which a set did not run; nil: it did.
func (s *Scheduler) missed(name string) error {
	e, err := s.store.Load(name)
	if err != nil {
		return nil //nolint:nilerr // collect list says why
	}
	if m := s.sets.missed(s.store, e, s.sets.o.Clock.Now().Wall.In(time.Local)); m != nil {
		return m
	}
	return nil
}

func (d *Sets) missed(s *store.Store, e *store.Entry, now time.Time) *MissedError {
	const day, most = 24 * time.Hour, 1000
	if s.Running(e.Set.Name) {
		return nil
	}
	from := session.Later(session.Later(e.State.Began, s.Written(e.Set.Name)), now.Add(-day)).In(now.Location())
	var last time.Time
	for range most {
		at, ok := e.Set.Next(from)
		if !ok || at.After(now.Add(-startsWithin)) {
			break
		}
		last, from = at, at
	}
	if last.IsZero() {
		return nil
	}
	return &MissedError{e.Set.Name, last, d.needsWatch()}
}

// needsWatch says that nobody does what has its time; empty: somebody does.
func (d *Sets) needsWatch() string { return config.NeedsWatch(d.lock()) }

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
	clock := s.sets.o.Clock
	var read scheduled
	from := clock.Now().Wall.In(time.Local)
	kept := s.keeps == ""
	if kept {
		from = from.Add(-startsWithin) // Missed is about those before
	}
	for ctx.Err() == nil {
		if !kept { // of several processes one starts sets
			if lock, err := osfile.Take(s.keeps, 0); err == nil {
				kept = true
				defer osfile.Release(lock)
			}
		}
		next := read.due(s, from)
		wake := lookAgain
		now := clock.Now().Wall.In(time.Local)
		for name, at := range next {
			if at.After(now) {
				wake = min(wake, at.Sub(now))
				continue
			}
			if !kept {
				continue
			}
			s.sets.o.Go(func() {
				if err := s.start(ctx, name); err != nil {
					s.report(err)
				} else if s.tell != nil { // it starts them
					s.await(ctx, name)
				}
			})
		}
		from = now
		session.Await(ctx, clock, max(wake, time.Millisecond), nil)
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
		s.report(fmt.Errorf("the set %s ended: %s", name, e.State.Why))
	default:
		s.tell("the set " + name + " ended")
	}
}
