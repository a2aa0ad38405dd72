package perflib

import (
	"errors"
	"fmt"
	"math"
)

// ErrShape says that the values written do not match the counters and instances
// of a block.
var ErrShape = errors.New("values do not match the counters of the block")

// DataWriter writes the answer of PerflibV2QueryCounterData. A block begins
// with one of Failed, Counter, Counters, Instances and Counterset, and ends
// where the next begins; its values follow in the order of its counters, after
// an Instance each for the kinds that have instances. Finish tells of mistakes.
type DataWriter struct {
	buf       []byte
	start     int // of the reply in buf
	block     int // of the open block in buf, 0 for none: a header comes before
	list      int // of its _PERF_MULTI_INSTANCES in buf, 0 for none
	blocks    uint32
	instances uint32
	width     int // values due for each instance, or for the block
	due       int // values due now
	err       error
}

// NewDataWriter begins a reply at the end of dst.
func NewDataWriter(dst []byte, h *DataHeader) DataWriter {
	w := DataWriter{buf: dst, start: len(dst)}
	w.buf = appendU64(w.buf, 0) // dwTotalSize and dwNumCounters, by Finish
	w.buf = appendU64(w.buf, h.PerfTime)
	w.buf = appendU64(w.buf, h.Time100ns)
	w.buf = appendU64(w.buf, h.PerfFreqHz)
	w.buf = h.System.append(w.buf)
	return w
}

// Failed writes a block of KindError: why an identifier has no value, a Win32
// code.
func (w *DataWriter) Failed(status uint32) { w.begin(KindError, status, 0) }

// Counter begins a block of KindCounter. One value follows.
func (w *DataWriter) Counter() { w.begin(KindCounter, 0, 1) }

// Counters begins a block of KindCounters. A value for each counter follows.
func (w *DataWriter) Counters(ids []uint32) {
	w.begin(KindCounters, 0, len(ids))
	w.appendIDs(ids)
}

// Instances begins a block of KindInstances. Instances with one value each
// follow, or none.
func (w *DataWriter) Instances() {
	w.begin(KindInstances, 0, 0)
	w.beginList(1)
}

// Counterset begins a block of KindCounterset. Instances with a value for each
// counter follow, or none.
func (w *DataWriter) Counterset(ids []uint32) {
	w.begin(KindCounterset, 0, 0)
	w.appendIDs(ids)
	w.beginList(len(ids))
}

// Instance begins an instance of the open block.
func (w *DataWriter) Instance(id uint32, name Text) {
	if w.list == 0 {
		w.fail()
		return
	}
	w.settle()
	w.instances++
	w.due = w.width
	w.buf = AppendInstance(w.buf, id, name)
}

// Uint32 writes a value of 4 bytes.
func (w *DataWriter) Uint32(v uint32) {
	w.beginValue(4, valueLeast)
	w.buf = appendU32(appendU32(w.buf, v), 0)
}

// Uint64 writes a value of 8 bytes.
func (w *DataWriter) Uint64(v uint64) {
	w.beginValue(8, valueLeast)
	w.buf = appendU64(w.buf, v)
}

// Text writes the value of a PERF_COUNTER_TEXT counter, its NUL counted.
func (w *DataWriter) Text(t Text) {
	at, size := len(w.buf), sizeZ(t)
	w.beginValue(size, max(valueHeaderSize+size, valueLeast))
	w.endValue(at, appendZ(w.buf, t))
}

// Bytes writes a value of any size.
func (w *DataWriter) Bytes(v []byte) {
	at := len(w.buf)
	w.beginValue(len(v), max(valueHeaderSize+len(v), valueLeast))
	w.endValue(at, append(w.buf, v...))
}

// Len is the size of the reply so far, in bytes.
func (w *DataWriter) Len() int { return len(w.buf) - w.start }

// Finish ends the reply and gives the buffer with it at its end. Its error is
// ErrShape, or that the reply is larger than its size field can tell; the
// buffer is then as it was given.
func (w *DataWriter) Finish() ([]byte, error) {
	w.endBlock()
	if size := w.Len(); w.err == nil && uint64(size) > math.MaxUint32 {
		w.err = fmt.Errorf("write a data reply: %d bytes are more than 32 bits can count", size)
	}
	if w.err != nil {
		return w.buf[:w.start], w.err
	}
	putU32(w.buf, w.start, uint32(w.Len()))
	putU32(w.buf, w.start+4, w.blocks)
	return w.buf, nil
}

func (w *DataWriter) begin(kind BlockKind, status uint32, values int) {
	w.endBlock()
	w.block, w.list, w.due = len(w.buf), 0, values
	w.blocks++
	w.buf = appendU32(w.buf, status)
	w.buf = appendU32(w.buf, uint32(kind))
	w.buf = appendU64(w.buf, 0) // dwSize, by endBlock, and Reserved
}

func (w *DataWriter) endBlock() {
	w.settle()
	if w.block != 0 {
		putU32(w.buf, w.block+8, uint32(len(w.buf)-w.block))
	}
	if w.list != 0 {
		putU32(w.buf, w.list, uint32(len(w.buf)-w.list))
		putU32(w.buf, w.list+4, w.instances)
	}
}

func (w *DataWriter) appendIDs(ids []uint32) {
	at := len(w.buf)
	w.buf = appendU32(w.buf, uint32(round8(uint64(listHeaderSize+idSize*len(ids)))))
	w.buf = appendU32(w.buf, uint32(len(ids)))
	for _, id := range ids {
		w.buf = appendU32(w.buf, id)
	}
	w.buf = appendPad(w.buf, at)
}

func (w *DataWriter) beginList(width int) {
	w.list, w.width, w.instances = len(w.buf), width, 0
	w.buf = appendU64(w.buf, 0) // dwTotalSize and dwInstances, by endBlock
}

func (w *DataWriter) beginValue(data, size int) {
	if w.due--; w.due < 0 {
		w.fail()
	}
	w.buf = appendU32(w.buf, uint32(data))
	w.buf = appendU32(w.buf, uint32(round8(uint64(size))))
}

// endValue pads the value that began at at; an empty one is padded too.
func (w *DataWriter) endValue(at int, buf []byte) {
	if w.buf = buf; len(buf)-at == valueHeaderSize {
		w.buf = appendU64(buf, 0)
	}
	w.buf = appendPad(w.buf, at)
}

// settle sees that no value is missing.
func (w *DataWriter) settle() {
	if w.due != 0 {
		w.fail()
	}
	w.due = 0
}

func (w *DataWriter) fail() {
	if w.err == nil {
		w.err = fmt.Errorf("write block %d of a data reply: %w", w.blocks-min(w.blocks, 1), ErrShape)
	}
}
