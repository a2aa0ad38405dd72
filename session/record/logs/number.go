package logs

import (
	"math"
	"strconv"
)

// appendNumber writes a number as the C runtime of Windows does in a PDH-CSV: 17
// significant digits, zeros behind the point cut, plain from 1e-4 to 1e20, and
// else with an exponent of at least three digits.
func appendNumber(b []byte, f float64) []byte {
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
