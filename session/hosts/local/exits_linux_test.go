package local

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/session"
)

// told are records that tests make up.
type told struct {
	waiting []taskRecord
	missed  uint64
	closed  bool
}

func (r *told) drain(f func(*taskRecord)) {
	for i := range r.waiting {
		f(&r.waiting[i])
	}
	r.waiting = nil
}

func (r *told) lost() uint64 { return r.missed }

func (r *told) close() { r.closed = true }

// exit is the record of a process that ended, of so many ticks.
func exit(pid, parent uint32, comm string, ticks uint64) taskRecord {
	return taskRecord{last: true, pid: pid, tgid: pid, parent: parent, comm: []byte(comm), cpuNS: ticks * 10e6, lived: 2e9, peakKiB: 64, io: [ioCounts]uint64{ioReadChars: 100}}
}

// ledgerWorld is a computer of two processors that have no idle time: the process 10 waits for its children.
type ledgerWorld struct {
	*machine
	told told
	cpu  [2][cpuColumns]uint64
}

func newLedger(t *testing.T, without error, files map[string]string) *ledgerWorld {
	w := &ledgerWorld{}
	w.cpu[0][colUser], w.cpu[1][colUser] = 1000, 1000
	files["proc/stat"], files["proc/loadavg"] = w.stat(0), "1 1 1 2/100 5\n"
	w.machine = newMachine(t, files)
	w.exits = func() (exitRecords, error) {
		if without != nil {
			return nil, without
		}
		return &w.told, nil
	}
	w.watch("Process", "Process Exits")
	return w
}

func (w *ledgerWorld) stat(forks int) string {
	return statOf(w.cpu[0], w.cpu[1]) + fmt.Sprintf("processes %d\n", forks)
}

// second lets a second pass, in which processors did something: 100 ticks each.
func (w *ledgerWorld) second(first, other int, forks int, files map[string]string) {
	w.t.Helper()
	w.cpu[0][first] += 100
	w.cpu[1][other] += 100
	files["proc/stat"] = w.stat(forks)
	w.after(time.Second, files)
}

// ticks is the time of instances of Process Exits, by their names.
func (w *ledgerWorld) ticks() map[string]uint64 {
	w.t.Helper()
	out := map[string]uint64{}
	for _, in := range w.set("Process Exits").Instances {
		if n := w.reading("Process Exits", in.Key.Name, "% Processor Time").Raw / 100_000; n > 0 {
			out[in.Key.Name] = n
		}
	}
	return out
}

func (w *ledgerWorld) want(when string, want map[string]uint64) {
	w.t.Helper()
	if got := w.ticks(); !maps.Equal(got, want) {
		w.t.Errorf("%s: %v, want %v", when, got, want)
	}
}

// All time of the processors is somebody's, once: of rows, of those that ended by their names, or nobody's.
func TestLedger(t *testing.T) {
	w := newLedger(t, nil, map[string]string{"proc/10/stat": familyStat(10, 1, 5, 700, 100), "proc/11/stat": familyStat(11, 10, 40, 0, 200)})
	whole := func() uint64 { return w.reading("Process", "_Total", "% Processor Time").Raw / 100_000 }
	before := whole()
	w.want("before anything", map[string]uint64{})

	w.told.waiting = []taskRecord{exit(50, 10, "cc1", 60), exit(51, 10, "cc1", 20), exit(52, 51, "as", 10)}
	w.second(colUser, colUser, 3, map[string]string{"proc/10/stat": familyStat(10, 1, 15, 796, 100), "proc/11/stat": familyStat(11, 10, 100, 0, 200)})
	// 96 of 200 were children's, 90 of them told; 10 and 60 are in rows; 34 are nobody's.
	w.want("three that no scan saw", map[string]uint64{"cc1": 84, "as": 12, "_Total": 96, "_Unattributed": 34})
	if got := whole() - before; got != 200 {
		t.Errorf("both processors are %d ticks in a second", got)
	}
	for name, want := range map[string]uint64{"cc1": 2, "as": 1, "_Total": 3} {
		if got := w.reading("Process Exits", name, "Exits/sec").Raw; got != want {
			t.Errorf("%d of %s ended, want %d", got, name, want)
		}
		if got := w.reading("Process Exits", name, "Elapsed Time"); got.Raw != want*2e9 || got.Base != want {
			t.Errorf("%s lived %d in all of %d", name, got.Raw, got.Base)
		}
	}
	if got := w.fact("Process Exits", "as", "command line"); got != "children of p10" {
		t.Errorf("as was of %q", got)
	}

	// One that has a row ends: its row had 100 ticks of 130. It is a zombie first, which counts once.
	w.told.waiting = []taskRecord{exit(11, 10, "p11", 130)}
	w.second(colUser, colUser, 3, map[string]string{"proc/11/stat": strings.Replace(familyStat(11, 10, 120, 0, 200), " S ", " Z ", 1)})
	w.second(colUser, colUser, 3, map[string]string{"proc/11": "", "proc/10/stat": familyStat(10, 1, 15, 796+131, 100)})
	w.want("one that was a zombie", map[string]uint64{"cc1": 84, "as": 12, "p11": 11, "_Total": 107, "_Unattributed": 34 + 180 + 189})
	if got := w.reading("Process Exits", "p11", "Exits/sec").Raw; got != 1 {
		t.Errorf("it ended %d times", got)
	}
}

