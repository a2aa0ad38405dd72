package pcq

import (
	"bytes"
	"encoding/binary"
	"errors"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
)

// Bounds of what one counterset may hold.
const (
	maxInstances = 1 << 17
	maxCells     = 4 << 20
)

var errTooLarge = errors.New("the counterset has too many instances or values")

// table is the instances of one counterset, in the order of the reply. What
// comes again at the same place is recognised there, without a look-up.
type table struct {
	rows   []row
	seen   int  // rows confirmed by the block that lists them
	listed bool // a block listed the rows of this reply
	moved  bool // the rows are not those of the reply before
	// together: the set has instances, and what has no name is all of them as the
	// host gives them.
	together bool
	flagsOf  func(name string) session.InstanceFlags

	byKey   map[string]int // rows by number and name; nil: to be made
	names   perflib.Names
	scratch []byte
}

// row is an instance.
type row struct {
	wire []byte // its name as it came
	id   uint32
	session.Instance
}

func (r *row) is(id uint32, name perflib.Text) bool {
	return r.id == id && bytes.Equal(r.wire, name)
}

// begin makes ready for a reply.
func (t *table) begin() { t.seen, t.listed, t.moved = 0, false, false }

// place gives the row of an instance that a block lists, i-th there. The first
// block decides the rows.
func (t *table) place(i int, id uint32, name perflib.Text) int {
	if t.listed {
		return t.find(i, id, name)
	}
	if i >= len(t.rows) || !t.rows[i].is(id, name) {
		t.rows, t.byKey = t.rows[:i], nil
		t.add(id, name)
	}
	t.seen = i + 1
	return i
}

// endBlock ends the list of rows with the first block.
func (t *table) endBlock() {
	if t.listed {
		return
	}
	t.listed = true
	if t.seen < len(t.rows) {
		t.rows, t.byKey, t.moved = t.rows[:t.seen], nil, true
	}
}

// find gives the row of an instance in another block. One that came up between
// the blocks is a row more.
func (t *table) find(i int, id uint32, name perflib.Text) int {
	if i < len(t.rows) && t.rows[i].is(id, name) {
		return i
	}
	if t.byKey == nil {
		t.index()
	}
	if at, ok := t.byKey[string(t.key(id, name))]; ok {
		return at
	}
	t.add(id, name)
	at := len(t.rows) - 1
	t.byKey[string(t.key(id, name))] = at
	return at
}

func (t *table) add(id uint32, name perflib.Text) {
	t.rows = append(t.rows, row{wire: bytes.Clone(name), id: id})
	t.moved = true
}

// index makes byKey. Of two instances of one name and number the first is found.
func (t *table) index() {
	t.byKey = make(map[string]int, len(t.rows))
	for i := range t.rows {
		key := t.key(t.rows[i].id, t.rows[i].wire)
		if _, twice := t.byKey[string(key)]; !twice {
			t.byKey[string(key)] = i
		}
	}
}

func (t *table) key(id uint32, name perflib.Text) []byte {
	t.scratch = append(binary.LittleEndian.AppendUint32(t.scratch[:0], id), name...)
	return t.scratch
}

// finish names the rows, if they are not those of the reply before.
func (t *table) finish() {
	t.endBlock()
	if !t.moved {
		return
	}
	t.names.Forget(len(t.rows))
	counts := make(map[string]uint32, len(t.rows))
	twins := make(map[string]uint64, len(t.rows))
	for i := range t.rows {
		r := &t.rows[i]
		name := t.names.Of(r.wire, func(b []byte) string { return perflib.Text(b).String() })
		key := string(t.key(r.id, r.wire))
		r.Instance = session.Instance{
			// Hosts need not keep name and number unique (MS-PCQ 2.2.4.5, note 3):
			// twins are told apart by their order.
			Key:   session.InstanceKey{Name: name, ID: uint64(r.id) | twins[key]<<32},
			Index: counts[name],
			Flags: t.flagsOf(name),
		}
		twins[key]++
		counts[name]++
		if t.together && name == "" {
			r.Key.Name, r.Flags = cooker.AggregateInstance, session.FlagTotal|session.FlagTogether
		}
	}
}
