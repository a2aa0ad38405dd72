package local

import (
	"sync"

	"golang.org/x/sys/unix"
)

// openFiles are the descriptors that the queries of a source share: however many
// clients a server has, it holds each file once.
type openFiles struct {
	most int // descriptors of processes' files that may be kept

	mu        sync.Mutex
	files     map[string]*openFile
	processes map[processFile]int  // their descriptors
	holds     map[int]*processHold // by descriptor
}

// openFile is an open file and how many keep it.
type openFile struct {
	path  string
	fd    int
	users int
	turn  sync.Mutex // held while it is read: the kernel makes a long file anew where two read it at once
}

func newOpenFiles(options *Options) *openFiles {
	return &openFiles{most: keptFiles(options), files: map[string]*openFile{}, processes: map[processFile]int{}, holds: map[int]*processHold{}}
}

// open opens a file, or shares that of another; shared tells which. A nil o
// shares nothing.
func (o *openFiles) open(path string) (f *openFile, shared bool, err error) {
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

// processFile is a file of a process.
type processFile struct {
	pid   uint32
	which int // fileStat and so on
}

// processHold is who keeps a descriptor of a process's file.
type processHold struct {
	file  processFile
	users int
}

// shareProcess shares the descriptor that another has of a process's file. It may
// be that of an earlier process of this number.
func (o *openFiles) shareProcess(file processFile) (fd int, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if fd, ok = o.processes[file]; ok {
		o.holds[fd].users++
	}
	return fd, ok
}

// keepProcess keeps a descriptor, and shares it with those who come; it is false
// where as many are kept as may be.
func (o *openFiles) keepProcess(file processFile, fd int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.holds) >= o.most {
		return false
	}
	o.holds[fd] = &processHold{file: file, users: 1}
	o.processes[file] = fd
	return true
}

// leaveProcess closes a descriptor with its last user. A broken one, whose
// process has gone, is shared with nobody new.
func (o *openFiles) leaveProcess(fd int, broken bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.holds[fd]
	h.users--
	if now, ok := o.processes[h.file]; ok && now == fd && (broken || h.users == 0) {
		delete(o.processes, h.file)
	}
	if h.users == 0 {
		delete(o.holds, fd)
		_ = unix.Close(fd)
	}
}
