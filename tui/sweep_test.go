package tui

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/tui/canvas"
	"perfdeck/tui/layout"
)

// hostileScript is a host whose names attack the screens.
func hostileScript() fake.Script {
	counters := []fake.Counter{
		{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Walk(0, 400, 3*time.Second)},
		{Name: "Working Set", Type: cooker.CounterLargeRawCount, Is: fake.Walk(0, 9e18, 2*time.Second)},
		{Name: "Thread Count", Type: cooker.CounterRawCount, Is: fake.Walk(0, 4e9, 2*time.Second)},
		{Name: "Handle \x1b[31m Count \u202e", Type: cooker.CounterRawCountHex, Is: fake.Walk(0, 4e9, 2*time.Second)},
		{Name: strings.Repeat("Very Long Name/", 20), Type: cooker.CounterCounter, Is: fake.Walk(0, 1e9, time.Second)},
		{Name: "広い名前のカウンタ", Type: cooker.CounterRawCount, Is: fake.Const(3)},
		{Name: "Absent", Type: cooker.CounterRawCount, Absent: "not on this system"},
	}
	return fake.Script{Name: "h\x1b[2Jöst\u202e広", Sets: []fake.Set{
		{Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user", "command line"},
			Counters: counters, Rows: faketest.HostileRows()},
		{Name: "Set \x1b]0;x\x07 of 広い " + strings.Repeat("long ", 60), Instances: session.MultipleInstances,
			Counters: counters, Rows: faketest.HostileRows()},
	}}
}

// hugeScript is a host with many processes.
func hugeScript(n int) fake.Script {
	set := fake.Set{
		Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user", "command line"},
		Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Walk(0, 100, 9*time.Second)},
			{Name: "% Privileged Time", Type: cooker.Timer100ns, Is: fake.Walk(0, 100, 9*time.Second)},
			{Name: "Working Set", Type: cooker.CounterLargeRawCount, Is: fake.Walk(1e6, 9e9, 9*time.Second)},
			{Name: "Thread Count", Type: cooker.CounterRawCount, Is: fake.Walk(1, 90, 9*time.Second)},
		},
	}
	for i := range n {
		set.Rows = append(set.Rows, fake.Row{
			Name: fmt.Sprintf("worker-%d", i%97), Number: uint64(1000 + i), Owner: uint64(1000 + i/7),
			Facts: []string{"user" + fmt.Sprint(i%5), fmt.Sprintf("/usr/bin/worker --number=%d --and-more", i)},
		})
	}
	return fake.Script{Sets: []fake.Set{set}}
}

// sweepData are what the screens are swept with.
var sweepData = []struct {
	name    string
	hosts   func(*clocktest.Clock) []fake.Host
	samples int
	paths   []string
	coarse  bool
}{
	{name: "no answer yet", samples: -1},
	{name: "first sample", samples: 0},
	{name: "demo", samples: 40},
	{name: "refused", samples: 3, hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[1:2] }, coarse: true},
	{name: "abreast", samples: 20, hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c) }},
	{name: "huge", samples: 5, hosts: script(hugeScript(2000)), coarse: true,
		paths: []string{`\Process(*)\% Processor Time`, `\Process(worker-1#3)\Working Set`}},
	{name: "hostile", samples: 9, hosts: script(hostileScript()),
		paths: []string{`\Process(*)\*`, `\Process(nobody)\Thread Count`}},
}

// sweepScreens open the screens and dialogs, one after the other.
var sweepScreens = []struct {
	name string
	keys []string
	text string
}{
	{name: "deck"},
	{name: "deck, last row", keys: []string{"G"}},
	{name: "zoomed", keys: []string{"z"}},
	{name: "explain", keys: []string{"z", "g", "x"}},
	{name: "explain, scrolled", keys: []string{"j", "j", "j"}},
	{name: "top", keys: []string{"esc", "3"}},
	{name: "tree", keys: []string{"v", "G"}},
	{name: "top, another column", keys: []string{"v", "g", "l", "l", "s"}},
	{name: "filter", keys: []string{"/"}, text: "a or cpu>0"},
	{name: "filtered", keys: []string{"enter"}},
	{name: "help", keys: []string{"?"}},
	{name: "help, scrolled", keys: []string{"pgdown", "down"}},
	{name: "counter", keys: []string{"esc", "esc", "1", "a"}, text: "t"},
	{name: "counter, an error", keys: []string{"pgdown"}, text: ""},
	{name: "interval", keys: []string{"esc", "i"}, text: strings.Repeat("9", 200)},
	{name: "interval, an error", keys: []string{"enter"}},
	{name: "a message", keys: []string{"esc", "R"}},
	{name: "graphs", keys: []string{"v"}},
	{name: "layout mode", keys: []string{"v", "L", "right", "J"}},
	{name: "own layout", keys: []string{"enter"}},
	{name: "own layout, zoomed", keys: []string{"z"}},
	{name: "menu", keys: []string{"z", "m"}},
	{name: "decks", keys: []string{"esc", "D"}},
	{name: "palette", keys: []string{"esc", ":"}},
	{name: "palette, searched", text: "p"},
	{name: "palette, other actions", keys: []string{"tab"}},
	{name: "columns", keys: []string{"esc", "esc", "3", "o"}},
	{name: "columns, changed", keys: []string{"down", "space", "right", "+"}},
	{name: "signal", keys: []string{"esc", "ctrl+k"}},
	{name: "chart, empty", keys: []string{"esc", "5"}},
	{name: "chart", keys: []string{"1", "c", "1", "j", "c", "1", "j", "c"}},
	{name: "chart, area", keys: []string{"v"}},
	{name: "chart, stacked", keys: []string{"v"}},
	{name: "chart, bars", keys: []string{"v"}},
	{name: "chart, report", keys: []string{"v"}},
	{name: "chart, cursor", keys: []string{"v", "h", "h", "("}},
	{name: "deck of the past", keys: []string{"1"}},
	{name: "top of the past", keys: []string{"3"}},
	{name: "explain the past", keys: []string{"x"}},
	{name: "browser", keys: []string{"esc", ".", "4"}},
	{name: "browser, searched", keys: []string{"/"}, text: "pr"},
	{name: "browser, chosen", keys: []string{"enter", "l", "l", "space"}},
	{name: "fleet", keys: []string{"esc", "2"}},
	{name: "hosts", keys: []string{"7"}},
	{name: "log", keys: []string{"8"}},
	{name: "go to", keys: []string{"@"}, text: "99:99"},
	{name: "go to, an error", keys: []string{"enter"}},
}

