package tui

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The checks of decks, and where each is made on drawn screens, besides here:
//
//	 1  TestDeckCheck1Sizes; the counts of its table: TestHost of layout
//	 2  TestDeckAtAllSizes
//	 3  TestMockupsOfOneHost (equal to mock-ups with 42 to 45 %), TestDeckCheck3Blank
//	 4  TestDeckCheck4Heights; each glyph set: TestHeights of kit/graph
//	 5  TestDeckCheck5Limit
//	 6  TestUnitInTheSameFrame and TestNoRowOverflows of pane/deck, TestCheck6AxisStepsAndPlaces of pane/chart
//	 7  TestRowsOfHostsShareAUnit and TestMatrixScales of pane/deck, TestCheck7OneScaleOfHosts of pane/fleet
//	 8  TestDeckCheck8Since
//	 9  TestGap and TestNothingTrembles of kit/graph, the painter's tests of canvas
//	10  TestFirstAnswerLaysOutOnce and TestMatrix of pane/deck
//	11  TestBytesOfADeck
//	12  TestDeckAtAllSizes
//	13  TestDeckCheck13Windows, TestCheck13MemoryIsThatOfDecks of pane/fleet
//	14  TestFunctionKeys, TestSynonyms of search, TestClicks, TestBarClicks and TestMatrixClicks of pane/deck
//	15  TestDeckCheck15Top

// onMockup runs a test on the deck of the host of the mock-ups after some time.
func onMockup(t *testing.T, o rigOptions, feed func(h *mockupHost), seconds int, test func(r *rig)) {
	t.Helper()
	m := readMockup(t, "deck-one-200x60")
	h := &mockupHost{mockup: m, more: m, series: map[string][]float64{}, ends: time.Duration(seconds) * time.Second, newest: uint64(seconds - 1)}
	if feed != nil {
		feed(h)
	}
	o.before, o.history, o.hosts = h.ends, 10*time.Minute, script(fake.Script{Name: "db07", Sets: h.sets()})
	onScreens(t, o, func(r *rig) {
		host := r.root.desk.Hosts[0]
		r.begin(0)
		r.root.book.Own(host).Load(session.DefaultDeck(host.Name, host.Sampler.Catalogue()).Panes)
		r.root.ask(host)
		r.pass(h.ends)
		test(r)
	})
}

// Every size of the layouts and between is filled exactly, in every glyph set.
func TestDeckCheck1Sizes(t *testing.T) {
	stepW, stepH := 7, 5
	if testing.Short() {
		stepW, stepH = 31, 17
	}
	for _, set := range []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII} {
		onMockup(t, rigOptions{glyphs: set}, nil, 20, func(r *rig) {
			for w := layout.MinWidth; w <= 250; w += stepW {
				for h := layout.MinHeight; h <= 70; h += stepH {
					r.root.resize(w, h)
					r.root.draw()
					if rows := r.rows(); len(rows) != h || !r.isSound("deck", w, h) {
						t.Fatalf("%d rows at %dx%d", len(rows), w, h)
					}
				}
			}
		})
	}
}

// Nothing that ended stays.
func TestDeckCheck3Gone(t *testing.T) {
	rising := func(h *mockupHost) { // with the histories of the picture
		h.drawn("Proc Time", h.graph(area{1, 2, 101, 16}, 64, 2, 100))
		h.drawn("Used", h.graph(area{1, 19, 86, 6}, 24, 2, 31.27*(1<<30)))
		h.pair("Read", "Write", area{1, 32, 59, 13}, 200<<20)
		h.pair("Received", "Sent", area{1, 46, 59, 13}, 50<<20)
	}
	onMockup(t, rigOptions{alerts: mockupRules(t)}, rising, 453, func(r *rig) {
		for _, size := range [][2]int{{120, 36}, {140, 40}, {160, 48}, {180, 54}, {200, 60}} {
			r.send(resized{size[0], size[1]})
			r.pass(2 * time.Second) // the users of rows that had no room before
			body := strings.Join(r.rows()[1:size[1]-1], "")
			if strings.Contains(body, "gone") {
				t.Errorf("%v: a row is gone:\n%s", size, r.text())
			}
		}
	})
}

