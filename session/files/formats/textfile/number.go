package textfile

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"perfdeck/cooker"
)

// AppendNumber writes a number as the C runtime of Windows does in a PDH-CSV: 17
// significant digits, zeros behind the point cut, plain from 1e-4 to 1e20, and
// else with an exponent of at least three digits.
func AppendNumber(b []byte, f float64) []byte {
	magnitude := math.Abs(f)
	if f == 0 || magnitude >= 1e-4 && magnitude < 1e17 {
		if whole := int64(f); float64(whole) == f {
			return strconv.AppendInt(b, whole, 10)
		}
		return strconv.AppendFloat(b, f, 'g', 17, 64)
	}
	if magnitude >= 1e-4 && magnitude < 1e20 {
		return appendFilled(b, f)
	}
	at := len(b)
	b = strconv.AppendFloat(b, f, 'g', 17, 64) // shorter than 'e': no zeros at the end
	e := at
	for b[e] != 'e' {
		e++
	}
	if len(b)-e == len("e-05") {
		b = append(b[:e+2], '0', b[e+2], b[e+3])
	}
	return b
}

// appendFilled writes a number from 1e17 on: zeros stand for the digits behind
// the 17th.
func appendFilled(b []byte, f float64) []byte {
	var room [32]byte
	digits := strconv.AppendFloat(room[:0], f, 'e', 16, 64) // d.dddddddddddddddde+XX
	if digits[0] == '-' {
		b = append(b, '-')
		digits = digits[1:]
	}
	exponent := int(digits[len(digits)-2]-'0')*10 + int(digits[len(digits)-1]-'0')
	b = append(b, digits[0])
	b = append(b, digits[2:18]...)
	for range exponent - 16 {
		b = append(b, '0')
	}
	return b
}

// ScanNumber reads the number that begins at b[i] and returns where it ends.
// Whole numbers stay whole, others are rounded to the nearest float64. point is
// the decimal point. ok is false if there is no number, or one that no float64
// holds.
func ScanNumber(b []byte, i int, point byte) (v cooker.Value, end int, ok bool) {
	start := i
	negative := i < len(b) && b[i] == '-'
	if negative || i < len(b) && b[i] == '+' {
		i++
	}
	first := i
	mantissa, i := scanDigits(0, b, i)
	digits := i - first
	if i >= len(b) || b[i] != point && b[i]|0x20 != 'e' {
		if digits > 0 && digits <= mostDigits {
			return wholeValue(negative, mantissa), i, true
		}
		return scanOther(b, start, i, point)
	}
	behind := 0
	if b[i] == point {
		first = i + 1
		mantissa, i = scanDigits(mantissa, b, first)
		behind = i - first
		digits += behind
	}
	if digits == 0 || digits > mostDigits && digits-leadingZeros(b[start:i]) > mostDigits ||
		behind >= len(powersOfFive) || i < len(b) && b[i]|0x20 == 'e' {
		return scanOther(b, start, i, point)
	}
	f := decimal(mantissa, behind)
	if negative {
		f = -f
	}
	return cooker.FloatValue(f), i, true
}

// mostDigits is how many digits surely fit into 64 bits.
const mostDigits = 19

// scanDigits appends the digits at b[i] to a number, without regard to overflow.
func scanDigits(n uint64, b []byte, i int) (uint64, int) {
	for ; i+8 <= len(b); i += 8 {
		eight := binary.LittleEndian.Uint64(b[i:])
		// All of them are 0x30 to 0x39, also when 6 is added.
		if eight&0xF0F0F0F0F0F0F0F0|(eight+0x0606060606060606)&0xF0F0F0F0F0F0F0F0>>4 != 0x3333333333333333 {
			break
		}
		eight -= 0x3030303030303030
		eight = eight*10 + eight>>8 // pairs, in every second byte
		eight = (eight&0x000000FF000000FF*(100+1_000_000<<32) + eight>>16&0x000000FF000000FF*(1+10_000<<32)) >> 32
		n = n*100_000_000 + eight
	}
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		n = n*10 + uint64(b[i]-'0')
	}
	return n, i
}

// leadingZeros counts the digits before the first that is not 0.
func leadingZeros(b []byte) int {
	n := 0
	for _, c := range b {
		if c-'1' <= 8 {
			break
		}
		if c == '0' {
			n++
		}
	}
	return n
}

// powersOfFive are those of 64 bits, shifted up so that their first bit is set.
var powersOfFive = func() (p [28]struct {
	up    int
	power uint64
}) {
	power := uint64(1)
	for i := range p {
		p[i].up = bits.LeadingZeros64(power)
		p[i].power = power << p[i].up
		power *= 5
	}
	return p
}()

// decimal is the float64 nearest to n/10^behind: a division of integers gives 63 or 64
// bits of it and tells whether there are more, so it is rounded as it should be. It does not
// branch by the digits: nobody foresees them.
func decimal(n uint64, behind int) float64 {
	if n < 1<<53 && behind == 0 {
		return float64(n)
	}
	if n == 0 {
		return 0
	}
	five, up := &powersOfFive[behind], bits.LeadingZeros64(n)
	n <<= up
	quotient, rest := bits.Div64(n>>1, n<<63, five.power)
	first := bits.LeadingZeros64(quotient)
	if quotient <<= first; rest != 0 {
		quotient |= 1
	}
	// 11 bits are cut off, rounding to even: 2^53 is the next power of two.
	mantissa := quotient >> 11
	mantissa += (quotient&0x7FF + 0x3FF + mantissa&1) >> 11
	return math.Float64frombits(uint64(five.up-up-behind-first+1023)<<52 + mantissa - 1<<52)
}

// wholeValue is a whole number of at most 19 digits.
func wholeValue(negative bool, magnitude uint64) cooker.Value {
	switch {
	case !negative:
		return cooker.WholeValue(magnitude)
	case magnitude <= math.MaxInt64:
		return cooker.DeltaValue(-int64(magnitude))
	}
	return cooker.FloatValue(-float64(magnitude))
}

// scanOther reads numbers with an exponent or with more digits than others. end
// is behind the digits.
func scanOther(b []byte, start, end int, point byte) (v cooker.Value, _ int, ok bool) {
	if end < len(b) && b[end]|0x20 == 'e' {
		end++
		if end < len(b) && (b[end] == '-' || b[end] == '+') {
			end++
		}
		_, end = scanDigits(0, b, end)
	}
	if point != '.' {
		b, start, end = withPoint(b[start:end], point), 0, end-start
		v, at, ok := scanOther(b, 0, end, '.')
		return v, start + at, ok
	}
	if n, err := strconv.ParseUint(string(b[start:end]), 10, 64); err == nil {
		return cooker.WholeValue(n), end, true
	}
	f, err := strconv.ParseFloat(string(b[start:end]), 64)
	if err != nil {
		return v, end, false
	}
	return cooker.FloatValue(f), end, true
}

// withPoint is a number with a point in place of another sign.
func withPoint(b []byte, sign byte) []byte {
	out := append([]byte{}, b...)
	for i := range out {
		if out[i] == sign {
			out[i] = '.'
		}
	}
	return out
}
