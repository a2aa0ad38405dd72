package graph_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
)

var nan = float32(math.NaN())

// upTo is a history that ends before a sample.
func upTo(end uint64, values []float32) session.Series {
	return session.Series{First: end - uint64(len(values)), Values: values}
}

// draw draws a graph into w x h cells.
func draw(g *graph.Graph, w, h int, set canvas.GlyphSet) *canvas.Canvas {
	c := canvas.New(w, h, set)
	g.Draw(c.Root())
	return c
}

// rowsOf are the rows of a picture.
func rowsOf(picture string) [][]rune {
	var rows [][]rune
	for line := range strings.SplitSeq(strings.Trim(picture, "\n"), "\n") {
		rows = append(rows, []rune(line))
	}
	return rows
}

// heights are how many dots the columns of dots of some rows have.
func heights(rows [][]rune) []int {
	left, right := [4]rune{0x40, 0x04, 0x02, 0x01}, [4]rune{0x80, 0x20, 0x10, 0x08}
	out := make([]int, 2*len(rows[0]))
	for _, row := range rows {
		for x, char := range row {
			if char < 0x2800 || char > 0x28ff {
				continue
			}
			for i := range 4 {
				for side, dot := range []rune{left[i], right[i]} {
					if char&dot != 0 {
						out[2*x+side]++
					}
				}
			}
		}
	}
	return out
}

// values are values that have these heights: of each the middle of what is drawn so.
func values(heights []int, unit, perDot int, hi float32) []float32 {
	var out []float32
	for _, n := range heights {
		v := hi * float32(n) / float32(unit)
		if n == 0 {
			v = nan
		}
		out = append(out, slices.Repeat([]float32{v}, perDot)...)
	}
	return out
}

