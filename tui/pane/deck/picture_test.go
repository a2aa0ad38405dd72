package deck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// restless is a host on which everything happens: values move, processes come and
// go, a set cannot be read for a while, and the host is silent for a while.
func restless(n int) fake.Script {
	s := fake.Script{Name: fmt.Sprint("host", n), Seed: uint64(n)}
	process := fake.Set{
		Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user"},
		Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Walk(0, 90, 9*time.Second)},
			{Name: "Thread Count", Type: cooker.CounterRawCount, Is: fake.Walk(1, 40, 20*time.Second)},
		},
	}
	for i := range 4 + 3*n {
		process.Rows = append(process.Rows, fake.Row{
			Name: fmt.Sprint("worker-", i%5), Number: uint64(100 + i),
			Alive: fake.Window{From: time.Duration(i) * time.Second, To: time.Duration(7+3*i) * time.Second, Every: time.Minute},
		})
	}
	disk := fake.Set{Name: "PhysicalDisk", Instances: session.MultipleInstances, Counters: []fake.Counter{
		{Name: "Disk Bytes/sec", Type: cooker.CounterCounter, Is: fake.Walk(10, 1e7, 5*time.Second)},
		{Name: "Current Disk Queue Length", Type: cooker.CounterRawCount, Is: fake.Walk(0, 9, 5*time.Second)},
	}, Rows: []fake.Row{{Name: "0 C:"}, {Name: "1 D:"}, {Name: "_Total", Flags: session.FlagTotal}}}
	s.Sets = []fake.Set{process, disk, {Name: "Memory", Counters: []fake.Counter{
		{Name: "Available MBytes", Type: cooker.CounterRawCount, Is: fake.Sine(5000, 4000, 20*time.Second)},
		{Name: "Cache Bytes", Type: cooker.CounterRawCount, Is: fake.Ramp(1, 5e6)},
	}}, {Name: "System", Counters: []fake.Counter{
		{Name: "Processor Queue Length", Type: cooker.CounterRawCount, Is: fake.Walk(0, 9, 7*time.Second)},
	}}}
	every := 50 * time.Second
	s.Faults = []fake.Fault{
		{Window: fake.Window{From: 15 * time.Second, To: 18 * time.Second, Every: every}, Set: "PhysicalDisk", Err: errors.New("the provider is gone")},
		{Window: fake.Window{From: time.Duration(20+5*n) * time.Second, To: time.Duration(34+3*n) * time.Second, Every: every}, Err: errors.New("read: connection refused")},
	}
	return s
}

// decks are all there are in the book.
func (r *rig) decks() []*Deck {
	out := append([]*Deck(nil), r.book.named...)
	for _, d := range r.book.own {
		out = append(out, d)
	}
	out = append(out, r.book.all.decks...)
	for _, o := range r.book.above {
		if a, is := o.sheet.(*Abreast); is {
			out = append(out, a.decks...)
		}
	}
	return out
}

// pictures are all that are kept.
func (r *rig) pictures() []*picture {
	var out []*picture
	for _, d := range r.decks() {
		for _, b := range d.panes {
			out = append(out, &b.picture)
		}
	}
	return out
}

// checkPictures draws with the pictures that are kept, and without any, and
// compares each cell and what lies under it.
func (r *rig) checkPictures(after string) {
	r.Helper()
	show := func(c *canvas.Canvas, hits *pane.Hits) {
		r.book.Draw(pane.Frame{Region: c.Root(), Now: r.Desk.Now(), Hits: hits, Wipe: r.Desk.Wipe})
	}
	r.Clock.Advance(0) // hosts come to rest
	r.Hits.Reset()
	r.Canvas.Clear(0)
	show(r.Canvas, &r.Hits)
	w, h := r.Canvas.Size()
	var kept []picture
	for _, p := range r.pictures() {
		kept = append(kept, *p)
		*p = picture{}
	}
	anew, hits := canvas.New(w, h, r.Canvas.Glyphs()), pane.Hits{}
	show(anew, &hits)
	for i, p := range r.pictures() {
		*p = kept[i]
	}
	for y := range h {
		for x := range w {
			got, want := r.Canvas.At(x, y), anew.At(x, y)
			hit, _ := r.HitAt(x, y)
			wanted, _ := hits.Get(anew.Hit(x, y))
			if got != want || hit != wanted {
				r.Fatalf("after %s cell %d,%d of %dx%d is %q %v over %v, drawn anew %q %v over %v\n%s\nwant\n%s",
					after, x, y, w, h, got.Rune, got.Style, hit, want.Rune, want.Style, wanted, r.Text(), anew)
			}
		}
	}
}

// takeOf gives the screen the newest snapshot of one host.
func (r *rig) takeOf(h *pane.Host) {
	h.Feed.Ask(r.book.Asks(h))
	if snap := h.Feed.Take(); snap != nil {
		h.Snap.Release()
		h.Snap = snap
		r.book.Snapshot(h)
	}
}

// someone does what users and hosts do, at random.
type someone struct {
	*rand.Rand
	*rig

	numbers *pane.Numbers
	hosts   int
}

// act does one thing and tells which.
func (s *someone) act() string {
	r, hosts := s.rig, s.Desk.Hosts
	one := func() *pane.Host { return hosts[s.IntN(len(hosts))] }
	w, h := r.Canvas.Size()
	switch k := s.IntN(20); k {
	case 0, 1, 2, 3, 4, 5:
		list := r.book.Bindings()
		name := list[s.IntN(len(list))].Keys.First()
		if b := keys.Match(name, list); name != "D" && name != "W" {
			if ok, _ := b.Applies(); ok {
				r.Run(b.Do)
			}
		}
		return "key " + name
	case 6:
		x, y := s.IntN(w), s.IntN(h)
		hit, _ := r.HitAt(x, y)
		r.Run(func() { r.book.Click(hit, tea.MouseLeft) })
		r.book.Grip(hit, x, y)
		r.Run(func() { r.book.Drag(hit, s.IntN(w), s.IntN(h), s.IntN(2) == 0) })
		return "click"
	case 7:
		hit, _ := r.HitAt(s.IntN(w), s.IntN(h))
		r.book.Wheel(hit, s.IntN(7)-3)
		return "wheel"
	case 8:
		r.Canvas.Resize(30+s.IntN(180), 4+s.IntN(60))
		return "resize"
	case 9:
		r.Canvas.SetGlyphs(canvas.GlyphSet(s.IntN(3)))
		return "glyphs"
	case 10, 11, 12:
		r.Clock.Advance(time.Duration(1+s.IntN(3)) * time.Second)
		r.takeOf(one())
		return "snapshot of one host"
	case 13:
		r.Clock.Advance(time.Second)
		return "a second"
	case 14:
		r.Desk.At = time.Time{}
		if s.IntN(2) == 0 {
			r.Desk.At = r.Desk.Now().Add(-time.Duration(s.IntN(60)) * time.Second)
		}
		return "another moment"
	case 15:
		r.Desk.Wipe = !r.Desk.Wipe
		return "wipe"
	case 16:
		digits, scale := s.IntN(4)-1, s.IntN(2)
		s.numbers.Replace(&pane.Numbers{Looks: func(*session.Counterset, *session.Counter) session.Look {
			return session.Look{Format: cooker.Format{Digits: digits, Scale: scale}}
		}})
		return "numbers"
	case 17:
		if t := r.book.Selected(); len(t) > 0 && t[0].IsValue() {
			r.Desk.Kept.SetLook(session.SavedLook{Path: pane.LookPath(t[0].Set, t[0].Counter), Colour: s.IntN(5)})
		}
		return "colour"
	case 18:
		_ = r.book.Add(one(), []string{threads, available, `\PhysicalDisk(*)\Disk Bytes/sec`, `\PhysicalDisk(*)\Current Disk Queue Length`}[s.IntN(4)])
		return "add"
	}
	return s.change(one())
}

