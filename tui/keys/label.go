package keys

import (
	"cmp"
	"slices"
	"strings"
)

// families are words of labels that stand for several keys.
var families = map[string]List{
	"arrows": "up down left right",
	"hjkl":   "h j k l",
	"1-9":    "1 2 3 4 5 6 7 8 9",
	"F1":     "f1",
	"F2":     "f2",
	"F6":     "f6",
	"F7":     "f7",
	"F8":     "f8",
	"pgdn":   "pgdown",
}

// Label is how the keys of a binding are written for the user: as the binding
// says while they are those of the table, else the keys that were chosen. It is
// empty if there is none.
func (m *Map) Label(b *Binding) string {
	if m == nil || len(m.keys) == 0 || b.Fixed {
		return b.Label()
	}
	if b.Show == "" {
		for _, k := range b.Keys.All() {
			if shown := m.Shown(k); shown != "" {
				return shown
			}
		}
		return ""
	}
	return m.Words(b.Show)
}

// Words writes a label, keys of the table between blanks, for the user: "[ ]",
// "hjkl arrows".
func (m *Map) Words(label string) string {
	if m == nil || len(m.keys) == 0 {
		return label
	}
	words := strings.Fields(label)
	var out []string
	for _, word := range words {
		for _, shown := range m.word(word, words) {
			if !slices.Contains(out, shown) {
				out = append(out, shown)
			}
		}
	}
	return strings.Join(out, " ")
}

// word is how one word of a label is written.
func (m *Map) word(word string, label []string) (out []string) {
	members := cmp.Or(families[word], List(word)).All()
	if word == "arrows" {
		members = arrowsOf(label)
	}
	if !slices.ContainsFunc(members, func(k string) bool { return !m.has(k) }) {
		return []string{word}
	}
	for _, k := range members {
		if shown := m.Shown(k); shown != "" {
			out = append(out, shown)
		}
	}
	return out
}

// arrowsOf are the arrow keys that a label means: with "j k" those up and down.
func arrowsOf(label []string) (out []string) {
	for _, word := range label {
		for _, k := range append([]string{word}, families[word].All()...) {
			if a := ActionOf(k); a != nil && word != "arrows" && families["arrows"].Has(a.Keys.First()) {
				out = append(out, a.Keys.First())
			}
		}
	}
	if len(out) == 0 {
		return families["arrows"].All()
	}
	return out
}

// Help is one line of the help page.
type Help struct {
	Keys, Text string
	Of         *Binding
	order      int // in the table of actions
}

// HelpOf lists the bindings of one section with the user's keys, each text once,
// in the order of the table of actions. What has no key, or only such as mean something
// else in a list before, is left out. A nil map has the keys of the table.
func (m *Map) HelpOf(section Section, maps ...[]Binding) (out []Help) {
	for n, bindings := range maps {
		reaches := func(key string) bool { return Match(key, maps[:n]...) == nil }
		for i := range bindings {
			b := &bindings[i]
			if b.In() != section || !slices.ContainsFunc(b.Keys.All(), reaches) || slices.ContainsFunc(out, func(h Help) bool { return h.Text == b.Text }) {
				continue
			}
			if label := m.Label(b); label != "" {
				out = append(out, Help{Keys: label, Text: b.Text, Of: b, order: indexOf(b.Keys.First())})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Help) int { return cmp.Compare(a.order, b.order) })
	return out
}
