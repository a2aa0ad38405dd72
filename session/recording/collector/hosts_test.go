package collector

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// TestSeveralHosts: one file has a row for each beat of all, or each host has a
// file of its own.
func TestSeveralHosts(t *testing.T) {
	for _, file := range []string{"n.csv", "n.db", "n.json"} {
		inBubble(t, start0, func(r *rig) {
			rec := r.start(r.options(file, r.host(plain("a"), `\Memory\*`), r.host(plain("b"), `\Memory\Seconds`), r.host(plain("c"), `\Disk(*)\Free`)))
			r.clock.Advance(10 * time.Second)
			if err := r.stop(rec); err != nil {
				t.Fatal(err)
			}
			got := readTable(t, rec.Status().File)
			want := []string{`\\a\Memory\Seconds`, `\\a\Memory\Pages/sec`, `\\b\Memory\Seconds`, `\\c\Disk(C:)\Free`, `\\c\Disk(D:)\Free`}
			if !slices.Equal(got.columns, want) || len(got.rows) != 10 {
				t.Fatalf("%s: %d rows of %q", file, len(got.rows), got.columns)
			}
			for i, a := range got.numbers(want[0]) {
				if b := got.numbers(want[2])[i]; a != b || a < 1 {
					t.Errorf("%s: row %d: %v and %v", file, i, a, b)
				}
			}
		})
	}
	inBubble(t, start0, func(r *rig) {
		o := r.options("n.csv", r.host(plain("a"), `\Memory\*`), r.host(plain("[fe80::1]:445"), `\Memory\Seconds`))
		o.PerHost = true
		rec := r.start(o)
		r.clock.Advance(5 * time.Second)
		if s := rec.Status(); s.Files != 2 || s.Samples != 5 {
			t.Errorf("%+v", s)
		}
		r.stop(rec)
		if got := r.files(); !slices.Equal(got, []string{"[fe80--1]-445_n.csv", "a_n.csv"}) {
			t.Fatalf("files %q", got)
		}
		for _, name := range r.files() {
			if n := len(readTable(t, filepath.Join(r.dir, name)).rows); n != 5 {
				t.Errorf("%s has %d rows", name, n)
			}
		}
	})
}

// TestHostsFail: rows go on without a host that fails, is late or hangs, and it is
// told how many samples there are not.
func TestHostsFail(t *testing.T) {
	in := func(from, to time.Duration, f fake.Fault) fake.Script {
		s := plain("b")
		f.Window = fake.Window{From: from, To: to}
		s.Faults = []fake.Fault{f}
		return s
	}
	for _, c := range []struct {
		name   string
		script fake.Script
		values int // of b, of 20
		missed int64
		why    error
	}{
		{"well", plain("b"), 20, 0, nil},
		{"fails", in(5*time.Second+500*time.Millisecond, time.Minute, fake.Fault{Err: session.ErrDenied}), 5, 15, session.ErrDenied},
		{"late", in(5*time.Second, 9*time.Second, fake.Fault{Latency: 300 * time.Millisecond}), 20, 0, nil},
		{"too late", in(5*time.Second, 5*time.Second+100*time.Millisecond, fake.Fault{Latency: 700 * time.Millisecond}), 19, 1, nil},
		{"hangs", in(5*time.Second, 6*time.Second, fake.Fault{Latency: 10 * time.Second}), 10, 10, nil},
	} {
		for _, file := range []string{"n.csv", "n.db"} {
			t.Run(c.name+" "+file, func(t *testing.T) {
				inBubble(t, start0, func(r *rig) {
					rec := r.start(r.options(file, r.host(plain("a"), `\Memory\Seconds`), r.host(c.script, `\Memory\Seconds`)))
					r.clock.Advance(20*time.Second + 900*time.Millisecond)
					r.stop(rec)
					got := readTable(t, rec.Status().File)
					values := 0
					for i, b := range got.numbers(`\\b\Memory\Seconds`) {
						if a := got.numbers(`\\a\Memory\Seconds`)[i]; a < 0 || b >= 0 && a != b {
							t.Errorf("row %d: %v beside %v", i, a, b)
						}
						if b >= 0 {
							values++
						}
					}
					if len(got.rows) != 20 || values != c.values {
						t.Errorf("%d rows, %d with a value of b, want 20 and %d", len(got.rows), values, c.values)
					}
					if s := rec.Status(); s.Missed != c.missed {
						t.Errorf("%d samples missed, want %d", s.Missed, c.missed)
					}
					is := func(got, want Miss) bool {
						return got.Host == want.Host && got.Samples == want.Samples && errors.Is(got.Err, want.Err)
					}
					var want []Miss
					if c.missed > 0 {
						want = []Miss{{"b", c.missed, c.why}}
					}
					if got := rec.Status().Misses; !slices.EqualFunc(got, want, is) {
						t.Errorf("missed %v, want %v", got, want)
					}
				})
			})
		}
	}
}

