package bundle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/system/lazy"
)

// Free text, as names of rules, notes and lines of the log, may quote what no field of a
// bundle has. Here is what is cut out of it.

// cut stands for what was cut out.
const cut = "…"

// secrets are forms of what is cut; the first group of each stays.
var secrets = []func() *regexp.Regexp{
	// An address: of a webhook it is a secret, and it may hold a password.
	lazy.Regexp(`(?i)\b((?:https?|wss?|ftps?|smtps?|ldaps?|amqps?|mongodb(?:\+srv)?|postgres(?:ql)?|mysql|redis|jdbc:[a-z0-9]+|git|file)(?::|%3A)(?:\\*/|%2F){2})[^\s"'<>]+`),
	lazy.Regexp(`(?i)(\b(?:hooks?\.[a-z0-9.-]+|webhooks?\.[a-z0-9.-]+|[a-z0-9.-]+\.webhook\.office\.com|discord(?:app)?\.com/api/webhooks|api\.telegram\.org|chat\.googleapis\.com)/)[^\s"'<>]+`),
	// The user and the password in any other one, and without a scheme.
	lazy.Regexp(`(?i)\b([a-z][a-z0-9+.-]*://)[^\s/"'<>@]+@`),
	lazy.Regexp(`(^|[\s"'<>(=,;\\])[^\s/:@"'<>(=,;\\]+:[^\s@"'<>\\]+@`),
	// password=..., "token": "...", api-key: ...; --secret ..., <pwd>...
	lazy.Regexp(`(?i)((?:pass(?:wor[dt]|wd|[-_ ]?phrase|code)?|pwd|kennwort|mot de passe|contraseña|senha|wachtwoord|пароль|secret|token|(?:api|access|private|account|signing|encryption)[-_ ]?key|authorization|cred(?:ential)?s?|cookie|session[-_ ]?id|signature|\bsig|\bpw|pin)["']?[\s\p{Z}]*(?:[:=：＝]+>?|->|%3[AD]|\bis\b)[\s\p{Z}]*)(?:"[^"]*"|'[^']*'|[^\s\p{Z}]+)`),
	lazy.Regexp(`(?i)((?:--?(?:[a-z0-9]+[-_])*(?:pass(?:word|wd|phrase)?|pwd|secret|token|(?:api|access|private)[-_]?key)|\s-pw|\s/rp)\s+|<[a-z0-9_:.-]*(?:pass(?:word|wd|phrase)?|pwd|secret|token)>)(?:"[^"]*"|'[^']*'|\S+)`),
	// Short options of programs by which they take passwords: -p of others is a port.
	lazy.Regexp(`(?i)((?:\bsshpass|(?:\b(?:mysql|mariadb|mongo|psexec|7z)[a-z0-9]*|\b(?:docker|podman) login)\b[^|;]*?)\s-p\s*|\b(?:sqlcmd|osql|isql|bcp|zip|unzip|ipmitool)\b(?:[^|;]*?\s)-P\s*|\bredis-cli\b(?:[^|;]*?\s)-a\s*|\bldap[a-z]+\b(?:[^|;]*?\s)-w\s*|\bsnmp[a-z]+\b(?:[^|;]*?\s)-[cAX]\s*|\b(?:curl|wget)\b(?:[^|;]*?\s)(?:-u\s*|--user[ =])[^\s:]+:|\b(?:sqlplus|expdp|impdp|sqlldr)\s(?:[^|;]*?\s)?[^\s/-][^\s/]*/)[^\s-]\S*`),
	// Keys of well-known services, and what looks as drawn by lot.
	lazy.Regexp(`(^|[^A-Za-z0-9])(?:gh[pousr]_|github_pat_|gl(?:pat|rt|dt|cbt|ptt)-|xox[a-z]-|xapp-|sk-|[srp]k_(?:live|test)_|AKIA|ASIA|AIza|ya29\.|eyJ|npm_|pypi-|hvs\.|dop_v1_|shpat_|whsec_|hf_|SG\.)[A-Za-z0-9_.-]{8,}`),
	lazy.Regexp(`()-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`),
}

