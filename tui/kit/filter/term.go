package filter

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// operator is how a field is compared.
type operator uint8

const (
	begins operator = iota
	equals
	differs
	holds
	lacks
	less
	lessOrEqual
	more
	moreOrEqual
)

// operators are the signs, longer ones before their beginnings.
var operators = []struct {
	sign string
	op   operator
}{
	{"<=", lessOrEqual}, {">=", moreOrEqual}, {"!=", differs}, {"!~", lacks}, {"==", equals},
	{"<", less}, {">", more}, {"=", equals}, {"~", holds}, {"!", lacks}, {":", begins},
}

// operatorAt is the operator that a text begins with.
func operatorAt(text string) (op operator, sign string, ok bool) {
	for _, o := range operators {
		if strings.HasPrefix(text, o.sign) {
			return o.op, o.sign, true
		}
	}
	return 0, "", false
}

// orders tells an operator that only numbers know.
func (o operator) orders() bool { return o >= less }

// texts is a condition on a text, or a word that is looked for.
type texts[R any] struct {
	of   Texts[R]
	fits func(text string) bool // made once: rows are many
	not  bool                   // no text may fit
}

func (t texts[R]) holds(row R) bool { return t.of(row, t.fits) != t.not }

// textFits is the test of an operator on a text; part is in lower case.
func textFits(op operator, part string) func(text string) bool {
	switch op {
	case begins:
		return func(text string) bool { return wordBegins(text, part) }
	case equals, differs:
		return func(text string) bool { return strings.EqualFold(text, part) }
	}
	if !strings.ContainsFunc(part, hasCase) {
		return func(text string) bool { return strings.Contains(text, part) }
	}
	return func(text string) bool {
		return strings.Contains(text, part) || strings.Contains(strings.ToLower(text), part) // mostly it is written so
	}
}

// hasCase is true of all that might be written in another case.
func hasCase(r rune) bool { return r >= utf8.RuneSelf || unicode.IsLetter(r) }

// wordBegins tells whether a word of a text begins with a part: "sql", "02" and
// "prod" are the beginnings in "sql02-prod".
func wordBegins(text, part string) bool {
	text = strings.ToLower(text)
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		if at += from; isStart(text, at) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		from = at + max(size, 1)
		if from > len(text) {
			return false
		}
	}
}

// isStart tells whether a word begins at a byte: behind anything that is not of
// its kind, letters or digits.
func isStart(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	first, _ := utf8.DecodeRuneInString(text[at:])
	switch {
	case at == 0:
		return true
	case unicode.IsLetter(first):
		return !unicode.IsLetter(before)
	case unicode.IsDigit(first):
		return !unicode.IsDigit(before)
	}
	return true
}

// numbers is a condition on a number.
type numbers[R any] struct {
	of    func(row R) Number
	op    operator
	limit float64
	text  string // its digits as typed
}

// holds compares. No value fits nothing.
func (n numbers[R]) holds(row R) bool {
	v := n.of(row)
	if math.IsNaN(v.Value) {
		return false
	}
	switch n.op {
	case less:
		return v.Value < n.limit
	case lessOrEqual:
		return v.Value <= n.limit || v.reads(n.limit)
	case more:
		return v.Value > n.limit
	case moreOrEqual:
		return v.Value >= n.limit || v.reads(n.limit)
	case differs:
		return !v.reads(n.limit)
	case holds:
		return strings.Contains(v.digits(), n.text)
	case lacks:
		return !strings.Contains(v.digits(), n.text)
	case begins, equals:
	}
	return v.reads(n.limit)
}

// shown is the number rounded to its last place.
func (v Number) shown() float64 {
	if v.Step > 0 {
		return math.Round(v.Value/v.Step) * v.Step
	}
	return v.Value
}

// reads tells whether a number is shown as another: 12.04 with one place reads
// 12, and 12.0.
func (v Number) reads(other float64) bool {
	shown := v.shown()
	return shown == other || v.Step > 0 && math.Abs(shown-other) < v.Step/1000
}

func (v Number) digits() string {
	places := -1
	if v.Step > 0 && v.Step < 1 {
		places = int(math.Round(-math.Log10(v.Step)))
	}
	return strconv.FormatFloat(v.shown(), 'f', places, 64)
}
