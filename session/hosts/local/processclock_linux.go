package local

import (
	"os"
	"path/filepath"
	"strconv"
)

// processClock reads the CPU clock of a process: the time that its threads took, those
// that ended too, in nanoseconds (clock_getcpuclockid(3)). No file is made for it, which
// takes the kernel a third of the time, and it asks for no rights. ok is false when no
// process has the number.
func processClock(pid uint32) (ns uint64, ok bool) {
	const scheduled = 2 // CPUCLOCK_SCHED of include/linux/posix-timers.h
	at, ok := readClock(^int(pid)<<3 | scheduled)
	return uint64(at), ok
}

// hasProcessClocks tells whether the numbers of processes in proc are those that the clocks
// go by: they are not where proc is of another PID namespace than we are.
func hasProcessClocks(proc string) bool {
	self, err := os.Readlink(filepath.Join(proc, "self"))
	if err != nil || self != strconv.Itoa(os.Getpid()) {
		return false
	}
	_, ok := processClock(uint32(os.Getpid()))
	return ok
}
