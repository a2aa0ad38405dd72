//go:build !windows

package rpc

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime is how long the processors worked for this process.
func cpuTime(b testing.TB) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
