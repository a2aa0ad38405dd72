// Package perflib is the byte codecs of Windows performance data: the
// structures of MS-PCQ 2.2.4 (the V2 model), as they travel in the opaque
// buffers of its calls, and PERF_DATA_BLOCK and the name tables of
// HKEY_PERFORMANCE_DATA (the V1 model; winperf.h), whose names begin with V1. It
// reads and writes, and does no I/O.
//
// Reading never trusts a length field: bounds come from the buffer, sizes and
// counts are checked against what is left of it. Damage is a *DamageError with
// the byte where it was found; what was read before it is returned all the
// same. What is read points into the buffer and lives as long as its bytes.
//
// Writing appends to a buffer of the caller. Sizes count their padding, every
// structure is a multiple of 8 bytes long, and pad bytes are zero.
package perflib

import "encoding/binary"

// round8 is the next multiple of 8: where the structure after one of this size
// begins (MS-PCQ 2.2.4). It is 64 bits wide because sizes up to 0xFFFFFFFF come
// from the wire.
func round8(size uint64) uint64 { return (size + 7) &^ 7 }

// following is the offset after a structure of size bytes at o. Its padding
// may be cut off by the end.
func following(o int, size uint32, end int) int {
	return int(min(uint64(o)+round8(uint64(size)), uint64(end)))
}

// exceeds compares a size or count of the wire with what there is.
func exceeds(n uint32, room int) bool { return uint64(n) > uint64(room) }

func u16(b []byte, o int) uint16 { return binary.LittleEndian.Uint16(b[o:]) }
func u32(b []byte, o int) uint32 { return binary.LittleEndian.Uint32(b[o:]) }
func u64(b []byte, o int) uint64 { return binary.LittleEndian.Uint64(b[o:]) }

func putU32(b []byte, o int, v uint32) { binary.LittleEndian.PutUint32(b[o:], v) }

func appendU16(b []byte, v uint16) []byte { return binary.LittleEndian.AppendUint16(b, v) }
func appendU32(b []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(b, v) }
func appendU64(b []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(b, v) }

var zeros [8]byte

// appendPad pads what was appended since start to a multiple of 8.
func appendPad(b []byte, start int) []byte {
	return append(b, zeros[:-(len(b)-start)&7]...)
}
