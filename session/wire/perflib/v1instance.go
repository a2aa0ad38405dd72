package perflib

import "bytes"

const (
	v1InstanceStructure = "PERF_INSTANCE_DEFINITION"
	v1BlockStructure    = "PERF_COUNTER_BLOCK"
	v1InstanceSize      = 24 // PERF_INSTANCE_DEFINITION without its name
	v1BlockSize         = 4  // PERF_COUNTER_BLOCK without values
)

// V1NoUniqueID is the UniqueID of instances that are told apart by their names
// (winperf.h PERF_NO_UNIQUE_ID).
const V1NoUniqueID = 0xFFFFFFFF

// V1Instance is one instance of an object with its values (winperf.h
// PERF_INSTANCE_DEFINITION, PERF_COUNTER_BLOCK). An object without instances has
// one without a name.
type V1Instance struct {
	ParentObject uint32 // title index of the object of its parent; 0: none
	ParentIndex  uint32 // position of its parent among the instances of that object
	UniqueID     uint32 // V1NoUniqueID: none
	// Name is in the code page of the object, up to its NUL: V1Object.Text reads
	// it. It is empty where it cannot be read.
	Name []byte
	Data []byte // the block that V1Counter.Value reads
}

// V1Instances goes through the instances of an object. It belongs to the object.
type V1Instances struct {
	V1Instance // of this step

	object *V1Object
	left   int
	next   int
}

// Instances starts at the first instance; an object without instances has one.
func (o *V1Object) Instances() *V1Instances {
	it := &o.instances
	*it = V1Instances{object: o, next: o.body}
	switch {
	case o.NumInstances == v1NoInstances:
		it.left = 1
	case o.NumInstances > 0:
		it.left = int(o.NumInstances)
	}
	return it
}

// Next steps to the next instance. What cannot be read ends the steps and is the
// damage of the object.
func (it *V1Instances) Next() bool {
	if it.left == 0 {
		return false
	}
	it.left--
	o, at := it.object, it.next
	if o.NumInstances == v1NoInstances {
		it.V1Instance = V1Instance{UniqueID: V1NoUniqueID}
		return it.block(at)
	}
	room := len(o.buf) - at
	if room < v1InstanceSize {
		return it.end(damage(v1InstanceStructure, o.Offset+at, CountExceedsSize, room, v1InstanceSize))
	}
	size := u32(o.buf, at)
	if err := checkSize(v1InstanceStructure, o.Offset+at, size, v1InstanceSize, room, SizeExceedsParent); err != nil {
		return it.end(err)
	}
	it.ParentObject, it.ParentIndex, it.UniqueID = u32(o.buf, at+4), u32(o.buf, at+8), u32(o.buf, at+12)
	it.Name = o.nameAt(at, size)
	return it.block(at + int(size))
}

// block reads the PERF_COUNTER_BLOCK at at. The last block of an object may
// state less than it holds (Windows XP does): it ends with the object. Of the
// others the size must be right, since it leads to the next instance.
func (it *V1Instances) block(at int) bool {
	o := it.object
	room := len(o.buf) - at
	if room < v1BlockSize {
		return it.end(damage(v1BlockStructure, o.Offset+at, CountExceedsSize, room, v1BlockSize))
	}
	if it.left == 0 {
		it.Data, it.next = o.buf[at:], len(o.buf)
		return true
	}
	size := u32(o.buf, at)
	if err := checkSize(v1BlockStructure, o.Offset+at, size, v1BlockSize, room, SizeExceedsParent); err != nil {
		return it.end(err)
	}
	it.next = at + int(size)
	it.Data = o.buf[at:it.next:it.next]
	return true
}

func (it *V1Instances) end(err *DamageError) bool {
	it.object.damaged = first(it.object.damaged, err)
	it.V1Instance, it.left = V1Instance{}, 0
	return false
}

// nameAt is the name of the instance at at. NameLength counts the NUL, and
// sometimes more after it.
func (o *V1Object) nameAt(at int, size uint32) []byte {
	offset, length := uint64(u32(o.buf, at+16)), uint64(u32(o.buf, at+20))
	if offset < v1InstanceSize || offset+length > uint64(size) {
		if o.damaged == nil {
			o.damaged = damage(v1InstanceStructure, o.Offset+at+16, OffsetOutOfRange, offset+length, uint64(size))
		}
		return nil
	}
	start := uint64(at) + offset
	return untilNUL(o.buf[start:start+length:start+length], o.CodePage)
}

// untilNUL cuts a text at its NUL. Code page 0 is UTF-16.
func untilNUL(b []byte, codePage uint32) []byte {
	if codePage != 0 {
		if i := bytes.IndexByte(b, 0); i >= 0 {
			return b[:i:i]
		}
		return b
	}
	if t, ok := textZ(b, 0, len(b)); ok {
		return t
	}
	return b[: len(b)&^1 : len(b)&^1]
}
