package paths

import (
	"strings"
	"unicode/utf8"
)

// Parse takes a counter path apart. It never trims and never guesses; every
// error is a *ParseError. It allocates nothing.
//
// Text that is not UTF-8 and NUL are refused: a path is a NUL-terminated UTF-16
// string on every machine that could answer it. Other control characters are
// kept, because names hold them; whoever shows a path makes it printable.
func Parse(input string) (Path, error) {
	if err := checkText(input); err != nil {
		return Path{}, err
	}
	computer, body, err := cutComputer(input)
	if err != nil {
		return Path{}, err
	}
	p := Path{Computer: computer}
	bodyAt := len(input) - len(body)

	slash, err := findCounter(input, bodyAt)
	if err != nil {
		return Path{}, err
	}
	p.Counter = input[slash+1:]
	if p.Counter == "" {
		return Path{}, &ParseError{input, slash + 1, NoCounterName, "the counter name is empty"}
	}

	open, err := findInstance(input, bodyAt, slash)
	if err != nil {
		return Path{}, err
	}
	p.Object = input[bodyAt:open]
	if open < slash {
		p.HasInstance = true
		p.raw = input[open+1 : slash-1]
		p.Parent, p.Instance, p.Index = splitInstance(p.raw)
	}
	if err := checkNames(input, bodyAt, open, slash, p); err != nil {
		return Path{}, err
	}
	return p, nil
}

// checkText checks what concerns the text as a whole.
func checkText(input string) *ParseError {
	if input == "" {
		return &ParseError{input, 0, InvalidArgument, "the path is empty"}
	}
	if at := strings.IndexByte(input, 0); at >= 0 {
		return &ParseError{input, at, BadCounterName, "a NUL character ends the path here"}
	}
	if !utf8.ValidString(input) {
		return &ParseError{input, invalidAt(input), BadCounterName, "this byte is not UTF-8"}
	}
	if at, over := beyond(input, MaxPath); over {
		return &ParseError{input, at, InvalidPath, "the path is longer than 2047 UTF-16 units (PDH_MAX_COUNTER_PATH)"}
	}
	return nil
}

func invalidAt(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return len(s)
}

