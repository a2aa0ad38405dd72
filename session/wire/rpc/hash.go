package rpc

import (
	"unicode/utf16"

	"golang.org/x/crypto/md4" // what MS-NLMP asks for
)

// NTHash is the hash by which Windows and accounts files know a password:
// NTOWFv1 of MS-NLMP 3.3.1. It is as secret as the password.
func NTHash(password []byte) [16]byte {
	text := utf16Bytes(string(password))
	h := md4.New()
	h.Write(text)
	clear(text)
	return [16]byte(h.Sum(nil))
}

// utf16Bytes is s in UTF-16LE.
func utf16Bytes(s string) []byte {
	b := make([]byte, 0, 2*len(s))
	for _, r := range s {
		for _, u := range utf16.AppendRune(nil, r) {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

// utf16String is the text of UTF-16LE bytes; a last odd byte is left out.
func utf16String(b []byte) string {
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return string(utf16.Decode(u))
}
