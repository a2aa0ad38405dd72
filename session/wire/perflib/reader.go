package perflib

const (
	dataStructure    = "PERF_DATA_HEADER"
	counterStructure = "PERF_COUNTER_HEADER"
)

// DataReader reads the answer of PerflibV2QueryCounterData block by block,
// without allocation:
//
//	r := perflib.ReadData(buf)
//	for r.Next() {
//		b := r.Block()
//		...
//	}
//	err := r.Err()
//
// After damage it goes on as long as it is certain where the next block begins.
type DataReader struct {
	header DataHeader
	block  Block
	buf    []byte // to the end of the reply
	next   int    // offset of the next block
	left   uint32 // blocks announced and not yet read
	index  int    // of the next block
	err    *DamageError
	sound  bool // the block headers lead to the end though a block is damaged
}

// ReadData begins to read a reply. Bytes beyond its dwTotalSize are ignored; of
// a reply that is cut off, the blocks that are there are read.
func ReadData(buf []byte) DataReader {
	var r DataReader
	if len(buf) < dataHeaderSize {
		r.err = damage(dataStructure, 0, Truncated, len(buf), dataHeaderSize)
		return r
	}
	r.header = dataHeaderAt(buf)
	r.err = checkSize(dataStructure, 0, r.header.TotalSize, dataHeaderSize, len(buf), SizeExceedsBuffer)
	if r.err != nil && r.err.Problem == SizeTooSmall {
		return r
	}
	r.buf = buf[:min(uint64(r.header.TotalSize), uint64(len(buf)))]
	r.next, r.left = dataHeaderSize, r.header.NumCounters
	if room := (len(r.buf) - dataHeaderSize) / counterHeaderSize; exceeds(r.left, room) {
		r.err = first(r.err, damage(dataStructure, 4, CountExceedsSize, r.left, room))
	}
	return r
}

// Header gives the header; it is empty when the reply is shorter than one.
func (r *DataReader) Header() *DataHeader { return &r.header }

// Block gives the block that Next found. The next call of Next changes it.
func (r *DataReader) Block() *Block { return &r.block }

// Err gives the first damage of the reply, once Next returned false.
func (r *DataReader) Err() error { return r.err.asError() }

// Next reads one block and tells whether there was one. A damaged block comes
// with its Err and with what could be read of it.
func (r *DataReader) Next() bool {
	if r.left == 0 {
		r.end(checkRest(dataStructure, r.buf, r.next))
		return false
	}
	o, room := r.next, len(r.buf)-r.next
	if room < counterHeaderSize {
		r.end(damage(counterStructure, o, Truncated, room, counterHeaderSize))
		return false
	}
	size := u32(r.buf, o+8)
	err := checkSize(counterStructure, o+8, size, counterHeaderSize, room, SizeExceedsParent)
	if err != nil && err.Problem == SizeTooSmall {
		r.end(err)
		return false
	}
	b := &r.block
	b.Index, b.Offset, b.Status, b.Kind = r.index, o, u32(r.buf, o), BlockKind(u32(r.buf, o+4))
	r.index++
	r.left--
	r.next = following(o, size, len(r.buf))
	damaged := b.read(r.buf[:min(uint64(o)+uint64(size), uint64(len(r.buf)))])
	switch {
	case err != nil: // nothing certain follows a block that reaches beyond the end
		b.Err = err
		r.end(err)
	case damaged != nil:
		b.Err = damaged
		r.resume(damaged)
	}
	return true
}

// end stops reading and keeps the damage, if it is the first.
func (r *DataReader) end(err *DamageError) {
	r.err = first(r.err, err)
	r.left, r.next = 0, len(r.buf)
}

// resume goes on after a damaged block only if the sizes of this and all blocks
// after it lead exactly to the end of the reply. Otherwise values might be
// taken for those of other counters.
func (r *DataReader) resume(err *DamageError) {
	if r.err == nil {
		r.err, r.sound = err, r.framed(r.next)
	}
	if !r.sound {
		r.end(err)
	}
}

func (r *DataReader) framed(o int) bool {
	for range r.left {
		room := len(r.buf) - o
		if room < counterHeaderSize {
			return false
		}
		size := u32(r.buf, o+8)
		if size < counterHeaderSize || exceeds(size, room) {
			return false
		}
		o = following(o, size, len(r.buf))
	}
	return len(r.buf)-o < 8
}
