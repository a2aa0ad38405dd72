package deck

import (
	"testing"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/layout"
)

const systemThreads = `\System\Threads`

// onPanes runs a test on the deck of a host with three panes.
func onPanes(t *testing.T, w, h int, test func(r *rig, d *Deck)) {
	onDeck(t, w, h, []fake.Script{computer("one", 12, 0)}, func(r *rig) {
		d := r.book.Own(r.Desk.Hosts[0])
		d.Load([]session.DeckPane{{Paths: []string{available, cacheSize}}, {Paths: []string{threads}}, {Paths: []string{systemThreads}}})
		r.pass(3)
		test(r, d)
	})
}

// Esc leaves the deck as it was, whatever was done in the layout mode; enter
// keeps it.
func TestLayoutModeIsOneChange(t *testing.T) {
	onPanes(t, 118, 30, func(r *rig, d *Deck) {
		r.Press("j")
		text := r.Text()
		add := func() {
			if err := d.Add(d.host, cacheSize); err != nil {
				t.Fatal(err)
			}
			r.Draw()
		}
		for _, do := range []func(){
			func() { r.Press("right", "down", "J") },
			func() { r.Press("|"); add() },
			func() { r.Press("|"); add(); r.Press("=") },
			func() { r.Press("="); r.Press("right"); r.Press("_"); add(); r.Press("tab") },
		} {
			r.Press("L")
			do()
			if d.divided.arranging == nil {
				t.Fatalf("the mode ended by itself:\n%s", r.Text())
			}
			r.Press("esc")
			if now := r.Text(); now != text {
				t.Errorf("esc leaves\n%s\nof\n%s", now, text)
			}
		}
		r.Press("L", "right", "enter", "L", "=", "enter")
		if d.divided.tree != nil || d.divided.arranging != nil {
			t.Errorf("the layout %s is kept after =, enter", d.divided.tree)
		}
		r.Undo()
		if d.divided.tree == nil {
			t.Error("undo does not bring the layout back")
		}
	})
}

// After = a new pane still goes where the user says.
func TestSplitOfAutomaticLayout(t *testing.T) {
	onPanes(t, 118, 30, func(r *rig, d *Deck) {
		r.Press("L", "=", "tab", "|")
		if err := d.Add(d.host, cacheSize); err != nil {
			t.Fatal(err)
		}
		r.Draw()
		if a, b := d.laid.places[1].Rect, d.laid.places[3].Rect; b.Y != a.Y || b.X <= a.X {
			t.Errorf("the new pane is at %v, beside %v", b, a)
		}
	})
}

// A new pane comes beside the one that it was asked for, though one before that left meanwhile.
func TestSplitFollowsItsPane(t *testing.T) {
	onPanes(t, 160, 30, func(r *rig, d *Deck) {
		r.Press("L", "tab", "tab", "|")
		d.drop(available, d.panes)
		d.drop(cacheSize, d.panes)
		if err := d.Add(d.host, available); err != nil {
			t.Fatal(err)
		}
		r.Draw()
		a, b := d.laid.places[1].Rect, d.laid.places[2].Rect
		if d.panes[1].spec.Paths[0] != systemThreads || b.Y != a.Y || b.X <= a.X || b.X > a.X+a.W+2 {
			t.Errorf("the new pane is at %v, beside %v of %v", b, a, d.panes[1].spec.Paths)
		}
	})
}

// What was done in the mode cannot be undone by itself once the mode was left.
func TestModeLapses(t *testing.T) {
	onPanes(t, 118, 30, func(r *rig, _ *Deck) {
		if r.book.Mode() != nil {
			t.Error("there is no mode")
		}
		for _, end := range []string{"esc", "enter"} {
			r.Press("L")
			lapsed := r.book.Mode()
			r.Press("=")
			if lapsed() {
				t.Error("= ended the mode")
			}
			r.Press(end)
			if !lapsed() {
				t.Errorf("%s leaves the mode on", end)
			}
			r.Press("L")
			if !lapsed() {
				t.Error("another mode is the one before")
			}
			r.Press("esc")
		}
	})
}

// However the user divides the screen, every pane shows a value: no border goes beyond that, and
// where the screen has too few lines for it, panes are placed automatically.
func TestEveryPaneIsOpen(t *testing.T) {
	onPanes(t, 100, 24, func(r *rig, d *Deck) {
		for range 5 { // each halves the room of the last
			r.Press("L", "_")
			if err := d.Add(d.host, threads); err != nil {
				t.Fatal(err)
			}
			r.Press("enter")
		}
		for _, k := range []string{"up", "left", "down", "right"} {
			for range d.panes {
				r.Press("tab", "L")
				for range 40 {
					r.Press(k)
				}
				r.Press("enter")
				for i, p := range d.laid.places {
					if p.Hidden || p.Rows < 1 || p.W < layout.MinPaneWidth {
						t.Fatalf("%s: pane %d is at %+v:\n%s", k, i, p, r.Text())
					}
				}
			}
		}
		if d.whyUnseen() != "" {
			t.Error(d.whyUnseen())
		}
	})
}

// Panes that have no place are counted, in a line that leads to them.
func TestMoreBelow(t *testing.T) {
	onPanes(t, 60, 10, func(r *rig, d *Deck) {
		for range 12 {
			d.divided.aim = layout.Leaf(0) // a pane of its own
			if err := d.Add(d.host, threads); err != nil {
				t.Fatal(err)
			}
			d.divided.tree = nil
		}
		r.Draw()
		r.Shows("worker-0", "+ 6 more: Process, Process") // a table without a title has its names
		r.Click("+ 6 more")
		r.Hides("more:")
		if !d.zoomed || d.focus != 9 {
			t.Errorf("the line leads to pane %d, zoomed: %v", d.focus, d.zoomed)
		}
		r.Press("z", "G")
		if d.laid.places[d.focus].Hidden {
			t.Error("the focus is on a pane that has no place")
		}
	})
}

// A row that was removed comes back with its past, and is selected.
func TestRemovedKeepsItsPast(t *testing.T) {
	onPanes(t, 118, 30, func(r *rig, d *Deck) {
		r.pass(20)
		r.Press("j", "d")
		r.Hides("Cache Bytes")
		r.pass(20)
		r.Press("G")
		r.Undo()
		r.pass(1)
		i := d.selectedLine()
		if i < 0 || d.panes[d.focus].lines[i].name != "Cache Bytes" {
			t.Fatalf("line %d of pane %d is selected", i, d.focus)
		}
		l := &d.panes[d.focus].lines[i]
		b := d.panes[d.focus]
		series := b.made.Set(b.set).Series(l.row, l.col)
		if n := b.windowOf(l, &series, d.desk.End(b.made)).Count; n < 40 {
			t.Errorf("its window is of %d samples", n)
		}
		r.Press("d")
		r.pass(int(removedKept.Seconds()) + 1)
		if n := len(d.Asks(d.host)); n != 3 {
			t.Errorf("%d asks long after all but 3 counters were removed", n)
		}
	})
}
