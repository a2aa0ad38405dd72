package deck

import (
	"fmt"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/source/fake"
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

// However small the panes of the user's layout are, the focused one shows its
// rows, and a title that stands alone says how many rows it has.
func TestFocusedPaneIsOpen(t *testing.T) {
	onPanes(t, 100, 20, func(r *rig, d *Deck) {
		for range 4 { // each halves the room of the last
			r.Press("L", "_")
			if err := d.Add(d.host, threads); err != nil {
				t.Fatal(err)
			}
			r.Press("enter")
		}
		collapsed := 0
		for range d.panes {
			r.Press("tab")
			if p := d.laid.places[d.focus]; p.H < layout.MinPaneHeight || p.Rows == 0 {
				t.Errorf("pane %d is focused at %v with %d rows:\n%s", d.focus, p.Rect, p.Rows, r.Text())
			}
			if d.whyUnseen() != "" {
				t.Error(d.whyUnseen())
			}
			rows := strings.Split(r.Text(), "\n")
			for i, p := range d.laid.places {
				if p.Rows > 0 || p.H < 1 {
					continue
				}
				collapsed++
				if want := fmt.Sprintf("%d row", len(d.panes[i].lines)); !strings.Contains(rows[p.Y], want) {
					t.Errorf("the title of a pane that is collapsed is %q, without %q", rows[p.Y], want)
				}
			}
			r.Hides("pane 1 of", "pane 2 of")
		}
		if collapsed == 0 {
			t.Error("no pane is collapsed")
		}
	})
}

// A column that has no room for all panes says so before anybody scrolls.
func TestMoreBelow(t *testing.T) {
	onPanes(t, 60, 7, func(r *rig, _ *Deck) {
		r.Shows("pane 1 of 3")
		r.Press("G")
		r.Hides("pane 1 of 3")
		r.Shows("of 3")
		r.Press("z")
		r.Hides("of 3")
	})
	onPanes(t, 60, 30, func(r *rig, _ *Deck) { r.Hides("of 3") })
	for h := 5; h < 20; h++ { // no line is blank while panes follow
		onPanes(t, 60, h, func(r *rig, _ *Deck) {
			rows := strings.Split(strings.TrimRight(r.Text(), "\n"), "\n")
			if last := rows[len(rows)-1]; strings.Contains(r.Text(), "of 3") && strings.TrimSpace(last) == "" {
				t.Errorf("height %d:\n%s", h, r.Text())
			}
		})
	}
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
		if n := b.windowOf(l, b.made.Set(b.set).Series(l.row, l.col), d.desk.End(b.made)).Count; n < 40 {
			t.Errorf("its window is of %d samples", n)
		}
		r.Press("d")
		r.pass(int(removedKept.Seconds()) + 1)
		if n := len(d.Asks(d.host)); n != 3 {
			t.Errorf("%d asks long after all but 3 counters were removed", n)
		}
	})
}
