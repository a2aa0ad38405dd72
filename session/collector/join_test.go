package collector

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// join adds to a recording as it goes on.
func (r *rig) join(rec *Recording, h Host) error {
	r.Helper()
	err := make(chan error, 1)
	go func() { err <- rec.Add(r.ctx, h) }()
	r.clock.Advance(0)
	return <-err
}

// perFile are the rows of a recording, by file, and the values of a column in all
// of them; nothing may be missing between two files.
func (r *rig) perFile(path string) (rows []int, values []float64) {
	r.Helper()
	var last time.Time
	for _, name := range r.files() {
		if name == "state" {
			continue
		}
		got := readTable(r, filepath.Join(r.dir, name))
		for _, at := range got.times {
			if !last.IsZero() && at.Sub(last) != time.Second {
				r.Errorf("%s: %v comes %v after the row before", name, at, at.Sub(last))
			}
			last = at
		}
		if len(got.columns) != len(slices.Compact(slices.Sorted(slices.Values(got.columns)))) {
			r.Errorf("%s: a column is there twice: %q", name, got.columns)
		}
		rows, values = append(rows, len(got.rows)), append(values, got.numbers(path)...)
	}
	return rows, values
}

// isFrom tells whether values begin somewhere, or a row later, and then are there
// to the end. Nobody waits for the first sample of a host that joins.
func isFrom(values []float64, from int) bool {
	begin := slices.IndexFunc(values, func(v float64) bool { return v >= 0 })
	return begin >= 0 && (begin == from || begin == from+1) && !slices.Contains(values[begin:], -1)
}

// TestAddHost: a host joins a recording. Files that grow get its columns, others
// are followed by the next one, which begins with its first row.
func TestAddHost(t *testing.T) {
	for file, files := range map[string]int{"n.db": 1, "n.json": 1, "n.csv": 2} {
		t.Run(file, func(t *testing.T) {
			inBubble(t, start0, func(r *rig) {
				rec := r.start(r.described(file, r.host(plain("a"), `\Memory\Seconds`)))
				r.clock.Advance(5 * time.Second)
				if err := r.join(rec, r.host(plain("b"), `\Memory\Seconds`, `\Disk(*)\Free`, `\Disk(late)\Free`)); err != nil {
					t.Fatal(err)
				}
				r.clock.Advance(10 * time.Second)
				if of, gone := rec.Paths("B"); len(of) != 3 || gone {
					t.Errorf("%q is recorded, gone %v", of, gone)
				}
				if of, gone := rec.Paths("other"); of != nil || gone {
					t.Errorf("%q is recorded of a stranger, gone %v", of, gone)
				}
				if list := r.list(filepath.Join(r.dir, "state")); len(list[0].Hosts) != 2 {
					t.Errorf("another process would go on with %+v", list[0].Hosts)
				}
				if err := r.stop(rec); err != nil || rec.Status().Missed != 0 {
					t.Errorf("%v, %+v", err, rec.Status())
				}
				rows, b := r.perFile(`\\b\Memory\Seconds`)
				_, a := r.perFile(`\\a\Memory\Seconds`)
				_, disk := r.perFile(`\\b\Disk(D:)\Free`)
				if len(rows) != files || !isFrom(a, 0) || len(a) != 15 || !isFrom(b, 5) || !isFrom(disk, 5) {
					t.Errorf("rows %v, a %v, b %v, disk %v", rows, a, b, disk)
				}
				if len(r.reports) != 0 {
					t.Error(r.reported())
				}
			})
		})
	}
}

