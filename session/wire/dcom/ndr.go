// Package dcom is what calls of DCOM carry (MS-DCOM, MS-OAUT), as far as MS-PLA asks for it, and
// a client that activates an object and calls it.
package dcom

import (
	"encoding/binary"
	"errors"
	"fmt"

	"perfdeck/session/wire/rpc"
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

// NDR writes or reads what calls of DCOM carry.
type NDR struct{ rpc.NDR }

// Write begins a message.
func Write() *NDR { return &NDR{} }

// Read begins to read a message, whose bytes must stay as they are: values refer to them.
func Read(b []byte) *NDR {
	return &NDR{rpc.ReadNDR(b, func(at int, what string) error { return fmt.Errorf("%w, byte %d: %s", ErrDamaged, at, what) })}
}

// Coded is a value that NDR can write and read.
type Coded interface{ Code(n *NDR) }

// Encode writes values one after the other.
func Encode(values ...Coded) []byte {
	n := Write()
	n.Values(values...)
	return n.Bytes()
}

// Decode reads values one after the other.
func Decode(b []byte, values ...Coded) error {
	n := Read(b)
	n.Values(values...)
	return n.Err()
}

// Values codes values one after the other.
func (n *NDR) Values(values ...Coded) {
	for _, v := range values {
		v.Code(n)
	}
}

// Array is a conformant array: its count, then its elements. See Count.
func Array[T any](n *NDR, v *[]T, size, most int, each func(*T)) {
	rpc.Elements(&n.NDR, v, n.Count(len(*v), size, most), each)
}

// serialize writes a value as type serialization 1, MS-RPCE 2.2.6.
func serialize(v Coded) []byte {
	body := Write()
	v.Code(body)
	body.Align(8)
	n := Write()
	serializationHeader(n, len(body.Bytes()))
	return append(n.Bytes(), body.Bytes()...)
}

// deserialize reads what serialize writes.
func deserialize(b []byte, v Coded) error {
	n := Read(b)
	var part []byte
	if n.Raw(&part, serializationHeader(n, 0)); n.Err() != nil {
		return n.Err()
	}
	return Decode(part, v)
}

// Of type serialization: version 1, little-endian, a header of 8 bytes.
const serializationMark = 0x00081001

func serializationHeader(n *NDR, size int) int {
	n.Same(serializationMark)
	n.Ignored(0xcccccccc)
	size = n.Count(size, 1, maxMessage)
	n.Ignored(0)
	return size
}

// maxMessage bounds a reply.
const maxMessage = 4 << 20
