package local

import (
	"path/filepath"

	"perfdeck/cooker"
)

// tick is what the collectors of a query share: files that several of them
// read, each read once in a collection.
type tick struct {
	options *Options
	clock   *clock
	gen     uint64
	stat    kept
	snmp    kept
	snmp6   kept
	pids    pidScan
}

func newTick(o *Options, c *clock) *tick {
	t := &tick{options: o, clock: c}
	t.stat = t.proc("stat")
	t.snmp, t.snmp6 = t.procPieces("net/snmp"), t.procPieces("net/snmp6")
	t.pids = pidScan{path: o.Proc}
	return t
}

// begin starts a collection.
func (t *tick) begin(c cooker.Clocks) cooker.Clocks {
	t.gen++
	return c
}

// proc is a file under /proc that is made in one go.
func (t *tick) proc(name string) kept {
	return kept{path: filepath.Join(t.options.Proc, name)}
}

// procPieces is a file under /proc that comes record by record.
func (t *tick) procPieces(name string) kept {
	return kept{path: filepath.Join(t.options.Proc, name), pieces: true}
}

func (t *tick) close() {
	t.stat.close()
	t.snmp.close()
	t.snmp6.close()
	t.pids.close()
}
