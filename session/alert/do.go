package alert

import (
	"fmt"
	"slices"
	"strings"
)

// Do is a kind of action.
type Do uint8

// The kinds of actions.
const (
	Log          Do = iota // a line in the log: every event has one anyway
	Bell                   // the terminal's bell
	Title                  // the terminal's window title
	Desktop                // a notification of the desktop, through the terminal
	File                   // a line in a file
	Syslog                 // the system's log
	Webhook                // a JSON POST
	Alertmanager           // what fires, again and again, and its end
	Task                   // a program
	Record                 // start a recording
	StopRecord             // stop it
)

// doings are the words of the actions; named ones have what they mean behind a
// colon.
var doings = [...]struct {
	word  string
	named string // what the name is; empty: there is none
}{
	Log:          {"log", ""},
	Bell:         {"bell", ""},
	Title:        {"title", ""},
	Desktop:      {"desktop", ""},
	File:         {"file", "FILE"},
	Syslog:       {"syslog", ""},
	Webhook:      {"webhook", "NAME"},
	Alertmanager: {"alertmanager", "NAME"},
	Task:         {"task", "NAME"},
	Record:       {"record", "NAME"},
	StopRecord:   {"stop-record", "NAME"},
}

// Action is one thing to do: "bell", "task:page".
type Action struct {
	Do   Do
	Name string // of the file, task, webhook or recording
}

// ParseAction reads an action.
func ParseAction(text string) (a Action, ok bool) {
	word, name, named := strings.Cut(text, ":")
	i := slices.IndexFunc(doings[:], func(d struct{ word, named string }) bool { return d.word == word })
	if i < 0 || named != (doings[i].named != "") || named && strings.TrimSpace(name) == "" {
		return Action{}, false
	}
	return Action{Do(i), strings.TrimSpace(name)}, true
}

// Actions are the forms of all actions, for messages.
func Actions() []string {
	forms := make([]string, len(doings))
	for i, d := range doings {
		if forms[i] = d.word; d.named != "" {
			forms[i] += ":" + d.named
		}
	}
	return forms
}

// String is the action as ParseAction reads it.
func (a Action) String() string {
	if int(a.Do) >= len(doings) {
		return fmt.Sprintf("action %d", a.Do)
	}
	d := doings[a.Do]
	if d.named == "" {
		return d.word
	}
	return d.word + ":" + a.Name
}

// Short is the action for a narrow column: a named one by its name.
func (a Action) Short() string {
	if a.Name != "" {
		return a.Name
	}
	return a.String()
}
