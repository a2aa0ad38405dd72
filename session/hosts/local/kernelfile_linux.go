package local

import (
	"errors"
	"fmt"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
)

// kernelFile is a kernel file whose descriptor stays open between reads.
type kernelFile struct {
	path string
	// record is how many bytes a record has at most of a file that the kernel hands out
	// record by record, as many as fit on one page of its own (seq_read_iter of
	// fs/seq_file.c): a short read is its end only if one more had room. 0: it is made in
	// one go.
	record int
	// quick is of a file for which the kernel waits for nothing. It is read behind the
	// back of the runtime: told of a call right after a timer woke us, that has its
	// monitor look every 20 us for one that takes long (sysmon of runtime/proc.go), which
	// costs as much as three such files.
	quick  bool
	raw    bool   // it is so read: the file that is open is the kernel's own, which containers replace
	before func() // Options.beforeRead

	shares *openFiles // nil: the descriptor is its own
	file   *openFile  // nil: it is not open
	buf    []byte
	gen    uint64 // tick in which data was read
	data   []byte
	err    error
}

// firstBuffer holds all small files at once.
const firstBuffer = 4096

// seqPage is the smallest page that the kernel has.
const seqPage = 4096

// largestFile bounds what a file may take: /proc/interrupts of 8192 CPUs fits.
const largestFile = 64 << 20

// at reads the file unless it was read in this tick already.
func (k *kernelFile) at(gen uint64) ([]byte, error) {
	if k.gen != gen {
		k.gen = gen
		k.data, k.err = k.read()
	}
	return k.data, k.err
}

// read reads the file from its start. What it returns is valid until the next.
func (k *kernelFile) read() ([]byte, error) {
	for {
		shared := false
		if k.file == nil {
			var err error
			if k.file, shared, err = k.shares.open(k.path); err != nil {
				return nil, err
			}
			k.raw = k.quick && isProcfs(k.file.fd)
		}
		if k.buf == nil {
			k.buf = make([]byte, firstBuffer)
		}
		if k.before != nil {
			k.before()
		}
		data, err := k.pread()
		if err == nil {
			return data, nil
		}
		k.leave(true) // a device that went may come back under the same path
		if !shared {
			return nil, err
		}
	}
}

func (k *kernelFile) pread() ([]byte, error) {
	k.file.turn.Lock()
	defer k.file.turn.Unlock()
	n := 0
	for {
		got, err := k.preadAt(n)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		n += got
		if got == 0 || n < len(k.buf) && (k.record == 0 || got < seqPage-k.record) {
			return k.buf[:n], nil
		}
		if n < len(k.buf) {
			continue
		}
		if len(k.buf) >= largestFile {
			return k.buf[:n], nil
		}
		k.buf = append(k.buf, make([]byte, len(k.buf))...)
		if k.record == 0 {
			n = 0 // files made in one go are read in one go, so that they fit together
		}
	}
}

// mostRaw is how large the buffer of a file may be that is read behind the runtime's back:
// those of hundreds of processors take the kernel milliseconds.
const mostRaw = 16 << 10

// isProcfs tells whether an open file is one of procfs.
func isProcfs(fd int) bool {
	var fs unix.Statfs_t
	return unix.Fstatfs(fd, &fs) == nil && fs.Type == unix.PROC_SUPER_MAGIC
}

func (k *kernelFile) preadAt(n int) (int, error) {
	if !k.raw || len(k.buf) > mostRaw || n > 0 && strconv.IntSize < 64 {
		return unix.Pread(k.file.fd, k.buf[n:], int64(n))
	}
	return preadQuick(k.file.fd, k.buf[n:], int64(n))
}

// preadQuick reads a file behind the runtime's back, as kernelFile.quick, where registers have 32 bits from its
// start alone: they differ in where such processors have an offset, but for 0.
func preadQuick(fd int, buf []byte, from int64) (int, error) {
	got, _, errno := unix.RawSyscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), uintptr(from), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(got), nil
}

func (k *kernelFile) close() {
	if k.file != nil {
		k.leave(false)
	}
}

func (k *kernelFile) leave(broken bool) {
	k.shares.leave(k.file, broken)
	k.file = nil
}

// statusOf is what a failed read of a file of this computer means.
func statusOf(err error) cooker.Status {
	switch {
	case err == nil:
		return cooker.OK
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return cooker.Denied
	case errors.Is(err, unix.ESRCH):
		return cooker.Gone
	}
	return cooker.Unavailable
}

var errEmpty = errors.New("nothing in it that perfdeck understands")

// readError says why nothing could be made of a file under /proc.
func readError(name string, err error) error {
	if err == nil {
		err = errEmpty
	}
	return fmt.Errorf("read /proc/%s: %w", name, err)
}
