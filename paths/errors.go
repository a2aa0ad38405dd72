package paths

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code is the status by which PDH reports a fault of a path (pdhmsg.h).
type Code uint32

// The codes that paths give.
const (
	NoObject        Code = 0xC0000BB8 // PDH_CSTATUS_NO_OBJECT
	NoCounter       Code = 0xC0000BB9 // PDH_CSTATUS_NO_COUNTER
	InvalidArgument Code = 0xC0000BBD // PDH_INVALID_ARGUMENT
	NoCounterName   Code = 0xC0000BBF // PDH_CSTATUS_NO_COUNTERNAME
	BadCounterName  Code = 0xC0000BC0 // PDH_CSTATUS_BAD_COUNTERNAME
	InvalidPath     Code = 0xC0000BC4 // PDH_INVALID_PATH
	InvalidInstance Code = 0xC0000BC5 // PDH_INVALID_INSTANCE
)

// String returns the name of pdhmsg.h.
func (c Code) String() string {
	switch c {
	case NoObject:
		return "PDH_CSTATUS_NO_OBJECT"
	case NoCounter:
		return "PDH_CSTATUS_NO_COUNTER"
	case InvalidArgument:
		return "PDH_INVALID_ARGUMENT"
	case NoCounterName:
		return "PDH_CSTATUS_NO_COUNTERNAME"
	case BadCounterName:
		return "PDH_CSTATUS_BAD_COUNTERNAME"
	case InvalidPath:
		return "PDH_INVALID_PATH"
	case InvalidInstance:
		return "PDH_INVALID_INSTANCE"
	}
	return fmt.Sprintf("0x%08X", uint32(c))
}

// ParseError says where and why a text is no path or no alert expression.
type ParseError struct {
	Input  string
	Offset int // in bytes; len(Input) when something is missing at the end
	Code   Code
	Reason string
}

func (e *ParseError) Error() string {
	input := printable(e.Input)
	if input == "" {
		input = `""`
	}
	return fmt.Sprintf("parse %s: %s (%s)", shorten(input), e.Reason, e.Code)
}

// Point returns the input as one printable line and a second line with a caret
// under the fault. A long input is cut to what surrounds the fault.
func (e *ParseError) Point() (line, caret string) {
	const before, after = 50, 22 // runes; together a line of 80 cells
	at := min(max(e.Offset, 0), len(e.Input))
	left, right := []rune(printable(e.Input[:at])), []rune(printable(e.Input[at:]))
	if len(left) > before {
		left = append([]rune(ellipsis), left[len(left)-before:]...)
	}
	if len(right) > after {
		right = append(right[:after:after], []rune(ellipsis)...)
	}
	width := 0
	for _, r := range left {
		width += widthCells(r)
	}
	return string(left) + string(right), strings.Repeat(" ", width) + "^"
}

const ellipsis = "..."

func shorten(s string) string {
	const most = 200 // runes
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + ellipsis
}

// printable replaces what would steer a terminal or reorder its text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(s, "?"))
}

// widthCells is the number of cells a terminal gives to a printable rune: exact
// for the scripts in which counters are named.
func widthCells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115F, // Hangul Jamo
		r >= 0x2E80 && r <= 0xA4CF, // CJK, kana, Yi
		r >= 0xAC00 && r <= 0xD7A3, // Hangul
		r >= 0xF900 && r <= 0xFAFF, // CJK compatibility
		r >= 0xFE30 && r <= 0xFE6F,
		r >= 0xFF00 && r <= 0xFF60, // full width forms
		r >= 0xFFE0 && r <= 0xFFE6,
		r >= 0x1F300 && r <= 0x1FAFF, // pictographs
		r >= 0x20000 && r <= 0x3FFFD:
		return 2
	}
	return 1
}
