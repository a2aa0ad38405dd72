package action

import (
	"time"

	"perfdeck/session/alert"
)

// Message is a notice for programs: what a webhook gets. Its names are a contract
// with receivers; "text" is what chat services show.
type Message struct {
	Text      string    `json:"text"`
	Event     string    `json:"event"`
	Time      time.Time `json:"time"`
	Rule      string    `json:"rule"`
	Severity  string    `json:"severity"`
	Host      string    `json:"host"`
	Path      string    `json:"path,omitempty"`
	Instance  string    `json:"instance,omitempty"`
	Value     *float64  `json:"value"`
	Op        string    `json:"op,omitempty"`
	Threshold *float64  `json:"threshold,omitempty"`
	Why       string    `json:"why,omitempty"`
	Held      string    `json:"held,omitempty"` // why nobody is told now
	By        string    `json:"by,omitempty"`   // who did it, of what users do
	UserText  string    `json:"usertext,omitempty"`
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
	p := Message{
		Text: fit(n.Line()), Event: n.Kind.String(), Time: n.Time, Rule: fit(n.ID.Rule), Severity: n.Severity.String(),
		Host: fit(n.ID.Host), Path: fit(n.Path), Instance: fit(n.Instance), Value: valueOf(&n.Event), Why: fit(n.Why), Held: n.Held, By: fit(n.By), UserText: fit(n.UserText),
		ID: n.Key(), Passed: len(n.Passed), Count: n.Count(), Lost: lost,
	}
	if n.Op != 0 {
		p.Op, p.Threshold = n.Op.String(), &n.Limit
	}
	for i := range n.More[:min(len(n.More), mostListed)] {
		ev := &n.More[i]
		p.More = append(p.More, Another{ev.Key(), fit(ev.ID.Host), fit(ev.Path), fit(ev.Instance), valueOf(ev)})
	}
	return p
}

func valueOf(ev *alert.Event) *float64 {
	if !ev.HasValue {
		return nil
	}
	return &ev.Value
}
