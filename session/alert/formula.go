package alert

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/lazy"
	"perfdeck/session/text/printable"
)

// Formula is a value that is worked out of several counters of one instance, as
// "{Bytes Total/sec} * 800 / {Current Bandwidth}": a rule with one judges that instead of
// its counter. Counters stand in braces; there are + - * /, parentheses, comparisons that
// are 1 or 0, min, max, abs and round; rate(x) is how much x grew a second, from one value that is
// judged to the next.
type Formula struct {
	text     string
	root     *node
	counters []string // each once, in the order of the text
	rates    int      // calls of rate
}

// The limits of formulas.
const (
	mostFormula = 1024 // bytes
	mostDepth   = 50
)

// node is a part of a formula.
type node struct {
	op      string // "number", "counter", an operator or a function
	number  float64
	counter int // index in Formula.counters; of a rate that among the rates
	of      []*node
}

// ParseFormula reads a formula.
func ParseFormula(text string) (*Formula, error) {
	p := &formulaParser{text: text, f: &Formula{text: strings.TrimSpace(text)}}
	if len(text) > mostFormula {
		return nil, p.wrong(fmt.Sprintf("longer than %d bytes", mostFormula))
	}
	root, err := p.binary(0, 0)
	if err != nil {
		return nil, err
	}
	if p.blanks(); p.at < len(text) {
		return nil, p.wrong("an operator is missing")
	}
	if len(p.f.counters) == 0 {
		return nil, p.wrong("it names no counter")
	}
	p.f.root = root
	return p.f, nil
}

// String is the formula as it was read.
func (f *Formula) String() string { return f.text }

// Renamed is the formula with other names of its counters.
func (f *Formula) Renamed(counter func(name string) string) (*Formula, error) {
	if f.text == "" {
		return f, nil
	}
	return ParseFormula(inBraces().ReplaceAllStringFunc(f.text, func(s string) string {
		return "{" + counter(strings.TrimSpace(s[1:len(s)-1])) + "}"
	}))
}

var inBraces = lazy.Regexp(`\{[^}]*\}`)

type formulaParser struct {
	text string
	at   int
	f    *Formula
}

// wrong says where a formula cannot be read, and why; its hint shows one.
func (p *formulaParser) wrong(reason string) error {
	return failure.WithHint(fmt.Errorf("formula %q: at %d: %s", printable.Text(p.text), p.at+1, reason),
		"counters of the same counterset stand in braces: {Bytes Total/sec} * 800 / {Current Bandwidth}")
}

func (p *formulaParser) blanks() {
	p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " \t"))
}

// levels are the operators, those that bind least first; longer ones before their beginnings.
var levels = [...][]string{{">=", "<=", ">", "<"}, {"+", "-"}, {"*", "/"}}

// binary reads operators of a level and of those that bind more.
func (p *formulaParser) binary(level, depth int) (*node, error) {
	if depth > mostDepth {
		return nil, p.wrong("it is nested too deeply")
	}
	if level == len(levels) {
		return p.unary(depth)
	}
	left, err := p.binary(level+1, depth)
	for err == nil {
		p.blanks()
		i := slices.IndexFunc(levels[level], func(op string) bool { return strings.HasPrefix(p.text[p.at:], op) })
		if i < 0 {
			return left, nil
		}
		op := levels[level][i]
		p.at += len(op)
		var right *node
		right, err = p.binary(level+1, depth)
		left = &node{op: op, of: []*node{left, right}}
	}
	return nil, err
}

var formulaNumber = lazy.Regexp(`\A[0-9.]+(?:[eE][+-]*[0-9]*)?`)

// functions are those of formulas, with how many arguments they take.
var functions = map[string]int{"min": 2, "max": 2, "abs": 1, "round": 1, "rate": 1}

// unary reads a number, a counter, a sign, a function, or what is in parentheses.
func (p *formulaParser) unary(depth int) (*node, error) {
	p.blanks()
	rest := p.text[p.at:]
	switch {
	case rest == "":
		return nil, p.wrong("a value is missing")
	case rest[0] == '-':
		p.at++
		of, err := p.binary(len(levels), depth+1)
		return &node{op: "negative", of: []*node{of}}, err
	case rest[0] == '(':
		p.at++
		inner, err := p.binary(0, depth+1)
		if err != nil {
			return nil, err
		}
		return inner, p.expect(')')
	case rest[0] == '{':
		return p.counter()
	}
	if text := formulaNumber().FindString(rest); text != "" {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, p.wrong("a number is expected")
		}
		p.at += len(text)
		return &node{op: "number", number: f}, nil
	}
	for name, arguments := range functions {
		if strings.HasPrefix(rest, name+"(") {
			p.at += len(name) + 1
			return p.call(name, arguments, depth+1)
		}
	}
	return nil, p.wrong("a number, a counter in braces, or min, max, abs, round or rate is expected")
}

