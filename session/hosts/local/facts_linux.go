package local

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
)

// factReader reads text facts of processes, only those asked for.
type factReader struct {
	files   *procFiles
	options *Options
	all     bool
	rows    []uint64 // identities, in order of pid
	users   map[uint32]string

	changing bool // state or nice value is wanted
	now      time.Duration
}

// processFacts are the facts that stay while a process rests, but for its control
// group, to which others may move it.
type processFacts struct {
	read                                         uint8         // bits of factBit
	since                                        time.Duration // when they were to be read
	user, command, cgroup, container, executable string
	nice                                         int64
	niceText                                     string
}

const (
	factBitUser = 1 << iota
	factBitCommand
	factBitCgroup
	factBitExecutable
)

func (f *factReader) choose(w *session.FactWant) {
	f.all = w.All
	f.changing = slices.Contains(w.Keys, factState) || slices.Contains(w.Keys, factNice)
	f.rows = f.rows[:0]
	for _, key := range w.Rows {
		f.rows = append(f.rows, key.ID)
	}
	slices.SortFunc(f.rows, func(a, b uint64) int { return cmp.Compare(pidOf(a), pidOf(b)) })
}

// begin prepares a batch whose rows come in order of pid.
func (f *factReader) begin(b *session.SetBatch, now time.Duration) {
	b.Facts, f.now = b.Facts[:0], now
}

// none adds a row without facts.
func (f *factReader) none(b *session.SetBatch) {
	for range b.FactKeys {
		b.Facts = append(b.Facts, "")
	}
}

// add adds the facts of a process.
func (f *factReader) add(b *session.SetBatch, r *processRow) {
	if len(b.FactKeys) == 0 {
		return
	}
	if !f.wanted(r.id) {
		f.none(b)
		return
	}
	f.expire(r)
	for _, key := range b.FactKeys {
		b.Facts = append(b.Facts, f.fact(r, key))
	}
}

// lookedAt is how often facts are read again of rows that somebody looks at. Those of another program, and
// of another name, are read at once.
const lookedAt = recheck / 2

// expire lets facts be read again that may have changed.
func (f *factReader) expire(r *processRow) {
	if age := f.now - r.facts.since; age < lookedAt || f.all && age < recheck {
		return
	}
	r.facts.since = f.now
	r.facts.read &^= factBitCgroup
	if r.ran {
		r.facts.read, r.ran = 0, false
	}
}

// current says that a fact of this process is wanted that may change at any
// moment: its state, its nice value.
func (f *factReader) current(id uint64) bool { return f.changing && f.wanted(id) }

func (f *factReader) wanted(id uint64) bool {
	if f.all {
		return true
	}
	pid := pidOf(id)
	i, _ := slices.BinarySearchFunc(f.rows, pid, func(row uint64, pid uint32) int { return int(pidOf(row)) - int(pid) })
	for ; i < len(f.rows) && pidOf(f.rows[i]) == pid; i++ {
		if f.rows[i] == id {
			return true
		}
	}
	return false
}

// fact is one fact, empty if it is not known or not to be read.
func (f *factReader) fact(r *processRow, key string) string {
	switch key {
	case factUser:
		f.load(r, factBitUser, f.readUser)
		return r.facts.user
	case factCommand:
		f.load(r, factBitCommand, f.readCommand)
		return r.facts.command
	case factCgroup:
		f.load(r, factBitCgroup, f.readCgroup)
		return r.facts.cgroup
	case factContainer:
		f.load(r, factBitCgroup, f.readCgroup)
		return r.facts.container
	case factExecutable:
		f.load(r, factBitExecutable, f.readExecutable)
		return r.facts.executable
	case factState:
		return stateNames[r.stat.state]
	case factNice:
		return r.facts.niceOf(&r.stat)
	}
	return ""
}

// load runs read once for a process and a program.
func (f *factReader) load(r *processRow, bit uint8, read func(*processRow)) {
	if r.facts.read&bit == 0 {
		r.facts.read |= bit
		read(r)
	}
}

func (f *factReader) readUser(r *processRow) {
	uid, ok := f.owner(r.pid)
	if !ok {
		return
	}
	name, known := f.users[uid]
	if !known {
		if name = f.options.UserName(uid); name == "" {
			name = strconv.FormatUint(uint64(uid), 10)
		}
		if f.users == nil {
			f.users = make(map[uint32]string)
		}
		f.users[uid] = name
	}
	r.facts.user = name
}

// owner is the effective user of a process: to him its directory belongs (proc_pid(5)).
// To look at that costs a tenth of reading status.
func (f *factReader) owner(pid uint32) (uid uint32, ok bool) {
	if f.options.owner != nil {
		return f.options.owner(pid)
	}
	return f.files.owner(pid)
}

// readCommand takes the name in brackets where there is no command line, as
// of kernel threads.
func (f *factReader) readCommand(r *processRow) {
	data, err := f.files.once(r.pid, "cmdline")
	if err != nil {
		return
	}
	if r.facts.command = commandText(data); r.facts.command == "" {
		r.facts.command = "[" + strings.ToValidUTF8(string(r.comm), "\uFFFD") + "]"
	}
}

func (f *factReader) readCgroup(r *processRow) {
	data, err := f.files.once(r.pid, "cgroup")
	if err != nil {
		return
	}
	r.facts.cgroup = cgroupPath(data)
	r.facts.container = containerName(r.facts.cgroup)
}

func (f *factReader) readExecutable(r *processRow) {
	path, err := os.Readlink(filepath.Join(f.options.Proc, strconv.FormatUint(uint64(r.pid), 10), "exe"))
	if err == nil {
		r.facts.executable = strings.ToValidUTF8(path, "\uFFFD")
	}
}

func (f *processFacts) niceOf(s *procStat) string {
	if f.niceText == "" || f.nice != s.nice {
		f.nice, f.niceText = s.nice, strconv.FormatInt(s.nice, 10)
	}
	return f.niceText
}
