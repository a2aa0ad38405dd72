package local

import (
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func boottimeClock() func() time.Duration {
	return func() time.Duration { return clockTime(unix.CLOCK_BOOTTIME) }
}

// monotonicClock asks the runtime, which need not enter the kernel for the same
// clock.
func monotonicClock() func() time.Duration {
	at, begun := clockTime(unix.CLOCK_MONOTONIC), time.Now()
	return func() time.Duration { return at + time.Since(begun) }
}

func clockTime(id int) time.Duration {
	at, _ := readClock(id)
	return at
}

// readClock reads a clock of the kernel. That never waits, so that the runtime need not be
// told. ok is false where there is no such clock.
func readClock(id int) (at time.Duration, ok bool) {
	var t unix.Timespec
	if _, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, uintptr(id), uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}

// ticksPerSecond is USER_HZ, which every kernel tells its programs; it is 100
// on all but a few.
func ticksPerSecond(proc string) int {
	data, _ := os.ReadFile(filepath.Join(proc, "self/auxv"))
	if n, ok := auxiliary(data, atClockTicks); ok && n > 0 && n <= 1_000_000 {
		return int(n)
	}
	return 100
}
