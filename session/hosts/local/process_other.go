//go:build !linux

package local

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	gops "github.com/shirou/gopsutil/v4/process"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

var processHere = here{
	{nil, []string{
		"% Processor Time", "% User Time", "% Privileged Time", "Virtual Bytes", "Working Set", "Thread Count",
		"Elapsed Time", "ID Process", "Creating Process ID",
	}},
	{[]string{"windows", "darwin"}, []string{"Handle Count"}},
	{[]string{"windows"}, []string{
		"IO Read Operations/sec", "IO Write Operations/sec", "IO Data Operations/sec",
		"IO Read Bytes/sec", "IO Write Bytes/sec", "IO Data Bytes/sec",
	}},
	{[]string{"darwin"}, []string{"Disk Read Bytes/sec", "Disk Write Bytes/sec", "Disk Bytes/sec"}},
}

// processes reads the counterset Process.
type processes struct {
	tick  *tick
	scale processScale
	cols  []column[process]
	needs uint32
	facts session.FactWant

	threads bool // their number is wanted: each question costs a call
	total   totals
	rows    map[uint64]*processRow
	round   uint64
	slots   int
	free    []int
	stamp   stamp
	names   numberedNames
}

type processRow struct {
	process
	handle *gops.Process
	id     uint64
	slot   int
	round  uint64
	name   *nameEntry
	index  uint32
	facts  map[string]string
}

func newProcesses(t *tick) collector {
	return &processes{
		tick: t, scale: processScale{tick100ns: 1, pageBytes: 1, boot: t.clock.boot()},
		rows: make(map[uint64]*processRow), total: totals{countNew: true},
	}
}

func (p *processes) choose(w *session.Want) {
	p.cols = columnsHere(processCounters, w)
	p.needs = needsOf(p.cols)
	p.threads = slices.ContainsFunc(p.cols, func(c column[process]) bool { return c.name == "Thread Count" })
	p.facts = w.Facts
	chooseTotals(&p.total, p.cols)
}

func (p *processes) collect(b *session.SetBatch, clocks cooker.Clocks) {
	pids, err := gops.Pids()
	if err != nil {
		failed(b, clocks, fmt.Errorf("list processes: %w", err))
		return
	}
	p.round++
	list := make([]*processRow, 0, len(pids))
	for _, pid := range pids {
		p.tick.step()
		if r := p.read(pid); r != nil {
			list = append(list, r)
		}
	}
	p.forget()
	p.number(list)
	b.Clocks = p.stamp.settleWalk(&p.tick.pace, clocks, 0)
	p.total.begin(p.slots)
	for i, r := range list {
		key := session.InstanceKey{Name: r.name.text, ID: r.id}
		b.Instances = append(b.Instances, session.Instance{
			Key: key, Index: r.index, Number: uint64(r.pid), Owner: r.stat.parent,
		})
		appendRow(b, p.cols, &r.process)
		p.total.add(r.slot, b.Row(i))
		p.addFacts(b, r, key)
	}
	b.Instances = append(b.Instances, session.Instance{Key: session.InstanceKey{Name: totalName}, Flags: session.FlagTotal})
	b.Readings = p.total.appendTo(b.Readings)
	b.Facts = append(b.Facts, make([]string, len(b.FactKeys))...)
}

// number gives the names their n of name#n: by start time, then by pid.
func (p *processes) number(list []*processRow) {
	order := slices.Clone(list)
	slices.SortFunc(order, func(a, b *processRow) int { return cmp.Compare(a.id, b.id) })
	p.names.begin()
	p.names.next(p.names.entry([]byte(totalName)))
	for _, r := range order {
		r.index = p.names.next(r.name)
	}
	p.names.end()
}

// read reads a process, nil when it ended.
func (p *processes) read(pid int32) *processRow {
	handle := &gops.Process{Pid: pid}
	created, err := handle.CreateTime() // ms since 1970
	if err != nil {
		return nil
	}
	start := grown(p.scale.boot, uint64(created)*10_000+cooker.Unix100ns)
	id := processID(start/units100ns, uint32(pid))
	r := p.rows[id]
	if r == nil {
		name, err := handle.Name()
		if err != nil {
			return nil
		}
		r = &processRow{process: process{scale: &p.scale, pid: uint32(pid)}, handle: handle, id: id, slot: p.slot()}
		r.stat.start = start
		r.name = p.names.entry(paths.AppendInstance(nil, []byte(name)))
		p.rows[id] = r
	}
	r.round = p.round
	r.name = p.names.entry([]byte(r.name.text))
	p.fill(r)
	return r
}

func (p *processes) slot() int {
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		p.total.forget(s)
		return s
	}
	p.slots++
	return p.slots - 1
}

// forget drops processes that ended.
func (p *processes) forget() {
	for id, r := range p.rows {
		if r.round != p.round {
			p.free = append(p.free, r.slot)
			delete(p.rows, id)
		}
	}
}

func (p *processes) fill(r *processRow) {
	h := r.handle
	m, err := h.MemoryInfo()
	// Of another user's process darwin tells nothing, which gopsutil takes for 0.
	if err != nil || m == nil || runtime.GOOS == "darwin" && m.VMS == 0 {
		r.why = cooker.Denied
		return
	}
	t, err := h.Times()
	if err != nil {
		r.why = cooker.Denied
		return
	}
	r.why = cooker.OK
	r.stat.user, r.stat.system = time100ns(t.User), time100ns(t.System)
	r.stat.residentPages, r.stat.virtual = m.RSS, m.VMS
	if parent, err := h.Ppid(); err == nil {
		r.stat.parent = uint64(parent)
	}
	if p.threads {
		if n, err := h.NumThreads(); err == nil {
			r.stat.threads = uint64(n)
		}
	}
	if p.needs&needHandles != 0 {
		r.handles = missing(cooker.Denied)
		if n, err := h.NumFDs(); err == nil {
			r.handles = raw(uint64(n))
		}
	}
	if p.needs&needIO != 0 {
		p.fillIO(r)
	}
}

func (p *processes) fillIO(r *processRow) {
	c, err := r.handle.IOCounters()
	if err != nil || c == nil {
		r.ioWhy = cooker.Denied
		return
	}
	r.ioWhy = cooker.OK
	r.io = procIO{have: 1<<ioCounts - 1, n: [ioCounts]uint64{
		ioReadChars: c.ReadBytes, ioWriteChars: c.WriteBytes, ioReadCalls: c.ReadCount, ioWriteCalls: c.WriteCount,
		ioReadBytes: c.DiskReadBytes, ioWriteBytes: c.DiskWriteBytes,
	}}
}

func (p *processes) addFacts(b *session.SetBatch, r *processRow, key session.InstanceKey) {
	wanted := p.facts.All
	for i := 0; i < len(p.facts.Rows) && !wanted; i++ {
		wanted = p.facts.Rows[i] == key
	}
	for _, k := range b.FactKeys {
		text := ""
		if wanted {
			text = r.fact(k)
		}
		b.Facts = append(b.Facts, text)
	}
}

// fact asks for a text once for each process.
func (r *processRow) fact(key string) string {
	if text, ok := r.facts[key]; ok {
		return text
	}
	ask := map[string]func() (string, error){
		factUser: r.handle.Username, factCommand: r.handle.Cmdline, factExecutable: r.handle.Exe,
	}[key]
	if ask == nil {
		return ""
	}
	text, err := ask()
	if err != nil {
		text = ""
	}
	if r.facts == nil {
		r.facts = make(map[string]string)
	}
	r.facts[key] = strings.ToValidUTF8(text, "\uFFFD")
	return r.facts[key]
}

func (p *processes) close() {}
