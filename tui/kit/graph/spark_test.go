package graph_test

import (
	"slices"
	"testing"
	"time"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
)

func spark(s *graph.Spark, w int) *canvas.Canvas {
	c := canvas.New(w, 1, canvas.Full)
	s.Draw(c.Root(), 0, 0, w)
	return c
}

// A cell is the largest of its samples; cells of the past never change, they move.
func TestSparkBuckets(t *testing.T) {
	feed := make([]float32, 300)
	for i := range feed {
		feed[i] = float32(i * 37 % 101)
	}
	for _, w := range []int{6, 10, 12, 15, 20} {
		per := graph.PerCell(graph.SparkReach, w, time.Second)
		if per*w != 60 {
			t.Errorf("%d cells show %d s", w, per*w)
		}
		for _, wipe := range []bool{false, true} {
			var last []rune
			for end := 200; end < 260; end++ {
				row := []rune(spark(&graph.Spark{Series: upTo(uint64(end), feed[:end]), End: uint64(end), PerCell: per, Hi: 100, Wipe: wipe}, w).String())
				newest := (end - 1) / per
				moved := newest - (end-2)/per
				for x := range row {
					from, changes := x+moved, x >= w-1-moved
					if wipe {
						from, changes = x, x == newest%w || x == (newest+1)%w
					}
					if last != nil && !changes && row[x] != last[from] {
						t.Fatalf("%d cells before %d, wipe %v: cell %d was %q and is %q", w, end, wipe, x, last[from], row[x])
					}
				}
				last = row
			}
		}
	}
	got := spark(&graph.Spark{Series: upTo(8, []float32{1, 9, 3, nan, nan, nan, nan, 5}), End: 8, PerCell: 2, Hi: 9}, 5).String()
	if want := " ▇▃ ▄"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got = spark(&graph.Spark{Series: upTo(3, []float32{1, 9, 3}), End: 6, PerCell: 2, Hi: 9}, 5).String()
	if want := "  ▇▃ "; got != want {
		t.Errorf("a series that ended before: %q, want %q", got, want)
	}
}

// A constant stands at its height, whatever it is; nothing is a line in the colour of
// rules, and less than the least is not nothing.
func TestSparkHeightsAndShades(t *testing.T) {
	for level, want := range canvas.Full.Glyphs().Spark {
		v := (float32(level) + .5) / canvas.Levels
		c := spark(&graph.Spark{Series: upTo(6, slices.Repeat([]float32{v}, 6)), End: 6, Hi: 1}, 6)
		for x := range 6 {
			shade := themes.RampA.At([]float64{.15, .4, .65}[level/3])
			if cell := c.At(x, 0); cell.Rune != want || cell.Style.Foreground() != shade {
				t.Errorf("%v is %q in %v, want %q in %v", v, cell.Rune, cell.Style.Foreground(), want, shade)
			}
		}
	}
	limits := []graph.Limit{{Value: 5, State: themes.Warning}, {Value: 7, State: themes.Critical}, {Value: 0, Below: true, State: themes.Stale}}
	c := spark(&graph.Spark{Series: upTo(5, []float32{0, .001, 6, 8, -1}), End: 5, Hi: 10, Limits: limits}, 5)
	for x, want := range []themes.Token{themes.Rule, themes.RampA.At(.15), themes.Warning, themes.Critical, themes.Stale} {
		if got := c.At(x, 0).Style.Foreground(); got != want {
			t.Errorf("cell %d has %v, want %v", x, got, want)
		}
	}
	c = spark(&graph.Spark{Series: upTo(2, []float32{0, 6}), End: 2, Hi: 10, Limits: limits, Plain: themes.Muted}, 2)
	if c.At(0, 0).Style != themes.Muted || c.At(1, 0).Style != themes.Warning {
		t.Errorf("%v %v", c.At(0, 0).Style, c.At(1, 0).Style)
	}
}

// Where samples are farther apart than a cell is long a cell is one sample, and the
// span says so.
func TestSparkSpans(t *testing.T) {
	for _, test := range []struct {
		w     int
		every time.Duration
		per   int
		span  time.Duration
	}{
		{20, time.Second, 3, time.Minute},
		{6, 2 * time.Second, 5, time.Minute},
		{20, 10 * time.Second, 1, 200 * time.Second},
		{10, time.Minute, 1, 10 * time.Minute},
		{10, 250 * time.Millisecond, 24, time.Minute},
		{0, time.Second, 1, 0},
		{10, 985 * time.Millisecond, 6, time.Minute},
	} {
		per, span := graph.PerCell(graph.SparkReach, test.w, test.every), graph.SparkSpan(graph.SparkReach, test.w, test.every)
		if per != test.per || span.Round(time.Second) != test.span {
			t.Errorf("%d cells, every %v: %d samples, %v", test.w, test.every, per, span)
		}
	}
	for w, want := range map[int]int{5: 0, 6: 6, 9: 6, 10: 10, 11: 10, 14: 12, 16: 15, 24: 20} {
		if got := graph.SparkWidth(w); got != want {
			t.Errorf("in %d cells one of %d, want %d", w, got, want)
		}
	}
}
