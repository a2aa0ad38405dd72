package local

import (
	"sync"
	"time"

	"perfdeck/cooker"
)

// pace times the reading of countersets: each has the clocks of its own
// reading, and one that was held up is told apart. What holds up a reading, as
// a lack of memory or a stopped program does, comes between the clock and the
// files, or between two files: then what they count is of another moment than
// the clock.
type pace struct {
	monotonic func() time.Duration
	begun     cooker.Clocks // of the collection
	stepped   time.Duration // when the last step was made
	longest   time.Duration // step of the reading under way
	again     bool          // this reading replaces the one before, which was held up
}

// start begins the reading of a set.
func (p *pace) start(again bool) cooker.Clocks {
	c := p.clocks()
	p.again, p.longest, p.stepped = again, 0, time.Duration(c.PerfTime)
	return c
}

// step is to be made between the parts of a reading, and after the last.
func (p *pace) step() {
	now := p.monotonic()
	p.longest = max(p.longest, now-p.stepped)
	p.stepped = now
}

// clocks are those of now.
func (p *pace) clocks() cooker.Clocks {
	return later(p.begun, uint64(p.monotonic())-p.begun.PerfTime)
}

// later are clocks some nanoseconds later.
func later(c cooker.Clocks, ns uint64) cooker.Clocks {
	was := c.PerfTime
	c.PerfTime += ns
	whole := c.PerfTime/ns100 - was/ns100
	c.Time100ns += whole
	c.ObjTime += whole
	return c
}

// ns100 is the unit of Time100ns in nanoseconds.
const ns100 = 100

// usual is what the steps of a set's reading usually take.
type usual time.Duration

// held reports whether a step was so long that the reading was held up, and
// takes it into the account: files that are slow each time are no stall, and not
// to be read over and over.
func (u *usual) held(longest time.Duration) bool {
	const shortest, factor, smooth = 5 * time.Millisecond, 4, 8
	before := time.Duration(*u)
	if longest < before {
		*u = usual(longest)
	} else {
		*u += usual((longest - before) / smooth)
	}
	return longest > shortest && longest > factor*before
}

// stamp is the clock of a set from one reading to the next. It keeps shares of
// time within the whole: of a count that grows no faster than time itself, no
// more may have passed than the clock says.
//
// A clock that is read before the files is never later than they are. If a count
// says that more time has passed since the reading before, then the files were
// read later than the clock by at least as much: the clock is set forward, never
// beyond the end of the reading.
type stamp struct{ kept, last stamped }

type stamped struct{ begun, clock uint64 } // Time100ns

// settle gives the clocks of a reading that began at began and ends now. most is
// the growth of such counts, in 100 ns, since the reading before that was kept.
func (s *stamp) settle(p *pace, began cooker.Clocks, most uint64) cooker.Clocks {
	return s.place(p, began, 0, most)
}

// settleWalk is settle for a reading that goes through so many files that their
// moments lie apart: its clock is in the middle, so that a walk which takes longer
// or shorter than the one before shifts each of its counts by half of that.
func (s *stamp) settleWalk(p *pace, began cooker.Clocks, most uint64) cooker.Clocks {
	return s.place(p, began, 2, most)
}

func (s *stamp) place(p *pace, began cooker.Clocks, part, most uint64) cooker.Clocks {
	if !p.again {
		s.kept = s.last
	}
	took := grown(began.PerfTime, uint64(p.monotonic())) / ns100
	at := began.Time100ns
	if part > 0 {
		at += took / part
	}
	if s.kept.clock > 0 {
		// The clock before may have been set forward beyond some of its files: by
		// so much it may be ahead of these.
		end := began.Time100ns + took + grown(s.kept.begun, s.kept.clock)
		at = max(at, s.kept.clock, min(s.kept.clock+most, end))
	}
	s.last = stamped{began.Time100ns, at}
	return later(began, (at-began.Time100ns)*ns100)
}

// latest runs a read that may be slow, or hang, in a goroutine of its own, and
// keeps its last answer. No more than one is under way.
type latest[T any] struct {
	mu      sync.Mutex
	running bool
	started time.Duration
	begun   bool
	answer  T
	ok      bool
}

// get returns the last answer; ok is false while there is none. It starts the
// next read if the last one began at least every ago.
func (l *latest[T]) get(o *Options, every time.Duration, read func() T) (answer T, ok bool) {
	if l.due(o.Monotonic(), every) {
		o.Go(func() { l.run(read) })
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answer, l.ok
}

// due says that a read is to be started now.
func (l *latest[T]) due(now, every time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running || l.begun && now-l.started < every {
		return false
	}
	l.running, l.begun, l.started = true, true, now
	return true
}

func (l *latest[T]) run(read func() T) {
	var answer T
	done := false
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.running = false
		if done {
			l.answer, l.ok = answer, true
		}
	}()
	answer = read()
	done = true
}
