package cooker

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// DefaultDigits in Format.Digits leaves the choice to the value: whole numbers
// without decimals unless "display as real", others with 3.
const DefaultDigits = -1

const (
	defaultDecimals = 3
	maxDigits       = 17
)

// Format says how AppendValue writes. Start from [DefaultFormat]; the zero
// Format writes no decimals.
type Format struct {
	Attributes Attributes
	Digits     int    // decimals, 0 to 17; DefaultDigits
	Grouping   string // between groups of three digits, such as ","; empty: none
	Scale      int    // the value is written times 10^Scale, -10 to 10
	Style      UnitStyle
	Quantity   Quantity // what the number measures, for styles with units
	HexWidth   int      // digits of hexadecimal numbers, 8 or 16; 0: 8 if enough
}

// DefaultFormat writes plain numbers without grouping.
func DefaultFormat() Format { return Format{Digits: DefaultDigits} }

// AppendValue appends the value as it is shown: a number by the format, a text
// as it is, and for a value that does not count the word of its status. It
// does not allocate if buf is large enough. Hexadecimal numbers begin with 0x
// and are not scaled.
func AppendValue(buf []byte, v Value, f Format) []byte {
	if !v.Valid() {
		return append(buf, v.Status().Word()...)
	}
	if v.kind == kindText {
		return append(buf, v.string()...)
	}
	attributes := f.Attributes.Effective()
	if attributes&DisplayHex != 0 || v.status == OKHex {
		if bits, ok := hexBits(v); ok {
			return appendHex(buf, bits, f.HexWidth)
		}
	}
	if f.Scale != 0 {
		v = Scaled(v, f.Scale)
	}
	grouping := f.Grouping
	if attributes&NoGrouping != 0 {
		grouping = ""
	}
	if f.Style != UnitPlain {
		return appendPrefixed(buf, v, f, grouping)
	}
	digits := f.Digits
	if digits < 0 {
		digits = defaultDecimals
		if v.IsWhole() && attributes&DisplayReal == 0 {
			digits = 0
		}
	}
	return appendNumber(buf, v, min(digits, maxDigits), grouping)
}

// AppendMachine appends the number for programs: whole numbers in decimal with
// all digits, others as the shortest decimal that reads back the same, without
// regard to attributes; a text as it is. A value without a number appends
// nothing. Values that do not count but have a number (ZeroBase) are written.
func AppendMachine(buf []byte, v Value) []byte {
	switch v.kind {
	case kindWhole:
		return strconv.AppendUint(buf, v.bits, 10)
	case kindDelta:
		return strconv.AppendInt(buf, int64(v.bits), 10)
	case kindFloat:
		return appendShortest(buf, math.Float64frombits(v.bits))
	case kindText:
		return append(buf, v.string()...)
	case kindNone:
	}
	return buf
}