// change changes which deck is shown, or which hosts there are.
func (s *someone) change(h *pane.Host) string {
	r := s.rig
	switch s.IntN(8) {
	case 0:
		r.book.OpenNamed("night")
	case 1:
		r.book.Open(h, false)
	case 2:
		if len(r.Desk.Hosts) > 2 {
			r.book.OpenHosts(r.Desk.Hosts[:2])
		}
	case 3:
		r.book.Back()
	case 4:
		r.book.Turn(1)
	case 5:
		if n := len(r.Undos); n > 0 {
			r.Run(r.Undos[n-1])
			r.Undos = r.Undos[:n-1]
		}
		return "undo"
	case 6:
		if len(r.Desk.Hosts) > 1 {
			r.leaves(s.IntN(len(r.Desk.Hosts)))
		}
		return "a host leaves"
	case 7:
		if len(r.Desk.Hosts) < 5 {
			s.hosts++
			r.comes(restless(s.hosts))
		}
		return "a host comes"
	}
	return "another deck"
}

// Panes that are not drawn again look as if they were, whatever happens.
func TestPicturesAreUpToDate(t *testing.T) {
	for seed := range uint64(12) {
		synctest.Test(t, func(t *testing.T) {
			s := someone{Rand: rand.New(rand.NewPCG(seed, 6)), numbers: pane.DefaultNumbers(), hosts: 4}
			s.rig = newRig(t, 120, 36, nil, synctest.Wait)
			r := s.rig
			watch := alert.NewWatch(alert.Options{Clock: r.Clock, Rules: []alert.Rule{
				ruleOf(t, available+"<4000"), ruleOf(t, `\Process(*)\Thread Count>20`), ruleOf(t, `\PhysicalDisk(*)\Current Disk Queue Length>5`),
			}})
			r.Desk.Numbers, r.Desk.Alerts = s.numbers, watch
			for n := range s.hosts {
				h := r.host(restless(n))
				watch.Add(h.Name, h.Sampler.(*session.Sampler))
			}
			r.Go(watch.Run)
			r.book = NewBook(r.Desk)
			r.Show(r.book)
			r.book.Offer([]session.Deck{named("night", "host0", "host2", "nobody")})
			r.Clock.Advance(0)
			for _, h := range r.Desk.Hosts {
				r.book.Load(h, nil)
			}
			fired := false
			for step := range 150 {
				r.checkPictures(fmt.Sprintf("step %d of %d: %s", step, seed, s.act()))
				fired = fired || len(watch.Board().Active) > 0
			}
			if !fired {
				t.Errorf("seed %d: no alert fired", seed)
			}
		})
	}
}

func ruleOf(t *testing.T, text string) alert.Rule {
	rule, err := alert.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return rule
}

// stained is a rune that no pane draws.
const stained = '¤'

// drawn does something and counts the panes that are drawn again because of it.
func (r *rig) drawn(do func()) int {
	r.Draw()
	for _, p := range r.pictures() {
		if p.canvas != nil {
			p.canvas.Root().Fill(0, 0, p.of.w, p.of.h, stained, 0)
		}
	}
	do()
	r.Draw()
	n := 0
	for _, p := range r.pictures() {
		if p.canvas == nil {
			continue
		}
		if p.canvas.At(0, 0).Rune != stained {
			n++
		}
		*p = picture{} // the next one begins clean
	}
	return n
}

// Only what changed is drawn again.
func TestUnchangedPanesAreNotDrawn(t *testing.T) {
	press := func(r *rig, name string) func() {
		return func() { r.Run(func() { keys.Match(name, r.book.Bindings()).Do() }) }
	}
	scripts := []fake.Script{restless(0), restless(1), restless(2), restless(3)}
	onDeck(t, 160, 48, scripts, func(r *rig) {
		r.pass(5)
		for _, c := range []struct {
			what string
			do   func()
			want int
		}{
			{"nothing", func() {}, 0},
			{"a second", func() { r.Clock.Advance(time.Second) }, 0},
			{"a snapshot of one of four hosts", func() { r.takeOf(r.Desk.Hosts[2]) }, 5},
			{"the selection moves", press(r, "j"), 1},
			{"the next host", press(r, "tab"), 10},
			{"a mark", press(r, "space"), 1},
			{"another moment", func() { r.Desk.At = r.Desk.Now().Add(-3 * time.Second) }, 20},
		} {
			if got := r.drawn(c.do); got != c.want {
				t.Errorf("%s: %d of 20 panes are drawn again, want %d", c.what, got, c.want)
			}
		}
	})
	onDeck(t, 160, 48, scripts[:1], func(r *rig) {
		r.pass(5)
		n := len(r.book.Own(r.Desk.Hosts[0]).panes)
		for _, c := range []struct {
			what string
			do   func()
			want int
		}{
			{"nothing", func() {}, 0},
			{"the selection moves", press(r, "j"), 1},
			{"the next pane", press(r, "tab"), 2},
			{"a new snapshot", func() { r.Clock.Advance(time.Second); r.takeOf(r.Desk.Hosts[0]) }, n},
		} {
			if got := r.drawn(c.do); got != c.want || n < 3 {
				t.Errorf("%s: %d of %d panes are drawn again, want %d", c.what, got, n, c.want)
			}
		}
	})
}