// TestAddPaths: more counters of a host that is recorded already. What is there is
// not asked for twice, and no file is begun for it.
func TestAddPaths(t *testing.T) {
	for file, want := range map[string][]int{"n.db": {15}, "n.json": {15}, "n.csv": {5, 10}} {
		t.Run(file, func(t *testing.T) {
			inBubble(t, start0, func(r *rig) {
				a := r.host(plain("a"), `\Memory\*`)
				rec := r.start(r.described(file, a))
				r.clock.Advance(5 * time.Second)
				a.Paths = []string{`\Memory\Seconds`, `\Disk(*)\Free`, `\Disk(never)\Free`}
				if err := r.join(rec, a); err != nil {
					t.Fatal(err)
				}
				r.clock.Advance(5 * time.Second)
				a.Paths = []string{`\Memory\Seconds`, `\disk(C:)\Free`}
				if err := r.join(rec, a); err != nil {
					t.Fatal(err)
				}
				r.clock.Advance(5 * time.Second)
				r.stop(rec)
				rows, seconds := r.perFile(`\\a\Memory\Seconds`)
				_, disk := r.perFile(`\\a\Disk(C:)\Free`)
				if !slices.Equal(rows, want) || !isFrom(seconds, 0) || !isFrom(disk, 5) {
					t.Errorf("rows %v, seconds %v, disk %v", rows, seconds, disk)
				}
				got := readTable(t, rec.Status().File)
				if got.column(`\\a\Disk(never)\Free`) < 0 {
					t.Errorf("a path without wildcards has no column: %q", got.columns)
				}
				if len(r.reports) != 0 {
					t.Error(r.reported())
				}
			})
		})
	}
}

// TestAddBack: a host that was dropped comes back into its columns.
func TestAddBack(t *testing.T) {
	for _, file := range []string{"n.db", "n.json", "n.csv"} {
		t.Run(file, func(t *testing.T) {
			inBubble(t, start0, func(r *rig) {
				a, b := r.host(plain("a"), `\Memory\Seconds`), r.host(plain("b"), `\Disk(*)\Free`)
				rec := r.start(r.described(file, a, b))
				r.clock.Advance(5 * time.Second)
				rec.Drop("b")
				r.clock.Advance(5 * time.Second)
				if _, gone := rec.Paths("b"); !gone {
					t.Error("it is not known that the host went")
				}
				if list := r.list(filepath.Join(r.dir, "state")); len(list[0].Hosts) != 1 {
					t.Errorf("another process would go on with %+v", list[0].Hosts)
				}
				again := r.host(plain("b")) // as it is opened anew
				if err := r.join(rec, again); err != nil {
					t.Fatal(err)
				}
				r.clock.Advance(5 * time.Second)
				r.stop(rec)
				rows, disk := r.perFile(`\\b\Disk(D:)\Free`)
				if !slices.Equal(rows, []int{15}) || disk[4] < 0 || disk[5] != -1 || disk[9] != -1 || disk[14] < 0 {
					t.Errorf("rows %v: %v", rows, disk)
				}
				if columns := readTable(t, rec.Status().File).columns; len(columns) != 3 {
					t.Errorf("%q", columns)
				}
			})
		})
	}
}

// TestAddAlone: with a file for each host the one that joins has its own, and what
// is wrong with that is told.
func TestAddAlone(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		o := r.described("n.csv", r.host(plain("a"), `\Memory\Seconds`))
		o.PerHost = true
		rec := r.start(o)
		r.clock.Advance(5 * time.Second)
		if err := r.join(rec, r.host(plain("b"), `\Memory\Seconds`)); err != nil {
			t.Fatal(err)
		}
		r.overwrite(filepath.Join(r.dir, "c_n.csv"), "mine\n")
		if err := r.join(rec, r.host(plain("c"), `\Memory\Seconds`)); !errors.Is(err, ErrExists) {
			t.Errorf("a file that is there: %v", err)
		}
		r.remove(filepath.Join(r.dir, "c_n.csv"))
		r.clock.Advance(5 * time.Second)
		if err := r.stop(rec); err != nil {
			t.Fatal(err)
		}
		if got := r.files(); !slices.Equal(got, []string{"a_n.csv", "b_n.csv", "state"}) {
			t.Errorf("files %q", got)
		}
		if n := len(readTable(t, filepath.Join(r.dir, "a_n.csv")).rows); n != 10 {
			t.Errorf("%d rows of the first", n)
		}
		if n := len(readTable(t, filepath.Join(r.dir, "b_n.csv")).rows); n != 5 {
			t.Errorf("%d rows of the second", n)
		}
		if err := rec.Add(context.Background(), r.host(plain("d"), `\Memory\Seconds`)); !errors.Is(err, errOver) {
			t.Errorf("after its end: %v", err)
		}
	})
}
