package rpc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// errStub marks arguments that are not what the interface asks for.
var errStub = errors.New("damaged stub")

// decoder reads NDR 2.0 (C706 14), little-endian. The first failure stays.
type decoder struct {
	b   []byte
	at  int
	err error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w at %d: %s", errStub, d.at, fmt.Sprintf(format, args...))
	}
}

// take returns the next n bytes, nil after a failure.
func (d *decoder) take(n int) []byte {
	if d.err != nil {
		return nil
	}
	if n > len(d.b)-d.at {
		d.fail("%d bytes wanted, %d left", n, len(d.b)-d.at)
		return nil
	}
	d.at += n
	return d.b[d.at-n : d.at : d.at]
}

func (d *decoder) u32() uint32 {
	d.align()
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// align steps to a multiple of 4; nothing in this interface aligns wider.
func (d *decoder) align() { d.take(-d.at & 3) }

// guid and handle are structures aligned to 4.
func (d *decoder) guid() (g [16]byte) {
	d.align()
	copy(g[:], d.take(16))
	return g
}

func (d *decoder) handle() (h Handle) {
	d.align()
	copy(h[:], d.take(len(h)))
	return h
}

// machine skips szMachine, [in, string] wchar_t*: a reference, so neither NULL
// nor announced by a referent; conformant and varying, ended by NUL.
func (d *decoder) machine() {
	size, offset, n := d.u32(), d.u32(), d.u32()
	switch {
	case d.err != nil:
	case offset != 0 || n == 0 || n > size:
		d.fail("string of %d at %d in %d", n, offset, size)
	case uint64(n)*2 > uint64(len(d.b)-d.at):
		d.fail("string of %d is cut off", n)
	default:
		b := d.take(int(n) * 2)
		if b[len(b)-2] != 0 || b[len(b)-1] != 0 {
			d.fail("string has no end")
		}
	}
}

// inSize reads a size within the method's range.
func (d *decoder) inSize(op opnum) uint32 {
	n := d.u32()
	if n > op.maxInSize() {
		d.fail("size %d is over %d", n, op.maxInSize())
	}
	return n
}

// maxTrailing is how much alignment may follow the arguments.
const maxTrailing = 7

// end checks that nothing but alignment follows.
func (d *decoder) end() error {
	if rest := len(d.b) - d.at; d.err == nil && rest > maxTrailing && !d.atVerification() {
		d.fail("%d bytes too many", rest)
	}
	return d.err
}

// maxVerification bounds what may follow a verification trailer's signature.
const maxVerification = 128

// atVerification tells whether a verification trailer (MS-RPCE 2.2.2.13)
// follows, which Windows clients append where headers are not signed. What it
// verifies is under NTLM's signature in any case.
func (d *decoder) atVerification() bool {
	rest := d.b[d.at:]
	skip := -d.at & 3
	return len(rest) <= skip+len(verificationMark)+maxVerification && len(rest) >= skip+len(verificationMark) &&
		string(rest[skip:skip+len(verificationMark)]) == verificationMark
}

const verificationMark = "\x8a\xe3\x13\x71\x02\xf4\x36\x71"

// appendMachine appends szMachine.
func appendMachine(b []byte, machine string) []byte {
	text := append(utf16Bytes(machine), 0, 0)
	n := uint32(len(text) / 2)
	b = appendU32(b, n, 0, n)
	return appendAlign(append(b, text...))
}

func appendU32(b []byte, values ...uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// appendAlign pads a stub to a multiple of 4.
func appendAlign(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }
