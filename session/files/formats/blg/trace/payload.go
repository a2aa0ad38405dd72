package trace

import (
	"strconv"

	"perfdeck/cooker"
	"perfdeck/session/wire/perflib"
)

// Counter is an entry of the list of counters. Its texts are foreign.
type Counter struct {
	Type            cooker.CounterType
	FreqHz          uint64 // of the clock of that type
	Scale           int
	Machine, Object string // the machine with its backslashes
	Instance        string
	Parent          string
	Index           uint32 // among instances of equal names
	Counter         string
	HasInstance     bool
	HasParent       bool
	WholeObject     bool // samples hold the object as PERF_DATA_BLOCK
}

const (
	listMark         = 0x06FF
	counterBytes     = 52
	wholeObjectFlag  = 0x10
	absent           = 0xFFFFFFFF
	recordHeadBytes  = 8
	rawBytes         = 40 // PDH_RAW_COUNTER
	itemsHeadBytes   = 24
	itemBytes        = 24
	indexHeadBytes   = 32
	indexRecordBytes = 16
)

// ReadList reads the counters, in the order of the records of each sample. What is whole
// comes even with an error.
func ReadList(b []byte) (list []Counter, err error) {
	if len(b) < 8 || order.Uint16(b) != listMark {
		return nil, errList
	}
	for b = b[8:]; len(b) >= counterBytes; {
		size := uint64(order.Uint32(b))
		if size < counterBytes || size > uint64(len(b)) {
			return list, errList
		}
		r := b[:size]
		text := func(at int) (string, bool) {
			o := order.Uint32(r[at:])
			return textAt(r[counterBytes:], o).String(), o != absent
		}
		c := Counter{
			Type:        cooker.TypeOf(order.Uint32(r[12:])),
			FreqHz:      order.Uint64(r[16:]),
			Scale:       int(int32(order.Uint32(r[24:]))),
			Index:       order.Uint32(r[44:]),
			WholeObject: order.Uint32(r[4:])&wholeObjectFlag != 0,
		}
		c.Machine, _ = text(28)
		c.Object, _ = text(32)
		c.Instance, c.HasInstance = text(36)
		c.Parent, c.HasParent = text(40)
		c.Counter, _ = text(48)
		list = append(list, c)
		b = b[size:]
	}
	return list, nil
}

// Names are the names of a computer's counters and objects by title index.
type Names map[uint32]string

// ReadNames adds the names of an event to those of its computer.
func ReadNames(b []byte, all map[string]Names) error {
	take := func() (string, bool) {
		if len(b) < 2 {
			return "", false
		}
		t := textAt(b, 0)
		b = b[min(len(t)+2, len(b)):]
		return t.String(), true
	}
	machine, ok := take()
	if !ok {
		return errNoSuchNames
	}
	names := all[machine]
	if names == nil {
		names = Names{}
		all[machine] = names
	}
	for {
		index, ok := take()
		if !ok || index == "" {
			return nil
		}
		n, err := strconv.ParseUint(index, 10, 32)
		name, ok := take()
		if err != nil || !ok {
			return errNoSuchNames
		}
		names[uint32(n)] = name
	}
}

// RecordKind is what a record of a sample is.
type RecordKind uint8

// The kinds of records.
const (
	RecordRaw    RecordKind = 1 // one value: see ReadRaw
	RecordItems  RecordKind = 2 // a value for each instance: see ReadItems
	RecordObject RecordKind = 5 // an object: perflib.ReadV1 reads it
)

// Records goes through the records of a sample. It allocates nothing.
type Records struct {
	Kind RecordKind
	Body []byte

	rest []byte
	err  error
}

// ReadSample begins to read a sample.
func ReadSample(b []byte) Records {
	kind, body, _, ok := readRecord(b)
	if !ok || kind != 0 {
		return Records{err: errRecord}
	}
	return Records{rest: body}
}

// readRecord reads the record that b begins with.
func readRecord(b []byte) (kind RecordKind, body, rest []byte, ok bool) {
	if len(b) < recordHeadBytes || b[0] != 'B' || b[1] != 'L' {
		return 0, nil, nil, false
	}
	size := uint64(order.Uint32(b[4:]))
	if size < recordHeadBytes || size > uint64(len(b)) {
		return 0, nil, nil, false
	}
	return RecordKind(b[3]), b[recordHeadBytes:size:size], b[size:], true
}

// Next steps to the next record.
func (r *Records) Next() bool {
	if r.err != nil || len(r.rest) < recordHeadBytes {
		return false
	}
	kind, body, rest, ok := readRecord(r.rest)
	if !ok {
		r.err = errRecord
		return false
	}
	r.Kind, r.Body, r.rest = kind, body, rest
	return true
}

