package formats_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
)

func benchWrite(b *testing.B, format string, o logs.WriteOptions) {
	const columns = 1000
	rows := formatstest.SomeRows(50, columns)
	f, _ := formats.Named(format)
	w, err := formats.Create(filepath.Join(b.TempDir(), "x"), f, formatstest.WideHeader(columns), o)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	b.ReportAllocs()
	at := rows[0].Time
	for i := 0; b.Loop(); i++ {
		row := &rows[i%len(rows)]
		row.Time = at.Add(time.Duration(i) * time.Second)
		if err := w.WriteRow(row); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*columns/b.Elapsed().Seconds()/1e6, "Mvalues/s")
}

func BenchmarkWriteCSV(b *testing.B) { benchWrite(b, "csv", logs.WriteOptions{}) }

func BenchmarkReadCSV(b *testing.B) {
	for _, columns := range []int{10, 1000} {
		b.Run(fmt.Sprint(columns), func(b *testing.B) {
			name := formatstest.LargeCSV(b, 64<<20, columns)
			info, _ := os.Stat(name)
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				formatstest.ReadThrough(b, name)
			}
		})
	}
}

func BenchmarkWriteSQLite(b *testing.B) {
	b.Run("rows", func(b *testing.B) { benchWrite(b, "sqlite", logs.WriteOptions{}) })
	b.Run("raw", func(b *testing.B) { benchWriteRaw(b, 1000, logs.WriteOptions{}) })
	b.Run("narrow", func(b *testing.B) { benchWriteRaw(b, 10, logs.WriteOptions{Buffered: true}) })
}

// benchWriteRaw writes rates with their raw samples.
func benchWriteRaw(b *testing.B, columns int, o logs.WriteOptions) {
	f, _ := formats.Named("sqlite")
	h := formatstest.WideHeader(columns)
	for i := range h.Columns {
		h.Columns[i].TypeKnown, h.Columns[i].Type = true, cooker.CounterBulkCount
	}
	w, err := formats.Create(filepath.Join(b.TempDir(), "x"), f, h, o)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	b.ReportAllocs()
	row := logs.Row{Values: make([]cooker.Value, columns), Raw: make([]logs.Raw, columns)}
	at := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	for i := 0; b.Loop(); i++ {
		row.Time = at.Add(time.Duration(i) * time.Second)
		for c := range columns {
			row.Values[c] = cooker.FloatValue(float64(i*c) * 1.1)
			row.Raw[c] = logs.Raw{Known: true, Reading: cooker.Reading{Raw: uint64(i * c * 1000)}, Clocks: cooker.Clocks{PerfTime: uint64(i) * 1e7, PerfFreqHz: 1e7}}
		}
		if err := w.WriteRow(&row); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(columns)/b.Elapsed().Seconds()/1e3, "kvalues/s")
}

func BenchmarkReadSQLite(b *testing.B) {
	name := formatstest.Convert(b, formatstest.LargeCSV(b, 8<<20, 1000), "sqlite")
	values := 0
	b.ReportAllocs()
	for b.Loop() {
		r, err := formats.Open(b.Context(), name, logs.OpenOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for _, row := range formatstest.Rest(b, r) {
			values += len(row.Values)
		}
		r.Close()
	}
	b.ReportMetric(float64(values)/b.Elapsed().Seconds()/1e3, "kvalues/s")
}

// BenchmarkSeek jumps to any row, and back by 600.
func BenchmarkSeek(b *testing.B) {
	for _, format := range formats.Names() {
		h, rows := formatstest.WideHeader(100), formatstest.SomeRows(4000, 100)
		for i := range h.Columns {
			h.Columns[i].TypeKnown, h.Columns[i].Type = true, cooker.CounterLargeRawCount
		}
		for i := range rows {
			rows[i].Raw = make([]logs.Raw, len(h.Columns))
			for c := range rows[i].Raw {
				rows[i].Raw[c] = logs.Raw{Known: true, Reading: cooker.Reading{Raw: uint64(i), Size: 8}}
				rows[i].Values[c] = cooker.WholeValue(uint64(i))
			}
		}
		name := formatstest.Recorded(b, format, h, rows)
		for _, back := range []int{0, 600} {
			b.Run(fmt.Sprint(format, "/", back), func(b *testing.B) {
				r, err := formats.Open(b.Context(), name, logs.OpenOptions{})
				if err != nil {
					b.Fatal(err)
				}
				defer r.Close()
				var row logs.Row
				source := rand.New(rand.NewPCG(3, 4))
				for b.Loop() {
					i := back + source.IntN(len(rows)-back)
					err := r.SeekTime(rows[i].Time)
					if err == nil {
						_, err = r.Back(back)
					}
					if err == nil {
						err = r.Next(&row)
					}
					if want := rows[i-back].Time; err != nil || !row.Time.Equal(want) {
						b.Fatal(err, row.Time, want)
					}
				}
			})
		}
	}
}
