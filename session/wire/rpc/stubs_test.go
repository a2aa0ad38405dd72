package rpc

import (
	"encoding/binary"

	"perfdeck/session/wire/perflib"
)

// referent is a pointer that is not NULL, C706 14.3.10; which one is the
// sender's choice.
const referent = 0x00020000

// appendMachine appends szMachine.
func appendMachine(b []byte, machine string) []byte {
	text := append(perflib.EncodeText(machine), 0, 0)
	n := uint32(len(text) / 2)
	b = appendU32(b, n, 0, n)
	return appendAlign(append(b, text...))
}

func appendU32(b []byte, values ...uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// appendAlign pads a stub to a multiple of 4.
func appendAlign(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }
