package keys

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"perfdeck/paths"
)

// Map is the keys that the user chose. It stands at the edge: what is pressed
// becomes the key of the table of actions, what is shown the key of the user.
// The nil Map changes nothing.
type Map struct {
	table map[string]string   // pressed: as the table of actions has it; "": nothing
	keys  map[string][]string // by action, of those that were changed
}

// SettingError says what is wrong with the keys that were chosen for an action.
type SettingError struct {
	Action string
	Key    string // the key that is to blame; empty: the action
	Reason string
	hint   string
}

func (e *SettingError) Error() string { return fmt.Sprintf("keys of %q: %s", e.Action, e.Why()) }

// Why is the error without the action.
func (e *SettingError) Why() string {
	if e.Key == "" {
		return e.Reason
	}
	return fmt.Sprintf("%q cannot be used: %s", e.Key, e.Reason)
}

// Hint says what can be done.
func (e *SettingError) Hint() string { return e.hint }

// NewMap makes a map from what the user chose: the keys of actions by name. The
// keys of an action replace all those it has in the table; an empty list leaves
// it without. A key that another action has in the table is taken from it. Every
// error is a *SettingError; what it is about is left as it was, the rest of the
// map is good.
func NewMap(chosen map[string][]string) (*Map, []error) {
	b := mapBuilder{chosen: map[string][]string{}}
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		b.choose(name, chosen[name])
	}
	for b.settle() { // what an error gives back may be taken by another
		continue
	}
	return b.build(), b.errs
}

type mapBuilder struct {
	chosen map[string][]string // by action
	errs   []error
}

func (b *mapBuilder) fail(action, key, reason, hint string) {
	b.errs = append(b.errs, &SettingError{Action: action, Key: key, Reason: reason, hint: hint})
}

// choose takes the keys of one action that can be used.
func (b *mapBuilder) choose(name string, keys []string) {
	i := indexOfName(name)
	if i < 0 {
		var names []string
		for _, a := range Actions() {
			names = append(names, a.Name)
		}
		hint := "perfdeck keys lists the actions"
		if near := paths.Nearest(name, names); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, ", ") + "?"
		}
		b.fail(name, "", "there is no such action", hint)
		return
	}
	if slices.Contains(fixed, name) {
		b.fail(name, "", "every terminal program has it on "+Actions()[i].Keys.First()+": it cannot be changed", "")
		return
	}
	good := []string{}
	for _, k := range keys {
		if why, instead := usable(k); why != "" {
			hint := "perfdeck keys shows how keys are written"
			if instead != "" {
				hint = fmt.Sprintf("write %q", instead)
			}
			b.fail(name, k, why, hint)
			continue
		}
		if !slices.Contains(good, k) {
			good = append(good, k)
		}
	}
	if len(good) > 0 || len(keys) == 0 {
		b.chosen[name] = good
	}
}

// settle looks for keys that two actions have, and for actions that lost their
// only key. It reports whether it changed something.
func (b *mapBuilder) settle() bool {
	owner := map[string]string{} // of the keys that were chosen
	for _, a := range Actions() {
		for _, k := range b.chosen[a.Name] {
			if other, taken := owner[k]; taken {
				b.fail(a.Name, k, fmt.Sprintf("%q has it too", other), "a key does one thing: give one of the two another key")
				b.drop(a.Name, k)
				return true
			}
			owner[k] = a.Name
		}
	}
	for _, a := range Actions() {
		if _, changed := b.chosen[a.Name]; changed || slices.ContainsFunc(a.Keys.All(), func(k string) bool { return owner[k] == "" }) {
			continue
		}
		k := a.Keys.First()
		b.fail(owner[k], k, fmt.Sprintf("it is the only key of %q", a.Name),
			fmt.Sprintf("give %q another key too, or none: %s = []", a.Name, a.Name))
		b.drop(owner[k], k)
		return true
	}
	return false
}

// drop takes back a key that was chosen for an action.
func (b *mapBuilder) drop(action, key string) {
	rest := slices.DeleteFunc(slices.Clone(b.chosen[action]), func(k string) bool { return k == key })
	if len(rest) > 0 {
		b.chosen[action] = rest
	} else {
		delete(b.chosen, action)
	}
}

func (b *mapBuilder) build() *Map {
	m := &Map{table: map[string]string{}, keys: map[string][]string{}}
	owned := map[string]bool{}
	for _, keys := range b.chosen {
		for _, k := range keys {
			owned[k] = true
		}
	}
	for _, a := range Actions() {
		keys, changed := b.chosen[a.Name]
		if !changed {
			keys = slices.DeleteFunc(a.Keys.All(), func(k string) bool { return owned[k] })
		}
		if slices.Equal(keys, a.Keys.All()) {
			continue
		}
		m.keys[a.Name] = keys
		for _, k := range a.Keys.All() { // unless somebody has it now
			if _, taken := m.table[k]; !taken && !slices.Contains(keys, k) {
				m.table[k] = ""
			}
		}
		for _, k := range keys {
			m.table[k] = k
			if !a.Keys.Has(k) {
				m.table[k] = a.Keys.First()
			}
		}
	}
	return m
}

// Canonical is the key of the table of actions for a key that was pressed, as
// tea.KeyPressMsg.String gives it; empty for a key that was given up.
func (m *Map) Canonical(pressed string) string {
	if m != nil {
		if key, changed := m.table[pressed]; changed {
			return key
		}
	}
	meant, alias := aliases[pressed]
	if a := ActionOf(meant); alias && a != nil && len(m.Keys(a.Name)) > 0 {
		return meant
	}
	return pressed
}

// Match finds the binding of a key that was pressed, in the first list that has
// it.
func (m *Map) Match(pressed string, lists ...[]Binding) *Binding {
	canonical := m.Canonical(pressed)
	for _, list := range lists {
		for i := range list {
			key := canonical
			if list[i].Fixed {
				key = pressed
			}
			if key != "" && list[i].Keys.Has(key) {
				return &list[i]
			}
		}
	}
	return nil
}

// Keys are the keys of an action.
func (m *Map) Keys(action string) []string {
	if m != nil {
		if keys, changed := m.keys[action]; changed {
			return keys
		}
	}
	if i := indexOfName(action); i >= 0 {
		return Actions()[i].Keys.All()
	}
	return nil
}

// has tells whether a key of the table still does what it does there.
func (m *Map) has(key string) bool { return m.Canonical(key) == key }

// Shown is how the user presses a key of the table: the key itself, or the one
// that was chosen instead; empty if there is none.
func (m *Map) Shown(key string) string {
	if m.has(key) {
		return written(key)
	}
	a := ActionOf(key)
	if a == nil {
		return ""
	}
	if keys := m.Keys(a.Name); len(keys) > 0 {
		return written(keys[0])
	}
	return ""
}

// written is how a key is written on screens.
func written(key string) string {
	switch {
	case key == "pgdown":
		return "pgdn"
	case len(key) > 1 && key[0] == 'f' && key[1] >= '1' && key[1] <= '9':
		return "F" + key[1:]
	}
	return key
}