// appendShortest writes without an exponent from 1e-6 to 1e21, as JSON does.
func appendShortest(buf []byte, f float64) []byte {
	magnitude := math.Abs(f)
	if magnitude < 1<<53 && f == math.Trunc(f) {
		return strconv.AppendInt(buf, int64(f), 10)
	}
	if magnitude < 1e-6 || magnitude >= 1e21 {
		return strconv.AppendFloat(buf, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(buf, f, 'f', -1, 64)
}

// hexBits are the bits of a number that hexadecimal can show; a float64 is
// rounded to the nearest whole number.
func hexBits(v Value) (uint64, bool) {
	if v.kind != kindFloat {
		return v.bits, true
	}
	f := math.RoundToEven(math.Float64frombits(v.bits))
	if f < 0 || f >= 1<<64 {
		return 0, false
	}
	return uint64(f), true
}

func appendHex(buf []byte, n uint64, width int) []byte {
	const digits = "0123456789ABCDEF"
	if int64(n) < 0 && int64(n) >= math.MinInt32 && width == 8 {
		n &= math.MaxUint32 // a negative difference of 32-bit numbers
	}
	if width != 8 && width != 16 || n > math.MaxUint32 {
		width = 8
		if n > math.MaxUint32 {
			width = 16
		}
	}
	buf = append(buf, '0', 'x')
	for shift := 4 * (width - 1); shift >= 0; shift -= 4 {
		buf = append(buf, digits[n>>shift&15])
	}
	return buf
}

// appendNumber writes a number with a fixed count of decimals.
func appendNumber(buf []byte, v Value, decimals int, grouping string) []byte {
	switch v.kind {
	case kindWhole:
		return appendFixed(buf, false, v.bits, 0, 0, decimals, grouping)
	case kindDelta:
		n := int64(v.bits)
		return appendFixed(buf, n < 0, uint64(max(n, -n)), 0, 0, decimals, grouping)
	default:
		return appendFloat(buf, v.number(), decimals, grouping)
	}
}

// appendFloat writes f with decimals. The usual case is done in integers:
// f*10^decimals is rounded, unless that product is so near to a half that its
// own rounding could decide; then strconv, which is exact, does it.
func appendFloat(buf []byte, f float64, decimals int, grouping string) []byte {
	if decimals < len(pow10Float) {
		scaled := math.Abs(f) * pow10Float[decimals]
		if scaled < 1<<50 {
			whole := math.RoundToEven(scaled)
			if math.Abs(math.Abs(scaled-whole)-0.5) > scaled*0x1p-52 {
				n, unit := uint64(whole), pow10Whole[decimals]
				return appendFixed(buf, f < 0 && n != 0, n/unit, n%unit, decimals, decimals, grouping)
			}
		}
	}
	return appendExact(buf, f, decimals, grouping)
}

// appendExact is the slow way, for very large and very fine numbers.
func appendExact(buf []byte, f float64, decimals int, grouping string) []byte {
	var space [400]byte
	text := strconv.AppendFloat(space[:0], f, 'f', decimals, 64)
	if text[0] == '-' {
		text = text[1:]
		if !allZero(text) {
			buf = append(buf, '-')
		}
	}
	point := len(text)
	if decimals > 0 {
		point -= decimals + 1
	}
	for i, c := range text[:point] {
		if i > 0 && (point-i)%3 == 0 {
			buf = append(buf, grouping...)
		}
		buf = append(buf, c)
	}
	return append(buf, text[point:]...)
}

func allZero(text []byte) bool {
	for _, c := range text {
		if c != '0' && c != '.' {
			return false
		}
	}
	return true
}

// appendFixed writes a sign, an integer part in groups of three, and a
// fraction of fractionDigits digits filled up with zeros to decimals.
func appendFixed(buf []byte, negative bool, whole, fraction uint64, fractionDigits, decimals int, grouping string) []byte {
	var space [64]byte // 20 digits, 6 separators of up to 4 bytes, point, fraction
	if len(grouping) > utf8.UTFMax {
		grouping = grouping[:utf8.UTFMax]
	}
	i := len(space)
	for range decimals - fractionDigits {
		i--
		space[i] = '0'
	}
	for range fractionDigits {
		i--
		space[i] = byte('0' + fraction%10)
		fraction /= 10
	}
	if decimals > 0 {
		i--
		space[i] = '.'
	}
	if grouping == "" {
		i = putDigits(&space, i, whole)
	} else {
		i = putGroups(&space, i, whole, grouping)
	}
	if negative {
		i--
		space[i] = '-'
	}
	return append(buf, space[i:]...)
}

// putDigits writes n in front of position i and returns where it begins.
func putDigits(space *[64]byte, i int, n uint64) int {
	for n >= 10 {
		i--
		space[i] = byte('0' + n%10)
		n /= 10
	}
	i--
	space[i] = byte('0' + n)
	return i
}

func putGroups(space *[64]byte, i int, n uint64, grouping string) int {
	for n >= 1000 {
		group := n % 1000
		n /= 1000
		space[i-1] = byte('0' + group%10)
		space[i-2] = byte('0' + group/10%10)
		space[i-3] = byte('0' + group/100)
		i -= 3 + len(grouping)
		copy(space[i:], grouping)
	}
	return putDigits(space, i, n)
}
