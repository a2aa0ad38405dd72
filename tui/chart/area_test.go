package chart

import (
	"math"
	"strings"
	"testing"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

func same(v float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// Of two areas the lower one is seen where both are, the higher one above it,
// and nothing above that.
func TestAreasLowestInFront(t *testing.T) {
	low, high := themes.S1, themes.S2
	for _, order := range [][]Area{
		{{Values: same(25, 40), Style: low}, {Values: same(75, 40), Style: high}},
		{{Values: same(75, 40), Style: high}, {Values: same(25, 40), Style: low}},
	} {
		c := canvas.New(20, 8, canvas.Full)
		DrawAreas(c.Root(), Areas{Areas: order, Lo: 0, Hi: 100})
		for y, want := range []string{"", "", "high", "high", "high", "high", "low", "low"} {
			cell := c.At(7, y)
			switch {
			case want == "" && cell.Rune != ' ', want == "low" && cell.Style != low, want == "high" && cell.Style != high:
				t.Errorf("row %d: %q in the style %v, want %q", y, cell.Rune, cell.Style, want)
			}
		}
	}
}

// Values that were added up lie above each other, and one that adds nothing is
// not seen.
func TestAreasStacked(t *testing.T) {
	c := canvas.New(20, 8, canvas.ASCII)
	DrawAreas(c.Root(), Areas{Lo: 0, Hi: 8, Areas: []Area{
		{Values: same(2, 40), Letter: 'A'}, {Values: same(2, 40), Letter: 'B'}, {Values: same(6, 40), Letter: 'C'},
	}})
	for y, want := range "  CCCCAA" {
		if got := c.At(3, y).Rune; got != want {
			t.Errorf("row %d is %q, want %q", y, got, want)
		}
	}
}

// Between the lowest and the highest of a column an area is hatched: it is told
// apart from what is solid, and both ends are where they should be.
func TestAreasHatched(t *testing.T) {
	for set, want := range map[canvas.GlyphSet]string{canvas.Full: "  ⢕⢕⢕⣿⣿⣿", canvas.Console: "  |||███", canvas.ASCII: "  |||AAA"} {
		for _, w := range []int{12, 40, 121} {
			c := canvas.New(w, 8, set)
			DrawAreas(c.Root(), Areas{Lo: 0, Hi: 8, Areas: []Area{{Values: same(6, 2*w), Low: same(3, 2*w), Letter: 'A'}}})
			for x := range w {
				for y, char := range []rune(want) {
					got := c.At(x, y).Rune
					if set == canvas.Full && y == 2 { // its highest row is whole
						char = '⢝'
					}
					if got != char {
						t.Fatalf("glyph set %d, column %d: row %d is %q, want %q", set, x, y, got, char)
					}
				}
			}
		}
	}
}

func TestAreasKeepGaps(t *testing.T) {
	for _, set := range []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII} {
		values := same(50, 40)
		for i := 10; i < 30; i++ {
			values[i] = math.NaN()
		}
		c := canvas.New(20, 8, set)
		DrawAreas(c.Root(), Areas{Areas: []Area{{Values: values, Letter: 'A'}}, Lo: 0, Hi: 100})
		for x, used := range columnsUsed(c) {
			if want := x < 5 || x >= 15; used != want {
				t.Errorf("glyph set %d: column %d is drawn: %v", set, x, used)
			}
		}
	}
}

// Bars are as high as their values; zero is a value, and nothing is not.
func TestBars(t *testing.T) {
	for _, set := range []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII} {
		values := []float64{100, 50, 25, 0, math.NaN(), 400, -7, math.Inf(1)}
		want := []int{8, 4, 2, 1, 0, 8, 1, 0} // rows with anything
		var bars []Bar
		for i, v := range values {
			bars = append(bars, Bar{v, themes.Series(i)})
		}
		c := canvas.New(50, 8, set)
		width, gap := BarWidth(50, len(bars))
		DrawBars(c.Root(), Bars{Bars: bars, Lo: 0, Hi: 100, Width: width, Gap: gap})
		for i := range bars {
			for k := range width + gap {
				rows := 0
				for y := range 8 {
					if cell := c.At(i*(width+gap)+k, y); cell.Rune != ' ' {
						rows++
						if cell.Style != bars[i].Style {
							t.Errorf("bar %d has the style of another", i)
						}
					}
				}
				if k < width && rows != want[i] || k >= width && rows != 0 {
					t.Errorf("glyph set %d: cell %d of the bar of %v has %d rows, want %d", set, k, values[i], rows, want[i])
				}
			}
		}
	}
}

func TestBarWidth(t *testing.T) {
	for w := 1; w < 300; w++ {
		for n := 0; n < 70; n++ {
			width, gap := BarWidth(w, n)
			if width < 1 || gap < 1 || width > 1 && n*width+(n-1)*gap > w {
				t.Fatalf("%d bars in %d cells are %d wide with gaps of %d", n, w, width, gap)
			}
		}
	}
}

