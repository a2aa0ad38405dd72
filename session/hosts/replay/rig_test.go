package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/guard"
)

var start = time.Date(2026, 3, 2, 22, 0, 0, 0, time.UTC)

// write writes a recording.
func write(t testing.TB, name string, h *logs.Header, rows []logs.Row) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	f, ok := formats.ByExtension(file)
	if !ok {
		t.Fatalf("no format of %s", name)
	}
	formatstest.Write(t, file, f, h, rows, logs.WriteOptions{Buffered: true})
	return file
}

func utc() logs.Zone { return logs.Zone{Name: "UTC", Known: true} }

// night is a recording of a host with countersets of all kinds: one without
// instances, one whose instances come and go, rates with raw samples, an average
// that is idle most of the time, a gap of five minutes.
func night(rows int, zone logs.Zone, host string) (*logs.Header, []logs.Row) {
	h := &logs.Header{Zone: zone, Caption: "a night"}
	add := func(path string, kind cooker.CounterType) {
		info, _ := kind.Info()
		h.Columns = append(h.Columns, logs.Column{Path: `\\` + host + path, TypeKnown: true, Type: kind, BaseType: info.BaseType})
	}
	add(`\Memory\Available MBytes`, cooker.CounterLargeRawCount)
	add(`\Memory\Pages/sec`, cooker.CounterBulkCount)
	for i := range 6 {
		name := fmt.Sprintf("worker%s", []string{"", "#1", "#2", " b", "s/inner", "_Total"}[i])
		add(`\Process(`+name+`)\% Processor Time`, cooker.Timer100ns)
		add(`\Process(`+name+`)\Handle Count`, cooker.CounterRawCount)
	}
	add(`\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer`, cooker.AverageTimer)
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]logs.Row, rows)
	at := start
	totals := make([]uint64, len(h.Columns))
	base := uint64(0)
	for i := range out {
		row := &out[i]
		row.Time = at
		at = at.Add(15 * time.Second)
		if i%97 == 60 {
			at = at.Add(5 * time.Minute)
		}
		ticks := uint64(row.Time.Sub(start) / 100)
		clocks := cooker.Clocks{PerfTime: 1<<50 + ticks, PerfFreqHz: 10_000_000, Time100ns: 1<<57 + ticks}
		busy := i%10 == 3
		if busy {
			base += 5
		}
		for c := range h.Columns {
			raw := logs.Raw{Known: true, Clocks: clocks, Reading: cooker.Reading{Size: 8, BaseSize: 8}}
			switch kind := h.Columns[c].Type; kind {
			case cooker.CounterLargeRawCount, cooker.CounterRawCount:
				totals[c] = rng.Uint64N(5000)
			case cooker.AverageTimer:
				if busy {
					totals[c] += rng.Uint64N(1_000_000)
				}
				raw.Reading.Base = base
			default:
				totals[c] += rng.Uint64N(100_000_000)
			}
			raw.Reading.Raw = totals[c]
			instance := (c - 2) / 2
			gone := c >= 2 && instance < 5 && (i/(20+7*instance))%3 == 1
			if c >= 2 && instance == 3 { // it comes once, and stays
				gone = i < 30
			}
			if gone {
				raw = logs.Raw{}
			}
			row.Raw = append(row.Raw, raw)
			row.Values = append(row.Values, cookAt(h, out, i, c))
		}
	}
	return h, out
}

// cookAt cooks a cell as a recorder does.
func cookAt(h *logs.Header, rows []logs.Row, i, c int) cooker.Value {
	now := &rows[i].Raw[c]
	if !now.Known {
		return cooker.Absent(cooker.Gone)
	}
	var prev *cooker.Reading
	var clocks *cooker.Clocks
	if i > 0 && rows[i-1].Raw[c].Known {
		prev, clocks = &rows[i-1].Raw[c].Reading, &rows[i-1].Raw[c].Clocks
	}
	return cooker.Cook(h.Columns[c].Type, prev, &now.Reading, clocks, &now.Clocks, nil)
}

