package local

import (
	"path/filepath"
	"time"

	"perfdeck/cooker"
)

// tick is what the collectors of a query share: files that several of them
// read, each read and parsed once in a collection.
type tick struct {
	pace
	options *Options
	clock   *clock
	gen     uint64        // of the shared files
	now     time.Duration // CLOCK_MONOTONIC at begin

	stat        sharedFile[statFile]
	statClocks  cooker.Clocks // when it was read
	vmstat      sharedFile[values]
	meminfo     sharedFile[values]
	loadavg     sharedFile[loadavg]
	snmp, snmp6 protocolFile
	pids        pidScan
	own         ownLimits
	processes   *processes // of Process and Process Exits; nil: nobody wants them

	// clockOf tells the CPU time of a process; nil: nobody does.
	clockOf func(pid uint32) (ns uint64, ok bool)
}

func newTick(o *Options, c *clock) *tick {
	t := &tick{pace: pace{monotonic: o.Monotonic}, options: o, clock: c}
	t.stat = sharedFile[statFile]{kernelFile: t.proc("stat"), parse: (*statFile).parse}
	t.vmstat = sharedFile[values]{kernelFile: t.records("vmstat", 128), parse: func(v *values, data []byte) { v.parse(vmKeys, data) }}
	t.meminfo = sharedFile[values]{kernelFile: t.proc("meminfo"), parse: func(v *values, data []byte) { v.parse(memKeys, data) }}
	t.snmp.sharedFile = sharedFile[protocolCounts]{kernelFile: t.proc("net/snmp"), parse: (*protocolCounts).parseSNMP}
	t.snmp6.sharedFile = sharedFile[protocolCounts]{kernelFile: t.proc("net/snmp6"), parse: (*protocolCounts).parseSNMP6}
	t.loadavg = sharedFile[loadavg]{kernelFile: t.proc("loadavg"), parse: (*loadavg).parse}
	t.clockOf = o.processClock
	if t.clockOf == nil && hasProcessClocks(o.Proc) {
		t.clockOf = processClock
	}
	t.pids = pidScan{path: o.Proc, shares: o.open, clockOf: t.clockOf}
	return t
}

// sharedFile is a file that several collectors read, with what is made of it.
type sharedFile[T any] struct {
	kernelFile

	made  T
	from  uint64 // gen of made
	parse func(*T, []byte)
}

// of is what the file says in a collection, read and parsed once.
func (s *sharedFile[T]) of(gen uint64) (*T, error) {
	data, err := s.at(gen)
	if s.from != gen {
		s.from = gen
		s.parse(&s.made, data)
	}
	return &s.made, err
}

// begin starts a collection.
func (t *tick) begin(c cooker.Clocks) {
	t.gen++
	t.begun, t.now = c, time.Duration(c.PerfTime)
}

// start begins the reading of a set. One that is made again reads shared files
// again too.
func (t *tick) start(again bool) cooker.Clocks {
	if again {
		t.gen++
	}
	return t.pace.start(again)
}

// newKernelFile is a file whose descriptor the queries share.
func newKernelFile(o *Options, path string) kernelFile {
	return kernelFile{path: path, shares: o.open, before: o.beforeRead}
}

// proc is a file under /proc that is made in one go, and for which the kernel waits for nothing but
// short locks of its own.
func (t *tick) proc(name string) kernelFile {
	k := newKernelFile(t.options, filepath.Join(t.options.Proc, name))
	k.quick = true
	return k
}

// anySize is of records of which nobody knows how large they are.
const anySize = seqPage

// records is such a file that comes record by record, each of so many bytes at most.
func (t *tick) records(name string, most int) kernelFile {
	k := t.proc(name)
	k.record = most
	return k
}

// mayWait is a file for which the kernel waits for others, so that the runtime is told of it.
func mayWait(k kernelFile) kernelFile {
	k.quick = false
	return k
}

// readStat is /proc/stat of this collection.
func (t *tick) readStat() (*statFile, error) {
	if t.stat.gen != t.gen {
		t.statClocks = t.clocks()
	}
	return t.stat.of(t.gen)
}

// pageMoves are those of this collection.
func (t *tick) pageMoves() (m pageMoves, known bool) {
	vm, err := t.vmstat.of(t.gen)
	if err != nil {
		return m, false
	}
	return pageMovesOf(vm)
}

// listPids lists the processes of this collection.
func (t *tick) listPids() ([]uint32, error) {
	if t.pids.gen != t.gen {
		_, _ = t.readStat()
		t.pids.list(t)
	}
	return t.pids.pids, t.pids.err
}

func (t *tick) close() {
	t.stat.close()
	t.vmstat.close()
	t.meminfo.close()
	t.loadavg.close()
	t.snmp.close()
	t.snmp6.close()
	t.pids.close()
}
