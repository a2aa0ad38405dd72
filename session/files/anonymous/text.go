package anonymous

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"perfdeck/paths"
	"perfdeck/session/system/lazy"
)

// leastForbidden is how many letters a name has at least that must stand nowhere: shorter
// ones are parts of other words.
const leastForbidden = 4

// fixPhrases notes what is looked for in texts: names that are more than one token, and
// counter paths.
func (n *Names) fixPhrases() {
	lengths := map[int]bool{}
	for key := range n.paths {
		lengths[len([]rune(key))] = true
	}
	for key, k := range n.kinds {
		if strings.ContainsFunc(key, isBreak) && len(key) >= leastForbidden {
			n.phrases[key] = true
			lengths[len([]rune(key))] = true
		}
		if (k == ofHost || k == ofUser || k == ofDomain) && len(key) >= leastForbidden && !n.known.words[key] {
			n.forbidden = append(n.forbidden, key)
		}
	}
	n.lengths = slices.SortedFunc(maps.Keys(lengths), func(a, b int) int { return b - a })
}

// isBreak tells what stands between tokens.
func isBreak(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{}<>,;|=!?…“”„‘’«»", r)
}

// Text is a text in which names are replaced, and every word that is not in the vocabulary.
func (n *Names) Text(text string) string {
	runes, folded := []rune(text), []rune(paths.Fold(text))
	if len(runes) != len(folded) { // it cannot be
		return n.word(ofText, text)
	}
	var b strings.Builder
	spelled, offset, from := n.spellings(text), 0, 0
	for at := 0; at < len(runes); {
		offset, from = offset+len(string(runes[from:at])), at
		for len(spelled) > 0 && spelled[0].from < offset {
			spelled = spelled[1:] // it went with what stands before it
		}
		if len(spelled) > 0 && spelled[0].from == offset && !n.isNamed(runes[at:]) {
			b.WriteString(n.word(spelled[0].kind, spelled[0].name))
			at += len([]rune(text[offset:spelled[0].to]))
			continue
		}
		if isBreak(runes[at]) {
			b.WriteRune(runes[at])
			at++
			continue
		}
		if word, length := n.phrase(folded[at:]); length > 0 {
			b.WriteString(word)
			at += length
			continue
		}
		end := at
		for end < len(runes) && !isBreak(runes[end]) {
			end++
		}
		if len(spelled) > 0 && !n.isNamed(runes[at:]) {
			if until := len([]rune(text[offset:spelled[0].from])); until < end-at {
				end = at + until
			}
		}
		b.WriteString(n.token(string(runes[at:end])))
		at = end
	}
	return b.String()
}

// isNamed tells whether the token at the beginning of a text is replaced as a whole.
func (n *Names) isNamed(runes []rune) bool {
	end := slices.IndexFunc(runes, isBreak)
	if end < 0 {
		end = len(runes)
	}
	token := strings.Trim(string(runes[:end]), ".:")
	word, ok := n.named(token)
	return ok && word != token
}

// phrase is what stands for the longest phrase at the beginning of a text.
func (n *Names) phrase(folded []rune) (word string, length int) {
	for _, length := range n.lengths {
		if length > len(folded) || length < len(folded) && !isBreak(folded[length]) && !strings.ContainsRune(".:,", folded[length]) {
			continue
		}
		key := string(folded[:length])
		if n.phrases[key] {
			return n.word(n.kinds[key], key), length
		}
		if path, ok := n.Path(n.paths[key]); ok {
			return path, length
		}
	}
	return "", 0
}

// Forbids tells whether a text holds the name of a host, a user or a domain, as a part of
// a longer word or escaped as in URLs.
func (n *Names) Forbids(text string) bool {
	text = paths.Fold(text)
	return slices.ContainsFunc(n.forbidden, func(name string) bool { return strings.Contains(text, name) })
}

// mostDigits is how many digits a number has at most that stays: what is longer may be that
// of a customer or a telephone.
const mostDigits = 9

var (
	moment  = lazy.Regexp(`^(?:\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?|\d{4}-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?)(?:[Zz]|[+-]\d{2}:?\d{2})?$`)
	amount  = lazy.Regexp(`^[+\-~#vV]?(\d+(?:[.,]\d+)*)([\p{L}%/µ°]*)$`)
	mac     = lazy.Regexp(`^[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5,7}$|^[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}$`)
	sid     = lazy.Regexp(`^[Ss]-1-\d+(?:-\d+)+$`)
	guid    = lazy.Regexp(`^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`)
	mail    = lazy.Regexp(`^[^@\s]+@[^@\s]+$`)
	dotted  = lazy.Regexp(`\d{1,3}(?:\.\d{1,3}){3}`) // perhaps a version: it looks as an address does
	span    = lazy.Regexp(`^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d))+$`)
	ours    = lazy.Regexp(`^(?:host|user|domain|address|path|process|disk|interface|instance|set|counter|mail|url|sid|guid|number|text|word)-\d+$`)
	escaped = lazy.Regexp(`%[0-9A-Fa-f]{2}`)
)

