package bundle

import (
	"regexp"
	"slices"
	"strings"

	"perfdeck/session/system/lazy"
)

// Free text, as names of rules, notes and lines of the log, may quote what no field of a
// bundle has. Here is what is cut out of it.

// cut stands for what was cut out.
const cut = "…"

// secrets are forms of what is cut; the first group of each stays.
var secrets = []func() *regexp.Regexp{
	// An address: of a webhook it is a secret, and it may hold a password.
	lazy.Regexp(`(?i)\b((?:https?|wss?|ftps?|smtps?|ldaps?|amqps?|mongodb(?:\+srv)?|postgres(?:ql)?|mysql|redis|jdbc:[a-z0-9]+|git|file)://)[^\s"'<>]+`),
	// The user and the password in any other one.
	lazy.Regexp(`(?i)\b([a-z][a-z0-9+.-]*://)[^\s/"'<>@]+@`),
	lazy.Regexp(`(?i)\b((?:bearer|basic|digest|negotiate)\s+)[A-Za-z0-9+/._~=-]{6,}`),
	// password=..., "token": "...", --secret ..., api-key: ...
	lazy.Regexp(`(?i)((?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|authorization|credentials?|cookie|session[-_ ]?id|pin)["']?\s*(?:[:=]|\bis\b)\s*)(?:"[^"]*"|'[^']*'|\S+)`),
	lazy.Regexp(`(?i)(--?(?:pass(?:word|wd)?|pwd|secret|token|api-?key)\s+)\S+`),
	// Keys of well-known services, and what looks as drawn by lot.
	lazy.Regexp(`()\b(?:gh[pousr]_|glpat-|xox[abeprs]-|sk-|AKIA|ASIA|eyJ)[A-Za-z0-9_.-]{8,}`),
	lazy.Regexp(`()-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`),
}

// lots is a long word; it is cut if it has capitals, small letters and digits.
var lots = lazy.Regexp(`[A-Za-z0-9+/_=]{20,}`)

// cleaner cuts out secrets.
type cleaner struct{ known *strings.Replacer }

// leastWithheld is how long a text of the config is at least that is cut out wherever it
// stands: shorter ones are parts of words.
const leastWithheld = 4

func newCleaner(withheld []string) *cleaner {
	withheld = slices.Clone(withheld)
	slices.SortFunc(withheld, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, text := range slices.Compact(withheld) {
		if len(text) >= leastWithheld {
			pairs = append(pairs, text, cut)
		}
	}
	return &cleaner{strings.NewReplacer(pairs...)}
}

// clean is a text without secrets.
func (c *cleaner) clean(text string) string {
	text = c.known.Replace(text)
	for _, form := range secrets {
		text = form().ReplaceAllString(text, "${1}"+cut)
	}
	return lots().ReplaceAllStringFunc(text, func(word string) string {
		if strings.ContainsAny(word, "0123456789") && strings.ToLower(word) != word && strings.ToUpper(word) != word {
			return cut
		}
		return word
	})
}
