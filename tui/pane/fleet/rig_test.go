package fleet

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

var start = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// rig is the screen on scripted hosts, with a clock that the test moves.
type rig struct {
	testing.TB
	clock  *fake.Clock
	desk   *pane.Desk
	screen *Screen
	canvas *canvas.Canvas
	hits   pane.Hits
	sent   []tea.Msg // by the screen, newest last
	asked  map[*pane.Host]int
}

// scripted is a host of a rig.
type scripted struct {
	name   string
	groups []string
	cpu    fake.Motion
	mem    float64
	disk   float64 // seconds
	net    float64 // bytes per second, of each of two interfaces
	faults []fake.Fault
	sets   []fake.Set // instead of all that
}

func (h scripted) script() fake.Script {
	if h.sets != nil {
		return fake.Script{Name: h.name, Sets: h.sets, Faults: h.faults}
	}
	if h.cpu == nil {
		h.cpu = fake.Const(10)
	}
	return fake.Script{Name: h.name, Faults: h.faults, Up: 41 * 24 * time.Hour, Sets: []fake.Set{
		{Name: "Processor Information", GUID: "{b4fc721a-0378-476f-89ba-a5a79f810b36}", Instances: session.MultipleAggregate,
			Counters: []fake.Counter{{Name: "% Processor Time", Type: cooker.Timer100ns, Is: h.cpu, Mean: true}},
			Rows:     []fake.Row{{Name: "0,0"}, {Name: "0,1"}, {Name: "0,_Total", Flags: session.FlagTotal}, {Name: "_Total", Flags: session.FlagTotal}}},
		{Name: "Memory", V1Index: 4, Counters: []fake.Counter{
			{Name: "Available MBytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(2048)},
			{Name: "% Committed Bytes In Use", Type: cooker.LargeRawFraction, Is: fake.Const(h.mem)},
			{Name: "Pages/sec", Type: cooker.CounterCounter, Is: fake.Const(7)},
		}},
		{Name: "PhysicalDisk", V1Index: 234, Instances: session.MultipleAggregate,
			Counters: []fake.Counter{{Name: "Avg. Disk sec/Transfer", Type: cooker.AverageTimer, Is: fake.Const(h.disk), Mean: true}},
			Rows:     []fake.Row{{Name: "0 C:", Times: 0.5}, {Name: "1 D:", Times: 1.5}, {Name: "_Total", Flags: session.FlagTotal}}},
		{Name: "Network Interface", V1Index: 510, Instances: session.MultipleInstances,
			Counters: []fake.Counter{{Name: "Bytes Total/sec", Type: cooker.CounterBulkCount, Is: fake.Const(h.net)}},
			Rows:     []fake.Row{{Name: "eth0"}, {Name: "eth1", Times: 3}}},
		{Name: "System", V1Index: 2, Counters: []fake.Counter{
			{Name: "Processor Queue Length", Type: cooker.CounterRawCount, Is: fake.Const(3)},
			{Name: "System Up Time", Type: cooker.ElapsedTime},
		}},
	}}
}

// onFleet runs a test on a rig in a bubble, which fails the test if a goroutine
// is left behind.
func onFleet(t *testing.T, hosts []scripted, w, h int, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, end := newRig(t, hosts, w, h, synctest.Wait)
		defer end()
		test(r)
	})
}

func newRig(t testing.TB, hosts []scripted, w, h int, settle func()) (r *rig, end func()) {
	clock := fake.NewClock(start, settle)
	r = &rig{TB: t, clock: clock, canvas: canvas.New(w, h, canvas.Full), asked: map[*pane.Host]int{}}
	r.desk = &pane.Desk{Now: func() time.Time { return clock.Now().Wall }, Journal: &pane.Journal{}}
	ctx, cancel := context.WithCancel(context.Background())
	var ended []chan struct{}
	for _, h := range hosts {
		done := make(chan struct{})
		ended = append(ended, done)
		r.add(ctx, h, done)
	}
	r.screen = New(r.desk)
	return r, func() {
		cancel()
		for _, d := range ended {
			<-d
		}
	}
}

