package paths

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Match reports whether name fits pattern, in which `*` stands for any run of
// characters, none included, and everything else for itself, without case. It
// takes at most len(pattern) x len(name) steps and allocates nothing.
func Match(pattern, name string) bool {
	return match(pattern, instanceName{name: name}, noRune)
}

// MatchesAny reports whether name fits one of the patterns.
func MatchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return Match(pattern, name) })
}

// MatchSigns is Match for patterns in which `?` stands for any character, as in the identifiers
// of MS-PCQ.
func MatchSigns(pattern, name string) bool {
	return match(pattern, instanceName{name: name}, '?')
}

// noRune is in no pattern.
const noRune = -1

// pattern is a name with wildcards, made ready for many names.
type pattern struct {
	text string // folded
	all  bool   // nothing but `*`
	wild bool
}

func compile(text string) pattern {
	return pattern{
		text: Fold(text),
		all:  text != "" && strings.Trim(text, "*") == "",
		wild: isWild(text),
	}
}

func (p pattern) match(n instanceName) bool {
	switch {
	case p.all:
		return true
	case !p.wild:
		return n.equal(p.text)
	}
	return match(p.text, n, noRune)
}

// match walks both texts once and goes back to the last star only: what an
// earlier star could take more, the last one can take as well. In the pattern one stands for
// any character.
func match(pattern string, n instanceName, one rune) bool {
	p, at := 0, 0
	afterStar, starAt := -1, 0
	for end := n.len(); at < end; {
		r, size := n.rune(at)
		if p < len(pattern) {
			if pattern[p] == '*' {
				p++
				if p == len(pattern) {
					return true
				}
				afterStar, starAt = p, at
				continue
			}
			q, qSize := utf8.DecodeRuneInString(pattern[p:])
			if q == r || q == one || foldRune(q) == foldRune(r) {
				p += qSize
				at += size
				continue
			}
		}
		if afterStar < 0 {
			return false
		}
		_, size = n.rune(starAt)
		starAt += size
		p, at = afterStar, starAt
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// instanceName is the text `parent/name`, or `name` without a parent, read
// without being put together.
type instanceName struct{ parent, name string }

func (n instanceName) len() int {
	if n.parent == "" {
		return len(n.name)
	}
	return len(n.parent) + len("/") + len(n.name)
}

func (n instanceName) rune(at int) (r rune, size int) {
	if n.parent != "" {
		switch {
		case at < len(n.parent):
			return utf8.DecodeRuneInString(n.parent[at:])
		case at == len(n.parent):
			return '/', 1
		}
		at -= len(n.parent) + len("/")
	}
	return utf8.DecodeRuneInString(n.name[at:])
}

func (n instanceName) equal(text string) bool {
	if n.parent == "" {
		return EqualFold(n.name, text)
	}
	rest, ok := cutPrefixFold(text, n.parent)
	return ok && strings.HasPrefix(rest, "/") && EqualFold(rest[1:], n.name)
}

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
