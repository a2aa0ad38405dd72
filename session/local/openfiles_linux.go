package local

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// openFiles are the descriptors that the queries of a source share: however many
// clients a server has, it holds each file once.
type openFiles struct {
	processes atomic.Int64 // descriptors of processes' files that may still be kept

	mu    sync.Mutex
	files map[string]*openFile
}

// openFile is an open file and how many keep it.
type openFile struct {
	path  string
	fd    int
	users int
	turn  sync.Mutex // held while it is read: the kernel makes a long file anew where two read it at once
}

func newOpenFiles(options *Options) *openFiles {
	o := &openFiles{files: map[string]*openFile{}}
	o.processes.Store(int64(keptFiles(options)))
	return o
}

// take opens a file, or shares that of another; shared tells which. A nil o
// shares nothing.
func (o *openFiles) take(path string) (f *openFile, shared bool, err error) {
	if o == nil {
		f, err = openKept(path)
		return f, false, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if f = o.files[path]; f != nil {
		f.users++
		return f, true, nil
	}
	if f, err = openKept(path); err == nil {
		o.files[path] = f
	}
	return f, false, err
}

func openKept(path string) (*openFile, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return &openFile{path: path, fd: fd, users: 1}, nil
}

// leave closes the file with its last user. One that cannot be read any more is
// shared with nobody new: another may have come under its path.
func (o *openFiles) leave(f *openFile, broken bool) {
	if o == nil {
		_ = unix.Close(f.fd)
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	f.users--
	if (broken || f.users == 0) && o.files[f.path] == f {
		delete(o.files, f.path)
	}
	if f.users == 0 {
		_ = unix.Close(f.fd)
	}
}

// mayKeep takes one of the descriptors for files of processes, if there is one.
func (o *openFiles) mayKeep() bool {
	if o.processes.Add(-1) >= 0 {
		return true
	}
	o.processes.Add(1)
	return false
}

// free gives one back.
func (o *openFiles) free() { o.processes.Add(1) }