func (r *rig) add(ctx context.Context, h scripted, done chan struct{}) {
	s := session.NewSampler(h.name, fake.New(h.script(), r.clock), r.clock)
	feed := s.Feed(session.FeedOptions{Every: time.Second, History: 2 * time.Minute})
	r.desk.Hosts = append(r.desk.Hosts, &pane.Host{Name: h.name, Groups: h.groups, Sampler: s, Feed: feed})
	go func() { defer close(done); s.Run(ctx) }()
}

// deliver hands over the newest snapshots, asks for what the screen wants and
// draws it.
func (r *rig) deliver() {
	for _, h := range r.desk.Hosts {
		if h.Sampler.Catalogue() != nil && r.asked[h] == 0 {
			r.asked[h]++
			h.Feed.Ask(r.screen.Asks(h))
		}
		select {
		case <-h.Feed.Ready():
			if snap := h.Feed.Take(); snap != nil {
				h.Snap.Release()
				h.Snap = snap
				r.screen.Snapshot(h)
			}
		default:
		}
	}
	r.draw()
	if r.screen.AskStale() {
		for _, h := range r.desk.Hosts {
			r.asked[h]++
			h.Feed.Ask(r.screen.Asks(h))
		}
	}
	r.clock.Advance(0)
}

func (r *rig) draw() {
	r.hits.Reset()
	r.canvas.Clear(0)
	r.screen.Draw(pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits})
}

// pass lets n seconds pass, one by one.
func (r *rig) pass(n int) {
	for range n {
		r.clock.Advance(time.Second)
		r.deliver()
	}
}

// begin connects the hosts and takes n samples.
func (r *rig) begin(n int) {
	r.clock.Advance(0)
	r.deliver()
	r.deliver()
	r.pass(n)
}

func (r *rig) press(names ...string) {
	r.Helper()
	for _, k := range names {
		b := keys.Match(k, r.screen.Bindings())
		if b == nil {
			r.Fatalf("%s means nothing", k)
		}
		if ok, _ := b.Applies(); ok {
			r.run(b.Do())
		}
		r.draw()
	}
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd != nil {
		r.sent = append(r.sent, cmd())
	}
}

// write types into the dialog that was asked for, letter by letter, and accepts
// it. It returns the last complaint.
func (r *rig) write(text string) (complaint error) {
	ask, ok := r.last().(pane.AskText)
	if !ok {
		r.Fatalf("no dialog was asked for, but %#v", r.last())
	}
	for i := range text {
		if ask.Each != nil {
			complaint = ask.Each(text[:i+1])
		}
		r.draw()
	}
	if ask.Done != nil {
		if complaint = ask.Done(text); complaint != nil {
			return complaint
		}
	}
	if ask.Then != nil {
		r.run(ask.Then())
	}
	r.draw()
	return complaint
}

func (r *rig) last() tea.Msg {
	if len(r.sent) == 0 {
		return nil
	}
	return r.sent[len(r.sent)-1]
}

func (r *rig) click(text string) {
	r.Helper()
	for y, row := range r.canvas.Rows() {
		if i := strings.Index(row, text); i >= 0 {
			r.clickAt(utf8.RuneCountInString(row[:i]), y)
			return
		}
	}
	r.Fatalf("%q is not shown:\n%s", text, r.canvas)
}

func (r *rig) clickAt(x, y int) {
	hit, _ := r.hits.Get(r.canvas.Hit(x, y))
	r.run(r.screen.Click(hit, tea.MouseLeft))
	r.draw()
}

func (r *rig) shows(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if !strings.Contains(r.canvas.String(), text) {
			r.Errorf("%q is not shown:\n%s", text, r.canvas)
		}
	}
}

func (r *rig) hides(texts ...string) {
	r.Helper()
	for _, text := range texts {
		if strings.Contains(r.canvas.String(), text) {
			r.Errorf("%q is shown:\n%s", text, r.canvas)
		}
	}
}

// row is the first line of the list that holds the text.
func (r *rig) row(text string) string {
	for _, row := range r.canvas.Rows()[r.screen.places.list.Y:] {
		if strings.Contains(row, text) {
			return row
		}
	}
	return ""
}