// Where a computer talks to itself alone the pane of its interfaces says whom it leaves out.
func TestTrafficOfLoAlone(t *testing.T) {
	m := quiet("one")
	m.received, m.sent = fake.Const(0), fake.Const(0)
	s := m.script()
	for i := range s.Sets {
		if set := &s.Sets[i]; set.Name == "Network Interface" {
			busy := map[string]fake.Motion{"Bytes Received/sec": fake.Const(4 * mega), "Bytes Sent/sec": fake.Const(4 * mega)}
			set.Rows = append(set.Rows, fake.Row{Name: "lo", Flags: session.FlagBackground, Is: busy})
		}
	}
	for _, size := range [][2]int{{80, 22}, {120, 34}, {200, 58}} {
		onDeck(t, size[0], size[1], []fake.Script{s}, func(r *rig) {
			r.pass(5)
			r.Draw()
			if row := r.Row("Network Interface"); !strings.Contains(row, "without lo") {
				t.Errorf("%v: %s", size, row)
			}
		})
	}
	onDeck(t, 120, 34, []fake.Script{quiet("one").script()}, func(r *rig) {
		r.pass(5)
		r.Draw()
		r.Hides("without")
	})
}

// The title of cells that has no room for the whole name of their counter has its short one.
func TestTitleOfCells(t *testing.T) {
	script := quiet("one").script()
	script.Sets = append(script.Sets, fake.Set{
		Name: "Pressure Stall Information", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "cpu"}, {Name: "io"}},
		Counters: []fake.Counter{percentOf("% Some Stall Time", fake.Const(3))},
	})
	for w, want := range map[int]string{120: " Some Stall ─", 200: " % Some Stall Time ─"} {
		onDeck(t, w, 58, []fake.Script{script}, func(r *rig) {
			r.pass(3)
			r.Shows("Pressure Stall Information" + want)
		})
	}
}

// A counterset without instances says so, whatever it is drawn as.
func TestNoInstances(t *testing.T) {
	for _, kind := range []string{"", "table", "rows"} {
		script := fake.Script{Name: "one", Sets: []fake.Set{{
			Name: "Paging File", Instances: session.MultipleInstances, Counters: []fake.Counter{percentOf("% Usage", fake.Const(3))},
		}}}
		onDeck(t, 80, 24, []fake.Script{script}, func(r *rig) {
			r.book.own[r.Desk.Hosts[0]].Load([]session.DeckPane{{Paths: []string{`\Paging File(*)\% Usage`}, Kind: kind}})
			r.pass(3)
			r.Draw()
			r.Shows("no swap is in use")
			r.Hides("pending")
		})
	}
}

// Titles of bars are whole: what they are of, how much the selected one is, and the names of rows
// beside them, which say in short what they count.
func TestTitlesOfBars(t *testing.T) {
	for cpus, c := range map[int]struct {
		list  []string
		shows []string
	}{
		8:  {nil, []string{"─ each ──"}},
		36: {[]string{`\Processor Information(*)\% Processor Time`, `\Memory\Available Bytes`, `\System\Processor Queue Length`, `\Process(*)\% Processor Time`}, []string{"━ Processor ► 0,0 12.5 % ━", "  Queue Len  "}},
	} {
		m := quiet("one")
		m.cpus = cpus
		onDeck(t, 80, 22, nil, func(r *rig) {
			r.comes(m.script(), c.list...)
			r.pass(3)
			r.Shows(c.shows...)
		})
	}
}
