package logs

import (
	"crypto/rand"
	"fmt"
	"strings"
)

// NewGUID makes the identity of a set (RFC 9562, version 4).
func NewGUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return strings.ToUpper(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}