// dotsOf are the dots of each column of dots of a graph on the screen.
func (r *rig) dotsOf(x, y, w, h int) []int {
	out := make([]int, 2*w)
	for cy := range h {
		row := []rune(r.rows()[y+cy])
		for cx := range w {
			if c := row[x+cx]; c >= 0x2800 && c <= 0x28ff {
				const left = 0x47
				out[2*cx] += bits.OnesCount(uint(c-0x2800) & left)
				out[2*cx+1] += bits.OnesCount(uint(c-0x2800) &^ left)
			}
		}
	}
	return out
}

// flat is a host whose total of processors shows one number.
func flat(v float64) rigOptions {
	return rigOptions{hosts: script(fake.Script{Name: "flat", Sets: []fake.Set{
		{Name: "Processor Information", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "_Total", Flags: session.FlagTotal}, {Name: "0,0"}},
			Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(v)}}},
		{Name: "Service", Counters: []fake.Counter{{Name: "Requests/sec", Type: cooker.CounterBulkCount, Is: fake.Const(42)}, {Name: "Requests Sent/sec", Type: cooker.CounterBulkCount, Is: fake.Const(42)}}},
	}})}
}

// A percentage of v fills round(4hv/100) dots of a graph of h rows, at least one; a
// constant that is none has one height, frame after frame.
func TestDeckCheck4Heights(t *testing.T) {
	for _, v := range []float64{0, 5, 50, 100} {
		onScreens(t, flat(v), func(r *rig) {
			host := r.root.desk.Hosts[0]
			r.begin(0)
			r.root.book.Own(host).Load([]session.DeckPane{{Paths: []string{`\Processor Information(_Total)\% Processor Time`}}})
			r.root.ask(host)
			r.pass(20 * time.Second)
			const gw = 120 - 2 - 43
			h := 0
			for h+1 < 34 && !strings.HasPrefix(strings.TrimLeft(r.rows()[2+h], " "), "─") {
				h++
			}
			dots := r.dotsOf(1, 2, gw, h)
			highest := slices.Max(dots)
			if want := max(1, int(math.Round(4*float64(h)*v/100))); highest != want {
				t.Errorf("%v %% in %d rows are %d dots, want %d:\n%s", v, h, highest, want, r.text())
			}
		})
	}
	onScreens(t, flat(1), func(r *rig) {
		host := r.root.desk.Hosts[0]
		r.begin(0)
		r.root.book.Own(host).Load([]session.DeckPane{{Paths: []string{`\Service\Requests/sec`}, Kind: "graph"}})
		r.root.ask(host)
		r.pass(3 * time.Second)
		heights := map[int]bool{}
		for range 60 {
			r.pass(time.Second)
			heights[slices.Max(r.dotsOf(1, 2, 75, 30))] = true
		}
		if len(heights) != 1 {
			t.Errorf("a constant had the heights %v", heights)
		}
	})
}

// Of 90 with a limit of 85 cells above the line have its colour, those below do not, and
// row, sign and line have it as well.
func TestDeckCheck5Limit(t *testing.T) {
	rule, err := alert.ParseRule(`\Processor Information(_Total)\% Processor Time>85`)
	if err != nil {
		t.Fatal(err)
	}
	rule.Severity, rule.Interval = alert.Careful, time.Second
	o := flat(90)
	o.alerts = []alert.Rule{rule}
	onScreens(t, o, func(r *rig) {
		host := r.root.desk.Hosts[0]
		r.begin(0)
		r.root.book.Own(host).Load([]session.DeckPane{{Paths: []string{`\Processor Information(_Total)\% Processor Time`}}})
		r.root.ask(host)
		r.pass(20 * time.Second)
		x, line, ok := r.find("85·")
		if !ok {
			t.Fatalf("no line:\n%s", r.text())
		}
		is := func(x, y int) bool { return r.root.canvas.At(x, y).Style.Foreground() == themes.Careful }
		if !is(x+3, line) {
			t.Error("the line has another colour")
		}
		above, below := 0, 0
		for y := 2; y < 30; y++ {
			row := []rune(r.rows()[y])
			for gx := 60; gx < 76; gx++ {
				switch {
				case row[gx] <= 0x2800 || row[gx] > 0x28ff:
				case is(gx, y) && y <= line:
					above++
				case is(gx, y):
					t.Errorf("cell %d,%d below the line has its colour", gx, y)
				case y <= line:
					t.Errorf("cell %d,%d above the line has not its colour", gx, y)
				default:
					below++
				}
			}
		}
		if above == 0 || below == 0 {
			t.Errorf("%d cells above, %d below:\n%s", above, below, r.text())
		}
		nx, ny, ok := r.find("90.0")
		if sx, sy, signed := r.find("○"); !ok || !signed || !is(nx, ny) || !is(sx, sy) {
			t.Errorf("row or sign have another colour:\n%s", r.text())
		}
	})
}

