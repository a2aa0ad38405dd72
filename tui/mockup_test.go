package tui

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// mockup is a picture of a screen, as its designer drew it: what it shows is fed to the
// screens, which have to draw it again cell by cell.
type mockup struct {
	testing.TB
	rows [][]rune
}

func readMockup(t testing.TB, name string) *mockup {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "golden", "mockups", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	m := &mockup{TB: t}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(b), "\n"), "\n") {
		m.rows = append(m.rows, []rune(line))
	}
	return m
}

func (m *mockup) size() (w, h int) { return len(m.rows[0]), len(m.rows) }

func (m *mockup) parse(text string) float64 {
	m.Helper()
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		m.Fatal(err)
	}
	return v
}

// unitOf is what a unit stands for: of bytes, operations and seconds.
func unitOf(label string) float64 {
	switch label = strings.TrimSuffix(label, "/s"); label {
	case "KB":
		return 1 << 10
	case "MB":
		return 1 << 20
	case "GB":
		return 1 << 30
	case "TB":
		return 1 << 40
	case "k":
		return 1e3
	case "ms":
		return 1e-3
	case "d":
		return 24 * 60 * 60
	case "GHz": // the counter has MHz
		return 1e3
	case "Gb":
		return 1e9
	}
	return 1
}

// area is a rectangle of the picture.
type area struct{ x, y, w, h int }

func (a *area) has(x, y int) bool { return x >= a.x && x < a.x+a.w && y >= a.y && y < a.y+a.h }

// heights are how many dots the columns of dots of an area have.
func (m *mockup) heights(a area) []int {
	out := make([]int, 2*a.w)
	for _, row := range m.rows[a.y : a.y+a.h] {
		for x, char := range row[a.x : a.x+a.w] {
			if char < 0x2800 || char > 0x28ff {
				continue
			}
			for side, dots := range [2][]rune{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}} {
				for _, dot := range dots {
					if char&dot != 0 {
						out[2*x+side]++
					}
				}
			}
		}
	}
	return out
}

// graph are the samples of a graph in an area, the newest one last: of each dot the
// middle of the values that are drawn so, perDot times. Two halves of a pair have the
// same scale: unit is how many dots the top is high.
func (m *mockup) graph(a area, unit, perDot int, hi float64) []float64 {
	var out []float64
	for _, n := range m.heights(a) {
		v := hi * (float64(n) + .4) / float64(unit)
		if n == 0 {
			v = math.NaN()
		}
		out = append(out, slices.Repeat([]float64{v}, perDot)...)
	}
	for len(out) > 0 && math.IsNaN(out[len(out)-1]) { // of samples that have not come
		out = out[:len(out)-1]
	}
	if perDot > 1 { // the newest dot is of its first sample
		out = out[:len(out)-perDot+1]
	}
	return out
}

// spark are the samples of a sparkline, the newest one last, in cells of so many
// samples, the last cell of them of newest ones.
func (m *mockup) spark(text string, perCell, newest int, hi float64) []float64 {
	var out []float64
	cells := []rune(strings.TrimRight(text, " "))
	for i, char := range cells {
		level := slices.Index([]rune("▁▂▃▄▅▆▇"), char)
		v := (float64(level) + .9) / 7 * hi
		if level < 0 {
			v = math.NaN()
		}
		n := perCell
		if i == len(cells)-1 {
			n = newest
		}
		out = append(out, slices.Repeat([]float64{v}, n)...)
	}
	return out
}

// keepTabs leaves the screens those whose tabs the picture has: others came after it.
func (m *mockup) keepTabs(r *rig) {
	m.Helper()
	tabs, _, _ := strings.Cut(string(m.rows[0]), "    ") // up to the gap before the clock
	r.root.tabs = slices.DeleteFunc(r.root.tabs, func(t tab) bool {
		return !regexp.MustCompile(`[ \[]` + t.key + `[ \]]|[ \[]` + t.key + `$`).MatchString(tabs)
	})
	r.root.draw()
}

