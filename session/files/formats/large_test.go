package formats_test

import (
	"errors"
	"io"
	"runtime"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

// TestLarge opens, scrolls and sums up a recording that may be larger than memory:
// opening and scrolling take no time, and nothing takes memory by its size.
func TestLarge(t *testing.T) {
	bytes := formatstest.LargeBytes(t)
	name := formatstest.LargeCSV(t, bytes, 100)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)

	began := time.Now()
	r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	span, err := r.Span()
	if err != nil {
		t.Fatal(err)
	}
	opened := time.Since(began)

	began = time.Now()
	var row logs.Row
	const jumps = 100
	length := span.Last.Sub(span.First)
	for i := range jumps {
		want := span.First.Add(length * time.Duration(i*37%jumps) / jumps)
		if err := r.SeekTime(want); err != nil {
			t.Fatal(err)
		}
		if err := r.Next(&row); err != nil || row.Time.Before(want) || row.Time.Sub(want) > time.Second {
			t.Fatalf("at %v: %v, %v", want, row.Time, err)
		}
	}
	scrolled := time.Since(began) / jumps

	began = time.Now()
	if err := r.SeekTime(span.First); err != nil {
		t.Fatal(err)
	}
	all := logs.Summarize(r.Header())
	rows := int64(0)
	for err = r.Next(&row); err == nil; err = r.Next(&row) {
		rows++
		for c := range all {
			all[c].Add(&row, c)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)

	if rows < span.Rows*99/100 || rows > span.Rows*101/100 {
		t.Errorf("%d rows, guessed %d", rows, span.Rows)
	}
	if f := r.Faults(); f.Any() || f.Torn {
		t.Errorf("faults: %v", f.First)
	}
	if middle, _ := all[7].Quantile(0.5).Float(); all[7].Count < rows*9/10 || middle <= 0 {
		t.Errorf("summary %+v", all[7])
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 24<<20 {
		t.Errorf("%d MiB were allocated in all", used>>20)
	}
	t.Logf("%d MiB, %d rows: opened in %v, a jump %v, summed up in %v: %.0f MB/s; %d KiB allocated in all, %d MiB of the process, %s",
		span.Bytes>>20, rows, opened.Round(time.Microsecond), scrolled.Round(time.Microsecond), took.Round(time.Millisecond),
		float64(span.Bytes)/took.Seconds()/1e6, (after.TotalAlloc-before.TotalAlloc)>>10, after.Sys>>20, formatstest.PeakMemory())
}
