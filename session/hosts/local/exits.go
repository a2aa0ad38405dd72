package local

import (
	"perfdeck/cooker"
)

// exitGroup is processes of one name that ended, counted since they are watched; or what stands for no
// process: all of them, and the time of processors that nothing explains.
type exitGroup struct {
	time    uint64 // CPU time that no row of a process had, 100 ns
	known   knownExits
	exits   uint64
	threads uint64
	failed  uint64 // that ended with another code than 0
	lost    uint64 // records that nobody could take
	lived   uint64 // ns
	peak    uint64 // bytes, most of those of the last interval
	io      [ioCounts]uint64
	about   string // whose children, or why it is not known more closely
}

// knownExits is what is known of those that ended besides their time.
type knownExits uint8

const (
	exitsUnknown  knownExits = iota
	exitsCounted             // how many there were
	exitsRecorded            // all that records tell
)

// exitRecords are the records of what ends on this computer, from when they were asked for on.
type exitRecords interface {
	// drain gives those that wait to f, oldest first.
	drain(f func(*taskRecord))
	// lost is how many the kernel could not hand over.
	lost() uint64
	close()
}

// taskRecord is what the kernel says of a thread that ended (Documentation/accounting/taskstats.rst).
type taskRecord struct {
	last     bool   // it was the last of its process, which ended with it
	asGroup  bool   // the same, as far as versions before 12 tell it
	old      bool   // of a version before 12: last is not told
	pid      uint32 // number of the thread
	tgid     uint32 // of its process; 0: versions before 12 do not tell
	parent   uint32 // of the process that it is a child of
	code     uint32 // as wait(2) gives it
	comm     []byte // good until the next message is read
	cpuNS    uint64 // with last: of all threads of the process
	lived    uint64 // ns
	peakKiB  uint64 // most memory in RAM
	io       [ioCounts]uint64
	hasPID   bool
	groupCPU uint64 // ns, of the part for the process; 0: none
}

// Instances that stand for no name.
const (
	unattributedName = "_Unattributed"
	otherExits       = "_Other" // of more names than are kept
)

var processExitCounters = []counter[exitGroup]{
	{"Exits/sec", 0, counted(exitsCounted, func(g *exitGroup) uint64 { return g.exits })},
	{"Threads Ended/sec", 0, counted(exitsRecorded, func(g *exitGroup) uint64 { return g.threads })},
	{"% Processor Time", 0, func(g *exitGroup) cooker.Reading { return raw(g.time) }},
	{"Working Set Peak", 0, counted(exitsRecorded, func(g *exitGroup) uint64 { return g.peak })},
	{"IO Read Bytes/sec", 0, exitIO(ioReadChars)},
	{"IO Write Bytes/sec", 0, exitIO(ioWriteChars)},
	{"IO Data Bytes/sec", 0, exitIO(ioReadChars, ioWriteChars)},
	{"Disk Bytes/sec", 0, exitIO(ioReadBytes, ioWriteBytes)},
	{"Elapsed Time", 0, func(g *exitGroup) cooker.Reading {
		if g.known != exitsRecorded {
			return missing(cooker.Unavailable)
		}
		return ratio(g.lived, g.exits)
	}},
	{"Failures/sec", 0, counted(exitsRecorded, func(g *exitGroup) uint64 { return g.failed })},
	{"Records Lost/sec", 0, counted(exitsRecorded, func(g *exitGroup) uint64 { return g.lost })},
}

// counted is a count of those that ended, where so much of them is known.
func counted(least knownExits, f func(*exitGroup) uint64) func(*exitGroup) cooker.Reading {
	return func(g *exitGroup) cooker.Reading {
		if g.known < least {
			return missing(cooker.Unavailable)
		}
		return raw(f(g))
	}
}

func exitIO(keys ...int) func(*exitGroup) cooker.Reading {
	return counted(exitsRecorded, func(g *exitGroup) (n uint64) {
		for _, k := range keys {
			n += g.io[k]
		}
		return n
	})
}