// rows reads a recording as it is.
func readRows(t testing.TB, file string) (*logs.Header, []logs.Row) {
	t.Helper()
	r, err := formats.Open(t.Context(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []logs.Row
	for {
		var row logs.Row
		err := r.Next(&row)
		if errors.Is(err, io.EOF) {
			return r.Header(), out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
}

// fewer is how often something is tried under the race detector, which needs to see
// it but a few times; else n times.
func fewer(n int) int {
	if isRace {
		return max(n/16, 4)
	}
	return n
}

// rig is a player that runs on a clock that the test moves.
type rig struct {
	testing.TB
	*Player

	clock *clocktest.Clock
}

// playing runs a test with a player in a bubble, which fails the test if a
// goroutine is left behind.
func playing(t *testing.T, o Options, files []string, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, end := newRig(t, o, files, synctest.Wait)
		defer end()
		test(r)
	})
}

func newRig(t testing.TB, o Options, files []string, settle func()) (r *rig, end func()) {
	t.Helper()
	r = &rig{TB: t, clock: clocktest.New(start, settle)}
	o.Clock = r.clock
	o.Guard = guard.New(func(e *guard.PanicError) { panic(fmt.Sprintf("%v\n%s", e.Value, e.Stack)) })
	p, err := Open(files, o)
	if err != nil {
		t.Fatal(err)
	}
	r.Player = p
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(ctx)
	}()
	return r, func() {
		cancel()
		<-done
	}
}

// askAll asks a host for all counters with the history of all instances.
func askAll(h *Host) {
	var asks []session.Ask
	for _, set := range h.Catalogue().Sets {
		a := session.Ask{Set: set}
		for i := range set.Counters {
			a.Counters = append(a.Counters, i)
		}
		a.Keep = []session.Keep{{Counters: a.Counters, Match: func(*session.Instance) bool { return true }}}
		asks = append(asks, a)
	}
	h.Ask(asks)
}

// askSome asks for the same counters with the history of a few instances.
func askSome(h *Host) {
	var asks []session.Ask
	for _, set := range h.Catalogue().Sets {
		a := session.Ask{Set: set}
		for i := range set.Counters {
			a.Counters = append(a.Counters, i)
		}
		a.Keep = []session.Keep{{Counters: a.Counters[:1], Rows: []session.InstanceKey{h.Recorded(set)[0][0].Key}}}
		asks = append(asks, a)
	}
	h.Ask(asks)
}

// take lets the player come to rest and returns the newest snapshot of a host.
func (r *rig) take(h *Host) *session.Snapshot {
	r.Helper()
	r.clock.Advance(0)
	s := h.Take()
	if s == nil {
		r.Fatal("no snapshot")
	}
	r.Cleanup(s.Release)
	return s
}

// at jumps to a moment and returns the snapshot of a host.
func (r *rig) at(h *Host, at time.Time) *session.Snapshot {
	r.Helper()
	r.Seek(at)
	return r.take(h)
}

// picture is all that a snapshot shows. Samples are counted from the first of the
// timeline: where that stands in the file a text file does not tell.
func picture(s *session.Snapshot) string {
	first := s.Timeline.First
	out := fmt.Sprintln(s.Host, s.Time, s.State.Phase, s.State.LastAnswer, s.Timeline.Nanos)
	for _, v := range s.Sets {
		out += fmt.Sprintln(v.Set.Name, v.Counters, v.Time, v.Rows, v.Err, v.Rate)
		for row := range v.Rows {
			for col := range v.Counters {
				series := v.Series(row, col)
				out += fmt.Sprintln(v.Value(row, col), series.First-first, series.Values)
				older, newer, t0, t1, ok := v.Raw(row, col)
				if ok {
					out += fmt.Sprintln(*newer, *t1)
				}
				if older != nil {
					out += fmt.Sprintln(*older, *t0)
				}
			}
		}
	}
	return out
}

// checkCells holds a snapshot against the rows of the file: the newest value of
// every column, and the history.
func checkCells(t testing.TB, h *Host, s *session.Snapshot, rows []logs.Row, at time.Time) {
	t.Helper()
	n := len(rows)
	for n > 0 && rows[n-1].Time.After(at) {
		n--
	}
	if n == 0 {
		if len(s.Timeline.Nanos) > 0 {
			t.Fatalf("at %v: samples before the first", at)
		}
		return
	}
	line := s.Timeline.Nanos
	for i, nanos := range line {
		if want := rows[n-len(line)+i].Time; !time.Unix(0, nanos).Equal(want) {
			t.Fatalf("at %v: sample %d of %d is of %v, want %v", at, i, len(line), time.Unix(0, nanos), want)
		}
	}
	if want := min(n, leastSamples); len(line) < want {
		t.Fatalf("at %v: %d samples, want %d", at, len(line), want)
	}
	cells := 0
	for _, v := range s.Sets {
		cols := h.track.columns.sets[v.Set]
		for row := range v.Rows {
			instance := slices.IndexFunc(cols.instances, func(in session.Instance) bool { return in.Key == v.Rows[row].Key })
			for col, counter := range v.Counters {
				cells++
				checkCell(t, fmt.Sprintf("%v %s(%s)\\%s", at, v.Set.Name, v.Rows[row].Key.Name, v.Set.Counters[counter].Name), v, row, col, cols.of(instance, counter), rows[:n], s.Timeline.Next())
			}
		}
		checkMissing(t, v, cols, &rows[n-1])
	}
	if cells == 0 {
		t.Fatalf("at %v: no cell", at)
	}
}

func checkCell(t testing.TB, name string, v *session.SetView, row, col int, cells []cell, rows []logs.Row, next uint64) {
	t.Helper()
	last := &rows[len(rows)-1]
	if len(cells) == 0 {
		if v.Value(row, col).Status() != cooker.Unavailable {
			t.Errorf("%s: %v of no column", name, v.Value(row, col))
		}
		return
	}
	if got, want := v.Value(row, col), last.Values[cells[0].column]; !same(got, want) {
		t.Errorf("%s: %v, the file has %v", name, got, want)
	}
	series := v.Series(row, col)
	end := series.First + uint64(len(series.Values)) // before that of the rows, of one that is gone
	for i, got := range series.Values {
		want := rows[len(rows)-int(next-end)-len(series.Values)+i].Values[cells[0].column]
		f, ok := want.Float()
		if ok != (got == got) || ok && float64(got) != float64(float32(f)) {
			t.Errorf("%s: %v at %d of %d of its history, the file has %v", name, got, i, len(series.Values), want)
			return
		}
	}
}

// checkMissing looks for values of instances that are not among the rows.
func checkMissing(t testing.TB, v *session.SetView, cols *setColumns, row *logs.Row) {
	t.Helper()
	for i, in := range cols.instances {
		if v.Find(in.Key, -1) >= 0 {
			continue
		}
		for _, c := range cols.cells[i] {
			if row.Values[c.column].Valid() {
				t.Errorf("%v: %s(%s) is not there, the file has %v", row.Time, v.Set.Name, in.Key.Name, row.Values[c.column])
			}
		}
	}
}

// same compares values as numbers; absent ones are alike.
func same(a, b cooker.Value) bool {
	f, ok := a.Float()
	g, has := b.Float()
	return ok == has && (!ok || f == g || math.Abs(f-g) < 1e-12*math.Abs(g))
}
