package alerts

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/session/text/field"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// still is alerts that do what a test says and stand still.
type still struct{ board *alert.Board }

func (s *still) Board() *alert.Board                             { return s.board }
func (s *still) Acknowledge(_ string, ids ...alert.ID) int       { return len(ids) }
func (s *still) Mute(by string, scope alert.Scope, at time.Time) {}
func (s *still) Enable(by, rule string, on bool) error           { return nil }
func (s *still) Around(uint64) (alert.Past, bool)                { return alert.Past{}, false }
func (s *still) Put(by string, r alert.Rule) error               { return nil }
func (s *still) Remove(by, rule string) error                    { return nil }

// picture is a board with so many of everything, with names of a list.
func picture(names []string, rules, active, events int) (*alert.Board, []*pane.Host) {
	name := func(i int) string { return names[i%len(names)] }
	set := &session.Counterset{Name: name(1), Instances: session.MultipleInstances}
	for i := range 9 {
		typ := cooker.CounterRawCount
		if i == 8 {
			typ = cooker.CounterRawCountHex
		}
		set.Counters = append(set.Counters, session.Counter{Name: fmt.Sprint(name(i), i), Type: typ, Quantity: cooker.Quantity{Kind: cooker.QuantityKind(i % 7)}})
	}
	live := &panetest.Stand{Is: session.HostState{Phase: session.Live}, Knows: &session.Catalogue{Sets: []*session.Counterset{set}}}
	hosts := []*pane.Host{{Name: name(0), Sampler: live}, {Name: name(0) + "2", Sampler: live}}
	values := []float64{0, 1, -5, 93.1, 1e12, math.MaxFloat64, 1e-30, 0x1f}
	b := &alert.Board{}
	level := 5.0
	for i := range rules {
		r := alert.Rule{Name: fmt.Sprint(name(i), " ", i), Severity: alert.Severity(i % 3), Kind: alert.Kind(i % 3), Disabled: i%7 == 3, Why: name(i), Text: name(i + 1),
			When: paths.Alert{Path: paths.Of("", name(1), "", name(i+2), i%2, fmt.Sprint(name(i%9), i%9)), Op: []paths.Op{'<', '>'}[i%2], Limit: values[i%8]},
			Need: i % 5, Of: i % 5, Origin: []string{"config", "screens", name(i)}[i%3], Hosts: []string{name(i), "*"}[:i%3],
			Actions: []alert.Action{{Do: alert.Bell}, {Do: alert.Task, Name: name(i)}}[:i%3]}
		if i%2 == 0 {
			r.Clear = &level
		}
		st := alert.RuleStatus{Rule: r, Firing: i % 4, Acknowledged: i % 3, Pending: i % 2, IsQuiet: i%5 == 0, Edited: i%2 == 0}
		if i%6 == 5 {
			st.Problem, st.MutedUntil = name(i), start.Add(time.Hour)
		}
		b.Rules = append(b.Rules, st)
	}
	for i := range active {
		r := &b.Rules[i%len(b.Rules)].Rule
		c := i % 9
		a := &alert.Alert{ID: alert.ID{Rule: r.Name, Host: hosts[i%2].Name, Set: set.Name, Counter: set.Counters[c].Name, Name: name(i), Number: uint64(i)}, Rule: r,
			Path: name(i) + `\` + name(i+1), Set: set, Counter: c, Key: session.InstanceKey{Name: name(i), ID: uint64(i)}, Instance: name(i),
			State: alert.State(1 + i%3), Since: start.Add(-time.Duration(i*i) * second), Value: cooker.FloatValue(values[i%8]), Peak: cooker.FloatValue(values[(i+1)%8]), Hits: 1, Of: i % 5}
		switch i % 6 {
		case 1:
			a.Value, a.Lacking = cooker.Absent(cooker.Gone), name(i)
		case 2:
			a.Set, a.Path, a.ID.Set = nil, "", ""
		case 3:
			a.MutedUntil, a.By, a.At = forever, name(i), start
		case 4:
			a.Quiet = true
		}
		b.Active = append(b.Active, a)
	}
	for i := range events {
		ev := alert.Event{Seq: uint64(i + 1), Group: uint64(i - i%(1+i%5) + 1), Time: start.Add(time.Duration(i-events) * time.Minute * 37), Kind: alert.EventKind(i % 10),
			ID: alert.ID{Rule: name(i), Host: hosts[i%2].Name, Set: set.Name, Counter: set.Counters[i%9].Name, Name: name(i)}, Severity: alert.Severity(i % 3),
			Path: name(i), Instance: name(i), Op: paths.Above, Limit: values[i%8], Value: &values[i%8], Shown: name(i), ShownLimit: "5", Peak: name(i), Lasted: field.Seconds(time.Duration(i) * second),
			Hits: 1, Of: 3, Why: name(i), Held: name(i), By: name(i), Until: start.Add(time.Duration(i) * time.Hour), UserText: name(i)}
		if i%7 == 0 {
			ev.ID = alert.ID{Rule: name(i)}
		}
		b.History = append(b.History, ev)
	}
	return b, hosts
}

func newStill(t testing.TB, b *alert.Board, hosts []*pane.Host) *rig {
	r := &rig{Rig: panetest.New(t, panetest.Options{W: 1, H: 1, Start: start})}
	r.Desk.Hosts, r.Desk.Alerts, r.Desk.User = hosts, &still{b}, "ana"
	for _, h := range hosts {
		snap := &session.Snapshot{Timeline: session.Timeline{First: 3}}
		for i := range 100 {
			snap.Timeline.Nanos = append(snap.Timeline.Nanos, start.Add(time.Duration(i-100)*second).UnixNano())
		}
		h.Snap = snap
	}
	r.screen = New(r.Desk)
	r.Show(r.screen)
	return r
}

// At every size nothing is drawn outside, nothing steers the terminal, and the
// selected row of the focused pane is in view.
func TestSweep(t *testing.T) {
	plain := []string{"sql01", "PhysicalDisk", "1 D:", "Avg. Disk sec/Transfer", "slow disk"}
	for name, p := range map[string]struct {
		names                 []string
		rules, active, events int
	}{
		"none": {plain, 0, 0, 0}, "one": {plain, 1, 1, 1}, "rules alone": {plain, 7, 0, 0}, "many": {plain, 500, 900, 1000},
		"hostile": {faketest.HostileNames(), 60, 80, 120}, "history alone": {plain, 0, 0, 30},
	} {
		t.Run(name, func(t *testing.T) {
			b, hosts := picture(p.names, p.rules, p.active, p.events)
			r := newStill(t, b, hosts)
			step := 3 // every size comes with some key
			if name == "many" {
				step = 7
			}
			for focus := range partCount {
				for k, key := range []string{"g", "G", "l", "z"} {
					r.screen.focus = focus
					r.Press(key)
					for i, size := range sizes() {
						if (i+k)%step != 0 {
							continue
						}
						glyphs := []canvas.GlyphSet{canvas.Full, canvas.ASCII, canvas.Console}[i%3]
						r.Desk.Wipe = i%5 == 0
						r.Sound(size[0], size[1], glyphs)
						r.inView(size)
					}
				}
			}
			r.Desk.At = start.Add(-time.Hour)
			r.Sound(120, 36, canvas.Full)
		})
	}
}

// inView checks that the selected row is drawn, where the pane has any row.
func (r *rig) inView(size [2]int) {
	r.Helper()
	at, ok := r.screen.rows().Line(), r.screen.rows().Count() > 0
	var top, page int
	switch r.screen.focus {
	case activePart:
		top, page = r.screen.active.Top(), r.screen.active.Page()
	case rulesPart:
		top, page = r.screen.rules.Top(), r.screen.rules.Page()
	default:
		top, page = r.screen.history.Top(), r.screen.history.Page()
	}
	if ok && page > 0 && (at < top || at >= top+page) {
		r.Fatalf("%v: row %d is not in view: %d of %d", size, at, top, page)
	}
	if ok && page == 0 && size[1] >= 4 {
		r.Fatalf("%v: the focused pane has no rows: %+v", size, r.screen.places)
	}
}

func sizes() [][2]int {
	return panetest.Sizes{
		W: 70, H: 36, StepW: 3, StepH: 2,
		Widths:  []int{79, 80, 99, 100, 101, 120, 160, 200, 300},
		Heights: []int{1, 2, 3, 6, 10, 13, 14, 15, 16, 19, 20, 22, 29, 30, 34, 58, 100},
	}.All()
}

// The panes lie below each other, within the screen.
func TestPlace(t *testing.T) {
	for _, want := range [][partCount]int{{1, 2, 1}, {6, 8, 7}, {900, 501, 1000}, {1, 501, 1}, {900, 2, 1}, {0, 0, 0}} {
		for h := range 120 {
			for focus := range partCount {
				for _, alone := range []bool{false, true} {
					p := place(80, h, want, focus, alone)
					y := 0
					for _, r := range append(p.parts[:], p.detail) {
						if r.H == 0 {
							continue
						}
						if r.H < 0 || r.Y < y || r.W != 80 {
							t.Fatalf("%v in %d rows: %+v", want, h, p)
						}
						y = r.Y + r.H
					}
					if y > h || h > 0 && p.parts[focus].H == 0 {
						t.Fatalf("%v in %d rows: %+v", want, h, p)
					}
				}
			}
		}
	}
}

// The room of what is active grows at once and shrinks after a while.
func TestRoom(t *testing.T) {
	var r room
	at := start
	for _, step := range []struct{ want, seconds, rows int }{{3, 0, 3}, {9, 1, 9}, {2, 1, 9}, {2, 9, 9}, {4, 1, 4}, {1, 1, 4}, {5, 5, 5}, {1, 1, 5}, {1, 10, 1}} {
		at = at.Add(time.Duration(step.seconds) * second)
		if got := r.fit(step.want, at); got != step.rows {
			t.Errorf("%d rows after %v: %d, want %d", step.want, at.Sub(start), got, step.rows)
		}
	}
}

// Of a path the object gives way first, and the end of what is cut is kept.
func TestWhere(t *testing.T) {
	r := canvas.New(1, 1, canvas.Full).Root()
	disk := where{`\\sql01`, "PhysicalDisk", "1 D:", "Avg. Disk sec/Transfer"}
	cpu := where{`\\sql01`, "Processor Information", "_Total", "% Processor Time"}
	for _, test := range []struct {
		p    where
		w    int
		want string
	}{
		{disk, 60, `\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer`},
		{disk, 45, `\\sql01\Phy…Disk(1 D:)\Avg. Disk sec/Transfer`},
		{cpu, 48, `\\sql01\Proces…ormation(_Total)\% Processor Time`},
		{cpu, 34, `\\sql01\…(_Total)\% Processor Time`},
		{disk, 34, `\\sql01\…(1 D:)\Avg. Disk sec/Xfer`},
		{where{host: `\\web01`}, 5, `\\…01`},
	} {
		got := test.p.fit(r, test.w)
		if got != test.want {
			t.Errorf("in %d cells: %s, want %s", test.w, got, test.want)
		}
	}
	for w := range 60 {
		for _, p := range []where{disk, cpu, {object: "広い名前", instance: strings.Repeat("広", 40), counter: "x"}, {}} {
			if got := p.fit(r, w); cells(got) > w {
				t.Fatalf("%q takes %d of %d cells", got, cells(got), w)
			}
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	board, hosts := picture([]string{"sql01", "PhysicalDisk", "1 D:", "Avg. Disk sec/Transfer"}, 500, 900, 1000)
	r := newStill(b, board, hosts)
	r.Resize(200, 60)
	b.Run("again", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Draw()
		}
	})
	b.Run("another board", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			other := *board
			r.Desk.Alerts = &still{&other}
			r.screen.newest = 0
			r.Draw()
			r.screen.AskStale()
		}
	})
}
