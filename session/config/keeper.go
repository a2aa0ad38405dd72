package config

import (
	"errors"
	"io/fs"

	"perfdeck/session/system/osfile"
)

// WatchLock is the file in the state folder whose lock perfdeck watch holds while it runs.
const WatchLock = "watch.lock"

// NeedsWatch says, for people, that nobody does what has its time, as no process holds the lock of those
// that would: a file. Empty: one does, or it cannot be known.
func NeedsWatch(lock string) string {
	if locked, err := osfile.IsLocked(lock); !locked && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		return "needs perfdeck watch, which does not run"
	}
	return ""
}
