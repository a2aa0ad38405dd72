package osfile

import (
	"bytes"
	"unicode/utf16"
)

// Text turns the bytes of a text file into UTF-8: UTF-16 with a byte order
// mark, or UTF-8 with or without one.
func Text(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return decodeUTF16(data[2:], 0)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return decodeUTF16(data[2:], 1)
	}
	return string(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")))
}

// decodeUTF16 reads UTF-16; low is where in a pair the low byte stands.
func decodeUTF16(data []byte, low int) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = uint16(data[2*i+low]) | uint16(data[2*i+1-low])<<8
	}
	return string(utf16.Decode(units))
}