// After 1, 12 and 300 s titles tell how far back graphs reach, the newest column stands
// at the right end, and rules do not move.
func TestDeckCheck8Since(t *testing.T) {
	onMockup(t, rigOptions{}, nil, 1, func(r *rig) {
		rules := func() (out []string) {
			for _, row := range r.rows()[1:35] {
				if at := strings.IndexAny(row, "─━"); at >= 0 && at < 3 {
					out = append(out, strings.Fields(strings.Trim(row, "─━ ▲"))[0])
				} else {
					out = append(out, "")
				}
			}
			return out
		}
		first := rules()
		for _, second := range []int{1, 12, 300} {
			for r.root.desk.Hosts[0].Snap.Timeline.Next() < uint64(second) {
				r.pass(time.Second)
			}
			title := r.rows()[1]
			span := regexp.MustCompile(`since 1?[0-9] s`).FindString(title)
			if (second < 98) != (span != "") || second == 12 && span != "since 11 s" && span != "since 12 s" {
				t.Errorf("after %d s the title is %q", second, title)
			}
			dots := r.dotsOf(1, 2, 49, 8)
			if dots[96]+dots[97] == 0 {
				t.Errorf("after %d s the newest column is empty:\n%s", second, r.text())
			}
			if got := rules(); !slices.Equal(got, first) {
				t.Errorf("after %d s rules stand at %q, at first %q", second, got, first)
			}
		}
	})
}

