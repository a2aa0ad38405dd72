package manifest

import (
	"errors"
	"strings"
)

// reader walks through one manifest, builds its model and reports what a look
// at single elements shows. What needs the whole file is looked at in the end
// (check.go).
type reader struct {
	report
	scan scanner
	file *File

	namespace string // of the counters element
	two       bool   // the rules of its schemaVersion are those of 2.0
	foreign   bool   // a wrong namespace was reported
	roots     int    // counters elements
	broken    bool   // the XML could not be read to its end
	culture   string // of the string table that is being read
	sets      []*openSet
	texts     []textUse
	breaks    []int // offsets of line breaks, made when needed
}

// openSet is a counterset with the places of what is checked in the end.
type openSet struct {
	*CounterSet
	kernel   bool
	two      bool            // as in reader
	whole    bool            // read up to its end tag
	declared map[string]bool // names of structs
	at       setPositions
	counters []counterSpots
}

type setPositions struct{ element, guid, uri, name, symbol int }

type counterSpots struct {
	element, id, uri, name, symbol, structure int
	companions                                [len(companions)]int
}

func newReader(name string) *reader {
	r := &reader{file: &File{Name: name, Providers: []*Provider{}}}
	r.report.file = name
	r.scan.report = &r.report
	return r
}

func (r *reader) done(text string) (*File, []Problem) {
	r.file.settle()
	return r.file, r.locate(text)
}

func (r *reader) read(text string) {
	r.scan.text = text
	for {
		t, ok := r.next()
		if !ok || t.kind == tokenDone {
			break
		}
		if t.kind == tokenStart {
			r.outside(t)
		}
	}
	r.finish()
}

// next is the next token; it is false when the XML cannot be read further.
func (r *reader) next() (token, bool) {
	if r.broken {
		return token{}, false
	}
	t, err := r.scan.next()
	if fault, ok := errors.AsType[*syntaxError](err); ok {
		r.broken = true
		r.fail(fault.at, fault.finding)
	}
	return t, err == nil
}

// outside looks at an element outside counters: only counters themselves and
// string tables matter there.
func (r *reader) outside(t token) {
	switch {
	case t.name == elementCounters && r.isCounters(t):
		r.countersElement(t)
	case t.name == "resources":
		r.culture = value(t, "culture")
	case t.name == "string" && r.scan.parent() == "stringTable":
		r.stringElement(t)
	}
}

// isCounters tells the counters element of the schema from one of the same
// name that belongs to something else.
func (r *reader) isCounters(t token) bool {
	return t.namespace == Namespace || len(r.scan.open) == 1 || r.scan.parent() == "instrumentation"
}

func (r *reader) countersElement(t token) {
	r.roots++
	r.namespace = t.namespace
	switch {
	case t.undefined != "":
		r.checkNamespace(t)
	case t.namespace != Namespace:
		r.foreign = true
		r.warn(t.at, finding{RuleNamespace, "the namespace of counters is " + quote(t.namespace), "write xmlns=" + quote(Namespace)})
	}
	r.checkAttributes(t, elementCounters)
	r.two = r.isTwo(t)
	r.children(elementCounters, elements{elementProvider: func(t token) { r.providerElement(t) }})
	if len(r.file.Providers) == 0 && !r.broken {
		r.fail(t.at, finding{RuleProviders, "counters has no provider", "exactly one is needed"})
	}
}

// elements are what may stand in another one: each is read up to its own end.
type elements map[string]func(token)

// children reads the content of the element just opened, up to its end tag.
func (r *reader) children(parent string, known elements) {
	for {
		t, ok := r.next()
		switch {
		case !ok || t.kind == tokenEnd:
			return
		case t.kind == tokenText:
			r.warn(t.at, finding{RuleStrayText, "text in " + parent + " means nothing", "is a comment or a tag broken here?"})
			continue
		}
		r.checkNamespace(t)
		if read := known[t.name]; read != nil {
			read(t)
		} else {
			r.misplaced(t, parent)
			r.skip()
		}
	}
}

