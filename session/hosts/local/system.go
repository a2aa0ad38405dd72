package local

import (
	"bytes"

	"perfdeck/cooker"
	"perfdeck/session"
)

// system is what the System counterset shows; parts that were not read carry
// their status.
type system struct {
	boot      uint64    // FILETIME of boot
	stat      *statFile // nil: not read
	statWhy   cooker.Status
	load      loadavg
	loadWhy   cooker.Status
	processes cooker.Reading
	files     cooker.Reading
}

// loadavg is /proc/loadavg.
type loadavg struct {
	hundredths [3]uint64 // of 1, 5 and 15 minutes
	threads    uint64
	means, ok  bool   // hundredths, threads are there
	last       uint32 // number that a process or thread was given last; 0: not known
}

func (l *loadavg) parse(b []byte) {
	*l = loadavg{means: true}
	for i := range l.hundredths {
		var word []byte
		word, b = field(b)
		var ok bool
		if l.hundredths[i], ok = hundredths(word); !ok {
			l.means = false
		}
	}
	word, _ := field(b)
	if _, after, found := bytes.Cut(word, []byte("/")); found {
		l.threads, _, l.ok = number(after)
	}
	b = bytes.TrimSpace(b)
	if n, used := digits(b[bytes.LastIndexByte(b, ' ')+1:]); used > 0 && n < 1<<32 {
		l.last = uint32(n)
	}
}

// hundredths reads `12.34` as 1234; further digits are cut.
func hundredths(b []byte) (uint64, bool) {
	whole, rest, ok := number(b)
	const most = 1 << 50 // so that times 100 fits
	if !ok || whole > most {
		return 0, false
	}
	n := whole * 100
	if len(rest) < 2 || rest[0] != '.' {
		return n, len(rest) == 0
	}
	for i, worth := range [2]uint64{10, 1} {
		if i+1 >= len(rest) {
			break
		}
		d := rest[i+1] - '0'
		if d > 9 {
			return 0, false
		}
		n += uint64(d) * worth
	}
	return n, true
}

const (
	needStat = 1 << iota
	needLoad
	needPids
	needFiles
)

func systemSet() *session.Counterset {
	return describe(&session.Counterset{
		V1Index: 2, Name: "System", Instances: session.SingleInstance,
		Description: "The system as a whole: switches, queues, processes, load and time since boot.",
	}, systemCounters)
}

var systemCounters = []counter[system]{
	{1, "Context Switches/sec", cooker.CounterCounter, -2, "Switches between threads", 0, needStat, statValue(statContextSwitches)},
	{2, "System Up Time", cooker.ElapsedTime, -5, "Seconds since boot, sleep included", 0, 0, func(s *system) cooker.Reading { return raw(s.boot) }},
	{3, "Processor Queue Length", cooker.CounterRawCount, 1, "Threads waiting for a CPU", 0, needStat, queueLength},
	{4, "Processes", cooker.CounterRawCount, 1, "Processes now", 0, needPids, func(s *system) cooker.Reading { return s.processes }},
	{5, "Threads", cooker.CounterRawCount, 1, "Threads now", 0, needLoad, threads},
	{1001, "File Descriptors", cooker.CounterLargeRawCount, 0, "Open files, all programs", 0, needFiles, func(s *system) cooker.Reading { return s.files }},
	{1002, "Blocked Threads", cooker.CounterRawCount, 0, "Threads in disk waits", 0, needStat, statValue(statBlocked)},
	{1003, "Forks/sec", cooker.CounterCounter, 0, "Processes and threads created", 0, needStat, statValue(statProcesses)},
	{1004, "Load Average 1 Minutes x100", cooker.CounterRawCount, -2, "Mean of runnable and blocked threads over 1 minute, times 100", 0, needLoad, load(0)},
	{1005, "Load Average 5 Minutes x100", cooker.CounterRawCount, -2, "Mean of runnable and blocked threads over 5 minutes, times 100", 0, needLoad, load(1)},
	{1006, "Load Average 15 Minutes x100", cooker.CounterRawCount, -2, "Mean of runnable and blocked threads over 15 minutes, times 100", 0, needLoad, load(2)},
}

func statValue(key int) func(*system) cooker.Reading {
	return func(s *system) cooker.Reading {
		if s.stat == nil {
			return missing(s.statWhy)
		}
		return s.stat.sum(s.statWhy, 1, key)
	}
}

// queueLength is how many runnable threads have no CPU to run on. The kernel
// counts the reader too.
func queueLength(s *system) cooker.Reading {
	if s.stat == nil || !s.stat.has(statRunning) || len(s.stat.cpus) == 0 {
		return missing(s.statWhy)
	}
	return raw(grown(uint64(len(s.stat.cpus)), s.stat.n[statRunning]))
}

func threads(s *system) cooker.Reading {
	if !s.load.ok {
		return missing(s.loadWhy)
	}
	return raw(s.load.threads)
}

func load(i int) func(*system) cooker.Reading {
	return func(s *system) cooker.Reading {
		if !s.load.means {
			return missing(s.loadWhy)
		}
		return raw(s.load.hundredths[i])
	}
}