// What a thread of the kernel that has no row takes, what the hypervisor takes, and interrupts are never said
// to be of processes that ended.
func TestUnexplainedIsNotEnded(t *testing.T) {
	w := newLedger(t, nil, map[string]string{"proc/10/stat": familyStat(10, 1, 5, 0, 100), "proc/20/stat": kernelThread(20, "kswapd0")})
	w.sel(func() (out []session.Want) {
		for _, name := range []string{"Process", "Process Exits"} {
			want := allOf(w.catalogue.Set(name))
			if want.Facts = (session.FactWant{Keys: []string{"command line"}, All: true}); name == "Process" {
				want.Of = slices.Repeat([]session.Part{session.Members}, len(want.Counters))
			}
			out = append(out, want)
		}
		return out
	}()...)
	w.second(colUser, colUser, 0, map[string]string{})
	base := w.ticks()["_Unattributed"]
	w.told.waiting = []taskRecord{exit(50, 10, "true", 0)}
	w.second(colSystem, colSteal, 1, map[string]string{"proc/10/stat": familyStat(10, 1, 25, 0, 100)})
	w.want("steal and the kernel", map[string]uint64{"_Unattributed": base + 180})
	if got := w.fact("Process Exits", "_Unattributed", "command line"); !strings.HasPrefix(got, "steal 100 %, threads of the kernel") {
		t.Errorf("the reason is %q", got)
	}
}

// Without the right to records the parents tell what their children took; where the parent ended too, whoever
// waited for that does.
func TestEndedWithoutRecords(t *testing.T) {
	w := newLedger(t, unix.EPERM, map[string]string{
		"proc/10/stat": familyStat(10, 1, 5, 0, 100), "proc/11/stat": familyStat(11, 10, 1, 0, 200), "proc/12/stat": familyStat(12, 11, 50, 0, 300),
	})
	w.second(colUser, colUser, 30, map[string]string{"proc/10/stat": familyStat(10, 1, 5, 60, 100), "proc/12/stat": familyStat(12, 11, 150, 0, 300)})
	w.want("children of one", map[string]uint64{"children of p10": 60, "_Total": 60, "_Unattributed": 40})
	if got := w.reading("Process Exits", "_Total", "Exits/sec").Raw; got != 30 {
		t.Errorf("%d ended of 30 that began", got)
	}
	if got := w.fact("Process Exits", "_Total", "command line"); !strings.Contains(got, "CAP_NET_ADMIN") {
		t.Errorf("why names are not known: %q", got)
	}
	w.second(colUser, colUser, 30, map[string]string{"proc/11": "", "proc/12": "", "proc/10/stat": familyStat(10, 1, 5, 60+1+150+20, 100)})
	w.want("a child and its child, which had rows", map[string]uint64{"children of p10": 80, "_Total": 80, "_Unattributed": 40 + 180})
}

// Children nobody waits for are known by their records alone.
func TestNobodyWaits(t *testing.T) {
	w := newLedger(t, nil, map[string]string{"proc/10/stat": familyStat(10, 1, 5, 0, 100)})
	for range 2 {
		w.told.waiting = []taskRecord{exit(50, 10, "worker", 70), exit(51, 999, "lost", 20)}
		w.second(colUser, colUser, 2, map[string]string{})
	}
	w.want("two seconds", map[string]uint64{"worker": 140, "lost": 40, "_Total": 180, "_Unattributed": 220})
}

