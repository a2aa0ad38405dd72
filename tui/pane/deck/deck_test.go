package deck

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// A deck that comes to the front without being told what happened draws the rows
// of the snapshot there is, not those of one that is gone.
func TestDeckComesToTheFront(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 40, 8*time.Second)}, func(r *rig) {
		host := r.Desk.Hosts[0]
		r.book.Own(host).Load([]session.DeckPane{{Paths: []string{threads}}, {Paths: []string{`\Process(*)\% Processor Time`}, Busiest: 9}})
		r.pass(4)
		r.book.Offer([]session.Deck{named("night", "one")})
		r.book.OpenNamed("night")
		r.pass(30)
		r.Run(r.book.remove) // its own deck is shown again
		r.Draw()
		r.Hides("worker-30")
		r.Shows("worker-0")
		r.pass(2)
		r.book.Own(host).Load([]session.DeckPane{{Paths: []string{available}}})
		r.Undo()
		r.Shows("worker-0")
		if r.book.Scope() != "night" {
			t.Errorf("%s came back", r.book.Scope())
		}
	})
}

// A deck that was deleted and comes back knows the hosts there are now.
func TestDeletedDeckComesBack(t *testing.T) {
	onDeck(t, 160, 50, []fake.Script{computer("one", 3, 0), computer("two", 3, 0), computer("three", 3, 0)}, func(r *rig) {
		r.book.Offer([]session.Deck{named("night", "two", "one")})
		r.book.OpenNamed("night")
		r.pass(3)
		two := r.Desk.Hosts[1]
		r.Run(r.book.remove)
		r.leaves(1)
		r.Undo()
		if h := r.book.Host(); h == two {
			t.Error("a removed host is focused")
		}
		for _, target := range r.book.Selected() {
			if target.Host == two {
				t.Errorf("%+v of a removed host is selected", target)
			}
		}
		r.Shows("not watched")
		r.book.Asks(two) // nobody asks, nothing breaks
		r.book.Load(two, nil)
		r.pass(2)
	})
}

// What a host lacks, or a host that is not watched, cannot be opened: by no key,
// and by no click.
func TestMissingCannotBeOpened(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		r.book.Offer([]session.Deck{{Name: "x", Panes: []session.DeckPane{
			{Host: "elsewhere", Paths: []string{available}}, {Host: "elsewhere", Paths: []string{threads}, Busiest: 3},
			{Host: "one", Paths: []string{`\Memory\No Such`}},
		}}})
		r.book.OpenNamed("x")
		r.pass(2)
		for range 3 {
			r.Press("enter")
			d := r.book.page()
			r.Run(func() { d.Click(pane.Hit{Kind: hitRow, A: d.focus}, tea.MouseLeft) })
			for _, msg := range r.Sent {
				switch msg.(type) {
				case pane.OpenExplain, pane.OpenTop:
					t.Errorf("%#v is sent for what is not there", msg)
				}
			}
			r.Press("tab")
		}
	})
}

// Removing a counter of one host leaves those of the others.
func TestRemoveOfOneHost(t *testing.T) {
	onDeck(t, 160, 50, []fake.Script{computer("one", 3, 0), computer("two", 3, 0)}, func(r *rig) {
		r.book.Offer([]session.Deck{named("night", "one", "two")})
		r.book.OpenNamed("night")
		r.pass(2)
		r.Press("d")
		var left []string
		for _, p := range r.book.page().Spec() {
			if slices.Contains(p.Paths, available) {
				left = append(left, p.Host)
			}
		}
		if !slices.Equal(left, []string{"two"}) {
			t.Errorf("left on %v", left)
		}
	})
}

// Selection and marks stay when hosts come and go and tell their counters anew.
func TestMarksStay(t *testing.T) {
	onDeck(t, 160, 50, []fake.Script{computer("one", 3, 0), computer("two", 3, 0)}, func(r *rig) {
		r.book.Offer([]session.Deck{named("night", "one", "two")})
		r.book.OpenNamed("night")
		r.pass(2)
		r.Press("space", "tab", "space")
		before := r.book.Selected()
		if len(before) != 3 {
			t.Fatalf("%d are selected and marked", len(before))
		}
		r.host(computer("three", 3, 0))
		r.book.HostsChanged()
		r.Clock.Advance(0)
		for _, h := range r.Desk.Hosts {
			r.book.Load(h, nil)
		}
		r.pass(2)
		if after := r.book.Selected(); !slices.Equal(after, before) {
			t.Errorf("selected %v, were %v", after, before)
		}
		r.Press("g", "d")
		if n := len(r.book.page().marks); n != 1 {
			t.Errorf("%d marks are left of 2, one row of which was removed", n)
		}
	})
}

