package paths

import (
	"strconv"
	"strings"
)

// Matcher tells which instances of an object a path means, as they come and go: by
// the whole text as a name, and by syntax. It may be used by many goroutines at a
// time.
type Matcher struct {
	text string // the instance text, to be met literally

	parent, name pattern
	whole        pattern // `parent/name` for instances whose name is not split
	hasParent    bool

	every      bool // all duplicates
	duplicate  int  // otherwise this one; -1: none can be reached
	skipTotals bool

	plain *Matcher // of the same text with the signs of keyboards; nil in that
}

// newMatcher makes a matcher of an instance text.
func newMatcher(text string, o Options) *Matcher {
	m := matcherOf(text, o)
	m.plain = matcherOf(Plain(text), o)
	return m
}

func matcherOf(text string, o Options) *Matcher {
	plain := text
	if isPadded(text) {
		plain = strings.TrimSpace(text)
	}
	parent, name, index := splitInstance(plain)
	m := &Matcher{
		text:      text,
		parent:    compile(parent),
		name:      compile(name),
		hasParent: parent != "",
	}
	m.whole = m.name
	if m.hasParent {
		m.whole = compile(parent + "/" + name)
	}
	// A plain name means the first of its duplicates; a wildcard means all,
	// unless an index picks one.
	m.every = index == Any || index == First && m.whole.wild
	m.duplicate = -1
	if n, ok := index.Number(); ok {
		m.duplicate = n
	}
	m.skipTotals = o.SkipTotals && m.whole.wild && !IsTotal(name)
	return m
}

// isPadded tells an instance text that a program put blanks around: names end with blanks,
// and do not begin with them, unless they are nothing else.
func isPadded(text string) bool {
	plain := strings.TrimSpace(text)
	return plain != "" && (strings.HasPrefix(text, " ") || strings.Trim(plain, "*") == "")
}

// Match reports whether the path means this instance. duplicate is n of name#n:
// how many instances of the same parent and name come before it in the host's
// list. It allocates nothing but for names that hold signs that keyboards lack: see Plain.
func (m *Matcher) Match(in InstanceEntry, duplicate int) bool {
	if m.isLiteral(in) {
		return duplicate == 0
	}
	return (m.every || m.duplicate == duplicate) && (m.fits(in) || m.looksFit(in))
}

// looksFit tells whether a name fits that looks as the text does.
func (m *Matcher) looksFit(in InstanceEntry) bool {
	plain := in
	plain.Parent, plain.Name = Plain(in.Parent), Plain(in.Name)
	return (plain != in || m.plain.text != m.text) && m.plain.fits(plain)
}

// isLiteral reports whether the instance bears the whole text as its name, `#`,
// `/` and `*` included. A text of nothing but stars is never a name.
func (m *Matcher) isLiteral(in InstanceEntry) bool {
	if m.name.all && (m.parent.all || !m.hasParent) {
		return false
	}
	return instanceName{in.Parent, in.Name}.equal(m.text)
}

// fits compares the names, whatever the index. A path without parent sees
// `parent/name` as one name, and so does a path with parent when the host does
// not tell parents apart (V2 countersets have none: MS-PCQ).
func (m *Matcher) fits(in InstanceEntry) bool {
	if m.whole.wild {
		if m.skipTotals && (in.Total || IsTotal(in.Name)) {
			return false
		}
		if in.Hidden && (m.name.wild || !EqualFold(in.Name, m.name.text)) {
			return false
		}
	}
	if m.whole.wild && m.hasParent && in.Parent != "" {
		return m.parent.match(instanceName{name: in.Parent}) && m.name.match(instanceName{name: in.Name})
	}
	return m.whole.match(instanceName{in.Parent, in.Name})
}

// Index chooses among instances of the same name: First, Any, or n in decimal
// digits without leading zeros for the one shown as name#n. It is kept as text
// so that an index of any length survives; two equal ones compare equal.
type Index string

// The two indexes that are not numbers. `#0` is read as First ("Specifying a
// Counter Path": do not print it).
const (
	First Index = ""
	Any   Index = "*"
)

// IndexOf returns the index of the n-th duplicate; First when n is not positive.
func IndexOf(n int) Index {
	if n <= 0 {
		return First
	}
	return Index(strconv.Itoa(n))
}

// Number returns n of name#n, 0 for First. It is false for Any and for a number
// that no list of instances can reach.
func (x Index) Number() (n int, ok bool) {
	if x == First {
		return 0, true
	}
	n, err := strconv.Atoi(string(x))
	return n, err == nil && n >= 0
}

// cutIndex parts `name#index`. It does so only at the last `#`, when digits or
// one `*` follow and a name stands before: `#1`, `I#` and `I#1a` are names.
func cutIndex(text string) (name string, index Index, ok bool) {
	i := len(text) - 1
	if i > 0 && text[i] == '*' {
		i--
	} else {
		for i > 0 && '0' <= text[i] && text[i] <= '9' {
			i--
		}
	}
	if i <= 0 || i == len(text)-1 || text[i] != '#' {
		return text, First, false
	}
	digits := text[i+1:]
	for digits != "" && digits[0] == '0' {
		digits = digits[1:]
	}
	return text[:i], Index(digits), true
}
