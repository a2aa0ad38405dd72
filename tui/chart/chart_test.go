package chart

import (
	"math"
	"strings"
	"testing"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

var nan = float32(math.NaN())

func draw(w, h int, c Chart) *canvas.Canvas {
	cv := canvas.New(w, h, canvas.Full)
	Draw(cv.Root(), c)
	return cv
}

// columnsUsed tells which columns have anything in them.
func columnsUsed(c *canvas.Canvas) []bool {
	w, h := c.Size()
	out := make([]bool, w)
	for x := range w {
		for y := range h {
			out[x] = out[x] || c.At(x, y).Rune != ' '
		}
	}
	return out
}

// spread places the last of so many values at the same distance in w cells.
func spread(values []float32, samples, w int) (points []Point) {
	for i, v := range values {
		at := float64(samples-len(values)+i) / float64(samples-1)
		points = append(points, Point{int(math.Round(at * float64(w*DotsAcross-1))), float64(v)})
	}
	return points
}

func TestGapStaysAGap(t *testing.T) {
	values := make([]float32, 80) // two samples a column of 40
	for i := range values {
		values[i] = 50
		if i >= 30 && i < 50 {
			values[i] = nan
		}
	}
	used := columnsUsed(draw(40, 8, Chart{Lines: []Line{{Points: spread(values, 80, 40)}}, Lo: 0, Hi: 100}))
	for x := 16; x < 24; x++ {
		if used[x] {
			t.Errorf("column %d is drawn inside the gap", x)
		}
	}
	for _, x := range []int{2, 10, 30, 38} {
		if !used[x] {
			t.Errorf("column %d beside the gap is blank", x)
		}
	}
}

func TestHeightFollowsValue(t *testing.T) {
	low, high := make([]float32, 40), make([]float32, 40)
	for i := range low {
		low[i], high[i] = 0, 100
	}
	rows := func(v []float32) []string {
		return draw(20, 6, Chart{Lines: []Line{{Points: spread(v, 40, 20)}}, Lo: 0, Hi: 100}).Rows()
	}
	if r := rows(low); strings.TrimSpace(r[5]) == "" || strings.TrimSpace(r[0]) != "" {
		t.Errorf("the lowest value is not on the ground:\n%s", strings.Join(r, "\n"))
	}
	if r := rows(high); strings.TrimSpace(r[0]) == "" || strings.TrimSpace(r[5]) != "" {
		t.Errorf("the highest value is not at the top:\n%s", strings.Join(r, "\n"))
	}
}

func TestLaterLineIsAbove(t *testing.T) {
	same := []float32{10, 10, 10, 10, 10, 10, 10, 10}
	first, second := themes.S1, themes.S2
	c := draw(16, 4, Chart{Lines: []Line{{Points: spread(same, 8, 16), Style: first}, {Points: spread(same, 8, 16), Style: second}}, Lo: 0, Hi: 20})
	for y := range 4 {
		for x := range 16 {
			if cell := c.At(x, y); cell.Rune != ' ' && cell.Style != second {
				t.Fatalf("cell %d,%d has the style of the line below", x, y)
			}
		}
	}
}

// TestNothingBreaksIt draws every small size with every kind of value.
func TestNothingBreaksIt(t *testing.T) {
	inf := float32(math.Inf(1))
	hostile := [][]float32{nil, {}, {nan}, {nan, nan, nan}, {1}, {inf, -inf, 1, nan, 2}, {math.MaxFloat32, -math.MaxFloat32, 0}, make([]float32, 6000)}
	ranges := [][2]float64{{0, 100}, {0, 0}, {5, 1}, {math.NaN(), 1}, {0, math.Inf(1)}, {-1e300, 1e300}, {-math.MaxFloat64, math.MaxFloat64}}
	for w := range 16 {
		for h := range 8 {
			for _, v := range hostile {
				for _, r := range ranges {
					for _, n := range []int{-1, 0, 1, 2, 60, 1 << 30} {
						draw(w, h, Chart{Lines: []Line{{Points: spread(v, n, w)}}, Lo: r[0], Hi: r[1]})
					}
				}
			}
		}
	}
}

func BenchmarkChart(b *testing.B) {
	var lines []Line
	for i := range 12 {
		v := make([]float32, 600)
		for j := range v {
			v[j] = float32(50 + 40*math.Sin(float64(i+j)/20))
		}
		lines = append(lines, Line{Points: spread(v, 600, 120), Style: themes.Series(i)})
	}
	c := canvas.New(120, 30, canvas.Full)
	b.ReportAllocs()
	for b.Loop() {
		Draw(c.Root(), Chart{Lines: lines, Lo: 0, Hi: 100})
	}
}
