package filter

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdeck/cooker"
)

// mostDepth bounds how deep parentheses are followed; deeper ones are letters.
const mostDepth = 50

// Parse reads an expression. The filter can be used whatever the error says: it
// then looks for the words that were meant as a condition.
func (fs *Fields[R]) Parse(text string) (Filter[R], error) {
	p := parser[R]{fields: fs, rest: text}
	f := Filter[R]{text: strings.TrimSpace(text)}
	if where := p.either(); where != nil {
		f.where = where
	}
	f.used, f.words, f.plain = p.used, p.words, p.plain
	return f, p.err
}

// parser reads an expression from left to right:
//
//	either = each { "or" each }
//	each   = one { ["and"] one }
//	one    = ("not" | "!") one | "(" either ")" | condition | word
//
// Joining words without anything to join are passed over: they are being typed.
type parser[R any] struct {
	fields *Fields[R]
	rest   string
	depth  int // of parentheses
	denied bool

	used, words []string
	plain       bool
	err         error // the first
}

func (p *parser[R]) either() node[R] {
	var out oneOf[R]
	for {
		if n := p.each(); n != nil {
			out = append(out, n)
		}
		if !p.acceptWord("or") {
			break
		}
	}
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	return out
}

func (p *parser[R]) each() node[R] {
	var out allOf[R]
	for {
		p.skipBlanks()
		switch {
		case p.rest == "", p.depth > 0 && p.rest[0] == ')', p.isWord("or"):
			switch len(out) {
			case 0:
				return nil
			case 1:
				return out[0]
			}
			return out
		case p.acceptWord("and"):
		default:
			if n := p.one(); n != nil {
				out = append(out, n)
			}
		}
	}
}

func (p *parser[R]) one() node[R] {
	denied := p.denied
	defer func() { p.denied = denied }()
	turned := false
	for {
		p.skipBlanks()
		if !p.acceptWord("not") && !p.acceptBang() {
			break
		}
		turned = !turned
		p.denied = !p.denied
	}
	n := p.part()
	if turned && n != nil {
		return not[R]{n}
	}
	return n
}

