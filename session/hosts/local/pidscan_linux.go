package local

import (
	"slices"
	"strconv"
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

	clockOf func(pid uint32) (ns uint64, ok bool) // as that of tick
	born    births

	procfs bool          // its link count tells the number of processes
	links  uint64        // link count before the last listing
	others int64         // what is counted in it that is not listed; 0: not known
	forks  uint64        // forks since boot by then, 0 if unknown
	listed time.Duration // when all was listed
}

// direntBuffer takes about 1300 processes at a time.
const direntBuffer = 32 << 10

// list lists the directory, or spares that: procfs adds the number of processes to its
// link count, and takes one off when its entry goes (fs/proc/root.c), and who was born
// meanwhile has one of few numbers.
func (s *pidScan) list(t *tick) {
	s.gen = t.gen
	s.born.since(t)
	var forks uint64
	if t.stat.made.has(statProcesses) {
		forks = t.stat.made.n[statProcesses]
	}
	links := s.linkCount()
	if s.err == nil && links > 0 && forks > 0 && t.now-s.listed < seldom {
		if links == s.links && forks == s.forks || s.follow(links) {
			s.links, s.forks = links, forks
			return
		}
	}
	s.pids, s.err = s.read(s.pids[:0])
	s.links, s.forks, s.listed, s.others = links, forks, t.now, 0
	if links > 0 && links == s.linkCount() {
		s.others = int64(links) - int64(len(s.pids))
	}
}

// follow adds the processes that were born since the scan before and takes those out that
// ended; it is false where that does not make as many as there are.
func (s *pidScan) follow(links uint64) bool {
	b, now := &s.born, len(s.pids)
	// To ask for a number costs a fourth of listing one.
	if s.clockOf == nil || s.others == 0 || !b.known() || b.next < b.last || int(b.next-b.last) > 2*now {
		return false
	}
	for pid := b.last + 1; pid <= b.next; pid++ {
		if _, ok := s.clockOf(pid); ok && s.isListed(pid) {
			s.pids = append(s.pids, pid)
		}
	}
	slices.Sort(s.pids)
	s.pids = slices.Compact(s.pids)
	want := int64(links) - s.others
	if int64(len(s.pids)) > want {
		s.pids = slices.DeleteFunc(s.pids, func(pid uint32) bool { _, ok := s.clockOf(pid); return !ok })
	}
	return int64(len(s.pids)) == want
}

// isListed tells whether a number is one of the directory's: it may hide those of others.
func (s *pidScan) isListed(pid uint32) bool {
	var st unix.Stat_t
	return s.file != nil && unix.Fstatat(s.file.fd, strconv.FormatUint(uint64(pid), 10), &st, 0) == nil
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
		s.procfs = isProcfs(s.file.fd)
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
	read := unix.Getdents
	if s.procfs && len(s.pids) <= mostRawPids {
		read = rawGetdents
	}
	return listNumbers(f.fd, s.buf, pids, read)
}

// mostRawPids is of how many processes the list may be that is read behind the runtime's back,
// as kernelFile.quick: with one call it takes longer than all that a beat reads besides.
const mostRawPids = 500

func rawGetdents(fd int, buf []byte) (n int, err error) {
	got, _, errno := unix.RawSyscall(unix.SYS_GETDENTS64, uintptr(fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if errno != 0 {
		return 0, errno
	}
	return int(got), nil
}

// listNumbers reads a directory from where its descriptor stands.
func listNumbers(fd int, buf []byte, numbers []uint32, read func(int, []byte) (int, error)) ([]uint32, error) {
	for {
		n, err := read(fd, buf)
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

// births tells which numbers processes may have got since the scan before. The kernel
// gives them one after the other and begins anew at the end; /proc/loadavg has the last.
type births struct {
	last, next uint32 // given out by the scan before, and by this one; 0: not known
	forks      uint64
	many       bool // so many that each number may have been among them
}

func (b *births) since(t *tick) {
	const fewest = 16_000 // numbers that are free at least: pid_max is 32768 by default, or more
	forks := t.stat.made.n[statProcesses]
	b.many = !t.stat.made.has(statProcesses) || grown(b.forks, forks) >= fewest
	load, _ := t.loadavg.of(t.gen)
	b.last, b.forks, b.next = b.next, forks, load.last
}

// known tells whether the numbers are known at all.
func (b *births) known() bool { return !b.many && b.last > 0 && b.next > 0 }

// maybe tells whether a process that was born meanwhile can have this number.
func (b *births) maybe(pid uint32) bool {
	switch {
	case !b.known():
		return true
	case b.last <= b.next:
		return pid > b.last && pid <= b.next
	}
	return pid > b.last || pid <= b.next
}
