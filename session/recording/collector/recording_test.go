package collector

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/fake"
)

// TestRecord: every format has every sample, with values from the first row on.
func TestRecord(t *testing.T) {
	for _, file := range []string{"night.csv", "night.tsv", "night.db", "night.json"} {
		t.Run(file, func(t *testing.T) {
			inBubble(t, start0, func(r *rig) {
				rec := r.start(r.options(file, r.host(plain("web01"), `\Memory\*`, `\Disk(*)\Free`)))
				r.clock.Advance(10 * time.Second)
				if err := r.stop(rec); err != nil {
					t.Fatal(err)
				}
				s := rec.Status()
				if s.Samples != 10 || s.Missed != 0 || !s.Ended || s.Err != nil || s.Columns != 0 || s.Bytes == 0 {
					t.Errorf("%+v", s)
				}
				if got := r.files(); !slices.Equal(got, []string{file}) {
					t.Errorf("files %q", got)
				}
				got := readTable(t, rec.Status().File)
				want := []string{`\\web01\Memory\Seconds`, `\\web01\Memory\Pages/sec`, `\\web01\Disk(C:)\Free`, `\\web01\Disk(D:)\Free`}
				if !slices.Equal(got.columns, want) {
					t.Errorf("columns %q, want %q", got.columns, want)
				}
				if n := got.numbers(want[0]); len(n) != 10 || n[0] < 1 || n[9]-n[0] != 9 {
					t.Errorf("seconds %v", n)
				}
				if n := got.numbers(want[1]); len(n) != 10 || n[0] < 6.9 || n[0] > 7.1 {
					t.Errorf("pages %v", n)
				}
				for i := 1; i < len(got.times); i++ {
					if got.times[i].Sub(got.times[i-1]) != time.Second {
						t.Errorf("row %d: %v after %v", i, got.times[i], got.times[i-1])
					}
				}
			})
		})
	}
}

// TestPathGivenTwice: the same path again, however it is written, is one column that
// has values, and that is told once.
func TestPathGivenTwice(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		given := []string{`\Memory\Seconds`, `\memory\SECONDS`, `\\web01\Memory\Seconds`, `\Memory\*`, `\Disk(C:)\Free`, `\Disk(C:#0)\Free`}
		one, two := r.host(plain("web01"), given...), r.host(plain("web02"), given[:2]...)
		rec := r.start(r.options("night.csv", one, two))
		r.clock.Advance(3 * time.Second)
		if err := r.stop(rec); err != nil {
			t.Fatal(err)
		}
		got := readTable(t, rec.Status().File)
		want := []string{`\\web01\Memory\Seconds`, `\\web01\Memory\Pages/sec`, `\\web01\Disk(C:)\Free`, `\\web02\Memory\Seconds`}
		if !slices.Equal(got.columns, want) {
			t.Errorf("columns %q, want %q", got.columns, want)
		}
		if silent := rec.Silent(); len(silent) > 0 {
			t.Errorf("%+v never had a value", silent)
		}
		if n := strings.Count(r.reported(), "no duplicates"); n != 2 || len(r.reports) != 2 {
			t.Errorf("%d paths are told to be given twice:\n%s", n, r.reported())
		}
		if len(one.Paths) != len(given) || one.Paths[1] != given[1] {
			t.Errorf("the paths of the caller are %q", one.Paths)
		}
	})
}

// TestRawSamples: SQLite keeps what values were cooked from.
func TestRawSamples(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		rec := r.start(r.options("night.db", r.host(plain("web01"), `\Memory\*`)))
		r.clock.Advance(3 * time.Second)
		r.stop(rec)
		got := readTable(t, rec.Status().File)
		c := got.column(`\\web01\Memory\Pages/sec`)
		for i := 1; i < len(got.raws); i++ {
			older, newer := got.raws[i-1][c], got.raws[i][c]
			if !older.Known || newer.Reading.Raw-older.Reading.Raw != 7 || newer.Clocks.PerfTime <= older.Clocks.PerfTime {
				t.Errorf("row %d: %+v after %+v", i, newer, older)
			}
		}
	})
}