// Records of threads count for their process where that ended without a row; names are bounded; and who is told
// nothing though tasks end says so.
func TestRecordsOfThreads(t *testing.T) {
	w := newLedger(t, nil, map[string]string{"proc/10/stat": familyStat(10, 1, 5, 0, 100)})
	thread := exit(60, 10, "java", 0)
	thread.last, thread.pid = false, 61
	w.told.waiting = []taskRecord{thread, exit(60, 10, "java", 7)}
	w.told.missed = 5
	w.second(colUser, colUser, 2, map[string]string{})
	for counter, want := range map[string]uint64{"Exits/sec": 1, "Threads Ended/sec": 2, "IO Read Bytes/sec": 200, "Records Lost/sec": 5} {
		of := "java"
		if counter == "Records Lost/sec" {
			of = "_Total"
		}
		if got := w.reading("Process Exits", of, counter).Raw; got != want {
			t.Errorf("%s of %s is %d, want %d", counter, of, got, want)
		}
	}
	for i := range 2 * mostGroups {
		w.told.waiting = append(w.told.waiting, exit(uint32(100+i), 10, fmt.Sprint("n", i), 0))
	}
	w.second(colUser, colUser, 600, map[string]string{})
	if n := len(w.set("Process Exits").Instances); n > mostGroups+3 {
		t.Errorf("%d names are kept", n)
	}
	w.second(colUser, colUser, 600, map[string]string{})
	w.after(2*groupKept, map[string]string{})
	if n := len(w.set("Process Exits").Instances); n != 2 {
		t.Errorf("%d names are kept after a while", n)
	}
	_ = w.query.Close()
	if !w.told.closed {
		t.Error("records are made still")
	}
}

func TestNobodyTells(t *testing.T) {
	w := newLedger(t, nil, map[string]string{"proc/10/stat": familyStat(10, 1, 5, 0, 100)})
	for i := range mostSilent + 2 {
		w.second(colUser, colUser, 100*(i+1), map[string]string{"proc/10/stat": familyStat(10, 1, 5, 30*(i+1), 100)})
	}
	if got := w.fact("Process Exits", "_Total", "command line"); !strings.Contains(got, "network namespace") {
		t.Errorf("why names are not known: %q", got)
	}
	if got := w.ticks()["children of p10"]; got != 30*(mostSilent+2) {
		t.Errorf("children took %d ticks", got)
	}
	if got := w.reading("Process Exits", "_Total", "Exits/sec").Raw; got < 200 {
		t.Errorf("%d ended", got)
	}
}

// A process that is new has its rates of the interval in which it was born.
func TestNewProcessHasRates(t *testing.T) {
	w := newLedger(t, nil, map[string]string{"proc/10/stat": familyStat(10, 1, 5, 0, 100)})
	now := int(w.uptime/time.Second) * 100
	w.second(colUser, colUser, 1, map[string]string{"proc/30/stat": familyStat(30, 10, 40, 0, now+20), "proc/31/stat": familyStat(31, 10, 40, 0, 50)})
	before := w.set("Process").Before
	if before == nil || len(before.Instances) != 1 || before.Instances[0].Number != 30 {
		t.Fatalf("readings of before: %+v", before)
	}
	if col, _ := before.Set.Counter("% Processor Time"); before.Row(0)[slices.Index(before.Counters, col)].Raw != 0 {
		t.Error("it had taken time before it was there")
	}
	w.second(colUser, colUser, 1, map[string]string{})
	if w.set("Process").Before != nil {
		t.Error("nobody is new any more")
	}
}

// taskStruct is a struct taskstats of a version, written independently of how it is read: fields in the order of
// include/uapi/linux/taskstats.h.
func taskStruct(version uint16, comm string, pid, parent, tgid uint32, cpu uint64, last bool) []byte {
	e := binary.NativeEndian
	var b []byte
	u16 := func(n uint16) { b = e.AppendUint16(b, n) }
	u32 := func(n uint32) { b = e.AppendUint32(b, n) }
	u64 := func(list ...uint64) {
		for _, n := range list {
			b = e.AppendUint64(b, n)
		}
	}
	between := func() {
		if version == 15 {
			u64(91, 92) // max, min
		}
	}
	u16(version)
	u16(0)
	u32(256) // exit code 1
	flag := byte(0)
	if last {
		flag = taskGroup
	}
	b = append(b, flag, 0, 0, 0, 0, 0, 0, 0)
	for range 3 { // cpu, blkio, swapin
		u64(1, 2)
		between()
	}
	u64(cpu, 3)
	b = append(b, make([]byte, taskComm)...)
	copy(b[len(b)-taskComm:], comm)
	u64(0) // sched and padding
	u32(1000)
	u32(1000)
	u32(pid)
	u32(parent)
	u32(77) // btime
	u32(0)
	u64(5000, 4, 4, 6, 7, 8, 9, 640, 11, 101, 102, 103, 104, 105, 106, 107) // etime to cancelled
	u64(12, 13, 14, 15, 16)                                                 // nvcsw, nivcsw, scaled
	u64(1, 2)
	between()
	u64(1, 2)
	between()
	if version >= 10 {
		u64(77)
	}
	if version >= 11 {
		u64(1, 2)
		between()
	}
	if version >= 12 {
		u32(tgid)
		u32(0)
		u64(5000, 1, 2)
	}
	for range map[bool]int{true: 2}[version >= 13] {
		u64(1, 2)
	}
	return b
}

