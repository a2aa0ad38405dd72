package bundle

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/note"
	"perfdeck/session/files/screenlog"
	"perfdeck/session/text/printable"
)

// The forms: which fields of decks, rules, events and the log a bundle has.

// deckForm is a deck.
type deckForm struct {
	Name   string     `json:"name"`
	Layout string     `json:"layout,omitempty"`
	Panes  []paneForm `json:"panes"`
}

// paneForm has the fields of a session.DeckPane: a new one there is one to decide on here.
type paneForm struct {
	Host    string   `json:"host,omitempty"`
	Paths   []string `json:"paths"`
	Or      []string `json:"or,omitempty"`
	Also    []string `json:"also,omitempty"`
	Kind    string   `json:"kind,omitempty"`
	Limit   string   `json:"limit,omitempty"`
	Busiest int      `json:"busiest,omitempty"`
	Spare   bool     `json:"spare,omitempty"`
	AsNamed bool     `json:"as_named,omitempty"`
}

func formOfDeck(d *session.Deck) deckForm {
	out := deckForm{Name: d.Name, Layout: d.Layout}
	for _, p := range d.Panes {
		out.Panes = append(out.Panes, paneForm(p))
	}
	return out
}

// The limits of a deck, above what a person makes.
const (
	mostPanes   = 500
	mostPaths   = 2000
	mostBusiest = 1000
	// mostDeckPaths is of all decks: each alone may have mostPanes times mostPaths.
	mostDeckPaths = 50_000
	// mostPatterns is of the lists of a rule, mostAllPatterns of those of all rules.
	mostPatterns    = 2000
	mostAllPatterns = 50_000
	mostName        = 1024 // bytes
)

// deck is the deck of a form; ok is false if it is none.
func (f *deckForm) deck() (d session.Deck, ok bool) {
	d = session.Deck{Name: printable.Text(f.Name), Layout: f.Layout}
	if strings.TrimSpace(d.Name) == "" || len(f.Name) > mostName || !isLayout(f.Layout) || len(f.Panes) == 0 || len(f.Panes) > mostPanes {
		return d, false
	}
	for _, p := range f.Panes {
		if len(p.Paths) == 0 || len(p.Paths)+len(p.Or)+len(p.Also) > mostPaths || p.Busiest < 0 || p.Busiest > mostBusiest ||
			p.Kind != "" && !slices.Contains(session.PaneKinds, p.Kind) {
			return d, false
		}
		for _, text := range slices.Concat(p.Paths, p.Or, p.Also) {
			if _, err := paths.Parse(text); err != nil {
				return d, false
			}
		}
		d.Panes = append(d.Panes, session.DeckPane(p))
	}
	return d, true
}

// formOfRule is a rule with what judges and what explains it: neither its actions nor the
// text that it hands to them. As JSON it has the form that alert gives it.
func formOfRule(r *alert.Rule) alert.Rule {
	out := *r
	out.Actions, out.OnClear, out.Text, out.Origin = nil, nil, "", ""
	return out
}

// formOfEvent is an event without the actions and the text for them.
func formOfEvent(e *alert.Event) alert.Event {
	return alert.Event{
		Seq: e.Seq, Time: e.Time, Kind: e.Kind, ID: e.ID, Severity: e.Severity, Path: e.Path, Instance: e.Instance,
		Index: e.Index, Number: e.Number, Op: e.Op, Limit: e.Limit, Value: e.Value, HasValue: e.HasValue, Shown: e.Shown, ShownLimit: e.ShownLimit,
		Peak: e.Peak, Lasted: e.Lasted, Hits: e.Hits, Of: e.Of, Why: e.Why, Held: e.Held, Until: e.Until, By: e.By,
		Group: e.Group, Replacement: e.Replacement,
	}
}

// entryForm is a line of the log.
type entryForm struct {
	Time  time.Time `json:"time"`
	Level string    `json:"level"`
	Host  string    `json:"host,omitempty"`
	Text  string    `json:"text"`
}

// lines writes items, a line each.
func lines[T any](items []T, form func(*T) any) ([]byte, error) {
	var out []byte
	for i := range items {
		line, err := printable.JSONLine(form(&items[i]))
		if err != nil {
			return nil, err
		}
		out = append(out, line...)
	}
	return out, nil
}

