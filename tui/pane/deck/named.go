package deck

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// bindings are the keys of the decks.
func (b *Book) bindings() []keys.Binding {
	return []keys.Binding{
		{Keys: "/", Text: "filter rows and instances of all panes", Hint: "filter", Place: keys.Behind, Do: b.askFilter},
		{Keys: "D", Text: "decks: open, new, rename, delete", Hint: "decks", Place: keys.WideOnly, Do: b.menu},
		{Keys: "W", Text: "write the deck", Why: b.whyNoWrite, Do: b.write},
	}
}

// Names are the names of the decks that the user made, or that the config has.
func (b *Book) Names() []string {
	names := make([]string, len(b.named))
	for i, d := range b.named {
		names[i] = d.name
	}
	return names
}

// Offer adds decks of the config; those that the user kept win.
func (b *Book) Offer(decks []session.Deck) {
	for _, spec := range decks {
		switch {
		case len(spec.Sets) > 0:
			b.roles = append(slices.DeleteFunc(b.roles, func(d session.Deck) bool { return paths.EqualFold(d.Name, spec.Name) }), spec)
		case b.find(spec.Name) == nil:
			d := NewNamed(b.desk, spec)
			d.offered = true
			b.named = append(b.named, d)
		}
	}
}

func (b *Book) find(name string) *Deck {
	for _, d := range b.named {
		if paths.EqualFold(d.name, name) {
			return d
		}
	}
	return nil
}

