package osfile

import (
	"os"
	"runtime"
	"slices"
	"sync"
)

// held are the files in which this process has locks of the process, as SQLite's are.
// The system drops all of them as soon as any descriptor of such a file is closed
// (fcntl_locking(2)), so this is of the process as well.
var held struct {
	sync.Mutex

	files []*heldFile
}

type heldFile struct {
	info  os.FileInfo
	users int
	later []*os.File // to be closed when the locks are gone
}

// HoldLocks notes that a file is about to be locked, until release is called. A file
// that is not there is not noted.
func HoldLocks(name string) (release func()) {
	info, err := os.Stat(name)
	if err != nil {
		return func() {}
	}
	held.Lock()
	defer held.Unlock()
	h := heldAs(info)
	if h == nil {
		h = &heldFile{info: info}
		held.files = append(held.files, h)
	}
	h.users++
	return sync.OnceFunc(h.release)
}

func (h *heldFile) release() {
	held.Lock()
	defer held.Unlock()
	if h.users--; h.users > 0 {
		return
	}
	for _, f := range h.later {
		_ = f.Close() // nothing was written by it
	}
	held.files = slices.DeleteFunc(held.files, func(o *heldFile) bool { return o == h })
}

// heldAs is the file among those that are held, nil if it is none. held is locked.
func heldAs(info os.FileInfo) *heldFile {
	for _, h := range held.files {
		if os.SameFile(h.info, info) {
			return h
		}
	}
	return nil
}

// HoldsLocks tells whether this process has locks in a file, which who opens and
// closes it would end.
func HoldsLocks(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	held.Lock()
	defer held.Unlock()
	return heldAs(info) != nil
}

// Close closes a file that was only read or locked: later, where this process has
// locks in it.
func Close(f *os.File) error {
	if runtime.GOOS == "windows" { // whose locks are of a handle
		return f.Close()
	}
	held.Lock()
	defer held.Unlock()
	if len(held.files) > 0 {
		if info, err := f.Stat(); err == nil {
			if h := heldAs(info); h != nil {
				h.later = append(h.later, f)
				return nil
			}
		}
	}
	return f.Close()
}