func (p *formulaParser) call(name string, arguments, depth int) (*node, error) {
	n := &node{op: name}
	if name == "rate" {
		n.counter = p.f.rates
		p.f.rates++
	}
	for i := range arguments {
		if i > 0 {
			if err := p.expect(','); err != nil {
				return nil, err
			}
		}
		of, err := p.binary(0, depth)
		if err != nil {
			return nil, err
		}
		n.of = append(n.of, of)
	}
	return n, p.expect(')')
}

func (p *formulaParser) expect(c byte) error {
	p.blanks()
	if p.at >= len(p.text) || p.text[p.at] != c {
		return p.wrong(fmt.Sprintf("%q is missing", string(c)))
	}
	p.at++
	return nil
}

// counter reads the name of a counter up to the brace that closes it.
func (p *formulaParser) counter() (*node, error) {
	end := strings.IndexByte(p.text[p.at:], '}')
	name := ""
	if end > 0 {
		name = strings.TrimSpace(p.text[p.at+1 : p.at+end])
	}
	if name == "" || printable.Text(name) != name || strings.ContainsAny(name, `\{*`) {
		return nil, p.wrong("the name of a counter is expected, without its counterset, and }")
	}
	p.at += end + 1
	i := slices.IndexFunc(p.f.counters, func(o string) bool { return paths.EqualFold(o, name) })
	if i < 0 {
		i = len(p.f.counters)
		p.f.counters = append(p.f.counters, name)
	}
	return &node{op: "counter", counter: i}, nil
}

// bind finds the counters of the formula, which may be nil, in a counterset.
func (f *Formula) bind(set *session.Counterset) (found []int, err error) {
	if f == nil {
		return nil, nil
	}
	for _, name := range f.counters {
		c, ok := set.Counter(name)
		if !ok {
			return nil, fmt.Errorf("the counterset %s has no counter %q, which the formula names", set.Name, name)
		}
		found = append(found, c)
	}
	return found, nil
}

// of is the value of the formula for a row of a view; counters are those of bind. Where a
// counter has no value it has none either, for the same reason, as where it divides by 0. since
// has the rates of the value before, now is monotonic.
func (f *Formula) of(v *session.SetView, row int, counters []int, since *rates, now time.Duration) cooker.Value {
	var room [8]float64
	values := room[:0]
	for _, c := range counters {
		col := v.Column(c)
		if col < 0 {
			return cooker.Absent(cooker.Unavailable)
		}
		value := v.Value(row, col)
		number, ok := value.Float()
		if !ok {
			return cooker.Absent(value.Status())
		}
		values = append(values, number)
	}
	was := *since
	*since = rates{at: now, known: true, was: make([]float64, f.rates)}
	number := f.root.eval(values, was, since)
	if math.IsNaN(number) || math.IsInf(number, 0) {
		if f.rates > 0 {
			return cooker.Absent(cooker.FirstSample)
		}
		return cooker.Absent(cooker.ZeroBase)
	}
	return cooker.FloatValue(number)
}

// rates are what the arguments of rate were, and when.
type rates struct {
	was   []float64
	at    time.Duration
	known bool
}

// rate is how much the i-th grew in a second, NaN where it fell: what counts it began anew.
func (r *rates) rate(i int, now float64, before rates) float64 {
	r.was[i] = now
	if !before.known || now < before.was[i] {
		return math.NaN()
	}
	return (now - before.was[i]) / (r.at - before.at).Seconds()
}

func (n *node) eval(values []float64, before rates, r *rates) float64 {
	switch n.op {
	case "number":
		return n.number
	case "counter":
		return values[n.counter]
	}
	a := n.of[0].eval(values, before, r)
	if len(n.of) == 1 {
		switch n.op {
		case "abs":
			return math.Abs(a)
		case "rate":
			return r.rate(n.counter, a, before)
		case "round": // halves to the even number, as PowerShell's [int] does
			return math.RoundToEven(a)
		}
		return -a
	}
	b := n.of[1].eval(values, before, r)
	truth := func(is bool) float64 {
		if is {
			return 1
		}
		return 0
	}
	switch n.op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "min":
		return math.Min(a, b)
	case "max":
		return math.Max(a, b)
	case ">":
		return truth(a > b)
	case "<":
		return truth(a < b)
	case ">=":
		return truth(a >= b)
	}
	return truth(a <= b)
}
