package alert

import (
	"fmt"
	"slices"
	"strings"
	"time"
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
	StartSet               // start a data collector set of a host
	StopSet                // stop it
)

// Place is where an action is done.
type Place uint8

// The places.
const (
	OnTerminal Place = iota // with all that the event is told by
	InTurn                  // in an instant, one after the other
	OfItsOwn                // it may take long: each name has a queue
)

// fileName stands for the name of a file.
const fileName = "FILE"

// doings are the words of the actions, with where they are done; named ones have what they
// mean behind a colon. What is kept is still done by the next perfdeck that watches alerts.
var doings = [...]struct {
	word  string
	named string // what the name is; empty: there is none
	place Place
	kept  bool
}{
	Log:          {"log", "", OnTerminal, false},
	Bell:         {"bell", "", OnTerminal, false},
	Title:        {"title", "", OnTerminal, false},
	Desktop:      {"desktop", "", OnTerminal, false},
	File:         {"file", fileName, InTurn, true},
	Syslog:       {"syslog", "", InTurn, true},
	Webhook:      {"webhook", "NAME", OfItsOwn, true},
	Alertmanager: {"alertmanager", "NAME", OfItsOwn, true},
	Task:         {"task", "NAME", OfItsOwn, true},
	Record:       {"record", "NAME", InTurn, false},
	StopRecord:   {"stop-record", "NAME", InTurn, false},
	StartSet:     {"start-set", `HOST\NAME`, OfItsOwn, true},
	StopSet:      {"stop-set", `HOST\NAME`, OfItsOwn, true},
}

// Place is where an action is done.
func (d Do) Place() Place { return doings[d].place }

// NamesFile tells that the name of such an action is that of a file.
func (d Do) NamesFile() bool { return doings[d].named == fileName }

// IsKept tells what is delivered from what is done in this program or not at all.
func (d Do) IsKept() bool { return doings[d].kept }

// Action is one thing to do: "bell", "task:page".
type Action struct {
	Do   Do
	Name string // of the file, task, webhook, recording or set
}

// ParseAction reads an action.
func ParseAction(text string) (a Action, ok bool) {
	word, name, named := strings.Cut(text, ":")
	i := -1
	for n := range doings {
		if doings[n].word == word {
			i = n
		}
	}
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

// Firing are the alerts of which an action told that they fire, as events with their value
// of now, for who repeats that: at the time since when they fire, acknowledged ones as Acked
// with By. What nobody was told of so far is left out, and what is muted now. Who is told
// goes on to be told in quiet hours, but for what began in them.
func (g *Engine) Firing(do Do) (out []Event) {
	e := g.lock()
	defer g.unlock()
	for _, name := range e.order {
		for _, s := range e.hosts[name].those(func(s *series) bool { return e.isTold(s, do) }) {
			ev := e.event(s, Fired)
			ev.Time, ev.Actions = s.since.Wall, s.rule.Actions
			if s.state == Acknowledged {
				ev.Kind, ev.By = Acked, s.by
			}
			out = append(out, ev)
		}
	}
	return out
}

// isTold tells whether an alert is one of Firing.
func (e *evaluator) isTold(s *series, do Do) bool {
	if s.state < Acknowledged || s.held || !s.rule.does(do) || e.mutedUntil(s).After(e.now.Wall) {
		return false
	}
	// What was acknowledged before anybody was told is not held back any more.
	return s.state == Firing || !s.rule.quietAt(e.now.Wall, e.zone) || !s.rule.quietAt(s.since.Wall, e.zone) || e.now.Wall.Sub(s.since.Wall) > day
}

// Fires tells whether other alerts of a rule than some still fire, whose end is told by an action.
// What nobody has looked at since an earlier run fires as it did then.
func (g *Engine) Fires(rule string, do Do, but ...ID) bool {
	e := g.lock()
	defer g.unlock()
	r := e.byName[rule]
	if r == nil || !r.does(do) {
		return false
	}
	for _, h := range e.hosts {
		for id, s := range h.byID {
			if s.rule == r && !slices.Contains(but, id) && e.isTold(s, do) {
				return true
			}
		}
	}
	for id, was := range e.kept.Alerts {
		if id.Rule == rule && was.State >= Acknowledged && !was.Held && !slices.Contains(but, id) {
			return true
		}
	}
	return false
}

const day = 24 * time.Hour

// does tells whether a rule has an action.
func (r *Rule) does(do Do) bool {
	return slices.ContainsFunc(r.Actions, func(a Action) bool { return a.Do == do })
}

// endActions are what is done at the end: an Alertmanager that was told of the alert is
// told of its end, too.
func (r *Rule) endActions() []Action {
	out := slices.Clip(r.OnClear)
	for _, a := range r.Actions {
		if a.Do == Alertmanager && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}
