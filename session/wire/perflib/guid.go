package perflib

import (
	"encoding/hex"
	"fmt"
)

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
