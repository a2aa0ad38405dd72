package meter_test

import (
	"math"
	"strings"
	"testing"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/kit/meter"
)

func draw(w, h int, set canvas.GlyphSet, do func(r canvas.Region)) *canvas.Canvas {
	c := canvas.New(w, h, set)
	do(c.Root())
	return c
}

// The meters of the deck's pictures.
func TestMeters(t *testing.T) {
	for _, test := range []struct {
		share float64
		want  string
	}{
		{.644, "■■■■■···"}, {.534, "■■■■····"}, {.315, "■■■·····"}, {.906, "■■■■■■■·"}, {.447, "■■■■····"},
		{.688, "■■■■■■■■■■■■■······"}, {.197, "■■■■···············"}, {.050, "■··················"}, {.649, "■■■■■■■■■■■■·······"},
		{.02, "■·······"}, {.003, "········"}, {0, "········"}, {math.NaN(), "········"}, {1, "■■■■■■■■"}, {7, "■■■■■■■■"}, {-1, "········"},
	} {
		w := len([]rune(test.want))
		m := meter.Meter{Share: test.share}
		if got := draw(w, 1, canvas.Full, func(r canvas.Region) { m.Draw(r, 0, 0, w) }).String(); got != test.want {
			t.Errorf("%v is %s, want %s", test.share, got, test.want)
		}
	}
	m := meter.Meter{Share: .5}
	if got := draw(8, 1, canvas.ASCII, func(r canvas.Region) { m.Draw(r, 0, 0, 8) }).String(); got != "||||...." {
		t.Errorf("in ASCII %q", got)
	}
}

// A meter has the colours of its places; over a limit the cell in which that lies and
// those behind have the colour of the state.
func TestMeterColours(t *testing.T) {
	limits := []graph.Limit{{Value: .5, State: themes.Careful}, {Value: .85, State: themes.Critical}}
	for _, test := range []struct {
		meter meter.Meter
		want  [8]themes.Token
	}{
		{meter.Meter{Share: .9}, [8]themes.Token{}},
		{meter.Meter{Share: .906, Limits: limits[1:]}, [8]themes.Token{6: themes.Critical}},
		{meter.Meter{Share: .85, Limits: limits}, [8]themes.Token{4: themes.Careful, 5: themes.Careful, 6: themes.Careful}},
		{meter.Meter{Share: 1, Limits: limits}, [8]themes.Token{4: themes.Careful, 5: themes.Careful, 6: themes.Critical, 7: themes.Critical}},
		{meter.Meter{Share: 1, Limits: []graph.Limit{{Value: .5, Below: true, State: themes.Careful}}}, [8]themes.Token{}},
		{meter.Meter{Share: .2, Stale: true}, [8]themes.Token{0: themes.Stale, 1: themes.Stale}},
	} {
		c := draw(8, 1, canvas.Full, func(r canvas.Region) { test.meter.Draw(r, 0, 0, 8) })
		for x, want := range test.want {
			cell := c.At(x, 0)
			switch {
			case cell.Rune == '·':
				want = themes.Rule
			case want == 0:
				want = themes.RampA.Step(x, 8)
			}
			if got := cell.Style.Foreground(); got != want {
				t.Errorf("%+v: cell %d has %v, want %v", test.meter, x, got, want)
			}
		}
	}
}

// The bars of the deck's picture of 16 processors in 80 columns, in blocks and in ASCII.
func TestBars(t *testing.T) {
	processors := []float64{.644, .646, .534, .627, .315, .655, .685, .578, .906, .768, .447, .615, .442, .619, .516, .698}
	for set, want := range map[canvas.GlyphSet]string{
		canvas.Full:    "        ▄       \n▂▂ ▁ ▂▃ █▇ ▁ ▁ ▄\n██▅█ ██▇██▂█▂█▅█\n████▅███████████\n████████████████",
		canvas.ASCII:   "        :       \n.. . .: ## . . :\n#### #####.#.###\n################\n################",
		canvas.Console: "        ▄       \n▄▄ ▄ ▄▄ ██ ▄ ▄ ▄\n████ █████▄█▄███\n████████████████\n████████████████",
	} {
		b := meter.Bars{Shares: processors}
		if got := draw(16, 5, set, func(r canvas.Region) { b.Draw(r) }).String(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// Every instance is in a bar: one each where there is room, else each bar is the
// highest of as many neighbours as are told.
func TestBarsOfMany(t *testing.T) {
	for _, n := range []int{1, 4, 16, 64, 256} {
		for w := 1; w < 80; w++ {
			for hot := 0; hot < n; hot += max(1, n/7) {
				b := meter.Bars{Shares: make([]float64, n)}
				b.Shares[hot] = 1
				rows := draw(w, 2, canvas.Full, func(r canvas.Region) { b.Draw(r) }).Rows()
				if got := strings.Count(rows[0], "█"); got != 1 {
					t.Fatalf("instance %d of %d in %d cells is not seen:\n%s", hot, n, w, strings.Join(rows, "\n"))
				}
				said := strings.Contains(rows[1], "max of ")
				if n > w && w > 20 != said && w > 20 {
					t.Fatalf("%d in %d cells: %q", n, w, rows[1])
				}
				if n <= w && said {
					t.Fatalf("%d in %d cells say %q", n, w, rows[1])
				}
				named := meter.Bars{Shares: b.Shares, Named: true}
				if got := draw(w, 1, canvas.Full, func(r canvas.Region) { named.Draw(r) }).String(); strings.Contains(got, "max") {
					t.Fatalf("bars with a title say %q", got)
				}
			}
		}
	}
	for _, test := range []struct {
		n, w int
		want string
	}{{16, 16, ""}, {17, 16, "max of 2"}, {64, 16, "max of 4"}, {3, 0, "max of 3"}} {
		if got := meter.GroupText(meter.Group(test.n, test.w)); got != test.want {
			t.Errorf("%d in %d: %q, want %q", test.n, test.w, got, test.want)
		}
	}
}

// What is unknown has no bar, nothing has one.
func TestBarsOfNothing(t *testing.T) {
	b := meter.Bars{Shares: []float64{0, math.NaN(), math.Inf(1), -2}}
	if got := draw(4, 2, canvas.Full, func(r canvas.Region) { b.Draw(r) }).String(); got != "  █ \n▁ █▁" {
		t.Errorf("%q", got)
	}
}
