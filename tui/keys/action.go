package keys

import (
	_ "embed" // the actions
	"slices"
	"strings"
	"sync"

	"perfdeck/session/text/sheet"
)

// Action is one thing that keys do. A key means the same on every screen, so
// actions and their keys are one table; the screens' bindings use these keys, and
// a Map stands between them and the keys that the user chose.
type Action struct {
	Name    string // as the config file calls it
	Keys    List
	Section Section
	Text    string // what it does, in general: screens say it in their words
}

//go:embed actions.txt
var actionText string

// Actions is every action, in the order of the help page.
var Actions = sync.OnceValue(func() (out []Action) {
	for r := range sheet.Rows(actionText) {
		out = append(out, Action{r.Name, List(strings.ReplaceAll(r.Words[0], ",", " ")), Section(r.Part), r.After(1)})
	}
	return out
})

// fixed are the actions whose keys every terminal program has: they cannot be changed.
var fixed = []string{"suspend", "redraw"}

// aliases are keys that users of other programs press, and the keys of the table that
// they stand for. Hints and help leave them out; who gives one an action has it there.
var aliases = map[string]string{"f3": "/", "f4": "/", "f5": "v", "f9": "ctrl+k", "f10": "q"}

// ActionOf returns the action that has a key in the table, nil if none has.
func ActionOf(key string) *Action {
	if i := indexOf(key); i >= 0 {
		return &Actions()[i]
	}
	return nil
}

// places are where the keys stand in Actions.
var places = sync.OnceValue(func() map[string]int {
	out := map[string]int{}
	for i, a := range Actions() {
		for _, key := range a.Keys.All() {
			out[key] = i
		}
	}
	return out
})

func indexOf(key string) int {
	if i, is := places()[key]; is {
		return i
	}
	return -1
}

func indexOfName(name string) int {
	return slices.IndexFunc(Actions(), func(a Action) bool { return a.Name == name })
}
