package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/logs"
)

// sheet makes a recording of a table: a line a sample, a cell a column, "" none.
func sheet(every time.Duration, columns []string, lines ...string) (*logs.Header, []logs.Row) {
	h := &logs.Header{Zone: utc(), Columns: columnsNamed(columns...)}
	var rows []logs.Row
	for i, line := range lines {
		row := logs.Row{Time: start.Add(time.Duration(i) * every)}
		for _, text := range strings.Split(line, " ") {
			var f float64
			if _, err := fmt.Sscan(text, &f); err != nil {
				row.Values = append(row.Values, cooker.Absent(cooker.Gap))
				continue
			}
			row.Values = append(row.Values, cooker.FloatValue(f))
		}
		rows = append(rows, row)
	}
	return h, rows
}

// shownRows are the rows of the only view of a snapshot: name, value, a mark for
// those that are gone.
func shownRows(s *session.Snapshot) string {
	var out []string
	v := s.Sets[0]
	for i := range v.Rows {
		text := v.Rows[i].Key.Name + "="
		if f, ok := v.Value(i, 0).Float(); ok {
			text += fmt.Sprint(f)
		} else {
			text += v.Value(i, 0).Status().String()
		}
		if v.Rows[i].Gone {
			text += "!"
		}
		if n := len(v.Series(i, 0).Values); n > 0 {
			text += fmt.Sprint("/", n)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// Instances come and go; what went is shown for a while if its history is kept. A
// sample without any value tells nothing of them.
func TestInstancesComeAndGo(t *testing.T) {
	h, rows := sheet(4*time.Second, []string{`\\a\P(x)\c`, `\\a\P(y)\c`, `\\a\P(z)\c`},
		"- - -", "1 2 -", "1 2 3", "1 - 3", "- - -", "1 - 3", "1 - 3", "1 5 3")
	file := write(t, "come.csv", h, rows)
	for _, kept := range []bool{true, false} {
		playing(t, Options{}, []string{file}, func(r *rig) {
			host := r.Hosts()[0]
			a := session.Ask{Set: host.Catalogue().Sets[0], Counters: []int{0}}
			if kept {
				a.Keep = []session.Keep{{Counters: a.Counters, Match: func(*session.Instance) bool { return true }}}
			}
			host.Ask([]session.Ask{a})
			want := []string{
				"x=FIRST_SAMPLE y=FIRST_SAMPLE z=FIRST_SAMPLE", "x=1 y=2", "x=1 y=2 z=3", "x=1 z=3 y=GONE!",
				"x=GAP z=GAP y=GONE!", "x=1 z=3 y=GONE!", "x=1 z=3", "x=1 y=5 z=3",
			}
			for i := range rows {
				s := r.at(host, rows[i].Time)
				got := shownRows(s)
				for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8} {
					got = strings.ReplaceAll(got, fmt.Sprint("/", n), "")
				}
				wanted := want[i]
				if !kept {
					wanted = strings.ReplaceAll(wanted, " y=GONE!", "")
				}
				if got != wanted {
					t.Errorf("kept %v, sample %d: %s, want %s", kept, i, got, wanted)
				}
				v := s.Sets[0]
				for row := range v.Rows {
					if series := v.Series(row, 0); kept != (len(series.Values) == i+1) {
						t.Errorf("kept %v, sample %d: history %v", kept, i, series.Values)
					}
				}
			}
		})
	}
}

// An average that is idle has no value, but its instance stays.
func TestIdleIsNotGone(t *testing.T) {
	h, rows := sheet(time.Second, []string{`\\a\Disk(0 C:)\Avg. Disk sec/Transfer`, `\\a\Disk(1 D:)\Avg. Disk sec/Transfer`, `\\a\Disk(1 D:)\Disk Bytes/sec`},
		"1 1 1", "- - 0", "- - -", "2 2 1")
	playing(t, Options{}, []string{write(t, "idle.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		host.Ask([]session.Ask{{Set: host.Catalogue().Sets[0], Counters: []int{0}}})
		for i, want := range []string{"0 C:=1 1 D:=1", "0 C:=GAP 1 D:=GAP", "0 C:=GAP 1 D:=GAP", "0 C:=2 1 D:=2"} {
			if got := shownRows(r.at(host, rows[i].Time)); got != want {
				t.Errorf("sample %d: %s, want %s", i, got, want)
			}
		}
	})
}

// Of the busiest the history is there as far back as that of all others, and it
// is the same whether they were busy before or not.
func TestBusiest(t *testing.T) {
	h, rows := sheet(time.Second, []string{`\\a\P(x)\c`, `\\a\P(y)\c`, `\\a\P(z)\c`, `\\a\P(_Total)\c`, `\\a\P(w)\c`},
		"9 1 1 99 -", "9 1 1 99 -", "1 7 8 99 9", "1 7 8 99 -")
	playing(t, Options{}, []string{write(t, "busy.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		set := host.Catalogue().Sets[0]
		host.Ask([]session.Ask{{Set: set, Counters: []int{0}, Keep: []session.Keep{{Counters: []int{0}, Busiest: 2, By: 0}}}})
		for i, want := range []string{"x=9/1 y=1/1 z=1 _Total=99", "x=9/2 y=1/2 z=1 _Total=99", "x=1 y=7 z=8/3 _Total=99 w=9/3", "x=1 y=7 z=8/4 _Total=99 w=GONE!/4"} {
			if got := shownRows(r.at(host, rows[i].Time)); got != want {
				t.Errorf("sample %d: %s, want %s", i, got, want)
			}
		}
	})
}

// Processes have their numbers where the recording has them.
func TestNumbersOfProcesses(t *testing.T) {
	h, rows := sheet(time.Second, []string{`\\a\Process(x)\c`, `\\a\Process(x)\ID Process`, `\\a\Process(y)\c`, `\\a\Process(y)\ID Process`, `\\a\Process(y)\Creating Process ID`},
		"1 4711 1 12 4", "1 4711 - - -", "1 4712 - - -")
	playing(t, Options{}, []string{write(t, "pids.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		host.Ask([]session.Ask{{Set: host.Catalogue().Sets[0], Counters: []int{0}, Keep: []session.Keep{{Counters: []int{0}, Busiest: 9, By: 0}}}})
		for i, want := range []string{"x 4711 0, y 12 4, ", "x 4711 0, y 12 4, ", "x 4712 0, y 12 4, "} {
			got := ""
			for _, row := range r.at(host, rows[i].Time).Sets[0].Rows {
				got += fmt.Sprintf("%s %d %d, ", row.Key.Name, row.Number, row.Owner)
			}
			if got != want {
				t.Errorf("sample %d: %swant %s", i, got, want)
			}
		}
	})
}

// Recorders do not keep their interval to the millisecond.
func TestRoundInterval(t *testing.T) {
	for every, want := range map[time.Duration]time.Duration{
		199936 * time.Microsecond: 200 * time.Millisecond, 3005 * time.Millisecond: 3 * time.Second, 15 * time.Second: 15 * time.Second,
		60100 * time.Millisecond: time.Minute, 90 * time.Second: 90 * time.Second, 33 * time.Millisecond: 33 * time.Millisecond, 123 * time.Microsecond: 123 * time.Microsecond, 0: 0,
	} {
		if got := roundInterval(every); got != want {
			t.Errorf("%v is %v, want %v", every, got, want)
		}
	}
}

// Combined instances are made of the recorded ones, with their history.
func TestCombined(t *testing.T) {
	h, rows := sheet(time.Second, []string{`\\a\P(x)\c`, `\\a\P(y)\c`, `\\a\P(_Total)\c`}, "1 2 50", "3 - 50", "5 6 50")
	total := cooker.AggregateTotal
	playing(t, Options{}, []string{write(t, "sum.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		r.Seek(rows[2].Time)
		host.Ask([]session.Ask{{
			Set: host.Catalogue().Sets[0], Counters: []int{0},
			Combine: []session.Combine{{Name: "sum", Func: &total}},
			Keep:    []session.Keep{{Counters: []int{0}, Match: func(in *session.Instance) bool { return in.Key.Name == "sum" }}},
		}})
		v := r.take(host).Sets[0]
		row := v.Find(session.InstanceKey{Name: "sum"}, -1)
		if row < 0 || v.Rows[row].Flags != session.FlagTotal|session.FlagCombined || !slices.Equal(v.Series(row, 0).Values, []float32{3, 3, 11}) {
			t.Fatalf("%v, history %v", v.Rows, v.Series(row, 0))
		}
		if f, _ := v.Value(row, 0).Float(); f != 11 {
			t.Errorf("sum %v", v.Value(row, 0))
		}
		if _, _, _, _, ok := v.Raw(0, 0); ok {
			t.Error("a raw sample of a recording that has none")
		}
	})
}

// Raw samples of a recording are those that the values are cooked from.
func TestRawSamples(t *testing.T) {
	h, rows := night(60, utc(), "sql01")
	playing(t, Options{}, []string{write(t, "night.db", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		askAll(host)
		explained := 0
		for i := range rows {
			for _, v := range r.at(host, rows[i].Time).Sets {
				for row := range v.Rows {
					for col, counter := range v.Counters {
						older, newer, t0, t1, ok := v.Raw(row, col)
						value := v.Value(row, col)
						if !ok {
							continue
						}
						c := &v.Set.Counters[counter]
						again := cooker.Cook(c.Type, older, newer, t0, t1, nil)
						if value.Valid() && !same(again, value) {
							t.Fatalf("sample %d, %s: %v, of the raw samples %v", i, c.Name, value, again)
						}
						if value.Valid() {
							explained++
						}
					}
				}
			}
		}
		if explained < 300 {
			t.Errorf("only %d values could be explained", explained)
		}
	})
}

// Screens ask again and again; only what is new makes a snapshot.
func TestAskingTheSameAgain(t *testing.T) {
	h, rows := night(50, utc(), "sql01")
	playing(t, Options{}, []string{write(t, "night.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		askAll(host)
		r.at(host, rows[40].Time)
		askAll(host)
		r.clock.Advance(0)
		if s := host.Take(); s != nil {
			t.Error("asking the same made a snapshot")
		}
		set := host.Catalogue().Set("Process")
		host.Ask([]session.Ask{{Set: set, Counters: []int{1}, Keep: []session.Keep{{Counters: []int{1}, Busiest: 3, By: 1}}}})
		s := r.take(host)
		if len(s.Sets) != 1 || !slices.Equal(s.Sets[0].Counters, []int{1}) {
			t.Errorf("%d sets", len(s.Sets))
		}
		checkCells(t, host, s, rows, rows[40].Time)
		host.Ask([]session.Ask{{Set: &session.Counterset{Name: "other"}, Counters: []int{0}}})
		if s := r.take(host); len(s.Sets) != 0 {
			t.Error("a set of another host is shown")
		}
		host.Close()
		host.Retry()
		r.take(host)
	})
}

// A longer span brings a longer history.
func TestSpan(t *testing.T) {
	h, rows := night(2000, utc(), "sql01")
	playing(t, Options{}, []string{write(t, "night.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		askAll(host)
		at := rows[1500].Time
		if n := len(r.at(host, at).Timeline.Nanos); n != leastSamples {
			t.Errorf("%d samples", n)
		}
		r.SetSpan(4 * time.Hour)
		s := r.take(host)
		if n := len(s.Timeline.Nanos); n != 4*60*4+1 {
			t.Errorf("%d samples of 4 hours at 15 s", n)
		}
		checkCells(t, host, s, rows, at)
	})
}

// Walk gives every sample once, in order, and thinned ones cooked anew over the
// time between them. Alert rules can be judged by it.
func TestWalk(t *testing.T) {
	h, rows := night(200, utc(), "sql01")
	p, err := Open([]string{write(t, "night.db", h, rows)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.closeTapes()
	asks := func(h *Host) []session.Ask {
		return []session.Ask{{Set: h.Catalogue().Set("Memory"), Counters: []int{0, 1}}}
	}
	var times []time.Time
	err = p.Walk(context.Background(), 0, asks, func(_ *Host, s *session.Snapshot) error {
		want := &rows[len(times)]
		times = append(times, s.Time)
		for col := range s.Sets[0].Counters {
			if got := s.Sets[0].Value(0, col); !s.Time.Equal(want.Time) || !same(got, want.Values[col]) {
				t.Errorf("%v: %v, want %v", s.Time, got, want.Values[col])
			}
		}
		return nil
	})
	if err != nil || len(times) != len(rows) {
		t.Fatalf("%d of %d samples, %v", len(times), len(rows), err)
	}
	var before *session.Snapshot
	n := 0
	err = p.Walk(context.Background(), time.Minute, asks, func(_ *Host, s *session.Snapshot) error {
		n++
		if before != nil {
			older, newer, t0, t1, ok := s.Sets[0].Raw(0, 1)
			if want := cooker.Cook(cooker.CounterBulkCount, older, newer, t0, t1, nil); !ok || !same(want, s.Sets[0].Value(0, 1)) || t1.PerfTime-t0.PerfTime < 600_000_000 {
				t.Fatalf("%v, want %v", s.Sets[0].Value(0, 1), want)
			}
		}
		before = s
		return nil
	})
	if err != nil || n < len(rows)/5 || n > len(rows)/3 {
		t.Errorf("%d samples a minute apart of %d, %v", n, len(rows), err)
	}
	stop := errors.New("stop")
	if err := p.Walk(context.Background(), 0, asks, func(*Host, *session.Snapshot) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("stopped with %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Walk(ctx, 0, asks, func(*Host, *session.Snapshot) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled with %v", err)
	}
}

// A rule judged by a walk fires where the file crosses its limit.
func TestAlertsOverARecording(t *testing.T) {
	h, rows := sheet(time.Second, []string{`\\a\M\load`}, "1", "1", "9", "9", "1", "1", "9")
	p, err := Open([]string{write(t, "load.csv", h, rows)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.closeTapes()
	when, err := paths.ParseAlert(`\M\load>5`)
	if err != nil {
		t.Fatal(err)
	}
	engine := alert.NewEngine([]alert.Rule{{Name: "load", When: when, Severity: alert.Warning, Interval: time.Second}}, time.Second, time.UTC, nil)
	instant := func(at time.Time) session.Instant { return session.Instant{Wall: at, Mono: at.Sub(start)} }
	var fired []time.Time
	err = p.Walk(context.Background(), time.Second,
		func(h *Host) []session.Ask { return engine.Bind(h.Name(), h.Catalogue(), instant(start))[time.Second] },
		func(h *Host, s *session.Snapshot) error {
			engine.Observe(h.Name(), time.Second, s, instant(s.Time))
			for _, e := range engine.Take() {
				if e.Kind == alert.Fired {
					fired = append(fired, e.Time)
				}
			}
			return nil
		})
	if err != nil || len(fired) != 2 || !fired[0].Equal(rows[2].Time) || !fired[1].Equal(rows[6].Time) {
		t.Errorf("fired %v, %v", fired, err)
	}
}

// The overview has the extent of every part of the recording, and is empty in
// gaps.
func TestOverview(t *testing.T) {
	h, rows := night(700, utc(), "sql01")
	for _, name := range []string{"night.csv", "night.db"} {
		playing(t, Options{}, []string{write(t, name, h, rows)}, func(r *rig) {
			r.clock.Advance(0)
			host := r.Hosts()[0]
			set := host.Catalogue().Set("Memory")
			for _, n := range []int{1, 40, 118, 512, 1000} {
				cells, seen := r.Overview(host, set, 0, session.InstanceKey{}, n)
				if seen != 1 || len(cells) != n {
					t.Fatalf("%d cells, %v seen", len(cells), seen)
				}
				checkOverview(t, cells, rows, 0)
			}
			if cells, seen := r.Overview(host, set, 9, session.InstanceKey{}, 10); seen != 1 || cells[0].Has {
				t.Error("an overview of no counter")
			}
		})
	}
}

// checkOverview holds cells against the rows: with parts of its own the overview
// may be off by one part at the edges of a cell.
func checkOverview(t *testing.T, cells []MinMax, rows []logs.Row, column int) {
	t.Helper()
	first, last := rows[0].Time, rows[len(rows)-1].Time
	length := float64(last.Sub(first))
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		f, ok := row.Values[column].Float()
		if !ok {
			continue
		}
		low, high = min(low, f), max(high, f)
		at := float64(row.Time.Sub(first)) / length * float64(len(cells))
		slack := float64(len(cells))/surveyParts + 1
		found := false
		for c := int(max(at-slack, 0)); c <= int(at+slack) && c < len(cells); c++ {
			found = found || cells[c].Has && cells[c].Min <= f*(1+1e-6) && cells[c].Max >= f*(1-1e-6)
		}
		if !found {
			t.Fatalf("%v of %v is not at %v of %d cells", f, row.Time, at, len(cells))
		}
	}
	gotLow, gotHigh, empty := math.Inf(1), math.Inf(-1), 0
	for _, c := range cells {
		if !c.Has {
			empty++
			continue
		}
		gotLow, gotHigh = min(gotLow, c.Min), max(gotHigh, c.Max)
	}
	if float32(gotLow) != float32(low) || float32(gotHigh) != float32(high) {
		t.Errorf("%d cells from %v to %v, the file from %v to %v", len(cells), gotLow, gotHigh, low, high)
	}
	if len(cells) >= 118 && empty == 0 {
		t.Errorf("%d cells: no gap", len(cells))
	}
}

// A recording of few samples has no holes in its overview.
func TestOverviewOfFew(t *testing.T) {
	h, rows := night(23, utc(), "sql01")
	playing(t, Options{}, []string{write(t, "few.csv", h, rows)}, func(r *rig) {
		r.clock.Advance(0)
		host := r.Hosts()[0]
		cells, seen := r.Overview(host, host.Catalogue().Set("Memory"), 0, session.InstanceKey{}, 200)
		if seen != 1 {
			t.Fatal("not all was looked at")
		}
		for i, c := range cells {
			if !c.Has {
				t.Fatalf("cell %d is empty", i)
			}
		}
	})
}

// Where there are too many counters those that are asked for are looked at.
func TestOverviewOfMany(t *testing.T) {
	h := &logs.Header{Zone: utc()}
	const columns = mostSurveyed/surveyParts + 1
	for i := range columns {
		h.Columns = append(h.Columns, logs.Column{Path: fmt.Sprintf(`\\a\P(%d)\c`, i)})
	}
	var rows []logs.Row
	for i := range 30 {
		row := logs.Row{Time: start.Add(time.Duration(i) * time.Second)}
		for c := range columns {
			row.Values = append(row.Values, cooker.FloatValue(float64(c+i)))
		}
		rows = append(rows, row)
	}
	playing(t, Options{}, []string{write(t, "many.csv", h, rows)}, func(r *rig) {
		r.clock.Advance(0)
		host := r.Hosts()[0]
		set := host.Catalogue().Sets[0]
		for _, c := range []int{5000, 3, 8000} {
			key := session.InstanceKey{Name: fmt.Sprint(c)}
			r.Overview(host, set, 0, key, 1)
			r.clock.Advance(0)
			cells, seen := r.Overview(host, set, 0, key, 1)
			if seen != 1 || cells[0].Min != float64(c) || cells[0].Max != float64(c+29) {
				t.Errorf("column %d: %v, %v seen", c, cells, seen)
			}
		}
		if gap, seen, ok := r.NextGap(start, false); ok || seen != 1 {
			t.Errorf("gap %v", gap)
		}
	})
}

// Marks are in order of time; bookmarks come and go, alerts are replaced.
func TestMarks(t *testing.T) {
	h, rows := night(100, utc(), "sql01")
	playing(t, Options{}, []string{write(t, "night.csv", h, rows)}, func(r *rig) {
		at := func(i int) time.Time { return rows[i].Time }
		r.SetBookmark(at(50), true)
		r.SetAlerts([]Mark{{At: at(70), Kind: Critical}, {At: at(20), Kind: Warning}})
		r.SetBookmark(at(10), true)
		var got []int
		for m, ok := r.NextMark(start.Add(-1), false); ok; m, ok = r.NextMark(m.At, false) {
			got = append(got, slices.IndexFunc(rows, func(row logs.Row) bool { return row.Time.Equal(m.At) })*10+int(m.Kind))
		}
		if !slices.Equal(got, []int{100, 202, 500, 703}) {
			t.Errorf("marks %v", got)
		}
		if m, ok := r.NextMark(at(50), true); !ok || !m.At.Equal(at(20)) {
			t.Errorf("before it %v", m)
		}
		if _, ok := r.NextMark(at(10), true); ok {
			t.Error("a mark before the first")
		}
		r.SetAlerts(nil)
		if was := r.SetBookmark(at(10), false); !was || len(r.Marks()) != 1 {
			t.Errorf("marks %v", r.Marks())
		}
		if was := r.SetBookmark(at(11), false); was {
			t.Error("a bookmark that never was")
		}
	})
}
