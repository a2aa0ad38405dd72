package rpc

import (
	"context"
	"fmt"
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

// referent is a pointer that is not NULL, C706 14.3.10; which one is the
// sender's choice.
const referent = 0x00020000

// valueArgs are the arguments of opQueryValue.
func valueArgs(key Handle, value string, inSize uint32) []byte {
	text := append(utf16Bytes(value), 0, 0) // RRP_UNICODE_STRING counts its NUL
	n := uint32(len(text))
	b := appendU32(key[:], n|n<<16, referent, n/2, 0, n/2)
	b = appendAlign(append(b, text...))
	b = appendU32(b, referent, 0)                      // lpType
	b = appendU32(b, referent, inSize, 0, 0)           // lpData: a buffer, nothing in it
	return appendU32(b, referent, inSize, referent, 0) // lpcbData, lpcbLen
}

// parseValue reads the reply of opQueryValue. The data are in the stub's
// memory. A host may leave out any of the four results.
func parseValue(stub []byte, inSize uint32) (Value, error) {
	d := &decoder{b: stub}
	var v Value
	v.Type = d.optionalU32()
	if d.u32() != 0 {
		size, offset, n := d.u32(), d.u32(), d.u32()
		if offset != 0 || n > size || n > inSize {
			d.fail("array of %d at %d in %d, of %d asked for", n, offset, size, inSize)
		} else {
			v.Data = d.take(int(n))
		}
	}
	v.Needed = d.optionalU32()
	if n := d.optionalU32(); d.err == nil && int(n) < len(v.Data) {
		v.Data = v.Data[:n]
	}
	v.Code = Code(d.u32())
	return v, d.replyEnd()
}

// optionalU32 is what a pointer points at, 0 where it is NULL.
func (d *decoder) optionalU32() uint32 {
	if d.u32() == 0 {
		return 0
	}
	return d.u32()
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
		key, code, err = c.key(ctx, op, name, appendU32(nil, 0, access)) // no ServerName
		if err != nil || code != CodeAccessDenied && code != CodeInvalidParameter {
			break
		}
	}
	return key, code, err
}

// key makes a call whose reply is a handle and a result.
func (c *Client) key(ctx context.Context, op opnum, name string, args []byte) (key Handle, code Code, err error) {
	err = c.call(ctx, &Outgoing{Interface: MSRRP, Op: uint16(op), Name: name, Args: args, MaxReply: handleReply + maxTrailing, Take: func(stub []byte) error {
		d := &decoder{b: stub}
		key, code = d.handle(), Code(d.u32())
		return d.replyEnd()
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
