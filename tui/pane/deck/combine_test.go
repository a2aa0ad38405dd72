package deck

import (
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// pipes is a host with unequal instances, the last of which ends.
func pipes() fake.Script {
	set := fake.Set{Name: "Pipes", Instances: session.MultipleInstances,
		Counters: []fake.Counter{{Name: "Flow", Type: cooker.CounterRawCount, Is: fake.Const(100)}, {Name: "Heat", Type: cooker.CounterRawCount, Is: fake.Const(10)}},
		Rows:     []fake.Row{{Name: "a", Times: 1}, {Name: "b", Times: 2}, {Name: "c", Times: 3}, {Name: "_Total", Flags: session.FlagTotal}}}
	return fake.Script{Name: "db", Sets: []fake.Set{set}}
}

// Rows that are marked become one by a key: their paths leave the deck, that of the row
// is kept with it, and all of it can be undone.
func TestCombine(t *testing.T) {
	onDeck(t, 120, 30, []fake.Script{pipes()}, func(r *rig) {
		d := r.book.own[r.Desk.Hosts[0]]
		d.Load([]session.DeckPane{{Paths: []string{`\Pipes(a)\Flow`, `\Pipes(b)\Flow`, `\Pipes(c)\Heat`, `\Pipes(_Total)\Flow`}}})
		r.pass(3)
		before := d.Kept()
		r.Press("&") // nothing is marked
		if _, open := lastOf[pane.OpenMenu](r.Sent); open || d.whyNotCombine() == "" {
			t.Fatal("one row becomes one")
		}
		r.Press("g", "space", "space", "space")
		if why := d.whyNotCombine(); !strings.Contains(why, "others") {
			t.Errorf("rows of two counters: %q", why)
		}
		r.Press("g", "j", "j", "space", "&") // Heat is marked no more
		menu, ok := lastOf[pane.OpenMenu](r.Sent)
		if !ok || len(menu.Items) != 4 || !strings.HasPrefix(menu.Items[0].Text, "total") || !strings.HasPrefix(menu.Items[3].Text, "maximum") {
			t.Fatalf("menu %+v", menu)
		}
		r.Run(menu.Items[3].Do)
		want := []string{`\Pipes(c)\Heat`, `\Pipes(_Total)\Flow`, `\Pipes(maximum of a|b)\Flow`}
		if got := d.Spec()[0].Paths; !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
		r.pass(2)
		if !strings.Contains(r.Row("maximum of a|b"), "200") {
			t.Errorf("no row:\n%s", r.Text())
		}
		if got := d.Selected(); got[0].Key.Name != "maximum of a|b" {
			t.Errorf("selected %+v", got)
		}
		again := NewNamed(r.Desk, d.Kept())
		if got := again.Spec()[0].Paths; !slices.Equal(got, want) || again.panes[0].items[2].missing || again.panes[0].items[2].sel.Combine == nil {
			t.Errorf("kept as %q", got)
		}
		r.Run(r.Undos[len(r.Undos)-1])
		r.pass(2)
		if got := d.Kept(); !slices.Equal(got.Panes[0].Paths, before.Panes[0].Paths) {
			t.Errorf("undone: %q", got.Panes[0].Paths)
		}
	})
}

// What came by a wildcard stays; a total is no part of what is made.
func TestCombineOfWildcard(t *testing.T) {
	onDeck(t, 120, 30, []fake.Script{pipes()}, func(r *rig) {
		d := r.book.own[r.Desk.Hosts[0]]
		d.Load([]session.DeckPane{{Paths: []string{`\Pipes(*)\Flow`}}})
		r.pass(3)
		r.Press("g", "space", "space", "space", "&")
		menu, ok := lastOf[pane.OpenMenu](r.Sent)
		if !ok {
			t.Fatalf("no menu: %s", d.whyNotCombine())
		}
		r.Run(menu.Items[0].Do)
		if got := d.Spec(); len(got) != 2 || !slices.Equal(got[0].Paths, []string{`\Pipes(*)\Flow`}) || !slices.Equal(got[1].Paths, []string{`\Pipes(total of c|b|a)\Flow`}) {
			t.Errorf("%+v", got)
		}
		r.pass(2)
		r.Shows("Pipes total of c|b|a")
		if !strings.Contains(r.Row("►"), "600") {
			t.Errorf("no row:\n%s", r.Text())
		}
	})
}

// lastOf is the newest intent of a kind.
func lastOf[T pane.Intent](sent []pane.Intent) (last T, ok bool) {
	for _, i := range sent {
		if t, is := i.(T); is {
			last, ok = t, true
		}
	}
	return last, ok
}
