package cooker

import (
	"unique"
)

// MaxText is how many characters of a text are kept; what is longer ends with "…".
// It is what Windows allows names of instances (PERF_MAX_INSTANCE_NAME).
const MaxText = 1024

// SizeText is the Reading.Size of a text: Raw is its place among the texts of its
// sample (Options.Texts).
const SizeText uint8 = 0xFF

// Text is the text of a counter, bounded. All Texts of the same characters share
// their memory and are equal by ==. The zero Text is empty.
type Text struct{ shared unique.Handle[string] }

// MakeText gives the Text of s, which may come from a host as it is: sinks make it
// printable.
func MakeText(s string) Text {
	if len(s) > MaxText {
		s = cutText(s)
	}
	return Text{unique.Make(s)}
}

func cutText(s string) string {
	characters := 0
	end := 0 // of the last but one character that is kept
	for i := range s {
		switch characters++; characters {
		case MaxText:
			end = i
		case MaxText + 1:
			return s[:end] + "…"
		}
	}
	return s
}

func (t Text) String() string {
	if t == (Text{}) {
		return ""
	}
	return t.shared.Value()
}

// IsText says that counters of the type are texts (PERF_TYPE_TEXT of winperf.h),
// in UTF-16 or ASCII.
func (t CounterType) IsText() bool {
	if t == CounterText {
		return true
	}
	f := t.Fields()
	if f.Class != classText {
		return false
	}
	kind, _, _ := f.shape()
	return kind == KindString
}

// IsASCII says that a text travels in bytes (PERF_TEXT_ASCII of winperf.h), not in
// UTF-16.
func (t CounterType) IsASCII() bool { return t.IsText() && t.Fields().Subtype == textASCII }
