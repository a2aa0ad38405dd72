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
	fd     int
	opened bool
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
	if !s.opened || !s.procfs || unix.Fstat(s.fd, &st) != nil {
		return 0
	}
	return uint64(st.Nlink) //nolint:unconvert // 32 bits wide on some architectures
}

func (s *pidScan) read(pids []uint32) ([]uint32, error) {
	if !s.opened {
		fd, err := unix.Open(s.path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return pids, err
		}
		var fs unix.Statfs_t
		s.procfs = unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.PROC_SUPER_MAGIC
		s.fd, s.opened = fd, true
	} else if _, err := unix.Seek(s.fd, 0, unix.SEEK_SET); err != nil {
		s.close()
		return pids, err
	}
	if s.buf == nil {
		s.buf = make([]byte, direntBuffer)
	}
	pids, err := listNumbers(s.fd, s.buf, pids)
	if err != nil {
		s.close()
		return pids[:0], err
	}
	if !slices.IsSorted(pids) { // procfs is in order, other file systems are not
		slices.Sort(pids)
		pids = slices.Compact(pids)
	}
	return pids, nil
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
	if s.opened {
		_ = unix.Close(s.fd)
		s.opened = false
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
