package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
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
					if series := v.Series(row, 0); kept != (len(series.Values) == i+1 || v.Rows[row].Gone && len(series.Values) == 3) {
						t.Errorf("kept %v, sample %d: history %v", kept, i, series.Values)
					}
				}
			}
		})
	}
}

// What ended while nothing was recorded is gone behind the gap, and there before it, ranked by
// what it was then.
func TestGoneBehindAGap(t *testing.T) {
	h, rows := sheet(time.Second, []string{`\\a\P(x)\c`, `\\a\P(y)\c`}, "1 2", "1 2", "- -", "1 -", "1 -")
	playing(t, Options{}, []string{write(t, "gap.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		host.Ask([]session.Ask{{Set: host.Catalogue().Sets[0], Counters: []int{0}, Keep: []session.Keep{{Counters: []int{0}, Busiest: 1, By: 0}}}})
		for i, want := range []string{"x=1 y=2/1", "x=1 y=2/2", "x=GAP y=GAP/3", "x=1 y=GONE!/3", "x=1 y=GONE!/3"} {
			s := r.at(host, rows[i].Time)
			if got := shownRows(s); got != want {
				t.Errorf("sample %d: %s, want %s", i, got, want)
			}
			if i == 4 && len(s.Then(rows[1].Time, nil).Sets[0].Rows) != 2 {
				t.Error("it is not there before it ended")
			}
		}
	})
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
		for i, want := range []string{"x=9/1 y=1/1 z=1 _Total=99", "x=9/2 y=1/2 z=1 _Total=99", "x=1 y=7 z=8/3 _Total=99 w=9/3", "x=1 y=7 z=8/4 _Total=99 w=GONE!/3"} {
			if got := shownRows(r.at(host, rows[i].Time)); got != want {
				t.Errorf("sample %d: %s, want %s", i, got, want)
			}
		}
	})
}

// Of what is asked for the last minute of all that the recording has is there, of columns that
// rows are not sorted by, too.
func TestRecentIsWhatIsRecorded(t *testing.T) {
	h, rows := sheet(time.Second, []string{`\\a\P(x)\c`, `\\a\P(y)\c`, `\\a\P(x)\d`, `\\a\P(y)\d`}, "9 1 1 2", "9 1 3 4", "9 1 5 6")
	playing(t, Options{}, []string{write(t, "recent.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		set := host.Catalogue().Sets[0]
		host.Ask([]session.Ask{{Set: set, Counters: []int{0, 1}, Keep: []session.Keep{{Counters: []int{0}, Busiest: 2, By: 0}, {Counters: []int{0, 1}, Recent: true}}}})
		view := r.at(host, rows[2].Time).Sets[0]
		var into session.Recalled
		for row, want := range [][]float32{{1, 3, 5}, {2, 4, 6}} {
			if got := view.Recent(&into, row, view.Column(1)).Values; !slices.Equal(got, want) {
				t.Errorf("row %d: %v, want %v", row, got, want)
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

// What a computer says to itself is in no sum of its interfaces, as where it was recorded.
func TestLoopbackIsNotCounted(t *testing.T) {
	h, rows := sheet(time.Second, []string{`\\a\Network Interface(eth0)\c`, `\\a\Network Interface(lo)\c`, `\\a\P(lo)\c`}, "1 2 3")
	playing(t, Options{}, []string{write(t, "lo.csv", h, rows)}, func(r *rig) {
		for _, set := range r.Hosts()[0].Catalogue().Sets {
			for _, in := range r.Hosts()[0].Recorded(set)[0] {
				if got, want := in.CountsAgain(), set.Name != "P" && in.Key.Name == "lo"; got != want {
					t.Errorf("%s(%s) counts again: %v", set.Name, in.Key.Name, got)
				}
			}
		}
		all, _ := session.CombineNamed("total of *")
		for name, want := range map[string]uint64{"Network Interface": 1, "P": 3} {
			host := r.Hosts()[0]
			set := host.Catalogue().Set(name)
			host.Ask([]session.Ask{{Set: set, Counters: []int{0}, Combine: []session.Combine{all}}})
			r.Seek(rows[0].Time)
			v := r.take(host).Set(set)
			if got, _ := v.Value(v.Find(session.InstanceKey{Name: all.Name}, -1), 0).Float(); got != float64(want) {
				t.Errorf("%s of %s is %v, want %d", all.Name, name, got, want)
			}
			if got, _ := all.Value(v, all.Members(v, nil), 0, 0).Float(); got != float64(want) {
				t.Errorf("%s of the view of %s is %v, want %d", all.Name, name, got, want)
			}
		}
	})
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

// What was combined when it was recorded is shown as it was: nothing else is made of it,
// and no counter is asked how.
func TestCombinedIsRecorded(t *testing.T) {
	h, rows := sheet(time.Second, []string{`\\a\G(_Aggregate)\c`, `\\a\P(x)\c`, `\\a\P(total of x|y)\c`}, "7 1 12", "8 2 13")
	playing(t, Options{}, []string{write(t, "made.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		for path, want := range map[string]float64{`\G\c`: 8, `\G(_Aggregate)\c`: 8, `\P(total of x|y)\c`: 13} {
			found, err := session.Question{Text: path}.Resolve(host.Catalogue(), paths.Options{})
			if err != nil || len(found) != 1 {
				t.Fatalf("%s: %v, %v", path, found, err)
			}
			r.Seek(rows[1].Time)
			host.Ask([]session.Ask{found[0].Ask()})
			v := r.take(host).Sets[0]
			var got []float64
			for row := range v.Rows {
				if found[0].Matches(&v.Rows[row].Instance) {
					f, _ := v.Value(row, 0).Float()
					got = append(got, f)
				}
			}
			if !slices.Equal(got, []float64{want}) {
				t.Errorf("%s is %v, want %v alone", path, got, want)
			}
		}
	})
}

// Raw samples of a recording are those that the values are cooked from.
func TestRawSamples(t *testing.T) {
	h, rows := night(30, utc(), "sql01")
	playing(t, Options{}, []string{write(t, "night.db", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		askAll(host)
		explained := 0
		for i := range rows {
			if i > 0 {
				r.Step(1)
			}
			for _, v := range r.take(host).Sets {
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
		if explained < 150 {
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

// Where the interval was changed on the way each moment has its own: the host is lost behind none
// of its samples, and the history reaches as far as it should.
func TestChangedInterval(t *testing.T) {
	h := &logs.Header{Zone: utc(), Columns: []logs.Column{{Path: `\\a\Memory\Available MBytes`}}}
	var rows []logs.Row
	at := start
	add := func(n int, every time.Duration) {
		for range n {
			rows = append(rows, logs.Row{Time: at, Values: []cooker.Value{cooker.WholeValue(7)}})
			at = at.Add(every)
		}
	}
	add(100, 15*time.Second)
	add(1200, time.Second)
	add(100, time.Minute)
	playing(t, Options{}, []string{write(t, "changed.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		askAll(host)
		for i, want := range map[int]time.Duration{50: 15 * time.Second, 1250: time.Second, 1350: time.Minute} {
			s := r.at(host, rows[i].Time.Add(want-1))
			if s.State.Phase != session.Live || r.About().Interval != want {
				t.Errorf("at row %d: %v, each %v", i, s.State, r.About().Interval)
			}
			if first := s.Timeline.At(s.Timeline.First); i > 1000 && s.Time.Sub(first) < 10*time.Minute {
				t.Errorf("at row %d: from %v", i, rows[i].Time.Sub(first))
			}
		}
		if gap, _, ok := r.NextGap(start, false); ok {
			t.Errorf("a gap: %v", gap)
		}
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
