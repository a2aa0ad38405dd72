package collector

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/fake"
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

// TestAddDuringAnswer: counters that are added while an answer is under way are
// recorded from the next one on, whatever the file.
func TestAddDuringAnswer(t *testing.T) {
	for _, file := range []string{"n.csv", "n.tsv", "n.json", "n.db"} {
		for _, more := range []string{`\Disk(*)\Free`, `\Memory\Pages/sec`, `\Memory\*`} {
			t.Run(file+" "+more, func(t *testing.T) {
				inBubble(t, start0, func(r *rig) {
					script := plain("a")
					script.Faults = []fake.Fault{{Latency: 600 * time.Millisecond}} // of the beat's second
					a := r.host(script, `\Memory\Seconds`)
					rec := r.start(r.described(file, a))
					r.clock.Advance(6200 * time.Millisecond)
					a.Paths = []string{more}
					if err := r.join(rec, a); err != nil {
						t.Fatal(err)
					}
					r.clock.Advance(10 * time.Second)
					if err := r.stop(rec); err != nil {
						t.Fatal(err)
					}
					path := `\\a\Memory\Pages/sec`
					if strings.HasPrefix(more, `\Disk`) {
						path = `\\a\Disk(C:)\Free`
					}
					var added, seconds []float64
					for _, name := range r.files() {
						if name != "state" {
							got := readTable(t, filepath.Join(r.dir, name))
							added, seconds = append(added, got.numbers(path)...), append(seconds, got.numbers(`\\a\Memory\Seconds`)...)
						}
					}
					begin := slices.IndexFunc(added, func(v float64) bool { return v >= 0 })
					if begin < 4 || begin > 7 || slices.Contains(added[begin:], -1) || len(seconds) < 14 || !isFrom(seconds, 0) {
						t.Errorf("%v, beside %v", added, seconds)
					}
					if len(r.reports) != 0 {
						t.Error(r.reported())
					}
				})
			})
		}
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

// TestAloneEnds: with a file for each host one that ends is told at once, and the
// others go on. The host may come back, into another file.
func TestAloneEnds(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		b := r.host(plain("b"), `\Memory\Seconds`)
		o := r.described("n.csv", r.host(plain("a"), `\Memory\Seconds`), b)
		o.PerHost = true
		rec := r.start(o)
		name := filepath.Join(r.dir, "b_n.csv")
		for i, harm := range []func(){
			func() { r.remove(name) },
			func() { r.remove(name); r.overwrite(name, "mine\n") },
		} {
			r.clock.Advance(5 * time.Second)
			harm()
			r.clock.Advance(5 * time.Second)
			if len(r.reports) != i+1 || !errors.Is(r.reports[i], ErrRemoved) || !strings.Contains(r.reported(), name) {
				t.Errorf("%d: it says %q", i, r.reported())
			}
			if s := rec.Status(); s.Ended || s.Files != 1 {
				t.Errorf("%d: %+v", i, s)
			}
			if _, gone := rec.Paths("b"); !gone {
				t.Errorf("%d: the host is said to be recorded", i)
			}
			if list := r.list(o.Dir); len(list) != 1 || len(list[0].Hosts) != 1 {
				t.Errorf("%d: another process would go on with %+v", i, list)
			}
			rec.Drop("b") // it left, as hosts do before they come back
			if i == 0 {
				other, err := lockRecording(name)
				if err != nil {
					t.Fatal(err)
				}
				err = r.join(rec, b)
				if _, busy := errors.AsType[*BusyError](err); !busy {
					t.Errorf("a file that another recorder has: %v", err)
				}
				other.release()
			}
			if err := r.join(rec, b); err != nil {
				t.Fatal(err)
			}
		}
		r.clock.Advance(5 * time.Second)
		if of, gone := rec.Paths("b"); len(of) != 1 || gone {
			t.Errorf("%q is recorded, gone %v", of, gone)
		}
		if err := r.stop(rec); err != nil || rec.Status().Missed != 0 {
			t.Errorf("%v, %+v", err, rec.Status())
		}
		if got := r.files(); !slices.Equal(got, []string{"a_n.csv", "b_n.csv", "b_n_000004.csv", "state"}) {
			t.Fatalf("files %q", got)
		}
		if n := len(readTable(t, filepath.Join(r.dir, "a_n.csv")).rows); n != 25 {
			t.Errorf("%d rows of the first host", n)
		}
		if n := len(readTable(t, filepath.Join(r.dir, "b_n_000004.csv")).rows); n < 4 || n > 5 {
			t.Errorf("%d rows of the second host", n)
		}
	})
}

// TestAloneEndsLast: when the file of the last host that is recorded ends, so does
// the recording.
func TestAloneEndsLast(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		o := r.described("n.csv", r.host(plain("a"), `\Memory\Seconds`), r.host(plain("b"), `\Memory\Seconds`))
		o.PerHost = true
		rec := r.start(o)
		r.clock.Advance(5 * time.Second)
		rec.Drop("a")
		r.clock.Advance(time.Second)
		r.remove(filepath.Join(r.dir, "b_n.csv"))
		r.clock.Advance(5 * time.Second)
		if s := rec.Status(); !s.Ended || !errors.Is(s.Err, ErrRemoved) || len(r.reports) != 0 {
			t.Errorf("%+v, reported %q", s, r.reported())
		}
	})
}

// TestAloneComplete: a host of which all is recorded takes nothing more.
func TestAloneComplete(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		b := r.host(plain("b"), `\Memory\Seconds`)
		late := plain("a")
		late.Faults = []fake.Fault{{Window: fake.Window{To: 10 * time.Second}, Err: errors.New("no route")}}
		o := r.described("n.db", r.host(late, `\Memory\Seconds`), b)
		o.PerHost, o.Count = true, 5
		rec := r.start(o)
		r.clock.Advance(7 * time.Second)
		b.Paths = []string{`\Disk(*)\Free`}
		if s := rec.Status(); s.Ended || s.Samples != 5 {
			t.Fatalf("%+v", s)
		}
		if err := r.join(rec, b); !errors.Is(err, errOver) {
			t.Errorf("it is taken: %v", err)
		}
		r.clock.Advance(20 * time.Second)
		if s := rec.Status(); !s.Ended || s.Err != nil {
			t.Errorf("%+v", s)
		}
	})
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

// TestAloneSilent: a host that never answers does not keep the recording from its
// end.
func TestAloneSilent(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		never := plain("a")
		never.Faults = []fake.Fault{{Err: errors.New("no route")}}
		o := r.described("n.csv", r.host(never, `\Memory\Seconds`), r.host(plain("b"), `\Memory\Seconds`))
		o.PerHost, o.Count = true, 5
		rec := r.start(o)
		r.clock.Advance(30 * time.Second)
		if s := rec.Status(); s.Ended || s.Samples != 5 {
			t.Fatalf("%+v", s)
		}
		r.clock.Advance(10 * time.Second)
		if s := rec.Status(); !s.Ended || s.Err != nil {
			t.Errorf("%+v", s)
		}
	})
}