// TestExisting: a file that is there is kept, continued or replaced, as was said.
func TestExisting(t *testing.T) {
	for _, file := range []string{"night.csv", "night.db", "night.json"} {
		t.Run(file, func(t *testing.T) {
			inBubble(t, start0, func(r *rig) {
				h := r.host(plain("web01"), `\Memory\Seconds`)
				run := func(o Options, span time.Duration) (*Recording, error) {
					rec, err := Start(o)
					if err != nil {
						return nil, err
					}
					r.clock.Advance(span)
					return rec, r.stop(rec)
				}
				first, err := run(r.options(file, h), 5*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				name := first.Status().File
				before, _ := os.ReadFile(name)
				_, err = run(r.options(file, h), time.Second)
				if !errors.Is(err, ErrExists) || !errors.Is(err, fs.ErrExist) {
					t.Errorf("a new file is begun where one is: %v", err)
				}
				if after, _ := os.ReadFile(name); !slices.Equal(before, after) {
					t.Error("the file that was there was changed")
				}
				o := r.options(file, h)
				o.Exists = Append
				if _, err := run(o, 5*time.Second); err != nil {
					t.Fatal(err)
				}
				if n := len(readTable(t, name).rows); n != 10 {
					t.Errorf("%d rows after the second run, want 10", n)
				}
				other := r.options(file, r.host(plain("web02"), `\Memory\Seconds`))
				other.Exists = Append
				if _, err := run(other, 5*time.Second); file != "night.json" && !errors.Is(err, logs.ErrColumnsDiffer) {
					t.Errorf("other counters are appended: %v", err)
				}
				r.clock.Step(-time.Hour)
				if _, err := run(o, 5*time.Second); !errors.Is(err, logs.ErrEarlier) {
					t.Errorf("earlier times are appended: %v", err)
				}
				o.Exists = Overwrite
				if _, err := run(o, 3*time.Second); err != nil {
					t.Fatal(err)
				}
				if n := len(readTable(t, name).rows); n != 3 {
					t.Errorf("%d rows after the file was replaced, want 3", n)
				}
			})
		})
	}
}

// TestSecondRecorder is refused while the first one records, and not afterwards.
func TestSecondRecorder(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		h := r.host(plain("web01"), `\Memory\Seconds`)
		rec := r.start(r.options("night.csv", h))
		for _, exists := range []Existing{NewFile, Append, Overwrite} {
			o := r.options("night.csv", h)
			o.Exists = exists
			_, err := Start(o)
			if _, ok := errors.AsType[*BusyError](err); !ok {
				t.Errorf("%v: %v", exists, err)
			}
		}
		r.clock.Advance(2 * time.Second)
		r.stop(rec)
		o := r.options("night.csv", h)
		o.Exists = Append
		r.stop(r.start(o))
	})
}

// TestLockIsExclusive: of many who want a lock again and again one has it at a time.
func TestLockIsExclusive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "n.csv")
	var holders, most atomic.Int32
	var taken atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 300 {
				l, err := lockRecording(name)
				if _, busy := errors.AsType[*BusyError](err); busy {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n > 1 {
					most.Store(n)
				}
				taken.Add(1)
				runtime.Gosched()
				holders.Add(-1)
				l.release()
			}
		})
	}
	all.Wait()
	if most.Load() > 1 || taken.Load() == 0 {
		t.Errorf("%d holders at once, taken %d times", most.Load(), taken.Load())
	}
}

