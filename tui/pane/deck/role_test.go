package deck

import (
	"slices"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// Decks come first that are for what the host that is shown is, of what it has; they can be opened by
// their name, and are kept when the user writes them.
func TestDecksOfRoles(t *testing.T) {
	spec := func(name, set string, panes ...session.DeckPane) session.Deck {
		return session.Deck{Name: name, Sets: []string{set}, Panes: panes}
	}
	memory := session.DeckPane{Paths: []string{available, `\Memory\Nothing`}, Also: []string{`\System\Threads`, `\Elsewhere\Threads`}}
	lacks := session.DeckPane{Paths: []string{`\Elsewhere\Threads`}}
	packs := func() []alert.Pack {
		return []alert.Pack{
			{Name: "other", Decks: []session.Deck{spec("else", "Elsewhere", lacks)}},
			{Name: "mem", Decks: []session.Deck{spec("memory server", "Mem*", lacks, memory)}},
		}
	}
	menu := func(r *rig) (texts []string) {
		r.Press("D")
		m, _ := lastOf[pane.OpenMenu](r.Sent)
		for _, item := range m.Items {
			name, _, _ := strings.Cut(item.Text, "  ")
			texts = append(texts, name)
		}
		return texts
	}
	onDeck(t, 80, 24, []fake.Script{computer("web", 2, 0)}, func(r *rig) {
		r.Desk.Packs = packs
		r.book.Offer([]session.Deck{named("mine", "web"), spec("threads", "System", memory)})
		if got := menu(r); len(got) < 4 || !slices.Equal(got[:3], []string{"threads", "memory server", "mine"}) {
			t.Errorf("menu %q", got)
		}
		if !r.book.OpenNamed("Memory Server") || r.book.OpenNamed("nobody's") {
			t.Error("it cannot be opened, or another can")
		}
		d := r.book.page()
		panes := d.Spec()
		if len(panes) != 1 || !slices.Equal(panes[0].Paths, []string{available}) || !slices.Equal(panes[0].Also, []string{`\System\Threads`}) || panes[0].Host != "web" {
			t.Errorf("panes %+v", panes)
		}
		if r.book.save(""); len(r.Desk.Kept.Decks) != 0 {
			t.Errorf("kept before anybody wrote: %+v", r.Desk.Kept.Decks)
		}
		if r.book.write(); len(r.Desk.Kept.Decks) != 1 {
			t.Errorf("kept %+v", r.Desk.Kept.Decks)
		}
		if !r.book.OpenNamed("else") || len(r.book.page().panes) != 0 {
			t.Error("one that was named is not shown where it does not fit")
		}
		if got := menu(r); !slices.Equal(got[:2], []string{"threads", "memory server"}) || strings.Count(strings.Join(got, "\n"), "memory server") != 1 {
			t.Errorf("menu again %q", got)
		}
	})
	onDeck(t, 80, 24, []fake.Script{computer("web", 2, 0), {Name: "bare", Sets: []fake.Set{{Name: "System"}}}}, func(r *rig) {
		r.Desk.Packs = packs
		if got := menu(r); got[0] != "memory server of web" {
			t.Errorf("menu of several hosts %q", got)
		}
		r.book.Open(r.Desk.Hosts[1], false)
		if got := menu(r); slices.Contains(got[:1], "memory server of bare") {
			t.Errorf("menu of another host %q", got)
		}
	})
}
