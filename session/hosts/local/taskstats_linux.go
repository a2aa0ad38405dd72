package local

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// taskLayout are the offsets of include/uapi/linux/taskstats.h, of one kind of versions.
type taskLayout struct {
	realTime, comm, pid, parent, elapsed, peak, io, bytes, tgid int
}

// Version 15 put two numbers behind each delay; those before and after have them at their end.
var (
	taskUsual = taskLayout{realTime: 64, comm: 80, pid: 128, parent: 132, elapsed: 144, peak: 200, io: 216, bytes: 248, tgid: 368}
	task15    = taskLayout{realTime: 112, comm: 128, pid: 176, parent: 180, elapsed: 192, peak: 248, io: 264, bytes: 296, tgid: 464}
)

const (
	taskComm      = 32   // bytes of comm
	taskGroup     = 0x20 // AGROUP of linux/acct.h
	taskHasGroups = 12   // version from which on records tell the process of a thread, and its last one
	taskOldest    = 8    // version that is understood
)

// layoutOf is the version of a struct taskstats, 0 where it is cut, and its layout.
func layoutOf(b []byte) (version uint16, l *taskLayout) {
	if len(b) < 16 {
		return 0, &taskUsual
	}
	if version = binary.NativeEndian.Uint16(b); version == 15 {
		return version, &task15
	}
	return version, &taskUsual
}

// parse takes the fields of one struct taskstats; false where it is of a version that is not known, or cut.
func (r *taskRecord) parse(b []byte) bool {
	version, l := layoutOf(b)
	if version < taskOldest || len(b) < l.bytes+16 {
		return false
	}
	u32 := func(at int) uint32 { return binary.NativeEndian.Uint32(b[at:]) }
	u64 := func(at int) uint64 { return binary.NativeEndian.Uint64(b[at:]) }
	r.hasPID, r.old = true, version < taskHasGroups
	if !r.old {
		if len(b) < l.tgid+8 {
			return false
		}
		r.last, r.tgid = b[8]&taskGroup != 0, u32(l.tgid)
	}
	r.code, r.pid, r.parent = u32(4), u32(l.pid), u32(l.parent)
	r.comm, _, _ = bytes.Cut(b[l.comm:l.comm+taskComm], []byte{0})
	r.cpuNS, r.lived, r.peakKiB = u64(l.realTime), u64(l.elapsed)*1000, u64(l.peak)
	for k, at := range [ioCounts]int{
		ioReadChars: l.io, ioWriteChars: l.io + 8, ioReadCalls: l.io + 16, ioWriteCalls: l.io + 24, ioReadBytes: l.bytes, ioWriteBytes: l.bytes + 8,
	} {
		r.io[k] = u64(at)
	}
	return true
}

// parseGroup takes what the part for the process has beside: the time of all its threads, past ones, too.
func (r *taskRecord) parseGroup(b []byte) {
	if _, l := layoutOf(b); len(b) >= l.realTime+8 {
		r.asGroup, r.groupCPU = true, binary.NativeEndian.Uint64(b[l.realTime:])
	}
}

// Attributes of taskstats.h and genetlink.h.
const (
	attrStats    = 3 // TASKSTATS_TYPE_STATS
	attrAggrPID  = 4
	attrAggrTGID = 5
	cmdNewStats  = 2 // TASKSTATS_CMD_NEW
	genlHeader   = 4
	attrHeader   = 4
)

// eachAttribute goes through netlink attributes, as far as they are whole. What one holds stays within b.
func eachAttribute(b []byte, f func(kind uint16, data []byte)) {
	const flags = unix.NLA_F_NESTED | unix.NLA_F_NET_BYTEORDER
	for len(b) >= attrHeader {
		n := int(binary.NativeEndian.Uint16(b))
		if n < attrHeader || n > len(b) {
			return
		}
		f(binary.NativeEndian.Uint16(b[2:])&^flags, b[attrHeader:n])
		b = b[min((n+3)&^3, len(b)):]
	}
}