// On the deck of several hosts marks of one do not drag along what is merely
// selected on it.
func TestMarksAbreast(t *testing.T) {
	onDeck(t, 160, 50, []fake.Script{computer("one", 3, 0), computer("two", 3, 0)}, func(r *rig) {
		for _, d := range r.book.all.decks {
			d.Load([]session.DeckPane{{Paths: []string{available, cacheSize}}})
		}
		r.pass(3)
		r.Press("space", "tab")
		got := r.book.Selected()
		if len(got) != 2 || got[0].Host.Name != "two" || got[1].Host.Name != "one" {
			t.Fatalf("selected %v", got)
		}
		one := r.book.all.decks[0]
		if now := one.targetOf(one.focus, one.selectedLine()); now == got[1] {
			t.Errorf("%v is selected on the other host, not marked", now)
		}
	})
}

// A wrong path is refused on the deck of several hosts too; one that some of them
// have gets its row on all.
func TestAddAbreast(t *testing.T) {
	small := computer("two", 3, 0)
	small.Sets = small.Sets[:2]
	onDeck(t, 160, 50, []fake.Script{computer("one", 3, 0), small}, func(r *rig) {
		r.pass(2)
		if err := r.book.Add(r.Desk.Hosts[0], `\System\Thredas`); err == nil {
			t.Error("a counter that no host has is added")
		}
		if err := r.book.Add(r.Desk.Hosts[1], `\System\Threads`); err != nil {
			t.Errorf("a counter of one of the hosts: %v", err)
		}
		r.pass(3)
		r.Shows("815")
		if n := strings.Count(r.Canvas.String(), "Threads"); n != 2 {
			t.Errorf("%d rows, want one for each host:\n%s", n, r.Canvas)
		}
	})
}

// Hosts that were chosen to be compared stay side by side when others leave.
func TestChosenHostsStay(t *testing.T) {
	onDeck(t, 180, 50, []fake.Script{computer("one", 2, 0), computer("two", 2, 0), computer("three", 2, 0), computer("four", 2, 0)}, func(r *rig) {
		r.pass(2)
		r.book.OpenHosts(r.Desk.Hosts[1:4])
		r.pass(1)
		r.leaves(0)
		r.pass(1)
		if r.book.Scope() != "3 hosts" || r.book.abreast() == nil {
			t.Errorf("%s are shown after another left", r.book.Scope())
		}
		r.leaves(0)
		r.pass(1)
		r.Hides("two ")
		if r.book.Scope() != "2 hosts" {
			t.Errorf("%s are shown after one of them left", r.book.Scope())
		}
		r.Press("esc")
		r.leaves(0) // one host is left
		r.pass(1)
		if r.book.Scope() != "four" {
			t.Errorf("%s is shown", r.book.Scope())
		}
	})
}

// Writing one deck does not take those of the config along: they may change there.
func TestDecksOfTheConfigStayThere(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		r.book.Offer([]session.Deck{named("mine", "one"), named("yours", "one")})
		r.book.OpenNamed("mine")
		r.Press("W")
		if kept := r.Desk.Kept.Decks; len(kept) != 1 || kept[0].Name != "mine" {
			t.Errorf("kept %+v", kept)
		}
	})
}

// Without a place to keep decks they are made, renamed and deleted all the same.
func TestNothingIsKept(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		r.Desk.Kept = nil
		r.book.Offer([]session.Deck{named("mine", "one")})
		r.book.OpenNamed("mine")
		r.Run(r.book.remove)
		r.Undo()
		if !slices.Contains(r.book.Names(), "mine") {
			t.Error("the deck is gone")
		}
	})
}

// A pane whose counters are of several countersets shows each of its own.
func TestCountersetsInOnePane(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		r.book.Offer([]session.Deck{{Name: "mixed", Panes: []session.DeckPane{{Host: "one", Paths: []string{`\System\Threads`, available}}}}})
		r.book.OpenNamed("mixed")
		r.pass(3)
		r.Shows("815", "9418")
		r.Press("j", "z", "v")
		r.pass(1)
	})
}

