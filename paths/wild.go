package paths

import "strings"

// Wild tells which parts of a path hold a wildcard.
type Wild uint8

// The parts, in the order of the path. The grammar accepts a wild computer and
// a wild object; Expand refuses them, as PDH does.
const (
	WildComputer Wild = 1 << iota
	WildObject
	WildParent
	WildInstance
	WildIndex
	WildCounter
)

var wildWords = [...]string{"computer", "object", "parent", "instance", "index", "counter"}

// String names the parts, joined by `+`: "instance+counter". It is empty when
// nothing is wild.
func (w Wild) String() string {
	var words []string
	for i, word := range wildWords {
		if w&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, "+")
}

// Wildcard tells which parts of the path hold a `*`. `?` is no wildcard: names
// such as \??\C:\pagefile.sys hold it.
func (p Path) Wildcard() Wild {
	var w Wild
	for i, part := range [...]string{p.Computer, p.Object, p.Parent, p.Instance, string(p.Index), p.Counter} {
		if isWild(part) {
			w |= 1 << i
		}
	}
	return w
}

func isWild(s string) bool { return strings.IndexByte(s, '*') >= 0 }
