package local

import (
	"bytes"
	"encoding/binary"
)

// Layout of struct linux_dirent64 (getdents64(2)).
const (
	direntLength = 16 // offset of d_reclen
	direntName   = 19 // offset of d_name
)

// direntNumbers appends the entries of a buffer of getdents64 whose names are
// numbers: processes, threads, descriptors.
func direntNumbers(numbers []uint32, b []byte) []uint32 {
	for len(b) > direntName {
		length := int(binary.NativeEndian.Uint16(b[direntLength:]))
		if length <= direntName || length > len(b) {
			break
		}
		name := b[direntName:length]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		b = b[length:]
		n, used := digits(name)
		if used == len(name) && used > 0 && used <= 10 && n < 1<<32 {
			numbers = append(numbers, uint32(n))
		}
	}
	return numbers
}
