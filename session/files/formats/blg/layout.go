package blg

import (
	"encoding/binary"
	"strconv"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/files/formats/blg/trace"
	"perfdeck/session/files/logs"
	"perfdeck/session/wire/perflib"
)

// blgLayout is what a list of counters says of the records of samples, from its place on.
type blgLayout struct {
	place   trace.Place
	entries []blgEntry
}

// blgEntry is an entry of the list: a counter of one instance, of all, or an object.
type blgEntry struct {
	trace.Counter

	info cooker.TypeInfo // of its type

	// Of one instance. It gets its column when it is first read, or when a list without
	// samples ends: columns stand in the order of the list.
	key    string // of its path; lists may name one twice
	column int    // -1: none yet

	// Of many instances. Those of the last sample mostly stand at the same places in the
	// next one: then names are compared, and not looked up.
	slots    []*blgSlot
	straight bool                // so far slots are those of the sample that is read
	names    map[string]*blgName // as samples have them
	folded   map[string]*blgName // regardless of case
	sample   int64               // that names are counted in

	// Of an object.
	definitions []byte
	counters    []perflib.V1Counter
	shown       []blgShown
}

// blgShown is a counter of an object that is shown.
type blgShown struct {
	at, base int // of the counters; base -1: it has none
	needBase bool
	onClock  bool // it goes by the clock of the object
	column   logs.Column
}

// blgName is a name that instances of a sample have, one or more.
type blgName struct {
	slots  []*blgSlot
	sample int64 // that count is of
	count  int
}

// blgSlot is an instance: its columns, one for each counter that is shown; -1: none.
type blgSlot struct {
	key     string
	columns []int
}

// newLayout takes a list of counters.
func newBLGLayout(place trace.Place, list []trace.Counter) *blgLayout {
	l := &blgLayout{place: place, entries: make([]blgEntry, len(list))}
	known := logs.Ordinals{}
	for i := range list {
		e := &l.entries[i]
		e.Counter, e.column = list[i], -1
		e.info, _ = e.Type.Info()
		if !e.isOne() {
			continue
		}
		e.key = known.Key(e.columnFor(e.listed(), e.Counter.Counter).Path)
	}
	return l
}

// one is the column of a counter of one instance.
func (r *reader) one(e *blgEntry) int {
	if e.column < 0 {
		e.column = r.columnOf(e.key, e.columnFor(e.listed(), e.Counter.Counter))
	}
	return e.column
}

// isOne tells whether an entry is a counter of one instance, or of an object without any.
func (e *blgEntry) isOne() bool { return !e.WholeObject && (!e.HasInstance || e.Instance != "*") }

// listed is the instance that the list names, in brackets.
func (e *blgEntry) listed() string {
	if !e.HasInstance {
		return ""
	}
	return bracketed(e.Parent, e.HasParent, e.Instance, int(e.Index))
}

// bracketed is an instance as it stands in a path. Those of equal names have numbers.
func bracketed(parent string, hasParent bool, name string, number int) string {
	if hasParent {
		name = parent + "/" + name
	}
	if number > 0 {
		name += "#" + strconv.Itoa(number)
	}
	return "(" + name + ")"
}