// TestHostReturns: the rows of a host that returns at any moment between two beats are
// those of the others, from the next beat on at the latest.
func TestHostReturns(t *testing.T) {
	for _, ms := range []int{0, 200, 400, 600, 740, 760, 900, 980, 999} {
		after := time.Duration(ms) * time.Millisecond
		for _, file := range []string{"n.csv", "n.db"} {
			inBubble(t, start0, func(r *rig) {
				script := plain("b")
				script.Faults = []fake.Fault{{Window: fake.Window{From: 5*time.Second + 500*time.Millisecond, To: 8 * time.Second}, Err: session.ErrDenied}}
				host := r.host(script, `\Memory\Seconds`)
				rec := r.start(r.options(file, r.host(plain("a"), `\Memory\Seconds`), host))
				r.clock.Advance(9*time.Second + after)
				host.Sampler.Retry()
				r.clock.Advance(20*time.Second + 900*time.Millisecond - r.clock.Now().Mono)
				r.stop(rec)
				got := readTable(t, rec.Status().File)
				a, b := got.numbers(`\\a\Memory\Seconds`), got.numbers(`\\b\Memory\Seconds`)
				for i := range a {
					if there := i < 5 || i > 9; a[i] < 0 || b[i] >= 0 && b[i] != a[i] || there && b[i] < 0 {
						t.Errorf("%s after %v, row %d: %v beside %v", file, after, i, a[i], b[i])
					}
				}
				if len(got.rows) != 20 {
					t.Errorf("%s after %v: %d rows", file, after, len(got.rows))
				}
			})
		}
	}
}

// TestLateHost: a host that answers minutes later has columns where they can be
// told before, or where the file may grow.
func TestLateHost(t *testing.T) {
	late := plain("b")
	late.Faults = []fake.Fault{{Window: fake.Window{To: time.Minute}, Err: errors.New("no route")}}
	for file, columns := range map[string]int{"n.csv": 2, "n.db": 4, "n.json": 4} {
		inBubble(t, start0, func(r *rig) {
			rec := r.start(r.options(file, r.host(plain("a"), `\Memory\Seconds`), r.host(late, `\Memory\Seconds`, `\Disk(*)\Free`)))
			r.clock.Advance(3 * time.Minute)
			r.stop(rec)
			got := readTable(t, rec.Status().File)
			n := got.numbers(`\\b\Memory\Seconds`)
			if len(got.columns) != columns || len(n) < 170 || n[len(n)-1] < 100 || n[10] != -1 {
				t.Errorf("%s: %d rows of %q", file, len(n), got.columns)
			}
		})
	}
}

