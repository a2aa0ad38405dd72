package paths

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// lookup finds objects and counters by name.
type lookup struct {
	Catalogue
	Options
}

// found is an object with those of its counters that a path means.
type found struct {
	object   int
	counters []int
}

// literal is a path whose object and counter are names of the catalogue as they
// stand, whatever characters they hold.
type literal struct {
	found
	instance    string
	hasInstance bool
}

// literal finds the body of a path (what follows the backslash before the
// object) by names alone: the longest object name that begins it and the
// longest of its counters that ends it; what is between is the instance.
func (l lookup) literal(body string) (literal, bool) {
	for _, c := range l.objectsAtStartOf(body) {
		if text, ok := strings.CutPrefix(c.rest, `\`); ok {
			if n := l.counterNamed(c.object, text); n >= 0 {
				return literal{found: found{c.object, []int{n}}}, true
			}
			continue
		}
		if text, ok := strings.CutPrefix(c.rest, "("); ok {
			if n, instance := l.counterAtEndOf(c.object, text); n >= 0 {
				return literal{found{c.object, []int{n}}, instance, true}, true
			}
		}
	}
	return literal{}, false
}

// start is an object whose name begins a text, with the rest of that text.
type start struct {
	object int
	rest   string
}

// objectsAtStartOf lists the objects whose name begins body: longest names
// first, English before localized ones.
func (l lookup) objectsAtStartOf(body string) []start {
	var english, labels []start
	for i := range l.NumObjects() {
		o := l.Object(i)
		if rest, ok := cutPrefixFold(body, o.Name); ok && o.Name != "" {
			english = append(english, start{i, rest})
		}
		if rest, ok := cutPrefixFold(body, o.Label); ok && o.Label != "" {
			labels = append(labels, start{i, rest})
		}
	}
	all := slices.Concat(english, labels)
	slices.SortStableFunc(all, func(a, b start) int { return cmp.Compare(len(a.rest), len(b.rest)) })
	return all
}

// counterAtEndOf finds the longest counter of an object for which text is
// `instance)\counter`; -1 when there is none.
func (l lookup) counterAtEndOf(object int, text string) (counter int, instance string) {
	counter = -1
	try := func(i int, name string) {
		head, ok := cutSuffixFold(text, name)
		if !ok || name == "" {
			return
		}
		head, ok = strings.CutSuffix(head, `)\`)
		if ok && (counter < 0 || len(head) < len(instance)) {
			counter, instance = i, head
		}
	}
	for i := range l.NumCounters(object) {
		try(i, l.Counter(object, i).Name)
	}
	for i := range l.NumCounters(object) {
		try(i, l.Counter(object, i).Label)
	}
	return counter, instance
}

// find looks up the parts of a path that has been taken apart.
func (l lookup) find(object, counter string) ([]found, *LookupError) {
	objects := l.objectsNamed(object)
	var have []found
	for _, o := range objects {
		if counters := l.countersNamed(o, counter); len(counters) > 0 {
			have = append(have, found{o, counters})
			break // the same name twice means the first that has the counter
		}
	}
	have = append(have, l.serverInstances(object, counter)...)
	switch {
	case len(have) > 0:
		return have, nil
	case len(objects) > 0:
		return nil, l.noCounter(objects[0], counter)
	}
	return nil, l.noObject(object)
}

// objectsNamed lists the objects of a name: by English, then by localized name,
// then by number.
func (l lookup) objectsNamed(name string) []int {
	if name == "" { // no label is no name
		return nil
	}
	var objects []int
	for i := range l.NumObjects() {
		if EqualFold(l.Object(i).Name, name) {
			objects = append(objects, i)
		}
	}
	for i := range l.NumObjects() {
		if EqualFold(l.Object(i).Label, name) && !slices.Contains(objects, i) {
			objects = append(objects, i)
		}
	}
	if len(objects) == 0 {
		if alias, ok := l.nameBehind(name); ok {
			return lookup{l.Catalogue, Options{}}.objectsNamed(alias)
		}
	}
	return objects
}

// countersNamed lists the counters of an object that a name or a wildcard means.
func (l lookup) countersNamed(object int, name string) []int {
	if i := l.counterNamed(object, name); i >= 0 {
		return []int{i}
	}
	if alias, ok := l.nameBehind(name); ok {
		if i := l.counterNamed(object, alias); i >= 0 {
			return []int{i}
		}
	}
	if !isWild(name) {
		return nil
	}
	var counters []int
	p := compile(name)
	for i := range l.NumCounters(object) {
		c := l.Counter(object, i)
		if c.Hidden && !l.ShowHidden {
			continue
		}
		if p.match(instanceName{name: c.Name}) || c.Label != "" && p.match(instanceName{name: c.Label}) {
			counters = append(counters, i)
		}
	}
	return counters
}

// counterNamed finds a counter by its English, then by its localized name; -1
// when there is none.
func (l lookup) counterNamed(object int, name string) int {
	if name == "" {
		return -1
	}
	for i := range l.NumCounters(object) {
		if EqualFold(l.Counter(object, i).Name, name) {
			return i
		}
	}
	for i := range l.NumCounters(object) {
		if EqualFold(l.Counter(object, i).Label, name) {
			return i
		}
	}
	return -1
}

// nameBehind reads a number of the index form.
func (l lookup) nameBehind(text string) (name string, ok bool) {
	if l.NameOf == nil {
		return "", false
	}
	index, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return "", false
	}
	name, ok = l.NameOf(uint32(index))
	return name, ok && name != ""
}

// OfServer takes the name of an object of SQL Server apart: SQLServer:KIND, of the instance that has no
// name, or MSSQL$INSTANCE:KIND.
func OfServer(object string) (instance, kind string, ok bool) {
	server, kind, _ := strings.Cut(object, ":")
	if kind == "" {
		return "", "", false
	}
	instance, ok = cutPrefixFold(server, "MSSQL$")
	return instance, kind, ok && instance != "" || EqualFold(server, "SQLServer")
}

// ServerObject is the name of an object of SQL Server that OfServer takes apart.
func ServerObject(instance, kind string) string {
	if instance == "" {
		return "SQLServer:" + kind
	}
	return "MSSQL$" + instance + ":" + kind
}

// serverInstances lists the counters of the objects that named SQL Server instances publish where
// one has no name: each instance is one of its own.
func (l lookup) serverInstances(name, counter string) (have []found) {
	instance, kind, ok := OfServer(name)
	if !ok || instance != "" {
		return nil
	}
	isInstance := func(object string) bool {
		instance, of, ok := OfServer(object)
		return ok && instance != "" && EqualFold(of, kind)
	}
	for i := range l.NumObjects() {
		if o := l.Object(i); isInstance(o.Name) || isInstance(o.Label) {
			if counters := l.countersNamed(i, counter); len(counters) > 0 {
				have = append(have, found{i, counters})
			}
		}
	}
	return have
}