// columnFor is the column of a counter of an instance in brackets.
func (e *blgEntry) columnFor(instance, counter string) logs.Column {
	return columnOfType(e.Machine+`\`+e.Object+instance+`\`+counter, e.Type, e.Scale)
}

func columnOfType(path string, t cooker.CounterType, scale int) logs.Column {
	info, _ := t.Info()
	return logs.Column{Path: path, TypeKnown: true, Type: t, BaseType: info.BaseType, DefaultScale: scale}
}

// shows tells whether a counter of the object of an entry is shown, and as which column but for the
// instance.
func (e *blgEntry) shows(name string, t cooker.CounterType, scale int) (c logs.Column, ok bool) {
	info, _ := t.Info()
	ok = info.Samples > 0 && !t.IsText() && (e.Counter.Counter == "*" || paths.EqualFold(e.Counter.Counter, name))
	return columnOfType(name, t, scale), ok
}

// columnOf is the column of a path, which is added if it is not there; -1: there are too
// many.
func (r *reader) columnOf(key string, c logs.Column) int {
	if at, ok := r.places[key]; ok {
		return at
	}
	if len(r.header.Columns) >= logs.MostColumns || r.pathBytes+len(c.Path) > logs.MostNameBytes {
		return -1
	}
	at := len(r.header.Columns)
	r.pathBytes += len(c.Path)
	r.places[key] = at
	r.header.Columns = append(r.header.Columns, c)
	return at
}

// begin begins a sample.
func (e *blgEntry) begin() { e.straight = true }

// end ends it with so many instances.
func (e *blgEntry) end(n int) { e.slots = e.slots[:min(n, len(e.slots))] }

// slot is the k-th instance of the sample, known by the bytes of its name; isNew tells that
// it has no columns yet, and the number among instances of its name.
func (e *blgEntry) slot(k int, key []byte, text func() string) (s *blgSlot, number int, isNew bool) {
	if e.straight && k < len(e.slots) && e.slots[k].key == string(key) {
		return e.slots[k], 0, false
	}
	if e.straight {
		e.turn(k)
	}
	n := e.names[string(key)]
	if n == nil {
		folded := paths.Fold(text())
		if n = e.folded[folded]; n == nil {
			n = &blgName{}
			e.folded[folded] = n
		}
		e.names[string(key)] = n
	}
	number = n.next(e.sample)
	if number == len(n.slots) {
		n.slots, isNew = append(n.slots, &blgSlot{key: string(key)}), true
	}
	s = n.slots[number]
	e.slots = append(e.slots, s)
	return s, number, isNew
}

// turn looks names up from the k-th instance on.
func (e *blgEntry) turn(k int) {
	if e.names == nil {
		e.names, e.folded = map[string]*blgName{}, map[string]*blgName{}
	}
	e.straight = false
	e.sample++
	e.end(k)
	for _, s := range e.slots {
		e.names[s.key].next(e.sample)
	}
}

// next counts a name in a sample.
func (n *blgName) next(sample int64) (number int) {
	if n.sample != sample {
		n.sample, n.count = sample, 0
	}
	n.count++
	return n.count - 1
}

// items reads a record of RecordItems.
func (r *reader) items(e *blgEntry, body []byte) bool {
	items, ok := trace.ReadItems(body)
	if !ok {
		return false
	}
	e.begin()
	n := 0
	for ; items.Next(); n++ {
		s, number, isNew := e.slot(n, items.Name, items.Name.String)
		if isNew {
			c := e.columnFor(bracketed("", false, items.Name.String(), number), e.Counter.Counter)
			s.columns = []int{r.columnOf(paths.Fold(c.Path), c)}
		}
		r.put(s.columns[0], e, &items.Raw)
	}
	e.end(n)
	return true
}

// put keeps a value of PDH_RAW_COUNTER.
func (r *reader) put(column int, e *blgEntry, raw *trace.Raw) {
	if !r.wants(column) {
		return
	}
	if !raw.Good() {
		r.cell(column).Reading.State = statusOfPDH(raw.Status)
		return
	}
	p := logs.PDHRaw{First: raw.First, Second: raw.Second, Multi: uint64(raw.Multi), TimeBase: e.FreqHz}
	*r.cell(column) = p.Unsized(e.Type, &e.info)
}

// statusOfPDH is why there is no value (pdhmsg.h).
func statusOfPDH(code uint32) cooker.Status {
	switch code {
	case 0x800007D1: // PDH_CSTATUS_NO_INSTANCE
		return cooker.Gone
	case 0xC0000BB8, 0xC0000BB9: // PDH_CSTATUS_NO_OBJECT, PDH_CSTATUS_NO_COUNTER
		return cooker.Unavailable
	case 0xC0000BDB: // PDH_ACCESS_DENIED
		return cooker.Denied
	}
	return cooker.Gap // PDH_CSTATUS_NO_MACHINE, PDH_NO_DATA and the like
}

// object reads a record of RecordObject: PERF_DATA_BLOCK with one object.
func (r *reader) object(e *blgEntry, body []byte) bool {
	r.v1 = perflib.ReadV1(body)
	if !r.v1.Next() {
		return false
	}
	o := r.v1.Object()
	if string(o.Definitions()) != string(e.definitions) || e.shown == nil {
		r.define(e, o)
	}
	clocks := r.v1.Header().Clocks()
	clocks.ObjTime, clocks.ObjFreqHz = o.PerfTime, o.PerfFreqHz
	e.begin()
	n := 0
	for it := o.Instances(); it.Next(); n++ {
		key := r.keyOf(o, &it.V1Instance)
		s, number, isNew := e.slot(n, key, func() string { return nameOfV1(o, &it.V1Instance) })
		if isNew {
			r.newInstance(e, s, o, nameOfV1(o, &it.V1Instance), number)
		}
		for i := range e.shown {
			if column := s.columns[i]; r.wants(column) {
				r.readV1(e, &e.shown[i], it.Data, &clocks, r.cell(column))
			}
		}
	}
	e.end(n)
	return o.Err() == nil && r.v1.Err() == nil
}

// define takes the counters of an object, which may have changed. Its instances get their
// columns anew.
func (r *reader) define(e *blgEntry, o *perflib.V1Object) {
	e.definitions = append(e.definitions[:0], o.Definitions()...)
	e.counters = o.AppendCounters(e.counters[:0])
	e.slots, e.names, e.folded = nil, nil, nil
	e.shown = make([]blgShown, 0, len(e.counters))
	names := r.namesOf(e.Machine)
	for i := range e.counters {
		c := &e.counters[i]
		column, ok := e.shows(nameAt(names, c.NameIndex), c.Type, int(c.DefaultScale))
		if !ok {
			continue
		}
		info, _ := c.Type.Info()
		shown := blgShown{at: i, base: -1, needBase: info.Base != cooker.BaseNone, column: column}
		if shown.needBase {
			shown.base = perflib.V1Base(e.counters, i)
		}
		shown.onClock = info.Clock == cooker.ClockObject && (info.Base != cooker.BaseClock || shown.base < 0)
		e.shown = append(e.shown, shown)
	}
}

// namesOf are the names of the counters of a computer: its own, or those of the only one.
func (r *reader) namesOf(machine string) trace.Names {
	if names, ok := r.names[machine]; ok || len(r.names) != 1 {
		return names
	}
	for _, only := range r.names {
		return only
	}
	return nil
}

// nameAt is a name, or where there is none its title index.
func nameAt(names trace.Names, index uint32) string {
	if name, ok := names[index]; ok {
		return name
	}
	return strconv.FormatUint(uint64(index), 10)
}

// keyOf are the bytes that an instance is known by: its name, or its number. Names in UTF-16
// have an even length.
func (r *reader) keyOf(o *perflib.V1Object, it *perflib.V1Instance) []byte {
	if len(it.Name) > 0 || !o.Multiple() {
		return it.Name
	}
	r.key = binary.LittleEndian.AppendUint32(append(r.key[:0], 0), it.UniqueID)
	return r.key
}

func nameOfV1(o *perflib.V1Object, it *perflib.V1Instance) string {
	if len(it.Name) > 0 || !o.Multiple() {
		return o.Text(it.Name)
	}
	return strconv.Itoa(int(int32(it.UniqueID)))
}

// newInstance gives an instance of an object its columns.
func (r *reader) newInstance(e *blgEntry, s *blgSlot, o *perflib.V1Object, name string, number int) {
	instance := ""
	if o.Multiple() {
		instance = bracketed("", false, name, number)
	}
	for i := range e.shown {
		s.columns = append(s.columns, r.columnOfShown(e, e.shown[i].column, instance))
	}
}

// columnOfShown is the column of a counter of an object, of an instance in brackets.
func (r *reader) columnOfShown(e *blgEntry, c logs.Column, instance string) int {
	c.Path = e.Machine + `\` + e.Object + instance + `\` + c.Path
	return r.columnOf(paths.Fold(c.Path), c)
}

// readV1 reads a counter of an instance.
func (r *reader) readV1(e *blgEntry, shown *blgShown, block []byte, clocks *cooker.Clocks, raw *logs.Raw) {
	reading := &raw.Reading
	reading.Base, reading.BaseSize, reading.State = 0, 0, cooker.OK
	if reading.Raw, reading.Size = e.counters[shown.at].Value(block); reading.Size == 0 {
		raw.Known, reading.State = false, cooker.Unavailable
		return
	}
	raw.Known, raw.Clocks = true, *clocks
	if shown.needBase {
		if shown.base >= 0 {
			reading.Base, reading.BaseSize = e.counters[shown.base].Value(block)
		}
		if reading.BaseSize == 0 {
			reading.State = cooker.NoBase
		}
	}
	if shown.onClock && clocks.ObjTime == 0 {
		reading.State = cooker.NoBase
	}
}
