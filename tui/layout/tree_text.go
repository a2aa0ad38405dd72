package layout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// String writes the tree as ParseTree reads it: "1", "|0.5(0,1)" for side by
// side, "-0.3(0,1)" for one above the other.
func (t *Tree) String() string {
	if t == nil {
		return ""
	}
	if t.Split == None {
		return strconv.Itoa(t.Pane)
	}
	sign := "|"
	if t.Split == Above {
		sign = "-"
	}
	return fmt.Sprintf("%s%.4g(%s,%s)", sign, t.Ratio, t.A, t.B)
}

// mostDepth bounds what ParseTree takes: more than a deck has panes.
const mostDepth = 4096

// ParseTree reads a tree of n panes: each of them once.
func ParseTree(text string, n int) (*Tree, error) {
	p := treeParser{text: text, seen: make([]bool, n)}
	t, ok := p.node(0)
	if !ok || p.text != "" || slices.Contains(p.seen, false) {
		return nil, fmt.Errorf("layout %q: not one of %d panes", text, n)
	}
	return t, nil
}

type treeParser struct {
	text string
	seen []bool
}

func (p *treeParser) node(depth int) (*Tree, bool) {
	if depth > mostDepth || p.text == "" {
		return nil, false
	}
	s := None
	switch p.text[0] {
	case '|':
		s = Beside
	case '-':
		s = Above
	}
	if s == None {
		digits := p.until(",)")
		i, err := strconv.Atoi(digits)
		if err != nil || i < 0 || i >= len(p.seen) || p.seen[i] {
			return nil, false
		}
		p.seen[i] = true
		return Leaf(i), true
	}
	p.text = p.text[1:]
	ratio, err := strconv.ParseFloat(p.until("("), 64)
	if err != nil || !(ratio >= leastRatio && ratio <= mostRatio) || !p.take("(") {
		return nil, false
	}
	a, ok := p.node(depth + 1)
	if !ok || !p.take(",") {
		return nil, false
	}
	b, ok := p.node(depth + 1)
	if !ok || !p.take(")") {
		return nil, false
	}
	return &Tree{Split: s, Ratio: ratio, A: a, B: b}, true
}

// until takes the text before any of the signs.
func (p *treeParser) until(signs string) string {
	i := strings.IndexAny(p.text, signs)
	if i < 0 {
		i = len(p.text)
	}
	out := p.text[:i]
	p.text = p.text[i:]
	return out
}

func (p *treeParser) take(sign string) bool {
	rest, ok := strings.CutPrefix(p.text, sign)
	p.text = rest
	return ok
}
