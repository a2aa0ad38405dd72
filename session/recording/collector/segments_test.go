package collector

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/naming"
)

// TestSegments begins files by time, by samples and by size.
func TestSegments(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits Limits
		parts  naming.Parts
		want   []string
		rows   []int
	}{
		{"samples", Limits{Samples: 4}, 0, []string{"n_000001.csv", "n_000002.csv", "n_000003.csv"}, []int{4, 4, 2}},
		{"time", Limits{Time: 3 * time.Second}, 0, []string{"n_000001.csv", "n_000002.csv", "n_000003.csv", "n_000004.csv"}, []int{3, 3, 3, 1}},
		{"time in names", Limits{Time: 5 * time.Second}, naming.PartMonthDayHourMinute, []string{"n_03021407.csv", "n_000002_03021407.csv"}, []int{5, 5}},
		{"size", Limits{Bytes: 1}, 0, nil, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, start0, func(r *rig) {
				o := r.options("n.csv", r.host(plain("web01"), `\Memory\Seconds`))
				o.Segment, o.Parts = c.limits, c.parts
				var begun []string // by one goroutine
				o.Begun = func(file string) { begun = append(begun, filepath.Base(file)) }
				rec := r.start(o)
				r.clock.Advance(10 * time.Second)
				if err := r.stop(rec); err != nil {
					t.Fatal(err)
				}
				names := r.files()
				if c.want != nil {
					want := slices.Sorted(slices.Values(c.want))
					if !slices.Equal(names, want) {
						t.Fatalf("files %q, want %q", names, want)
					}
					names = c.want
				}
				if slices.Sort(begun); !slices.Equal(begun, slices.Sorted(slices.Values(names))) {
					t.Errorf("told of %q, there are %q", begun, names)
				}
				last := -1.0
				for i, name := range names {
					got := readTable(t, filepath.Join(r.dir, name))
					if len(got.rows) != c.rows[i] {
						t.Errorf("%s has %d rows, want %d", name, len(got.rows), c.rows[i])
					}
					for _, n := range got.numbers(`\\web01\Memory\Seconds`) {
						if last >= 0 && n != last+1 {
							t.Errorf("%s: %v after %v", name, n, last)
						}
						last = n
					}
				}
				if s := rec.Status(); s.Segments != len(names) || s.Samples != 10 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// TestSerialsGoOn: a new run begins behind the files of the runs before.
func TestSerialsGoOn(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		h := r.host(plain("web01"), `\Memory\Seconds`)
		o := r.options("n.csv", h)
		o.Segment = Limits{Samples: 2}
		for range 2 {
			rec := r.start(o)
			r.clock.Advance(3 * time.Second)
			r.stop(rec)
		}
		want := []string{"n_000001.csv", "n_000002.csv", "n_000003.csv", "n_000004.csv"}
		if got := r.files(); !slices.Equal(got, want) {
			t.Errorf("files %q", got)
		}
		if err := os.Remove(filepath.Join(r.dir, "n_000001.csv")); err != nil {
			t.Fatal(err)
		}
		o.Exists = Append
		rec := r.start(o)
		r.clock.Advance(time.Second)
		r.stop(rec)
		if got := len(readTable(t, filepath.Join(r.dir, "n_000004.csv")).rows); got != 2 {
			t.Errorf("%d rows in the newest file after it was continued, want 2", got)
		}
		if got := r.files(); !slices.Equal(got, want[1:]) {
			t.Errorf("files %q", got)
		}
	})
}

// TestRing keeps the files below a size and removes nothing that is not its own.
func TestRing(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		o := r.options("n.csv", r.host(plain("web01"), `\Memory\*`, `\Disk(*)\*`))
		o.Ring, o.Segment.Bytes, o.Dir = 64<<10, 4<<10, filepath.Join(r.dir, "state")
		foreign := filepath.Join(r.dir, "n_000000.csv")
		if err := os.WriteFile(foreign, make([]byte, 100<<10), 0o600); err != nil {
			t.Fatal(err)
		}
		size := func() (n int64) {
			for _, name := range r.files() {
				if info, err := os.Stat(filepath.Join(r.dir, name)); err == nil && !info.IsDir() && name != "n_000000.csv" {
					n += info.Size()
				}
			}
			return n
		}
		for range 2 { // the second run goes on with the files of the first
			rec := r.start(o)
			for range 10 {
				r.clock.Advance(2 * time.Minute)
				if n := size(); n > o.Ring+1<<10 {
					t.Fatalf("%d bytes, more than the ring of %d", n, o.Ring)
				}
			}
			r.stop(rec)
		}
		if n := size(); n < o.Ring*3/4 {
			t.Errorf("only %d bytes of a ring of %d", n, o.Ring)
		}
		names := r.files()
		if info, err := os.Stat(foreign); err != nil || info.Size() != 100<<10 {
			t.Errorf("the file of somebody else: %v", err)
		}
		touched := filepath.Join(r.dir, names[1])
		if err := os.WriteFile(touched, []byte("mine now"), 0o600); err != nil {
			t.Fatal(err)
		}
		rec := r.start(o)
		r.clock.Advance(30 * time.Minute)
		r.stop(rec)
		if text, err := os.ReadFile(touched); err != nil || string(text) != "mine now" {
			t.Errorf("a file that was changed since is gone: %v", err)
		}
		if _, err := os.Stat(filepath.Join(r.dir, names[2])); !isGone(err) {
			t.Errorf("the next oldest is still there: %v", err)
		}
	})
}

