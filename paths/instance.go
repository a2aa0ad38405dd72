package paths

import (
	"bytes"
	"unicode/utf8"
)

// AppendInstance adds an instance name with what a counter path cannot hold
// replaced as Windows does for network adapters: ( ) by [ ], and # / \ * by _.
func AppendInstance(buf, name []byte) []byte {
	start := len(buf)
	for _, c := range name {
		switch c {
		case '(':
			c = '['
		case ')':
			c = ']'
		case '#', '/', '\\', '*':
			c = '_'
		}
		buf = append(buf, c)
	}
	if !utf8.Valid(buf[start:]) {
		buf = append(buf[:start], bytes.ToValidUTF8(buf[start:], []byte("\uFFFD"))...)
	}
	return buf
}

// Instance is AppendInstance for names that are made once.
func Instance(name string) string { return string(AppendInstance(nil, []byte(name))) }
