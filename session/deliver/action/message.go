package action

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"perfdeck/cooker"
	"perfdeck/session/alert"
)

// Message is all that programs are told of a notice, each thing once: a webhook gets it as
// JSON, whose names are a contract with receivers. The same names, and those of the tag "also",
// which are MS-PLA's, stand in braces in the arguments of tasks and behind PERFDECK_ALERT_ in
// their environment; those of the tag "annotation" are an Alertmanager's.
type Message struct {
	Text      string    `json:"text" annotation:"summary"` // what chat services show
	Event     string    `json:"event" annotation:"event"`
	Time      time.Time `json:"time" also:"date"`
	Rule      string    `json:"rule" also:"name"`
	Severity  string    `json:"severity"`
	Host      string    `json:"host"`
	Path      string    `json:"path,omitempty" annotation:"path"`
	Counter   string    `json:"-" also:"counter"` // the path, or the host
	Instance  string    `json:"instance,omitempty" annotation:"instance"`
	Value     *float64  `json:"value"`
	Op        string    `json:"op,omitempty" annotation:"op"` // alert.Event.Relation
	Threshold *float64  `json:"threshold,omitempty"`
	Shown     string    `json:"shown,omitempty" annotation:"value"`     // the value with its unit
	Limit     string    `json:"limit,omitempty" annotation:"threshold"` // "> 25.0 ms"
	Why       string    `json:"why,omitempty" annotation:"why"`         // that of the rule; of one without, the reason
	Reason    string    `json:"reason,omitempty" annotation:"reason"`   // of an end, and of absence
	Next      []string  `json:"next,omitempty" annotation:"next"`       // what to look at
	Graph     string    `json:"graph,omitempty" annotation:"graph"`     // the command that shows it
	Held      string    `json:"held,omitempty"`                         // why nobody is told now
	By        string    `json:"by,omitempty"`                           // who did it, of what users do
	UserText  string    `json:"usertext,omitempty" annotation:"text"`
	ID        string    `json:"id"` // the same if it is sent again
	Count     int       `json:"count"`
	More      []Another `json:"more,omitempty"`
	Passed    int       `json:"passed,omitempty"` // events of alerts that came and went, not told one by one
	Lost      int       `json:"lost,omitempty"`   // notices that could not be sent before
}

// mostListed bounds the events of a storm that are sent.
const mostListed = 500

// Another is an event that is told together with others.
type Another struct {
	ID       string   `json:"id"`
	Host     string   `json:"host"`
	Path     string   `json:"path,omitempty"`
	Instance string   `json:"instance,omitempty"`
	Value    *float64 `json:"value"`
}

// MessageOf is a notice for programs. lost is how many could not be sent before.
func MessageOf(n *alert.Notice, lost int) Message {
	m := Message{
		Text: fit(n.Line()), Event: n.Kind.String(), Time: n.Time, Rule: fit(n.ID.Rule), Severity: n.Severity.String(),
		Host: fit(n.ID.Host), Path: fit(n.Path), Counter: fit(cmp.Or(n.Path, `\\`+n.ID.Host)), Instance: fit(n.Instance), Value: n.Value,
		Why: fit(cmp.Or(n.RuleWhy, n.Why)), Reason: fit(n.Why), Graph: graphOf(&n.Event), Held: n.Held, By: fit(n.By), UserText: fit(n.UserText),
		ID: n.Key(), Passed: len(n.Passed), Count: n.Count(), Lost: lost,
	}
	for _, text := range n.Next {
		m.Next = append(m.Next, fit(text))
	}
	if n.Value != nil {
		m.Shown = fit(n.Shown)
	}
	if n.Op != 0 {
		m.Op, m.Threshold = n.Relation(), &n.Limit
		m.Limit = fit(m.Op + " " + n.ShownLimit)
	}
	for i := range n.More[:min(len(n.More), mostListed)] {
		ev := &n.More[i]
		m.More = append(m.More, Another{ev.Key(), fit(ev.ID.Host), fit(ev.Path), fit(ev.Instance), ev.Value})
	}
	return m
}

// each calls f with all that the message tells by one name of it: those of a tag.
func (m *Message) each(tag string, f func(name, text string)) {
	v := reflect.ValueOf(*m)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get(tag), ",")
		if text, ok := textOf(v.Field(i).Interface()); ok && name != "" && name != "-" {
			f(name, text)
		}
	}
}

// textOf is one thing that is told as a program reads it, with all digits of numbers.
func textOf(told any) (text string, ok bool) {
	switch told := told.(type) {
	case string:
		return told, true
	case []string:
		return strings.Join(told, " "), true
	case int:
		return strconv.Itoa(told), true
	case time.Time:
		return told.Format(time.RFC3339), true
	case *float64:
		if told == nil {
			return "", true
		}
		return cooker.Machine(*told), true
	}
	return "", false
}

// variables is what tasks may name.
func variables(n *alert.Notice) map[string]string {
	m, out := MessageOf(n, 0), map[string]string{}
	for _, tag := range [...]string{"json", "also"} {
		m.each(tag, func(name, text string) { out[name] = text })
	}
	return out
}

// graphOf is the command that shows the screens of what an event is about, as shells of
// POSIX and PowerShell read it; empty: it is not watched live.
func graphOf(ev *alert.Event) string {
	if ev.Open == "" {
		return ""
	}
	words := []string{"--host=" + ev.Open}
	if ev.Path != "" {
		words = append(words, ev.Path)
	}
	for i, word := range words {
		if strings.ContainsFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-.:/@_=", r)
		}) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return fit("perfdeck " + strings.Join(words, " "))
}