// Of a Windows host Used comes from what its NUMA nodes have; where nobody tells that,
// Available is a row without a meter.
func TestDeckCheck13Windows(t *testing.T) {
	for _, numa := range []bool{true, false} {
		hosts := func(c *clocktest.Clock) []fake.Host {
			h := fake.Demo(c)[:1]
			if !numa {
				sets := []fake.Set{{Name: "Memory", Counters: []fake.Counter{
					{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(3 << 30)},
					{Name: "Committed Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(4 << 30)},
					{Name: "Commit Limit", Type: cooker.CounterLargeRawCount, Is: fake.Const(8 << 30)},
					{Name: "Cache Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(1 << 30)},
					{Name: "Pages/sec", Type: cooker.CounterCounter, Is: fake.Const(7)},
				}}}
				h[0].Source = fake.New(fake.Script{Name: h[0].Name, Sets: sets}, c)
			}
			return h
		}
		onScreens(t, rigOptions{hosts: hosts}, func(r *rig) {
			host := r.root.desk.Hosts[0]
			r.begin(0)
			r.root.book.Own(host).Load(session.DefaultDeck(host.Name, host.Sampler.Catalogue()).Panes)
			r.root.ask(host)
			r.pass(5 * time.Second)
			if numa {
				if row := r.row("Used"); !strings.Contains(row, "■") {
					t.Errorf("Used has no meter in %q", row)
				}
				return
			}
			if row := r.row("Available"); strings.Contains(row, "■") || !strings.Contains(row, "3.00 GB") {
				t.Errorf("Available is %q", row)
			}
			r.hides("Used ")
		})
	}
}

// Tables at 120 cells cut no number, whatever the counterset, and interfaces show what
// they receive and send.
func TestDeckCheck15Top(t *testing.T) {
	number := regexp.MustCompile(`[0-9][,.]?…|…[0-9]`)
	for i, demo := range fake.Demo(clocktest.New(start, nil)) {
		onScreens(t, rigOptions{hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[i : i+1] }}, func(r *rig) {
			r.begin(3)
			host := r.root.desk.Hosts[0]
			cat := host.Sampler.Catalogue()
			if cat == nil {
				return // it denies
			}
			for _, set := range cat.Sets {
				r.want(pane.OpenTop{Host: host, Set: set})
				r.pass(3 * time.Second)
				for _, row := range r.rows()[2:] {
					cells, _, _ := strings.Cut(row, ".exe") // behind the numbers of processes stand command lines
					if number.MatchString(cells) {
						t.Errorf("%s, %s: a number is cut in %q", demo.Name, set.Name, row)
					}
				}
				if set.Name == "Network Interface" {
					r.shows("Recv", "Sent")
				}
			}
		})
	}
}

// The deck in every theme, at every depth of colour and in every glyph set: what is sent
// to the terminal has colours of that depth alone, and none without colour.
func TestSweepOfColours(t *testing.T) {
	const basic = `3[0-79]|4[0-79]|9[0-7]|10[0-7]` // a theme may have the terminal's own colours
	depths := []struct {
		profile themes.Profile
		term    string
		allowed *regexp.Regexp // of a parameter of a colour
	}{
		{themes.TrueColour, "xterm-direct", regexp.MustCompile(`^(38;2|48;2|` + basic + `)$`)},
		{themes.Colours256, "xterm-256color", regexp.MustCompile(`^(38;5|48;5|` + basic + `)$`)},
		{themes.Colours16, "xterm", regexp.MustCompile(`^(` + basic + `)$`)},
		{themes.NoColour, "vt220", regexp.MustCompile(`^$`)},
	}
	change := regexp.MustCompile(`\x1b\[([0-9;:]*)m`)
	names := themes.Names(nil)
	if testing.Short() {
		names = names[:3]
	}
	for n, set := range []canvas.GlyphSet{canvas.Full, canvas.Console, canvas.ASCII} {
		if testing.Short() && n > 0 {
			continue
		}
		onMockup(t, rigOptions{glyphs: set}, nil, 30, func(r *rig) {
			for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 36}, {200, 60}} {
				r.send(resized{size[0], size[1]})
				r.root.draw()
				text := r.text()
				for _, name := range names {
					theme, err := themes.Load(name, nil)
					if err != nil {
						t.Fatal(err)
					}
					for _, d := range depths {
						for _, dark := range []bool{true, false} {
							var line bytes.Buffer
							p := canvas.NewPainter(&line, theme.Sheet(d.profile, dark), canvas.CapsOf(d.term))
							if err := p.Paint(r.root.canvas); err != nil {
								t.Fatal(err)
							}
							colours := 0
							for _, found := range change.FindAllStringSubmatch(line.String(), -1) {
								for _, colour := range colourParams(found[1]) {
									if colours++; !d.allowed.MatchString(colour) {
										t.Fatalf("%s in profile %v at %v: colour %q", name, d.profile, size, colour)
									}
								}
							}
							if d.profile != themes.NoColour && colours == 0 && name != "greyscale" { // which has none of 16
								t.Errorf("%s in profile %v at %v has no colours", name, d.profile, size)
							}
						}
					}
				}
				if r.root.draw(); r.text() != text {
					t.Error("painting changes the screen")
				}
			}
		})
	}
}

// colourParams are the parameters of a change of style that are colours.
func colourParams(text string) (out []string) {
	all := strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == ':' })
	for i := 0; i < len(all); i++ {
		var n int
		if _, err := fmt.Sscan(all[i], &n); err != nil || n < 30 || n > 107 {
			continue
		}
		if (n == 38 || n == 48) && i+1 < len(all) {
			out = append(out, all[i]+";"+all[i+1])
			if i += 2; all[i-1] == "2" {
				i += 2
			}
			continue
		}
		out = append(out, all[i])
	}
	return out
}
