package logs

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
)

// recorded writes rows in a format and returns the name of the file.
func recorded(t testing.TB, format string, h *Header, rows []Row) string {
	t.Helper()
	f, _ := FormatNamed(format)
	name := filepath.Join(t.TempDir(), "recorded"+f.Extensions[0])
	w, err := Create(name, f, h, WriteOptions{Buffered: true})
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
	return name
}

// rowsFor are rows that a format can have: without raw samples some have counts alone.
func rowsFor(format string, rows []Row) []Row {
	f, _ := FormatNamed(format)
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

// sameValues tells whether two rows have the same numbers, and nothing in the same
// places.
func sameValues(a, b []cooker.Value) bool {
	return slices.EqualFunc(a, b, func(x, y cooker.Value) bool {
		return x.Valid() == y.Valid() && string(cooker.AppendMachine(nil, x)) == string(cooker.AppendMachine(nil, y))
	})
}

// TestReaders holds every reader to the contract: what it gives from any place is
// what it gives from front to back.
func TestReaders(t *testing.T) {
	const columns = 7
	count := 3000
	if testing.Short() {
		count = 900
	}
	rows := someRows(count, columns)
	source := rand.New(rand.NewPCG(3, 4))
	at := rows[0].Time
	for i := range rows { // irregular, with a gap in the middle, two times twice
		at = at.Add(time.Duration(500+source.IntN(1000)) * time.Millisecond)
		switch i {
		case count / 2:
			at = at.Add(3 * time.Hour)
		case 100, count - 200:
			at = rows[i-1].Time
		}
		rows[i].Time = at
	}
	for _, format := range FormatNames() {
		t.Run(format, func(t *testing.T) {
			rows := rowsFor(format, rows)
			name := recorded(t, format, wideHeader(columns), rows)
			if f, err := Detect(name); err != nil || f.Name != format {
				t.Fatalf("detected as %v, %v", f, err)
			}
			r, err := Open(t.Context(), name, OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			all := rest(t, r)
			if len(all) != count || len(r.Header().Columns) != columns {
				t.Fatalf("%d rows, %d columns", len(all), len(r.Header().Columns))
			}
			for i := range all {
				if !all[i].time.Equal(rows[i].Time) || !sameValues(all[i].values, rows[i].Values) {
					t.Fatalf("row %d: %v %v, want %v %v", i, all[i].time, all[i].values, rows[i].Time, rows[i].Values)
				}
			}
			span, err := r.Span()
			if err != nil || !span.First.Equal(rows[0].Time) || !span.Last.Equal(rows[count-1].Time) || span.Rows != int64(count) || !span.Exact {
				t.Errorf("span %+v, %v", span, err)
			}
			seekAndBack(t, r, all)
			onlySome(t, r, all)
			fresh, err := Open(t.Context(), name, OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer fresh.Close()
			if span, err := fresh.Span(); err != nil || span.Rows < int64(count*9/10) || span.Rows > int64(count*11/10) {
				t.Errorf("guessed span %+v, %v", span, err)
			}
		})
	}
}

// next reads one row; ok is false at the end.
func next(t *testing.T, r Reader) (kept, bool) {
	t.Helper()
	var row Row
	err := r.Next(&row)
	if errors.Is(err, io.EOF) {
		return kept{}, false
	}
	if err != nil {
		t.Fatal(err)
	}
	return kept{row.Time, slices.Clone(row.Values), slices.Clone(row.Raw)}, true
}

func seekAndBack(t *testing.T, r Reader, all []kept) {
	t.Helper()
	source := rand.New(rand.NewPCG(5, 6))
	length := all[len(all)-1].time.Sub(all[0].time)
	for range 80 {
		when := all[0].time.Add(time.Duration(source.Int64N(int64(length+20*time.Second))) - 10*time.Second)
		if source.IntN(3) == 0 {
			when = all[source.IntN(len(all))].time.Add(time.Duration(source.IntN(2))) // or just behind it
		}
		want, _ := slices.BinarySearchFunc(all, when, func(k kept, t time.Time) int { return k.time.Compare(t) })
		if err := r.SeekTime(when); err != nil {
			t.Fatal(err)
		}
		got, ok := next(t, r)
		if ok != (want < len(all)) || ok && (!got.time.Equal(all[want].time) || !sameValues(got.values, all[want].values)) {
			t.Fatalf("seek %v: %v %t, want row %d", when, got.time, ok, want)
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
			if got, ok := next(t, r); !ok || !got.time.Equal(all[i].time) || !sameValues(got.values, all[i].values) {
				t.Fatalf("back %d from %d: row %v, want %v", n, here, got.time, all[i].time)
			}
		}
	}
}

func onlySome(t *testing.T, r Reader, all []kept) {
	t.Helper()
	for _, only := range [][]int{{2}, {0, 6}, {}, {0, 1, 2, 3, 4, 5, 6}} {
		if err := r.SeekTime(all[0].time); err != nil {
			t.Fatal(err)
		}
		r.Only(only)
		for i, got := range rest(t, r) {
			for c := range got.values {
				want := cooker.Absent(cooker.Pending)
				if slices.Contains(only, c) {
					want = all[i].values[c]
				}
				if !sameValues([]cooker.Value{got.values[c]}, []cooker.Value{want}) {
					t.Fatalf("only %v: row %d, column %d: %v, want %v", only, i, c, got.values[c], want)
				}
			}
		}
	}
	r.Only(nil)
}

// TestReadersFollow reads a recording while it is written.
func TestReadersFollow(t *testing.T) {
	for _, format := range FormatNames() {
		t.Run(format, func(t *testing.T) {
			rows := rowsFor(format, someRows(50, 3))
			f, _ := FormatNamed(format)
			name := filepath.Join(t.TempDir(), "growing"+f.Extensions[0])
			w, err := Create(name, f, wideHeader(3), WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			var r Reader
			seen := 0
			for i := range rows {
				if err := w.WriteRow(&rows[i]); err != nil {
					t.Fatal(err)
				}
				if i%7 == 0 {
					if err := w.Sync(); err != nil {
						t.Fatal(err)
					}
				}
				if r == nil {
					if r, err = Open(t.Context(), name, OpenOptions{}); err != nil {
						t.Fatal(err)
					}
					defer r.Close()
				}
				for _, got := range rest(t, r) {
					if !got.time.Equal(rows[seen].Time) || !sameValues(got.values, rows[seen].Values) {
						t.Fatalf("row %d: %v %v", seen, got.time, got.values)
					}
					seen++
				}
				if seen != i+1 {
					t.Fatalf("%d rows were written, %d read", i+1, seen)
				}
			}
			if f := r.Faults(); f.Any() || f.Torn {
				t.Errorf("faults: %v", f.First)
			}
		})
	}
}

func TestLastIndexByte(t *testing.T) {
	b := bytes.Repeat([]byte("x"), 3000)
	for _, at := range []int{-1, 0, 1, 511, 512, 1975, 1976, 2487, 2488, 2999} {
		if at >= 0 {
			b[at] = '\n'
		}
		if got := lastIndexByte(b, '\n'); got != at {
			t.Errorf("%d, want %d", got, at)
		}
	}
	if got := lastIndexByte(nil, '\n'); got != -1 {
		t.Errorf("%d in nothing", got)
	}
}
