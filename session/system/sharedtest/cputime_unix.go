//go:build !windows

package sharedtest

import (
	"syscall"
	"testing"
	"time"
)

// CPUTime is how long the processors worked for this process.
func CPUTime(b testing.TB) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
