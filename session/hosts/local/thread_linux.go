package local

import (
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
	"perfdeck/session"
)

// threadReader reads Thread: of the processes in the Want's instances, by their
// names, or of all.
type threadReader struct {
	tick      *tick
	processes *processes
	tids      []uint32
	buf       []byte
}

func newThreads(t *tick) collector {
	p := newProcesses(t)
	m := newMany(threadCounters, &threadReader{tick: t, processes: p}, true)
	m.totalKey.Parent = totalName
	return m.holdTo(&t.pace, func(t *thread) [mostPaced]uint64 { return [mostPaced]uint64{t.runNS / ns100} })
}

func (r *threadReader) read(f *found[thread]) error {
	pids, err := r.tick.listPids()
	if err != nil {
		return readError("", err)
	}
	r.processes.follow(pids)
	if r.processes.changed {
		r.processes.number()
	}
	r.tick.step()
	f.clocks = r.tick.clocks() // the time to find the processes is none of the threads'
	if wantsProcess(f.want, idleName) {
		r.readIdle(f)
	}
	for _, p := range r.processes.list {
		r.tick.step()
		if p.why == cooker.OK && wantsProcess(f.want, p.name.text) {
			r.readProcess(f, p)
		}
	}
	return nil
}

// readIdle makes a thread of Idle for each CPU.
func (r *threadReader) readIdle(f *found[thread]) {
	idle := &r.processes.idle
	idle.read(&r.processes.stat, f.clocks, r.processes.scale.tick100ns)
	for _, cpu := range idle.stat.cpus {
		t := f.flagged(session.FlagIdle, idleName, strconv.Itoa(cpu.number), 0)
		c := &idle.cpus[cpu.number].clock
		*t = thread{idle: true, idleTime: c.idle(), switches: missing(cooker.Unavailable)}
	}
}

func wantsProcess(w *session.Want, name string) bool {
	return w.Instances == nil || slices.ContainsFunc(w.Instances, func(k session.InstanceKey) bool { return k.Parent == name })
}

func (r *threadReader) readProcess(f *found[thread], p *processRow) {
	files := &r.processes.files
	fd, err := files.open(p.pid, "task", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return
	}
	if r.buf == nil {
		r.buf = make([]byte, direntBuffer)
	}
	r.tids, err = listNumbers(fd, r.buf, r.tids[:0], unix.Getdents)
	_ = unix.Close(fd)
	if err != nil {
		return
	}
	slices.Sort(r.tids)
	for index, tid := range r.tids {
		r.readThread(f, p, index, tid)
	}
}

func (r *threadReader) readThread(f *found[thread], p *processRow, index int, tid uint32) {
	files := &r.processes.files
	data, err := files.ofThread(p.pid, tid, "stat")
	var stat procStat
	if _, ok := stat.parse(data); err != nil || !ok {
		return // it ended
	}
	t := f.instance(p.name.text, strconv.Itoa(index), processID(stat.start, tid))
	*t = thread{scale: &r.processes.scale, pid: p.pid, tid: tid, stat: stat}
	if f.needs&needSchedstat != 0 {
		data, err := files.ofThread(p.pid, tid, "schedstat")
		if n, _, ok := number(data); err == nil && ok {
			t.runNS, t.precise = n, true
		}
	}
	if f.needs&needSwitches != 0 {
		data, err := files.ofThread(p.pid, tid, "status")
		t.switches = contextSwitches(data)
		if err != nil {
			t.switches = missing(statusOf(err))
		}
	}
}

func (r *threadReader) close() { r.processes.leave() }
