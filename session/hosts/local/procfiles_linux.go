package local

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// Files of a process that are read again and again.
const (
	fileStat = iota
	fileIO
	fileStatus
	fileStatm
	fileHandles // the directory fd: its size is the number of entries since Linux 6.2
	processFiles
)

var processFileNames = [processFiles]string{"stat", "io", "status", "statm", "fd"}

// descriptors of a process's files, plus 1; 0: not read yet, readOnce: read and
// not kept, for most processes rest and are not read a second time soon.
type descriptors [processFiles]int32

const readOnce = -1

// procFiles opens files of processes relative to a directory of processes, and
// keeps descriptors as far as all queries of the source may. A kept descriptor belongs to its process
// for ever: when that has ended, reading fails, even if the number is in use
// again.
type procFiles struct {
	dir    *pidScan
	shares *openFiles
	path   []byte
	buf    []byte
	before func() // Options.beforeRead
}

// keptFiles is how many descriptors may be kept: a part of RLIMIT_NOFILE, for
// others need some too. The kernel keeps 4 KiB for each that was read.
func keptFiles(o *Options) int {
	const most = 16384
	if o.KeptFiles != 0 {
		return max(0, o.KeptFiles)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur/2, most))
}

// read reads a file of a process. What it returns is valid until the next.
func (f *procFiles) read(pid uint32, which int, fds *descriptors) ([]byte, error) {
	quick := which != fileIO && f.dir.procfs // io waits for who starts a program
	if fds[which] > 0 {
		data, err := f.pread(int(fds[which]-1), quick)
		if !errors.Is(err, unix.ESRCH) {
			return data, err
		}
		f.drop(fds, true)
	}
	file := processFile{pid, which}
	if fd, ok := f.shares.shareProcess(file); ok {
		data, err := f.pread(fd, quick)
		if err == nil {
			fds[which] = int32(fd + 1)
			return data, nil
		}
		f.shares.leaveProcess(fd, true)
	}
	fd, err := f.open(pid, processFileNames[which], unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	data, err := f.pread(fd, quick)
	f.keep(fd, file, fds, err)
	return data, err
}

// keep keeps a descriptor if that is possible and of use: at the second read.
func (f *procFiles) keep(fd int, file processFile, fds *descriptors, err error) {
	if err != nil || fds[file.which] == 0 || !f.shares.keepProcess(file, fd) {
		_ = unix.Close(fd)
		fds[file.which] = readOnce
		return
	}
	fds[file.which] = int32(fd + 1)
}

// drop closes what is kept of a process, which others go on to read unless it
// has ended.
func (f *procFiles) drop(fds *descriptors, ended bool) {
	for which := range fds {
		f.dropOne(which, fds, ended)
	}
}

func (f *procFiles) dropOne(which int, fds *descriptors, ended bool) {
	if fds[which] > 0 {
		f.shares.leaveProcess(int(fds[which]-1), ended)
	}
	fds[which] = 0
}

// open opens the file of a process.
func (f *procFiles) open(pid uint32, name string, flags int) (int, error) {
	f.path = strconv.AppendUint(f.path[:0], uint64(pid), 10)
	f.path = append(f.path, '/')
	return f.openPath(name, flags)
}

// openPath opens a name below what is in path.
func (f *procFiles) openPath(name string, flags int) (int, error) {
	f.path = append(f.path, name...)
	f.path = append(f.path, 0)
	if f.dir.file == nil {
		return -1, unix.EBADF
	}
	return openat(f.dir.file.fd, f.path, flags)
}

// ofThread reads a file of a thread, which is not kept.
func (f *procFiles) ofThread(pid, tid uint32, name string) ([]byte, error) {
	f.path = strconv.AppendUint(f.path[:0], uint64(pid), 10)
	f.path = append(f.path, "/task/"...)
	f.path = strconv.AppendUint(f.path, uint64(tid), 10)
	f.path = append(f.path, '/')
	fd, err := f.openPath(name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return f.pread(fd, false)
}

// once reads a file that is not read again soon.
func (f *procFiles) once(pid uint32, name string) ([]byte, error) {
	fd, err := f.open(pid, name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return f.pread(fd, false)
}

// owner is whose directory that of a process is.
func (f *procFiles) owner(pid uint32) (uid uint32, ok bool) {
	if f.dir.file == nil {
		return 0, false
	}
	var st unix.Stat_t
	err := unix.Fstatat(f.dir.file.fd, strconv.FormatUint(uint64(pid), 10), &st, 0)
	return st.Uid, err == nil
}

// pread reads a file from its start into the shared buffer; quick: see kernelFile.
func (f *procFiles) pread(fd int, quick bool) ([]byte, error) {
	if f.buf == nil {
		f.buf = make([]byte, 16<<10)
	}
	if f.before != nil {
		f.before()
	}
	read := unix.Pread
	if quick {
		read = preadQuick
	}
	for {
		n, err := read(fd, f.buf, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return f.buf[:max(0, n)], err
	}
}

// handles is the number of open descriptors of a process. Where the size of
// the directory does not tell it, they are counted.
func (f *procFiles) handles(pid uint32, sized bool, fds *descriptors) (uint64, error) {
	if !sized {
		return f.count(pid)
	}
	file := processFile{pid, fileHandles}
	if fds[fileHandles] <= 0 {
		if fd, ok := f.shares.shareProcess(file); ok {
			n, err := sizeOf(fd)
			if err == nil {
				fds[fileHandles] = int32(fd + 1)
				return n, nil
			}
			f.shares.leaveProcess(fd, true)
		}
		const path = 0x200000 // O_PATH: to look at the directory needs no rights, to read it does
		fd, err := f.open(pid, processFileNames[fileHandles], path|unix.O_DIRECTORY)
		if err != nil {
			return 0, err
		}
		n, err := sizeOf(fd)
		f.keep(fd, file, fds, err)
		return n, err
	}
	n, err := sizeOf(int(fds[fileHandles] - 1))
	if err != nil {
		f.dropOne(fileHandles, fds, true)
	}
	return n, err
}

func (f *procFiles) count(pid uint32) (uint64, error) {
	fd, err := f.open(pid, processFileNames[fileHandles], unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	numbers, err := listNumbers(fd, make([]byte, direntBuffer), nil, unix.Getdents)
	return uint64(len(numbers)), err
}

func sizeOf(fd int) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	return uint64(max(0, st.Size)), nil
}
