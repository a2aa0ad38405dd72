package perflib

import (
	"encoding/hex"
	"fmt"
)

const identifierSize = 40 // _PERF_COUNTER_IDENTIFIER

const identifierStructure = "PERF_COUNTER_IDENTIFIER"

// What stands for "all" in an Identifier.
const (
	AllCounters uint32 = 0xFFFFFFFF // CounterId: every counter of the set (MS-PCQ 3.1.4.1.7; PERF_WILDCARD_COUNTER)
	AnyInstance uint32 = 0xFFFFFFFF // InstanceId: do not filter; 0 is a filter (perflib.h)
)

// Identifier is one specification of a query: _PERF_COUNTER_IDENTIFIER and its
// instance name (MS-PCQ 2.2.4.6).
type Identifier struct {
	Counterset GUID
	Status     uint32 // Win32 code of an answer; 0 in requests
	CounterID  uint32 // or AllCounters
	InstanceID uint32 // or AnyInstance
	Index      uint32 // in answers: position of its block in a data reply
	// Name is an instance or a pattern: * stands for any run of characters, ?
	// for one. It is nil for a single-instance counterset, which has 40 bytes
	// and no name.
	Name Text

	// Offset is where the identifier was read, for SetStatus.
	Offset int
	// Err is set when the name cannot be read while its block is whole.
	Err error
}

// Wild tells whether the name is a pattern, so that many instances answer.
func (id *Identifier) Wild() bool {
	for o := 0; o+2 <= len(id.Name); o += 2 {
		if unit := u16(id.Name, o); unit == '*' || unit == '?' {
			return true
		}
	}
	return false
}

// Kind is the kind of block that answers the identifier when nothing fails
// (perflib.h, PerfCounterDataType).
func (id *Identifier) Kind() BlockKind {
	switch all := id.CounterID == AllCounters; {
	case all && id.Wild():
		return KindCounterset
	case all:
		return KindCounters
	case id.Wild():
		return KindInstances
	}
	return KindCounter
}

// DecodeIdentifiers reads the answers of PerflibV2QueryCounterInfo and
// PerflibV2ValidateCounters; an empty one is no identifiers. After damage the
// identifiers before it are returned. An identifier whose name alone is damaged
// is returned with its Err; if there is no other damage, that is the error.
func DecodeIdentifiers(buf []byte) ([]Identifier, error) {
	return decodeIdentifiers(buf, false)
}

// DecodeIdentifierRequest reads the buffer of a PerflibV2ValidateCounters call
// as a server does: as DecodeIdentifiers, but there must be one, and sizes must
// be multiples of 8. Any error but MissingTerminator damages the call as a
// whole.
func DecodeIdentifierRequest(buf []byte) ([]Identifier, error) {
	if len(buf) < identifierSize {
		return nil, damage(identifierStructure, 0, BufferTooShort, len(buf), identifierSize)
	}
	return decodeIdentifiers(buf, true)
}

// AppendIdentifier appends an identifier.
func AppendIdentifier(dst []byte, id *Identifier) []byte {
	start := len(dst)
	size := identifierSize
	if id.Name != nil {
		size += sizeZ(id.Name)
	}
	dst = append(dst, id.Counterset[:]...)
	dst = appendU32(dst, id.Status)
	dst = appendU32(dst, uint32(round8(uint64(size))))
	dst = appendU32(dst, id.CounterID)
	dst = appendU32(dst, id.InstanceID)
	dst = appendU32(dst, id.Index)
	dst = appendU32(dst, 0) // Reserved
	if id.Name != nil {
		dst = appendZ(dst, id.Name)
	}
	return appendPad(dst, start)
}

// SetStatus writes a status into the buffer that the identifier was read from:
// the answer of PerflibV2ValidateCounters is its request with statuses.
func (id *Identifier) SetStatus(buf []byte, status uint32) {
	if id.Offset >= 0 && len(buf)-id.Offset >= identifierSize {
		putU32(buf, id.Offset+16, status)
	}
}

func decodeIdentifiers(buf []byte, strict bool) (list []Identifier, err error) {
	var nameErr error
	for o := 0; o < len(buf); {
		size, bad := identifierBounds(buf, o, strict)
		if bad != nil {
			return list, bad
		}
		id := identifierAt(buf, o, int(size))
		if nameErr == nil {
			nameErr = id.Err
		}
		list, o = append(list, id), following(o, size, len(buf))
	}
	return list, nameErr
}

func identifierBounds(buf []byte, o int, strict bool) (size uint32, err *DamageError) {
	if len(buf)-o < identifierSize {
		return 0, damage(identifierStructure, o, TrailingBytes, len(buf)-o, 0)
	}
	size = u32(buf, o+20)
	err = checkSize(identifierStructure, o+20, size, identifierSize, len(buf)-o, SizeExceedsBuffer)
	if err == nil && strict && size%8 != 0 {
		err = damage(identifierStructure, o+20, SizeUnaligned, size, 8)
	}
	return size, err
}

func identifierAt(buf []byte, o, size int) Identifier {
	id := Identifier{
		Counterset: GUID(buf[o : o+16]),
		Status:     u32(buf, o+16),
		CounterID:  u32(buf, o+24),
		InstanceID: u32(buf, o+28),
		Index:      u32(buf, o+32),
		Offset:     o,
	}
	if size == identifierSize {
		return id
	}
	name, ok := textZ(buf, o+identifierSize, o+size)
	if !ok {
		id.Err = damage(identifierStructure, o+identifierSize, MissingTerminator, size-identifierSize, 0)
	}
	id.Name = name
	return id
}

// GUID is a GUID in the order of its bytes on the wire (MS-DTYP 2.3.4.2).
type GUID [16]byte

// guidText is where each byte of a GUID on the wire stands in its text without
// braces: three little-endian fields, then eight bytes.
var guidText = [16]int{6, 4, 2, 0, 11, 9, 16, 14, 19, 21, 24, 26, 28, 30, 32, 34}

// ParseGUID reads a GUID with or without braces, in any case.
func ParseGUID(s string) (GUID, error) {
	var g GUID
	t := s
	if len(t) == 38 && t[0] == '{' && t[37] == '}' {
		t = t[1:37]
	}
	ok := len(t) == 36 && t[8] == '-' && t[13] == '-' && t[18] == '-' && t[23] == '-'
	for i := 0; ok && i < len(g); i++ {
		_, err := hex.Decode(g[i:i+1], []byte(t[guidText[i]:guidText[i]+2]))
		ok = err == nil
	}
	if !ok {
		return GUID{}, fmt.Errorf("parse GUID %q: want 32 hexadecimal digits as 8-4-4-4-12", s)
	}
	return g, nil
}

// String gives the GUID with braces, in lower case, as a catalogue has it.
func (g GUID) String() string {
	b := []byte("{00000000-0000-0000-0000-000000000000}")
	for i, o := range guidText {
		hex.Encode(b[o+1:], g[i:i+1])
	}
	return string(b)
}

// AppendGUID appends the answer to ProviderGUID.
func AppendGUID(dst []byte, g GUID) []byte { return append(dst, g[:]...) }

// DecodeGUID reads the answer to ProviderGUID.
func DecodeGUID(buf []byte) (GUID, error) {
	if len(buf) < len(GUID{}) {
		return GUID{}, damage("GUID", 0, Truncated, len(buf), len(GUID{}))
	}
	return GUID(buf[:16]), checkRest("GUID", buf, 16).asError()
}
