package server

import (
	"bytes"
	"errors"
	"slices"

	"perfdeck/paths"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// spec is one identifier that was added to a query.
type spec struct {
	id       perflib.Identifier
	kind     perflib.BlockKind
	set      *counterset
	counters []*counter
	ids      []uint32 // of counters
	pattern  string   // the folded name
	reading  *reading // of the set, once planned
	rows     []int    // of the reading that answer
	round    uint64   // of the reading when rows were found
	removed  bool
}

// specKey is what makes two identifiers the same.
type specKey struct {
	set               perflib.GUID
	counter, instance uint32
	name              string // UTF-16LE
}

func keyOf(id *perflib.Identifier) specKey {
	return specKey{id.Counterset, id.CounterID, id.InstanceID, string(id.Name)}
}

// maxNameBytes bounds the names that a handle keeps.
const maxNameBytes = 1 << 20

// validate adds or removes identifiers and writes their statuses into buf
// (MS-PCQ 3.1.4.1.7). A bad one does not stop the others, but where it is
// unclear where the next one begins nothing is done.
func (q *query) validate(buf []byte, add bool) rpc.Code {
	list, err := perflib.DecodeIdentifierRequest(buf)
	if err != nil && !errors.Is(err, perflib.MissingTerminator) {
		return rpc.CodeInvalidParameter
	}
	for i := range list {
		status := rpc.CodeInvalidParameter
		switch {
		case list[i].Err != nil:
		case add:
			status = q.add(&list[i])
		default:
			status = q.remove(&list[i])
		}
		list[i].SetStatus(buf, uint32(status))
	}
	q.specs = slices.DeleteFunc(q.specs, func(s *spec) bool { return s.removed })
	return rpc.CodeOK
}

func (q *query) add(id *perflib.Identifier) rpc.Code {
	set, ok := q.handler.byGUID[id.Counterset]
	if !ok {
		return rpc.CodeGUIDNotFound
	}
	if _, ok := set.byID[id.CounterID]; !ok && id.CounterID != perflib.AllCounters {
		return rpc.CodeItemNotFound
	}
	if !set.fits(id.Name) {
		return rpc.CodeInvalidParameter
	}
	key := keyOf(id)
	switch {
	case q.index[key] != nil:
		return rpc.CodeAlreadyExists
	case len(q.index) >= maxIdentifiers || q.nameBytes+len(id.Name) > maxNameBytes:
		return rpc.CodeOutOfMemory
	}
	s := newSpec(id, set)
	q.index[key] = s
	q.specs = append(q.specs, s)
	q.nameBytes += len(id.Name)
	q.planned = false
	return rpc.CodeOK
}

func (q *query) remove(id *perflib.Identifier) rpc.Code {
	key := keyOf(id)
	s, ok := q.index[key]
	if !ok {
		return rpc.CodeInvalidParameter
	}
	s.removed = true
	delete(q.index, key)
	q.nameBytes -= len(id.Name)
	q.planned = false
	return rpc.CodeOK
}

// fits tells whether a set can have an instance of this name, or none.
func (s *counterset) fits(name perflib.Text) bool {
	if len(name) == 0 {
		return s.nameless()
	}
	return s.named() && len(name)/2 < maxNameUnits
}

func newSpec(id *perflib.Identifier, set *counterset) *spec {
	s := &spec{set: set, kind: id.Kind(), pattern: paths.Fold(id.Name.String())}
	s.id = perflib.Identifier{Counterset: id.Counterset, CounterID: id.CounterID, InstanceID: id.InstanceID, Name: bytes.Clone(id.Name)}
	if id.CounterID == perflib.AllCounters {
		for i := range set.counters {
			s.counters = append(s.counters, &set.counters[i])
		}
	} else {
		s.counters = []*counter{&set.counters[set.byID[id.CounterID]]}
	}
	for _, c := range s.counters {
		s.ids = append(s.ids, c.id)
	}
	return s
}

// together tells whether the identifier means all instances as one.
func (s *spec) together() bool { return len(s.id.Name) == 0 && s.set.named() }

// list makes the answer of PerflibV2QueryCounterInfo: the identifiers with the
// positions of their blocks.
func (q *query) list() []byte {
	var list []byte
	for i, s := range q.specs {
		s.id.Index = uint32(i)
		list = perflib.AppendIdentifier(list, &s.id)
	}
	return list
}
