package bundle

import (
	"bytes"
	"cmp"
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

// The forms: what of rules and events a bundle has. Decks and the log say by their own tags what others
// are given.

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

// isDeck tells what can be shown as a deck.
func isDeck(d *session.Deck) bool {
	return strings.TrimSpace(printable.Text(d.Name)) != "" && len(d.Name) <= mostName && isLayout(d.Layout) && len(d.Panes) > 0 && len(d.Panes) <= mostPanes &&
		!slices.ContainsFunc(d.Panes, func(p session.DeckPane) bool {
			of := slices.Concat(p.Paths, p.Or, p.Also)
			return len(p.Paths) == 0 || len(of) > mostPaths || p.Busiest < 0 || p.Busiest > mostBusiest || p.Kind != "" && !slices.Contains(session.PaneKinds, p.Kind) ||
				slices.ContainsFunc(of, func(text string) bool { _, err := paths.Parse(text); return err != nil })
		})
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
	out := *e
	out.Actions, out.UserText, out.RuleWhy, out.Next, out.Open, out.Rule, out.Since = nil, "", "", nil, "", nil, time.Time{}
	return out
}

// texts are the parts that are no recordings.
func (b *Extras) texts() (out []textPart, err error) {
	all := []textPart{
		partOf(kindDecks, b.Decks), partOf(kindRules, b.Rules), partOf(kindEvents, b.Events), partOf(kindLog, b.Log),
		{kind: kindNotes, items: len(b.Notes), text: note.Lines(b.Notes)},
	}
	for _, p := range all {
		if err = cmp.Or(err, p.err); p.items > 0 {
			out = append(out, p)
		}
	}
	return out, err
}

// partOf has a line for each item.
func partOf[T any](kind string, items []T) textPart {
	p := textPart{kind: kind, items: len(items)}
	for i := range items {
		line, err := printable.JSONLine(&items[i])
		p.text, p.err = append(p.text, line...), cmp.Or(p.err, err)
	}
	return p
}

// textPart is a part as it is written.
type textPart struct {
	kind  string
	items int
	text  []byte
	err   error
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
		return readItem(line, &b.Decks, mostDecks, func(d *session.Deck) bool {
			if !isDeck(d) {
				return false
			}
			for _, p := range d.Panes {
				u.paths += len(p.Paths) + len(p.Or) + len(p.Also)
			}
			d.Name = printable.Text(d.Name)
			return u.paths <= mostDeckPaths
		})
	case kindRules:
		return readItem(line, &b.Rules, mostRules, func(r *alert.Rule) bool {
			if !isUnderstood(line, *r) {
				return false
			}
			n := len(r.Hosts) + len(r.Except) + len(r.Quiet) + len(r.Next)
			u.patterns += n
			*r = formOfRule(r)
			return n <= mostPatterns && u.patterns <= mostAllPatterns
		})
	case kindEvents:
		return readItem(line, &b.Events, mostEvents, func(e *alert.Event) bool {
			*e = formOfEvent(e)
			return !e.Time.IsZero()
		})
	case kindLog:
		return readItem(line, &b.Log, mostEntries, func(e *screenlog.Entry) bool {
			return !e.Time.IsZero() && e.Text != "" && slices.Contains(screenlog.Levels, e.Level)
		})
	}
	return false
}

// readItem adds the item of a line to those of its kind, if there is room and it fits.
func readItem[T any](line []byte, to *[]T, most int, fits func(*T) bool) bool {
	var one T
	if json.Unmarshal(line, &one) != nil || len(*to) >= most || !fits(&one) {
		return false
	}
	*to = append(*to, one)
	return true
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