// compare compares the screen with the picture, in which some places say something else,
// each for its reason.
func (m *mockup) compare(r *rig, others []other, without []area) {
	m.Helper()
	m.keepTabs(r)
	for _, o := range others {
		copy(m.rows[o.y][o.x:], []rune(o.says))
	}
	rows, differ := r.rows(), 0
	for y, want := range m.rows {
		got := []rune(rows[y])
		from, to := -1, 0
		for x := range want {
			if isWithout := func(a area) bool { return a.has(x, y) }; x >= len(got) || got[x] != want[x] && !slices.ContainsFunc(without, isWithout) {
				if from < 0 {
					from = x
				}
				to, differ = x+1, differ+1
			}
		}
		if from >= 0 {
			m.Errorf("row %d from cell %d on\n%q, want\n%q", y, from, string(got[from:min(to, len(got))]), string(want[from:to]))
		}
	}
	if differ > 0 {
		m.Errorf("%d cells differ; the screen is\n%s", differ, strings.Join(rows, "\n"))
	}
}

// other is what a place of a picture says in truth, and why.
type other struct {
	x, y      int
	says, why string
}

// The deck of a host that has the numbers and the histories which the mock-ups show, as they were
// drawn anew for it.
func TestMockupsOfOneHost(t *testing.T) {
	for _, test := range []struct {
		name, data string
		seconds    int
		glyphs     canvas.GlyphSet
		feed       func(h *mockupHost)
	}{
		{name: "deck-one-80x24", seconds: 93, feed: small},
		{name: "deck-ascii-80x24", data: "deck-one-80x24", glyphs: canvas.ASCII, seconds: 93, feed: small},
		{name: "deck-one-120x36", seconds: 153, feed: func(h *mockupHost) {
			h.drawn("Proc Time", h.graph(area{1, 2, 49, 8}, 32, 1, 100))
			h.peaks("Proc Time", 91.7)
			h.pair("Read", "Write", area{1, 18, 27, 8}, 200<<20)
			h.pair("Received", "Sent", area{1, 27, 27, 8}, 50<<20)
			h.sparked("Pages/sec", h.sparkOf("Pages/sec", 20), 150)
			h.sparked("Faults/sec", h.sparkOf("Faults/sec", 20), 50e3)
		}},
		{
			name: "deck-start-120x36", seconds: 12, feed: func(h *mockupHost) { h.drawn("Proc Time", h.graph(area{1, 2, 49, 8}, 32, 1, 100)) },
		},
		{name: "deck-one-160x48", seconds: 393, feed: func(h *mockupHost) {
			h.drawn("Proc Time", h.graph(area{1, 2, 83, 11}, 44, 2, 100))
			h.pair("Read", "Write", area{1, 21, 47, 13}, 200<<20)
			h.pair("Received", "Sent", area{1, 35, 47, 12}, 50<<20)
			h.sparked("Pages/sec", h.sparkOf("Pages/sec", 20), 150)
			h.sparked("Faults/sec", h.sparkOf("Faults/sec", 20), 50e3)
		}},
		{name: "deck-one-200x60", seconds: 453, feed: func(h *mockupHost) {
			h.drawn("Proc Time", h.graph(area{1, 2, 101, 16}, 64, 2, 100))
			h.peaks("Proc Time", 91.7)
			h.drawn("Used", h.graph(area{1, 19, 86, 6}, 24, 2, 31.27*(1<<30)))
			h.pair("Read", "Write", area{1, 32, 59, 13}, 200<<20)
			h.pair("Received", "Sent", area{1, 46, 59, 13}, 50<<20)
			h.sparked("Pages/sec", h.sparkOf("Pages/sec", 20), 150)
			h.sparked("Faults/sec", h.sparkOf("Faults/sec", 20), 50e3)
			h.lowers("Proc Time", 56.4)
		},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := readMockup(t, test.name)
			h := &mockupHost{mockup: m, more: readMockup(t, "deck-one-200x60"), series: map[string][]float64{}, newest: uint64(test.seconds - 1), ends: time.Duration(test.seconds) * time.Second}
			if test.data != "" {
				h.mockup = readMockup(t, test.data)
			}
			test.feed(h)
			w, height := m.size()
			o := rigOptions{w: w, h: height, glyphs: test.glyphs, before: h.ends, history: 10 * time.Minute, hosts: script(fake.Script{Name: "db07", Sets: h.sets()})}
			o.alerts = mockupRules(t)
			onScreens(t, o, func(r *rig) {
				if w >= 100 {
					r.recorder.state = pane.Recording{On: true, File: "x.db", Started: start.Add(-42*time.Minute - 17*time.Second)}
				}
				host := r.root.desk.Hosts[0]
				r.begin(0)
				r.root.book.Own(host).Load(session.DefaultDeck(host.Name, host.Sampler.Catalogue()).Panes)
				r.root.ask(host)
				for range test.seconds - 100 { // nobody looks at the first
					r.clock.Advance(time.Second)
				}
				r.pass(min(h.ends, 100*time.Second))
				m.keepTabs(r)
				golden(r, "mockup-"+test.name+".txt", r.text()+"\n")
			})
		})
	}
}

