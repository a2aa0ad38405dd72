package deck

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"perfdeck/session"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// The decks of a state file open as they are, of one host and of several, with borders set by
// hand at each size that holds the least of every pane. A layout that cannot be read is said,
// and the deck is placed automatically; the next state file has it no more.
func TestKeptDecks(t *testing.T) {
	text, err := os.ReadFile("testdata/screens.toml")
	if err != nil {
		t.Fatal(err)
	}
	var kept session.Saved
	if err := toml.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	onDeck(t, 160, 48, nil, func(r *rig) {
		r.Desk.Kept = &kept
		r.Run(func() { r.book = NewBook(r.Desk) })
		r.Show(r.book)
		var said []string
		for _, i := range r.Sent {
			if say, ok := i.(pane.Say); ok {
				said = append(said, say.Text)
			}
		}
		for _, name := range []string{"one", "two", "three", "four"} {
			r.comes(computer(name, 3, 0))
		}
		for _, spec := range kept.Decks {
			r.book.OpenNamed(spec.Name)
			r.pass(2)
			d, want := r.book.page(), spec
			isSaid := slices.ContainsFunc(said, func(s string) bool {
				return strings.Contains(s, spec.Name) && strings.Contains(s, spec.Layout[:min(len(spec.Layout), 9)])
			})
			if broken := strings.HasPrefix(spec.Name, "broken"); broken != isSaid {
				t.Errorf("%s: said %q", spec.Name, said)
			} else if broken {
				want.Layout = ""
			}
			if got := d.Kept(); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v is kept as %+v", want, got)
			}
			for _, size := range [][2]int{{160, 48}, {100, 20}, {60, 15}} {
				r.Resize(size[0], size[1])
				r.Draw()
				r.Shows("9418")
				tree, err := layout.ParseTree(want.Layout, len(d.panes))
				if err != nil {
					t.Fatal(err)
				}
				by := layout.Place(d.laid.body, layout.Division{}, d.laid.parts)
				if rects := make([]layout.Rect, len(d.panes)); tree.Place(d.laid.body, rects) {
					for i := range by {
						by[i].Rect = rects[i]
					}
				} else if want.Layout != "" && size[0] == 160 {
					t.Errorf("%s has no room in %v", spec.Name, d.laid.body)
				}
				for i, p := range d.laid.places {
					if p.Rect != by[i].Rect || p.Rows < 1 {
						t.Errorf("%s, %v: pane %d is at %+v, not %+v", spec.Name, size, i, p, by[i].Rect)
					}
				}
			}
			r.Resize(160, 48)
		}
	})
}
