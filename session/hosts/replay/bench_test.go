package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/formats/formatstest"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/guard"
)

// wide is a recording of so many counters: processes with ten counters each.
func wide(t testing.TB, format string, columns int, bytes int64) string {
	t.Helper()
	h := &logs.Header{Zone: utc()}
	for i := range columns {
		h.Columns = append(h.Columns, logs.Column{Path: fmt.Sprintf(`\\srv\Process(p%d)\Counter %d/sec`, i/10, i%10)})
	}
	file := filepath.Join(t.TempDir(), "wide."+format)
	f, _ := formats.ByExtension(file)
	w, err := formats.Create(file, f, h, logs.WriteOptions{Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]logs.Row, 100)
	for i := range rows {
		for range columns {
			rows[i].Values = append(rows[i].Values, cooker.FloatValue(rng.Float64()*1000))
		}
	}
	for i := 0; ; i++ {
		row := &rows[i%len(rows)]
		row.Time = start.Add(time.Duration(i) * time.Second)
		if err := w.WriteRow(row); err != nil {
			t.Fatal(err)
		}
		if size, _ := w.Size(); size >= bytes && i > 1000 {
			break
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// deckAsk asks as a deck and a table of processes do.
func deckAsk(h *Host) []session.Ask {
	set := h.Catalogue().Sets[0]
	return []session.Ask{{
		Set: set, Counters: []int{0, 1, 2, 3},
		Keep: []session.Keep{{Counters: []int{0}, Busiest: 30, By: 0}},
	}}
}

// seeker is a tape without a goroutine.
func seeker(b testing.TB, file string) (*Player, *tape, *Host) {
	b.Helper()
	p, err := Open([]string{file}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.closeTapes() })
	h := p.Hosts()[0]
	h.track.ask(deckAsk(h))
	p.tapes[0].collect()
	return p, p.tapes[0], h
}

// BenchmarkSeek jumps to any moment and reads its window: at first two samples,
// then all.
func BenchmarkSeek(b *testing.B) {
	for _, format := range []string{"csv", "db"} {
		for _, columns := range []int{100, 1000} {
			for _, samples := range []int{2, whole} {
				name := fmt.Sprintf("%s/%d/%s", format, columns, map[bool]string{true: "first", false: "whole"}[samples == 2])
				b.Run(name, func(b *testing.B) {
					p, t, _ := seeker(b, wide(b, format, columns, 32<<20))
					first, last := p.Bounds()
					rng := rand.New(rand.NewPCG(3, 4))
					b.ReportAllocs()
					for b.Loop() {
						if err := t.load(first.Add(time.Duration(rng.Int64N(int64(last.Sub(first))))), samples, nil); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkWindow reads the last 600 rows of a recording of 1,000 columns, and shows them: with
// the history of each of the values, and of a tenth.
func BenchmarkWindow(b *testing.B) {
	for _, format := range []string{"csv", "db"} {
		file := wide(b, format, 1000, 32<<20)
		for _, kept := range []int{10, 1} {
			b.Run(fmt.Sprintf("%s/%d", format, 100*kept), func(b *testing.B) {
				_, t, h := seeker(b, file)
				ask := session.Ask{Set: h.Catalogue().Sets[0], Counters: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
				ask.Keep = []session.Keep{{Counters: ask.Counters[:kept], Busiest: 30, By: 0}}
				h.track.ask([]session.Ask{ask})
				t.collect()
				rows := 0
				b.ReportAllocs()
				for b.Loop() {
					if err := t.load(start.Add(900*time.Second), whole, nil); err != nil {
						b.Fatal(err)
					}
					h.track.reel.Snapshot("srv", t.newest, session.HostState{}).Release()
					rows += t.taken
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(rows), "us/row")
			})
		}
	}
}

// BenchmarkPlay is how many rows of a wide recording are played in a second, each
// with its share of a snapshot of 50 rows: at a row a second, the highest speed.
func BenchmarkPlay(b *testing.B) {
	for _, columns := range []int{100, 1000} {
		b.Run(strconv.Itoa(columns), func(b *testing.B) {
			_, t, h := seeker(b, wide(b, "csv", columns, 32<<20))
			begin := func() {
				if err := t.load(start.Add(500*time.Second), whole, nil); err != nil {
					b.Fatal(err)
				}
			}
			begin()
			for n := 0; b.Loop(); n++ {
				if _, ok, _ := t.peek(); !ok {
					b.StopTimer()
					begin()
					b.StartTimer()
				}
				if _, _, err := t.advance(start.Add(time.Hour*1000), 1); err != nil {
					b.Fatal(err)
				}
				if n%50 == 0 {
					h.track.reel.Snapshot("srv", t.newest, session.HostState{}).Release()
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkSnapshot makes a snapshot of 100 processes with 4 counters, 30 of them
// with history; a sample is played for each.
func BenchmarkSnapshot(b *testing.B) {
	_, t, h := seeker(b, wide(b, "csv", 1000, 32<<20))
	if err := t.load(start.Add(500*time.Second), whole, nil); err != nil {
		b.Fatal(err)
	}
	b.Run("play", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok, _ := t.peek(); !ok {
				if err := t.load(start.Add(500*time.Second), whole, nil); err != nil {
					b.Fatal(err)
				}
			}
			if _, _, err := t.advance(start.Add(time.Hour*1000), 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("snapshot", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.track.reel.Snapshot("srv", t.newest, session.HostState{}).Release()
		}
	})
}

// largeBytes is how large the file of TestLarge is: PERFDECK_LARGE_MIB in MiB.
//
//	PERFDECK_LARGE_MIB=1024 go test -v -run TestLarge ./session/hosts/replay
func largeBytes(t *testing.T) int64 {
	text, ok := os.LookupEnv("PERFDECK_LARGE_MIB")
	switch {
	case !ok && (testing.Short() || isRace):
		return 16 << 20
	case !ok:
		return 200 << 20
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n <= 0 {
		t.Fatalf("PERFDECK_LARGE_MIB=%s: not a number of MiB", text)
	}
	return n << 20
}

// TestLarge opens a recording that may be larger than memory and jumps about in
// it: it takes no longer, and no more memory, than with a small one.
func TestLarge(t *testing.T) {
	bytes := largeBytes(t)
	file := wide(t, "csv", 1000, bytes)
	runtime.GC()
	began := time.Now()
	p, err := Open([]string{file}, Options{Guard: guard.New(func(e *guard.PanicError) { panic(e) })})
	if err != nil {
		t.Fatal(err)
	}
	h := p.Hosts()[0]
	h.Ask(deckAsk(h))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(ctx)
	}()
	wait := func(at time.Time) *session.Snapshot {
		for {
			<-h.Ready()
			s := h.Take()
			if s == nil {
				continue
			}
			if n := len(s.Timeline.Nanos); n > 0 && s.Time.Equal(at) && (n == leastSamples || s.Time.Sub(start) < leastSpan) {
				return s
			}
			s.Release()
		}
	}
	wait(start).Release()
	opened := time.Since(began)
	first, last := p.Bounds()
	const jumps = 20
	began = time.Now()
	for i := range jumps {
		at := first.Add(last.Sub(first) * time.Duration(i*7%jumps) / jumps).Truncate(time.Second)
		p.Seek(at)
		for {
			<-h.Ready()
			if s := h.Take(); s != nil {
				ok := s.Time.Equal(at)
				s.Release()
				if ok {
					break
				}
			}
		}
	}
	jumped := time.Since(began) / jumps
	set := h.Catalogue().Sets[0]
	began = time.Now()
	for {
		<-p.Changed()
		if cells, seen := p.Overview(h, set, 3, session.InstanceKey{Name: "p7"}, 100); seen == 1 {
			if !cells[0].Has || !cells[99].Has || cells[50].Max < 900 {
				t.Errorf("overview %v", cells)
			}
			break
		}
	}
	surveyed := time.Since(began)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	cancel()
	<-done
	if used := m.HeapInuse + m.StackInuse; used > 150<<20 {
		t.Errorf("%d MiB are in use", used>>20)
	}
	if limit := time.Second; opened > 5*limit {
		t.Errorf("opened in %v", opened)
	}
	t.Logf("%d MiB: the first picture after %v, a jump %v, looked at in %v; %d MiB of heap, %d MiB of the process, %s",
		bytes>>20, opened.Round(time.Millisecond), jumped.Round(time.Millisecond), surveyed.Round(time.Millisecond),
		m.HeapInuse>>20, m.Sys>>20, formatstest.PeakMemory())
}