// TestStaleLock: what a dead recorder left does not keep others away; one of
// another computer does, as long as it is touched.
func TestStaleLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "night.csv")
	write := func(text string, age time.Duration) {
		if err := os.WriteFile(lockName(file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(lockName(file), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		text string
		age  time.Duration
		free bool
	}{
		{"", 0, true},
		{"garbage", 0, true},
		{holder{1, hostName(), "other-boot"}.line(), 0, true},
		{holder{1, "container", bootID()}.line(), 0, true},
		{holder{1, "elsewhere", "other-boot"}.line(), time.Second, false},
		{holder{1, "elsewhere", "other-boot"}.line(), time.Hour, true},
	} {
		write(c.text, c.age)
		l, err := lockRecording(file)
		if (err == nil) != c.free {
			t.Errorf("%q, %v old: %v", c.text, c.age, err)
		}
		l.release()
	}
}

// churn is a host with instances that come and go.
func churn() fake.Script {
	s := plain("web01")
	s.Sets[1].Rows = []fake.Row{
		{Name: "C:"},
		{Name: "late", Alive: fake.Window{From: 5 * time.Second}},
		{Name: "gone", Alive: fake.Window{To: 5 * time.Second}},
		{Name: "again", Alive: fake.Window{From: 2 * time.Second, To: 4 * time.Second, Every: 8 * time.Second}},
	}
	return s
}

// TestInstances: files that grow have columns for instances that come later, others
// do not, or a new file is begun on request.
func TestInstances(t *testing.T) {
	record := func(r *rig, file string, follow bool) {
		o := r.options(file, r.host(churn(), `\Disk(*)\Free`))
		o.FollowInstances = follow
		rec := r.start(o)
		r.clock.Advance(14 * time.Second)
		if err := r.stop(rec); err != nil {
			r.Fatal(err)
		}
	}
	late, gone, again := `\\web01\Disk(late)\Free`, `\\web01\Disk(gone)\Free`, `\\web01\Disk(again)\Free`
	for _, file := range []string{"n.db", "n.json"} {
		inBubble(t, start0, func(r *rig) {
			record(r, file, false)
			got := readTable(t, filepath.Join(r.dir, file))
			if n := got.numbers(late); len(n) != 14 || n[0] != -1 || n[13] != 5 {
				t.Errorf("%s: late %v", file, n)
			}
			if n := got.numbers(gone); n[0] != 5 || n[13] != -1 {
				t.Errorf("%s: gone %v", file, n)
			}
			if n := got.numbers(again); slices.Index(n, 5) < 0 || n[12] != -1 || len(got.columns) != 4 {
				t.Errorf("%s: again %v of %q", file, n, got.columns)
			}
		})
	}
	inBubble(t, start0, func(r *rig) {
		record(r, "n.csv", false)
		got := readTable(t, filepath.Join(r.dir, "n.csv"))
		if got.column(late) >= 0 || got.column(gone) < 0 || len(got.rows) != 14 {
			t.Errorf("%q", got.columns)
		}
		if len(r.reports) != 1 {
			t.Errorf("reports:\n%s", r.reported())
		}
	})
	inBubble(t, start0, func(r *rig) {
		record(r, "n.csv", true)
		names := r.files()
		if len(names) != 2 || len(r.reports) != 0 {
			t.Fatalf("files %q, reports %q", names, r.reported())
		}
		rows := 0
		for _, name := range names {
			rows += len(readTable(t, filepath.Join(r.dir, name)).rows)
		}
		if rows != 14 {
			t.Errorf("%d rows, want 14", rows)
		}
	})
}

// TestSameNames: columns follow instances of one name by their identity, and one
// that comes takes over from one that went.
func TestSameNames(t *testing.T) {
	s := plain("web01")
	s.Sets[1].Rows = []fake.Row{
		{Name: "p", Is: map[string]fake.Motion{"Free": fake.Const(1)}, Alive: fake.Window{To: 5 * time.Second}},
		{Name: "p", Is: map[string]fake.Motion{"Free": fake.Const(2)}},
		{Name: "p", Is: map[string]fake.Motion{"Free": fake.Const(3)}, Alive: fake.Window{From: 8 * time.Second}},
	}
	for _, file := range []string{"n.csv", "n.db"} {
		inBubble(t, start0, func(r *rig) {
			rec := r.start(r.options(file, r.host(s, `\Disk(*)\Free`)))
			r.clock.Advance(12 * time.Second)
			r.stop(rec)
			got := readTable(t, rec.Status().File)
			if want := []string{`\\web01\Disk(p)\Free`, `\\web01\Disk(p#1)\Free`}; !slices.Equal(got.columns, want) {
				t.Fatalf("%s: columns %q", file, got.columns)
			}
			one := got.numbers(`\\web01\Disk(p)\Free`)
			for i, n := range got.numbers(`\\web01\Disk(p#1)\Free`) {
				if n != 2 {
					t.Errorf("%s: row %d: the second instance is %v", file, i, n)
				}
			}
			if one[0] != 1 || one[6] != -1 || one[11] != 3 {
				t.Errorf("%s: %v", file, one)
			}
		})
	}
}

// TestPinned: a path without wildcards has its column whether or not the instance
// is there, in every file.
func TestPinned(t *testing.T) {
	for _, file := range []string{"n.csv", "n.db", "n.blg"} {
		inBubble(t, start0, func(r *rig) {
			o := r.options(file, r.host(churn(), `\Disk(late)\Free`, `\Disk(never)\Free`, `\Memory\Seconds`, `\No\Such`))
			o.Segment = Limits{Samples: 5}
			rec := r.start(o)
			r.clock.Advance(10 * time.Second)
			r.stop(rec)
			came := false
			for _, name := range r.files() {
				got := readTable(t, filepath.Join(r.dir, name))
				came = came || slices.Contains(got.numbers(`\\web01\Disk(late)\Free`), 5)
				if len(got.columns) != 3 || got.columns[0] != `\\web01\Disk(late)\Free` {
					t.Errorf("%s: columns %q", name, got.columns)
				}
			}
			if !came {
				t.Errorf("%s: the instance that came late has no value", file)
			}
			if n := len(r.reports); n != 1 && (file != "n.blg" || n != 2) { // that is experimental
				t.Errorf("reports:\n%s", r.reported())
			}
			silent := rec.Silent()
			if len(silent) != 1 || silent[0].Path != `\Disk(never)\Free` || silent[0].Status != cooker.Pending {
				t.Errorf("silent: %+v", silent)
			}
		})
	}
}

// Who holds a lock is read as it was written, with blanks in the name of the computer, and without a
// boot.
func TestHolders(t *testing.T) {
	for _, h := range []holder{{12, "my host", "abc"}, {12, "host", ""}} {
		name := filepath.Join(t.TempDir(), "lock")
		if err := os.WriteFile(name, []byte(h.line()), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := readHolder(file); got != h {
			t.Errorf("%+v is read as %+v", h, got)
		}
		_ = file.Close()
	}
}
