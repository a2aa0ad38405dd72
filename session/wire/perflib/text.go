package perflib

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is text as it travels: UTF-16LE, an even number of bytes, without the
// NUL that ends it on the wire. Lone surrogates are kept, so that a name can be
// sent back exactly as it came. Two names are the same when their bytes are;
// m[string(text)] looks one up without allocation.
type Text []byte

// EncodeText converts to Text, never nil. A NUL ends the text.
func EncodeText(s string) Text {
	s, _, _ = strings.Cut(s, "\x00")
	return UTF16(s)
}

// UTF16 is all of a text in UTF-16LE, never nil. Bytes that are not UTF-8 become U+FFFD.
func UTF16(s string) Text {
	t := make(Text, 0, 2*len(s))
	for _, r := range s {
		if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
			t = appendU16(appendU16(t, uint16(hi)), uint16(lo))
		} else {
			t = appendU16(t, uint16(r))
		}
	}
	return t
}

// String converts to UTF-8. A lone surrogate becomes U+FFFD.
func (t Text) String() string {
	var b strings.Builder
	b.Grow(len(t) / 2)
	for o := 0; o+2 <= len(t); o += 2 {
		r := rune(u16(t, o))
		switch {
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
			continue
		case utf16.IsSurrogate(r) && o+4 <= len(t):
			if r = utf16.DecodeRune(r, rune(u16(t, o+2))); r != utf8.RuneError {
				o += 2
			}
		}
		b.WriteRune(r) // writes U+FFFD for a surrogate
	}
	return b.String()
}

// appendZ appends the text and its NUL. It is the one place where an odd byte
// of a Text made by hand is dropped.
func appendZ(dst []byte, t Text) []byte {
	return append(append(dst, t[:len(t)&^1]...), 0, 0)
}

// sizeZ is the size of appendZ in bytes.
func sizeZ(t Text) int { return len(t)&^1 + 2 }

// textZ reads the text at o, which ends with a NUL before end.
func textZ(buf []byte, o, end int) (t Text, ok bool) {
	b := buf[o:end:end]
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if hasZeroUnit(u64(b, i)) {
			break
		}
	}
	for ; i+2 <= len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return Text(b[:i:i]), true
		}
	}
	return nil, false
}

// hasZeroUnit tells whether one of four UTF-16 units is 0.
func hasZeroUnit(x uint64) bool {
	const ones, tops = 0x0001_0001_0001_0001, 0x8000_8000_8000_8000
	return (x-ones)&^x&tops != 0
}
