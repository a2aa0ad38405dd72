package formats_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// TestReaders holds every reader to the contract: what it gives from any place is
// what it gives from front to back.
func TestReaders(t *testing.T) {
	const columns = 7
	count := 3000
	if testing.Short() {
		count = 900
	}
	rows := formatstest.SomeRows(count, columns)
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
	for _, format := range formats.Names() {
		t.Run(format, func(t *testing.T) {
			rows := formatstest.RowsFor(format, rows)
			name := formatstest.Recorded(t, format, formatstest.WideHeader(columns), rows)
			if f, err := formats.Detect(name); err != nil || f.Name != format {
				t.Fatalf("detected as %v, %v", f, err)
			}
			r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			all := formatstest.Rest(t, r)
			if len(all) != count || len(r.Header().Columns) != columns {
				t.Fatalf("%d rows, %d columns", len(all), len(r.Header().Columns))
			}
			for i := range all {
				if !all[i].Time.Equal(rows[i].Time) || !formatstest.SameValues(all[i].Values, rows[i].Values) {
					t.Fatalf("row %d: %v %v, want %v %v", i, all[i].Time, all[i].Values, rows[i].Time, rows[i].Values)
				}
			}
			span, err := r.Span()
			if err != nil || !span.First.Equal(rows[0].Time) || !span.Last.Equal(rows[count-1].Time) || span.Rows != int64(count) || !span.Exact {
				t.Errorf("span %+v, %v", span, err)
			}
			formatstest.SeekAndBack(t, r, all)
			formatstest.OnlySome(t, r, all)
			fresh, err := formats.Open(t.Context(), name, logs.OpenOptions{})
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

// TestReadersFollow reads a recording while it is written.
func TestReadersFollow(t *testing.T) {
	for _, format := range formats.Names() {
		t.Run(format, func(t *testing.T) {
			rows := formatstest.RowsFor(format, formatstest.SomeRows(50, 3))
			f, _ := formats.Named(format)
			name := filepath.Join(t.TempDir(), "growing"+f.Extensions[0])
			w, err := formats.Create(name, f, formatstest.WideHeader(3), logs.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			var r logs.Reader
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
					if r, err = formats.Open(t.Context(), name, logs.OpenOptions{}); err != nil {
						t.Fatal(err)
					}
					defer r.Close()
				}
				for _, got := range formatstest.Rest(t, r) {
					if !got.Time.Equal(rows[seen].Time) || !formatstest.SameValues(got.Values, rows[seen].Values) {
						t.Fatalf("row %d: %v %v", seen, got.Time, got.Values)
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
