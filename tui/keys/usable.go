package keys

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// reservedKeys are keys that no action can have, and why.
var reservedKeys = map[string]string{
	"ctrl+c": "it always quits",
	"ctrl+l": "it always redraws",
	"ctrl+z": "it always suspends",
	"ctrl+s": "it stops the output of a terminal (XOFF)",
	"ctrl+q": "it starts the output of a terminal again (XON)",
	"ctrl+h": "terminals send it for backspace",
	"ctrl+i": "terminals send it for tab",
	"ctrl+j": "terminals send it for enter",
	"ctrl+m": "terminals send it for enter",
	"ctrl+[": "terminals send it for esc",
	"ctrl+a": "screen takes it for its own commands",
	"ctrl+b": "tmux takes it for its own commands",
}

// namedKeys are the keys that have a name and that every terminal sends.
const namedKeys List = "enter tab shift+tab backspace esc space insert delete " +
	"up down left right pgup pgdown home end " +
	"f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12"

// moving are those of them that terminals send with ctrl, too.
const moving List = "space up down left right home end pgup pgdown delete insert"

const modifierKeys List = "ctrl alt shift meta hyper super"

// otherNames are what people call keys, and their names here.
var otherNames = map[string]string{
	"return": "enter", "escape": "esc", "del": "delete", "ins": "insert", "bs": "backspace",
	"pageup": "pgup", "pagedown": "pgdown", "page_up": "pgup", "page_down": "pgdown", "pgdn": "pgdown",
	"spacebar": "space", " ": "space", "backtab": "shift+tab",
	"plus": "+", "minus": "-", "comma": ",", "slash": "/", "colon": ":", "question": "?",
}

// WhyReserved says why no action can have a key; "" if one can.
func WhyReserved(key string) string { return reservedKeys[key] }

// usable tells whether an action can have a key: what terminals cannot send, or
// need for something else, it cannot. Instead is a key that was meant, if any.
func usable(key string) (why, instead string) {
	if why := WhyReserved(key); why != "" {
		return why, ""
	}
	if r, size := utf8.DecodeRuneInString(key); size == len(key) && size > 0 && r != utf8.RuneError && r != ' ' && unicode.IsPrint(r) {
		return "", ""
	}
	if namedKeys.Has(key) {
		return "", ""
	}
	mod, rest := splitModifiers(key)
	base := rest
	if name, ok := otherNames[strings.ToLower(rest)]; ok {
		base = name
	} else if utf8.RuneCountInString(rest) > 1 || mod == "ctrl+" {
		base = strings.ToLower(rest)
	}
	switch {
	case mod == "" && base != rest && (namedKeys.Has(base) || utf8.RuneCountInString(base) == 1):
		return "no key has this name", base
	case mod == "shift+" && utf8.RuneCountInString(base) == 1:
		return "a shifted key is written as what it types", strings.ToUpper(base)
	case mod == "shift+" && namedKeys.Has(base), strings.Contains(mod, "alt+"):
		return "it differs from terminal to terminal", ""
	case mod == "ctrl+" && isControl(base):
		return usableControl(key, base)
	case mod != "":
		return "terminals do not send it", ""
	}
	return "no key has this name", ""
}

// usableControl is usable for a key with ctrl alone, base.
func usableControl(key, base string) (why, instead string) {
	name := "ctrl+" + base
	if key == name {
		return "", ""
	}
	if why := WhyReserved(name); why != "" {
		return why, ""
	}
	return "no key has this name", name
}

// isControl tells whether terminals send something of its own for ctrl and a
// key: letters and four signs have a control character (ECMA-48), keys that move
// have a parameter (xterm).
func isControl(base string) bool {
	if len(base) == 1 {
		return base[0] >= 'a' && base[0] <= 'z' || strings.IndexByte(`\]^_`, base[0]) >= 0
	}
	return moving.Has(base)
}

// splitModifiers cuts "ctrl+", "alt+" and the like from the front of a key.
func splitModifiers(key string) (modifiers, rest string) {
	rest = key
	for {
		head, tail, ok := strings.Cut(rest, "+")
		if !ok || tail == "" || !modifierKeys.Has(strings.ToLower(head)) {
			return modifiers, rest
		}
		modifiers, rest = modifiers+strings.ToLower(head)+"+", tail
	}
}
