package perflib

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

const (
	v1ObjectStructure     = "PERF_OBJECT_TYPE"
	v1DefinitionStructure = "PERF_COUNTER_DEFINITION"
	v1ObjectSize          = 64
	v1DefinitionSize      = 40
)

// Values of PERF_OBJECT_TYPE.NumInstances that are no number (winperf.h).
const (
	v1NoInstances         = -1 // PERF_NO_INSTANCES: the object has one block of counters
	v1MetadataMultiple    = -2 // PERF_METADATA_MULTIPLE_INSTANCES: a description, no data
	v1MetadataNoInstances = -3 // PERF_METADATA_NO_INSTANCES: the same of an object without instances
)

// V1Object is one object (perfmon's word; a counterset) of a PERF_DATA_BLOCK
// (winperf.h PERF_OBJECT_TYPE).
type V1Object struct {
	Offset       int    // in the answer
	TotalSize    uint32 // as it says
	NameIndex    uint32 // title index of its name
	HelpIndex    uint32
	Detail       session.DetailLevel
	NumCounters  uint32
	NumInstances int32  // or one of the values below 0
	CodePage     uint32 // of instance names; 0: UTF-16
	PerfTime     uint64 // the object's own clock, ticks of PerfFreqHz
	PerfFreqHz   uint64 // 0: it has none

	buf         []byte // of the object, no longer than its TotalSize
	definitions []byte
	counters    int // whole definitions
	body        int // where in buf the first instance stands
	damaged     *DamageError
	instances   V1Instances
}

// Multiple tells whether the object has named instances, be there some now or
// not.
func (o *V1Object) Multiple() bool {
	return o.NumInstances >= 0 || o.NumInstances == v1MetadataMultiple
}

// Err gives the first damage of the object, as far as its instances were gone
// through.
func (o *V1Object) Err() error { return o.damaged.asError() }

// Definitions are the bytes that describe the object's counters. While they stay
// the same, so does the result of AppendCounters.
func (o *V1Object) Definitions() []byte { return o.definitions }

// read takes the object apart as far as its definitions. buf is the object, at
// at in the answer.
func (o *V1Object) read(buf []byte, at int) {
	header := u32(buf, 8)
	*o = V1Object{
		Offset:       at,
		TotalSize:    u32(buf, 0),
		NameIndex:    u32(buf, 12),
		HelpIndex:    u32(buf, 20),
		Detail:       session.DetailLevel(u32(buf, 28)),
		NumCounters:  u32(buf, 32),
		NumInstances: int32(u32(buf, 40)),
		CodePage:     u32(buf, 44),
		PerfTime:     u64(buf, 48),
		PerfFreqHz:   u64(buf, 56),
		buf:          buf,
	}
	size := u32(buf, 4) // DefinitionLength: header and definitions
	o.body = int(min(uint64(max(size, v1ObjectSize)), uint64(len(buf))))
	if err := checkSize(v1ObjectStructure, at+4, size, v1ObjectSize, len(buf), SizeExceedsParent); err != nil {
		o.damaged = err
	}
	if err := checkSize(v1ObjectStructure, at+8, header, v1ObjectSize, o.body, SizeExceedsParent); err != nil {
		o.damaged = first(o.damaged, err)
		return
	}
	o.definitions = buf[header:o.body:o.body]
	o.counters = o.countDefinitions(at + int(header))
}

// countDefinitions tells how many of the announced definitions are whole and
// keeps the bytes of those alone.
func (o *V1Object) countDefinitions(at int) (n int) {
	next, end := 0, len(o.definitions)
	for ; uint64(n) < uint64(o.NumCounters); n++ {
		room := end - next
		if room < v1DefinitionSize {
			o.damaged = first(o.damaged, damage(v1DefinitionStructure, at+next, CountExceedsSize, room, v1DefinitionSize))
			break
		}
		size := u32(o.definitions, next)
		if err := checkSize(v1DefinitionStructure, at+next, size, v1DefinitionSize, room, SizeExceedsParent); err != nil {
			o.damaged = first(o.damaged, err)
			break
		}
		next += int(size)
	}
	o.definitions = o.definitions[:next:next]
	return n
}

// V1Counter describes one counter of an object (winperf.h
// PERF_COUNTER_DEFINITION) and tells where its value stands in a block.
type V1Counter struct {
	NameIndex    uint32 // title index of its name; a base mostly shares that of its counter
	HelpIndex    uint32
	DefaultScale int32 // power of ten
	Detail       session.DetailLevel
	Type         cooker.CounterType
	Size         uint32 // of the value, bytes, whatever the type says
	Offset       uint32 // from the start of the block
}

// Counters is the number of counters that AppendCounters gives.
func (o *V1Object) Counters() int { return o.counters }

// AppendCounters appends the object's counters to dst, in the order of the
// object.
func (o *V1Object) AppendCounters(dst []V1Counter) []V1Counter {
	next := 0
	for range o.counters {
		d := o.definitions[next:]
		dst = append(dst, V1Counter{
			NameIndex:    u32(d, 4),
			HelpIndex:    u32(d, 12),
			DefaultScale: int32(u32(d, 20)),
			Detail:       session.DetailLevel(u32(d, 24)),
			Type:         cooker.TypeOf(u32(d, 28)),
			Size:         u32(d, 32),
			Offset:       u32(d, 36),
		})
		next += int(u32(d, 0))
	}
	return dst
}

// V1Base finds the counter that list[i] is cooked with: the one after it, if it
// can be its base (winperf.h: "the next counter"); -1 where it needs none or
// there is none.
func V1Base(list []V1Counter, i int) int {
	if i+1 < len(list) && list[i].Type.AcceptsBase(list[i+1].Type) {
		return i + 1
	}
	return -1
}

// Value reads the counter's value from a block of V1Instance.Data. size is 4 or
// 8 bytes; 0 where the value is no number, or beyond the block.
func (c *V1Counter) Value(block []byte) (value uint64, size uint8) {
	switch o := uint64(c.Offset); {
	case c.Size == 8 && o+8 <= uint64(len(block)):
		return u64(block, int(o)), 8
	case c.Size == 4 && o+4 <= uint64(len(block)):
		return uint64(u32(block, int(o))), 4
	}
	return 0, 0
}

// Bytes gives the bytes of a value of any size; nil if they are beyond the
// block.
func (c *V1Counter) Bytes(block []byte) []byte {
	o, end := uint64(c.Offset), uint64(c.Offset)+uint64(c.Size)
	if end > uint64(len(block)) {
		return nil
	}
	return block[o:end:end]
}