// leaf reads past the element just opened, which may hold text alone.
func (r *reader) leaf(parent string) {
	for {
		t, ok := r.next()
		switch {
		case !ok || t.kind == tokenEnd:
			return
		case t.kind == tokenStart:
			r.misplaced(t, parent)
			r.skip()
		}
	}
}

// skip reads past the element just opened.
func (r *reader) skip() {
	for depth := 1; depth > 0; {
		t, ok := r.next()
		switch {
		case !ok:
			return
		case t.kind == tokenStart:
			depth++
		case t.kind == tokenEnd:
			depth--
		}
	}
}

func (r *reader) checkNamespace(t token) {
	switch {
	case t.undefined != "":
		r.fail(t.at, finding{RuleNamespace, "the prefix of " + printName(t.undefined+":"+t.name) + " is not declared", "declare xmlns:" + printName(t.undefined) + "=" + quote(Namespace)})
	case t.namespace != r.namespace && !r.foreign:
		r.foreign = true // once for the file
		r.warn(t.at, finding{RuleNamespace, t.nameForMessage() + " is in another namespace than counters: " + quote(t.namespace), "use one prefix for all elements"})
	}
}

func (t token) nameForMessage() string { return "<" + printName(t.name) + ">" }

// misplaced reports an element that the schema does not have here.
func (r *reader) misplaced(t token, parent string) {
	f := finding{RuleElement, t.nameForMessage() + " does not belong in " + parent, ""}
	for name := range schema() {
		switch {
		case t.name == parent:
			f.hint = "is </" + parent + "> missing before it?"
		case name == t.name:
			f.hint = "see the counter manifest schema for its place"
		case strings.EqualFold(name, t.name):
			f.hint = "write <" + name + ">"
		}
	}
	if t.namespace != r.namespace && t.namespace != Namespace {
		r.warn(t.at, f) // an extension of someone else's
		return
	}
	r.fail(t.at, f)
}

// checkAttributes looks at each attribute by itself, by the schema.
func (r *reader) checkAttributes(t token, element string) {
	rules := schema()[element]
	for i := range t.attrs {
		if a := &t.attrs[i]; a.prefix == "" && !a.isDefaultNamespace() {
			r.checkAttribute(a, element, rules)
		}
	}
	for i := range rules {
		if rules[i].required && find(t, rules[i].name) == nil {
			r.missing(t, element, rules[i].name, "the schema requires it")
		}
	}
}

func (r *reader) checkAttribute(a *attribute, element string, rules []attributeRule) {
	for i := range rules {
		if rules[i].name != a.name {
			continue
		}
		if !rules[i].accepts(a.value) && !r.full(Error) {
			r.fail(a.valueAt, rules[i].complain(a.value))
		}
		return
	}
	for i := range rules {
		if strings.EqualFold(rules[i].name, a.name) {
			r.fail(a.at, finding{RuleUnknown, element + " has no attribute " + quote(a.name), "write " + quote(rules[i].name)})
			return
		}
	}
	r.fail(a.at, finding{RuleUnknown, element + " has no attribute " + quote(a.name), "the schema has none of that name"})
}

func (r *reader) missing(t token, element, name, why string) {
	r.fail(t.at, finding{RuleRequired, element + " has no " + name, why})
}

// find is an attribute of a start tag, nil if it is absent.
func find(t token, name string) *attribute {
	for i := range t.attrs {
		if a := &t.attrs[i]; a.name == name && a.prefix == "" {
			return a
		}
	}
	return nil
}

// value is the value of an attribute, empty if it is absent.
func value(t token, name string) string {
	if a := find(t, name); a != nil {
		return a.value
	}
	return ""
}

// number is the number of an attribute, not set if it is absent or unreadable.
func number(t token, name string) Number {
	if a := find(t, name); a != nil {
		n, ok := parseNumber(a.value)
		return Number{n, ok}
	}
	return Number{}
}

// positionOf is where the value of an attribute stands; that of the element if it is
// absent.
func positionOf(t token, name string) int {
	if a := find(t, name); a != nil {
		return a.valueAt
	}
	return t.at
}
