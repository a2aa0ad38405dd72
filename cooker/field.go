package cooker

import (
	"math"
	"strconv"
)

// FieldWidthCells is the width of a number field on screens: 4 digits, point,
// 2 decimals, so that points stand in one column.
const FieldWidthCells = 7

// StatFieldWidthCells is the width of a statistic: one decimal less.
const StatFieldWidthCells = 6

// AppendField appends a number in exactly [FieldWidthCells] cells, divided by
// the unit's factor: two decimals below 10, one below 1000, none above. Whole
// numbers in their own unit have none. A value that does not count is its word,
// a text its beginning, right-aligned.
func AppendField(buf []byte, v Value, u Unit) []byte {
	return appendField(buf, v, u, 2, FieldWidthCells)
}

// AppendStatField appends a minimum, average or maximum in exactly
// [StatFieldWidthCells] cells: one decimal below 100, none above.
func AppendStatField(buf []byte, v Value, u Unit) []byte {
	return appendField(buf, v, u, 1, StatFieldWidthCells)
}

func appendField(buf []byte, v Value, u Unit, maxDecimals, width int) []byte {
	number, ok := v.Float()
	if !ok {
		word := v.Status().Word()
		if v.Valid() {
			word = v.string()
		}
		return appendRight(buf, word, width)
	}
	scaled := u.Factor != 0 && u.Factor != 1
	if scaled {
		number /= u.Factor
	}
	decimals := 0
	if scaled || !v.IsWhole() {
		decimals = fieldDecimals(number, maxDecimals)
	}
	return appendAligned(buf, number, decimals, width)
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

// appendPrefixed writes a number in the unit that suits it, three digits
// unless the format says otherwise, such as "28.6 MB/s".
func appendPrefixed(buf []byte, v Value, f Format, grouping string) []byte {
	number := v.number()
	u := UnitFor(f.Quantity, f.Style, number)
	whole := u.Factor == 1 && v.IsWhole()
	if u.Factor != 1 {
		number /= u.Factor
	}
	decimals := f.Digits
	switch {
	case decimals >= 0:
		decimals = min(decimals, maxDigits)
	case whole:
		decimals = 0
	default:
		decimals = fieldDecimals(number, 2)
	}
	if whole {
		buf = appendNumber(buf, v, decimals, grouping)
	} else {
		buf = appendFloat(buf, number, decimals, grouping)
	}
	if u.Label == "" {
		return buf
	}
	buf = append(buf, ' ')
	return append(buf, u.Label...)
}