// listed are the names of the hosts in the order of the list.
func (r *rig) listed() []string {
	var out []string
	for _, l := range r.screen.order {
		out = append(out, l.host.Name)
	}
	return out
}

// fleetOf is n hosts in five sites, with loads that differ.
func fleetOf(n int) []scripted {
	sites := []string{"ams", "dub", "fra", "nyc", "sgp"}
	kinds := []string{"sql", "web", "app", "ad", "fs"}
	var out []scripted
	for i := range n {
		site := sites[i%len(sites)]
		at := i / len(sites)
		h := scripted{
			name:   fmt.Sprintf("%s-%s-%02d", site, kinds[at%len(kinds)], at/len(kinds)+1),
			groups: []string{site, kinds[at%len(kinds)]},
			cpu:    fake.Walk(2+float64(i*37%60), 8+float64(i*41%90), 20*time.Second),
			mem:    20 + float64(i*13%75), disk: 0.0003 + float64(i*7%40)*0.0001, net: float64(1+i*11%90) * 1e5,
		}
		switch i {
		case 37:
			h.faults = []fake.Fault{{Window: fake.Window{From: 20 * time.Second}, Err: &session.HostError{
				Host: h.name, Op: "collect counters", Err: fmt.Errorf("dial tcp 10.0.2.7:445: connect: connection refused"),
				Advice: "start the service Remote Registry on " + h.name}}}
		case 82:
			h.faults = []fake.Fault{{Err: fake.Denied(h.name)}}
		case 62:
			h.faults = []fake.Fault{{Window: fake.Window{From: 75 * time.Second}, Latency: time.Hour}}
		}
		out = append(out, h)
	}
	return out
}

// judge is a Trouble by the names of hosts.
type judge map[string]pane.Level

func (j judge) Worst(h *pane.Host) (level pane.Level, counts [3]int) {
	level = j[h.Name]
	if level > pane.Info {
		counts[level-1] = 1
	}
	return level, counts
}

// sizes at which the screen is swept.
func sizes(step int) [][2]int {
	var out [][2]int
	for w := 1; w <= 70; w += step {
		for h := 1; h <= 36; h += 1 + step/2 {
			out = append(out, [2]int{w, h})
		}
	}
	for _, w := range []int{79, 80, 100, 117, 118, 119, 120, 160, 177, 178, 200, 237, 238, 300} {
		for _, h := range []int{1, 2, 3, 6, 10, 17, 18, 19, 24, 27, 28, 29, 34, 60, 100} {
			out = append(out, [2]int{w, h})
		}
	}
	return out
}

// sound checks what holds at every size: rows are as wide as the screen, with
// nothing that steers a terminal, and nothing is drawn outside.
func (r *rig) sound(w, h int, glyphs canvas.GlyphSet) {
	r.Helper()
	const mark = '\u2591'
	r.canvas.SetGlyphs(canvas.Full)
	r.canvas.Resize(w+4, h+4)
	r.canvas.Root().Fill(0, 0, w+4, h+4, mark, 0)
	r.canvas.SetGlyphs(glyphs)
	r.hits.Reset()
	f := pane.Frame{Region: r.canvas.Root(), Now: r.desk.Now(), Hits: &r.hits}.At(layout.Rect{X: 2, Y: 2, W: w, H: h})
	f.Clear(0)
	r.screen.Draw(f)
	for y := range h + 4 {
		for x := range w + 4 {
			c := r.canvas.At(x, y)
			inside := x >= 2 && x < w+2 && y >= 2 && y < h+2
			switch {
			case !inside && c.Rune != mark:
				r.Fatalf("%dx%d: %q is drawn outside, at %d,%d:\n%s", w, h, c.Rune, x-2, y-2, r.canvas)
			case inside && (c.Rune != 0 && c.Rune < ' ' || c.Rune >= 0x7f && c.Rune < 0xa0 || c.Rune == mark || glyphs == canvas.ASCII && c.Rune > 0x7e):
				r.Fatalf("%dx%d: %q is drawn at %d,%d:\n%s", w, h, c.Rune, x-2, y-2, r.canvas)
			}
		}
	}
}

func hostNamed(name string) *pane.Host { return &pane.Host{Name: name, Groups: []string{"fra"}} }