// mockupRules are the alert rules of the mock-ups.
func mockupRules(t *testing.T) (rules []alert.Rule) {
	for _, rule := range []struct {
		text string
		is   alert.Severity
	}{{`\LogicalDisk(*)\% Free Space<15`, alert.Careful}, {`\Processor Information(_Total)\% Processor Time>85`, alert.Careful}, {`\PhysicalDisk(_Total)\Avg. Disk sec/Transfer>0.02`, alert.Warning}} {
		one, err := alert.ParseRule(rule.text)
		if err != nil {
			t.Fatal(err)
		}
		one.Severity, one.Interval = rule.is, time.Second
		if strings.Contains(rule.text, "Processor") {
			one.Need, one.Of = 60, 60
		}
		rules = append(rules, one)
	}
	return rules
}

// pair makes the histories of two counters those of a graph of both.
func (h *mockupHost) pair(upper, lower string, a area, hi float64) {
	above := (a.h + 1) / 2
	h.drawn(upper, h.graph(area{a.x, a.y, a.w, above}, 4*above, 1, hi))
	h.drawn(lower, h.graph(area{a.x, a.y + above, a.w, a.h - above}, 4*above, 1, hi))
}

// lowers makes the mean of what a graph shows another one, the dots of which show the
// larger of two samples.
func (h *mockupHost) lowers(name string, mean float64) {
	values := h.series[name]
	sum, n, seconds := 0., 0, 0
	for i, v := range values {
		if v == v {
			sum, n, seconds = sum+v, n+1, seconds+i%2
		}
	}
	by := (sum - mean*float64(n)) / float64(seconds)
	for i := range values {
		if i%2 == 1 {
			values[i] -= by
		}
	}
}

// peaks makes the highest number of a history another one.
func (h *mockupHost) peaks(name string, peak float64) {
	values, at := h.series[name], 0
	for i, v := range values {
		if v > values[at] || values[at] != values[at] {
			at = i
		}
	}
	for i, v := range values {
		if v == values[at] && i != at {
			values[i] = peak - .1
		}
	}
	values[at] = peak
}

// small feeds what the smallest mock-up draws.
func small(h *mockupHost) {
	h.drawn("Proc Time", h.graph(area{1, 2, 34, 5}, 20, 1, 100))
	for name, hi := range map[string]float64{
		"Pages/sec": 150, "Read": 100 << 20, "Write": 150 << 20, "sec/Xfer": .05, "Received": 30 << 20, "Sent": 40 << 20, "Load 1 min": 20, "Ctx Sw/sec": 100e3,
	} {
		h.sparked(name, h.sparkOf(name, 10), hi)
	}
}
