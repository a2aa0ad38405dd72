package cooker

import (
	"math"
	"strconv"
	"strings"
)

// FieldWidthCells is the width of a number field on screens: 4 digits, point,
// 2 decimals, so that points stand in one column.
const FieldWidthCells = 7

// StatFieldWidthCells is the width of a statistic: one decimal less.
const StatFieldWidthCells = 6

// Field is a number that is no counter's, as [Format.Field] has it.
func Field(v Value, u Unit) string {
	return Format{Digits: DefaultDigits, Style: UnitWindows}.Field(v, u)
}

// Field is what [Format.AppendField] appends, without blanks around it.
func (f Format) Field(v Value, u Unit) string {
	var buf [64]byte
	return strings.TrimSpace(string(f.AppendField(buf[:0], v, u)))
}

// StatField is what AppendStatField appends, without blanks around it.
func (f Format) StatField(v Value, u Unit) string {
	var buf [64]byte
	return strings.TrimSpace(string(f.AppendStatField(buf[:0], v, u)))
}

// AppendField appends a number in a unit, in [FieldWidthCells] cells: two decimals
// below 10, one below 1000, none above. Whole numbers in their own unit have none.
// A form of its own takes more cells where it needs them: hexadecimal and real
// numbers, those without grouping, and those with the decimals or the plain style
// that a user asks for. A value that does not count is its word, a text its
// beginning, right-aligned.
func (f Format) AppendField(buf []byte, v Value, u Unit) []byte {
	return f.appendField(buf, v, u, 2, FieldWidthCells)
}

// AppendStatField appends a minimum, average or maximum in [StatFieldWidthCells]
// cells: one decimal below 100, none above; in more as AppendField.
func (f Format) AppendStatField(buf []byte, v Value, u Unit) []byte {
	if f.Digits > 0 {
		f.Digits = DefaultDigits // as there is room for
	}
	return f.appendField(buf, v, u, 1, StatFieldWidthCells)
}

// AppendInColumn appends a number in a unit for a column whose numbers have so many
// decimals, less where it would have more than 4 places: blanks stand for those, so that
// points are in one column. What the counter or the user ask for comes first.
func (f Format) AppendInColumn(buf []byte, v Value, u Unit, decimals int) []byte {
	_, isWord := f.word(v)
	if isWord || f.Digits >= 0 || f.IsOneNumber() {
		return f.AppendIn(buf, v, u)
	}
	decimals = max(0, min(decimals, maxDigits))
	f.Digits = decimals
	if f.Digits > 0 {
		n := math.Abs(u.of(Scaled(v, f.Scale)).number())
		for f.Digits > 0 && digitsBefore(n, f.Digits)+f.Digits > 4 {
			f.Digits--
		}
	}
	buf = f.AppendIn(buf, v, u)
	if blanks := decimals - f.Digits; blanks > 0 {
		if f.Digits == 0 {
			blanks++ // the point
		}
		buf = appendSpaces(buf, blanks)
	}
	return buf
}

func (f *Format) appendField(buf []byte, v Value, u Unit, maxDecimals, width int) []byte {
	if word, ok := f.word(v); ok {
		if _, isNumber := v.Float(); isNumber {
			width = max(width, len(word))
		}
		return appendRight(buf, word, width)
	}
	if bits, ok := f.hexBits(v); ok {
		return appendHex(buf, bits, f.HexWidth)
	}
	if f.Scale != 0 {
		v = Scaled(v, f.Scale)
	}
	scaled := u.Factor != 0 && u.Factor != 1
	if v = u.of(v); f.IsOneNumber() || f.Style == UnitPlain || f.Digits >= 0 {
		return f.appendWide(buf, v, maxDecimals, width)
	}
	decimals := 0
	if scaled || !v.IsWhole() {
		decimals = fieldDecimals(v.number(), maxDecimals)
	}
	return appendAligned(buf, v.number(), decimals, width)
}

// appendWide appends a number that takes the cells it needs: its point stands
// where those of others do, unless more than 4 digits are before it.
func (f *Format) appendWide(buf []byte, v Value, maxDecimals, width int) []byte {
	decimals := f.decimals(v, maxDecimals)
	var space [96]byte
	text := appendNumber(space[:0], v, decimals, f.separator())
	before := len(text)
	if decimals > 0 {
		before -= decimals + 1
	}
	start := len(buf)
	buf = append(appendSpaces(buf, 4-before), text...)
	return appendSpaces(buf, width-(len(buf)-start))
}

// fieldDecimals judges the rounded number, so that 9.996 is 10.0.
func fieldDecimals(number float64, maxDecimals int) int {
	magnitude := math.Abs(number)
	switch {
	case magnitude < 9.995 && maxDecimals == 2:
		return 2
	case magnitude < 99.95:
		return 1
	case magnitude < 999.95 && maxDecimals == 2:
		return 1
	}
	return 0
}

// appendAligned sets the digits before the point into the first 4 cells. A
// number of more digits takes the cells of point and decimals; one too large
// for the field is written with an exponent.
func appendAligned(buf []byte, number float64, decimals, width int) []byte {
	start := len(buf)
	before := digitsBefore(number, decimals)
	if before > 4 {
		decimals = 0
		before = digitsBefore(number, 0)
	}
	if before > width {
		return appendExponent(buf, number, width)
	}
	buf = appendSpaces(buf, 4-before)
	buf = appendFloat(buf, number, decimals, "")
	return appendSpaces(buf, width-(len(buf)-start))
}

// digitsBefore counts the cells in front of the point, the sign included.
func digitsBefore(number float64, decimals int) int {
	cells := 1
	half := 0.5 / pow10Float[decimals]
	magnitude := math.Abs(number)
	for bound := 10.0; magnitude >= bound-half && cells < 16; bound *= 10 {
		cells++
	}
	if number < 0 && magnitude > half {
		cells++
	}
	return cells
}

func appendExponent(buf []byte, number float64, width int) []byte {
	var space [32]byte
	for precision := 2; precision >= 0; precision-- {
		if text := strconv.AppendFloat(space[:0], number, 'e', precision, 64); len(text) <= width {
			return append(appendSpaces(buf, width-len(text)), text...)
		}
	}
	return appendRight(buf, "over", width) // below -1e100 in six cells
}

func appendSpaces(buf []byte, n int) []byte {
	for range n {
		buf = append(buf, ' ')
	}
	return buf
}

// appendRight right-aligns a word of one-cell runes, cut to the width.
func appendRight(buf []byte, word string, width int) []byte {
	cells := 0
	for i := range word {
		if cells == width {
			word = word[:i]
			break
		}
		cells++
	}
	return append(appendSpaces(buf, width-cells), word...)
}