// ofRoles are decks for what a host is, of those that are chosen.
func (b *Book) ofRoles(h *pane.Host, choose func(d *session.Deck) bool) (out []*Deck) {
	specs := b.roles
	if b.desk.Packs != nil {
		for _, p := range b.desk.Packs() {
			specs = slices.Concat(specs, p.Decks)
		}
	}
	for _, spec := range specs {
		if h == nil || !choose(&spec) {
			continue
		}
		if len(b.desk.Hosts) > 1 {
			spec.Name += " of " + h.Name
		}
		d := b.find(spec.Name)
		if d == nil {
			d = NewNamed(b.desk, spec.On(h.Name, h.Offered()))
			d.offered = true
			b.named = append(b.named, d)
		}
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// OpenNamed shows the deck of a name, or for a role of a name. It reports whether there is one.
func (b *Book) OpenNamed(name string) bool {
	d := b.find(name)
	if d == nil {
		of := b.ofRoles(b.Host(), func(d *session.Deck) bool { return paths.EqualFold(d.Name, name) })
		if len(of) == 0 {
			return false
		}
		d = of[0]
	}
	d.Reload()
	b.open(d, false)
	return true
}

func (b *Book) menu() {
	m := pane.OpenMenu{Title: "Decks"}
	add := func(text string, do func()) {
		m.Items = append(m.Items, pane.MenuItem{Text: printable.Text(text), Do: do})
	}
	list := func(decks []*Deck) {
		for _, d := range decks {
			add(d.name+"  "+d.about(), func() { b.desk.Send(pane.OpenDeck{Name: d.name}) })
		}
	}
	h := b.Host()
	fit := b.ofRoles(h, func(d *session.Deck) bool { return d.Fits(h.Offered()) })
	list(fit)
	if n := len(b.desk.Hosts); n > 1 {
		add(fmt.Sprintf("all %d hosts, side by side", n), func() {
			b.put(nil)
			b.desk.Reask()
		})
	}
	list(slices.DeleteFunc(slices.Clone(b.named), func(d *Deck) bool { return slices.Contains(fit, d) }))
	for _, h := range b.desk.Hosts[:min(len(b.desk.Hosts), mostInMenu)] {
		add(h.Name+"  its own deck", func() { b.desk.Send(pane.OpenHost{Host: h}) })
	}
	add("new deck...", b.askNew)
	m.Items = append(m.Items, pane.MenuItem{Text: "write this deck", Key: "W", Why: b.whyNoWrite(), Do: b.write})
	if d := b.page(); d != nil {
		add("rename "+d.name+"...", b.askRename)
		add("delete "+d.name, b.remove)
	}
	b.desk.Send(m)
}

// mostInMenu bounds the hosts that the menu lists: the palette finds the others.
const mostInMenu = 20

// about sums a deck up: "6 panes, 3 hosts".
func (d *Deck) about() string {
	hosts := map[string]bool{}
	for _, b := range d.panes {
		hosts[b.hostName()] = true
	}
	text := english.Count(len(d.panes), "pane", "panes")
	if len(hosts) > 1 {
		text += fmt.Sprintf(", %d hosts", len(hosts))
	}
	return text
}

func (b *Book) whyNoWrite() string {
	if b.desk.Kept == nil {
		return "there is no place to keep decks"
	}
	return ""
}

// write keeps the deck that is shown; one without a name asks for it.
func (b *Book) write() {
	d := b.page()
	if d == nil {
		b.askName("Write the deck as", b.copyAs)
		return
	}
	d.offered = false
	b.save("wrote deck " + d.name)
}

// save keeps the user's decks as they are; those of the config stay there.
func (b *Book) save(text string) {
	if b.desk.Kept != nil {
		b.desk.Kept.Decks = nil
		for _, d := range b.named {
			if !d.offered {
				b.desk.Kept.Decks = append(b.desk.Kept.Decks, d.Kept())
			}
		}
		b.desk.Send(pane.Keep{})
	}
	if text != "" {
		b.desk.Say(printable.Text(text))
	}
}

// copyAs makes a deck of the user's of what is shown.
func (b *Book) copyAs(name string) {
	spec := session.Deck{Name: name}
	for _, d := range b.each() {
		spec.Layout = d.divided.tree.String()
		for _, p := range d.Spec() {
			if d.host != nil { // which may not be the first one tomorrow
				p.Host = d.host.Name
			}
			spec.Panes = append(spec.Panes, p)
		}
	}
	b.openNew(spec)
	b.save("wrote deck " + name)
	b.desk.Reask()
}

// openNew shows a deck that is made.
func (b *Book) openNew(spec session.Deck) {
	d := NewNamed(b.desk, spec)
	b.named = append(b.named, d)
	b.open(d, false)
}

func (b *Book) askNew() {
	b.askName("New deck", func(name string) {
		b.openNew(session.Deck{Name: name})
		b.desk.Say("a adds a counter, W writes the deck")
	})
}

func (b *Book) askRename() {
	d := b.page()
	b.askName("Rename the deck", func(name string) {
		d.name, d.offered = name, false
		b.save("renamed to " + name)
	})
}

// mostName bounds the name of a deck, in characters.
const mostName = 64

var (
	errNoName    = errors.New("a deck needs a name")
	errNameTaken = errors.New("another deck has this name")
	errLongName  = fmt.Errorf("the name has more than %d characters", mostName)
)

// askName asks for the name of a deck that no other has.
func (b *Book) askName(title string, then func(name string)) {
	var name string
	b.desk.Send(pane.AskText{
		Title: title, Help: "a name that no other deck has",
		Done: func(text string) error {
			name = strings.TrimSpace(printable.Text(text))
			switch {
			case name == "":
				return errNoName
			case len([]rune(name)) > mostName:
				return errLongName
			case b.find(name) != nil:
				return errNameTaken
			}
			return nil
		},
		Then: func() { then(name) },
	})
}

// remove deletes the deck that is shown.
func (b *Book) remove() {
	d := b.page()
	at := slices.Index(b.named, d)
	b.named = slices.Delete(b.named, at, at+1)
	b.put(b.above[:len(b.above)-1])
	undo := func() {
		b.named = slices.Insert(b.named, min(at, len(b.named)), d)
		b.open(d, false)
		d.Reload() // hosts may have come and gone
		b.save("deck " + d.name + " is back")
	}
	b.save("")
	b.desk.Reask()
	b.desk.Did("deleted deck "+d.name, undo)
}
