package perflib

const (
	valueStructure     = "PERF_COUNTER_DATA"
	countersStructure  = "PERF_MULTI_COUNTERS"
	instancesStructure = "PERF_MULTI_INSTANCES"
)

// instanceInList is the least that an instance takes of a list: its header and
// an empty name, padded.
const instanceInList = 16

// Block is one block of a data reply: the answer to one Identifier.
type Block struct {
	Index  int    // position in the reply; Identifier.Index tells whose answer it is
	Offset int    // of the block in the reply
	Status uint32 // Win32 code; unless 0, no value may be used, whatever the kind
	Kind   BlockKind
	IDs    CounterIDs // of KindCounters and KindCounterset
	Err    error      // the damage of this block

	content []byte // after the header
	body    int    // where in content the values or the first instance stand
	whole   int    // values, or whole instances, that can be read

	values    Values // given out by pointer: copying them costs more than reading
	instances Instances
}

// Values starts at the first value of KindCounter (one) and KindCounters (one
// for each of IDs). Of a damaged block they are those before the damage.
func (b *Block) Values() *Values {
	b.values.left = 0
	if b.Kind == KindCounter || b.Kind == KindCounters {
		b.values.start(b.content[b.body:], b.whole)
	}
	return &b.values
}

// Instances starts at the first instance of KindInstances (one value each) and
// KindCounterset (a value for each of IDs). Of a damaged block they are the
// whole instances before the damage.
func (b *Block) Instances() *Instances {
	it := &b.instances
	it.left, it.Values.left, it.Values.rest = 0, 0, nil
	switch b.Kind {
	case KindInstances:
		it.rest, it.left, it.width = b.content[b.body:], b.whole, 1
	case KindCounterset:
		it.rest, it.left, it.width = b.content[b.body:], b.whole, b.IDs.Len()
	}
	return it
}

// Values goes through values that were checked before. It belongs to its block.
type Values struct {
	Value Value // of this step
	rest  []byte
	left  int
}

func (v *Values) start(rest []byte, count int) { v.rest, v.left = rest, count }

// Len is the number of values still to come.
func (v *Values) Len() int { return v.left }

// Next steps to the next value.
func (v *Values) Next() bool {
	if v.left == 0 {
		return false
	}
	v.left--
	end := valueHeaderSize + int(u32(v.rest, 0))
	v.Value = Value(v.rest[valueHeaderSize:end:end])
	v.rest = v.rest[following(0, u32(v.rest, 4), len(v.rest)):]
	return true
}

// Instances goes through instances that were checked before. It belongs to its
// block.
type Instances struct {
	Instance        // of this step
	Values   Values // of this step's instance; to be stepped in place
	left     int
	width    int // values of an instance
	rest     []byte
}

// Len is the number of instances still to come.
func (it *Instances) Len() int { return it.left }

// Next steps to the next instance.
func (it *Instances) Next() bool {
	if it.left == 0 {
		return false
	}
	for it.Values.Next() { // what the caller left
	}
	if it.Values.rest != nil {
		it.rest = it.Values.rest
	}
	it.left--
	in, next, _ := instanceAt(it.rest, 0, len(it.rest)) // whole, as was checked
	it.ID, it.Name = in.ID, in.Name
	it.Values.start(it.rest[next:], it.width)
	return true
}

// read checks the content of the block, which reaches to the end of buf, and
// keeps what is whole.
func (b *Block) read(buf []byte) *DamageError {
	o := b.Offset + counterHeaderSize
	b.IDs, b.Err, b.content, b.body, b.whole = nil, nil, buf[o:], 0, 0
	switch b.Kind {
	case KindError:
		if rest := len(buf) - o; rest > 0 {
			return damage(counterStructure, o, TrailingBytes, rest, 0)
		}
	case KindCounter, KindInstances:
		return b.readBody(buf, o, 1)
	case KindCounters, KindCounterset:
		return b.readListed(buf, o)
	}
	return nil
}

// readListed reads a block that begins with counter numbers. After an odd
// number of them dwSize may count 4 pad bytes, or leave out pad bytes that are
// there, or leave out pad bytes that are not there: the last two are told apart
// by which of them consumes the block.
func (b *Block) readListed(buf []byte, o int) *DamageError {
	ids, next, err := counterIDsAt(buf, o)
	if err != nil {
		return err
	}
	b.IDs = ids
	err = b.readBody(buf, next, ids.Len())
	if padded := next + 4; err != nil && (next-o)%8 == 4 && padded <= len(buf) {
		body, whole := b.body, b.whole
		if b.readBody(buf, padded, ids.Len()) == nil {
			return nil
		}
		b.body, b.whole = body, whole // the first reading stands
	}
	return err
}

