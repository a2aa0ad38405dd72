package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/system/sharedtest"
)

// recordings are files of all formats, with what they are.
func recordings(t *testing.T) map[string]string {
	h, rows := night(700, utc(), "sql01")
	files := map[string]string{}
	for _, name := range []string{"night.csv", "night.tsv", "night.db", "night.jsonl"} {
		files[name] = write(t, name, h, rows)
	}
	if _, err := os.Stat("/"); err == nil {
		for _, name := range []string{"csv", "tsv"} {
			files["windows."+name] = sharedtest.Path(t, "data/pdhtext/PowerShell_PowerShell__CounterSamples."+name)
		}
	}
	return files
}

// What a snapshot shows at any moment is what the file has there, cell by cell.
func TestSnapshotsAgreeWithTheFile(t *testing.T) {
	for name, file := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			_, rows := readRows(t, file)
			rng := rand.New(rand.NewPCG(3, 4))
			playing(t, Options{}, []string{file}, func(r *rig) {
				h := r.Hosts()[0]
				askAll(h)
				first, last := r.Bounds()
				jumps := fewer(60)
				if strings.HasSuffix(name, ".db") { // it is the slowest by far
					jumps = fewer(20)
				}
				for i := range jumps {
					at := first.Add(time.Duration(rng.Int64N(int64(last.Sub(first) + 1))))
					switch i {
					case 0:
						at = first
					case 1:
						at = last
					}
					s := r.at(h, at)
					checkCells(t, h, s, rows, at)
					if t.Failed() {
						return
					}
				}
			})
		})
	}
}

// A moment looks the same whether it is played up to, stepped to or jumped to.
func TestSeekingEqualsPlaying(t *testing.T) {
	for name, file := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			_, rows := readRows(t, file)
			rng := rand.New(rand.NewPCG(5, 6))
			var want, got []string
			var moments []time.Time
			playing(t, Options{}, []string{file}, func(r *rig) {
				h := r.Hosts()[0]
				askAll(h)
				r.take(h)
				_, last := r.Bounds()
				most := fewer(200)
				if strings.HasSuffix(name, ".db") {
					most = fewer(24)
				}
				for r.Position().Before(last) && len(moments) < most {
					r.SetSpeed(1 + rng.IntN(MaxSpeed))
					r.Play(true)
					r.clock.Advance(time.Duration(rng.Int64N(int64(2 * time.Second))))
					r.Play(false)
					switch len(moments) % 4 {
					case 1: // back, from where the next row was looked at already
						r.clock.Advance(0)
						shown := slices.IndexFunc(rows, func(row logs.Row) bool { return row.Time.After(r.Position()) })
						if shown < 0 {
							shown = len(rows)
						}
						r.Step(-1)
						r.clock.Advance(0)
						if want := rows[max(shown-2, 0)].Time; !r.Position().Equal(want) {
							t.Fatalf("a step back leads to %v, want %v", r.Position(), want)
						}
					case 2: // with other counters meanwhile
						h.Ask(nil)
						r.clock.Advance(0)
						r.Step(1)
						askAll(h)
					case 3: // with less of the same
						askSome(h)
						r.clock.Advance(0)
						r.Step(1)
						askAll(h)
					default:
						r.Step(1)
					}
					s := r.take(h)
					checkCells(t, h, s, rows, r.Position())
					moments, want = append(moments, r.Position()), append(want, picture(s))
				}
			})
			if len(moments) < min(10, fewer(24)) && strings.HasPrefix(name, "night") {
				t.Fatalf("only %d moments", len(moments))
			}
			playing(t, Options{}, []string{file}, func(r *rig) {
				h := r.Hosts()[0]
				askAll(h)
				for _, at := range moments {
					got = append(got, picture(r.at(h, at)))
				}
			})
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("at %v: jumped to\n%s\nplayed to\n%s", moments[i], cut(got[i]), cut(want[i]))
				}
			}
		})
	}
}

func cut(s string) string { return s[:min(len(s), 3000)] }

