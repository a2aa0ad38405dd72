package hkpd

import (
	"bytes"
	"strconv"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
)

// table is the instances of one object, in the order of the answer. What comes
// again at the same place is recognised there, without a look-up.
type table struct {
	rows  []row
	ids   identity
	names perflib.Names

	flagsOf func(name string) session.InstanceFlags // nil: nothing is wanted of it
}

// row is an instance and what it is known by.
type row struct {
	wire   []byte // its name as it came
	parent string
	unique uint32
	numbers
	session.Instance
}

// numbers are counters of an instance that tell it from others of its name.
type numbers struct {
	number uint64 // of the process or thread
	start  uint64 // when it began, on the object's clock
	owner  uint64 // number of the process that started it
}

// identity is the positions of these counters in the object, -1 for none: the V1
// model has no other identity of processes of one name.
type identity struct{ number, process, start, owner int }

// identify looks for the counters that tell instances apart, by their English
// names in the catalogue's description.
func (t *table) identify(o *object, set *session.Counterset) {
	position := func(name string) int {
		if i, ok := set.Counter(name); ok {
			return find(o.counters, &set.Counters[i])
		}
		return -1
	}
	ids := identity{position("ID Thread"), position("ID Process"), position("Elapsed Time"), position("Creating Process ID")}
	if ids.number < 0 {
		ids.number = ids.process
	}
	t.ids, t.flagsOf = ids, set.FlagsOf
}

// read reads the numbers of an instance.
func (id *identity) read(o *object, block []byte) (n numbers) {
	value := func(at int) uint64 {
		if at < 0 || at >= len(o.counters) {
			return 0
		}
		v, _ := o.counters[at].Value(block)
		return v
	}
	n.number = value(id.number)
	if value(id.process) == 0 {
		return numbers{} // totals and Idle are told by their names
	}
	n.start, n.owner = value(id.start), value(id.owner)
	return n
}

// update brings the rows to what was read. parent is the object of the
// instances' parents, nil for none.
func (t *table) update(o, parent *object) {
	moved, n := false, 0
	hasIDs := t.ids.number >= 0 && len(o.wants) > 0
	for it := o.raw.Instances(); it.Next(); n++ {
		r := row{wire: it.Name, unique: it.UniqueID}
		if it.ParentObject != 0 && parent != nil && it.ParentObject == parent.index {
			r.parent = parent.instanceName(it.ParentIndex)
		}
		if hasIDs {
			r.numbers = t.ids.read(o, it.Data)
		}
		if n < len(t.rows) && t.rows[n].is(&r) {
			continue
		}
		moved = true
		r.wire = bytes.Clone(r.wire)
		t.rows = append(t.rows[:n], r)
	}
	if moved || n < len(t.rows) {
		t.rows = t.rows[:n]
		t.name(o)
	}
}

func (r *row) is(o *row) bool {
	return r.unique == o.unique && r.numbers == o.numbers && r.parent == o.parent && bytes.Equal(r.wire, o.wire)
}

// instanceName is the name of the instance at a position, empty where there is
// none.
func (o *object) instanceName(at uint32) string {
	if !o.present || uint64(at) >= uint64(len(o.table.rows)) {
		return ""
	}
	return o.table.rows[at].Key.Name
}

// name makes the instances of rows that are not those of the answer before.
func (t *table) name(o *object) {
	t.names.Forget(len(t.rows))
	type twin struct {
		parent, name string
		id           uint64
	}
	counts := make(map[twin]uint32, len(t.rows)) // by name alone: of #n
	twins := make(map[twin]uint64, len(t.rows))
	for i := range t.rows {
		r := &t.rows[i]
		name := t.text(o, r)
		id := r.id()
		same, alike := twin{r.parent, name, 0}, twin{r.parent, name, id}
		r.Instance = session.Instance{
			// Those that nothing tells apart are told by their order.
			Key:    session.InstanceKey{Parent: r.parent, Name: name, ID: id + twins[alike]*twinStep},
			Index:  counts[same],
			Number: r.number,
			Owner:  r.owner,
			Flags:  t.flags(r, name),
		}
		counts[same]++
		twins[alike]++
	}
}

// twinStep parts the identities of instances that are told apart by their order
// alone; it is odd, and larger than a unique id.
const twinStep = 1<<32 + 1

// id tells instances of one name apart and stays while they live: the unique id
// where the provider gives one, a process or thread by its number and start.
func (r *row) id() uint64 {
	switch {
	case r.unique != perflib.V1NoUniqueID:
		return uint64(r.unique)
	case r.number != 0:
		const odd1, odd2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
		h := (r.number*odd1 ^ r.start) * odd2
		return h ^ h>>32
	}
	return 0
}

func (t *table) flags(r *row, name string) (f session.InstanceFlags) {
	if t.flagsOf != nil {
		f = t.flagsOf(name) &^ session.FlagIdle // which numbers tell
	}
	idle := paths.EqualFold(name, "Idle") || paths.EqualFold(r.parent, "Idle")
	if t.ids.process >= 0 && r.number == 0 && idle {
		f |= session.FlagIdle
	}
	return f
}

// text is the name of an instance; made once while it is in use. One that has
// only a number is called by it.
func (t *table) text(o *object, r *row) string {
	if len(r.wire) == 0 && r.unique != perflib.V1NoUniqueID && o.raw.Multiple() {
		return strconv.FormatUint(uint64(r.unique), 10)
	}
	return t.names.Of(r.wire, o.raw.Text)
}
