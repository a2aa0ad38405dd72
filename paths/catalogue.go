package paths

// Catalogue is what a path is looked up in: the objects of one host, each with its
// counters. Things are known by number; numbers of one kind run from 0 to its Num
// method.
type Catalogue interface {
	NumObjects() int
	Object(object int) ObjectEntry
	NumCounters(object int) int
	Counter(object, counter int) CounterEntry
}

// ObjectEntry is an object (counterset) of a catalogue.
type ObjectEntry struct {
	Name     string // English
	Label    string // in the host's language; empty: as Name
	Multiple bool   // has named instances
	Whole    string // the instance that a path without one means; empty: none
}

// CounterEntry is a counter of an object.
type CounterEntry struct {
	Name   string // English
	Label  string // in the host's language; empty: as Name
	Hidden bool   // no display: matched by wildcards only when Options.ShowHidden is set
}

// InstanceEntry is an instance of an object. The n-th of the same parent and
// name, in the order of the catalogue, is the one shown as name#n.
type InstanceEntry struct {
	Parent string // empty: none
	Name   string
	Hidden bool // found by its name only, never by a wildcard
	Total  bool // an aggregate of others; IsTotal tells it by its name
}

// Options steer Expand and ExpandText.
type Options struct {
	// NameOf is the host's name table: it gives the name behind a number of the
	// index form (`\238(_Total)\6`), English or localized. nil: numbers are names.
	NameOf func(index uint32) (name string, ok bool)

	SkipTotals bool // wildcards leave out _Total and its like
	ShowHidden bool // counter wildcards take hidden counters too
}

// IsTotal reports whether an instance is by its name an aggregate of others:
// `_Total`, and `0,_Total` of Processor Information.
func IsTotal(instance string) bool {
	_, ok := cutSuffixFold(instance, "_Total")
	return ok
}
