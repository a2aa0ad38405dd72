package replay

import (
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// TestPast asks a recording for what nobody asked for in time: rows of a whole counterset, cooked as
// the recorder cooked them, of instances that are there, with all digits.
func TestPast(t *testing.T) {
	h := &logs.Header{Zone: utc(), Columns: []logs.Column{
		{Path: `\\a\Process(x)\IO Data Bytes/sec`, TypeKnown: true, Type: cooker.CounterBulkCount},
		{Path: `\\a\Process(x)\ID Process`, TypeKnown: true, Type: cooker.CounterRawCount},
		{Path: `\\a\Process(y)\IO Data Bytes/sec`, TypeKnown: true, Type: cooker.CounterBulkCount},
		{Path: `\\a\Process(y)\ID Process`, TypeKnown: true, Type: cooker.CounterRawCount},
		{Path: `\\a\Memory\Page Table`, TypeKnown: true, Type: cooker.CounterLargeRawCountHex},
	}}
	var rows []logs.Row
	const huge = 0xCAFEBABE00000059
	for i := range 60 {
		at := start.Add(time.Duration(i) * time.Second)
		row := logs.Row{Time: at, Raw: make([]logs.Raw, 5)}
		for c := range h.Columns {
			row.Values = append(row.Values, cooker.Absent(cooker.Gap))
			raw := uint64(1000 * i * i)
			if c%2 == 1 {
				raw = uint64(100 + c)
			}
			if c == 4 {
				raw = huge + uint64(i)
			}
			if c >= 2 && c < 4 && i >= 30 { // y ended
				continue
			}
			row.Raw[c] = logs.Raw{Known: true, Reading: cooker.Reading{Raw: raw, Size: 8}, Clocks: cooker.Clocks{PerfTime: uint64(i+1) * 1e9, PerfFreqHz: 1e9}}
			if i > 0 || c%2 == 1 || c == 4 {
				row.Values[c] = cooker.Cook(h.Columns[c].Type, &cooker.Reading{Raw: uint64(1000 * (i - 1) * (i - 1)), Size: 8}, &row.Raw[c].Reading,
					&cooker.Clocks{PerfTime: uint64(i) * 1e9, PerfFreqHz: 1e9}, &row.Raw[c].Clocks, nil)
			}
		}
		rows = append(rows, row)
	}
	for _, name := range []string{"a.db", "a.csv"} {
		p, err := Open([]string{write(t, name, h, rows)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		host := p.Hosts()[0]
		sets := p.Hosts()[0].Catalogue().Sets
		wants := []session.Want{{Set: sets[0], Counters: []int{0}}, {Set: sets[1], Counters: []int{0}}}
		n := 0
		var older cooker.Reading
		var olderClocks cooker.Clocks
		for b, err := range host.Past(t.Context(), wants, start.Add(25*time.Second), start.Add(35*time.Second)) {
			if err != nil {
				t.Fatal(err)
			}
			i := 25 + n
			if n++; !b.Time.Equal(rows[i].Time) {
				t.Fatalf("%s: sample %d is of %v, want %v", name, n, b.Time, rows[i].Time)
			}
			process, memory := &b.Sets[0], &b.Sets[1]
			if want := map[bool]int{true: 2, false: 1}[i < 30]; len(process.Instances) != want || process.Instances[0].Number != 101 {
				t.Fatalf("%s: at %d there are %+v", name, i, process.Instances)
			}
			v := cooker.Cook(sets[1].Counters[0].Type, nil, &memory.Readings[0], nil, &memory.Clocks, nil)
			if got, _ := v.Whole(); name == "a.db" && got != huge+uint64(i) {
				t.Errorf("%s: %x, want %x", name, got, uint64(huge)+uint64(i))
			}
			newer := process.Row(0)[0]
			if n > 1 {
				v := cooker.Cook(sets[0].Counters[0].Type, &older, &newer, &olderClocks, &process.Clocks, nil)
				if f, ok := v.Float(); !ok || f != float64(1000*(2*i-1)) {
					t.Errorf("%s: at %d %v, want %d", name, i, v, 1000*(2*i-1))
				}
			}
			older, olderClocks = newer, process.Clocks
		}
		if n != 11 {
			t.Errorf("%s: %d samples, want 11: the one before the time, too", name, n)
		}
	}
}