// Steps go from sample to sample, forth and back, and stop at both ends.
func TestSteps(t *testing.T) {
	n := 320
	if isRace {
		n = 60
	}
	h, rows := night(n, utc(), "sql01")
	for _, name := range []string{"night.csv", "night.db"} {
		playing(t, Options{}, []string{write(t, name, h, rows)}, func(r *rig) {
			host := r.Hosts()[0]
			askAll(host)
			r.take(host)
			for i := 1; i < len(rows); i++ {
				r.Step(1)
				r.clock.Advance(0)
				if got := r.Position(); !got.Equal(rows[i].Time) {
					t.Fatalf("step %d leads to %v, want %v", i, got, rows[i].Time)
				}
			}
			r.Step(3)
			checkCells(t, host, r.take(host), rows, rows[len(rows)-1].Time)
			for i := len(rows) - 2; i >= len(rows)-12; i-- {
				r.Step(-1)
				checkCells(t, host, r.take(host), rows, rows[i].Time)
			}
			r.Step(-100_000)
			r.clock.Advance(0)
			if got := r.Position(); !got.Equal(rows[0].Time) {
				t.Errorf("the first sample is of %v, came to %v", rows[0].Time, got)
			}
		})
	}
}

// At any speed every sample is passed, the last one is shown, and there it stops.
// Playing again begins anew.
func TestTheEndIsNotSkipped(t *testing.T) {
	h, rows := night(300, utc(), "sql01")
	file := write(t, "night.csv", h, rows)
	for _, speed := range []int{1, 7, 1000, 5000} {
		playing(t, Options{}, []string{file}, func(r *rig) {
			host := r.Hosts()[0]
			askAll(host)
			r.SetSpeed(speed)
			r.Play(true)
			length := rows[len(rows)-1].Time.Sub(rows[0].Time)
			r.clock.Advance(length/time.Duration(r.Speed()) - frame)
			if !r.Playing() {
				t.Errorf("at x%d it ended at %v, the last sample is of %v", speed, r.Position(), rows[len(rows)-1].Time)
			}
			r.clock.Advance(time.Minute)
			s := r.take(host)
			if last := rows[len(rows)-1].Time; r.Playing() || !r.Position().Equal(last) || !s.Time.Equal(last) {
				t.Errorf("at x%d it came to %v, shows %v, the last sample is of %v", speed, r.Position(), s.Time, last)
			}
			checkCells(t, host, s, rows, r.Position())
			r.Play(true)
			r.clock.Advance(0)
			if got := r.Position(); !got.Equal(rows[0].Time) {
				t.Errorf("it begins anew at %v", got)
			}
		})
	}
}

// The position goes on with the clock, at the speed.
func TestPace(t *testing.T) {
	h, rows := night(100, utc(), "sql01")
	playing(t, Options{}, []string{write(t, "night.csv", h, rows)}, func(r *rig) {
		r.Play(true)
		r.SetSpeed(10)
		r.clock.Advance(30 * time.Second)
		if got, want := r.Position(), start.Add(300*time.Second); !got.Equal(want) {
			t.Errorf("after 30 s at x10 it is %v, want %v", got, want)
		}
		r.Play(false)
		r.clock.Advance(time.Hour)
		if got, want := r.Position(), start.Add(300*time.Second); !got.Equal(want) {
			t.Errorf("paused it is %v, want %v", got, want)
		}
		r.SetSpeed(0)
		if r.Speed() != 1 {
			t.Errorf("speed %d", r.Speed())
		}
	})
}

// In a gap the host is stale, the gap stays a gap in the timeline, and the marks
// know it.
func TestGaps(t *testing.T) {
	h, rows := night(300, utc(), "sql01")
	file := write(t, "night.csv", h, rows)
	playing(t, Options{}, []string{file}, func(r *rig) {
		host := r.Hosts()[0]
		askAll(host)
		s := r.at(host, rows[60].Time.Add(2*time.Minute))
		if s.State.Phase != session.Stale || host.State().Phase != session.Stale || !s.Time.Equal(rows[60].Time) {
			t.Errorf("in the gap: %+v, of %v", s.State, s.Time)
		}
		s = r.at(host, rows[61].Time)
		line := s.Timeline.Nanos
		if apart := time.Duration(line[len(line)-1] - line[len(line)-2]); s.State.Phase != session.Live || apart != 5*time.Minute+15*time.Second {
			t.Errorf("behind the gap: %+v, %v after the sample before", s.State, apart)
		}
		if v := s.Sets[0]; v.Rate.Interval != 5*time.Minute+15*time.Second || v.Rate.Missed != 20 {
			t.Errorf("rate %+v", v.Rate)
		}
		gap, seen, ok := r.NextGap(start, false)
		if !ok || seen != 1 || !gap.From.Equal(rows[60].Time) || !gap.To.Equal(rows[61].Time) {
			t.Errorf("gap %v %v %v", gap, seen, ok)
		}
		if next, _, ok := r.NextGap(gap.To, false); !ok || !next.To.Equal(rows[158].Time) {
			t.Errorf("next gap %v", next)
		}
		if before, _, ok := r.NextGap(rows[158].Time, true); !ok || before != gap {
			t.Errorf("gap before %v", before)
		}
		if _, _, ok := r.NextGap(gap.To, true); ok {
			t.Error("a gap before the first")
		}
	})
}

