package pcq

import (
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// asked is what one query handle collects of one counterset: by one identifier
// for all counters, or one for each.
type asked struct {
	guid     perflib.GUID
	kind     session.InstanceType
	counters int                  // of the whole set
	ids      []uint32             // needed, in order
	texts    []cooker.CounterType // of ids that are texts; 0: a number
	wants    []*want

	named   bool // identifiers carry the instance name *
	told    bool // that instances come together was said
	swapped bool // named was tried the other way
	singles bool // all counters at once was tried and refused

	out  *aside // it fails: out of the query; nil: it is in
	back bool   // it was out, and was not read since
	idle bool   // left out to see whether the others can be read

	table table
	cells []cell          // of ids, row by row
	why   []cooker.Status // of ids: why a cell is empty
	text  []cooker.Text   // of this collection, by the number in a cell
	kept  perflib.CounterTexts
	err   error // why there are no rows
	good  bool  // a block was read
	// places of the counter numbers that the last block listed
	listed perflib.CounterIDs
	places []int
}

// cell is one raw value.
type cell struct {
	value uint64 // or index in asked.text
	size  uint8  // bytes: 4 or 8; or one of the sizes below
}

const (
	noValue  uint8 = 0
	isOpaque uint8 = 1 // of a size that is no number
	isText   uint8 = 2
	least    uint8 = 4 // of a number
)

func (c *cell) number() bool { return c.size >= least }

// newAsked begins by asking for all instances, where the set's type speaks of such:
// those of the global aggregate types are aggregated here (MS-PCQ 2.2.4.2,
// AggregateFunc).
func newAsked(w *want) *asked {
	kind := w.Set.Instances
	return &asked{guid: w.guid, kind: kind, counters: len(w.Set.Counters), named: kind.Multiple(), table: table{flagsOf: w.Set.FlagsOf}}
}

// plan decides what is needed by all its wants.
func (a *asked) plan() {
	var ids []uint32
	for _, w := range a.wants {
		ids = append(ids, w.ids()...)
	}
	slices.Sort(ids)
	a.ids = slices.Compact(ids)
	a.texts = make([]cooker.CounterType, len(a.ids))
	a.why = make([]cooker.Status, len(a.ids))
	a.listed, a.places = nil, nil
	for _, w := range a.wants {
		w.place(a)
		for _, c := range w.columns {
			if c.kind.IsText() {
				a.texts[c.at] = c.kind
			}
		}
	}
}

// place is where a counter stands in ids, -1 for none.
func (a *asked) place(id uint32) int {
	if at, ok := slices.BinarySearch(a.ids, id); ok {
		return at
	}
	return -1
}

// all tells whether one identifier for all counters makes the smaller reply.
// For each instance, a counter of its own costs a header, the name and a value,
// about 56 bytes; in a block of all it costs a value, 16 bytes, and so do those
// that nobody wants. Without instances it is 32 against 20.
func (a *asked) all() bool {
	if a.singles || len(a.ids) < 2 {
		return false
	}
	if a.named {
		return 56*len(a.ids) >= 40+16*a.counters
	}
	return 32*len(a.ids) >= 24+20*a.counters
}

// isIn tells whether the query handle is to hold the set.
func (a *asked) isIn() bool { return a.out == nil && !a.idle }

// identifiers are what the query handle is to hold.
func (a *asked) identifiers() []uint32 {
	if !a.isIn() {
		return nil
	}
	if a.all() {
		return []uint32{perflib.AllCounters}
	}
	return a.ids
}

// adapt looks for another way when everything was refused, and tells whether
// there is one. Whether sets of the aggregate types carry an instance name in
// their identifiers differs between hosts: one that has none gives its instances
// together. A refusal of all counters at once must not take those that can be read
// with it.
func (a *asked) adapt(codes []rpc.Code) bool {
	if len(codes) == 0 || slices.Contains(codes, rpc.CodeOK) {
		return false
	}
	if a.kind != session.SingleInstance && a.kind != session.MultipleInstances && !a.swapped && codes[0] == rpc.CodeInvalidParameter {
		a.named, a.swapped = !a.named, true
		return true
	}
	if a.all() && !codes[0].IsDenied() && codes[0] != rpc.CodeGUIDNotFound {
		a.singles = true
		return true
	}
	return false
}

// statusOf is what a code makes of a reading.
func statusOf(code rpc.Code) cooker.Status {
	switch {
	case code.IsDenied():
		return cooker.Denied
	case isAbsence(code):
		return cooker.Gone
	}
	return cooker.Unavailable
}

// isAbsence tells of codes that say that there is no instance now.
func isAbsence(code rpc.Code) bool {
	return code == rpc.CodePathNotFound || code == rpc.CodeNoData || code == rpc.CodeInstanceNotFound
}
