package keys

import (
	"slices"
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

// Actions is every action, in the order of the help page.
var Actions = []Action{
	{"go-deck", "1", Go, "Deck"},
	{"go-fleet", "2", Go, "Fleet"},
	{"go-top", "3", Go, "Top"},
	{"go-browser", "4", Go, "Browser"},
	{"go-chart", "5", Go, "Chart"},
	{"go-alerts", "6", Go, "Alerts"},
	{"go-hosts", "7", Go, "Hosts"},
	{"go-log", "8", Go, "Log"},
	{"go-records", "9", Go, "Records"},
	{"palette", ": ctrl+p", Go, "find anything"},
	{"open", "enter", Go, "open: one level deeper"},
	{"back", "esc", Go, "back, close, clear"},
	{"next-pane", "tab", Go, "next pane"},
	{"previous-pane", "shift+tab", Go, "previous pane"},
	{"next-host", ">", Go, "next host"},
	{"previous-host", "<", Go, "previous host"},
	{"filter", "/", Go, "filter, search"},
	{"next-match", "n", Go, "next match"},
	{"previous-match", "N", Go, "previous match"},
	{"next-alert", "!", Go, "next alert, on any screen"},
	{"help", "? f1", Go, "help"},
	{"settings", "f2", Go, "settings"},
	{"suspend", "ctrl+z", Go, "suspend"},
	{"quit", "q", Go, "quit (ctrl+c always does)"},

	{"up", "up k", Move, "up"},
	{"down", "down j", Move, "down"},
	{"left", "left h", Move, "left: column, pane, chart cursor"},
	{"right", "right l", Move, "right: column, pane, chart cursor"},
	{"page-up", "pgup", Move, "page up"},
	{"page-down", "pgdown", Move, "page down"},
	{"half-page-up", "ctrl+u", Move, "half a page up"},
	{"half-page-down", "ctrl+d", Move, "half a page down"},
	{"first", "g home", Move, "first"},
	{"last", "G end", Move, "last"},
	{"mark", "space", Move, "mark several"},

	{"chart", "c", Selected, "chart"},
	{"top", "t", Selected, "top: who causes it, at that time"},
	{"explain", "x", Selected, "explain the number"},
	{"warn", "w", Selected, "warn me: a new alert on it"},
	{"acknowledge", "A", Selected, "acknowledge its alert"},
	{"mute", "M", Selected, "mute it for a while (Alerts)"},
	{"copy", "y", Selected, "copy the path or value"},
	{"menu", "m", Selected, "menu of all of these"},
	{"follow", "f", Selected, "follow it"},
	{"retry", "R", Selected, "try its host again now"},
	{"signal", "ctrl+k", Selected, "send the process a signal (this computer, asks)"},
	{"nice", "f7 f8", Selected, "priority of the process: not changed by perfdeck"},

	{"add", "a", Change, "add here"},
	{"remove", "d delete", Change, "remove"},
	{"edit", "e", Change, "edit"},
	{"switch", "O", Change, "switch the rule, the schedules, the sets of the host off, on (Alerts, Records, Hosts)"},
	{"packs", "P", Change, "starter packs of rules (Alerts)"},
	{"undo", "u", Change, "undo"},
	{"write-deck", "W", Change, "write the deck"},
	{"decks", "D", Change, "decks"},
	{"layout", "L", Change, "layout: size, move, split panes"},
	{"wildcard", "*", Change, "wildcard here (Browser)"},
	{"combine", "&", Change, "one row of those that are marked: total, average, ..."},

	{"view", "v", View, "next view"},
	{"whole", "%", View, "the whole computer, or what may be used of it"},
	{"zoom", "z", View, "zoom the pane"},
	{"sort", "s", View, "sort by this column; again: reverse"},
	{"sort-list", "f6", View, "list of what to sort by (Top)"},
	{"columns", "o", View, "columns"},
	{"show-all", "K", View, "show background, idle and total rows too (Top)"},
	{"scale-up", "+", View, "scale up (Chart)"},
	{"scale-down", "-", View, "scale down (Chart)"},
	{"scale-to-fit", "=", View, "scale to fit (Chart); hold it, or one for each host (Deck)"},
	{"y-axis", "Y", View, "rule of the y axis (Chart)"},
	{"statistic", "V", View, "what bars and report show (Chart)"},
	{"hide", "H", View, "hide the series (Chart)"},
	{"picture", "S", View, "save what is seen as a picture: SVG, ANSI, text"},
	{"redraw", "ctrl+l", View, "redraw"},

	{"pause", "p", Time, "pause, play; recording goes on"},
	{"back-minute", "[", Time, "1 min back"},
	{"on-minute", "]", Time, "1 min on"},
	{"back-5-minutes", "{", Time, "5 min back"},
	{"on-5-minutes", "}", Time, "5 min on"},
	{"shorter-span", "(", Time, "shorter span"},
	{"longer-span", ")", Time, "longer span"},
	{"go-to-time", "@", Time, "go to a time"},
	{"now", ".", Time, "now"},
	{"interval", "i", Time, "interval; speed in replay"},
	{"record", "r", Time, "record, stop"},
	{"span", "B", Time, "begin a span at the moment that is shown; again: end it"},
	{"what-moved", "C", Time, "what moved in the span, or went along with the selected value"},
	{"note", "I", Time, "note: write down what happens"},
	{"bookmark", "b", Time, "bookmark"},
}

// fixed are the actions whose keys every terminal program has: they cannot be changed.
var fixed = []string{"suspend", "redraw"}

// aliases are keys that users of other programs press, and the keys of the table that
// they stand for. Hints and help leave them out; who gives one an action has it there.
var aliases = map[string]string{"f3": "/", "f4": "/", "f5": "v", "f9": "ctrl+k", "f10": "q"}

// ActionOf returns the action that has a key in the table, nil if none has.
func ActionOf(key string) *Action {
	if i := indexOf(key); i >= 0 {
		return &Actions[i]
	}
	return nil
}

func indexOf(key string) int {
	return slices.IndexFunc(Actions, func(a Action) bool { return a.Keys.Has(key) })
}

func indexOfName(name string) int {
	return slices.IndexFunc(Actions, func(a Action) bool { return a.Name == name })
}
