// Package local is the source that reads this computer, under the names, types
// and scales of Windows' countersets.
//
// On Linux it reads /proc and /sys by hand: kept descriptors, re-used buffers,
// and only the files whose counters somebody wants. Elsewhere it asks gopsutil,
// and lists what that cannot give as not on this system.
//
// A counterset is a part of countersets.txt, one file that says how its counters
// are read, and one row in the table of groups.
package local

import (
	"context"
	"errors"
	"os"
	"os/user"
	"slices"
	"strconv"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/journal"
	"perfdeck/session/system/guard"
)

// Options say where and how this computer is read. The zero Options read it as
// it is.
type Options struct {
	Host string // name in the catalogue; empty: the host name

	Proc, Sys string // roots of procfs and sysfs; empty: /proc, /sys
	Run       string // root of what runs; empty: /run

	Now       func() time.Time     // wall clock; nil: time.Now
	Monotonic func() time.Duration // since boot without suspend; nil: CLOCK_MONOTONIC
	Boottime  func() time.Duration // since boot with suspend; nil: CLOCK_BOOTTIME

	PageBytes      int // memory page; 0: the system's
	TicksPerSecond int // USER_HZ, the unit of times in /proc; 0: AT_CLKTCK, or 100

	// KeptFiles is the number of descriptors kept open on files of processes;
	// 0: as many as pay within RLIMIT_NOFILE, below 0: none.
	KeptFiles int

	UserName func(uid uint32) string // name of a user, empty if unknown; nil: the user database

	// Go starts a goroutine for files that may be slow to answer; nil: one whose
	// panic ends the program.
	Go func(func())

	open       *openFiles // of all queries
	beforeRead func()     // for tests: called before each read of a file under Proc; nil: none

	owner        func(pid uint32) (uid uint32, ok bool) // for tests: the user of a process; nil: the owner of its directory
	processClock func(pid uint32) (ns uint64, ok bool)  // for tests: its CPU time; nil: its clock
	exitRecords  func() (exitRecords, error)            // for tests: who ended; nil: the kernel's records, of /proc alone
}

func (o Options) withDefaults() Options {
	if o.Host == "" {
		o.Host, _ = os.Hostname()
	}
	if o.Proc == "" {
		o.Proc = "/proc"
	}
	if o.Sys == "" {
		o.Sys = "/sys"
	}
	if o.Run == "" {
		o.Run = "/run"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Monotonic == nil {
		o.Monotonic = monotonicClock()
	}
	if o.Boottime == nil {
		o.Boottime = boottimeClock()
	}
	if o.PageBytes <= 0 {
		o.PageBytes = os.Getpagesize()
	}
	if o.TicksPerSecond <= 0 {
		o.TicksPerSecond = ticksPerSecond(o.Proc)
	}
	if o.UserName == nil {
		o.UserName = userName
	}
	if o.Go == nil {
		o.Go = guard.New(func(e *guard.PanicError) { panic(e) }).Go
	}
	return o
}

// userName asks the user database; it is empty for a number without a name.
func userName(uid uint32) string {
	u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if err != nil {
		return ""
	}
	return u.Username
}

// Open returns the source of this computer.
func Open(o Options) (session.Source, error) {
	o = o.withDefaults()
	o.open = newOpenFiles(&o)
	return &source{options: o, clock: newClock(&o), groups: groups()}, nil
}

type source struct {
	options   Options
	clock     clock
	groups    []group
	catalogue *session.Catalogue
}

// Catalogue lists all countersets. Counters for which this computer has no
// source are listed with the reason.
func (s *source) Catalogue(context.Context) (*session.Catalogue, error) {
	if s.catalogue != nil {
		return s.catalogue, nil
	}
	c := &session.Catalogue{Host: s.options.Host}
	for _, g := range s.groups {
		set := g.counterset
		if g.absent != nil {
			if why := g.absent(&s.options); why != "" {
				for i := range set.Counters {
					set.Counters[i].Absent = why
				}
			}
		}
		c.Sets = append(c.Sets, set)
	}
	s.catalogue = c
	if err := s.markAbsent(c); err != nil {
		s.catalogue = nil
		return nil, err
	}
	return c, nil
}

// notHere is the reason of a counter for which this computer has no source.
const notHere = "not on this system"

// markAbsent reads once what may differ between kernels and machines and
// writes down which counters nothing was found for.
func (s *source) markAbsent(c *session.Catalogue) error {
	var wants []session.Want
	for i, g := range s.groups {
		if g.probe {
			wants = append(wants, allOf(c.Sets[i]))
		}
	}
	q := s.open()
	defer q.Close()
	var b session.Batch
	if err := errors.Join(q.Select(context.Background(), wants), q.Collect(context.Background(), &b)); err != nil {
		return err
	}
	for i := range b.Sets {
		sb, why := &b.Sets[i], notHere
		if g := &s.groups[slices.Index(c.Sets, sb.Set)]; g.why != nil {
			why = g.why(q.tick)
		}
		for col, index := range sb.Counters {
			if len(sb.Instances) > 0 && absentEverywhere(sb, col) {
				sb.Set.Counters[index].Absent = why
			}
		}
	}
	return nil
}

func allOf(set *session.Counterset) session.Want {
	w := session.Want{Set: set, Counters: make([]int, len(set.Counters))}
	for i := range w.Counters {
		w.Counters[i] = i
	}
	return w
}

// Open makes a query with accumulators of its own; descriptors it shares with
// the others.
func (s *source) Open(ctx context.Context) (session.Query, error) {
	if _, err := s.Catalogue(ctx); err != nil {
		return nil, err
	}
	return s.open(), nil
}

func (s *source) open() *query {
	return &query{source: s, tick: newTick(&s.options, &s.clock)}
}

// Clocks are the clocks of a reply now, for what is to have one moment with it.
func (s *source) Clocks() cooker.Clocks { return s.clock.read() }

// Events implements session.EventSource.
func (s *source) Events(ctx context.Context, from session.EventsFrom) (session.EventReader, error) {
	return journal.Open(ctx, from, journal.Options{Run: s.options.Run, Now: s.options.Now})
}

var _ session.EventSource = (*source)(nil)

// Close has nothing to do: queries own what is open.
func (s *source) Close() error { return nil }
