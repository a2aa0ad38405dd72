package deck

import (
	"fmt"
	"slices"

	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/tui/pane"
)

// merging are rows that are to become one: of one counter of one host.
type merging struct {
	pane.Target // of which they are instances

	instances []session.Instance
	texts     []string // paths of which all rows are marked
}

// merging are the marked rows, and why they cannot become one.
func (d *Deck) merging() (m merging, why string) {
	stays := map[string]bool{} // paths with a row that is not marked, or that may mean others later
	for p, b := range d.panes {
		for i := range b.lines {
			l := &b.lines[i]
			text := l.item.text
			if !d.marks[l.id()] || l.item.missing || l.row < 0 {
				stays[text] = true
				continue
			}
			t := d.targetOf(p, i)
			t.Key, t.Used = m.Key, false
			if m.Host != nil && m.Target != t {
				return m, "rows of one counter of one host become one: others are marked too"
			}
			m.Target = t
			stays[text] = stays[text] || l.item.sel.Wild
			m.texts = append(m.texts, text)
			if view := b.host.Then(d.desk.At).Set(t.Set); view != nil && l.row < len(view.Rows) {
				m.instances = append(m.instances, view.Rows[l.row].Instance)
			}
		}
	}
	if m.instances = pane.Mergeable(m.instances); len(m.instances) < 2 {
		return m, pane.ErrTooFew.Error()
	}
	m.texts = slices.DeleteFunc(m.texts, func(text string) bool { return stays[text] })
	return m, ""
}

func (d *Deck) whyNotCombine() string {
	_, why := d.merging()
	return why
}

// combine makes one row of those that are marked, on several decks, of which memory keeps
// what they are. What has a row by a path of its own leaves them; a wildcard stays.
func (d *Deck) combine(on []*Deck, memory func() func()) {
	m, _ := d.merging()
	pane.CombineMenu(d.desk, m.instances, []*session.Counter{&m.Set.Counters[m.Counter]}, func(name string) {
		made := session.Instance{Key: session.InstanceKey{Name: name}}
		path := session.PathOf("", m.Set, m.Counter, &made).String()
		undo := memory()
		for _, other := range on {
			if !other.loaded {
				continue // it is filled with what the others show
			}
			switch err := other.put(m.Host, path, other.isLasting()); {
			case err == nil:
				clear(other.marks)
				for _, text := range m.texts {
					other.drop(text, other.panes)
				}
				other.choose(func(_ *block, l *line) bool { return l.item.text == path })
			case other == d: // another host may have no such counter
				d.desk.Say(printable.Text(err.Error()))
				return
			}
		}
		d.desk.Reask()
		d.desk.Did(fmt.Sprintf("%d rows are one", len(m.instances)), undo)
	})
}
