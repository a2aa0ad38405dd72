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

	stat        kernelFile
	statistics  statFile
	statClocks  cooker.Clocks // when it was read
	parsed      uint64        // gen of statistics
	vmstat      kernelFile
	vm          values
	vmParsed    uint64 // gen of vm
	snmp, snmp6 protocolFile
	loadavg     kernelFile
	load        loadavg
	loadParsed  uint64 // gen of load
	pids        pidScan
	own         ownLimits
	processes   *processes // of Process and Process Exits; nil: nobody wants them

	// clockOf tells the CPU time of a process; nil: nobody does.
	clockOf func(pid uint32) (ns uint64, ok bool)
}

func newTick(o *Options, c *clock) *tick {
	t := &tick{pace: pace{monotonic: o.Monotonic}, options: o, clock: c}
	t.stat = quick(t.proc("stat"))
	t.vmstat = quick(t.records("vmstat", anySize))
	t.snmp = protocolFile{kernelFile: t.proc("net/snmp"), parse: (*protocolCounts).parseSNMP}
	t.snmp6 = protocolFile{kernelFile: t.proc("net/snmp6"), parse: (*protocolCounts).parseSNMP6}
	t.loadavg = quick(t.proc("loadavg"))
	t.clockOf = o.processClock
	if t.clockOf == nil && hasProcessClocks(o.Proc) {
		t.clockOf = processClock
	}
	t.pids = pidScan{path: o.Proc, shares: o.open, clockOf: t.clockOf}
	return t
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

// proc is a file under /proc that is made in one go.
func (t *tick) proc(name string) kernelFile {
	return newKernelFile(t.options, filepath.Join(t.options.Proc, name))
}

// quick is a file for which the kernel waits for nothing.
func quick(k kernelFile) kernelFile {
	k.quick = true
	return k
}

// anySize is of records of which nobody knows how large they are.
const anySize = seqPage

// records is a file under /proc that comes record by record, each of so many bytes at most.
func (t *tick) records(name string, most int) kernelFile {
	k := t.proc(name)
	k.record = most
	return k
}

// readStat is /proc/stat of this collection.
func (t *tick) readStat() (*statFile, error) {
	if t.stat.gen != t.gen {
		t.statClocks = t.clocks()
	}
	data, err := t.stat.at(t.gen)
	if t.parsed != t.gen {
		t.parsed = t.gen
		t.statistics.parse(data)
	}
	return &t.statistics, err
}

// readVMStat is /proc/vmstat of this collection.
func (t *tick) readVMStat() (*values, error) {
	data, err := t.vmstat.at(t.gen)
	if t.vmParsed != t.gen {
		t.vmParsed = t.gen
		t.vm = values{}
		t.vm.parse(vmKeys, data)
	}
	return &t.vm, err
}

// pageMoves are those of this collection.
func (t *tick) pageMoves() (m pageMoves, known bool) {
	vm, err := t.readVMStat()
	if err != nil {
		return m, false
	}
	return pageMovesOf(vm)
}

// readLoad is /proc/loadavg of this collection.
func (t *tick) readLoad() (*loadavg, error) {
	data, err := t.loadavg.at(t.gen)
	if t.loadParsed != t.gen {
		t.loadParsed = t.gen
		t.load.parse(data)
	}
	return &t.load, err
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
	t.loadavg.close()
	t.snmp.close()
	t.snmp6.close()
	t.pids.close()
}