// TestSlowHosts: hosts whose answers are slow have their columns in every file that
// cannot get more; of one that hangs it is told, once, what is not in it.
func TestSlowHosts(t *testing.T) {
	slow := func(name string, wait time.Duration) fake.Script {
		s := plain(name)
		s.Faults = []fake.Fault{{Window: fake.Window{From: 100 * time.Millisecond, To: 4 * time.Second}, Latency: wait}}
		return s
	}
	hangs := plain("z")
	hangs.Faults = []fake.Fault{{Window: fake.Window{From: 100 * time.Millisecond, To: time.Minute}, Latency: 70 * time.Second}}
	inBubble(t, start0, func(r *rig) {
		paths := []string{`\Disk(*)\Free`, `\Memory\Seconds`}
		hosts := []Host{r.host(plain("a"), paths...)}
		for i := range 8 {
			hosts = append(hosts, r.host(slow(string(rune('b'+i)), time.Duration(i)*400*time.Millisecond), paths...))
		}
		hosts = append(hosts, r.host(hangs, paths...))
		r.clock.Advance(200 * time.Millisecond) // all are known
		o := r.options("n.csv", hosts...)
		o.Segment.Samples = 5
		rec := r.start(o)
		r.clock.Advance(30 * time.Second)
		if told := r.reported(); strings.Count(told, `z: \Disk(*)\Free: `) != 1 || strings.Contains(told, "Memory") || !rec.LeftOut() {
			t.Errorf("told %s", told)
		}
		r.clock.Advance(90 * time.Second)
		r.stop(rec)
		files := r.files()
		if len(files) < 20 {
			t.Fatalf("files %q", files)
		}
		for i, file := range files {
			got := readTable(t, filepath.Join(r.dir, file))
			want := 9*3 + 1
			if z := got.numbers(`\\z\Memory\Seconds`); slices.Max(z) >= 0 || i == len(files)-1 {
				want = 10 * 3 // it answers
			}
			if len(got.columns) != want {
				t.Fatalf("%s has %d columns, not %d: %q", file, len(got.columns), want, got.columns)
			}
			for _, path := range got.columns[:27] {
				if n := got.numbers(path); i > 1 && slices.Contains(n, -1) {
					t.Errorf("%s: %s: %v", file, path, n)
				}
			}
		}
	})
}

// TestDrop: a host that is dropped leaves its columns behind; nobody waits for it.
func TestDrop(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		rec := r.start(r.options("n.csv", r.host(plain("a"), `\Memory\Seconds`), r.host(plain("b"), `\Memory\Seconds`)))
		r.clock.Advance(5 * time.Second)
		rec.Drop("b")
		r.clock.Advance(5 * time.Second)
		r.stop(rec)
		got := readTable(t, rec.Status().File)
		a, b := got.numbers(`\\a\Memory\Seconds`), got.numbers(`\\b\Memory\Seconds`)
		if len(a) != 10 || a[9] < 0 || b[4] < 0 || b[9] != -1 || rec.Status().Missed != 0 {
			t.Errorf("a %v, b %v, missed %d", a, b, rec.Status().Missed)
		}
	})
}

// TestStandstill: after the computer slept rows go on, and none are invented.
func TestStandstill(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		rec := r.start(r.options("n.csv", r.host(plain("a"), `\Memory\Seconds`), r.host(plain("b"), `\Memory\Seconds`)))
		r.clock.Advance(5 * time.Second)
		r.clock.Jump(time.Hour)
		r.clock.Advance(5 * time.Second)
		r.clock.Sleep(8 * time.Hour)
		r.clock.Advance(5 * time.Second)
		r.stop(rec)
		got := readTable(t, rec.Status().File)
		if n := len(got.rows); n < 15 || n > 17 {
			t.Errorf("%d rows", n)
		}
		for i := range got.rows {
			if a, b := got.numbers(`\\a\Memory\Seconds`)[i], got.numbers(`\\b\Memory\Seconds`)[i]; a != b {
				t.Errorf("row %d: %v beside %v", i, a, b)
			}
		}
	})
}

// TestCatalogueRenewed: what is recorded goes on in its columns when a host has
// another catalogue.
func TestCatalogueRenewed(t *testing.T) {
	for _, file := range []string{"n.csv", "n.db"} {
		inBubble(t, start0, func(r *rig) {
			script := plain("a")
			h := r.host(script, `\Memory\Seconds`, `\Disk(*)\Free`)
			rec := r.start(r.options(file, h, r.host(plain("b"), `\Memory\Seconds`)))
			r.clock.Advance(5 * time.Second)
			h.Sampler.Renew(h.Sampler.Catalogue())
			r.clock.Advance(5 * time.Second)
			r.stop(rec)
			got := readTable(t, rec.Status().File)
			if len(got.columns) != 4 || len(got.rows) != 10 || slices.Contains(got.numbers(`\\a\Disk(D:)\Free`), -1) {
				t.Errorf("%s: %d rows of %q", file, len(got.rows), got.columns)
			}
		})
	}
}

