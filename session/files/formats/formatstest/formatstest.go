// Package formatstest is what tests of several formats of recordings share.
package formatstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// Kept is a row that was copied.
type Kept struct {
	Time   time.Time
	Values []cooker.Value
	Raw    []logs.Raw
}

// ReadAll reads a recording to its end.
func ReadAll(t testing.TB, name string, o logs.OpenOptions) (logs.Header, []Kept, logs.Faults) {
	t.Helper()
	r, err := formats.Open(t.Context(), name, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := Rest(t, r)
	return *r.Header(), rows, r.Faults()
}

// Rest reads the rows that are left.
func Rest(t testing.TB, r interface{ Next(*logs.Row) error }) (rows []Kept) {
	t.Helper()
	var row logs.Row
	for {
		err := r.Next(&row)
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, Kept{row.Time, append([]cooker.Value{}, row.Values...), append([]logs.Raw{}, row.Raw...)})
	}
}

// FileOf writes a file and returns its name.
func FileOf(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Convert writes a recording in another format and returns the name of the file.
func Convert(t testing.TB, from, format string) string {
	t.Helper()
	r, err := formats.Open(t.Context(), from, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, _ := formats.Named(format)
	to := filepath.Join(t.TempDir(), "converted"+f.Extensions[0])
	w, err := formats.Create(to, f, r.Header(), logs.WriteOptions{Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	var row logs.Row
	for {
		if err = r.Next(&row); err != nil {
			break
		}
		if err = w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return to
}

// Content is what is in a file.
func Content(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Recorded writes rows in a format and returns the name of the file.
func Recorded(t testing.TB, format string, h *logs.Header, rows []logs.Row) string {
	t.Helper()
	f, _ := formats.Named(format)
	name := filepath.Join(t.TempDir(), "recorded"+f.Extensions[0])
	Write(t, name, f, h, rows, logs.WriteOptions{Buffered: true})
	return name
}

// Write writes rows to a file.
func Write(t testing.TB, name string, f *formats.Format, h *logs.Header, rows []logs.Row, o logs.WriteOptions) {
	t.Helper()
	w, err := formats.Create(name, f, h, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := w.WriteRow(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// ReadThrough is what benchmarks of readers do: open a recording, read all of its rows, close it.
func ReadThrough(b testing.TB, name string) {
	b.Helper()
	r, err := formats.Open(b.Context(), name, logs.OpenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var row logs.Row
	for err == nil {
		err = r.Next(&row)
	}
	if !errors.Is(err, io.EOF) {
		b.Fatal(err)
	}
}

// PeakMemory is the most that the process had in memory, where the system tells.
func PeakMemory() string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "peak not known"
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "VmHWM") {
			return strings.Join(strings.Fields(line), " ")
		}
	}
	return "peak not known"
}

// RowsFor are rows that a format can have: without raw samples some have counts alone.
func RowsFor(format string, rows []logs.Row) []logs.Row {
	f, _ := formats.Named(format)
	if !f.RawOnly {
		return rows
	}
	out := slices.Clone(rows)
	for i := range out {
		out[i].Values = slices.Clone(out[i].Values)
		for c, v := range out[i].Values {
			if n, ok := v.Float(); ok {
				out[i].Values[c] = cooker.WholeValue(uint64(n))
			}
		}
	}
	return out
}

// SameValues tells whether two rows have the same numbers, and nothing in the same
// places.
func SameValues(a, b []cooker.Value) bool {
	return slices.EqualFunc(a, b, func(x, y cooker.Value) bool {
		return x.Valid() == y.Valid() && string(cooker.AppendMachine(nil, x)) == string(cooker.AppendMachine(nil, y))
	})
}

// Next reads one row; ok is false at the end.
func Next(t *testing.T, r logs.Reader) (Kept, bool) {
	t.Helper()
	var row logs.Row
	err := r.Next(&row)
	if errors.Is(err, io.EOF) {
		return Kept{}, false
	}
	if err != nil {
		t.Fatal(err)
	}
	return Kept{row.Time, slices.Clone(row.Values), slices.Clone(row.Raw)}, true
}

// SeekAndBack goes to rows by their times, and back from them.
func SeekAndBack(t *testing.T, r logs.Reader, all []Kept) {
	t.Helper()
	source := rand.New(rand.NewPCG(5, 6))
	length := all[len(all)-1].Time.Sub(all[0].Time)
	for range 80 {
		when := all[0].Time.Add(time.Duration(source.Int64N(int64(length+20*time.Second))) - 10*time.Second)
		if source.IntN(3) == 0 {
			when = all[source.IntN(len(all))].Time.Add(time.Duration(source.IntN(2))) // or just behind it
		}
		want, _ := slices.BinarySearchFunc(all, when, func(k Kept, t time.Time) int { return k.Time.Compare(t) })
		if err := r.SeekTime(when); err != nil {
			t.Fatal(err)
		}
		got, ok := Next(t, r)
		if ok != (want < len(all)) || ok && (!got.Time.Equal(all[want].Time) || !SameValues(got.Values, all[want].Values)) {
			t.Fatalf("seek %v: %v %t, want row %d", when, got.Time, ok, want)
		}
		here := want
		if ok {
			here++
		}
		n := source.IntN(50)
		if source.IntN(100) == 0 {
			n = len(all)
		}
		went, err := r.Back(n)
		if err != nil || went != min(n, here) {
			t.Fatalf("back %d from %d: went %d, %v", n, here, went, err)
		}
		for i := here - went; i < min(here-went+3, len(all)); i++ {
			if got, ok := Next(t, r); !ok || !got.Time.Equal(all[i].Time) || !SameValues(got.Values, all[i].Values) {
				t.Fatalf("back %d from %d: row %v, want %v", n, here, got.Time, all[i].Time)
			}
		}
	}
}

// OnlySome reads some of the columns.
func OnlySome(t *testing.T, r logs.Reader, all []Kept) {
	t.Helper()
	for _, only := range [][]int{{2}, {0, 6}, {}, {0, 1, 2, 3, 4, 5, 6}} {
		if err := r.SeekTime(all[0].Time); err != nil {
			t.Fatal(err)
		}
		r.Only(only)
		for i, got := range Rest(t, r) {
			for c := range got.Values {
				want := cooker.Absent(cooker.Pending)
				if slices.Contains(only, c) {
					want = all[i].Values[c]
				}
				if !SameValues([]cooker.Value{got.Values[c]}, []cooker.Value{want}) {
					t.Fatalf("only %v: row %d, column %d: %v, want %v", only, i, c, got.Values[c], want)
				}
			}
		}
	}
	r.Only(nil)
}

// WideHeader names so many counters.
func WideHeader(columns int) *logs.Header {
	h := &logs.Header{Zone: logs.Zone{Name: "W. Europe Standard Time", Bias: -60, Known: true}}
	for c := range columns {
		h.Columns = append(h.Columns, logs.Column{Path: fmt.Sprintf(`\\SRV\Process(p%d)\%% Processor Time`, c)})
	}
	return h
}

// SomeRows are rows as Windows records them: rates with 17 digits, counts, zeros
// and a blank here and there.
func SomeRows(rows, columns int) []logs.Row {
	source := rand.New(rand.NewPCG(1, 2))
	all := make([]logs.Row, rows)
	at := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	for i := range all {
		all[i].Time = at.Add(time.Duration(i) * time.Second)
		for c := range columns {
			v := cooker.FloatValue(source.Float64() * 100)
			switch (i + c) % 20 {
			case 0:
				v = cooker.Absent(cooker.Gap)
			case 1, 2, 3:
				v = cooker.WholeValue(0)
			case 4, 5:
				v = cooker.WholeValue(source.Uint64N(1e10))
			}
			all[i].Values = append(all[i].Values, v)
		}
	}
	return all
}

// TypedHeader has a column of each counter type that is shown.
func TypedHeader() *logs.Header {
	h := &logs.Header{Zone: logs.Zone{Name: "UTC", Bias: 0, Known: true}, Caption: "types"}
	for _, info := range cooker.Types() {
		if !info.Type.Displayable() || info.Type == cooker.CounterComposite || info.Type == cooker.CounterText {
			continue
		}
		h.Columns = append(h.Columns, logs.Column{
			Path: `\\SRV\Set(` + info.Name + `#1)\` + info.Meaning, TypeKnown: true, Type: info.Type, BaseType: info.BaseType, DefaultScale: -3,
		})
	}
	return h
}

// RawRows are raw samples of all columns, cooked as a recorder cooks them.
func RawRows(h *logs.Header, count int) []logs.Row {
	rows := make([]logs.Row, count)
	at := time.Date(2026, 5, 1, 12, 0, 0, 123456789, time.UTC)
	for i := range rows {
		n := uint64(i)
		rows[i].Time = at.Add(time.Duration(i) * time.Second)
		rows[i].Raw = make([]logs.Raw, len(h.Columns))
		for c := range h.Columns {
			raw := &rows[i].Raw[c]
			*raw = logs.Raw{
				Known:   true,
				Reading: cooker.Reading{Raw: 1<<40 + n*n*1000, Base: 7 + n*3, Size: 8, BaseSize: 8},
				Clocks:  cooker.Clocks{PerfTime: 1<<50 + n*10_000_019, PerfFreqHz: 1e7, Time100ns: 1<<57 + n*10_000_003, ObjTime: 1<<48 + n*1_000_007, ObjFreqHz: 1e6},
			}
			switch {
			case i%7 == 3: // nothing was read
				*raw = logs.Raw{}
			case i%7 == 5 && h.Columns[c].Type != cooker.PrecisionObjectTimer: // that one would need both clocks
				raw.Reading.State = cooker.NoBase
			}
			value := cooker.Absent(cooker.Gone)
			if raw.Known {
				var before *logs.Raw
				if i > 0 && rows[i-1].Raw[c].Known {
					before = &rows[i-1].Raw[c]
				}
				value = CookRaw(h.Columns[c].Type, before, raw)
			}
			rows[i].Values = append(rows[i].Values, value)
		}
	}
	return rows
}

// CookRaw cooks a column of two rows.
func CookRaw(t cooker.CounterType, before, now *logs.Raw) cooker.Value {
	if before == nil {
		return cooker.Cook(t, nil, &now.Reading, nil, &now.Clocks, nil)
	}
	return cooker.Cook(t, &before.Reading, &now.Reading, &before.Clocks, &now.Clocks, nil)
}

// RawBefore is a raw sample, nil where none is known.
func RawBefore(rows []logs.Row, i, c int) *logs.Raw {
	if i == 0 || !rows[i-1].Raw[c].Known {
		return nil
	}
	return &rows[i-1].Raw[c]
}

// Allocated runs something and returns how many bytes it allocated.
func Allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Exercise reads a file from front to back and from other places. It returns how
// many rows there are; a fuzzed file may be no recording.
func Exercise(t *testing.T, name string, o logs.OpenOptions) (rows int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // pages may lead round in circles
	defer cancel()
	r, err := formats.Open(ctx, name, o)
	if err != nil {
		return 0
	}
	defer r.Close()
	var row logs.Row
	var at time.Time
	for err == nil {
		if err = r.Next(&row); err == nil {
			rows++
			if len(row.Values) > len(r.Header().Columns) || len(row.Raw) > 0 && len(row.Raw) != len(row.Values) {
				t.Fatalf("%d values and %d raw samples for %d columns", len(row.Values), len(row.Raw), len(r.Header().Columns))
			}
			if rows%3 == 1 {
				at = row.Time
			}
		}
	}
	if !errors.Is(err, io.EOF) {
		return rows
	}
	if _, err := r.Span(); err != nil {
		return rows
	}
	if err := r.SeekTime(at); err != nil {
		return rows
	}
	_ = r.Next(&row)
	// Lines of JSON whose times go back and forth make other rows from behind.
	if went, err := r.Back(rows + 1); err == nil && went > rows && !strings.HasSuffix(name, ".json") {
		t.Fatalf("went back %d of %d rows", went, rows)
	}
	return rows
}

// JoinedText is what a reader gives, in words.
func JoinedText(t *testing.T, rows []Kept) string {
	t.Helper()
	var words []string
	for _, k := range rows {
		var cells []string
		for _, v := range k.Values {
			cells = append(cells, string(cooker.AppendMachine(nil, v)))
		}
		words = append(words, fmt.Sprintf("%g:%s", float64(k.Time.UnixMilli())/1000, strings.Join(cells, ",")))
	}
	return strings.Join(words, " ")
}

// LargeBytes is how large the file of TestLarge is: PERFDECK_LARGE_MIB in MiB.
//
//	PERFDECK_LARGE_MIB=2048 go test -v -run TestLarge -timeout 30m ./session/files/formats
func LargeBytes(t *testing.T) int64 {
	text, ok := os.LookupEnv("PERFDECK_LARGE_MIB")
	if !ok {
		return 12 << 20
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n <= 0 {
		t.Fatalf("PERFDECK_LARGE_MIB=%s: not a number of MiB", text)
	}
	return n << 20
}

// LargeCSV writes a file of about so many bytes, unless it is there.
func LargeCSV(b testing.TB, bytes int64, columns int) string {
	b.Helper()
	name := filepath.Join(b.TempDir(), "large.csv")
	f, _ := formats.Named("csv")
	w, err := formats.Create(name, f, WideHeader(columns), logs.WriteOptions{Buffered: true})
	if err != nil {
		b.Fatal(err)
	}
	rows := SomeRows(200, columns)
	at := rows[0].Time
	for i := 0; ; i++ {
		row := &rows[i%len(rows)]
		row.Time = at.Add(time.Duration(i) * time.Second)
		if err := w.WriteRow(row); err != nil {
			b.Fatal(err)
		}
		if size, _ := w.Size(); size >= bytes {
			break
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return name
}

// FuzzFile writes fuzzed bytes and reads them, with a bound on what may be
// allocated: some buffers, and so many bytes for each byte of the file.
func FuzzFile(t *testing.T, extension string, data []byte, o logs.OpenOptions) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fuzzed"+extension)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	used := Allocated(func() { Exercise(t, name, o) })
	if most := uint64(16<<20 + 1000*len(data)); used > most {
		t.Errorf("%d bytes were allocated for a file of %d", used, len(data))
	}
	return name
}

// Happened are events of all kinds, a second from each other.
func Happened(n int) (out []session.HostEvent) {
	for i := range n {
		at := Evening.Add(time.Duration(i) * time.Second)
		e := session.HostEvent{Time: at, Until: at, Count: 1 + i%3, Host: "SRV", Level: session.EventLevel(i % 4), Log: "System", Source: "disk", ID: strconv.Itoa(i), Text: "text \"of\" \\ event " + strconv.Itoa(i)}
		if i%5 == 0 {
			e.Until, e.Own, e.AtLeast, e.Unit, e.PID = at.Add(time.Minute), at.Add(-time.Hour), true, "shop", 1<<40
			e.Known, e.Names = "memory-killer", []string{"java", "shop"}
		}
		out = append(out, e)
	}
	return out
}

// Eventful is a recording with events among its rows.
func Eventful(t testing.TB, format string, events []session.HostEvent) string {
	t.Helper()
	h := TypedHeader()
	rows := RowsFor(format, RawRows(h, 12))
	f, _ := formats.Named(format)
	name := filepath.Join(t.TempDir(), "eventful"+f.Extensions[0])
	w, err := formats.Create(name, f, h, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := w.WriteRow(&rows[i]); err != nil {
			t.Fatal(err)
		}
		if i == 5 {
			if err := formats.WriteEvents(w, events); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// EventsOf are the events of hosts in a file.
func EventsOf(t testing.TB, name string) []session.HostEvent {
	t.Helper()
	events, _, damaged := formats.Events(t.Context(), []string{name}, nil, time.Time{}, time.Time{})
	if len(damaged) > 0 {
		t.Fatal(damaged)
	}
	return events
}

// Evening is when events happened.
var Evening = time.Date(2026, 1, 2, 21, 0, 0, 0, time.UTC)
