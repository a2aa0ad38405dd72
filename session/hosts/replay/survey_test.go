package replay

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

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
	near := make([][]float64, len(cells)) // values that may be in a cell
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
		for c := int(max(at-slack, 0)); c <= int(at+slack) && c < len(cells); c++ {
			near[c] = append(near[c], f)
		}
		if !found {
			t.Fatalf("%v of %v is not at %v of %d cells", f, row.Time, at, len(cells))
		}
	}
	for i, c := range cells {
		isThere := func(v float64) bool {
			return slices.ContainsFunc(near[i], func(f float64) bool { return float32(f) == float32(v) })
		}
		if c.Has && (!isThere(c.Min) || !isThere(c.Max)) {
			t.Fatalf("cell %d of %d is from %v to %v; there are %v", i, len(cells), c.Min, c.Max, near[i])
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

// A recording that is still being written is looked at again where its end is gone
// to: the overview is that of the file as it is then.
func TestOverviewOfAGrowingFile(t *testing.T) {
	h, rows := night(300, utc(), "sql01")
	whole := write(t, "whole.csv", h, rows)
	all, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "growing.csv")
	lines := bytes.SplitAfter(all, []byte("\n"))
	if err := os.WriteFile(file, bytes.Join(lines[:101], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	overview := func(r *rig) []MinMax {
		host := r.Hosts()[0]
		cells, seen := r.Overview(host, host.Catalogue().Set("Memory"), 0, session.InstanceKey{}, 100)
		if seen != 1 {
			t.Error("not all was looked at")
		}
		return cells
	}
	var want []MinMax
	playing(t, Options{}, []string{whole}, func(r *rig) {
		r.clock.Advance(0)
		want = overview(r)
	})
	playing(t, Options{}, []string{file}, func(r *rig) {
		r.clock.Advance(0)
		before := overview(r)
		if slices.Equal(before, want) {
			t.Error("the file has all rows from the beginning")
		}
		if err := os.WriteFile(file, all, 0o600); err != nil {
			t.Fatal(err)
		}
		r.End()
		r.clock.Advance(0)
		if got := overview(r); !slices.Equal(got, want) {
			t.Errorf("overview\n%v, of the whole file it is\n%v", got, want)
		}
	})
}

// NextMark is the first alert or bookmark after a moment or, with back, the last
// one before it.
func (p *Player) NextMark(after time.Time, back bool) (Mark, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if back {
		for _, m := range slices.Backward(p.marks) {
			if m.At.Before(after) {
				return m, true
			}
		}
		return Mark{}, false
	}
	i := slices.IndexFunc(p.marks, func(m Mark) bool { return m.At.After(after) })
	if i < 0 {
		return Mark{}, false
	}
	return p.marks[i], true
}

// NextGap is the first gap that ends after a moment or, with back, the last one
// that ended before it. Seen is how much of the recording was looked at so far,
// 0 to 1.
func (p *Player) NextGap(after time.Time, back bool) (gap Gap, seen float64, ok bool) {
	gaps, seen := p.survey.foundGaps()
	if back {
		for _, g := range slices.Backward(gaps) {
			if g.To.Before(after) {
				return g, seen, true
			}
		}
		return Gap{}, seen, false
	}
	i := slices.IndexFunc(gaps, func(g Gap) bool { return g.To.After(after) })
	if i < 0 {
		return Gap{}, seen, false
	}
	return gaps[i], seen, true
}
