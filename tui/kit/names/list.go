package names

import (
	"slices"

	"perfdeck/tui/canvas"
)

// List gives the names of counters that stand in one list short forms that are unlike each
// other, as far as some are. They take long to find: they are remembered.
type List struct {
	names []string
	set   string
	short map[int]map[string]string // by width and name
}

// NewList is the list of some counters of a counterset, whose names may stand there twice.
func NewList(set string, names []string) *List {
	return &List{names, set, map[int]map[string]string{}}
}

// Short is Short, cut to w cells. Of several names that would look alike then the one that
// leaves nothing out keeps its form.
func (l *List) Short(r canvas.Region, w int, name string) string {
	if l.short[w] == nil {
		l.short[w] = l.fill(r, w)
	}
	short, ok := l.short[w][name]
	if !ok { // it is called otherwise than its counter
		short = CutWords(r, w, Short(name, l.set, w))
		l.short[w][name] = short
	}
	return short
}

func (l *List) fill(r canvas.Region, w int) map[string]string {
	out, taken := make(map[string]string, len(l.names)), make(map[string]bool, len(l.names))
	for _, qualified := range [...]bool{false, true} {
		for _, name := range l.names {
			said, _ := qualifier(name)
			if _, done := out[name]; done || (said != "") != qualified {
				continue
			}
			short := Short(name, l.set, w)
			forms := [...]string{CutWords(r, w, short), CutWords(r, w, said+Short(name, l.set, w-len(said))), r.CutEnd(w, short), r.CutMiddle(w, short)}
			at := max(0, slices.IndexFunc(forms[:], func(form string) bool { return !taken[form] }))
			out[name], taken[forms[at]] = forms[at], true
		}
	}
	return out
}

// qualifier is how a name begins that others of a counterset go on like, and the rest.
func qualifier(name string) (said, rest string) {
	for _, said := range [...]string{"% ", "Avg. "} {
		if rest, ok := cutPrefix(name, said); ok && rest != "" {
			return name[:len(said)], rest
		}
	}
	return "", name
}