// TestMuster: hosts with beats of their own share rows, and their phases do not
// drift into others.
func TestMuster(t *testing.T) {
	m := newAssembler(time.Second, 3)
	ms := time.Millisecond
	phases := []time.Duration{0, 400 * ms, 700 * ms}
	var rows []row
	now := session.Instant{Wall: start0}
	takeDue := func() {
		for {
			if d, ok := m.wait(now.Mono); !ok || d > 0 {
				return
			}
			r, ok := m.nextRow(now)
			if ok {
				rows = append(rows, r)
			}
		}
	}
	for beat := range 50 {
		for i, p := range phases {
			if beat == 20 && i == 1 {
				continue // it misses one
			}
			jitter := time.Duration((beat*7+i*13)%40-20) * ms
			now.Mono = time.Hour + time.Duration(beat)*time.Second + p + jitter
			m.put(&sample{place: i, Answer: session.Answer{Began: now.Mono, Time: start0.Add(now.Mono)}})
			takeDue()
		}
	}
	missed := m.missed()
	now.Mono += 2 * time.Second
	takeDue()
	whole, parts := 0, 0
	for i, r := range rows {
		n := 0
		for _, s := range r.samples {
			if s != nil {
				n++
			}
		}
		if n == 3 {
			whole++
		} else {
			parts++
		}
		if i > 0 && i < 49 {
			if d := r.mono - rows[i-1].mono; d < 900*ms || d > 1100*ms {
				t.Errorf("row %d comes %v after the one before", i, d)
			}
		}
	}
	// A beat that comes too early is a beat, and puts those behind it on no other row.
	early := newAssembler(time.Second, 1)
	for i, c := range []struct {
		at   time.Duration
		row  int64
		kept bool
	}{{0, 0, true}, {time.Second, 1, true}, {1400 * ms, 2, true}, {2 * time.Second, 2, false}, {3 * time.Second, 3, true}, {4 * time.Second, 4, true}} {
		s := &sample{Answer: session.Answer{Began: c.at, Time: start0}}
		if kept := early.put(s); kept != c.kept || s.row != c.row {
			t.Errorf("sample %d is of row %d, kept: %t", i, s.row, kept)
		}
	}
	// The first row begins with the first host; the others join at once.
	if whole < 48 || parts > 2 || missed > 1 {
		t.Errorf("%d whole rows, %d parts, %d missed", whole, parts, missed)
	}
}

// TestSetFails: a counterset that cannot be read leaves blanks and a reason.
func TestSetFails(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		s := plain("a")
		s.Faults = []fake.Fault{{Window: fake.Window{From: 5 * time.Second, To: 8 * time.Second}, Set: "Memory", Err: session.ErrDenied}}
		rec := r.start(r.options("n.db", r.host(s, `\Memory\Seconds`, `\Disk(C:)\Free`)))
		r.clock.Advance(10 * time.Second)
		r.stop(rec)
		got := readTable(t, rec.Status().File)
		n, other := got.numbers(`\\a\Memory\Seconds`), got.numbers(`\\a\Disk(C:)\Free`)
		if n[3] < 0 || n[5] != -1 || n[9] < 0 || slices.Contains(other, -1) {
			t.Errorf("%v beside %v", n, other)
		}
		if v := got.rows[5][got.column(`\\a\Memory\Seconds`)]; v.Status() != cooker.Denied {
			t.Errorf("the reason is %v", v)
		}
	})
}

// TestNothingThere: nobody waits for a host that has nothing of what is recorded.
func TestNothingThere(t *testing.T) {
	inBubble(t, start0, func(r *rig) {
		bare := fake.Script{Name: "b", Sets: []fake.Set{{Name: "Other", Counters: []fake.Counter{{Name: "X"}}}}}
		rec := r.start(r.options("n.csv", r.host(plain("a"), `\Memory\Seconds`), r.host(bare, `\Disk(*)\Free`)))
		r.clock.Advance(3 * time.Second)
		if s := rec.Status(); s.Samples != 3 || s.Missed != 0 {
			t.Errorf("%+v", s)
		}
		r.stop(rec)
		if len(r.reports) != 1 {
			t.Errorf("reports: %s", r.reported())
		}
	})
}
