package local

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
)

// The parsers of this package take what a kernel file held and never fail:
// what they do not understand is left out, and is then absent.

// number reads the digits at the start of b, after blanks. A number that does
// not fit stays at the largest.
func number(b []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	start := i
	for ; i < len(b); i++ {
		d := b[i] - '0'
		if d > 9 {
			break
		}
		if i-start >= maxSafeDigits && n > (math.MaxUint64-uint64(d))/10 {
			n = math.MaxUint64
			continue
		}
		n = n*10 + uint64(d)
	}
	return n, b[i:], i > start
}

// maxSafeDigits always fit into 64 bits.
const maxSafeDigits = 19

// digits is number for short fields on the hot path: no blanks, and no care
// for overflow.
func digits(b []byte) (n uint64, length int) {
	for length < len(b) {
		d := b[length] - '0'
		if d > 9 || length == maxSafeDigits {
			break
		}
		n = n*10 + uint64(d)
		length++
	}
	return n, length
}

var newline = []byte{'\n'}

// line cuts the first line off b.
func line(b []byte) (first, rest []byte) {
	first, rest, _ = bytes.Cut(b, newline)
	return first, rest
}

// lines are those of b one by one.
func lines(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			var l []byte
			if l, b = line(b); !yield(l) {
				return
			}
		}
	}
}

// field cuts the first word off b.
func field(b []byte) (first, rest []byte) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	start := i
	for i < len(b) && b[i] != ' ' && b[i] != '\t' && b[i] != '\n' {
		i++
	}
	return b[start:i], b[i:]
}

// keyed splits `key: value` or `key value`.
func keyed(b []byte) (key, value []byte) {
	key, value = field(b)
	if n := len(key); n > 0 && key[n-1] == ':' {
		key = key[:n-1]
	}
	return key, value
}

// numberedName reads the number after a prefix, as of `cpu12`; the number must
// end the text.
func numberedName(b []byte, prefix string) (int, bool) {
	if !bytes.HasPrefix(b, []byte(prefix)) {
		return 0, false
	}
	n, rest, ok := number(b[len(prefix):])
	if !ok || len(rest) > 0 || n > math.MaxInt32 || b[len(prefix)] == ' ' {
		return 0, false
	}
	return int(n), true
}

// cpuList calls f for each number of a list like `0-3,8,10-11`.
func cpuList(b []byte, f func(cpu int)) {
	const most = 1 << 16 // far above any kernel's NR_CPUS
	for len(b) > 0 {
		first, rest, ok := number(b)
		if !ok {
			return
		}
		last := first
		if len(rest) > 0 && rest[0] == '-' {
			if last, rest, ok = number(rest[1:]); !ok {
				return
			}
		}
		for n := first; n <= last && n < most; n++ {
			f(int(n))
		}
		if len(rest) == 0 || rest[0] != ',' {
			return
		}
		b = rest[1:]
	}
}

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

// Layout of struct linux_dirent64 (getdents64(2)).
const (
	direntLength = 16 // offset of d_reclen
	direntName   = 19 // offset of d_name
)

// direntNumbers appends the entries of a buffer of getdents64 whose names are
// numbers: processes, threads, descriptors.
func direntNumbers(numbers []uint32, b []byte) []uint32 {
	for len(b) > direntName {
		length := int(binary.NativeEndian.Uint16(b[direntLength:]))
		if length <= direntName || length > len(b) {
			break
		}
		name := b[direntName:length]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		b = b[length:]
		n, used := digits(name)
		if used == len(name) && used > 0 && used <= 10 && n < 1<<32 {
			numbers = append(numbers, uint32(n))
		}
	}
	return numbers
}
