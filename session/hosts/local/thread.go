package local

import (
	"perfdeck/cooker"
)

// thread is one thread of a process.
type thread struct {
	scale    *processScale
	pid, tid uint32
	stat     procStat
	why      cooker.Status
	runNS    uint64 // field 1 of schedstat
	precise  bool   // runNS was read
	switches cooker.Reading
	idle     bool // unused time of a CPU
	idleTime uint64
}

const (
	needSchedstat = 1 << iota
	needSwitches
)

var threadCounters = []counter[thread]{
	{"% Processor Time", needSchedstat, threadTime},
	{"% User Time", 0, fromThread(func(t *thread) uint64 { return t.stat.user * t.scale.tick100ns })},
	{"% Privileged Time", 0, fromThread(func(t *thread) uint64 { return t.stat.system * t.scale.tick100ns })},
	{"Context Switches/sec", needSwitches, func(t *thread) cooker.Reading { return t.switches }},
	{"Elapsed Time", 0, fromThread(func(t *thread) uint64 { return t.scale.boot + t.stat.start*t.scale.tick100ns })},
	{"Priority Current", 0, fromThread(func(t *thread) uint64 { return uint64(max(0, 40-t.stat.priority)) })},
	{"Priority Base", 0, fromThread(func(t *thread) uint64 { return priorityBase(&t.stat) })},
	{"Thread State", 0, fromThread(func(t *thread) uint64 { return threadState(t.stat.state) })},
	{"Thread Wait Reason", 0, threadWait},
	{"ID Process", 0, func(t *thread) cooker.Reading { return raw(uint64(t.pid)) }},
	{"ID Thread", 0, func(t *thread) cooker.Reading { return raw(uint64(t.tid)) }},
}

func fromThread(f func(*thread) uint64) func(*thread) cooker.Reading {
	return func(t *thread) cooker.Reading {
		if t.idle {
			return missing(cooker.Unavailable)
		}
		if t.why != cooker.OK {
			return missing(t.why)
		}
		return raw(f(t))
	}
}

func threadTime(t *thread) cooker.Reading {
	if t.idle {
		return raw(t.idleTime)
	}
	if t.precise {
		return raw(t.runNS / 100)
	}
	return fromThread(func(t *thread) uint64 { return (t.stat.user + t.stat.system) * t.scale.tick100ns })(t)
}

// threadState is Windows' number: 2 running, 4 terminated, 5 waiting.
func threadState(state byte) uint64 {
	switch state {
	case 'R':
		return 2
	case 'Z', 'X', 'x':
		return 4
	}
	return 5
}

// threadWait is Windows' number: 0 executive, 5 suspended, 6 user request. A
// thread that does not wait has none.
func threadWait(t *thread) cooker.Reading {
	if t.idle {
		return missing(cooker.Unavailable)
	}
	if t.why != cooker.OK {
		return missing(t.why)
	}
	switch t.stat.state {
	case 'S':
		return raw(6)
	case 'T', 't':
		return raw(5)
	case 'D', 'I', 'P', 'K', 'W':
		return raw(0)
	}
	return missing(cooker.Unavailable)
}

// contextSwitches is the sum in a status file.
func contextSwitches(b []byte) cooker.Reading {
	var n uint64
	seen := 0
	for l := range lines(b) {
		key, value := keyed(l)
		switch string(key) {
		case "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches":
			if v, _, ok := number(value); ok {
				n += v
				seen++
			}
		}
	}
	if seen < 2 {
		return missing(cooker.Unavailable)
	}
	return raw(n)
}
