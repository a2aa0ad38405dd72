package keys

import (
	"slices"
)

// Action is one thing that keys do. A key means the same on every screen, so
// actions and their keys are one table; the screens' bindings use these keys, and
// a Map stands between them and the keys that the user chose.
type Action struct {
	Name    string   // as the config file calls it
	Keys    []string // as tea.KeyPressMsg.String gives them; the first is shown
	Text    string   // what it does, in general: screens say it in their words
	Section Section
	Fixed   bool // every terminal program has it there: it cannot be changed
}

// Actions is every action, in the order of the help page.
var Actions = []Action{
	{Name: "go-deck", Keys: []string{"1"}, Text: "Deck", Section: Go},
	{Name: "go-fleet", Keys: []string{"2"}, Text: "Fleet", Section: Go},
	{Name: "go-top", Keys: []string{"3"}, Text: "Top", Section: Go},
	{Name: "go-browser", Keys: []string{"4"}, Text: "Browser", Section: Go},
	{Name: "go-chart", Keys: []string{"5"}, Text: "Chart", Section: Go},
	{Name: "go-alerts", Keys: []string{"6"}, Text: "Alerts", Section: Go},
	{Name: "go-hosts", Keys: []string{"7"}, Text: "Hosts", Section: Go},
	{Name: "go-log", Keys: []string{"8"}, Text: "Log", Section: Go},
	{Name: "go-records", Keys: []string{"9"}, Text: "Records", Section: Go},
	{Name: "palette", Keys: []string{":", "ctrl+p"}, Text: "find anything", Section: Go},
	{Name: "open", Keys: []string{"enter"}, Text: "open: one level deeper", Section: Go},
	{Name: "back", Keys: []string{"esc"}, Text: "back, close, clear", Section: Go},
	{Name: "next-pane", Keys: []string{"tab"}, Text: "next pane", Section: Go},
	{Name: "previous-pane", Keys: []string{"shift+tab"}, Text: "previous pane", Section: Go},
	{Name: "next-host", Keys: []string{">"}, Text: "next host", Section: Go},
	{Name: "previous-host", Keys: []string{"<"}, Text: "previous host", Section: Go},
	{Name: "filter", Keys: []string{"/"}, Text: "filter, search", Section: Go},
	{Name: "next-match", Keys: []string{"n"}, Text: "next match", Section: Go},
	{Name: "previous-match", Keys: []string{"N"}, Text: "previous match", Section: Go},
	{Name: "next-alert", Keys: []string{"!"}, Text: "next alert, on any screen", Section: Go},
	{Name: "help", Keys: []string{"?", "f1"}, Text: "help", Section: Go},
	{Name: "settings", Keys: []string{"f2"}, Text: "settings", Section: Go},
	{Name: "suspend", Keys: []string{"ctrl+z"}, Text: "suspend", Section: Go, Fixed: true},
	{Name: "quit", Keys: []string{"q"}, Text: "quit (ctrl+c always does)", Section: Go},

	{Name: "up", Keys: []string{"up", "k"}, Text: "up", Section: Move},
	{Name: "down", Keys: []string{"down", "j"}, Text: "down", Section: Move},
	{Name: "left", Keys: []string{"left", "h"}, Text: "left: column, pane, chart cursor", Section: Move},
	{Name: "right", Keys: []string{"right", "l"}, Text: "right: column, pane, chart cursor", Section: Move},
	{Name: "page-up", Keys: []string{"pgup"}, Text: "page up", Section: Move},
	{Name: "page-down", Keys: []string{"pgdown"}, Text: "page down", Section: Move},
	{Name: "half-page-up", Keys: []string{"ctrl+u"}, Text: "half a page up", Section: Move},
	{Name: "half-page-down", Keys: []string{"ctrl+d"}, Text: "half a page down", Section: Move},
	{Name: "first", Keys: []string{"g", "home"}, Text: "first", Section: Move},
	{Name: "last", Keys: []string{"G", "end"}, Text: "last", Section: Move},
	{Name: "mark", Keys: []string{"space"}, Text: "mark several", Section: Move},

	{Name: "chart", Keys: []string{"c"}, Text: "chart", Section: Selected},
	{Name: "top", Keys: []string{"t"}, Text: "top: who causes it, at that time", Section: Selected},
	{Name: "explain", Keys: []string{"x"}, Text: "explain the number", Section: Selected},
	{Name: "warn", Keys: []string{"w"}, Text: "warn me: a new alert on it", Section: Selected},
	{Name: "acknowledge", Keys: []string{"A"}, Text: "acknowledge its alert", Section: Selected},
	{Name: "mute", Keys: []string{"M"}, Text: "mute it for a while (Alerts)", Section: Selected},
	{Name: "copy", Keys: []string{"y"}, Text: "copy the path or value", Section: Selected},
	{Name: "menu", Keys: []string{"m"}, Text: "menu of all of these", Section: Selected},
	{Name: "follow", Keys: []string{"f"}, Text: "follow it", Section: Selected},
	{Name: "retry", Keys: []string{"R"}, Text: "try its host again now", Section: Selected},
	{Name: "signal", Keys: []string{"ctrl+k"}, Text: "send the process a signal (this computer, asks)", Section: Selected},
	{Name: "nice", Keys: []string{"f7", "f8"}, Text: "priority of the process: not changed by perfdeck", Section: Selected},

	{Name: "add", Keys: []string{"a"}, Text: "add here", Section: Change},
	{Name: "remove", Keys: []string{"d", "delete"}, Text: "remove", Section: Change},
	{Name: "edit", Keys: []string{"e"}, Text: "edit", Section: Change},
	{Name: "switch", Keys: []string{"O"}, Text: "switch the rule, the schedules off, on (Alerts, Records)", Section: Change},
	{Name: "packs", Keys: []string{"P"}, Text: "starter packs of rules (Alerts)", Section: Change},
	{Name: "undo", Keys: []string{"u"}, Text: "undo", Section: Change},
	{Name: "write-deck", Keys: []string{"W"}, Text: "write the deck", Section: Change},
	{Name: "decks", Keys: []string{"D"}, Text: "decks", Section: Change},
	{Name: "layout", Keys: []string{"L"}, Text: "layout: size, move, split panes", Section: Change},
	{Name: "wildcard", Keys: []string{"*"}, Text: "wildcard here (Browser)", Section: Change},
	{Name: "combine", Keys: []string{"&"}, Text: "one row of those that are marked: total, average, ...", Section: Change},

	{Name: "view", Keys: []string{"v"}, Text: "next view", Section: View},
	{Name: "whole", Keys: []string{"%"}, Text: "the whole computer, or what may be used of it", Section: View},
	{Name: "zoom", Keys: []string{"z"}, Text: "zoom the pane", Section: View},
	{Name: "sort", Keys: []string{"s"}, Text: "sort by this column; again: reverse", Section: View},
	{Name: "sort-list", Keys: []string{"f6"}, Text: "list of what to sort by (Top)", Section: View},
	{Name: "columns", Keys: []string{"o"}, Text: "columns", Section: View},
	{Name: "show-all", Keys: []string{"K"}, Text: "show background, idle and total rows too (Top)", Section: View},
	{Name: "scale-up", Keys: []string{"+"}, Text: "scale up (Chart)", Section: View},
	{Name: "scale-down", Keys: []string{"-"}, Text: "scale down (Chart)", Section: View},
	{Name: "scale-to-fit", Keys: []string{"="}, Text: "scale to fit (Chart); hold it, or one for each host (Deck)", Section: View},
	{Name: "y-axis", Keys: []string{"Y"}, Text: "rule of the y axis (Chart)", Section: View},
	{Name: "statistic", Keys: []string{"V"}, Text: "what bars and report show (Chart)", Section: View},
	{Name: "hide", Keys: []string{"H"}, Text: "hide the series (Chart)", Section: View},
	{Name: "picture", Keys: []string{"S"}, Text: "save what is seen as a picture: SVG, ANSI, text", Section: View},
	{Name: "redraw", Keys: []string{"ctrl+l"}, Text: "redraw", Section: View, Fixed: true},

	{Name: "pause", Keys: []string{"p"}, Text: "pause, play; recording goes on", Section: Time},
	{Name: "back-minute", Keys: []string{"["}, Text: "1 min back", Section: Time},
	{Name: "on-minute", Keys: []string{"]"}, Text: "1 min on", Section: Time},
	{Name: "back-5-minutes", Keys: []string{"{"}, Text: "5 min back", Section: Time},
	{Name: "on-5-minutes", Keys: []string{"}"}, Text: "5 min on", Section: Time},
	{Name: "shorter-span", Keys: []string{"("}, Text: "shorter span", Section: Time},
	{Name: "longer-span", Keys: []string{")"}, Text: "longer span", Section: Time},
	{Name: "go-to-time", Keys: []string{"@"}, Text: "go to a time", Section: Time},
	{Name: "now", Keys: []string{"."}, Text: "now", Section: Time},
	{Name: "interval", Keys: []string{"i"}, Text: "interval; speed in replay", Section: Time},
	{Name: "record", Keys: []string{"r"}, Text: "record, stop", Section: Time},
	{Name: "span", Keys: []string{"B"}, Text: "begin a span at the moment that is shown; again: end it", Section: Time},
	{Name: "what-moved", Keys: []string{"C"}, Text: "what moved in the span, or went along with the selected value", Section: Time},
	{Name: "note", Keys: []string{"I"}, Text: "note: write down what happens", Section: Time},
	{Name: "bookmark", Keys: []string{"b"}, Text: "bookmark", Section: Time},
}

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
	return slices.IndexFunc(Actions, func(a Action) bool { return slices.Contains(a.Keys, key) })
}
