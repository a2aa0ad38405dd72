//go:build !linux

package local

import (
	"time"

	"github.com/shirou/gopsutil/v4/host"
)

// boottimeClock counts from boot by the wall clock, which includes sleep and by
// which these systems tell start times too. The moment of boot is asked for
// once: some systems give it in whole seconds that differ from call to call.
func boottimeClock() func() time.Duration {
	boot := time.Now()
	if seconds, err := host.BootTime(); err == nil && seconds > 0 {
		boot = time.Unix(int64(seconds), 0)
	}
	boot = boot.Round(0) // no monotonic reading, which may stop in sleep
	return func() time.Duration { return time.Now().Round(0).Sub(boot) }
}

// ticksPerSecond has no meaning where no kernel file is read.
func ticksPerSecond(string) int { return 100 }
