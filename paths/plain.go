package paths

import (
	"strings"
	"unicode/utf8"
)

// Plain returns a name with the signs of keyboards in place of those that look like them:
// apostrophes, dashes, blanks that do not break, letters of full width. Names that are told
// apart by such signs alone are different all the same: what is looked up is looked up as it
// stands first.
func Plain(name string) string {
	for i, r := range name {
		if plainRune(r) != r {
			return name[:i] + strings.Map(plainRune, name[i:])
		}
	}
	return name
}

// LooksLike tells whether a sign that keyboards lack looks like one of some that they have.
func LooksLike(r rune, signs string) bool {
	return r >= utf8.RuneSelf && strings.ContainsRune(signs, plainRune(r))
}

func plainRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf && r != '`':
	case r >= 0xFF01 && r <= 0xFF5E: // full width
		return plainRune(r - 0xFEE0)
	case strings.ContainsRune("`´‘’‚‛ʹʼ′", r):
		return '\''
	case strings.ContainsRune("“”„‟″«»", r):
		return '"'
	case strings.ContainsRune("‐‑‒–—―−﹘﹣", r):
		return '-'
	case strings.ContainsRune("\u00A0\u2002\u2003\u2007\u2009\u202F\u3000\u200B\uFEFF", r): // the last two have no width
		return ' '
	}
	return r
}

// plainCatalogue has the names of another with the signs of keyboards.
type plainCatalogue struct{ Catalogue }

func (c plainCatalogue) Object(object int) ObjectEntry {
	o := c.Catalogue.Object(object)
	o.Name, o.Label = Plain(o.Name), Plain(o.Label)
	return o
}

func (c plainCatalogue) Counter(object, counter int) CounterEntry {
	e := c.Catalogue.Counter(object, counter)
	e.Name, e.Label = Plain(e.Name), Plain(e.Label)
	return e
}