// Err gives the damage, once Next returned false.
func (r *Records) Err() error { return r.err }

// Raw is one value as PDH_RAW_COUNTER keeps it (pdh.h).
type Raw struct {
	Status        uint32 // CStatus
	First, Second uint64
	Multi         uint32
}

// Good tells whether there is a value: PDH_CSTATUS_VALID_DATA, PDH_CSTATUS_NEW_DATA.
func (r *Raw) Good() bool { return r.Status <= 1 }

// ReadRaw reads a record of RecordRaw.
func ReadRaw(b []byte) (r Raw, ok bool) {
	if len(b) < rawBytes-4 {
		return r, false
	}
	return Raw{order.Uint32(b), order.Uint64(b[16:]), order.Uint64(b[24:]), order.Uint32(b[32:])}, true
}

// Items goes through the values of a record of RecordItems, one for each instance. Which
// of two words is its status is not known, so they count as good.
type Items struct {
	Name perflib.Text // of this step
	Raw  Raw

	body []byte
	next int
	left int
}

// ReadItems begins to read a record of RecordItems.
func ReadItems(b []byte) (i Items, ok bool) {
	if len(b) < itemsHeadBytes {
		return i, false
	}
	n := uint64(order.Uint32(b[4:]))
	if n > uint64(len(b)-itemsHeadBytes)/itemBytes {
		return i, false
	}
	return Items{body: b, next: itemsHeadBytes, left: int(n)}, true
}

// Next steps to the next value.
func (i *Items) Next() bool {
	if i.left == 0 {
		return false
	}
	b := i.body[i.next:]
	i.left--
	i.next += itemBytes
	i.Name = textAt(i.body, order.Uint32(b))
	i.Raw = Raw{0, order.Uint64(b[8:]), order.Uint64(b[16:]), order.Uint32(b[4:])}
	return true
}

// Index is what the end of a log says of the whole.
type Index struct {
	First, Last int64 // local, FILETIME
	Samples     int64
	Objects     []IndexObject // one for each entry of the list
}

// IndexObject is an object as it is in the index.
type IndexObject struct {
	HasInstances bool
	Counters     []IndexCounter
	Instances    []IndexInstance // of all samples
}

// IndexCounter is a counter of an object of the index.
type IndexCounter struct {
	NameIndex uint32
	Type      cooker.CounterType
	Scale     int
}

// IndexInstance is an instance of an object of the index.
type IndexInstance struct {
	Name, Parent string
	Number       uint32 // among instances of equal names
	HasParent    bool
}

// ReadIndex reads the index. What is whole comes even with an error.
func ReadIndex(b []byte) (x Index, err error) {
	if len(b) < indexHeadBytes {
		return x, errIndex
	}
	x.First, x.Last, x.Samples = int64(order.Uint64(b)), int64(order.Uint64(b[8:])), int64(order.Uint32(b[16:]))
	for rest := b[indexHeadBytes:]; len(rest) >= indexRecordBytes; {
		_, body, next, ok := readRecord(rest)
		if !ok {
			return x, errIndex
		}
		o, ok := readIndexObject(body)
		if !ok {
			return x, errIndex
		}
		x.Objects = append(x.Objects, o)
		rest = next
	}
	return x, nil
}

func readIndexObject(b []byte) (o IndexObject, ok bool) {
	const perCounter, perInstance = 20, 16
	if len(b) < 8 {
		return o, false
	}
	instances, counters := order.Uint32(b), uint64(order.Uint32(b[4:]))
	if counters > uint64(len(b)-8)/perCounter {
		return o, false
	}
	n := int(counters)
	for i := range n {
		o.Counters = append(o.Counters, IndexCounter{
			NameIndex: order.Uint32(b[8+4*i:]),
			Type:      cooker.TypeOf(order.Uint32(b[8+4*n+4*i:])),
			Scale:     int(int32(order.Uint32(b[8+16*n+4*i:]))),
		})
	}
	if instances == absent {
		return o, true
	}
	o.HasInstances = true
	table := (8 + perCounter*n + 7) &^ 7
	if table > len(b) || uint64(instances) > uint64(len(b)-table)/perInstance {
		return o, false
	}
	texts := b[table+perInstance*int(instances):]
	room := 8*len(texts) + 8 // of texts that are pointed at: parents are shared
	for i := range int(instances) {
		r := b[table+perInstance*i:]
		name, parent := textAt(texts, order.Uint32(r)), textAt(texts, order.Uint32(r[8:]))
		if room -= len(name) + len(parent); room < 0 {
			return o, false
		}
		o.Instances = append(o.Instances, IndexInstance{
			Name: name.String(), Number: order.Uint32(r[4:]),
			Parent: parent.String(), HasParent: order.Uint32(r[8:]) != absent,
		})
	}
	return o, true
}