// TestNoAreaOrBarBreaksIt draws small and large sizes with every kind of value.
func TestNoAreaOrBarBreaksIt(t *testing.T) {
	hostile := [][]float64{nil, {math.NaN()}, {math.Inf(1), math.Inf(-1), 1}, {math.MaxFloat64, -math.MaxFloat64}, same(1e300, 900)}
	ranges := [][2]float64{{0, 100}, {0, 0}, {5, 1}, {math.NaN(), 1}, {0, math.Inf(1)}, {-1e300, 1e300}, {-math.MaxFloat64, math.MaxFloat64}}
	for _, size := range [][2]int{{0, 0}, {1, 1}, {11, 9}, {12, 3}, {12, 4}, {13, 5}, {300, 100}, {3000, 10}} {
		c := canvas.New(size[0], size[1], canvas.Full)
		for _, v := range hostile {
			var bars []Bar
			for _, b := range v {
				bars = append(bars, Bar{Value: b})
			}
			for _, r := range ranges {
				DrawAreas(c.Root(), Areas{Areas: []Area{{Values: v}, {}}, Lo: r[0], Hi: r[1]})
				for width := -1; width < 4; width++ {
					DrawBars(c.Root(), Bars{Bars: bars, Lo: r[0], Hi: r[1], Width: width, Gap: 1})
				}
			}
		}
	}
	DrawAreas(canvas.Region{}, Areas{Areas: []Area{{Values: same(1, 2)}}, Hi: 1})
}

// The ASCII sign of a cell runs as the line does.
func TestStub(t *testing.T) {
	for _, test := range []struct {
		dots string // rows of two, from the top
		want rune
	}{
		{"xx ...... ", '\''}, {".. xx .. ..", '-'}, {".. .. xx ..", '.'}, {".. .. .. xx", '_'},
		{"x. .. .. ..", '\''}, {".x .x x. x.", '/'}, {"x. x. .x .x", '\\'}, {"x. x. x. x.", '|'}, {"xx xx xx xx", '|'},
		{".. .x x. ..", '.'},
	} {
		var mask uint8
		dots := strings.ReplaceAll(test.dots, " ", "")
		for i, c := range dots {
			if c == 'x' {
				mask |= rowDots[i/2][i%2]
			}
		}
		if got := stub(mask); got != test.want {
			t.Errorf("%s is %q, want %q", test.dots, got, test.want)
		}
	}
	for mask := 1; mask < 256; mask++ {
		if c := stub(uint8(mask)); !strings.ContainsRune(`'-._/\|`, c) {
			t.Errorf("%08b is %q", mask, c)
		}
	}
}

// Points beyond the edges lead lines to the edges, at the height at which they
// cross them; nothing is drawn for what lies outside alone.
func TestPointsOutside(t *testing.T) {
	rows := func(points ...Point) []string {
		return draw(20, 5, Chart{Lines: []Line{{Points: points}}, Lo: 0, Hi: 100}).Rows()
	}
	r := rows(Point{-40, 0}, Point{80, 100}) // from below left to above right: a third to two thirds
	used := columnsUsed(draw(20, 5, Chart{Lines: []Line{{Points: []Point{{-40, 0}, {80, 100}}}}, Lo: 0, Hi: 100}))
	for x, ok := range used {
		if !ok {
			t.Errorf("column %d of a line across is blank", x)
		}
	}
	if strings.TrimSpace(r[0]) != "" || strings.TrimSpace(r[4]) != "" || strings.TrimSpace(r[3][:3]) == "" {
		t.Errorf("the line is cut off wrongly:\n%s", strings.Join(r, "\n"))
	}
	for _, outside := range [][]Point{{{-40, 5}, {-1, 9}}, {{40, 5}, {90, 9}}, {{5, math.NaN()}}, nil} {
		if got := strings.TrimSpace(strings.Join(rows(outside...), "")); got != "" {
			t.Errorf("%v draws %q", outside, got)
		}
	}
	far := rows(Point{math.MinInt32, 50}, Point{math.MaxInt32, 50})
	if strings.TrimSpace(far[2]) == "" {
		t.Errorf("a line from far to far draws\n%s", strings.Join(far, "\n"))
	}
	rows(Point{math.MinInt, 0}, Point{math.MaxInt, 100}, Point{0, 5})
}

// The lowest and highest of many points in one column of dots are both seen.
func TestPointsOfOneColumn(t *testing.T) {
	c := draw(20, 5, Chart{Lines: []Line{{Points: []Point{{10, 50}, {10, 100}, {10, 0}, {10, 50}}}}, Lo: 0, Hi: 100})
	for y := range 5 {
		if c.At(5, y).Rune == ' ' {
			t.Errorf("row %d of the stroke is blank", y)
		}
	}
	if used := columnsUsed(c); used[4] || used[6] {
		t.Error("the stroke is wider than its column")
	}
}