// scheme is that of a login; a name is cut unless a word follows, as in Digest Authentications.
var (
	scheme = lazy.Regexp(`(?i)\b((?:bearer|basic|digest|negotiate)\s+)[A-Za-z0-9+/._~=-]{6,}`)
	titled = lazy.Regexp(`\s[A-Z]?[a-z]+$`)
)

// lots is a long word; it is cut if it has capitals, small letters and digits.
var lots = lazy.Regexp(`[A-Za-z0-9+/_=]{20,}`)

// cleaner cuts out secrets.
type cleaner struct {
	known *strings.Replacer
	texts map[string]string // that were cleaned
	names map[string]string // that were cut, folded
	taken map[string]bool   // names that are in the bundle, folded
}

// mostTexts bounds the texts that are remembered.
const mostTexts = 10_000

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
	return &cleaner{strings.NewReplacer(pairs...), map[string]string{}, map[string]string{}, map[string]bool{}}
}

// clean is a text without secrets.
func (c *cleaner) clean(text string) string {
	if cleaned, known := c.texts[text]; known {
		return cleaned
	}
	if len(c.texts) >= mostTexts {
		clear(c.texts)
	}
	cleaned := c.cut(scheme().ReplaceAllString(text, "${1}"+cut))
	cleaned = lots().ReplaceAllStringFunc(cleaned, func(word string) string {
		if isMixed(word) {
			return cut
		}
		return word
	})
	c.texts[text] = cleaned
	return cleaned
}

// cut cuts out what is known, and what has the form of a secret.
func (c *cleaner) cut(text string) string {
	text = c.known.Replace(text)
	for _, form := range secrets {
		text = form().ReplaceAllString(text, "${1}"+cut)
	}
	return text
}

// isMixed tells a word of capitals, small letters and digits.
func isMixed(word string) bool {
	return strings.ContainsAny(word, "0123456789") && strings.ToLower(word) != word && strings.ToUpper(word) != word
}

// name is a name of a counter path, of a host or of a recording, without secrets. Names
// that were two are two afterwards.
func (c *cleaner) name(text string) string {
	key := paths.Fold(text)
	if name, known := c.names[key]; known {
		if paths.EqualFold(name, text) {
			return text
		}
		return name
	}
	name := c.cutName(text)
	if name != text {
		cleaned := name
		for i := 2; c.taken[paths.Fold(name)]; i++ {
			name = fmt.Sprintf("%s (%d)", cleaned, i)
		}
	}
	c.names[key], c.taken[paths.Fold(name)] = name, true
	return name
}

// reserve keeps the names that stay from those that are cut.
func (c *cleaner) reserve(text string) {
	if c.cutName(text) == text {
		c.names[paths.Fold(text)], c.taken[paths.Fold(text)] = text, true
	}
}

// cutName cuts secrets out of a name, which stays one. Many names are long words, as those
// of graphics engines and of classes are.
func (c *cleaner) cutName(text string) string {
	name := scheme().ReplaceAllStringFunc(text, func(login string) string {
		if titled().MatchString(login) {
			return login
		}
		return scheme().ReplaceAllString(login, "${1}"+cut)
	})
	name = lots().ReplaceAllStringFunc(c.cut(name), func(word string) string {
		if slices.ContainsFunc(strings.FieldsFunc(word, func(r rune) bool { return r == '_' || r == '/' }), isDrawn) {
			return cut
		}
		return word
	})
	if name == text {
		return text
	}
	name = strings.NewReplacer(`\`, "_", "*", "_").Replace(name)
	if strings.Count(name, "(") != strings.Count(name, ")") {
		name = strings.NewReplacer("(", "_", ")", "_").Replace(name)
	}
	return name
}

// isDrawn tells a word that looks as drawn by lot: two of five of its letters are of another
// kind than the one before.
func isDrawn(word string) bool {
	const least = 16
	changes, digits, before := 0, 0, byte(0)
	for i := range len(word) {
		kind := byte('A')
		switch b := word[i]; {
		case b >= '0' && b <= '9':
			kind = '0'
			digits++
		case b >= 'a' && b <= 'z':
			kind = 'a'
		}
		if kind != before {
			changes++
		}
		before = kind
	}
	return len(word) >= least && digits > 1 && isMixed(word) && 5*changes >= 2*len(word)
}
