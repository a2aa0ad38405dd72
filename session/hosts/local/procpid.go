package local

import "bytes"

// procStat holds the fields of /proc/PID/stat that are used (proc_pid_stat(5)).
// Times are in USER_HZ.
type procStat struct {
	state         byte
	parent        uint64 // field 4
	flags         uint64 // 9, PF_* of linux/sched.h
	minorFaults   uint64 // 10
	majorFaults   uint64 // 12
	user          uint64 // 14
	system        uint64 // 15
	children      uint64 // 16 and 17: CPU time of all that it waited for, and that these had waited for
	priority      int64  // 18
	nice          int64  // 19
	threads       uint64 // 20
	start         uint64 // 22, since boot
	virtual       uint64 // 23, bytes
	residentPages uint64 // 24
	realTime      uint64 // 40
}

// Flags of linux/sched.h.
const (
	flagForkNoExec   = 0x00000040 // PF_FORKNOEXEC
	flagKernelThread = 0x00200000 // PF_KTHREAD
)

// ended says that the process is a zombie or nearly gone.
func (s *procStat) ended() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

func (s *procStat) kernelThread() bool { return s.flags&flagKernelThread != 0 }

const lastStatField = 40

// parse reads the line and returns the name in it, which may hold anything,
// parentheses and line ends too. ok is false without a start time, for then
// the process has no identity.
func (s *procStat) parse(b []byte) (comm []byte, ok bool) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open || len(b) < end+4 {
		return nil, false
	}
	var f [lastStatField + 1]uint64
	var negative uint64 // bit n: field n has a minus
	n, rest := 3, b[end+3:]
	for len(rest) > 1 && rest[0] == ' ' && n < lastStatField {
		rest = rest[1:]
		n++
		if rest[0] == '-' {
			negative |= 1 << n
			rest = rest[1:]
		}
		value, length := uint64(0), 0
		for length < len(rest) && rest[length]-'0' <= 9 {
			value = value*10 + uint64(rest[length]-'0')
			length++
		}
		if length == 0 {
			n--
			break
		}
		f[n], rest = value, rest[length:]
	}
	if n < 22 {
		return nil, false
	}
	*s = procStat{
		state: b[end+2], parent: f[4], flags: f[9], minorFaults: f[10], majorFaults: f[12],
		user: f[14], system: f[15], children: f[16] + f[17], priority: int64(f[18]), nice: int64(f[19]), threads: f[20],
		start: f[22], virtual: f[23], residentPages: f[24], realTime: f[40],
	}
	if negative&(1<<18) != 0 {
		s.priority = -s.priority
	}
	if negative&(1<<19) != 0 {
		s.nice = -s.nice
	}
	return b[open+1 : end], true
}

// Sizes in /proc/PID/status.
const (
	statusPeak      = iota // VmPeak
	statusHighWater        // VmHWM
	statusAnonymous        // RssAnon, 4.5+
	statusSwap             // VmSwap
	statusSizes
)

// procStatus is what is used of /proc/PID/status.
type procStatus struct {
	have  uint8
	bytes [statusSizes]uint64
}

// parse reads the sizes. Kernel threads and zombies have no memory and no
// lines of it: theirs are 0.
func (s *procStatus) parse(b []byte) {
	*s = procStatus{}
	memory := false
	for l := range lines(b) {
		if len(l) < 8 || l[0] != 'V' && l[0] != 'R' {
			continue
		}
		switch {
		case string(l[:7]) == "VmSize:":
			memory = true
		case string(l[:7]) == "VmPeak:":
			s.set(statusPeak, l[7:])
		case string(l[:6]) == "VmHWM:":
			s.set(statusHighWater, l[6:])
		case string(l[:8]) == "RssAnon:":
			s.set(statusAnonymous, l[8:])
		case string(l[:7]) == "VmSwap:":
			s.set(statusSwap, l[7:])
			return
		}
	}
	if !memory && s.have == 0 {
		s.have = 1<<statusSizes - 1
	}
}

func (s *procStatus) set(key int, value []byte) {
	if n, _, ok := number(value); ok {
		s.bytes[key] = n << 10
		s.have |= 1 << key
	}
}

// Counts in /proc/PID/io.
const (
	ioReadChars = iota
	ioWriteChars
	ioReadCalls
	ioWriteCalls
	ioReadBytes
	ioWriteBytes
	ioCounts
)

var ioKeys = [ioCounts]string{"rchar:", "wchar:", "syscr:", "syscw:", "read_bytes:", "write_bytes:"}

type procIO struct {
	have uint8
	n    [ioCounts]uint64
}

func (p *procIO) parse(b []byte) {
	p.have = 0
	i := 0
	for l := range lines(b) {
		for k := range ioKeys { // lines come in this order, so that the first try hits
			key := (i + k) % ioCounts
			if name := ioKeys[key]; len(l) < len(name) || string(l[:len(name)]) != name {
				continue
			}
			if n, _, ok := number(l[len(ioKeys[key]):]); ok {
				p.n[key] = n
				p.have |= 1 << key
			}
			i = key + 1
			break
		}
	}
}

// memoryPages are the pages in /proc/PID/statm that are in RAM, and those of
// them that are not shared.
func memoryPages(b []byte) (resident, unshared uint64, ok bool) {
	_, b, _ = number(b)
	if resident, b, ok = number(b); !ok {
		return 0, 0, false
	}
	shared, _, ok := number(b)
	return resident, grown(shared, resident), ok
}