// readBody checks the values or instances at o, n values in a row, and wants
// nothing after them.
func (b *Block) readBody(buf []byte, o, n int) (err *DamageError) {
	body := o
	var next int
	if b.Kind == KindCounter || b.Kind == KindCounters {
		b.whole, next, err = checkValues(buf, o, n)
	} else {
		body += listHeaderSize
		b.whole, next, err = checkInstances(buf, o, n)
	}
	b.body = min(body-b.Offset-counterHeaderSize, len(b.content))
	if err == nil {
		err = checkRest(counterStructure, buf, next)
	}
	return err
}

// counterIDsAt reads a _PERF_MULTI_COUNTERS and gives the offset that its
// dwSize leads to.
func counterIDsAt(buf []byte, o int) (ids CounterIDs, next int, err *DamageError) {
	room := len(buf) - o
	if room < listHeaderSize {
		return nil, o, damage(countersStructure, o, Truncated, room, listHeaderSize)
	}
	size, count := u32(buf, o), u32(buf, o+4)
	if err = checkSize(countersStructure, o, size, listHeaderSize, room, SizeExceedsParent); err != nil {
		return nil, o, err
	}
	if fit := (int(size) - listHeaderSize) / idSize; exceeds(count, fit) {
		return nil, o, damage(countersStructure, o+4, CountExceedsSize, count, fit)
	}
	start := o + listHeaderSize
	end := start + int(count)*idSize
	return CounterIDs(buf[start:end:end]), o + int(size), nil
}

// checkValues checks n _PERF_COUNTER_DATA at o and tells how many are whole.
func checkValues(buf []byte, o, n int) (whole, next int, err *DamageError) {
	for next = o; whole < n; whole++ {
		if next, err = skipValue(buf, next, len(buf)); err != nil {
			break
		}
	}
	return whole, next, err
}

// skipValue checks one _PERF_COUNTER_DATA at o and gives the offset after it.
func skipValue(buf []byte, o, end int) (next int, err *DamageError) {
	if end-o < valueHeaderSize {
		return o, damage(valueStructure, o, Truncated, end-o, valueHeaderSize)
	}
	data, size := u32(buf, o), u32(buf, o+4)
	if size < valueHeaderSize || data > size-valueHeaderSize {
		return o, damage(valueStructure, o+4, SizeTooSmall, size, valueHeaderSize+uint64(data))
	}
	if exceeds(size, end-o) {
		return o, damage(valueStructure, o+4, SizeExceedsParent, size, end-o)
	}
	return following(o, size, end), nil
}

// checkInstances checks a _PERF_MULTI_INSTANCES at o with n values for each
// instance and tells how many instances are whole.
func checkInstances(buf []byte, o, n int) (whole, next int, err *DamageError) {
	room := len(buf) - o
	if room < listHeaderSize {
		return 0, o, damage(instancesStructure, o, Truncated, room, listHeaderSize)
	}
	size, count := u32(buf, o), u32(buf, o+4)
	err = checkSize(instancesStructure, o, size, listHeaderSize, room, SizeExceedsParent)
	if err != nil && err.Problem == SizeTooSmall {
		return 0, o, err
	}
	end := o + int(min(uint64(size), uint64(room)))
	next = o + listHeaderSize
	if fit := (end - next) / instanceInList; exceeds(count, fit) {
		err = first(err, damage(instancesStructure, o+4, CountExceedsSize, count, fit))
	}
	for ; uint64(whole) < uint64(count); whole++ {
		after, damaged := skipInstance(buf, next, end, n)
		if damaged != nil {
			return whole, next, first(err, damaged)
		}
		next = after
	}
	if rest := end - next; rest >= 8 {
		err = first(err, damage(instancesStructure, next, TrailingBytes, rest, 0))
	}
	return whole, end, err
}

// skipInstance checks an instance and its n values.
func skipInstance(buf []byte, o, end, n int) (next int, err *DamageError) {
	_, next, err = instanceAt(buf, o, end)
	for ; n > 0 && err == nil; n-- {
		next, err = skipValue(buf, next, end)
	}
	return next, err
}
