package paths

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Op is the comparison of an alert expression.
type Op byte

// The two comparisons of MS-PLA 3.2.4.8. There is no >= and no <=.
const (
	Above Op = '>'
	Below Op = '<'
)

// Farther reports whether a value is farther beyond any limit than another.
func (op Op) Farther(value, than float64) bool {
	if op == Below {
		return value < than
	}
	return value > than
}

// String returns the sign.
func (op Op) String() string { return string(rune(op)) }

// MarshalText writes the sign.
func (op Op) MarshalText() ([]byte, error) { return []byte{byte(op)}, nil }

// UnmarshalText reads it.
func (op *Op) UnmarshalText(sign []byte) error {
	switch string(sign) {
	case "<", ">":
		*op = Op(sign[0])
		return nil
	}
	return errors.New("no comparison")
}

// Alert is an alert expression: a path, a comparison and a finite limit, as in
// `\Processor(_Total)\% Processor Time>50` (MS-PLA 3.2.4.8, logman -th).
type Alert struct {
	Path  Path
	Op    Op
	Limit float64
}

// Holds reports whether value is beyond the limit.
func (a Alert) Holds(value float64) bool {
	if a.Op == Above {
		return value > a.Limit
	}
	return value < a.Limit
}

// String prints the expression in canonical form, with the fewest digits that
// keep the limit exact.
func (a Alert) String() string {
	b := a.Path.AppendTo(nil)
	b = append(b, byte(a.Op))
	format := byte('f')
	if size := math.Abs(a.Limit); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return string(strconv.AppendFloat(b, a.Limit, format, -1, 64))
}

// ParseAlert reads an alert expression from the right: the last `<` or `>` is
// the comparison, because names hold both signs; what follows must be a decimal
// number. Blanks around the sign and after the number are dropped. Every error
// is a *ParseError.
func ParseAlert(input string) (Alert, error) {
	if input == "" {
		return Alert{}, &ParseError{input, 0, InvalidArgument, "the alert expression is empty"}
	}
	sign := strings.LastIndexAny(input, "<>")
	if sign < 0 {
		return Alert{}, &ParseError{input, len(input), InvalidArgument, "a comparison is missing: > or < with a number after the path"}
	}
	limit, ok := parseLimit(strings.Trim(input[sign+1:], blanks))
	if !ok {
		return Alert{}, &ParseError{input, sign + 1, InvalidArgument, "a finite decimal number must follow the last < or >"}
	}
	path, err := Parse(strings.TrimRight(input[:sign], blanks))
	if err != nil {
		// The path begins where the expression does: its offsets hold.
		if fault, ok := errors.AsType[*ParseError](err); ok {
			return Alert{}, &ParseError{input, fault.Offset, fault.Code, fault.Reason}
		}
		return Alert{}, err
	}
	return Alert{Path: path, Op: Op(input[sign]), Limit: limit}, nil
}

// blanks are what may surround the comparison. A no-break space belongs to the
// name.
const blanks = " \t"

// parseLimit reads [+-]digits[.digits][e[+-]digits]. strconv alone would also
// take hexadecimal, underscores, infinities and NaN.
func parseLimit(s string) (float64, bool) {
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil { // infinite counts as out of range
		return 0, false
	}
	return v + 0, true // -0 becomes 0
}
