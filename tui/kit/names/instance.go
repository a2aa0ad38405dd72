package names

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdeck/session"
	"perfdeck/tui/canvas"
)

// Instance is how an instance is called where its number has no column of its own:
// same names are told apart by the number people know it by, else by #n.
func Instance(in *session.Instance) string {
	if in.Number != 0 {
		return Parented(in.Key) + " #" + strconv.FormatUint(in.Number, 10)
	}
	return Beside(in)
}

// Beside is how an instance is called beside its number.
func Beside(in *session.Instance) string {
	name := Parented(in.Key)
	if in.Number == 0 && in.Index > 0 {
		name += "#" + strconv.FormatUint(uint64(in.Index), 10)
	}
	return name
}

// Parented is the name of an instance behind that of its parent.
func Parented(key session.InstanceKey) string {
	if key.Parent == "" {
		return key.Name
	}
	return key.Parent + "/" + key.Name
}

// Common gathers what the names of a list have in common: the part at their
// beginnings, up to a sign that parts words. The zero value knows no name.
type Common struct {
	prefix string
	many   bool // two different names at least
	any    bool
}

// Add adds a name.
func (c *Common) Add(name string) {
	if !c.any {
		c.prefix, c.any = name, true
		return
	}
	n := min(len(c.prefix), len(name))
	i := 0
	for i < n && c.prefix[i] == name[i] {
		i++
	}
	c.many = c.many || i < len(name) || i < len(c.prefix)
	c.prefix = c.prefix[:i]
}

// IsNone tells whether the names have no beginning in common, whatever comes.
func (c *Common) IsNone() bool { return c.many && c.prefix == "" }

// partings are the signs behind which a common beginning may end.
const partings = " /\\._-:()[]{}@,;#"

// Prefix is what all names begin with, "" if that is nothing or there is one name
// only.
func (c *Common) Prefix() string {
	if !c.many {
		return ""
	}
	return c.prefix[:strings.LastIndexAny(c.prefix, partings)+1]
}

// Cut is a name of a list in w cells. Of one that is too long the beginning that
// all have goes first; if that is not enough its middle goes too.
func Cut(r canvas.Region, w int, name, common string) string {
	set, ellipsis := r.GlyphSet(), r.Glyphs().Ellipsis
	rest, has := strings.CutPrefix(name, common)
	if !has || set.TextWidth(common) <= utf8.RuneCountInString(ellipsis) || set.TextWidth(name) <= w {
		return r.CutMiddle(w, name)
	}
	return ellipsis + r.CutMiddle(max(0, w-utf8.RuneCountInString(ellipsis)), rest)
}

// CutWords is a name of words in w cells: what has no room goes between two words, where
// some are left at both ends, so that none is cut.
func CutWords(r canvas.Region, w int, name string) string {
	set, ellipsis := r.GlyphSet(), r.Glyphs().Ellipsis
	if set.TextWidth(name) <= w {
		return name
	}
	words := strings.Fields(name)
	best, most := "", 0
	for from := 1; from < len(words); from++ {
		for to := from + 1; to < len(words); to++ {
			text := strings.Join(words[:from], " ") + ellipsis + strings.Join(words[to:], " ")
			if n := set.TextWidth(text); n <= w && n >= most { // the more at the beginning the better
				best, most = text, n
			}
		}
	}
	if 2*most > w {
		return best
	}
	return r.CutMiddle(w, name)
}
