package blg_test

import (
	"encoding/csv"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/blg"
	"perfdeck/session/files/formats/blg/trace"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

// sameBits tells whether two values are the same to the last bit, or both none.
func sameBits(a, b cooker.Value) bool {
	x, ok := a.Float()
	y, okToo := b.Float()
	return ok == okToo && math.Float64bits(x) == math.Float64bits(y)
}

// sameRecordings compares the counters, the times and every cell of two recordings.
func sameRecordings(t *testing.T, from, to string) {
	t.Helper()
	fh, fr, _ := formatstest.ReadAll(t, from, logs.OpenOptions{})
	th, tr, faults := formatstest.ReadAll(t, to, logs.OpenOptions{})
	if faults.Any() || faults.Torn || fh.Zone != th.Zone || len(fr) != len(tr) || len(fh.Columns) != len(th.Columns) {
		t.Fatalf("%s: zone %v, %d rows of %d columns; want %v, %d of %d; %+v", to, th.Zone, len(tr), len(th.Columns), fh.Zone, len(fr), len(fh.Columns), faults)
	}
	for c := range fh.Columns {
		if fh.Columns[c].Path != th.Columns[c].Path || fh.Columns[c].Type != th.Columns[c].Type || fh.Columns[c].DefaultScale != th.Columns[c].DefaultScale {
			t.Errorf("column %d: %+v, want %+v", c, th.Columns[c], fh.Columns[c])
		}
	}
	for n := range fr {
		if !fr[n].Time.Equal(tr[n].Time) {
			t.Errorf("row %d: %v, want %v", n, tr[n].Time, fr[n].Time)
		}
		for c := range fr[n].Values {
			if !sameBits(fr[n].Values[c], tr[n].Values[c]) {
				t.Errorf("row %d, %s: %v, want %v", n, fh.Columns[c].Path, tr[n].Values[c], fr[n].Values[c])
			}
		}
	}
}

// TestBLGRewritten: logs that are written again say the same to the last bit, to the reader
// here and to one that was made independently of it.
func TestBLGRewritten(t *testing.T) {
	for _, name := range realBLGs {
		to := formatstest.Convert(t, sharedtest.Path(t, name), "blg")
		sameRecordings(t, sharedtest.Path(t, name), to)
		sameRecordings(t, to, formatstest.Convert(t, to, "blg"))
		if data := formatstest.Content(t, to); len(data)%65536 != 0 {
			t.Errorf("%s: %d bytes are no whole buffers", name, len(data))
		}
		t.Run("prototype "+filepath.Base(name), func(t *testing.T) { comparePrototype(t, to) })
	}
}

// comparePrototype compares a log with what the prototype of the format reads in it.
func comparePrototype(t *testing.T, name string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here: the independent reader of .blg is not asked")
	}
	prototype := sharedtest.Path(t, "lab/blg/blg.py")
	out := filepath.Join(t.TempDir(), "prototype.csv")
	if said, err := exec.CommandContext(t.Context(), python, "-B", prototype, "csv", name, out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	file, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want, err := csv.NewReader(file).ReadAll()
	header, rows, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
	if err != nil || len(want) != 1+len(rows) || len(want[0]) != 1+len(header.Columns) {
		t.Fatalf("%d rows of %d columns, the other reader has %d, %v", len(rows), len(header.Columns), len(want)-1, err)
	}
	clock := clockIn(header.Zone)
	for n := range rows {
		if got := clock(rows[n].Time); got != want[1+n][0] {
			t.Errorf("row %d: %s, the other reader has %s", n, got, want[1+n][0])
		}
		for c, v := range rows[n].Values {
			if v.Status() == cooker.ZeroBase { // no operations: blank here, 0 there
				v = cooker.FloatValue(0)
			}
			f, has := v.Float()
			g, err := strconv.ParseFloat(want[1+n][1+c], 64)
			if has != (err == nil) || has && math.Float64bits(f) != math.Float64bits(g) {
				t.Errorf("row %d, %s: %v, the other reader has %q", n, header.Columns[c].Path, v, want[1+n][1+c])
			}
		}
	}
}

// odd are counters of all kinds of names, and of types that need more than one value.
func oddColumns() []logs.Column {
	column := func(path string, t cooker.CounterType) logs.Column {
		return logs.Column{Path: path, TypeKnown: true, Type: t, DefaultScale: -2}
	}
	return []logs.Column{
		column(`\\srv\Process(a/b#3)\% Processor Time`, cooker.Timer100ns),
		column(`\\srv\Process(a (x) \ y)\Handles`, cooker.CounterRawCount),
		column(`\\srv\Disk(x#1#0)\Avg. sec`, cooker.AverageTimer),
		column(`\\srv\Disk(ün)\Avg. Bytes`, cooker.AverageBulk),
		column(`\Memory\Hex`, cooker.CounterLargeRawCountHex),
		column(`\\srv\System\Up`, cooker.ElapsedTime),
		column(`\\srv\A\Multi`, cooker.CounterMultiTimer),
		column(`\\srv\A)(\Odd`, cooker.CounterBulkCount),
		column(`\\srv\A\State`, cooker.CounterText),
	}
}

// oddRows are rows of them: values, raw samples, and some that are missing.
func oddRows(columns []logs.Column, n int) (rows []logs.Row) {
	at := time.Date(2026, 5, 4, 3, 2, 1, 7_000_000, time.UTC)
	for i := range n {
		row := logs.Row{Time: at.Add(time.Duration(i) * time.Second)}
		k := uint64(i)
		clocks := cooker.Clocks{PerfTime: k * 3_579_545, PerfFreqHz: 3_579_545, Time100ns: k * 1e7, ObjTime: 7000 + k*1000, ObjFreqHz: 1000}
		if i >= n/2 { // as behind a restart of the host
			clocks.PerfFreqHz = 1e7
		}
		for c := range columns {
			raw := logs.Raw{Known: true, Reading: cooker.Reading{Raw: 5000 + k*uint64(c+1)*97, Size: 8, Base: 3 + k*uint64(c+2), BaseSize: 4}, Clocks: clocks}
			value := cooker.Absent(cooker.FirstSample)
			switch {
			case (i+c)%5 == 4:
				raw, value = logs.Raw{}, cooker.Absent([]cooker.Status{cooker.Gone, cooker.Gap, cooker.Denied, cooker.Unavailable}[i%4])
			case columns[c].Type.IsText():
				raw, value = logs.Raw{}, cooker.TextValue("busy")
			default:
				var before *logs.Raw
				if i > 0 {
					before = &rows[i-1].Raw[c]
				}
				value = blg.CookBLG(columns[c].Type, before, &raw)
			}
			row.Values, row.Raw = append(row.Values, value), append(row.Raw, raw)
		}
		rows = append(rows, row)
	}
	return rows
}

// writeBLG writes rows, each at once, as a recorder does.
func writeBLG(t *testing.T, name string, h *logs.Header, rows []logs.Row) {
	t.Helper()
	f, _ := formats.Named("blg")
	formatstest.Write(t, name, f, h, rows, logs.WriteOptions{})
}

// TestBLGWritten: names, raw samples and reasons of what is missing come back, also where the
// frequency of a clock changes on the way.
func TestBLGWritten(t *testing.T) {
	h := &logs.Header{Zone: logs.Zone{Name: "W. Europe Daylight Time", Bias: -120, Known: true}, Columns: oddColumns()}
	want := oddRows(h.Columns, 40)
	name := filepath.Join(t.TempDir(), "x.blg")
	writeBLG(t, name, h, want)
	got, rows, faults := formatstest.ReadAll(t, name, logs.OpenOptions{})
	if faults.Any() || faults.Torn || len(rows) != len(want) || got.Zone != h.Zone {
		t.Fatalf("%d rows, %+v, %+v", len(rows), faults, got.Zone)
	}
	for c := range h.Columns {
		if got.Columns[c].Path != h.Columns[c].Path || got.Columns[c].DefaultScale != h.Columns[c].DefaultScale {
			t.Errorf("column %+v, want %+v", got.Columns[c], h.Columns[c])
		}
	}
	for n := range rows {
		for c := range h.Columns {
			is, was := &rows[n].Raw[c], &want[n].Raw[c]
			if is.Known != was.Known || is.Known && logs.PackRaw(h.Columns[c].Type, is) != logs.PackRaw(h.Columns[c].Type, was) {
				t.Errorf("row %d, %s: %+v, want %+v", n, h.Columns[c].Path, is, was)
			}
			if !was.Known && !h.Columns[c].Type.IsText() && rows[n].Values[c].Status() != want[n].Values[c].Status() {
				t.Errorf("row %d, %s: %v, want %v", n, h.Columns[c].Path, rows[n].Values[c], want[n].Values[c])
			}
		}
	}
}

// TestBLGOverRestarts: a reader, which makes values of two samples, makes none of those of two
// instances, also where the second is behind what was there before.
func TestBLGOverRestarts(t *testing.T) {
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Bias: 0, Known: true}, Columns: []logs.Column{{Path: `\\srv\Process(a)\% Processor Time`, TypeKnown: true, Type: cooker.Timer100ns}}}
	name := filepath.Join(t.TempDir(), "x.blg")
	row := func(i int, raw uint64, v cooker.Value) logs.Row {
		return logs.Row{
			Time: time.Unix(1e9+int64(i), 0), Values: []cooker.Value{v},
			Raw: []logs.Raw{{Known: true, Reading: cooker.Reading{Raw: raw, Size: 8}, Clocks: cooker.Clocks{Time100ns: uint64(i) * 1e7}}},
		}
	}
	first, half := cooker.Absent(cooker.FirstSample), cooker.FloatValue(50)
	rows := []logs.Row{
		row(0, 0, first), row(1, 5e6, half), row(2, 6e6, first), row(3, 11e6, half), row(4, 16e6, half),
		row(5, 17e6, first), row(6, 22e6, half), row(7, 27e6, half), row(8, 1e6, first), row(9, 6e6, half),
	}
	writeBLG(t, name, h, rows[:5])
	f, _ := formats.Named("blg")
	w, _, err := formats.Append(name, f, h, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows[5:] {
		if err := w.WriteRow(&rows[5+i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	has := ""
	_, got, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
	for i := range got {
		switch f, ok := got[i].Values[0].Float(); {
		case !ok:
			has += "."
		case f == 50:
			has += "5"
		default:
			t.Errorf("row %d: %v", i, got[i].Values[0])
		}
	}
	if has != ".5..5..5.5" {
		t.Errorf("rows with values: %s", has)
	}
}

// TestBLGWraps: numbers of four bytes begin anew behind the largest, and larger ones do not.
func TestBLGWraps(t *testing.T) {
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Bias: 0, Known: true}, Columns: []logs.Column{
		{Path: `\\srv\Memory\Pages/sec`, TypeKnown: true, Type: cooker.CounterCounter},
		{Path: `\\srv\Disk\Avg. Disk Bytes/Read`, TypeKnown: true, Type: cooker.AverageBulk, BaseType: cooker.AverageBase},
		{Path: `\\srv\Memory\Faults/sec`, TypeKnown: true, Type: cooker.CounterCounter},
	}}
	const most = 1<<32 - 1
	var rows []logs.Row
	for i, n := range [][3]uint64{{most - 90, most - 1, most - 90}, {most - 40, most, most - 40}, {9, 1, 9}, {59, 2, 59}} {
		at := cooker.Clocks{PerfTime: uint64(i) * 1e7, PerfFreqHz: 1e7}
		rows = append(rows, logs.Row{Time: time.Unix(1e9+int64(i), 0), Raw: []logs.Raw{
			{Known: true, Reading: cooker.Reading{Raw: n[0], Size: 4}, Clocks: at},
			{Known: true, Reading: cooker.Reading{Raw: uint64(i) * 1000, Base: n[1], Size: 8, BaseSize: 4}, Clocks: at},
			{Known: true, Reading: cooker.Reading{Raw: n[2], Size: 8}, Clocks: at},
		}})
		for c := range h.Columns {
			rows[i].Values = append(rows[i].Values, formatstest.CookRaw(h.Columns[c].Type, formatstest.RawBefore(rows, i, c), &rows[i].Raw[c]))
		}
	}
	name := filepath.Join(t.TempDir(), "x.blg")
	writeBLG(t, name, h, rows)
	_, got, _ := formatstest.ReadAll(t, name, logs.OpenOptions{})
	for i, want := range []string{"", "50 1000 50", "50 500 ", "50 1000 "} {
		text := ""
		for _, v := range got[i].Values {
			text += " " + string(cooker.AppendMachine(nil, v))
		}
		if strings.TrimSpace(text) != strings.TrimSpace(want) {
			t.Errorf("row %d: %s, want %s", i, text, want)
		}
	}
}

// TestBLGRefused: what a binary log cannot have is told, and not written as something else.
func TestBLGRefused(t *testing.T) {
	f, _ := formats.Named("blg")
	file := filepath.Join(t.TempDir(), "x.blg")
	if _, err := formats.Create(file, f, &logs.Header{Columns: []logs.Column{{Path: "no path"}}}, logs.WriteOptions{}); !errors.Is(err, blg.ErrNoPath) {
		t.Errorf("no path: %v", err)
	}
	w, err := formats.Create(file, f, &logs.Header{Columns: []logs.Column{{Path: `\\a\b\c`}}}, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := w.WriteRow(&logs.Row{Time: at, Values: []cooker.Value{cooker.FloatValue(1.5)}}); !errors.Is(err, blg.ErrNoRawSample) {
		t.Errorf("a fraction without a raw sample: %v", err)
	}
	if err := w.WriteRow(&logs.Row{Time: at, Values: []cooker.Value{cooker.WholeValue(7)}}); err != nil {
		t.Errorf("a count: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, rows, _ := formatstest.ReadAll(t, file, logs.OpenOptions{}); len(rows) != 1 || !sameBits(rows[0].Values[0], cooker.WholeValue(7)) {
		t.Errorf("read %v", rows)
	}
}

// killedFile takes so many bytes, and no more.
type killedFile struct {
	data []byte
	left int
}

var errKilled = errors.New("killed")

func (f *killedFile) WriteAt(b []byte, at int64) (int, error) {
	n := min(len(b), f.left)
	f.left -= n
	if need := int(at) + n; need > len(f.data) {
		f.data = append(f.data, make([]byte, need-len(f.data))...)
	}
	copy(f.data[at:], b[:n])
	if n < len(b) {
		return n, errKilled
	}
	return n, nil
}

// TestBLGKilled ends the writing within any write: what was written before is read, and
// nothing else.
func TestBLGKilled(t *testing.T) {
	const rows = 12
	list := trace.AppendList(nil, []trace.Counter{{Machine: `\\m`, Object: "o", Counter: "c", Type: cooker.CounterRawCount}})
	sample := func(at int64) []byte {
		return trace.EndSample(trace.AppendRaw(trace.BeginSample(nil), at, &trace.Raw{First: uint64(at)}))
	}
	start := int64(cooker.FileTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
	write := func(f *killedFile) (whole int) {
		w, err := trace.NewWriter(f, &trace.Start{Time: start, Session: logs.NewGUID(), Name: "x"}, false)
		for i := int64(0); i < rows && err == nil; i++ {
			if i == 0 || i == rows/2 { // a list of many fragments, so that buffers are many
				long := slices.Concat(list, make([]byte, 0))
				for len(long) < 90_000 {
					long = append(long, list[8:]...)
				}
				if err = w.Write(trace.KindNames, start, start, long); err == nil {
					err = w.Write(trace.KindList, start, start, list)
				}
			}
			if err == nil {
				if err = w.Write(trace.KindSample, start+i*1e7, start+i*1e7, sample(start+i*1e7)); err == nil {
					whole++
				}
			}
		}
		return whole
	}
	all := &killedFile{left: math.MaxInt}
	if write(all) != rows {
		t.Fatal("it cannot be written at all")
	}
	written := math.MaxInt - all.left
	step := 997
	if testing.Short() {
		step = 49_999
	}
	for budget := 1; budget < written; budget += step {
		f := &killedFile{left: budget}
		whole := write(f)
		if whole == 0 {
			continue
		}
		_, got, faults, err := readBLG(t, f.data)
		if err != nil || len(got) < whole || len(got) > whole+1 || faults.Cells > 0 {
			t.Fatalf("killed after %d bytes: %d rows of %d, %+v, %v", budget, len(got), whole, faults, err)
		}
	}
}

// TestBLGWrittenIsFollowed reads each row as soon as it is written.
func TestBLGWrittenIsFollowed(t *testing.T) {
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Bias: 0, Known: true}}
	for i := range 300 { // so that a sample takes a quarter of a buffer
		h.Columns = append(h.Columns, logs.Column{Path: `\\m\o(` + strings.Repeat("x", i) + `)\c`, TypeKnown: true, Type: cooker.CounterRawCount})
	}
	f, _ := formats.Named("blg")
	name := filepath.Join(t.TempDir(), "x.blg")
	w, err := formats.Create(name, f, h, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var r logs.Reader
	all := oddRows(h.Columns, 40)
	for i := range all {
		if err := w.WriteRow(&all[i]); err != nil {
			t.Fatal(err)
		}
		if r == nil {
			if r, err = formats.Open(t.Context(), name, logs.OpenOptions{}); err != nil {
				t.Fatal(err)
			}
			defer r.Close()
		}
		if rows := formatstest.Rest(t, r); len(rows) != 1 || !rows[0].Time.Equal(all[i].Time) {
			t.Fatalf("row %d: %d rows came", i, len(rows))
		}
	}
	if faults := r.Faults(); faults.Any() || faults.Torn {
		t.Errorf("%+v", faults)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestBLGResumed goes on with logs that were cut anywhere.
func TestBLGResumed(t *testing.T) {
	h := &logs.Header{Zone: logs.Zone{Name: "W. Europe Standard Time", Bias: -60, Known: true}, Columns: oddColumns()}
	all := oddRows(h.Columns, 200)
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.blg")
	writeBLG(t, whole, h, all)
	data := formatstest.Content(t, whole)
	f, _ := formats.Named("blg")
	for _, size := range []int{0, 65536 + 4000, 65536 + 9000, 2*65536 + 500, 3*65536 - 1, len(data)} {
		name := filepath.Join(dir, "cut.blg")
		if err := os.WriteFile(name, data[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		w, tail, err := formats.Append(name, f, h, logs.WriteOptions{})
		if err != nil {
			t.Fatalf("cut at %d: %v", size, err)
		}
		next := 0
		for next < len(all) && !all[next].Time.After(tail.Last) {
			next++
		}
		if next > 0 && next < len(all) {
			if err := w.WriteRow(&all[next-1]); !errors.Is(err, logs.ErrEarlier) {
				t.Fatalf("cut at %d: an earlier row: %v", size, err)
			}
		}
		for i := next; i < len(all); i++ {
			if err := w.WriteRow(&all[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		sameRecordings(t, whole, name)
		if size == len(data) && tail.Cut != 0 || next > 150 && size < 2*65536 {
			t.Errorf("cut at %d: %+v, %d rows", size, tail, next)
		}
	}
	if _, _, err := formats.Append(sharedtest.Path(t, wholeObjects), f, h, logs.WriteOptions{}); err == nil {
		t.Error("a log of whole objects was continued")
	}
}
