//go:build !linux

package local

import (
	"time"

	"github.com/shirou/gopsutil/v4/host"
)

// boottime is the time since boot.
func boottime() time.Duration {
	seconds, err := host.Uptime()
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// ticksPerSecond has no meaning where no kernel file is read.
func ticksPerSecond(string) int { return 100 }
