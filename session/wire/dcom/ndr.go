// Package dcom is what calls of DCOM carry (MS-DCOM, MS-OAUT), as far as MS-PLA asks for it, and
// a client that activates an object and calls it.
package dcom

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// GUID is a UUID as it travels.
type GUID = [16]byte

// comGUID is one of COM's own: its first field, and what all of them share.
func comGUID(first uint32) (g GUID) {
	binary.LittleEndian.PutUint32(g[:], first)
	g[8], g[15] = 0xc0, 0x46
	return g
}

// ErrDamaged marks bytes that are not what the protocol asks for.
var ErrDamaged = errors.New("damaged message of DCOM")

// NDR writes or reads NDR 2.0 (C706 14), little-endian. What describes a value to it serves both
// ways: each method writes what its argument points to, or reads it from the peer's bytes. The
// first failure of reading stays, and later ones change nothing. No memory is taken for what a
// peer announces before as many bytes are there.
type NDR struct {
	b       []byte
	at      int // of reading
	reading bool
	refs    uint32 // referents written
	err     error
}

// Write begins a message.
func Write() *NDR { return &NDR{} }

// Read begins to read a message, whose bytes must stay as they are: values refer to them.
func Read(b []byte) *NDR { return &NDR{b: b, reading: true} }

// Coded is a value that NDR can write and read.
type Coded interface{ Code(n *NDR) }

// Encode writes values one after the other.
func Encode(values ...Coded) []byte {
	n := Write()
	n.Values(values...)
	return n.b
}

// Decode reads values one after the other.
func Decode(b []byte, values ...Coded) error {
	n := Read(b)
	n.Values(values...)
	return n.err
}

// Values codes values one after the other.
func (n *NDR) Values(values ...Coded) {
	for _, v := range values {
		v.Code(n)
	}
}

// Bytes is what was written.
func (n *NDR) Bytes() []byte { return n.b }

// Err is why reading failed.
func (n *NDR) Err() error { return n.err }

// maxTrailing is how much alignment may follow a message.
const maxTrailing = 7

// End is why reading failed, or that more follows than alignment.
func (n *NDR) End() error {
	if rest := len(n.b) - n.at; rest > maxTrailing {
		n.Fail("%d bytes too many", rest)
	}
	return n.err
}

// Fail notes that what is read is damaged.
func (n *NDR) Fail(format string, args ...any) {
	if n.reading && n.err == nil {
		n.err = fmt.Errorf("%w, byte %d: %s", ErrDamaged, n.at, fmt.Sprintf(format, args...))
	}
}

// Align steps to a multiple of size.
func (n *NDR) Align(size int) {
	if n.reading {
		n.take(-n.at & (size - 1))
	} else {
		n.take(-len(n.b) & (size - 1))
	}
}

// take is the next size bytes, to read or to write to; nil after a failure.
func (n *NDR) take(size int) []byte {
	if !n.reading {
		n.b = append(n.b, make([]byte, size)...)
		return n.b[len(n.b)-size:]
	}
	if n.err == nil && size > len(n.b)-n.at {
		n.Fail("%d bytes wanted, %d left", size, len(n.b)-n.at)
	}
	if n.err != nil {
		return nil
	}
	n.at += size
	return n.b[n.at-size : n.at : n.at]
}

// U16 is aligned to its size, as all numbers are.
func (n *NDR) U16(v *uint16) { number(n, v) }

// U32 is a number.
func (n *NDR) U32(v *uint32) { number(n, v) }

// U64 is a number.
func (n *NDR) U64(v *uint64) { number(n, v) }

func number[T uint16 | uint32 | uint64](n *NDR, v *T) {
	size := binary.Size(*v)
	n.Align(size)
	switch b := n.take(size); {
	case b == nil:
	case n.reading:
		_, _ = binary.Decode(b, binary.LittleEndian, v)
	default:
		_, _ = binary.Encode(b, binary.LittleEndian, *v)
	}
}

// GUID is a structure aligned to 4.
func (n *NDR) GUID(v *GUID) {
	n.Align(4)
	switch b := n.take(len(v)); {
	case b == nil:
	case n.reading:
		*v = GUID(b)
	default:
		copy(b, v[:])
	}
}

// Raw is size bytes as they are.
func (n *NDR) Raw(v *[]byte, size int) {
	switch b := n.take(size); {
	case n.reading:
		*v = b
	default:
		copy(b, *v)
	}
}

// Same is words that have to be what they are.
func (n *NDR) Same(words ...uint32) {
	for _, want := range words {
		got := want
		if n.U32(&got); got != want {
			n.Fail("%#x instead of %#x", got, want)
		}
	}
}

// Ignored is words that are written as they are, and whatever stands there when read.
func (n *NDR) Ignored(words ...uint32) {
	for _, w := range words {
		n.U32(&w)
	}
}

// firstReferent is what announces the first pointer of a message that is written. Any other
// value but 0 would do.
const firstReferent = 0x20000

// Pointer is the referent of a unique pointer: whether it is there.
func (n *NDR) Pointer(there bool) bool {
	referent := uint32(0)
	if there {
		referent = firstReferent + 4*n.refs
		n.refs++
	}
	n.U32(&referent)
	return referent != 0 && n.err == nil
}

// Count is the number of elements of an array, of at least size bytes each; no more than most
// are read, nor more than bytes are left for.
func (n *NDR) Count(have, size, most int) int {
	count := uint32(have)
	n.U32(&count)
	if !n.reading {
		return have
	}
	if left := len(n.b) - n.at; uint64(count) > uint64(most) || uint64(count)*uint64(size) > uint64(left) {
		n.Fail("%d elements of at least %d bytes, of which there may be %d in the %d left", count, size, most, left)
	}
	if n.err != nil {
		return 0
	}
	return int(count)
}

// elements are count of them, each coded by each.
func elements[T any](n *NDR, v *[]T, count int, each func(*T)) {
	if n.reading {
		*v = make([]T, count)
	}
	for i := range *v {
		each(&(*v)[i])
	}
}

// Array is a conformant array: its count, then its elements. See Count.
func Array[T any](n *NDR, v *[]T, size, most int, each func(*T)) {
	elements(n, v, n.Count(len(*v), size, most), each)
}

// serialize writes a value as type serialization 1, MS-RPCE 2.2.6.
func serialize(v Coded) []byte {
	body := Write()
	v.Code(body)
	body.Align(8)
	n := Write()
	serializationHeader(n, len(body.b))
	return append(n.b, body.b...)
}

// deserialize reads what serialize writes.
func deserialize(b []byte, v Coded) error {
	n := Read(b)
	size := serializationHeader(n, 0)
	if n.err != nil {
		return n.err
	}
	return Decode(n.take(size), v)
}

// Of type serialization: version 1, little-endian, a header of 8 bytes.
const serializationMark = 0x00081001

func serializationHeader(n *NDR, size int) int {
	n.Same(serializationMark)
	n.Ignored(0xcccccccc)
	size = n.Count(size, 1, maxMessage)
	if n.Ignored(0); n.reading && size > len(n.b)-n.at {
		n.Fail("%d bytes serialized, %d left", size, len(n.b)-n.at)
	}
	return size
}

// maxMessage bounds a reply.
const maxMessage = 4 << 20
