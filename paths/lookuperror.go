package paths

import (
	"fmt"
	"strconv"
	"strings"
)

// LookupKind tells what a catalogue could not answer.
type LookupKind uint8

// The kinds of LookupError.
const (
	UnknownObject    LookupKind = iota // PDH_CSTATUS_NO_OBJECT
	UnknownCounter                     // PDH_CSTATUS_NO_COUNTER
	InstanceMissing                    // the object has instances, the path names none
	InstanceGiven                      // the object has no instances, the path names one
	ComputerWildcard                   // a wildcard for the computer
	ObjectWildcard                     // a wildcard for the object
)

// LookupError says why a path means nothing in a catalogue.
type LookupError struct {
	Kind    LookupKind
	Path    Path
	Name    string   // what was looked for, or the object that the instance does not fit
	Object  string   // the object in which a counter was looked for
	Nearest []string // names like Name that are there, at most 3, best first
	Retry   string   // a path that would be found; empty: none known
}

// Code returns the status PDH has for this fault.
func (e *LookupError) Code() Code {
	switch e.Kind {
	case UnknownObject:
		return NoObject
	case UnknownCounter:
		return NoCounter
	case InstanceMissing:
		return InvalidInstance
	}
	return InvalidPath
}

func (e *LookupError) Error() string {
	return fmt.Sprintf("look up %s: %s (%s)", shorten(printable(e.Path.String())), e.reason(), e.Code())
}

func (e *LookupError) reason() string {
	name := printable(e.Name)
	switch e.Kind {
	case UnknownObject:
		return fmt.Sprintf("there is no object named '%s'", name)
	case UnknownCounter:
		return fmt.Sprintf("the object '%s' has no counter named '%s'", printable(e.Object), name)
	case InstanceMissing:
		return fmt.Sprintf("the object '%s' has instances and the path names none", name)
	case InstanceGiven:
		return fmt.Sprintf("the object '%s' has no instances and the path names one", name)
	case ComputerWildcard:
		return "the computer cannot be a wildcard"
	}
	return "the object cannot be a wildcard"
}

// Hint says what may be done about it; empty when nothing is known.
func (e *LookupError) Hint() string {
	if e.Retry != "" {
		return "try " + printable(e.Retry)
	}
	if _, err := strconv.ParseUint(e.Name, 10, 32); err == nil && e.Kind == UnknownCounter {
		return "the host does not say what this number names: write the name, as perfdeck list shows it"
	}
	if len(e.Nearest) == 0 {
		return ""
	}
	quoted := make([]string, len(e.Nearest))
	for i, name := range e.Nearest {
		quoted[i] = "'" + printable(name) + "'"
	}
	return "did you mean " + strings.Join(quoted, " or ") + "?"
}

func (l lookup) noObject(name string) *LookupError {
	if isWild(name) {
		return &LookupError{Kind: ObjectWildcard, Name: name}
	}
	var names []string
	for i := range l.NumObjects() {
		o := l.Object(i)
		names = append(names, o.Name, o.Label)
	}
	return &LookupError{Kind: UnknownObject, Name: name, Nearest: Nearest(name, names)}
}

func (l lookup) noCounter(object int, name string) *LookupError {
	var names []string
	for i := range l.NumCounters(object) {
		if c := l.Counter(object, i); !c.Hidden || l.ShowHidden {
			names = append(names, c.Name, c.Label)
		}
	}
	return &LookupError{
		Kind: UnknownCounter, Name: name, Object: l.Object(object).Name,
		Nearest: Nearest(name, names),
	}
}

// instanceFault tells that a path with an instance meets an object without, or
// the other way round, and how the path should be.
func (l lookup) instanceFault(p Path, object int, multiple bool) *LookupError {
	o := l.Object(object)
	right := Path{Computer: p.Computer, Object: o.Name, Counter: p.Counter}
	e := &LookupError{Kind: InstanceGiven, Path: p, Name: o.Name}
	if multiple {
		e.Kind = InstanceMissing
		right.HasInstance, right.Instance = true, "*"
	}
	e.Retry = right.String()
	return e
}
