package paths

import "strconv"

// Index chooses among instances of the same name: First, Any, or n in decimal
// digits without leading zeros for the one shown as name#n. It is kept as text
// so that an index of any length survives; two equal ones compare equal.
type Index string

// The two indexes that are not numbers. `#0` is read as First ("Specifying a
// Counter Path": do not print it).
const (
	First Index = ""
	Any   Index = "*"
)

// IndexOf returns the index of the n-th duplicate; First when n is not positive.
func IndexOf(n int) Index {
	if n <= 0 {
		return First
	}
	return Index(strconv.Itoa(n))
}

// Number returns n of name#n, 0 for First. It is false for Any and for a number
// that no list of instances can reach.
func (x Index) Number() (n int, ok bool) {
	if x == First {
		return 0, true
	}
	n, err := strconv.Atoi(string(x))
	return n, err == nil && n >= 0
}

// cutIndex parts `name#index`. It does so only at the last `#`, when digits or
// one `*` follow and a name stands before: `#1`, `I#` and `I#1a` are names.
func cutIndex(text string) (name string, index Index, ok bool) {
	i := len(text) - 1
	if i > 0 && text[i] == '*' {
		i--
	} else {
		for i > 0 && '0' <= text[i] && text[i] <= '9' {
			i--
		}
	}
	if i <= 0 || i == len(text)-1 || text[i] != '#' {
		return text, First, false
	}
	digits := text[i+1:]
	for digits != "" && digits[0] == '0' {
		digits = digits[1:]
	}
	return text[:i], Index(digits), true
}
