package perflib

import (
	"bytes"

	"perfdeck/cooker"
)

const (
	v1Structure  = "PERF_DATA_BLOCK"
	v1HeaderSize = 88 // PERF_DATA_BLOCK without the system's name
)

// v1Signature is PERF_DATA_BLOCK.Signature: "PERF" in UTF-16.
var v1Signature = []byte("P\x00E\x00R\x00F\x00")

// V1Header begins an answer of HKEY_PERFORMANCE_DATA (winperf.h
// PERF_DATA_BLOCK), as far as it tells something. All of it is of one instant of the host.
type V1Header struct {
	NumObjects uint32
	PerfTime   uint64 // ticks of PerfFreqHz
	PerfFreqHz uint64
	Time100ns  uint64 // 100 ns since 1601, UTC
}

// Clocks are the clocks to cook the counters of the answer with; those of an
// object are beside them in V1Object.
func (h *V1Header) Clocks() cooker.Clocks {
	return cooker.Clocks{PerfTime: h.PerfTime, PerfFreqHz: h.PerfFreqHz, Time100ns: h.Time100ns}
}

// V1Reader goes through the objects of a PERF_DATA_BLOCK. It allocates nothing
// for them but errors.
type V1Reader struct {
	buf    []byte
	header V1Header
	object V1Object
	next   int    // where the next object stands
	left   uint32 // objects still announced
	err    *DamageError
}

// ReadV1 begins to read an answer of HKEY_PERFORMANCE_DATA. Its bounds are those
// of the buffer, whatever the header says of its size. What stands after the
// last announced object is passed over.
func ReadV1(buf []byte) V1Reader {
	r := V1Reader{buf: buf, next: len(buf)}
	if len(buf) < v1HeaderSize {
		r.err = damage(v1Structure, 0, Truncated, len(buf), v1HeaderSize)
		return r
	}
	if !bytes.Equal(buf[:len(v1Signature)], v1Signature) {
		r.err = damage(v1Structure, 0, BadSignature, u64(buf, 0), 0)
		return r
	}
	if order := u32(buf, 8); order != 1 {
		r.err = damage(v1Structure, 8, BadByteOrder, order, 1)
		return r
	}
	r.header = V1Header{NumObjects: u32(buf, 28), PerfTime: u64(buf, 56), PerfFreqHz: u64(buf, 64), Time100ns: u64(buf, 72)}
	length := u32(buf, 24) // of the header, where the first object begins
	if r.err = checkSize(v1Structure, 24, length, v1HeaderSize, len(buf), SizeExceedsBuffer); r.err == nil {
		r.next, r.left = int(length), r.header.NumObjects
	}
	return r
}

// Header gives the header; it is empty when there is none.
func (r *V1Reader) Header() *V1Header { return &r.header }

// Object gives the object that Next found. The next call of Next changes it.
func (r *V1Reader) Object() *V1Object { return &r.object }

// Err gives the first damage so far: of the answer, and of the objects and
// instances that were gone through. An answer that was cut off is Truncated or
// SizeExceedsBuffer, and no other is.
func (r *V1Reader) Err() error { return first(r.err, r.object.damaged).asError() }

// Next reads one object and tells whether there was one. An object that reaches
// beyond the end comes with what is there of it, and is the last.
func (r *V1Reader) Next() bool {
	r.err = first(r.err, r.object.damaged)
	r.object.damaged = nil
	if r.left == 0 {
		return false
	}
	o, room := r.next, len(r.buf)-r.next
	if room < v1ObjectSize {
		return r.end(damage(v1ObjectStructure, o, Truncated, room, v1ObjectSize))
	}
	total := u32(r.buf, o)
	err := checkSize(v1ObjectStructure, o, total, v1ObjectSize, room, SizeExceedsBuffer)
	if err != nil && err.Problem == SizeTooSmall {
		return r.end(err)
	}
	r.left--
	r.next = int(min(uint64(o)+uint64(total), uint64(len(r.buf))))
	r.object.read(r.buf[o:r.next:r.next], o)
	if err != nil {
		r.end(err)
	}
	return true
}

// end stops reading and keeps the damage, if it is the first.
func (r *V1Reader) end(err *DamageError) bool {
	r.err = first(r.err, err)
	r.left, r.next = 0, len(r.buf)
	return false
}
