package dcom

import (
	"encoding/binary"

	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// BSTR is a string of automation, MS-OAUT 2.2.23: bytes, of UTF-16 as a rule. nil is none.
type BSTR []byte //nolint:recvcheck // Code reads into it

// Text is a BSTR of a text.
func Text(s string) BSTR { return BSTR(perflib.UTF16(s)) }

// String is the text; an odd byte at its end is none of it.
func (b BSTR) String() string { return perflib.Text(b).String() }

// maxUnits bounds a BSTR.
const maxUnits = maxMessage / 2

// noBSTR is the number of bytes of a BSTR that is none.
const noBSTR = 0xffffffff

// Code codes a BSTR, which is a pointer that there always is. Some peers leave it out all the
// same.
func (b *BSTR) Code(n *NDR) {
	if n.Pointer(true) {
		b.blob(n)
	} else {
		*b = nil
	}
}

// Unique codes a pointer to a BSTR that need not be there: nil is not.
func (b *BSTR) Unique(n *NDR) {
	if n.Pointer(*b != nil) {
		b.blob(n)
	} else {
		*b = nil
	}
}

// blob codes FLAGGED_WORD_BLOB, MS-OAUT 2.2.23.1.
func (b *BSTR) blob(n *NDR) {
	units := n.Count((len(*b)+1)/2, 2, maxUnits)
	size, again := uint32(len(*b)), uint32(units)
	if *b == nil {
		size = noBSTR
	}
	n.U32(&size)
	n.U32(&again)
	none := size == noBSTR && units == 0
	if int64(again) != int64(units) || !none && (int64(size)+1)/2 != int64(units) {
		n.Fail("BSTR of %d bytes in %d units, %d announced", size, again, units)
	}
	if n.Err() != nil || none {
		*b = nil
		return
	}
	raw := []byte(*b)
	if n.Raw(&raw, 2*units); n.Reading() && n.Err() == nil {
		*b = BSTR(raw[:size:size])
	}
}

// Bool is VARIANT_BOOL, MS-OAUT 2.2.27.
func (n *NDR) Bool(v *bool) {
	word := uint16(0)
	if *v {
		word = 0xffff
	}
	n.U16(&word)
	*v = word != 0
}

// VarType is the type of a VARIANT, MS-OAUT 2.2.7.
type VarType uint16

// Types of VARIANTs.
const (
	Empty     VarType = 0
	Null      VarType = 1
	I2        VarType = 2
	I4        VarType = 3
	R8        VarType = 5
	Date      VarType = 7
	OfBSTR    VarType = 8
	Dispatch  VarType = 9
	ErrorCode VarType = 10
	Bool      VarType = 11
	Unknown   VarType = 13
	UI2       VarType = 18
	UI4       VarType = 19
	I8        VarType = 20
	UI8       VarType = 21
	Int       VarType = 22
	Uint      VarType = 23
	OfArray   VarType = 0x2000 // a bit
)

// Variant is VARIANT, MS-OAUT 2.2.29: what its type has is set.
type Variant struct {
	Type      VarType
	Bits      uint64 // of a number: its bits, in two's complement or IEEE 754
	Text      BSTR
	Reference []byte // of an interface: OBJREF; nil: none
	Strings   []BSTR // of an array
}

// Code codes an argument or a result: a pointer, and what it points to.
func (v *Variant) Code(n *NDR) {
	if n.Pointer(true) {
		v.body(n)
	} else {
		*v = Variant{}
	}
}

// body codes wireVARIANT, MS-OAUT 2.2.29.1. Its size counts quad words, from itself on.
func (v *Variant) body(n *NDR) {
	n.Align(8)
	start := len(n.Bytes())
	n.Ignored(0, 0)
	kind := uint16(v.Type)
	n.U16(&kind)
	reserved := make([]byte, 6)
	n.Raw(&reserved, len(reserved))
	v.Type = VarType(kind)
	tag := uint32(v.Type)
	if v.Type&OfArray != 0 {
		tag = uint32(OfArray)
	}
	n.Same(tag)
	v.arm(n)
	if !n.Reading() {
		binary.LittleEndian.PutUint32(n.Bytes()[start:], uint32(len(n.Bytes())-start+7)/8)
	}
}

func (v *Variant) arm(n *NDR) {
	switch v.Type {
	case Empty, Null:
	case I2, UI2, Bool:
		word := uint16(v.Bits)
		n.U16(&word)
		v.Bits = uint64(word)
	case I4, Int, ErrorCode, UI4, Uint:
		word := uint32(v.Bits)
		n.U32(&word)
		v.Bits = uint64(word)
	case R8, Date, I8, UI8:
		n.U64(&v.Bits)
	case OfBSTR:
		v.Text.Code(n)
	case Dispatch, Unknown:
		n.Interface(&v.Reference)
	case OfArray | OfBSTR:
		n.Strings(&v.Strings, true)
	default:
		n.Fail("VARIANT of type %#x", uint16(v.Type))
	}
}

// pointed codes elements behind the pointers to all of them.
func pointed[T any](n *NDR, v *[]T, count int, body func(*T, *NDR)) {
	there := make([]bool, 0, count)
	rpc.Elements(&n.NDR, v, count, func(*T) { there = append(there, n.Pointer(true)) })
	for i := range *v {
		if n.Err() == nil && there[i] {
			body(&(*v)[i], n)
		}
	}
}

// maxElements bounds arrays whose elements are small.
const maxElements = 10_000

// featuresOfBSTR are FADF_BSTR and FADF_HAVEVARTYPE, MS-OAUT 2.2.9.
const featuresOfBSTR = 0x100 | 0x80

// Strings is SAFEARRAY(BSTR) with one dimension, MS-OAUT 2.2.30. MS-PLA announces it by one
// pointer, MIDL's LPSAFEARRAY is two: both are read, and written if double.
func (n *NDR) Strings(v *[]BSTR, double bool) {
	if !n.Pointer(true) {
		*v = nil
		return
	}
	if double && !n.Reading() || n.Reading() && n.secondPointer() {
		n.Pointer(true)
	}
	n.safeArray(v)
}

// secondPointer tells whether a pointer follows rather than the array, which begins with the
// number of its dimensions, 1, and that once more beside its features, which are not 0.
func (n *NDR) secondPointer() bool {
	ahead := *n
	var first, second uint32
	ahead.U32(&first)
	ahead.U32(&second)
	return first != 1 || second == 1
}

// safeArray codes _wireSAFEARRAY from its conformance on, MS-OAUT 2.2.30.10.
func (n *NDR) safeArray(v *[]BSTR) {
	n.Same(1)
	dimensions, features := uint16(1), uint16(featuresOfBSTR)
	n.U16(&dimensions)
	n.U16(&features)
	n.Ignored(4, uint32(OfBSTR)<<16) // of an element; locks, and the type above them
	kind, size := uint32(OfBSTR), uint32(len(*v))
	n.U32(&kind)
	n.U32(&size)
	there := n.Pointer(true)
	bound := size
	n.U32(&bound)
	n.Ignored(0)
	if dimensions != 1 || features&0x100 == 0 || kind != uint32(OfBSTR) || bound != size || !there && size != 0 {
		n.Fail("array of %d dimensions with %d elements of type %d, %d of them bound", dimensions, size, kind, bound)
	}
	if n.Err() != nil || !there {
		*v = nil
		return
	}
	count := n.Count(len(*v), 4, maxElements)
	if int64(count) != int64(size) {
		n.Fail("array of %d, %d announced", size, count)
	}
	if n.Err() != nil {
		return
	}
	pointed(n, v, count, (*BSTR).blob)
}