// token replaces what stands between breaks.
func (n *Names) token(text string) string {
	const punctuation = ".:-/\\*_+~&"
	if word, ok := n.named(text); ok {
		return word
	}
	if strings.Trim(text, punctuation) == "" {
		return text
	}
	core := strings.Trim(text, ".:")
	before, after, _ := strings.Cut(text, core)
	if word, ok := n.named(core); ok {
		return before + word + after
	}
	return before + n.strange(core) + after
}

// named replaces what is known by its form, or as a name or a word.
func (n *Names) named(text string) (string, bool) {
	key := paths.Fold(text)
	if _, there := n.kinds[key]; there {
		return n.word(n.kinds[key], text), true
	}
	if a, ok := address(text); ok && !moment().MatchString(text) {
		return n.word(ofAddress, a.Unmap().String()), true
	}
	switch {
	case text == "":
		return "", false
	case ours().MatchString(key):
		return n.word(ofWord, text), true
	case moment().MatchString(text), span().MatchString(text), n.known.words[key]:
		return text, true
	case mac().MatchString(text):
		return n.word(ofAddress, text), true
	case sid().MatchString(text):
		return n.word(ofSID, text), true
	case guid().MatchString(text):
		return n.word(ofGUID, text), true
	case strings.Contains(text, "://"):
		if _, _, ours := paths.SchemeOf(key); ours {
			return n.Host(text), true
		}
		return n.word(ofURL, text), true
	case mail().MatchString(text):
		return n.word(ofMail, text), true
	}
	if dotted().MatchString(text) {
		return n.word(ofAddress, text), true
	}
	if found := amount().FindStringSubmatch(text); found != nil {
		digits := digitsIn(found[1])
		if unit := paths.Fold(found[2]); digits <= mostDigits && (unit == "" || n.known.units[unit]) {
			return text, true
		}
		if found[2] == "" {
			return n.word(ofNumber, text), true
		}
	}
	if n.known.units[key] {
		return text, true
	}
	return "", false
}

// strange replaces what is neither a name nor a word: a path, a host with its domain,
// several words in one, or a word of which nothing is known.
func (n *Names) strange(text string) string {
	if strings.HasPrefix(text, `\\`) || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || len(text) > 2 && text[1] == ':' {
		return n.word(ofPath, text)
	}
	if name, port, ok := cutPort(text); ok {
		if _, known := n.kinds[paths.Fold(name)]; known {
			return n.word(n.kinds[paths.Fold(name)], name) + port
		}
	}
	if short, domain, ok := strings.Cut(text, "."); ok && domain != "" && n.kinds[paths.Fold(short)] == ofHost {
		return n.word(ofHost, short) + "." + n.word(ofDomain, domain)
	}
	if domain, user, ok := strings.Cut(text, `\`); ok && domain != "" && user != "" {
		if !strings.Contains(user, `\`) {
			return n.User(text)
		}
		return n.word(ofPath, text)
	}
	if !escaped().MatchString(text) && !n.Forbids(text) && n.isMade(text) {
		return text
	}
	switch {
	case strings.Contains(text, "/"):
		return n.word(ofPath, text)
	case strings.Contains(strings.Trim(text, "."), "."):
		return n.word(ofDomain, text)
	}
	return n.word(ofWord, text)
}

// cutPort cuts :PORT off.
func cutPort(text string) (name, port string, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at <= 0 || !isDigits(text[at+1:]) {
		return text, "", false
	}
	return text[:at], text[at:], true
}

// isMade tells whether a text is made of words of the vocabulary and numbers, as read/write
// or 5-of-6. A known name among them is no word.
func (n *Names) isMade(text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("-/_.:+&%#*~", r) })
	for _, part := range parts {
		key := paths.Fold(part)
		if _, named := n.kinds[key]; named {
			return false
		}
		if !n.known.words[key] && !n.known.units[key] && (!isDigits(part) || len(part) > mostDigits) {
			return false
		}
	}
	return len(parts) > 0
}
