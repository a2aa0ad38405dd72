package config

import (
	"errors"
	"os"
	"time"

	"perfdeck/session/system/osfile"
)

const (
	lockPatience = time.Second
	lockPause    = 5 * time.Millisecond
)

// locked runs f while a file is locked against other programs, which hold it for
// milliseconds. Where it cannot be locked f runs all the same: what is kept by a
// file system without locks is worth more than what two programs keep in the same
// moment.
func locked(name string, f func() error) error {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return f()
	}
	defer file.Close()
	for end := time.Now().Add(lockPatience); ; time.Sleep(lockPause) {
		err := osfile.Lock(file)
		if err == nil {
			defer osfile.Unlock(file)
			break
		}
		if !errors.Is(err, osfile.ErrLocked) || time.Now().After(end) {
			break
		}
	}
	return f()
}
