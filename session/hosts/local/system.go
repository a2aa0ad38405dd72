package local

import (
	"bytes"

	"perfdeck/cooker"
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

var systemCounters = []counter[system]{
	{"Context Switches/sec", needStat, statValue(statContextSwitches)},
	{"System Up Time", 0, func(s *system) cooker.Reading { return raw(s.boot) }},
	{"Processor Queue Length", needStat, queueLength},
	{"Processes", needPids, func(s *system) cooker.Reading { return s.processes }},
	{"Threads", needLoad, threads},
	{"File Descriptors", needFiles, func(s *system) cooker.Reading { return s.files }},
	{"Blocked Threads", needStat, statValue(statBlocked)},
	{"Forks/sec", needStat, statValue(statProcesses)},
	{"Load Average 1 Minutes x100", needLoad, load(0)},
	{"Load Average 5 Minutes x100", needLoad, load(1)},
	{"Load Average 15 Minutes x100", needLoad, load(2)},
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
