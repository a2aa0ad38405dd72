package sharedtest

import (
	"syscall"
	"testing"
	"time"
)

// CPUTime is how long the processors worked for this process.
func CPUTime(b testing.TB) time.Duration {
	b.Helper()
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		b.Fatal(err)
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &exited, &kernel, &user); err != nil {
		b.Fatal(err)
	}
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100 // of 100 ns
}
