package rpc

import (
	"errors"
	"fmt"

	"perfdeck/session/wire/perflib"
)

// NDR writes or reads NDR 2.0 (C706 14), little-endian. What describes a value to it serves both
// ways: each method writes what its argument points to, or reads it from the peer's bytes. The
// first failure of reading stays, and later ones change nothing. No memory is taken for what a
// peer announces before as many bytes are there. The zero value writes.
type NDR struct {
	b       []byte
	at      int // of reading
	reading bool
	refs    uint32 // referents written
	damage  func(at int, what string) error
	err     error
}

// ReadNDR begins to read a message, whose bytes must stay as they are: values refer to them.
// damage makes the error of what is wrong at a byte.
func ReadNDR(b []byte, damage func(at int, what string) error) NDR {
	return NDR{b: b, reading: true, damage: damage}
}

// errStub marks arguments that are not what the interface asks for.
var errStub = errors.New("damaged stub")

// readStub begins to read what a call carries.
func readStub(b []byte) *NDR { return readNDR(b, errStub) }

func readNDR(b []byte, damaged error) *NDR {
	n := ReadNDR(b, func(at int, what string) error { return fmt.Errorf("%w at %d: %s", damaged, at, what) })
	return &n
}

// Reading tells whether the message is read.
func (n *NDR) Reading() bool { return n.reading }

// Bytes is what was written.
func (n *NDR) Bytes() []byte { return n.b }

// Rest is what was not read yet.
func (n *NDR) Rest() []byte { return n.b[n.at:] }

// Err is why reading failed.
func (n *NDR) Err() error { return n.err }

// Keep notes why reading failed, if it did.
func (n *NDR) Keep(err error) {
	if n.err == nil {
		n.err = err
	}
}

// Fail notes that what is read is damaged.
func (n *NDR) Fail(format string, args ...any) {
	if n.reading && n.err == nil {
		n.err = n.damage(n.at, fmt.Sprintf(format, args...))
	}
}

// maxTrailing is how much alignment may follow a message.
const maxTrailing = 7

// End is why reading failed, or that more follows than alignment.
func (n *NDR) End() error {
	if rest := len(n.Rest()); rest > maxTrailing {
		n.Fail("%d bytes too many", rest)
	}
	return n.err
}

// replyEnd is the End of a reply.
func (n *NDR) replyEnd() error {
	if err := n.End(); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

// requestEnd is the End of a request.
func (n *NDR) requestEnd() error {
	if n.atVerification() {
		return n.err
	}
	return n.End()
}

// maxVerification bounds what may follow a verification trailer's signature.
const maxVerification = 128

// atVerification tells whether a verification trailer (MS-RPCE 2.2.2.13)
// follows, which Windows clients append where headers are not signed. What it
// verifies is under NTLM's signature in any case.
func (n *NDR) atVerification() bool {
	rest := n.Rest()
	skip := -n.at & 3
	return len(rest) <= skip+len(verificationMark)+maxVerification && len(rest) >= skip+len(verificationMark) &&
		string(rest[skip:skip+len(verificationMark)]) == verificationMark
}

const verificationMark = "\x8a\xe3\x13\x71\x02\xf4\x36\x71"

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
func (n *NDR) U16(v *uint16) { number(n, v, 2) }

// U32 is a number.
func (n *NDR) U32(v *uint32) { number(n, v, 4) }

// U64 is a number.
func (n *NDR) U64(v *uint64) { number(n, v, 8) }

func number[T uint16 | uint32 | uint64](n *NDR, v *T, size int) {
	n.Align(size)
	switch b := n.take(size); {
	case b == nil:
	case n.reading:
		*v = 0
		for i, x := range b {
			*v |= T(x) << (8 * i)
		}
	default:
		for i := range b {
			b[i] = byte(*v >> (8 * i))
		}
	}
}

// word reads a number.
func (n *NDR) word() (v uint32) {
	n.U32(&v)
	return v
}

// GUID is a structure aligned to 4.
func (n *NDR) GUID(v *[16]byte) { n.fixed(v[:]) }

// handle is another one.
func (n *NDR) handle(v *Handle) { n.fixed(v[:]) }

func (n *NDR) fixed(v []byte) {
	n.Align(4)
	if b := n.take(len(v)); n.reading {
		copy(v, b)
	} else {
		copy(b, v)
	}
}

// Raw is size bytes as they are; what is written of less is filled up.
func (n *NDR) Raw(v *[]byte, size int) {
	if n.reading {
		*v = n.take(size)
		return
	}
	all := min(len(*v), size)
	n.b = append(n.b, (*v)[:all]...)
	n.take(size - all)
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

// small is the number of elements of at least size bytes in a byte, which has alignment behind it.
func (n *NDR) small(have, size int) int {
	count := []byte{byte(have)}
	if n.Raw(&count, 1); n.err != nil {
		return 0
	}
	n.Align(4)
	if left := len(n.b) - n.at; n.reading && int(count[0])*size > left {
		n.Fail("%d elements of at least %d bytes in the %d left", count[0], size, left)
		return 0
	}
	return int(count[0])
}

// Elements are count of them, each coded by each.
func Elements[T any](n *NDR, v *[]T, count int, each func(*T)) {
	if n.reading {
		*v = make([]T, count)
	}
	for i := range *v {
		each(&(*v)[i])
	}
}

// machine is szMachine, [in, string] wchar_t*: a reference, so neither NULL nor announced by a
// referent; conformant and varying, ended by NUL. What it names does not matter to who reads it.
func (n *NDR) machine(name string) {
	text := perflib.AppendString(nil, perflib.UTF16(name))
	size := uint32(len(text) / 2)
	n.U32(&size)
	n.Same(0)
	count := n.Count(len(text)/2, 2, maxMachine)
	if n.Raw(&text, 2*count); n.err == nil && (count == 0 || uint32(count) > size || text[len(text)-2] != 0 || text[len(text)-1] != 0) {
		n.Fail("string of %d in %d, or without an end", count, size)
	}
}

// maxMachine bounds szMachine, in units: a request has no more.
const maxMachine = 1 << 30
