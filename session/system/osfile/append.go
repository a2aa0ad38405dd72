package osfile

import (
	"cmp"
	"os"
	"time"
)

// AppendLines adds lines, at once, to a file that is made if it is not there: on a line of
// their own where the last one was torn. Lines that the disk has no room for are not
// there in part. With durable they are on the disk then. size is that of the file.
func AppendLines(name string, lines []byte, mode os.FileMode, durable bool) (size int64, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, mode)
	if err != nil {
		return 0, err
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if size = info.Size(); size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return size, err
		}
		if last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	if n, err := f.Write(lines); err != nil {
		if now, e := f.Stat(); e == nil && n > 0 && now.Size() == size+int64(n) { // nobody added more meanwhile
			_ = f.Truncate(size)
		}
		return size, err
	}
	if durable {
		err = f.Sync()
	}
	return size + int64(len(lines)), err
}

// lockPause is between two tries to lock a file.
const lockPause = 10 * time.Millisecond

// LockWithin locks an open file as Lock does, and waits for others so long.
func LockWithin(f *os.File, patience time.Duration) error {
	for end := time.Now().Add(patience); ; time.Sleep(lockPause) {
		err := Lock(f)
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
