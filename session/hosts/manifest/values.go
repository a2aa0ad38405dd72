package manifest

import (
	"slices"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
)

type instanceType struct {
	word string
	is   session.InstanceType
}

// instanceTypes are the words of the instances attribute (MS-PCQ 2.2.4.1,
// InstanceType).
var instanceTypes = [...]instanceType{
	{"single", session.SingleInstance},
	{"multiple", session.MultipleInstances},
	{"globalAggregate", session.GlobalAggregate},
	{"multipleAggregate", session.MultipleAggregate},
	{"globalAggregateHistory", session.GlobalAggregateHistory},
}

// instancesOf is the type of a word; without one that is known a single instance.
func instancesOf(word string) instanceType {
	i := slices.IndexFunc(instanceTypes[:], func(t instanceType) bool { return t.word == word })
	return instanceTypes[max(i, 0)]
}

// aggregateWord is the word of the aggregate attribute, empty for none.
func aggregateWord(f cooker.AggregateFunc) string {
	switch f {
	case cooker.AggregateTotal:
		return "sum"
	case cooker.AggregateAverage:
		return "avg"
	case cooker.AggregateMin:
		return "min"
	case cooker.AggregateMax:
		return "max"
	case cooker.AggregateNone:
	}
	return ""
}

// The words of the detailLevel attribute.
const standardDetail, advancedDetail = "standard", "advanced"

// either is a word that is one of two, else the usual one.
func either(word, usual, other string) string {
	if word == other {
		return other
	}
	return usual
}

// parseNumber reads a UInt32Type: decimal, or 0x with 1 to 8 digits. Blanks
// around it do not count (xs:unsignedInt).
func parseNumber(s string) (uint32, bool) {
	s = strings.Trim(s, " ")
	base := 10
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		s, base = s[2:], 16
		if len(s) > 8 {
			return 0, false
		}
	}
	if s == "" || s[0] == '+' {
		return 0, false
	}
	n, err := strconv.ParseUint(s, base, 32)
	return uint32(n), err == nil
}

// parseScale reads a default scale (xs:integer, -10..10).
func parseScale(s string) (int, bool) {
	n, err := strconv.Atoi(strings.Trim(s, " "))
	return n, err == nil && cooker.ValidScale(n)
}

// isSymbol is CSymbolType: a C identifier or nothing.
func isSymbol(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// guidKey is the same for all ways to write a GUID, and empty for what is none.
func guidKey(s string) string {
	if !isGUID(s) {
		return ""
	}
	return strings.ToLower(s)
}

// isGUID is GUIDType: in braces, in either case.
func isGUID(s string) bool {
	_, err := perflib.ParseGUID(s)
	return err == nil && s[0] == '{'
}