// netlink wraps attributes of the parts for a thread and its process into a message.
func taskMessage(family uint16, parts map[uint16][]byte) []byte {
	e := binary.NativeEndian
	attr := func(kind uint16, data []byte) []byte {
		b := e.AppendUint16(e.AppendUint16(nil, uint16(4+len(data))), kind)
		return append(b, append(data, make([]byte, (4-len(data)%4)%4)...)...)
	}
	body := append([]byte{cmdNewStats, 1, 0, 0}, attr(6, nil)...) // TASKSTATS_TYPE_NULL, which may come first
	for _, kind := range slices.Sorted(maps.Keys(parts)) {
		body = append(body, attr(kind, slices.Concat(attr(1, make([]byte, 4)), attr(attrStats, parts[kind])))...)
	}
	head := e.AppendUint32(nil, uint32(unix.NLMSG_HDRLEN+len(body)))
	head = e.AppendUint16(e.AppendUint16(head, family), 0)
	return slices.Concat(e.AppendUint32(e.AppendUint32(head, 1), 0), body)
}

func TestTaskstatsVersions(t *testing.T) {
	for version := uint16(8); version <= 17; version++ {
		parts := map[uint16][]byte{attrAggrPID: taskStruct(version, "cc1plus", 42, 7, 40, 3e6, true), attrAggrTGID: taskStruct(version, "", 0, 0, 0, 9e6, false)}
		var got []taskRecord
		taskRecords(taskMessage(30, parts), 30, new(taskRecord), func(r *taskRecord) { got = append(got, *r) })
		if len(got) != 1 {
			t.Fatalf("version %d: %d records", version, len(got))
		}
		r := got[0]
		tgid := uint32(40)
		if version < 12 {
			tgid = 0
		}
		if string(r.comm) != "cc1plus" || r.pid != 42 || r.parent != 7 || r.tgid != tgid || !r.last || r.code != 256 || r.cpuNS != 9e6 || r.lived != 5e6 || r.peakKiB != 640 ||
			r.io != [ioCounts]uint64{101, 102, 103, 104, 105, 106} {
			t.Errorf("version %d is %+v", version, r)
		}
		delete(parts, attrAggrTGID)
		taskRecords(taskMessage(30, parts), 30, new(taskRecord), func(r *taskRecord) {
			if r.cpuNS != 3e6 || r.last != (version >= 12) {
				t.Errorf("version %d of one thread is %+v", version, r)
			}
		})
		taskRecords(taskMessage(31, parts), 30, new(taskRecord), func(*taskRecord) { t.Error("a message of another family is a record") })
	}
}

func FuzzTaskRecords(f *testing.F) {
	for _, version := range []uint16{8, 12, 15, 16} {
		f.Add(taskMessage(30, map[uint16][]byte{attrAggrPID: taskStruct(version, "a(b", 1, 2, 3, 4, true), attrAggrTGID: taskStruct(version, "", 0, 0, 0, 9, false)}))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		taskRecords(b, 30, new(taskRecord), func(r *taskRecord) {
			if len(r.comm) > taskComm || !r.hasPID {
				t.Errorf("record %+v", r)
			}
		})
	})
}

// The kernel's own records, where we may have them.
func TestTaskstats(t *testing.T) {
	o := Options{}.withDefaults()
	records, err := openTaskstats(&o, time.Second)
	if err != nil {
		if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
			t.Error(err)
		}
		t.Skip(err)
	}
	defer records.close()
	c := exec.Command("false")
	if err := c.Run(); c.ProcessState == nil {
		t.Skip(err)
	}
	found := false
	for deadline := time.Now().Add(5 * time.Second); !found && time.Now().Before(deadline); time.Sleep(time.Millisecond) { // of another processor's work
		records.drain(func(r *taskRecord) {
			if int(r.pid) == c.Process.Pid {
				found = r.last && string(r.comm) == "false" && r.code == 256 && r.lived > 0
			}
		})
	}
	if !found && records.lost() == 0 {
		t.Skip("no record came: in another network namespace none does")
	}
}