// acceptBang goes over a ! before something that it can turn around.
func (p *parser[R]) acceptBang() bool {
	if len(p.rest) < 2 || p.rest[0] != '!' {
		return false
	}
	if next, _ := utf8.DecodeRuneInString(p.rest[1:]); unicode.IsSpace(next) || next == ')' && p.depth > 0 {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// part is a group, a condition or a word; nil: nothing, which is being typed.
func (p *parser[R]) part() node[R] {
	switch {
	case p.rest == "" || p.isWord("or") || p.isWord("and") || p.depth > 0 && p.rest[0] == ')':
		return nil
	case p.rest[0] == '(' && p.depth < mostDepth:
		p.rest = p.rest[1:]
		p.depth++
		n := p.either()
		rest, closed := strings.CutPrefix(p.rest, ")")
		if p.rest = rest; !closed {
			p.fail(errors.New("a ) is missing"))
		}
		p.depth--
		return n
	}
	return p.term()
}

// term reads a condition, or else a word.
func (p *parser[R]) term() node[R] {
	name, quoted := p.token(true)
	after := strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	op, sign, ok := operatorAt(after)
	apart := len(after) < len(p.rest) // "cpu > 80"
	if !ok || name == "" || apart && (op == begins || sign == "!") {
		return p.word(name + p.tail(quoted))
	}
	field, known := p.fields.find(name)
	if apart && !known {
		if op.orders() {
			p.fail(p.noField(name))
		}
		return p.word(name)
	}
	if !known {
		return p.unknown(name, sign, quoted)
	}
	p.rest = after[len(sign):]
	if op != begins && sign != "!" { // "cpu> 80"
		p.skipBlanks()
	}
	value, _ := p.token(false)
	if field.Texts == nil {
		value += p.unitBehind(value)
	}
	return p.condition(name, field, op, sign, value)
}

// unitBehind takes a unit that stands behind a blank after a number: "100 MB". One of another
// quantity stays with the number too, which it does not fit.
func (p *parser[R]) unitBehind(number string) string {
	at := p.rest
	p.skipBlanks()
	unit, quoted := p.token(true)
	_, _, isField := operatorAt(strings.TrimLeftFunc(p.rest, unicode.IsSpace))
	if _, err := strconv.ParseFloat(number, 64); err != nil || quoted || isField || !cooker.IsUnit(unit) {
		p.rest = at
		return ""
	}
	return unit
}

// tail is the rest of a word that a field's name might have ended.
func (p *parser[R]) tail(quoted bool) string {
	if quoted {
		return ""
	}
	rest, _ := p.token(false)
	return rest
}

// unknown is a word with an operator in it behind no known field: "C:", or
// "kind:web", which looks like a condition.
func (p *parser[R]) unknown(name, sign string, quoted bool) node[R] {
	rest, _ := p.token(false)
	if value := strings.TrimPrefix(rest, sign); !quoted && (sign[0] == '<' || sign[0] == '>' || isName(name) && isName(value)) {
		p.fail(p.noField(name))
	}
	return p.word(name + rest)
}

func (p *parser[R]) noField(name string) error {
	return fmt.Errorf("%s: no such field; there are %s (quotes look for the text)", name, p.fields.names())
}

func isName(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

func (fs *Fields[R]) names() string {
	names := make([]string, len(fs.List))
	for i := range fs.List {
		if names[i] = fs.List[i].Name; !isName(names[i]) {
			names[i] = `"` + names[i] + `"`
		}
	}
	return strings.Join(names, " ")
}

var errNoNumber = errors.New("a number is missing after the sign")

// condition makes the condition of a field. One that cannot be is a word.
func (p *parser[R]) condition(name string, f Field[R], op operator, sign, value string) node[R] {
	whole := name + sign + value
	switch {
	case f.Texts == nil:
		limit, err := f.limit(value)
		if err != nil {
			p.fail(fmt.Errorf("%s: %w, as in %s>5", whole, err, name))
			return p.word(whole)
		}
		p.use(f.Name)
		return numbers[R]{f.Number, op, limit, value}
	case value == "":
		p.fail(fmt.Errorf("%s: a word is missing after the sign", whole))
		return p.word(whole)
	case op.orders():
		p.fail(fmt.Errorf("%s: %s is no number: write %s:%s", whole, name, name, value))
		return p.word(whole)
	}
	p.use(f.Name)
	return texts[R]{f.Texts, textFits(op, strings.ToLower(value)), op == differs || op == lacks}
}

// limit reads a number with or without a unit, into the quantity's own.
func (f *Field[R]) limit(text string) (float64, error) {
	if digits, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok { // as hexadecimal counters are shown
		n, err := strconv.ParseUint(digits, 16, 64)
		if err != nil {
			return 0, errNoNumber
		}
		return float64(n), nil
	}
	end := strings.LastIndexAny(text, "0123456789.") + 1
	v, err := strconv.ParseFloat(text[:end], 64)
	if text == "" || err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(v) {
		return 0, errNoNumber
	}
	switch unit := text[end:]; {
	case unit != "":
		u, ok := cooker.UnitNamed(f.Quantity, unit)
		if !ok {
			return 0, fmt.Errorf("%.12s is no unit of it", unit)
		}
		v *= u.Factor
	case f.Unit != 0:
		v *= f.Unit
	}
	return v, nil
}

func (p *parser[R]) word(text string) node[R] {
	if text == "" {
		return nil
	}
	text = strings.ToLower(text)
	p.plain = true
	if !p.denied && !slices.Contains(p.words, text) {
		p.words = append(p.words, text)
	}
	return texts[R]{of: p.fields.Plain, fits: textFits(holds, text)}
}

func (p *parser[R]) use(name string) {
	if name = strings.ToLower(name); !slices.Contains(p.used, name) {
		p.used = append(p.used, name)
	}
}

func (p *parser[R]) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *parser[R]) skipBlanks() { p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace) }

// isWord tells whether a joining word stands here, by itself.
func (p *parser[R]) isWord(w string) bool {
	if len(p.rest) < len(w) || !strings.EqualFold(p.rest[:len(w)], w) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(p.rest[len(w):])
	return len(p.rest) == len(w) || unicode.IsSpace(next) || next == '(' || next == ')' && p.depth > 0
}

func (p *parser[R]) acceptWord(w string) bool {
	p.skipBlanks()
	if !p.isWord(w) {
		return false
	}
	p.rest = p.rest[len(w):]
	return true
}

// token takes a text: to the end of its quotes, or to a blank, to the parenthesis
// that closes the group around it, and, for a name, to an operator.
func (p *parser[R]) token(name bool) (text string, quoted bool) {
	if rest, ok := strings.CutPrefix(p.rest, `"`); ok {
		text, p.rest, _ = strings.Cut(rest, `"`)
		return text, true
	}
	open := 0
	for at, r := range p.rest {
		_, _, operator := operatorAt(p.rest[at:])
		switch {
		case unicode.IsSpace(r), name && at > 0 && operator, r == ')' && p.depth > 0 && open == 0:
			text, p.rest = p.rest[:at], p.rest[at:]
			return text, false
		case r == '(':
			open++
		case r == ')':
			open--
		}
	}
	text, p.rest = p.rest, ""
	return text, false
}
