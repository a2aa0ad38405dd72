package collectorset

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"perfdeck/session/text/english"
)

// The limits of a file.
const (
	mostBytes = 16 << 20
	mostDepth = 64
	mostNodes = 1 << 18
)

// Encoding is how a file is written. Both end their lines by CR LF.
type Encoding uint8

// The encodings. Windows writes UTF-16 (little endian) with a byte order mark.
const (
	UTF16 Encoding = iota
	UTF8
)

// Error says why a text is no data collector set.
type Error struct{ Finding }

func (e *Error) Error() string { return e.Text }

// Hint says what it should be.
func (e *Error) Hint() string {
	return "a set is the XML that perfmon's \"Save Template\" and logman export write"
}

func newError(property, format string, args ...any) *Error {
	return &Error{Finding{property, Invalid, fmt.Sprintf(format, args...), true}}
}

// Decode reads a set. What its elements say that cannot be, or is worth to know, is told
// by findings; Check tells the rest. The error, an *Error, is that of a text that is no
// set at all.
func Decode(data []byte) (*Set, []Finding, error) {
	_, s, found, err := readBytes(data)
	return s, found, err
}

// readBytes reads a set of a file.
func readBytes(data []byte) (*node, *Set, []Finding, error) {
	if len(data) > mostBytes {
		return nil, nil, nil, newError("(xml)", "larger than %s", english.Size(mostBytes))
	}
	text, err := decodeText(data)
	if err != nil {
		return nil, nil, nil, newError("(xml)", "not XML: %s", err)
	}
	return read(text)
}

// read reads a set of a text.
func read(text string) (*node, *Set, []Finding, error) {
	if len(text) > mostBytes {
		return nil, nil, nil, newError("(xml)", "larger than %s", english.Size(mostBytes))
	}
	root, err := parse(text)
	if err != nil {
		return nil, nil, nil, newError("(xml)", "not XML: %s", err.Error())
	}
	if root.name != rootElement {
		return nil, nil, nil, newError("(root)", "the root element is %s, not %s", root.name, rootElement)
	}
	var r reader
	s := r.set(root)
	return root, s, r.findings, nil
}

// EncodingOf tells how a file is written: by its mark, then by its bytes. What it
// declares is often wrong.
func EncodingOf(data []byte) Encoding {
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")),
		len(data) > 1 && (data[0] == 0 || data[1] == 0):
		return UTF16
	}
	return UTF8
}

func decodeText(data []byte) (string, error) {
	if EncodingOf(data) == UTF8 {
		return string(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))), nil
	}
	order := unicode.LittleEndian
	if data[0] == 0 {
		order = unicode.BigEndian
	}
	out, err := unicode.UTF16(order, unicode.UseBOM).NewDecoder().Bytes(data)
	return string(out), err
}

// node is an element.
type node struct {
	name     string
	raw      string // all of it, as it is written
	inside   string // what stands between its tags, as it is written
	text     string
	marked   bool // it has attributes
	children []*node

	start, body int // where it and what is inside begin in the text
}

var (
	errDirective = errors.New("a DOCTYPE, which no set has")
	errDeep      = fmt.Errorf("more than %d elements one in the other", mostDepth)
	errMany      = fmt.Errorf("more than %d elements", mostNodes)
	errSecond    = errors.New("a second root element")
)

// parser reads a text into its elements.
type parser struct {
	text  string
	root  *node
	stack []*opened
	count int
}

// opened is an element whose end was not read yet.
type opened struct {
	*node

	chars strings.Builder
}

// parse reads a text. Entities but those of XML itself are errors.
func parse(text string) (*node, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	p := parser{text: text}
	for {
		at := d.InputOffset()
		token, err := d.Token()
		if errors.Is(err, io.EOF) && p.root != nil {
			return p.root, nil // what is left open is an error of its own
		}
		if err != nil {
			return nil, err
		}
		if err := p.handle(token, at, d.InputOffset()); err != nil {
			return nil, err
		}
	}
}

// handle puts a token, which stands from one place to another, into the tree.
func (p *parser) handle(token xml.Token, from, to int64) error {
	switch t := token.(type) {
	case xml.Directive:
		return errDirective
	case xml.StartElement:
		return p.open(&node{name: t.Name.Local, marked: len(t.Attr) > 0, start: int(from), body: int(to)})
	case xml.CharData:
		if len(p.stack) > 0 {
			p.stack[len(p.stack)-1].chars.Write(t)
		}
	case xml.EndElement:
		top := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		top.raw, top.inside = p.text[top.start:to], p.text[top.body:from]
		top.text = trim(top.name, top.chars.String(), top.inside)
	}
	return nil
}

func (p *parser) open(n *node) error {
	p.count++
	switch {
	case p.count > mostNodes:
		return errMany
	case len(p.stack) == mostDepth:
		return errDeep
	case len(p.stack) > 0:
		parent := p.stack[len(p.stack)-1]
		parent.children = append(parent.children, n)
	case p.root != nil:
		return errSecond
	default:
		p.root = n
	}
	p.stack = append(p.stack, &opened{node: n})
	return nil
}

const (
	white = " \r\n\t"
	// blank is how a blank is written that is a part of a text.
	blank = "&#32;"
)

