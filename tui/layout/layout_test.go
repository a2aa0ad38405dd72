package layout

import (
	"testing"
)

func (r Rect) overlaps(o Rect) bool {
	return r.X < o.X+o.W && o.X < r.X+r.W && r.Y < o.Y+o.H && o.Y < r.Y+r.H
}

func (r Rect) holds(o Rect) bool {
	return o.X >= r.X && o.Y >= r.Y && o.X+o.W <= r.X+r.W && o.Y+o.H <= r.Y+r.H && o.W >= 0 && o.H >= 0
}

func TestFrameFillsTheTerminal(t *testing.T) {
	for w := -1; w <= 300; w++ {
		for h := -1; h <= 100; h++ {
			f := NewFrame(w, h)
			if f.TooSmall != (w < MinWidth || h < MinHeight) {
				t.Fatalf("%dx%d: too small: %v", w, h, f.TooSmall)
			}
			whole := Rect{0, 0, max(w, 0), max(h, 0)}
			area := 0
			for _, r := range []Rect{f.Header, f.Body, f.Hints} {
				if !whole.holds(r) {
					t.Fatalf("%dx%d: %v", w, h, f)
				}
				area += r.W * r.H
			}
			if area != whole.W*whole.H {
				t.Fatalf("%dx%d: %v covers %d cells", w, h, f, area)
			}
		}
	}
}

// The columns of a row stand side by side and end where the row does, on the deck of one
// host where the heads end, unless it is very wide. Without heads there are no statistics.
func TestRow(t *testing.T) {
	for w := 30; w <= 300; w++ {
		checkRow(t, min(w, mostRow), NewRow(w))
		r := HostRow(w, false)
		checkRow(t, min(w-Edge, mostRow), r)
		if x := max(r.UnitX+r.UnitW, r.SparkX+r.SparkW, r.MaxX+StatW); r.MaxX > 0 && x != min(w-Edge, mostRow) {
			t.Errorf("width %d: a row of a host ends at %d", w, x)
		}
		r = HostRow(w, true)
		checkRow(t, min(w-Edge, mostRow), r)
		if r.MinX+r.AvgX+r.MaxX > 0 {
			t.Errorf("width %d: statistics without heads: %+v", w, r)
		}
	}
}

func checkRow(t *testing.T, w int, r Row) {
	t.Helper()
	at := SignW
	for _, c := range []struct {
		name     string
		x, w     int
		optional bool
	}{
		{"name", r.NameX, r.NameW, false}, {"value", r.ValueX, ValueW, false}, {"unit", r.UnitX, r.UnitW, false},
		{"spark", r.SparkX, r.SparkW, true}, {"min", r.MinX, StatW, true}, {"avg", r.AvgX, StatW, true}, {"max", r.MaxX, StatW, true},
	} {
		if c.optional && c.x == 0 {
			continue
		}
		if c.x < at {
			t.Fatalf("width %d: %s begins at %d, before %d: %+v", w, c.name, c.x, at, r)
		}
		at = c.x + c.w
	}
	if at > w || at < w-2 {
		t.Errorf("width %d: the row ends at %d: %+v", w, at, r)
	}
	if r.NameW < 10 {
		t.Errorf("width %d: the name has %d cells", w, r.NameW)
	}
	if r.SparkW > 0 && r.SparkW < 6 {
		t.Errorf("width %d: a sparkline of %d", w, r.SparkW)
	}
	if r.MinX > 0 && r.AvgX == 0 || r.AvgX > 0 && r.MaxX == 0 {
		t.Errorf("width %d: min leaves first, then avg, then max: %+v", w, r)
	}
}

// A wide value takes cells of what follows it, then of the name; what is left stands
// in the row, apart.
func TestWideRow(t *testing.T) {
	for w := 30; w <= 300; w++ {
		for need := 1; need <= 30; need++ {
			was := NewRow(w)
			r := was.Widen(need, w)
			end := r.ValueX + need
			if need <= was.UnitX+was.UnitW-was.ValueX {
				if r != was {
					t.Fatalf("width %d, %d cells: %+v became %+v", w, need, was, r)
				}
				continue
			}
			if end > w && r.NameW > 0 || r.NameW < 0 || r.NameX+r.NameW > r.ValueX {
				t.Fatalf("width %d, %d cells: the value ends at %d: %+v", w, need, end, r)
			}
			if r.SparkW > 0 && (r.SparkX < end || r.SparkW < sparkM) {
				t.Fatalf("width %d, %d cells: the sparkline is in the way: %+v", w, need, r)
			}
			for _, x := range []int{r.MinX, r.AvgX, r.MaxX} {
				if x > 0 && x < max(end, r.SparkX+r.SparkW) {
					t.Fatalf("width %d, %d cells: a statistic is in the way: %+v", w, need, r)
				}
			}
		}
	}
}

// In a wide pane a number stands no farther from its name than in one that is half as wide.
func TestWideRows(t *testing.T) {
	for w := 56; w <= 400; w++ {
		for name, l := range map[string]Row{"row": NewRow(w), "of a host": HostRow(w, false)} {
			if l.ValueX > 68 {
				t.Errorf("%s of %d cells: its value is in cell %d", name, w, l.ValueX)
			}
		}
	}
	if a, b := NewRow(mostRow), NewRow(300); a != b {
		t.Errorf("%+v, %+v", a, b)
	}
}
