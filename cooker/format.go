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

// The digits of hexadecimal numbers, by the size of the counter.
const (
	hexDword = 8
	hexLarge = 16
)

// Format is how the numbers of a counter are written, everywhere: [FormatOf] says
// what the counter itself asks for, and users change that. Start from one of these
// or from [DefaultFormat]; the zero Format writes no decimals. Formats are
// comparable with ==.
type Format struct { //nolint:recvcheck // what is asked of one number within copies none of it
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

// FormatOf is how a counter asks to be written: by its type and its attributes.
// Hexadecimal numbers have the digits of the type's size.
func FormatOf(t CounterType, q Quantity, a Attributes) Format {
	f := Format{Attributes: a, Digits: DefaultDigits, Quantity: q, HexWidth: hexDword}
	fields := t.Fields()
	if fields.Size == sizeLarge {
		f.HexWidth = hexLarge
	}
	if t != 0 && fields.Class == classNumber && fields.Subtype == numberHex {
		f.Attributes |= DisplayHex
	}
	f.Attributes = f.Attributes.Effective()
	return f
}

// IsHex says that the numbers are hexadecimal: without unit, and never scaled.
func (f Format) IsHex() bool { return f.Attributes.Effective()&DisplayHex != 0 }

// IsOneNumber says that numbers stand as they are, in the counter's own unit and
// never with a prefix: hexadecimal, real, and those without digit grouping.
func (f Format) IsOneNumber() bool {
	return f.Attributes.Effective()&(DisplayHex|DisplayReal|NoGrouping) != 0
}

// InUnits lets numbers have prefixes of a style, whatever the counter asks for.
// Hexadecimal ones stay so.
func (f Format) InUnits(style UnitStyle) Format {
	f.Style = style
	if style != UnitPlain && !f.IsHex() {
		f.Attributes &^= NoGrouping | DisplayReal
	}
	return f
}

// units are what and how the units are chosen by.
func (f *Format) units() (Quantity, UnitStyle) {
	switch a := f.Attributes.Effective(); {
	case a&DisplayHex != 0:
		return Quantity{}, UnitPlain
	case a&(DisplayReal|NoGrouping) != 0:
		return f.Quantity, UnitPlain
	}
	return f.Quantity, f.Style
}

// Unit is the unit that suits a number.
func (f Format) Unit(number float64) Unit {
	q, style := f.units()
	return UnitFor(q, style, scaleFloat(number, ClampScale(f.Scale)))
}

// Chooser chooses the unit of a row, or of rows that are compared.
func (f Format) Chooser() UnitChooser {
	c := NewUnitChooser(f.units())
	if !f.IsHex() {
		c.scale = ClampScale(f.Scale)
	}
	return c
}

// AppendValue appends the value as it is shown: a number by the format, a text
// as it is, and for a value that does not count the word of its status. It
// does not allocate if buf is large enough. Hexadecimal numbers begin with 0x
// and are not scaled; others have their unit behind them, unless the style is
// plain.
func AppendValue(buf []byte, v Value, f Format) []byte {
	if !v.Valid() {
		return append(buf, v.word()...)
	}
	if word, ok := f.word(v); ok {
		return append(buf, word...)
	}
	if f.Style != UnitPlain {
		u := f.Unit(v.number())
		if !f.IsOneNumber() {
			f.Grouping = "" // the unit keeps it short
		}
		if buf = f.AppendIn(buf, v, u); u.Label != "" && !f.writesHex(v) {
			buf = append(append(buf, ' '), u.Label...)
		}
		return buf
	}
	if f.Digits < 0 && (!v.IsWhole() || f.Scale < 0) {
		f.Digits = defaultDecimals
	}
	return f.AppendIn(buf, v, Unit{})
}

// word is what stands for a value without a number: its text, or why it has none.
func (v Value) word() string {
	if v.Valid() {
		return v.string()
	}
	return v.Status().Word()
}

// word is what stands in the place of a number: what that means, a text, or why there is none.
func (f *Format) word(v Value) (string, bool) {
	n, ok := v.Float()
	if !ok {
		return v.word(), true
	}
	if words := f.Quantity.Words(); len(words) > 0 && f.Style != UnitPlain && n >= 0 && n < float64(len(words)) && n == math.Trunc(n) {
		return words[int(n)], true
	}
	return "", false
}

// AppendIn appends the number in a unit without the unit's label: groups of digits
// are parted. A value without a number appends what [AppendValue] does.
func (f Format) AppendIn(buf []byte, v Value, u Unit) []byte {
	if word, ok := f.word(v); ok {
		return append(buf, word...)
	}
	if bits, ok := f.hexBits(v); ok {
		return appendHex(buf, bits, f.HexWidth)
	}
	if f.Scale != 0 {
		v = Scaled(v, f.Scale)
	}
	v = u.of(v)
	return appendNumber(buf, v, f.decimals(v, 2), f.separator())
}

// of is a value in a unit.
func (u Unit) of(v Value) Value {
	if u.Factor == 0 || u.Factor == 1 {
		return v
	}
	return FloatValue(v.number() / u.Factor)
}

// decimals are those of a number in its unit, which [DefaultDigits] leave to it; most
// is 2, of a statistic 1.
func (f *Format) decimals(v Value, most int) int {
	number := v.number()
	isReal := f.Attributes.Effective()&DisplayReal != 0
	switch {
	case f.Digits >= 0:
		return min(f.Digits, maxDigits)
	case isReal && most < 2:
		return max(most, decimalsOfSmall(number))
	case isReal:
		return max(defaultDecimals, decimalsOfSmall(number))
	case v.IsWhole():
		return 0
	case f.IsOneNumber() || f.Style == UnitPlain:
		return max(fieldDecimals(number, most), decimalsOfSmall(number))
	}
	return fieldDecimals(number, most)
}

// decimalsOfSmall are those that two digits of a number take that has no unit to
// make it larger, 0 from 0.1 on.
func decimalsOfSmall(number float64) int {
	magnitude := math.Abs(number)
	if magnitude == 0 || magnitude >= 0.1 {
		return 0
	}
	return min(int(math.Ceil(-math.Log10(magnitude)))+1, maxDigits)
}

func (f *Format) separator() string {
	if f.Attributes.Effective()&NoGrouping != 0 {
		return ""
	}
	return f.Grouping
}

// writesHex tells whether a value is written in hexadecimal.
func (f *Format) writesHex(v Value) bool {
	_, ok := f.hexBits(v)
	return ok
}

// hexBits are the bits of a value that is written in hexadecimal.
func (f *Format) hexBits(v Value) (uint64, bool) {
	if !f.IsHex() && v.status != OKHex {
		return 0, false
	}
	return hexBits(v)
}

// MarshalJSON writes the number of a value with all its digits, as AppendMachine has it; null of a text,
// and of a value that does not count.
func (v Value) MarshalJSON() ([]byte, error) {
	if _, isText := v.Text(); isText || !v.Valid() {
		return []byte("null"), nil
	}
	return AppendMachine(nil, v), nil
}

// Machine is a number for programs, as AppendMachine writes it.
func Machine(f float64) string { return string(AppendMachine(nil, FloatValue(f))) }

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
	if magnitude < exactTo && f == math.Trunc(f) {
		return strconv.AppendInt(buf, int64(f), 10)
	}
	if magnitude < 1e-6 || magnitude >= 1e21 {
		return strconv.AppendFloat(buf, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(buf, f, 'f', -1, 64)
}

// exactTo is where a float64 has not all digits of whole numbers any more.
const exactTo = 1 << 53

// hexBits are the bits of a number that hexadecimal can show; a float64 is
// rounded to the nearest whole number, and one that has not all digits is none.
func hexBits(v Value) (uint64, bool) {
	if v.kind != kindFloat {
		return v.bits, true
	}
	f := math.RoundToEven(math.Float64frombits(v.bits))
	if f < 0 || f >= exactTo {
		return 0, false
	}
	return uint64(f), true
}

func appendHex(buf []byte, n uint64, width int) []byte {
	const digits = "0123456789ABCDEF"
	if int64(n) < 0 && int64(n) >= math.MinInt32 && width == hexDword {
		n &= math.MaxUint32 // a negative difference of 32-bit numbers
	}
	if width != hexDword && width != hexLarge {
		width = hexDword
	}
	if n > math.MaxUint32 {
		width = hexLarge
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

// appendExact is the slow way, for very large and very fine numbers. Of one that has not all
// digits those that it has stand before zeros.
func appendExact(buf []byte, f float64, decimals int, grouping string) []byte {
	var space [400]byte
	precision := decimals
	if math.Abs(f) >= exactTo {
		decimals, precision = 0, -1
	}
	text := strconv.AppendFloat(space[:0], f, 'f', precision, 64)
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