// A state file may ask for any number of rows; drawing stays quick.
func TestBusiestIsBounded(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		r.book.Offer([]session.Deck{{Name: "x", Panes: []session.DeckPane{{Host: "one", Paths: []string{threads}, Busiest: math.MaxInt}}}})
		r.book.OpenNamed("x")
		r.Draw()
		if n := r.book.page().Spec()[0].Busiest; n > busiestKept {
			t.Errorf("%d rows are asked for", n)
		}
	})
}

// A click between panes, and a drag where no border is, leave the layout
// automatic; a border that is dragged, however far, can be put back.
func TestDragBorder(t *testing.T) {
	onDeck(t, 120, 30, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		d := r.book.Own(r.Desk.Hosts[0])
		d.Load([]session.DeckPane{{Paths: []string{available}}, {Paths: []string{threads}}, {Paths: []string{`\System\Threads`}}})
		r.pass(4)
		gap := pane.Hit{Kind: hitGap}
		drag := func(x, y int, released bool) { r.Run(func() { d.Drag(gap, x, y, released) }); r.Draw() }
		d.Click(gap, tea.MouseLeft)
		d.Grip(gap, 5, 29)
		drag(5, 29, false)
		drag(5, 29, true)
		d.Grip(gap, 59, 3)
		drag(59, 3, true) // released where it went down
		if d.divided.tree != nil {
			t.Fatalf("the layout became %s", d.divided.tree)
		}
		was := r.Canvas.String()
		edge := d.laid.places[0].X + d.laid.places[0].W
		d.Click(gap, tea.MouseLeft)
		d.Grip(gap, edge, 3)
		drag(edge+9, 3, false) // a quick move: not on the gap any more
		for _, at := range [][2]int{{30, 3}, {-50, -9}, {5000, 5000}, {40, 3}} {
			drag(at[0], at[1], false)
		}
		drag(40, 3, true)
		if w := d.laid.places[0].W; w < 38 || w > 41 {
			t.Errorf("the pane is %d wide", w)
		}
		r.Undo()
		if r.Canvas.String() != was {
			t.Errorf("undo leaves\n%s\nof\n%s", r.Canvas, was)
		}
		// A release that never came.
		d.Click(gap, tea.MouseLeft)
		d.Grip(gap, edge, 3)
		drag(edge+9, 3, false) // a quick move: not on the gap any more
		drag(45, 3, false)
		d.Click(gap, tea.MouseLeft)
		d.Grip(gap, 90, 3) // no border is here
		drag(91, 3, false)
		if w := d.laid.places[0].W; w > 46 {
			t.Errorf("the border of before jumped to %d", w)
		}
	})
}

// A pane that is added in a layout of the user's has a place in it, whatever
// became of the one beside which it was to go.
func TestPlaceOfNewPane(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		host := r.Desk.Hosts[0]
		d := r.book.Own(host)
		d.Load([]session.DeckPane{{Paths: []string{available}}, {Paths: []string{threads}}})
		r.pass(2)
		undo := d.memory()
		r.Press("L", "tab", "_")
		d.drop(threads, d.panes)
		if err := d.Add(host, `\System\Threads`); err != nil {
			t.Fatal(err)
		}
		r.Draw()
		r.Shows("System")
		undo()
		r.Draw()
		d.divided.tree = d.tree()
		for range 80 { // deep, but it is remembered
			d.divided.tree = d.divided.tree.SplitPane(len(d.panes)-1, len(d.panes), layout.Above)
			d.panes = append(d.panes, &block{host: host, set: d.panes[0].set, items: slices.Clone(d.panes[0].items), spec: d.panes[0].spec})
		}
		text := d.divided.tree.String()
		d.memory()()
		if d.divided.tree.String() != text {
			t.Errorf("%s came back as %s", text, d.divided.tree)
		}
	})
}

// Rows with graphs stand alone: nothing of the pane's own graph is between them.
func TestRowsWithGraphs(t *testing.T) {
	onDeck(t, 100, 20, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		d := r.book.Own(r.Desk.Hosts[0])
		d.Load([]session.DeckPane{{Paths: []string{available, cacheSize}}})
		r.pass(20)
		if d.laid.places[0].Graph == 0 {
			t.Fatal("the pane has no graph to begin with")
		}
		r.Press("v")
		one := r.Canvas.Rows()
		s := d.panes[0].picture.of
		s.plot.graph = 0
		r.Canvas.Clear(0)
		f := pane.Frame{Region: r.Canvas.Root(), Now: r.Desk.Now(), Hits: &r.Hits}
		d.drawPane(f.At(d.laid.places[0].Rect), &s)
		if two := r.Canvas.Rows(); !slices.Equal(one, two) {
			t.Errorf("with the pane's graph below:\n%s\nwithout:\n%s", strings.Join(one, "\n"), strings.Join(two, "\n"))
		}
	})
}