// eachMessage goes through the netlink messages of a datagram, as far as they are whole.
func eachMessage(b []byte, f func(kind uint16, sequence uint32, payload []byte)) {
	for len(b) >= unix.NLMSG_HDRLEN {
		n := binary.NativeEndian.Uint32(b)
		if n < unix.NLMSG_HDRLEN || uint64(n) > uint64(len(b)) {
			return
		}
		f(binary.NativeEndian.Uint16(b[4:]), binary.NativeEndian.Uint32(b[8:]), b[unix.NLMSG_HDRLEN:n])
		b = b[min((int(n)+3)&^3, len(b)):]
	}
}

// taskRecords gives the records of a datagram to f, each as r.
func taskRecords(b []byte, family uint16, r *taskRecord, f func(*taskRecord)) {
	eachMessage(b, func(kind uint16, _ uint32, payload []byte) {
		if kind != family || len(payload) < genlHeader || payload[0] != cmdNewStats {
			return
		}
		*r = taskRecord{}
		ok := true
		eachAttribute(payload[genlHeader:], func(kind uint16, data []byte) {
			eachAttribute(data, func(inner uint16, stats []byte) {
				switch {
				case inner != attrStats:
				case kind == attrAggrPID:
					ok = r.parse(stats) && ok
				case kind == attrAggrTGID:
					r.parseGroup(stats)
				}
			})
		})
		if !ok || !r.hasPID {
			return
		}
		if r.last = r.last || r.old && r.asGroup; r.last && r.asGroup {
			r.cpuNS = max(r.cpuNS, r.groupCPU)
		}
		f(r)
	})
}

// taskstats is a netlink socket that is registered for the records of all processors.
type taskstats struct {
	fd     int
	family uint16
	cpus   []byte
	bufs   []byte
	heads  [recordsAtOnce]mmsghdr
	vecs   [recordsAtOnce]unix.Iovec
}

type mmsghdr struct {
	head unix.Msghdr
	n    uint32
	_    [4 * (unsafe.Sizeof(uintptr(0)) / 8)]byte
}

const (
	recordsAtOnce = 32
	recordBytes   = 2048 // of both parts of version 17, 1,450
	// A record takes 944 bytes of the buffer: so many fit that end within a second, 5,000 easily. It is filled
	// as far as somebody keeps us from reading.
	secondsBytes = 4 << 20
	mostBuffered = 64 << 20
)

// openTaskstats registers for records that are read so often. It takes CAP_NET_ADMIN in the initial user and
// PID namespaces (kernel/taskstats.c).
func openTaskstats(o *Options, every time.Duration) (exitRecords, error) {
	cpus, err := os.ReadFile(filepath.Join(o.Sys, "devices/system/cpu/possible"))
	if err != nil {
		return nil, fmt.Errorf("which processors there are: %w", err)
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_GENERIC)
	if err != nil {
		return nil, fmt.Errorf("netlink: %w", err)
	}
	t := &taskstats{fd: fd, cpus: append(bytes.TrimSpace(cpus), 0), bufs: make([]byte, recordsAtOnce*recordBytes)}
	for i := range t.heads {
		t.vecs[i].Base = &t.bufs[i*recordBytes]
		t.vecs[i].SetLen(recordBytes)
		t.heads[i].head.Iov = &t.vecs[i]
		t.heads[i].head.SetIovlen(1)
	}
	if err := t.register(min(secondsBytes*max(1, int(every/time.Second)), mostBuffered)); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return t, nil
}

