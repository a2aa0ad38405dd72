package local

import (
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pidScan lists the numeric entries of a directory whose descriptor is kept.
type pidScan struct {
	path   string
	shares *openFiles
	file   *openFile // nil: it is not open
	buf    []byte
	gen    uint64
	pids   []uint32
	err    error

	procfs bool          // its link count tells the number of processes
	links  uint64        // link count just before the last listing
	forks  uint64        // forks since boot by then, 0 if unknown
	listed time.Duration // when that was
}

// direntBuffer takes about 1300 processes at a time.
const direntBuffer = 32 << 10

// list lists the directory. It spares that while nobody was born, as forks
// says, and nobody left, as the link count says: procfs adds the number of
// processes to it, and takes one off when its entry goes (fs/proc/root.c).
func (s *pidScan) list(gen, forks uint64, now time.Duration) {
	s.gen = gen
	links := s.linkCount()
	if s.err == nil && links > 0 && links == s.links && forks > 0 && forks == s.forks && now-s.listed < recheck {
		return
	}
	s.pids, s.err = s.read(s.pids[:0])
	s.links, s.forks, s.listed = links, forks, now
}

// linkCount is 0 where it tells nothing.
func (s *pidScan) linkCount() uint64 {
	var st unix.Stat_t
	if s.file == nil || !s.procfs || unix.Fstat(s.file.fd, &st) != nil {
		return 0
	}
	return uint64(st.Nlink) //nolint:unconvert // 32 bits wide on some architectures
}

func (s *pidScan) read(pids []uint32) ([]uint32, error) {
	if s.file == nil {
		var err error
		if s.file, _, err = s.shares.open(s.path); err != nil {
			return pids, err
		}
		var fs unix.Statfs_t
		s.procfs = unix.Fstatfs(s.file.fd, &fs) == nil && fs.Type == unix.PROC_SUPER_MAGIC
	}
	if s.buf == nil {
		s.buf = make([]byte, direntBuffer)
	}
	pids, err := s.readFrom(s.file, pids)
	if err != nil {
		s.shares.leave(s.file, true)
		s.file = nil
		return pids[:0], err
	}
	if !slices.IsSorted(pids) { // procfs is in order, other file systems are not
		slices.Sort(pids)
		pids = slices.Compact(pids)
	}
	return pids, nil
}

// readFrom reads the directory from its start, which is a place that all who
// share the descriptor have in common.
func (s *pidScan) readFrom(f *openFile, pids []uint32) ([]uint32, error) {
	f.turn.Lock()
	defer f.turn.Unlock()
	if _, err := unix.Seek(f.fd, 0, unix.SEEK_SET); err != nil {
		return pids, err
	}
	return listNumbers(f.fd, s.buf, pids)
}

// listNumbers reads a directory from where its descriptor stands.
func listNumbers(fd int, buf []byte, numbers []uint32) ([]uint32, error) {
	for {
		n, err := unix.Getdents(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return numbers, err
		}
		numbers = direntNumbers(numbers, buf[:n])
	}
}

func (s *pidScan) close() {
	if s.file != nil {
		s.shares.leave(s.file, false)
		s.file = nil
	}
}

// openat opens a path that ends in a NUL byte, without the copy that
// unix.Openat makes.
func openat(dir int, path []byte, flags int) (int, error) {
	for {
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(&path[0])),
			uintptr(flags|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY), 0, 0, 0)
		switch errno {
		case 0:
			return int(fd), nil
		case unix.EINTR:
			continue
		}
		return -1, errno
	}
}