// The graphs of the deck's pictures are drawn cell by cell from the values they show.
func TestPictures(t *testing.T) {
	careful := []graph.Limit{{Value: 85, State: themes.Careful, Text: "85"}}
	for _, test := range []struct {
		name, picture string
		isPair        bool
		perDot        int
		end           uint64
		limits        []graph.Limit
	}{
		{"processor49", processor49, false, 1, 33, careful},
		{"start49", start49, false, 1, 33, careful},
		{"disk27", disk27, true, 1, 33, nil},
		{"network27", network27, true, 1, 33, nil},
		{"processor83", processor83, false, 2, 33, careful},
		{"disk47", disk47, true, 1, 33, nil},
		{"network47", network47, true, 1, 33, nil},
		{"disk28", disk28, true, 1, 3, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows := rowsOf(test.picture)
			w, h := len(rows[0]), len(rows)
			upper := h
			if test.isPair {
				upper = (h + 1) / 2
			}
			// The last column of dots is that of a sample that has not come.
			samples := func(rows [][]rune) []float32 {
				v := values(heights(rows), 4*upper, test.perDot, 100)
				return v[:len(v)-(2*test.perDot-int((test.end-1)%uint64(2*test.perDot))-1)]
			}
			g := graph.Graph{Upper: graph.Series{Series: upTo(test.end+6000, samples(rows[:upper])), Limits: test.limits}, Hi: 100, PerDot: test.perDot, End: test.end + 6000}
			if test.isPair {
				g.Lower = &graph.Series{Series: upTo(test.end+6000, samples(rows[upper:]))}
			}
			got, want := draw(&g, w, h, canvas.Full).String(), strings.Trim(test.picture, "\n")
			if test.name == "network47" { // the marks of this one stand in another row than those of all others
				got, want = strings.ReplaceAll(got, "·", " "), strings.ReplaceAll(want, "·", " ")
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A value has the height of its share, rounded to dots, and at least one dot; a
// constant has one height in all frames.
func TestHeights(t *testing.T) {
	for h := 1; h < 20; h++ {
		for _, v := range []float32{0, 1, 5, 50, 99, 100, 130} {
			for end := range uint64(60) {
				g := graph.Graph{Upper: graph.Series{Series: upTo(100+end, slices.Repeat([]float32{v}, 30))}, Hi: 100, End: 100 + end}
				c := draw(&g, 4, h, canvas.Full)
				want := max(1, int(math.Round(float64(4*h)*min(100, float64(v))/100)))
				got := heights(rowsOf(c.String()))
				for i, n := range got[:6] {
					if n != want {
						t.Fatalf("%v in %d rows, end %d: column %d has %d dots, want %d", v, h, end, i, n, want)
					}
				}
			}
		}
	}
	// Without a scale a value is one dot, as zero is, and no value none.
	for _, hi := range []float32{0, -1, nan} {
		g := graph.Graph{Upper: graph.Series{Series: upTo(4, []float32{5, 6, nan, nan})}, Hi: hi, End: 4}
		if got := draw(&g, 2, 2, canvas.Full).String(); got != "· \n⣀ " {
			t.Errorf("scale to %v: %q", hi, got)
		}
	}
}

// Cells over the limit, in its row and above, have the colour of its state, no others;
// the line is drawn where nothing else is, with its number before it.
func TestLimits(t *testing.T) {
	limits := []graph.Limit{{Value: 70, State: themes.Careful, Text: "70"}, {Value: 85, State: themes.Critical}}
	// Columns of 90, 84, 60 and nothing.
	feed := append(slices.Repeat([]float32{nan}, 8), 90, 20, 84, 84, 60, 60, nan, nan)
	g := graph.Graph{Upper: graph.Series{Series: upTo(uint64(len(feed)), feed), Limits: limits}, Hi: 100, End: uint64(len(feed))}
	const h = 10
	c := draw(&g, len(feed)/2, h, canvas.Full)
	styleOf := func(ground int, x int) themes.Token { return c.At(x, h-1-ground).Style.Foreground() }
	fill := func(ground int) themes.Token { return themes.RampA.Step(ground, h) }
	for ground := range h {
		for x, v := range map[int]float32{4: 90, 5: 84, 6: 60} {
			if c.At(x, h-1-ground).Rune < 0x2800 {
				continue
			}
			want := fill(ground)
			switch {
			case v > 85 && ground >= 8:
				want = themes.Critical
			case v > 70 && ground >= 7:
				want = themes.Careful
			}
			if got := styleOf(ground, x); got != want {
				t.Errorf("%v at row %d has %v, want %v", v, ground, got, want)
			}
		}
	}
	for ground, state := range map[int]themes.Token{7: themes.Careful, 8: themes.Critical} {
		if cell := c.At(7, h-1-ground); cell.Rune != '·' || cell.Style.Foreground() != state {
			t.Errorf("no line in row %d: %q in %v", ground, cell.Rune, cell.Style.Foreground())
		}
	}
	if row := c.Rows()[h-1-7]; !strings.HasPrefix(row, "70··") {
		t.Errorf("the line has no number: %q", row)
	}
	// A state below a value colours no cells.
	g.Upper.Limits = []graph.Limit{{Value: 30, Below: true, State: themes.Warning}}
	c = draw(&g, len(feed)/2, h, canvas.Full)
	for y := range h {
		for x := range len(feed) / 2 {
			if cell := c.At(x, y); cell.Rune >= 0x2800 && cell.Style.Foreground() == themes.Warning {
				t.Fatalf("a cell at %d, %d has the colour of a state below 30", x, y)
			}
		}
	}
}

// Values of the feed, one after the other: the newest sample is at the right end, what
// was before the start is blank, and paper is where its time is.
func TestStart(t *testing.T) {
	const w, h = 49, 8
	for _, n := range []int{1, 12, 300} {
		feed := make([]float32, n)
		for i := range feed {
			feed[i] = 100
		}
		g := graph.Graph{Upper: graph.Series{Series: upTo(uint64(n), feed)}, Hi: 100, End: uint64(n)}
		rows := rowsOf(draw(&g, w, h, canvas.Full).String())
		drawn := heights(rows)
		newest := 2*w - 2 + (n-1)%2
		for i, got := range drawn {
			want := 4 * h
			if i > newest || i <= newest-n {
				want = 0
			}
			if got != want {
				t.Errorf("after %d samples column %d has %d dots, want %d", n, i, got, want)
			}
		}
		last := (n - 1) / 2
		for x, char := range rows[3] {
			if x > w-1-(n+1)/2 {
				break
			}
			cell := last - (w - 1 - x)
			if isMark := char == '·'; isMark != (cell%10 == 0) {
				t.Errorf("after %d samples the paper in cell %d is %q", n, x, char)
			}
		}
	}
}

// A gap of ten samples from an even number on is five blank columns, and stays so.
func TestGap(t *testing.T) {
	feed := slices.Repeat([]float32{60}, 100)
	for i := 40; i < 50; i++ {
		feed[i] = nan
	}
	for end := 60; end <= 100; end++ {
		g := graph.Graph{Upper: graph.Series{Series: upTo(uint64(end), feed[:end])}, Hi: 100, End: uint64(end)}
		bottom := []rune(draw(&g, 40, 3, canvas.Full).Rows()[2])
		first := (end-1)/2 - 39 // number of the first cell
		for x, char := range bottom {
			cell := first + x
			if isBlank := char == ' '; isBlank != (cell < 0 || cell >= 20 && cell < 25) {
				t.Fatalf("before %d: cell %d is %q", end, cell, char)
			}
		}
	}
}

// A graph moves by whole cells, whatever its dots stand for: what was drawn is there
// again, some cells to the left, except for the newest cell. Where it wipes nothing
// moves.
func TestNothingTrembles(t *testing.T) {
	feed := make([]float32, 600)
	for i := range feed {
		feed[i] = float32(i * 37 % 101)
	}
	const w, h = 30, 6
	for _, perDot := range []int{1, 2, 3, 7} {
		for _, wipe := range []bool{false, true} {
			var last [][]rune
			for end := 500; end <= 560; end++ {
				lower := graph.Series{Series: upTo(uint64(end), feed[:end])}
				g := graph.Graph{Upper: graph.Series{Series: upTo(uint64(end), feed[:end])}, Lower: &lower, Hi: 100, PerDot: perDot, End: uint64(end), Wipe: wipe}
				rows := rowsOf(draw(&g, w, h, canvas.Full).String())
				newest := (end - 1) / (2 * perDot)
				moved := newest - (end-2)/(2*perDot)
				for y := range rows {
					for x := 0; last != nil && x < w; x++ {
						from := x + moved
						changes := x >= w-1-moved
						if wipe {
							from, changes = x, x == newest%w || x == (newest+1)%w
						}
						if !changes && rows[y][x] != last[y][from] {
							t.Fatalf("%d a dot, wipe %v, before %d: cell %d, %d was %q and is %q", perDot, wipe, end, x, y, last[y][from], rows[y][x])
						}
					}
				}
				last = rows
			}
		}
	}
}

// A dot shows the largest of its samples.
func TestLargestOfADot(t *testing.T) {
	feed := []float32{10, 90, nan, 40, nan, nan, 0, 10}
	g := graph.Graph{Upper: graph.Series{Series: upTo(8, feed)}, Hi: 100, PerDot: 2, End: 8}
	got := heights(rowsOf(draw(&g, 2, 10, canvas.Full).String()))
	if want := []int{36, 16, 0, 4}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Halves of a pair have one scale, in dots too, and no value is cut off, however many
// rows there are.
func TestPairsHaveOneScale(t *testing.T) {
	for h := 2; h < 20; h++ {
		for v := float32(0); v <= 100; v += 5 {
			feed := slices.Repeat([]float32{v}, 8)
			g := graph.Graph{Upper: graph.Series{Series: upTo(8, feed)}, Lower: &graph.Series{Series: upTo(8, feed)}, Hi: 100, End: 8}
			rows := rowsOf(draw(&g, 4, h, canvas.Full).String())
			up, down := heights(rows[:(h+1)/2]), heights(rows[(h+1)/2:])
			if up[0] != down[0] {
				t.Errorf("%v in %d rows: %d dots up and %d down", v, h, up[0], down[0])
			}
			if v == 100 && down[0] != 4*(h/2) {
				t.Errorf("the highest value has %d of %d dots", down[0], 4*(h/2))
			}
		}
	}
}

// Without braille a cell shows the larger of its samples, standing or hanging.
func TestOtherGlyphs(t *testing.T) {
	feed := []float32{0, 25, 50, 0, 75, 75, 100, 0}
	for set, want := range map[canvas.GlyphSet]string{
		canvas.Console: "▄▄██\n▀▀██",
		canvas.ASCII:   ".:##\n'|##",
	} {
		g := graph.Graph{Upper: graph.Series{Series: upTo(8, feed)}, Lower: &graph.Series{Series: upTo(8, feed)}, Hi: 100, End: 8}
		if got := draw(&g, 4, 2, set).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Every size, glyph set and mixture of gaps stays inside its region, in signs of its
// set.
func TestSizes(t *testing.T) {
	feed := make([]float32, 400)
	for i := range feed {
		feed[i] = float32(i*i%140) - 10
		if i%17 == 0 {
			feed[i] = nan
		}
	}
	feed[399] = float32(math.Inf(1))
	limits := []graph.Limit{{Value: 50, State: themes.Careful, Text: "50"}, {Value: 500, State: themes.Critical, Text: "500"}, {Value: -3, State: themes.Warning}}
	for w := 0; w < 70; w++ {
		for _, h := range []int{0, 1, 2, 3, 7, 17} {
			for _, set := range []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII} {
				for _, isPair := range []bool{false, true} {
					c := canvas.New(w+2, h+2, set)
					c.Root().Fill(0, 0, w+2, h+2, '#', themes.Focus)
					g := graph.Graph{Upper: graph.Series{Series: upTo(400, feed), Limits: limits}, Hi: 100, PerDot: graph.PerDot(w), End: 400, Wipe: w%3 == 0}
					if isPair {
						g.Lower = &graph.Series{Series: upTo(400, feed[:300]), Limits: limits}
					}
					g.Draw(c.Root().Sub(1, 1, w, h))
					for y := range h + 2 {
						for x := range w + 2 {
							cell := c.At(x, y)
							isOutside := x == 0 || y == 0 || x == w+1 || y == h+1
							switch {
							case isOutside && (cell.Rune != '#' || cell.Style != themes.Focus):
								t.Fatalf("%dx%d: %q outside at %d, %d", w, h, cell.Rune, x, y)
							case !isOutside && cell.Style == themes.Focus:
								t.Fatalf("%dx%d: nothing at %d, %d", w, h, x, y)
							case set == canvas.ASCII && cell.Rune > 0x7e:
								t.Fatalf("%q is not ASCII", cell.Rune)
							}
						}
					}
				}
			}
		}
	}
}

func TestSpans(t *testing.T) {
	for w, want := range map[int]time.Duration{49: 98 * time.Second, 27: 54 * time.Second, 86: 344 * time.Second} {
		if got := graph.Span(w, graph.PerDot(w), time.Second); got != want {
			t.Errorf("%d cells show %v, want %v", w, got, want)
		}
	}
	for w := 1; w < 200; w++ {
		for _, span := range []time.Duration{time.Second, 98 * time.Second, 10 * time.Minute} {
			if n := graph.PerDotFor(w, span, time.Second); graph.Span(w, n, time.Second) < span || n > 1 && graph.Span(w, n-1, time.Second) >= span {
				t.Errorf("%d cells for %v: %d samples a dot", w, span, n)
			}
		}
	}
}

// The heads of the pictures, and what has no room in them.
func TestHeads(t *testing.T) {
	for _, test := range []struct {
		title      string
		head       graph.Head
		x, w       int
		want, rest string
	}{
		{"━ Processor Information ", graph.Head{Name: "% Processor Time", Span: "98 s", Peak: "peak 91.7", Max: "100 %"}, 1, 49,
			"━ Processor Information 98 s, peak 91.7 ━━━━ 100 % ━", ""},
		{"━ Processor Information ", graph.Head{Name: "% Processor Time", Span: "since 12 s", Peak: "peak 91.7", Max: "100 %"}, 1, 49,
			"━ Processor Information since 12 s ━━━━━━━━━ 100 % ━", ""},
		{"━ Processor Information ", graph.Head{Name: "% Processor Time", Span: "2:46", Peak: "peak 91.7", Max: "100 %", Every: time.Second, PerDot: 2}, 1, 83,
			"━ Processor Information % Processor Time ━━━━━━━━━ -2 min ━━━━━━━ -1 min ━━━━━ 100 % ━", ""},
		{"━ PhysicalDisk ━", graph.Head{Name: "Read", Lower: "Write", Span: "54 s", Max: "200 MB/s"}, 1, 27,
			"━ PhysicalDisk ━━━━ 200 MB/s ━", "54 s"},
		{"━ ▲ PhysicalDisk ", graph.Head{Name: "Read", Lower: "Write", Span: "94 s", Max: "200 MB/s"}, 1, 47,
			"━ ▲ PhysicalDisk Read ▀ Write ▄ 94 s ━━ 200 MB/s ━", ""},
		{"━ Memory ", graph.Head{Name: "Used", Span: "98 s"}, 1, 49,
			"━ Memory Used 98 s ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━", ""},
		{"━ Memory ", graph.Head{Max: "100 %"}, 1, 4, "━ Memory ━━━━", "100 %"},
		{"━ ▲ Processor Information ━", graph.Head{Span: "98 s", Max: "100 %"}, 1, 30,
			"━ ▲ Processor Information ━━━━━━━", "100 %, 98 s"},
		{"━ ▲ Processor Information ━", graph.Head{Span: "5 s", Max: "100 %"}, 1, 31,
			"━ ▲ Processor Information ━5 s ━━", "100 %"},
	} {
		c := canvas.New(len([]rune(test.want)), 1, canvas.Full)
		r := c.Root()
		r.Repeat(0, 0, r.Width(), '━', 0)
		from := r.Text(0, 0, test.title, 0)
		rest := test.head.Draw(r, 0, from, test.x, test.w)
		if got := c.String(); got != test.want || rest.Rest != test.rest {
			t.Errorf("got  %q, rest %q\nwant %q, rest %q", got, rest.Rest, test.want, test.rest)
		}
	}
}

// A full graph 151x17 has a budget of 30 us, and nothing is allocated for its cells.
func BenchmarkGraph(b *testing.B) {
	feed := make([]float32, 4*151)
	for i := range feed {
		feed[i] = float32(i * 37 % 101)
	}
	c := canvas.New(151, 17, canvas.Full)
	r := c.Root()
	for _, isPair := range []bool{false, true} {
		b.Run(fmt.Sprintf("pair=%v", isPair), func(b *testing.B) {
			b.ReportAllocs()
			g := graph.Graph{Upper: graph.Series{Series: session.Series{Values: feed}, Limits: []graph.Limit{{Value: 85, State: themes.Careful, Text: "85"}}}, Hi: 100, PerDot: 2}
			if isPair {
				g.Lower = &graph.Series{Series: session.Series{Values: feed}}
			}
			for i := range b.N {
				g.End = uint64(1000 + i)
				g.Upper.First = g.End - uint64(len(feed))
				if isPair {
					g.Lower.First = g.Upper.First
				}
				g.Draw(r)
			}
		})
	}
}

// The window goes on no further than it takes to show a moment, and every moment that is in
// it stands in the column that a click finds it in.
func TestWindowFollowsTheCursor(t *testing.T) {
	const w, edge = 40, 1000
	for _, wipe := range []bool{false, true} {
		for _, per := range []int{1, 2, 3} {
			end := uint64(edge)
			for _, at := range []uint64{1000, 990, 930, 920, 700, 699, 705, 760, 10, 1, 500, 999} {
				was := end
				end = graph.EndFor(w, per, end, at, edge, wipe)
				var in []int
				for x := range w {
					if from, to, ok := graph.CellSamples(w, per, end, wipe, x); ok && at > from && at <= to {
						in = append(in, x)
					}
				}
				if len(in) != 1 || end > edge {
					t.Errorf("per %d, wipe %v: sample %d of a window up to %d, before %d, is in columns %v", per, wipe, at, end, was, in)
				}
				g := graph.Graph{End: end, Cursor: at, PerDot: per, Wipe: wipe, Hi: 1}
				c := draw(&g, w, 2, canvas.Full)
				if len(in) == 1 && c.At(in[0], 1).Rune != '│' {
					t.Errorf("per %d, wipe %v: the cursor at %d is not in column %d", per, wipe, at, in[0])
				}
			}
			if graph.EndFor(w, per, edge, edge-5, edge, wipe) != edge {
				t.Errorf("per %d, wipe %v: a moment in the window moves it", per, wipe)
			}
		}
	}
}

// A sample moves by whole cells, to the column of the moment that it is of.
func TestDots(t *testing.T) {
	const w = 30
	for _, per := range []int{1, 2, 3, 7} {
		for end := uint64(500); end < 560; end++ {
			for n := end - 20; n < end; n++ {
				dot := graph.Dot(w, per, end, n)
				if x, ok := graph.Column(w, per, end, n+1); !ok || x != dot/2 {
					t.Fatalf("%d a dot, before %d: sample %d is in dot %d, its cell is %d", per, end, n, dot, x)
				}
				if moved := dot - graph.Dot(w, per, end+1, n); moved != 0 && moved != 2 {
					t.Fatalf("%d a dot, before %d: sample %d moves by %d dots", per, end, n, moved)
				}
			}
		}
	}
}