// Times that go back, as in the night in which summer time ends, are played in the order of the
// file, with the clocks of then; time goes on.
func TestTimesGoBack(t *testing.T) {
	h := &logs.Header{Zone: utc(), Columns: []logs.Column{{Path: `\\a\Memory\Available MBytes`}}}
	_, all := night(400, utc(), "a")
	var rows []logs.Row
	for i := range all {
		at := start.Add(time.Duration(i) * time.Minute)
		if i >= 200 {
			at = at.Add(-time.Hour)
		}
		rows = append(rows, logs.Row{Time: at, Values: all[i].Values[:1]})
	}
	for _, name := range []string{"autumn.csv", "short.csv"} {
		if name == "short.csv" { // it ends before the clock is where it was
			rows = rows[:210]
		}
		playing(t, Options{}, []string{write(t, name, h, rows)}, func(r *rig) {
			host := r.Hosts()[0]
			askAll(host)
			first, last := r.Bounds()
			if !first.Equal(start) || last.Sub(first) != time.Duration(len(rows)-1)*time.Minute {
				t.Errorf("%s: from %v to %v", name, first, last)
			}
			r.SetSpeed(MaxSpeed)
			r.Play(true)
			r.clock.Advance(time.Minute)
			if r.Playing() {
				t.Fatalf("%s: still playing at %v", name, r.Position())
			}
			r.clock.Advance(0)
			s := r.take(host)
			n := len(s.Timeline.Nanos)
			for i := range n {
				at, want := time.Unix(0, s.Timeline.Nanos[i]).In(r.About().Zone), rows[len(rows)-n+i].Time
				if at.Format(time.DateTime) != want.Format(time.DateTime) || i > 0 && s.Timeline.Nanos[i]-s.Timeline.Nanos[i-1] != int64(time.Minute) {
					t.Fatalf("%s: sample %d of %d is of %v, want the clock of %v", name, i, n, at, want)
				}
			}
			r.Seek(rows[0].Time)
			r.clock.Advance(0)
			r.Step(199)
			r.clock.Advance(0)
			r.SetSpeed(60)
			r.Play(true)
			r.clock.Advance(3 * time.Second)
			if got := r.Position(); got.Format(time.TimeOnly) < rows[200].Time.Format(time.TimeOnly) || got.Format(time.TimeOnly) > rows[204].Time.Format(time.TimeOnly) {
				t.Errorf("%s: 3 min behind %v it is %v", name, rows[199].Time, got)
			}
			at, err := session.MomentIn("2026-03-03 00:40", first, last, first)
			if err != nil || session.AgainWords(at, last) == "" && name == "autumn.csv" {
				t.Errorf("%s: %v, %v: it is not said that it was twice", name, at, err)
			}
		})
	}
}

