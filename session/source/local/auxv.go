package local

import (
	"encoding/binary"
	"math/bits"
)

// atClockTicks is AT_CLKTCK of getauxval(3): USER_HZ.
const atClockTicks = 17

// auxiliary finds a value in the auxiliary vector of /proc/PID/auxv: pairs of
// native words.
func auxiliary(b []byte, key uint64) (uint64, bool) {
	const word = bits.UintSize / 8
	for len(b) >= 2*word {
		if nativeWord(b) == key {
			return nativeWord(b[word:]), true
		}
		b = b[2*word:]
	}
	return 0, false
}

func nativeWord(b []byte) uint64 {
	if bits.UintSize == 32 {
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}