// texts are the parts that are no recordings.
func (b *Extras) texts() ([]textPart, error) {
	var out []textPart
	var failed error
	add := func(kind string, n int, text []byte, err error) {
		if failed == nil && err != nil {
			failed = err
		}
		if n > 0 {
			out = append(out, textPart{kind, n, text})
		}
	}
	text, err := lines(b.Decks, func(d *session.Deck) any { return formOfDeck(d) })
	add(kindDecks, len(b.Decks), text, err)
	text, err = lines(b.Rules, func(r *alert.Rule) any { return formOfRule(r) })
	add(kindRules, len(b.Rules), text, err)
	text, err = lines(b.Events, func(e *alert.Event) any { return formOfEvent(e) })
	add(kindEvents, len(b.Events), text, err)
	text, err = lines(b.Log, func(e *screenlog.Entry) any { return entryForm(*e) })
	add(kindLog, len(b.Log), text, err)
	add(kindNotes, len(b.Notes), note.Lines(b.Notes), nil)
	return out, failed
}

// textPart is a part as it is written.
type textPart struct {
	kind  string
	items int
	text  []byte
}

func (p *textPart) name() string { return p.kind + ".jsonl" }

// readPart reads a part that is no recording. What cannot be read in it is left out, and
// counted.
func (b *Extras) readPart(kind string, text []byte) (damaged int) {
	if kind == kindNotes {
		b.Notes, damaged, _ = note.Read(bytes.NewReader(text)) // memory does not fail
		return damaged
	}
	var u used
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 && (len(line) > mostLine || !b.readLine(kind, line, &u)) {
			damaged++
		}
	}
	return damaged
}

// The limits of what is kept of each kind.
const (
	mostDecks   = 200
	mostRules   = 5000
	mostEvents  = alert.MostEvents
	mostEntries = 10_000
)

// used is how much the lists of decks and rules have, together.
type used struct{ paths, patterns int }

func (b *Extras) readLine(kind string, line []byte, u *used) bool {
	switch kind {
	case kindDecks:
		var f deckForm
		if json.Unmarshal(line, &f) != nil || len(b.Decks) >= mostDecks {
			return false
		}
		d, ok := f.deck()
		for _, p := range d.Panes {
			u.paths += len(p.Paths) + len(p.Or) + len(p.Also)
		}
		if ok = ok && u.paths <= mostDeckPaths; ok {
			b.Decks = append(b.Decks, d)
		}
		return ok
	case kindRules:
		var r alert.Rule
		if json.Unmarshal(line, &r) != nil || len(b.Rules) >= mostRules || !isUnderstood(line, r) {
			return false
		}
		n := len(r.Hosts) + len(r.Except) + len(r.Quiet) + len(r.Next)
		if u.patterns += n; n > mostPatterns || u.patterns > mostAllPatterns {
			return false
		}
		b.Rules = append(b.Rules, formOfRule(&r))
		return true
	case kindEvents:
		var e alert.Event
		if json.Unmarshal(line, &e) != nil || e.Time.IsZero() || len(b.Events) >= mostEvents {
			return false
		}
		b.Events = append(b.Events, formOfEvent(&e))
		return true
	case kindLog:
		var f entryForm
		if json.Unmarshal(line, &f) != nil || f.Time.IsZero() || f.Text == "" || len(b.Log) >= mostEntries || !slices.Contains(screenlog.Levels, f.Level) {
			return false
		}
		b.Log = append(b.Log, screenlog.Entry(f))
		return true
	}
	return false
}

// isUnderstood tells whether a rule is all that a line says: with a part of another version
// that nothing here has it was another rule.
func isUnderstood(line []byte, r alert.Rule) bool {
	var said, read map[string]json.RawMessage
	again, err := json.Marshal(r)
	if err != nil || json.Unmarshal(line, &said) != nil || json.Unmarshal(again, &read) != nil {
		return false
	}
	for field, value := range said {
		if _, known := read[field]; !known && !isNone(value) {
			return false
		}
	}
	return true
}

// isNone tells a value that says nothing.
func isNone(value json.RawMessage) bool {
	return slices.Contains([]string{"null", "false", "0", `""`, "[]", "{}"}, string(value))
}