// register finds the family and asks for the records.
func (t *taskstats) register(buffer int) error {
	const (
		getFamily, familyID, familyName = 3, 1, 2 // CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID and _NAME
		registerMask                    = 3       // TASKSTATS_CMD_ATTR_REGISTER_CPUMASK
		patience                        = time.Second / 2
	)
	if err := unix.Bind(t.fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	wait := unix.NsecToTimeval(int64(patience))
	if err := unix.SetsockoptTimeval(t.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait); err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	err := t.command(unix.GENL_ID_CTRL, 1, getFamily, familyName, []byte("TASKSTATS\x00"), func(payload []byte) {
		eachAttribute(payload[genlHeader:], func(kind uint16, data []byte) {
			if kind == familyID && len(data) >= 2 {
				t.family = binary.NativeEndian.Uint16(data)
			}
		})
	})
	if err != nil {
		return err
	}
	if t.family == 0 {
		return errors.New("the kernel does not tell the family TASKSTATS")
	}
	_ = unix.SetsockoptInt(t.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, buffer) // else less fits, and the losses are told
	return t.command(t.family, 2, 1, registerMask, t.cpus, func([]byte) {})
}

// command sends a command of generic netlink with one attribute, and gives answers to f until it is
// acknowledged.
func (t *taskstats) command(family uint16, sequence uint32, command byte, attribute uint16, data []byte, f func(payload []byte)) error {
	e := binary.NativeEndian
	size := unix.NLMSG_HDRLEN + genlHeader + attrHeader + len(data)
	b := make([]byte, (size+3)&^3)
	e.PutUint32(b, uint32(len(b)))
	e.PutUint16(b[4:], family)
	e.PutUint16(b[6:], unix.NLM_F_REQUEST|unix.NLM_F_ACK)
	e.PutUint32(b[8:], sequence)
	b[16], b[17] = command, 1 // the version
	e.PutUint16(b[20:], uint16(attrHeader+len(data)))
	e.PutUint16(b[22:], attribute)
	copy(b[24:], data)
	if err := unix.Sendto(t.fd, b, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	const most = 10_000 // records may come before the acknowledgement
	for range most {
		n, _, err := unix.Recvfrom(t.fd, t.bufs[:recordBytes], 0)
		if err == unix.EINTR || err == unix.ENOBUFS {
			continue
		}
		if err != nil {
			return fmt.Errorf("netlink: %w", err)
		}
		done, failure := false, error(nil)
		eachMessage(t.bufs[:n], func(kind uint16, of uint32, payload []byte) {
			switch {
			case of != sequence:
			case kind == unix.NLMSG_ERROR && len(payload) >= 4:
				done = true
				if code := int32(e.Uint32(payload)); code != 0 {
					failure = unix.Errno(-code)
				}
			case kind != unix.NLMSG_ERROR && len(payload) >= genlHeader:
				f(payload)
			}
		})
		if done {
			return failure
		}
	}
	return errors.New("netlink: no answer")
}

func (t *taskstats) drain(f func(*taskRecord)) {
	var r taskRecord
	for { // behind the back of the runtime, see kernelFile.quick: what does not wait is over before others could take turns
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(t.fd), uintptr(unsafe.Pointer(&t.heads[0])), recordsAtOnce, unix.MSG_DONTWAIT, 0, 0)
		if errno == unix.EINTR || errno == unix.ENOBUFS { // which is told once; lost has the number
			continue
		}
		if errno != 0 {
			return
		}
		for i := range int(n) {
			taskRecords(t.bufs[i*recordBytes:][:min(t.heads[i].n, recordBytes)], t.family, &r, f)
		}
		if n < recordsAtOnce {
			return
		}
	}
}

func (t *taskstats) lost() uint64 {
	const drops = 8 // SK_MEMINFO_DROPS of linux/sock_diag.h
	var info [drops + 1]uint32
	n := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(t.fd), unix.SOL_SOCKET, unix.SO_MEMINFO, uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&n)), 0)
	if errno != 0 {
		return 0
	}
	return uint64(info[drops])
}

// close lets the kernel make no records for us any more.
func (t *taskstats) close() {
	const deregisterMask = 4 // TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK
	_ = t.command(t.family, 3, 1, deregisterMask, t.cpus, func([]byte) {})
	_ = unix.Close(t.fd)
}
