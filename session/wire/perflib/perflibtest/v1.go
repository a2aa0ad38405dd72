// Package perflibtest writes what hosts of V1 answer, for tests.
package perflibtest

import (
	"encoding/binary"
	"fmt"

	"perfdeck/session/wire/perflib"
)

// Sizes of structures, winperf.h.
const (
	headerSize     = 88 // PERF_DATA_BLOCK without the system's name
	objectSize     = 64
	definitionSize = 40
	instanceSize   = 24 // PERF_INSTANCE_DEFINITION without its name
	blockSize      = 4  // PERF_COUNTER_BLOCK without values
)

// noInstances says that an object has one block of counters: PERF_NO_INSTANCES.
const noInstances int32 = -1

// V1Writer writes a PERF_DATA_BLOCK. Object begins an object; for one with
// instances each begins with Instance; its values follow in the order of the
// counters. Finish tells of mistakes.
type V1Writer struct {
	buf      []byte
	object   int // of the open object in buf, 0 for none: a header comes before
	block    int // of the open PERF_COUNTER_BLOCK in buf, 0 for none
	counters []perflib.V1Counter
	size     int // of a block, bytes
	multiple bool
	objects  uint32
	instance int32
	due      int // values due in the open block
	err      error
}

// NewV1Writer begins an answer.
func NewV1Writer(h *perflib.V1Header) V1Writer {
	b := []byte("P\x00E\x00R\x00F\x00")
	b = appendU32(appendU32(appendU32(b, 1), 1), 1) // LittleEndian, Version, Revision
	b = appendU64(b, 0)                             // TotalByteLength, HeaderLength: by Finish, below
	b = append(b, make([]byte, 28)...)              // NumObjectTypes, by Finish, DefaultObject, SystemTime
	b = appendU64(appendU64(appendU64(b, h.PerfTime), h.PerfFreqHz), h.Time100ns)
	b = appendU64(b, 0) // no name
	putU32(b, 24, headerSize)
	return V1Writer{buf: b}
}

// Object begins an object with these counters, whose Offset is set; multiple is
// whether it has instances. The rest of o is taken as it is.
func (w *V1Writer) Object(o *perflib.V1Object, counters []perflib.V1Counter, multiple bool) {
	w.endObject()
	w.object, w.objects = len(w.buf), w.objects+1
	w.counters, w.size, w.multiple, w.instance = counters, layout(counters), multiple, 0
	definitions := objectSize + len(counters)*definitionSize
	b := appendU32(w.buf, 0) // TotalByteLength, by endObject
	b = appendU32(appendU32(b, uint32(definitions)), objectSize)
	b = appendU64(appendU64(b, uint64(o.NameIndex)), uint64(o.HelpIndex)) // titles are pointers of the reader's
	b = appendU32(appendU32(b, uint32(o.Detail)), uint32(len(counters)))
	b = appendU64(b, 0) // the default, and NumInstances, by endObject
	b = appendU32(b, o.CodePage)
	w.buf = appendU64(appendU64(b, o.PerfTime), o.PerfFreqHz)
	for i := range counters {
		w.definition(&counters[i])
	}
	if !multiple {
		w.beginBlock()
	}
}

// layout gives each counter its place in a block and tells the block's size.
func layout(counters []perflib.V1Counter) int {
	next := uint64(blockSize)
	for i := range counters {
		c := &counters[i]
		if c.Size >= 8 {
			next = round8(next)
		} else {
			next = (next + 3) &^ 3
		}
		c.Offset = uint32(next)
		next += uint64(c.Size)
	}
	return int(round8(next))
}

func (w *V1Writer) definition(c *perflib.V1Counter) {
	b := appendU32(appendU32(w.buf, definitionSize), c.NameIndex)
	b = appendU32(appendU32(appendU32(b, 0), c.HelpIndex), 0)
	b = appendU32(appendU32(b, uint32(c.DefaultScale)), uint32(c.Detail))
	w.buf = appendU32(appendU32(appendU32(b, uint32(c.Type)), c.Size), c.Offset)
}

// Instance begins an instance. Its name is in the code page of the object;
// Data is ignored.
func (w *V1Writer) Instance(in *perflib.V1Instance, codePage uint32) {
	w.endBlock()
	if !w.multiple {
		w.fail()
		return
	}
	w.instance++
	at := len(w.buf)
	b := appendU32(w.buf, 0) // ByteLength, below
	b = appendU32(appendU32(appendU32(b, in.ParentObject), in.ParentIndex), in.UniqueID)
	length := len(in.Name) + 1
	if codePage == 0 {
		length = len(perflib.AppendString(nil, in.Name))
	}
	b = appendU32(appendU32(b, instanceSize), uint32(length))
	if codePage == 0 {
		b = perflib.AppendString(b, in.Name)
	} else {
		b = append(append(b, in.Name...), 0)
	}
	w.buf = appendPad(b, at)
	putU32(w.buf, at, uint32(len(w.buf)-at))
	w.beginBlock()
}

func (w *V1Writer) beginBlock() {
	w.block, w.due = len(w.buf), len(w.counters)
	w.buf = append(w.buf, make([]byte, w.size)...)
	putU32(w.buf, w.block, uint32(w.size))
}

// Uint writes the next value of the open block, of the size that its counter
// has.
func (w *V1Writer) Uint(v uint64) {
	if c, at := w.place(); c != nil {
		switch c.Size {
		case 4:
			putU32(w.buf, at, uint32(v))
		case 8:
			putU32(w.buf, at, uint32(v))
			putU32(w.buf, at+4, uint32(v>>32))
		default:
			w.fail()
		}
	}
}

// Bytes writes the next value of the open block as it is, at most as many bytes
// as its counter has.
func (w *V1Writer) Bytes(v []byte) {
	if c, at := w.place(); c != nil {
		copy(w.buf[at:at+int(c.Size)], v)
	}
}

// place is the counter of the next value, and where it stands in buf.
func (w *V1Writer) place() (c *perflib.V1Counter, at int) {
	if w.block == 0 || w.due == 0 {
		w.fail()
		return nil, 0
	}
	c = &w.counters[len(w.counters)-w.due]
	w.due--
	return c, w.block + int(c.Offset)
}

// Finish ends the answer and gives it. Its error is that of a wrong shape.
func (w *V1Writer) Finish() ([]byte, error) {
	w.endObject()
	putU32(w.buf, 20, uint32(len(w.buf)))
	putU32(w.buf, 28, w.objects)
	return w.buf, w.err
}

func (w *V1Writer) endObject() {
	w.endBlock()
	if w.object == 0 {
		return
	}
	count := w.instance
	if !w.multiple {
		count = noInstances
	}
	putU32(w.buf, w.object, uint32(len(w.buf)-w.object))
	putU32(w.buf, w.object+40, uint32(count))
	w.object = 0
}

func (w *V1Writer) endBlock() {
	if w.due != 0 {
		w.fail()
	}
	w.block, w.due = 0, 0
}

func (w *V1Writer) fail() {
	if w.err == nil {
		w.err = fmt.Errorf("write object %d of performance data: %w", w.objects-min(w.objects, 1), perflib.ErrShape)
	}
}

func round8(size uint64) uint64 { return (size + 7) &^ 7 }

func putU32(b []byte, o int, v uint32) { binary.LittleEndian.PutUint32(b[o:], v) }

func appendU32(b []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(b, v) }
func appendU64(b []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(b, v) }

// appendPad pads what was appended since start to a multiple of 8.
func appendPad(b []byte, start int) []byte {
	return append(b, make([]byte, -(len(b)-start)&7)...)
}
