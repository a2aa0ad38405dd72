//go:build !linux

package local

import (
	"runtime"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/service"
)

// groups is the table of all countersets where gopsutil reads them.
func groups() []group {
	listed := map[string]*session.Counterset{}
	for _, s := range machineSets() {
		listed[s.Name] = s.Counterset
	}
	out := []group{
		{counterset: onlyThese(listed["Processor Information"], processorHere), open: newProcessors},
		{counterset: onlyThese(listed["Memory"], memoryHere), open: newMemoryCollector},
		{counterset: onlyThese(listed["System"], systemHere), open: newSystemCollector},
		{counterset: onlyThese(listed["Process"], processHere), open: newProcesses, scans: true},
		{counterset: onlyThese(listed["PhysicalDisk"], physicalDiskHere), open: newPhysicalDisks},
		{counterset: onlyThese(listed["LogicalDisk"], logicalDiskHere), open: newLogicalDisks},
	}
	for _, name := range []string{"Process Exits", "Memory Use", "Paging File", "Network Interface", "Thread", "Thermal Zone Information"} {
		out = append(out, group{counterset: onlyThese(listed[name], nil), open: newNothing})
	}
	if runtime.GOOS != "windows" { // there its service manager is asked beside this source
		out = append(out, group{counterset: onlyThese(service.Set(), nil), open: newNothing})
	}
	for _, p := range protocolSets() {
		out = append(out, group{counterset: onlyThese(p.withOrigins(), nil), open: newNothing})
	}
	return out
}

// nothing is a counterset without a source: gopsutil does not have it, or
// starts programs for it, which a beat must not wait for.
type nothing struct{}

func newNothing(*tick) collector { return nothing{} }

func (nothing) choose(*session.Want) {}

func (nothing) collect(b *session.SetBatch, clocks cooker.Clocks) { b.Clocks = clocks }

func (nothing) close() {}

// here lists counters that a system has; an empty system means all.
type here []struct {
	systems  []string
	counters []string
}

// onlyThese marks all other counters of a set as absent.
func onlyThese(s *session.Counterset, have here) *session.Counterset {
	for i := range s.Counters {
		s.Counters[i].Absent = notHere
		for _, h := range have {
			if (len(h.systems) == 0 || slices.Contains(h.systems, runtime.GOOS)) && slices.Contains(h.counters, s.Counters[i].Name) {
				s.Counters[i].Absent = ""
			}
		}
	}
	return s
}

// columnsHere are the columns of a want; those of absent counters say so.
func columnsHere[T any](rows []counter[T], w *session.Want) []column[T] {
	cols := columns(rows, w)
	for i := range cols {
		if w.Set.Counters[cols[i].index].Absent != "" {
			c := *cols[i].counter
			c.read = func(*T) cooker.Reading { return missing(cooker.Unavailable) }
			cols[i].counter = &c
		}
	}
	return cols
}

// tick is what the collectors of a query share.
type tick struct {
	pace
	options *Options
	clock   *clock
}

// openFiles are the descriptors that queries share: gopsutil opens its own.
type openFiles struct{}

func newOpenFiles(*Options) *openFiles { return nil }

func newTick(o *Options, c *clock) *tick {
	return &tick{pace: pace{monotonic: o.Monotonic}, options: o, clock: c}
}

func (t *tick) begin(c cooker.Clocks) { t.begun = c }

func (t *tick) close() {}

// monotonicClock counts from its making, where the system does not tell its own.
func monotonicClock() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