// cutComputer parts the computer from the body, which is what follows the
// backslash before the object.
func cutComputer(input string) (computer, body string, err *ParseError) {
	if input == "" || input[0] != '\\' {
		return "", "", &ParseError{input, 0, BadCounterName, `a path begins with a backslash`}
	}
	if !strings.HasPrefix(input, `\\`) {
		return "", input[1:], nil
	}
	computer, body, found := strings.Cut(input[2:], `\`)
	switch {
	case computer == "":
		return "", "", &ParseError{input, 2, BadCounterName, "the computer name is empty"}
	case !found:
		return "", "", &ParseError{input, len(input), BadCounterName, "an object and a counter are missing after the computer"}
	}
	return computer, body, nil
}

// findCounter returns the offset of the backslash before the counter: the last
// one outside of parentheses, so that both instances and counters may hold
// balanced parentheses with backslashes in them.
func findCounter(input string, bodyAt int) (int, *ParseError) {
	depth, outer, inside := 0, 0, false
	for i := len(input) - 1; i >= bodyAt; i-- {
		switch input[i] {
		case ')':
			if depth == 0 {
				outer = i
			}
			depth++
		case '(':
			depth--
			if depth < 0 {
				return 0, &ParseError{input, i, BadCounterName, "unbalanced parenthesis: it is never closed"}
			}
		case '\\':
			if depth == 0 {
				return i, nil
			}
			inside = true
		}
	}
	switch {
	case depth > 0:
		return 0, &ParseError{input, outer, BadCounterName, "unbalanced parenthesis: it was never opened"}
	case inside:
		return 0, &ParseError{input, len(input), BadCounterName, "the counter is missing: all backslashes are inside parentheses"}
	}
	return 0, &ParseError{input, len(input), BadCounterName, "the counter is missing"}
}

// findInstance returns the offset of the parenthesis that opens the instance in
// input[from:to], or to when there is none. Only a group at the very end is an
// instance: the object `WF (System.Workflow) 4.0.0.0` has none.
func findInstance(input string, from, to int) (int, *ParseError) {
	part := input[from:to]
	if strings.Count(part, "(") != strings.Count(part, ")") {
		return 0, &ParseError{input, from + unbalancedAt(part), BadCounterName, "unbalanced parenthesis"}
	}
	if !strings.HasSuffix(part, ")") {
		return to, nil
	}
	depth := 0
	for i := to - 1; ; i-- { // to the one that opens it
		switch input[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			return i, nil
		}
	}
}

// unbalancedAt returns the offset of the first closing parenthesis without an
// opening one, else of the last opening one that is not closed.
func unbalancedAt(part string) int {
	depth := 0
	for i := range len(part) {
		switch part[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return i
		}
	}
	depth = 0
	for i := len(part) - 1; i >= 0; i-- {
		switch part[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth < 0 {
			return i
		}
	}
	return 0
}

// splitInstance parts `parent/name#index`. The first slash parts, but an empty
// parent or name makes the slash a plain character (`/home`, `P/`).
func splitInstance(text string) (parent, name string, index Index) {
	name = text
	if i := strings.IndexByte(text, '/'); i > 0 && i < len(text)-1 {
		parent, name = text[:i], text[i+1:]
	}
	name, index, _ = cutIndex(name)
	return parent, name, index
}

// checkNames checks the names that were found.
func checkNames(input string, bodyAt, open, slash int, p Path) *ParseError {
	if p.Object == "" {
		return &ParseError{input, bodyAt, BadCounterName, "the object name is empty"}
	}
	if at, reason := badBackslash(p); reason != "" {
		return &ParseError{input, bodyAt + at, BadCounterName, reason}
	}
	if at, over := beyond(p.Object, MaxName); over {
		return tooLong(input, bodyAt+at, "object")
	}
	if at, over := beyond(p.Counter, MaxName); over {
		return tooLong(input, slash+1+at, "counter")
	}
	if !p.HasInstance {
		return nil
	}
	if at, over := beyond(p.Parent, MaxName); over {
		return tooLong(input, open+1+at, "parent instance")
	}
	nameAt := open + 1
	if p.Parent != "" {
		nameAt += len(p.Parent) + len("/")
	}
	if at, over := beyond(p.Instance, MaxName); over {
		return tooLong(input, nameAt+at, "instance")
	}
	return nil
}

// badBackslash finds a backslash that an object cannot hold. Real collector sets
// have objects such as `MSExchange Delivery Store Driver\Inbound`; but before an
// instance a further part is an error (mostly a computer with one backslash),
// and an empty part always is. Inside parentheses it parts nothing.
func badBackslash(p Path) (at int, reason string) {
	if strings.IndexByte(p.Object, '\\') < 0 {
		return 0, ""
	}
	depth, last := 0, -1 // the last backslash outside of parentheses
	for i := range len(p.Object) {
		switch c := p.Object[i]; {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c != '\\' || depth > 0:
		case p.HasInstance:
			return i, "one part too many before the instance: an object holds no backslash there"
		case i == last+1:
			return max(last, 0), emptyPart
		default:
			last = i
		}
	}
	if last == len(p.Object)-1 {
		return last, emptyPart
	}
	return 0, ""
}

const emptyPart = "a part of the object name is empty"

func tooLong(input string, at int, what string) *ParseError {
	return &ParseError{input, at, BadCounterName, "the " + what + " name is longer than 1023 UTF-16 units"}
}

// The longest texts in UTF-16 units, without the NUL that pdh.h counts.
const (
	MaxPath = 2048 - 1 // PDH_MAX_COUNTER_PATH
	MaxName = 1024 - 1 // PDH_MAX_COUNTER_NAME, PDH_MAX_INSTANCE_NAME
)

// beyond returns the byte offset of the first character of s that does not fit
// in limit UTF-16 units.
func beyond(s string, limit int) (at int, over bool) {
	if len(s) <= limit { // no character has more units than bytes
		return 0, false
	}
	units := 0
	for i, r := range s {
		units++
		if r > 0xFFFF {
			units++ // a surrogate pair
		}
		if units > limit {
			return i, true
		}
	}
	return 0, false
}