// A recording that is too large to be looked at when it is opened is looked at while it is shown:
// what was taken for another moment moves, and that is said.
func TestTimesGoBackFarBehind(t *testing.T) {
	var b strings.Builder
	b.WriteString("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\a\\Memory\\Available MBytes\"\r\n")
	const each = 160_000
	for i := range 2 * each {
		at := start.Add(time.Duration(i) * time.Second)
		if i >= each {
			at = at.Add(-20 * time.Hour)
		}
		fmt.Fprintf(&b, "\"%s\",\"%d\"\r\n", at.Format("01/02/2006 15:04:05.000"), i)
	}
	file := filepath.Join(t.TempDir(), "long.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	want := start.Add(30 * time.Hour)
	p, err := Open([]string{file}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	host := p.Hosts()[0]
	askAll(host)
	p.Seek(want)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(ctx)
	}()
	defer func() { cancel(); <-done }()
	said := ""
	for said == "" {
		select {
		case <-p.Changed():
			said = p.Said()
		case <-time.After(sharedtest.Patience):
			t.Fatal("nothing was said")
		}
	}
	if !strings.Contains(said, "long.csv") {
		t.Errorf("%q", said)
	}
	first, last := p.Bounds()
	if !first.Equal(start) || last.Sub(start) != (2*each-1)*time.Second || !p.Position().Equal(want) {
		t.Errorf("from %v to %v, at %v", first, last, p.Position())
	}
	for {
		if s := host.Take(); s != nil {
			f, _ := s.Sets[0].Value(0, 0).Float()
			ok := s.Time.Equal(want) && f == 30*3600
			s.Release()
			if ok {
				return
			}
		}
		select {
		case <-host.Ready():
		case <-time.After(sharedtest.Patience):
			t.Fatal("the moment is not shown")
		}
	}
}

// A window that takes long to read is left when another moment is asked for.
func TestSeekingInterruptsReading(t *testing.T) {
	const columns = 900
	h := &logs.Header{Zone: utc()}
	for i := range columns {
		h.Columns = append(h.Columns, logs.Column{Path: fmt.Sprintf(`\\a\P(%d)\c`, i)})
	}
	var rows []logs.Row
	for i := range 900 {
		row := logs.Row{Time: start.Add(time.Duration(i) * time.Second)}
		for c := range columns {
			row.Values = append(row.Values, cooker.FloatValue(float64(i+c)))
		}
		rows = append(rows, row)
	}
	hook := &hooked{}
	open := func(name string) (logs.Reader, error) {
		r, err := formats.Open(t.Context(), name, logs.OpenOptions{})
		if err != nil || hook.Reader != nil {
			return r, err
		}
		hook.Reader = r
		return hook, nil
	}
	playing(t, Options{Open: open}, []string{write(t, "wide.csv", h, rows)}, func(r *rig) {
		host := r.Hosts()[0]
		askAll(host)
		r.take(host)
		hook.on = func(n int) {
			if n == 200 {
				r.Seek(rows[500].Time)
			}
		}
		s := r.at(host, rows[800].Time)
		checkCells(t, host, s, rows, rows[500].Time)
		if hook.n > 900 {
			t.Errorf("%d rows were read for two windows, of which one was left", hook.n)
		}
	})
}

// hooked is a reader that tells how many rows were read.
type hooked struct {
	logs.Reader

	n  int
	on func(n int)
}

func (h *hooked) Next(row *logs.Row) error {
	if h.on != nil {
		h.n++
		h.on(h.n)
	}
	return h.Reader.Next(row)
}

// A window of very many columns keeps fewer samples of each.
func TestWindowsAreBounded(t *testing.T) {
	s := &source{interval: time.Second, samples: func(time.Duration) int { return 1 << 30 }}
	for kept, want := range map[int]int{mostKept / 1000: 1000, 10: mostSamples, 0: mostSamples} {
		if n := s.size(kept); n != want {
			t.Errorf("%d samples of %d columns", n, kept)
		}
	}
}

// Where a recording changes its pace nothing lacks, whoever has read how much of it; samples have
// the numbers of their rows.
func TestChangedPace(t *testing.T) {
	h, rows := night(40000, utc(), "sql01")
	at := start
	for i := range rows {
		rows[i].Time = at
		if at = at.Add(time.Second); i >= 300 {
			at = at.Add(14 * time.Second)
		}
	}
	gone := rows[450].Time.Sub(rows[449].Time) * 5
	for i := 450; i < len(rows); i++ {
		rows[i].Time = rows[i].Time.Add(gone)
	}
	for _, name := range []string{"pace.csv", "pace.db"} {
		playing(t, Options{}, []string{write(t, name, h, rows)}, func(r *rig) {
			host := r.Hosts()[0]
			askAll(host)
			r.clock.Advance(0)
			if gaps, seen := r.Gaps(); seen != 1 || len(gaps) != 1 || !gaps[0].To.Equal(rows[450].Time) {
				t.Errorf("%s: %d gaps, %v of it seen: %v", name, len(gaps), seen, gaps)
			}
			for _, i := range []int{200, 250, 299, 301, 310, 440, 599, 900, 39_999} {
				s := r.at(host, rows[i].Time)
				if n := s.Timeline.Next() - 1; n > uint64(i)+6 || n+6 < uint64(i) {
					t.Errorf("%s: row %d is sample %d", name, i, n)
				}
				if missed := s.Sets[0].Rate.Missed; missed != 0 {
					t.Errorf("%s: before row %d %d samples lack", name, i, missed)
				}
				if s.State.Phase != session.Live {
					t.Errorf("%s: at row %d it is %v", name, i, s.State.Phase)
				}
			}
		})
	}
}