// sweepSizes are the sizes at which a screen is drawn: the edges of the layouts
// and some between them, few of those in short runs. PERFDECK_SWEEP=1 takes many more,
// for minutes.
func sweepSizes(coarse bool) (sizes [][2]int) {
	stepW, stepH, far := 9, 6, 60
	if coarse {
		stepW, stepH, far = 20, 12, 130
	}
	if testing.Short() {
		stepW, stepH, far = 30, 12, 300
	}
	if os.Getenv("PERFDECK_SWEEP") != "" {
		stepW, stepH, far = 1, 1, 13
	}
	for w := layout.MinWidth; w <= 60; w += stepW {
		for h := layout.MinHeight; h <= 24; h += stepH {
			sizes = append(sizes, [2]int{w, h})
		}
	}
	for w := 61; w <= 300; w += far {
		sizes = append(sizes, [2]int{w, 30})
	}
	for i, w := range []int{79, 95, 113, 172, 300} { // where the layout changes
		if !testing.Short() || i%2 == 0 {
			sizes = append(sizes, [2]int{w, 24})
		}
	}
	return append(sizes, [2]int{300, 100})
}

// Every screen and dialog at every size: rows are as wide as the terminal,
// nothing but printable characters, of the glyph set where it is ASCII, and the
// frame is there.
func TestSweep(t *testing.T) {
	for _, glyphs := range []struct {
		name string
		set  canvas.GlyphSet
	}{{"full", canvas.Full}, {"console", canvas.Console}, {"ascii", canvas.ASCII}} {
		for _, d := range sweepData {
			if testing.Short() && glyphs.set != canvas.Full && d.name != "hostile" {
				continue
			}
			t.Run(glyphs.name+"/"+d.name, func(t *testing.T) {
				onScreens(t, rigOptions{hosts: d.hosts, paths: d.paths, glyphs: glyphs.set}, func(r *rig) {
					if d.samples >= 0 {
						r.begin(d.samples)
					}
					sizes := sweepSizes(d.coarse || glyphs.set != canvas.Full)
					for _, s := range sweepScreens {
						r.send(resized{120, 36})
						r.press(s.keys...)
						r.write(s.text)
						for _, size := range sizes {
							r.root.resize(size[0], size[1])
							r.root.draw()
							if !r.isSound(s.name, size[0], size[1]) {
								return
							}
						}
					}
				})
			})
		}
	}
}

// isSound checks what holds for every screen.
func (r *rig) isSound(name string, w, h int) bool {
	r.Helper()
	ascii := r.root.canvas.Glyphs() == canvas.ASCII
	rows := r.rows()
	for y, row := range rows {
		if n := r.root.canvas.Glyphs().TextWidth(row); n != w {
			r.Errorf("%s at %dx%d: row %d takes %d cells", name, w, h, y, n)
			return false
		}
		for _, c := range row {
			if c < ' ' || c >= 0x7f && c < 0xa0 || c == 0x202e || c == 0x2028 || c == 0x200b || ascii && c > 0x7e {
				r.Errorf("%s at %dx%d: %q in row %d: %s", name, w, h, c, y, row)
				return false
			}
		}
	}
	if w < layout.MinWidth || h < layout.MinHeight {
		return true
	}
	if strings.TrimSpace(rows[0]) == "" && len(r.root.dialogs) == 0 || strings.TrimSpace(rows[h-1]) == "" {
		r.Errorf("%s at %dx%d: no header or no hints:\n%s", name, w, h, r.text())
		return false
	}
	return true
}

// Under the smallest size there is one clear line, whatever the screen, and
// growing again brings the screen back.
func TestTooSmall(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.press("?")
		before := r.text()
		for w := range 61 {
			for h := range 25 {
				if w >= layout.MinWidth && h >= layout.MinHeight {
					continue
				}
				r.root.resize(w, h)
				r.root.draw()
				if !r.isSound("too small", w, h) {
					return
				}
				if w >= 20 && h >= 1 && !strings.Contains(r.text(), "too small") {
					r.Fatalf("%dx%d says\n%s", w, h, r.text())
				}
			}
		}
		r.send(resized{1, 1})
		r.send(resized{120, 36})
		if after := r.text(); after != before {
			r.Errorf("after 1x1 the screen is\n%s\nwant\n%s", after, before)
		}
		r.send(resized{10, 3})
		r.press("j", "x", "?")
		if r.quit {
			r.Error("a key that means nothing there ended the program")
		}
		r.press("q")
		if !r.quit {
			r.Error("q does not quit a terminal that is too small")
		}
	})
}