// A path that names a computer means that host and no other: its values must not
// come from elsewhere.
func TestPathOfAnotherHost(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 3, 0), computer("two", 5, 0)}, func(r *rig) {
		one, two := r.Desk.Hosts[0], r.Desk.Hosts[1]
		book := NewBook(r.Desk)
		for _, h := range r.Desk.Hosts {
			book.Load(h, []string{`\\two` + threads})
		}
		if n := len(book.Own(one).Spec()); n != 0 {
			t.Errorf("one has %d panes of two's path", n)
		}
		if got := book.Own(two).Spec(); len(got) != 1 || got[0].Paths[0] != threads {
			t.Errorf("two shows %v", got)
		}
		if err := book.Add(one, `\\three`+available); err == nil {
			t.Error("a host that is not watched is taken")
		}
		book.Open(one, false)
		if err := book.Add(one, `\\two`+available); err == nil {
			t.Error("the path of two came to the deck of one")
		}
		if err := book.Add(one, `\\ONE`+available); err != nil {
			t.Errorf("its own path: %v", err)
		}
	})
}

// A host that has none of the counters of a deck says so, and what it has.
func TestHostWithOtherCounters(t *testing.T) {
	odd := fake.Script{Name: "odd01", Sets: []fake.Set{{Name: "Print Queue", Counters: []fake.Counter{{Name: "Jobs", Type: cooker.CounterRawCount, Is: fake.Const(1)}}}}}
	for _, v := range []struct {
		script fake.Script
		want   []string
	}{
		{odd, []string{"odd01 is reached", "none of the counters", "Print Queue", "4  browse"}},
		{fake.Script{Name: "bare01"}, []string{"bare01 is reached", "no countersets"}},
	} {
		onDeck(t, 60, 12, []fake.Script{v.script}, func(r *rig) {
			r.pass(3)
			r.Shows(v.want...)
			if s := r.Desk.Hosts[0].Sampler.State(); s.Phase != session.Live || s.LastAnswer.IsZero() {
				t.Errorf("state %+v", s)
			}
		})
	}
}

// What the deck of several hosts shows comes back with the second host, though the one that
// told it left; a path of a host that is not beside the chosen ones comes to none of them.
func TestSharedDeckOutlivesItsHosts(t *testing.T) {
	silent := computer("silent", 1, 0)
	silent.Faults = []fake.Fault{{Err: errors.New("access is denied")}}
	onDeck(t, 160, 50, []fake.Script{silent, computer("one", 3, 0)}, func(r *rig) {
		r.pass(2)
		r.book.all.of(r.Desk.Hosts[1]).Load([]session.DeckPane{{Paths: []string{cacheSize}}})
		r.leaves(1)
		r.pass(1)
		two := r.comes(computer("two", 3, 0))
		r.pass(2)
		if got := r.book.all.of(two).Spec(); len(got) != 1 || got[0].Paths[0] != cacheSize {
			t.Errorf("two shows %+v", got)
		}
		three := r.comes(computer("three", 3, 0))
		r.book.OpenHosts([]*pane.Host{r.Desk.Hosts[0], two})
		if err := r.book.Add(three, `\\three`+available); !errors.Is(err, errOtherHost) {
			t.Errorf("three is not shown: %v", err)
		}
	})
}

// Hosts that are chosen of so many that nobody looked at their decks show theirs all the same.
func TestChosenOfMany(t *testing.T) {
	var scripts []fake.Script
	for i := range mostReady + 1 {
		scripts = append(scripts, computer("h"+strconv.Itoa(i), 1, 0))
	}
	onDeck(t, 160, 50, scripts, func(r *rig) {
		hosts := r.Desk.Hosts[mostReady-1:]
		r.book.OpenHosts(hosts)
		r.pass(2)
		for _, d := range r.book.abreast().decks {
			if !d.loaded {
				t.Errorf("%s is not filled", d.host.Name)
			}
		}
		r.Shows("h100")
	})
}