// trim takes away what exports that are nice to read put around a text: line ends, and
// blanks, but not those that are written as a part of it. In patterns blanks on the same line
// mean something.
func trim(name, text, written string) string {
	inner := strings.Trim(text, white)
	if inner == "" {
		return ""
	}
	if at := strings.Index(text, inner); isPattern(name) && !strings.ContainsAny(text[:at]+text[at+len(inner):], "\r\n") {
		return strings.Trim(text, "\t")
	}
	written = strings.Trim(written, white)
	before, after := 0, 0
	for rest, ok := strings.CutPrefix(written, blank); ok; rest, ok = strings.CutPrefix(rest, blank) {
		before++
	}
	for rest, ok := strings.CutSuffix(written, blank); ok; rest, ok = strings.CutSuffix(rest, blank) {
		after++
	}
	return strings.Repeat(" ", before) + inner + strings.Repeat(" ", after)
}

func isPattern(name string) bool { return strings.HasSuffix(name, "Pattern") }

// reader makes a set of elements.
type reader struct{ findings }

func (r *reader) set(root *node) *Set {
	s := New("")
	if root.marked {
		r.add("(root)", Attribute, "attributes mean nothing here and are left out")
	}
	var count counter
	fill(r, "", root, s, func(child *node) bool {
		at := count.next(child.name)
		switch child.name {
		case scheduleElement:
			s.Schedules = append(s.Schedules, Schedule{})
			fill(r, at, child, &s.Schedules[len(s.Schedules)-1], nil, schedules.table)
		case counterElement:
			s.Collectors = append(s.Collectors, r.collector(Counters, at, child))
		case alertElement:
			s.Collectors = append(s.Collectors, r.collector(Alerts, at, child))
		case managerElement:
			if s.Manager != nil {
				r.add(managerElement, Twice, "stands twice: the first one is used")
				return true
			}
			s.Manager = r.manager(child)
		default:
			return r.keep(s, at, child)
		}
		return true
	}, setBefore, setAfter)
	return s
}

// keep takes a collector that does not run here as it is written.
func (r *reader) keep(s *Set, at string, n *node) bool {
	if !slices.Contains(keptElements, n.name) {
		return false
	}
	c := Collector{Kind: Kept, Element: n.name, Raw: n.raw}
	for _, child := range n.children {
		if child.name == "Name" {
			c.Name = child.text
		}
	}
	s.Collectors = append(s.Collectors, c)
	r.add(strings.TrimSuffix(at, "/"), Skipped, "kept in the file and not run: only counters and alerts are")
	return true
}

func (r *reader) collector(k Kind, at string, n *node) Collector {
	c := NewCollector(k, "")
	kind := &kinds[k]
	var shown []string
	fill(r, at, n, &c, func(child *node) bool {
		switch child.name {
		case typeElement:
			if number, err := parseNumber(child.text); child.text != "" && (err != nil || number != kind.number) {
				r.add(at+typeElement, OtherType, "%s is not %d, which is what %s means; the element counts", child.text, kind.number, kind.element)
			}
		case kind.shown:
			shown = append(shown, child.text)
		default:
			return false
		}
		return true
	}, collectorProperties, kind.properties)
	if lines := c.lines(); len(*lines) == 0 && len(shown) > 0 {
		*lines = shown
		r.add(at+kind.lines, DisplayOnly, "only %s is there: taken for it", kind.shown)
	}
	return c
}

func (r *reader) manager(n *node) *Manager {
	m := NewManager()
	var count counter
	fill(r, managerElement+"/", n, m, func(child *node) bool {
		if child.name != actionElement {
			return false
		}
		m.FolderActions = append(m.FolderActions, FolderAction{})
		fill(r, managerElement+"/"+count.next(child.name), child, &m.FolderActions[len(m.FolderActions)-1], nil, actions.table)
		return true
	}, managerProperties)
	return m
}

// counter numbers elements of a name.
type counter map[string]int

// next is the property of the next one, as Schedule[1]/.
func (c *counter) next(name string) string {
	if *c == nil {
		*c = counter{}
	}
	(*c)[name]++
	return fmt.Sprintf("%s[%d]/", name, (*c)[name])
}

// fill fills what tables know of an element. What they do not know others takes, or it
// is kept as it is written.
func fill[T any](r *reader, at string, n *node, v *T, others func(*node) bool, tables ...[]property[T]) {
	seen, extra := map[string]int{}, extraOf(v)
	for _, child := range n.children {
		name := at + child.name
		if child.marked && !slices.Contains(keptElements, child.name) {
			r.add(name, Attribute, "attributes mean nothing here and are left out")
		}
		p := find(child.name, tables)
		switch {
		case p == nil && (others == nil || !others(child)):
			r.add(name, Unknown, "no element of a set: kept in the file")
			*extra = append(*extra, child.raw)
			continue
		case p == nil:
			continue
		}
		seen[child.name]++
		r.read(name, p.once, p.field(v), child, seen[child.name])
	}
}

func find[T any](name string, tables [][]property[T]) *property[T] {
	for _, table := range tables {
		for i := range table {
			if table[i].name == name {
				return &table[i]
			}
		}
	}
	return nil
}

// read reads the nth element of a property.
func (r *reader) read(name string, once bool, field any, n *node, nth int) {
	if list, isList := field.(*[]string); isList {
		*list = append(*list, n.text)
		return
	}
	if nth > 1 {
		r.add(name, Twice, "stands twice: the first one is used")
		return
	}
	if raw, isInner := field.(*Inner); isInner {
		if strings.Trim(n.inside, white) != "" {
			*raw = Inner(n.inside)
		}
		return
	}
	if number, isNumber := field.(*uint32); isNumber && once && n.text == "-1" {
		*number = OneSample
		return
	}
	switch err := setField(field, n.text); {
	case errors.Is(err, errForm):
		r.add(name, OtherForm, "%s is read, but Windows writes it in another form", n.text)
	case err != nil:
		r.refuse(name, Invalid, "%s is %v", n.text, err)
	}
}
