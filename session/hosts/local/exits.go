package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
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

func processExitsSet() *session.Counterset {
	return describe(&session.Counterset{
		Name: "Process Exits", Instances: session.MultipleInstances,
		Description: "Processes that ended, by their names; _Total is all of them, _Unattributed the processor time that no process explains, living or ended.",
		Facts:       []string{factCommand},
	}, processExitCounters)
}

var processExitCounters = []counter[exitGroup]{
	{1, "Exits/sec", cooker.CounterCounter, 0, "Processes that ended; in _Total, where names are not known, threads too", totalNone, 0, counted(exitsCounted, func(g *exitGroup) uint64 { return g.exits })},
	{2, "Threads Ended/sec", cooker.CounterCounter, 0, "Threads that ended", totalNone, 0, counted(exitsRecorded, func(g *exitGroup) uint64 { return g.threads })},
	{3, "% Processor Time", cooker.Timer100ns, 0, "CPU time of those that ended, as far as no row of Process had it; one full CPU is 100", totalNone, 0, func(g *exitGroup) cooker.Reading { return raw(g.time) }},
	{4, "Working Set Peak", cooker.CounterLargeRawCount, -5, "Most memory in RAM of one that ended in the interval", totalNone, 0, counted(exitsRecorded, func(g *exitGroup) uint64 { return g.peak })},
	{5, "IO Read Bytes/sec", cooker.CounterBulkCount, 0, "Bytes read by calls, by those that no row of Process had", totalNone, 0, exitIO(ioReadChars)},
	{6, "IO Write Bytes/sec", cooker.CounterBulkCount, 0, "Bytes written by calls, by those that no row of Process had", totalNone, 0, exitIO(ioWriteChars)},
	{7, "IO Data Bytes/sec", cooker.CounterBulkCount, 0, "Bytes read and written by calls, by those that no row of Process had", totalNone, 0, exitIO(ioReadChars, ioWriteChars)},
	{8, "Disk Bytes/sec", cooker.CounterBulkCount, -4, "Bytes read from and written to disks, by those that no row of Process had", totalNone, 0, exitIO(ioReadBytes, ioWriteBytes)},
	{9, "Elapsed Time", cooker.AverageTimer, 0, "Mean age of those that ended, in seconds", totalNone, 0, func(g *exitGroup) cooker.Reading {
		if g.known != exitsRecorded {
			return missing(cooker.Unavailable)
		}
		return ratio(g.lived, g.exits)
	}},
	{10, "Failures/sec", cooker.CounterCounter, 0, "Processes that ended with another exit code than 0, or by a signal", totalNone, 0, counted(exitsRecorded, func(g *exitGroup) uint64 { return g.failed })},
	{11, "Records Lost/sec", cooker.CounterCounter, 0, "Records of ended threads that the kernel could not hand over", totalNone, 0, counted(exitsRecorded, func(g *exitGroup) uint64 { return g.lost })},
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
