package journal

import (
	"slices"
	"strings"

	"perfdeck/tui/pane"
)

// search is words that an entry must hold, in its text or the name of its host:
//
//	refused
//	host:srv1 !retry
//	level:warning timeout
type search struct {
	text  string
	terms []term
}

// term is one condition.
type term struct {
	field string // "host" or "level"; empty: text and host
	text  string // lower case
	not   bool
}

// parseSearch reads a search. Every text is one.
func parseSearch(text string) search {
	s := search{text: strings.TrimSpace(text)}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		t := term{text: word}
		if bare, not := strings.CutPrefix(word, "!"); not && bare != "" {
			t.text, t.not = bare, true
		}
		for _, field := range []string{"host", "level"} {
			if value, ok := strings.CutPrefix(t.text, field+":"); ok && value != "" {
				t.field, t.text = field, value
			}
		}
		s.terms = append(s.terms, t)
	}
	return s
}

// finds tells whether an entry fits.
func (s search) finds(e *pane.Entry) bool {
	return !slices.ContainsFunc(s.terms, func(t term) bool { return t.holds(e) == t.not })
}

func (t *term) holds(e *pane.Entry) bool {
	switch t.field {
	case "host":
		return holds(e.Host, t.text)
	case "level":
		return e.Level > pane.Info && strings.HasPrefix(levelWords[min(e.Level, pane.Critical)], t.text)
	}
	return holds(e.Text, t.text) || holds(e.Host, t.text)
}

func holds(text, part string) bool { return strings.Contains(strings.ToLower(text), part) }

// words are those that are to be marked in a text.
func (s search) words() []string {
	var out []string
	for i := range s.terms {
		if t := &s.terms[i]; t.field == "" && !t.not {
			out = append(out, t.text)
		}
	}
	return out
}
