package past

import (
	"errors"
	"io"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
)

// Readings become rows: those that are near stand in one, new columns come on the way, values
// are cooked by the sample before, and raw ones are kept.
func TestWriter(t *testing.T) {
	set := &session.Counterset{Name: "Disk", Instances: session.MultipleInstances, Counters: []session.Counter{
		{Name: "Reads/sec", Type: cooker.CounterBulkCount}, {Name: "Queue", Type: cooker.CounterRawCount},
	}}
	start := time.Date(2026, 3, 2, 3, 12, 0, 0, time.UTC)
	file := filepath.Join(t.TempDir(), "past.db")
	w := New(file)
	add := func(host string, after time.Duration, instances ...string) {
		ticks := uint64(start.Add(after).UnixMicro()*10 + cooker.Unix100ns)
		b := session.SetBatch{Set: set, Counters: []int{0, 1}, Clocks: cooker.Clocks{Time100ns: ticks, PerfTime: ticks, PerfFreqHz: 1e7}}
		for i, name := range instances {
			b.Instances = append(b.Instances, session.Instance{Key: session.InstanceKey{Name: name}})
			b.Readings = append(b.Readings, cooker.Reading{Raw: uint64(after.Seconds()) * uint64(i+1) * 3}, cooker.CookedReading(2))
		}
		if err := w.Add(host, &b); err != nil {
			t.Fatal(err)
		}
	}
	add("a", 0, "C:")
	add("b", 200*time.Millisecond, "C:")
	add("a", 10*time.Second, "C:", "D: (x)")
	add("a", 20*time.Second, "C:", "D: (x)")
	add("b", 20*time.Second+200*time.Millisecond, "C:")
	if err := w.Close(); err != nil || w.Rows() != 3 {
		t.Fatalf("%d rows, %v", w.Rows(), err)
	}
	r, err := formats.Open(t.Context(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	columns := map[string]int{}
	for i, c := range r.Header().Columns {
		columns[c.Path] = i
	}
	var rows []logs.Row
	for {
		var row logs.Row
		if err := r.Next(&row); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	at := func(row int, path string) cooker.Value {
		i, ok := columns[path]
		if !ok {
			t.Fatalf("no column %s in %v", path, columns)
		}
		return rows[row].Values[i]
	}
	if len(rows) != 3 || !rows[1].Time.Equal(start.Add(10*time.Second)) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, c := range []struct {
		row  int
		path string
		want float64
	}{{1, `\\a\Disk(C:)\Reads/sec`, 3}, {2, `\\a\Disk(D: (x))\Reads/sec`, 6}, {0, `\\b\Disk(C:)\Queue`, 2}, {2, `\\a\Disk(C:)\Queue`, 2}} {
		if f, ok := at(c.row, c.path).Float(); !ok || f != c.want {
			t.Errorf("row %d %s: %v, want %v", c.row, c.path, at(c.row, c.path), c.want)
		}
	}
	if v := at(1, `\\b\Disk(C:)\Queue`); v.Valid() {
		t.Errorf("a host without a sample has %v", v)
	}
	if v := at(2, `\\b\Disk(C:)\Reads/sec`); v.Valid() {
		t.Errorf("a value over rows in which it was not there: %v", v)
	}
}
