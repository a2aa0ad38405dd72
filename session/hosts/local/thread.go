package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
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

func threadSet() *session.Counterset {
	return describe(&session.Counterset{
		V1Index: 232, Name: "Thread", Instances: session.MultipleInstances,
		Description: "Threads of processes, by process and number within it.",
	}, threadCounters)
}

var threadCounters = []counter[thread]{
	{1, "% Processor Time", cooker.Timer100ns, 0, "CPU time of this thread", totalSum, needSchedstat, threadTime},
	{2, "% User Time", cooker.Timer100ns, 0, "CPU time of this thread in the program", totalSum, 0, fromThread(func(t *thread) uint64 { return t.stat.user * t.scale.tick100ns })},
	{3, "% Privileged Time", cooker.Timer100ns, 0, "CPU time of this thread in the kernel", totalSum, 0, fromThread(func(t *thread) uint64 { return t.stat.system * t.scale.tick100ns })},
	{4, "Context Switches/sec", cooker.CounterCounter, -2, "Switches from this thread to others", totalSum, needSwitches, func(t *thread) cooker.Reading { return t.switches }},
	{5, "Elapsed Time", cooker.ElapsedTime, -4, "Age of this thread in seconds", totalNone, 0, fromThread(func(t *thread) uint64 { return t.scale.boot + t.stat.start*t.scale.tick100ns })},
	{6, "Priority Current", cooker.CounterRawCount, 0, "Priority of this thread now: 20 is normal, more is higher", totalNone, 0, fromThread(func(t *thread) uint64 { return uint64(max(0, 40-t.stat.priority)) })},
	{7, "Priority Base", cooker.CounterRawCount, 0, "Priority of this thread: 20 is normal, above 40 real time", totalNone, 0, fromThread(func(t *thread) uint64 { return priorityBase(&t.stat) })},
	{8, "Thread State", cooker.CounterRawCount, 0, "2 running or ready, 4 ended, 5 waiting", totalNone, 0, fromThread(func(t *thread) uint64 { return threadState(t.stat.state) })},
	{9, "Thread Wait Reason", cooker.CounterRawCount, 0, "0 waits in the kernel, 5 is suspended, 6 waits by itself", totalNone, 0, threadWait},
	{10, "ID Process", cooker.CounterRawCount, -1, "Process number of this thread", totalNone, 0, func(t *thread) cooker.Reading { return raw(uint64(t.pid)) }},
	{11, "ID Thread", cooker.CounterRawCount, -1, "Number of this thread", totalNone, 0, func(t *thread) cooker.Reading { return raw(uint64(t.tid)) }},
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