// TestRingAfterKill: the file that a killed recorder wrote is a file of the ring.
func TestRingAfterKill(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		o := r.described("n.csv", r.host(plain("web01"), `\Memory\*`, `\Disk(*)\*`))
		o.Ring, o.Segment.Bytes = 64<<10, 8<<10
		rec := r.start(o)
		r.clock.Advance(time.Minute)
		first := rec.Status().File
		r.kill(rec)
		rec = r.start(o) // a new recording, not one that is resumed
		r.clock.Advance(30 * time.Minute)
		if s := rec.Status(); s.File == first || s.Bytes < o.Ring {
			t.Fatalf("%+v", s)
		}
		r.stop(rec)
		if _, err := os.Stat(first); !isGone(err) {
			t.Errorf("the file of the killed recorder stays: %v", err)
		}
	})
}

// TestDaylightSaving: on both nights each file has one bias, and no sample is lost.
func TestDaylightSaving(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name   string
		change time.Time
		biases []int
	}{
		{"spring", time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC), []int{-60, -120}},
		{"autumn", time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC), []int{-120, -60}},
	} {
		for _, file := range []string{"n.csv", "n.db"} {
			t.Run(c.name+" "+file, func(t *testing.T) {
				inBubble(t, c.change.Add(-90*time.Second), func(r *rig) {
					o := r.options(file, r.host(plain("web01"), `\Memory\Seconds`))
					o.Zone = berlin
					rec := r.start(o)
					r.clock.Advance(3 * time.Minute)
					r.stop(rec)
					var times []time.Time
					var biases []int
					for _, name := range r.files() {
						in, err := formats.Open(context.Background(), filepath.Join(r.dir, name), logs.OpenOptions{})
						if err != nil {
							t.Fatal(err)
						}
						biases = append(biases, in.Header().Zone.Bias)
						in.Close()
						times = append(times, readTable(t, filepath.Join(r.dir, name)).times...)
					}
					slices.SortFunc(times, time.Time.Compare)
					if len(times) != 180 || !slices.Contains(biases, c.biases[0]) || !slices.Contains(biases, c.biases[1]) || len(biases) != 2 {
						t.Errorf("%d rows, biases %v", len(times), biases)
					}
					for i := 1; i < len(times); i++ {
						if d := times[i].Sub(times[i-1]); d != time.Second {
							t.Errorf("row %d comes %v after the one before", i, d)
						}
					}
				})
			})
		}
	}
}
