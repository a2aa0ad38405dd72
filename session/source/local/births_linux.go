package local

// births tells which numbers processes may have got since the scan before. The kernel
// gives them one after the other and begins anew at the end; /proc/loadavg has the last.
type births struct {
	last, next uint32 // given out by the scan before, and by this one; 0: not known
	forks      uint64
	many       bool // so many that each number may have been among them
}

func (b *births) since(t *tick) {
	const fewest = 16_000 // numbers that are free at least: pid_max is 32768 by default, or more
	forks := t.statistics.n[statProcesses]
	b.many = !t.statistics.has(statProcesses) || grown(b.forks, forks) >= fewest
	load, _ := t.readLoad()
	b.last, b.forks, b.next = b.next, forks, load.last
}

// known tells whether the numbers are known at all.
func (b *births) known() bool { return !b.many && b.last > 0 && b.next > 0 }

// maybe tells whether a process that was born meanwhile can have this number.
func (b *births) maybe(pid uint32) bool {
	switch {
	case !b.known():
		return true
	case b.last <= b.next:
		return pid > b.last && pid <= b.next
	}
	return pid > b.last || pid <= b.next
}
