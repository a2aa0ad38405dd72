package journal

import (
	"os"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/system/osfile"
)

// Read reads what was kept in a directory as Open does, and writes nothing: the
// directory need not be there, nor be one's own.
func Read(dir string, now time.Time) (memory *alert.Memory, damaged int, err error) {
	j := &Journal{dir: dir, seen: map[string]uint64{}}
	read := func() error {
		k, err := j.readAll()
		if err != nil {
			return err
		}
		memory, damaged = k.Memory, k.damaged
		memory.Forget(now)
		return nil
	}
	lock, err := os.OpenFile(j.file(lockName), os.O_RDWR, 0)
	if err != nil { // nobody wrote here, or this user may not
		err = read()
	} else {
		defer lock.Close()
		err = j.lockedBy(lock, read)
	}
	if err != nil {
		return nil, 0, err
	}
	return memory, damaged, nil
}

// lockedBy runs f while a file is locked. It waits for others, up to patience.
func (j *Journal) lockedBy(lock *os.File, f func() error) error {
	if err := osfile.LockWithin(lock, patience); err != nil {
		return j.fail("lock", err)
	}
	defer osfile.Unlock(lock)
	return f()
}
