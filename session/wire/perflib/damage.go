package perflib

import "fmt"

// Problem is what is wrong with a buffer. It is an error, for errors.Is.
type Problem uint8

// The problems.
const (
	Truncated         Problem = iota + 1 // the bytes end before the structure does
	BufferTooShort                       // not even one structure where one is required
	SizeTooSmall                         // a size field below what it must hold
	SizeExceedsParent                    // a size field beyond the structure around it
	SizeExceedsBuffer                    // a size field beyond the buffer
	SizeUnaligned                        // a size field that is not a multiple of 8
	CountExceedsSize                     // more items announced than the bytes can hold
	TrailingBytes                        // bytes left over
	MissingTerminator                    // a string without its NUL
	OffsetOutOfRange                     // an offset outside its block
	OffsetOdd                            // an offset that splits a UTF-16 unit
	TextOversized                        // strings that overlap to more text than the block can mean
	BadSignature                         // not performance data
	BadByteOrder                         // big-endian data, of hosts of another time
	BadIndex                             // a title index that is no number
)

var problemWords = [...]string{
	Truncated:         "truncated",
	BufferTooShort:    "buffer too short",
	SizeTooSmall:      "size too small",
	SizeExceedsParent: "size exceeds parent",
	SizeExceedsBuffer: "size exceeds buffer",
	SizeUnaligned:     "size unaligned",
	CountExceedsSize:  "count exceeds size",
	TrailingBytes:     "trailing bytes",
	MissingTerminator: "missing terminator",
	OffsetOutOfRange:  "offset out of range",
	OffsetOdd:         "offset odd",
	TextOversized:     "text oversized",
	BadSignature:      "bad signature",
	BadByteOrder:      "bad byte order",
	BadIndex:          "bad index",
}

// Error gives the problem in words.
func (p Problem) Error() string {
	if int(p) < len(problemWords) && p != 0 {
		return problemWords[p]
	}
	return fmt.Sprintf("problem %d", uint8(p))
}

// DamageError tells where a buffer cannot be read. It unwraps to its Problem.
type DamageError struct {
	Structure string // name in the specification
	// Offset is the byte of the field that is wrong, from the start of the
	// buffer; of the structure or text that does not fit where no field is.
	Offset  int
	Problem Problem
	Found   uint64 // the size, count or offset read, or the bytes there are
	Limit   uint64 // what it is compared with; 0 where nothing is
}

// Error says what was read, where, and what is wrong with it.
func (e *DamageError) Error() string {
	return fmt.Sprintf("read %s at byte %d: %s (%d, limit %d)", e.Structure, e.Offset, e.Problem, e.Found, e.Limit)
}

// Unwrap returns the Problem.
func (e *DamageError) Unwrap() error { return e.Problem }

func damage[F, L int | uint32 | uint64](structure string, offset int, p Problem, found F, limit L) *DamageError {
	return &DamageError{Structure: structure, Offset: offset, Problem: p, Found: uint64(found), Limit: uint64(limit)}
}

// asError keeps a nil *DamageError from becoming an error that is not nil.
func (e *DamageError) asError() error {
	if e == nil {
		return nil
	}
	return e
}

// first is the damage to report of two.
func first(a, b *DamageError) *DamageError {
	if a != nil {
		return a
	}
	return b
}

// checkSize compares a size field at offset o with the least it may be and
// with the room there is for it.
func checkSize(structure string, o int, size uint32, least, room int, beyond Problem) *DamageError {
	switch {
	case size < uint32(least):
		return damage(structure, o, SizeTooSmall, size, least)
	case exceeds(size, room):
		return damage(structure, o, beyond, size, room)
	}
	return nil
}

// checkRest finds bytes left over after o. Fewer than 8 are padding.
func checkRest(structure string, buf []byte, o int) *DamageError {
	if rest := len(buf) - o; rest >= 8 {
		return damage(structure, o, TrailingBytes, rest, 0)
	}
	return nil
}
