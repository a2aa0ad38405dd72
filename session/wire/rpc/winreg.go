package rpc

import (
	"context"
	"fmt"

	"perfdeck/session/wire/perflib"
)

// WinReg are the methods of MS-RRP 3.1.5 that reach HKEY_PERFORMANCE_DATA. A
// Client bound to MSRRP implements it. A method's Win32 result is a value; its
// error says that there is no result.
type WinReg interface {
	// OpenPerformanceData (opnum 3) opens HKEY_PERFORMANCE_DATA; the handle is
	// null unless Code is 0.
	OpenPerformanceData(ctx context.Context) (Handle, Code, error)
	// OpenPerformanceText (opnum 32) opens HKEY_PERFORMANCE_TEXT: names in
	// English.
	OpenPerformanceText(ctx context.Context) (Handle, Code, error)
	// OpenPerformanceNLSText (opnum 33) opens HKEY_PERFORMANCE_NLSTEXT: names in
	// the host's language.
	OpenPerformanceNLSText(ctx context.Context) (Handle, Code, error)
	// QueryValue (opnum 17) reads a value of a key into a buffer of inSize bytes,
	// at most MaxValue. The data are appended to dst[:0].
	QueryValue(ctx context.Context, key Handle, name string, inSize uint32, dst []byte) (Value, error)
	// CloseKey (opnum 5) closes a key and returns what became of it: null, or the
	// handle itself where it stays open.
	CloseKey(ctx context.Context, key Handle) (Handle, Code, error)
}

// Value is the answer of QueryValue.
type Value struct {
	Code   Code
	Type   uint32 // REG_BINARY 3, REG_MULTI_SZ 7 and others of MS-RRP 3.1.1.5
	Needed uint32 // lpcbData, bytes: what the host says of the value's size; it may be wrong
	Data   []byte // never more than were asked for
}

// MaxValue is the range of lpcbData in the IDL, maxValueName the value's name
// with its NUL, in units of UTF-16.
const (
	MaxValue     = 64 << 20
	maxValueName = 32767
)

// The methods' numbers.
const (
	opOpenPerformanceData    opnum = 3
	opCloseKey               opnum = 5
	opQueryValue             opnum = 17
	opOpenPerformanceText    opnum = 32
	opOpenPerformanceNLSText opnum = 33
)

// Rights that are asked for, MS-RRP 2.2.3: all that the account has, or to read.
// A host may refuse the first where it grants the second.
const (
	maximumAllowed = 0x02000000
	keyRead        = 0x00020019
)

// valueArgs are the arguments of opQueryValue.
func valueArgs(key Handle, value string, inSize uint32) []byte {
	text := perflib.AppendString(nil, perflib.UTF16(value)) // RRP_UNICODE_STRING counts its NUL
	size := uint32(len(text))
	var n NDR
	n.handle(&key)
	n.Ignored(size|size<<16, firstReferent, size/2, 0, size/2)
	n.Raw(&text, len(text))
	n.Ignored(firstReferent, 0)                        // lpType
	n.Ignored(firstReferent, inSize, 0, 0)             // lpData: a buffer, nothing in it
	n.Ignored(firstReferent, inSize, firstReferent, 0) // lpcbData, lpcbLen
	return n.b
}

// parseValue reads the reply of opQueryValue. The data are in the stub's
// memory. A host may leave out any of the four results.
func parseValue(stub []byte, inSize uint32) (v Value, err error) {
	n := readStub(stub)
	v.Type = n.optional()
	if n.Pointer(true) {
		size, offset, count := n.word(), n.word(), n.word()
		if offset != 0 || count > size || count > inSize {
			n.Fail("array of %d at %d in %d, of %d asked for", count, offset, size, inSize)
		} else {
			v.Data = n.take(int(count))
		}
	}
	v.Needed = n.optional()
	if length := n.optional(); n.err == nil && int(length) < len(v.Data) {
		v.Data = v.Data[:length]
	}
	v.Code = Code(n.word())
	return v, n.replyEnd()
}

// optional reads what a pointer points at, 0 where it is NULL.
func (n *NDR) optional() uint32 {
	if n.Pointer(true) {
		return n.word()
	}
	return 0
}

// OpenPerformanceData implements WinReg.
func (c *Client) OpenPerformanceData(ctx context.Context) (Handle, Code, error) {
	return c.open(ctx, opOpenPerformanceData, "open HKEY_PERFORMANCE_DATA")
}

// OpenPerformanceText implements WinReg.
func (c *Client) OpenPerformanceText(ctx context.Context) (Handle, Code, error) {
	return c.open(ctx, opOpenPerformanceText, "open HKEY_PERFORMANCE_TEXT")
}

// OpenPerformanceNLSText implements WinReg.
func (c *Client) OpenPerformanceNLSText(ctx context.Context) (Handle, Code, error) {
	return c.open(ctx, opOpenPerformanceNLSText, "open HKEY_PERFORMANCE_NLSTEXT")
}

// CloseKey implements WinReg.
func (c *Client) CloseKey(ctx context.Context, key Handle) (Handle, Code, error) {
	return c.key(ctx, opCloseKey, "close registry key", key[:])
}

// open opens a predefined key with the most rights that the host grants.
func (c *Client) open(ctx context.Context, op opnum, name string) (key Handle, code Code, err error) {
	for _, access := range []uint32{maximumAllowed, keyRead} {
		var n NDR
		n.Ignored(0, access) // no ServerName
		key, code, err = c.key(ctx, op, name, n.b)
		if err != nil || code != CodeAccessDenied && code != CodeInvalidParameter {
			break
		}
	}
	return key, code, err
}

// key makes a call whose reply is a handle and a result.
func (c *Client) key(ctx context.Context, op opnum, name string, args []byte) (key Handle, code Code, err error) {
	err = c.call(ctx, &Outgoing{Interface: MSRRP, Op: uint16(op), Name: name, Args: args, MaxReply: handleReply + maxTrailing, Take: func(stub []byte) error {
		n := readStub(stub)
		n.handle(&key)
		n.U32((*uint32)(&code))
		return n.replyEnd()
	}})
	return key, code, err
}

// QueryValue implements WinReg.
func (c *Client) QueryValue(ctx context.Context, key Handle, name string, inSize uint32, dst []byte) (v Value, err error) {
	const call = "query registry value"
	if inSize > MaxValue || len(name) >= maxValueName {
		return v, &Error{Op: call, Host: c.o.Name, Code: CodeInvalidParameter, Err: fmt.Errorf("size is over %d, or the name over %d", MaxValue, maxValueName)}
	}
	most := 10*4 + int(inSize) + arraySuffixSize + maxTrailing
	err = c.call(ctx, &Outgoing{Interface: MSRRP, Op: uint16(opQueryValue), Name: call, Args: valueArgs(key, name, inSize), MaxReply: most, Take: func(stub []byte) (err error) {
		v, err = parseValue(stub, inSize)
		v.Data = append(dst[:0], v.Data...)
		return err
	}})
	return v, err
}

var _ WinReg = (*Client)(nil)
