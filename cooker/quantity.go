package cooker

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// QuantityKind says what a number measures.
type QuantityKind uint8

// The kinds.
const (
	Count QuantityKind = iota
	PerSecond
	Percent
	Bytes
	BytesPerSecond
	BitsPerSecond
	Seconds
	Hertz
	ServiceState // a number that means a word, as those below
	ServiceStart

	quantityKinds
)

// words are what numbers mean that are no amounts, from 0 on: of services as Windows numbers
// them (MS-SCMR 2.2.47, 2.2.15), whatever system they are of.
var words = [quantityKinds][]string{
	ServiceState: {"unknown", "stopped", "starting", "stopping", "running", "resuming", "pausing", "paused"},
	ServiceStart: {"boot", "system", "automatic", "manual", "disabled"},
}

// Words are what the numbers of a quantity mean, from 0 on; nil: they are amounts.
func (q Quantity) Words() []string {
	if q.Kind >= quantityKinds {
		return nil
	}
	return words[q.Kind]
}

// Quantity is what a counter measures and the size of its own unit. A
// catalogue settles it once for each counter, with [QuantityIn] or by a user's
// word; formatting never looks at names.
type Quantity struct {
	Kind QuantityKind
	// Exponent is the counter's own unit: of 1024 for bytes (2 is megabytes),
	// of 1000 for seconds (-1 is milliseconds) and hertz (2 is MHz).
	Exponent int8
}

var (
	powers1024 = [...]float64{1, 1 << 10, 1 << 20, 1 << 30, 1 << 40, 1 << 50, 1 << 60}
	powers1000 = [...]float64{1, 1e3, 1e6, 1e9, 1e12, 1e15, 1e18}
)

// Base is how many plain units one of the counter's own is: 1,048,576 bytes of
// megabytes, 0.001 seconds of milliseconds.
func (q Quantity) Base() float64 {
	if q.Exponent == 0 {
		return 1
	}
	powers := &powers1000
	switch q.Kind {
	case Bytes, BytesPerSecond:
		powers = &powers1024
	case Seconds, BitsPerSecond, Hertz:
	default:
		return 1
	}
	if q.Exponent < 0 {
		return 1 / powers[min(-int(q.Exponent), len(powers)-1)]
	}
	return powers[min(int(q.Exponent), len(powers)-1)]
}

// QuantityIn tells what a counter of an object measures: by its type, by the signs in its
// English name (% at either end, /sec, bytes/sec, a unit of time as in "microsec/Read"), and by the
// table of counters whose units are known. Words of other names tell nothing: what is
// between 1 and 2 ms may be a count. Where the object is not known, "", what means something
// else on others has no unit. Call it when a catalogue is built.
func QuantityIn(t CounterType, object, name string) Quantity {
	switch t {
	case ElapsedTime, AverageTimer:
		return Quantity{Kind: Seconds}
	}
	info, _ := t.Info()
	name = strings.ToLower(strings.TrimSpace(name))
	if info.Suffix == "%" || isPercent(name) {
		return Quantity{Kind: Percent}
	}
	if q, ok := timePer(name); ok {
		return q
	}
	perSecond := info.Suffix == "/sec" || isPerSecond(name)
	q, known := knownQuantities[objectKey(object)+`\`+name]
	if !known {
		q = knownQuantities[`\`+name]
	}
	if per, ok := bytesPerSecond(name); ok && q.Kind == Count {
		q = per
	}
	switch {
	case q.Kind == Bytes && perSecond:
		q.Kind = BytesPerSecond
	case perSecond && (q.Kind == Count || q.Kind == Seconds):
		q = Quantity{Kind: PerSecond}
	}
	return q
}

func isPercent(name string) bool {
	before, ends := strings.CutSuffix(name, " %")
	return strings.HasPrefix(name, "%") || ends && !endsInLimit(before)
}

// isPerSecond finds "/sec" or "/second" in a name, whatever stands behind.
func isPerSecond(name string) bool {
	for before, after, found := strings.Cut(name, "/"); found; before, after, found = strings.Cut(after, "/") {
		if isSecond(leadingWord(after)) && !endsInLimit(before) {
			return true
		}
	}
	return false
}

func isSecond(word string) bool {
	switch word {
	case "sec", "secs", "second", "seconds":
		return true
	}
	return false
}

// timeUnits are the units of time that stand before "/".
var timeUnits = map[string]Quantity{
	"sec": {Seconds, 0}, "seconds": {Seconds, 0},
	"ms": {Seconds, -1}, "msec": {Seconds, -1}, "millisec": {Seconds, -1}, "milliseconds": {Seconds, -1},
	"µs": {Seconds, -2}, "µsec": {Seconds, -2}, "usec": {Seconds, -2}, "microsec": {Seconds, -2}, "microseconds": {Seconds, -2},
	"ns": {Seconds, -3}, "nsec": {Seconds, -3}, "nanosec": {Seconds, -3}, "nanoseconds": {Seconds, -3},
}

// timePer finds a unit of time for each of something, as in "avg. disk sec/read". One behind
// a number is a limit.
func timePer(name string) (Quantity, bool) {
	for before, after, found := strings.Cut(name, "/"); found; before, after, found = strings.Cut(after, "/") {
		stem := strings.TrimRightFunc(before, unicode.IsLetter)
		if q, ok := timeUnits[before[len(stem):]]; ok && after != "" && !isTime(leadingWord(after)) && !endsInLimit(stem) {
			return q, true
		}
	}
	return Quantity{}, false
}

func isTime(word string) bool { return word == "s" || isSecond(word) }

// bytesPerSecond finds a quotient of units that is written out, as in "disk bytes/sec".
func bytesPerSecond(name string) (Quantity, bool) {
	before, after, found := strings.Cut(name, "/")
	stem := strings.TrimRightFunc(before, unicode.IsLetter)
	power := slices.Index([]string{"bytes", "kbytes", "mbytes"}, before[len(stem):])
	return Quantity{BytesPerSecond, int8(power)}, found && power >= 0 && isSecond(leadingWord(after)) && !endsInLimit(stem)
}

func leadingWord(text string) string {
	return text[:len(text)-len(strings.TrimLeftFunc(text, unicode.IsLetter))]
}

// endsInLimit tells that a text ends in a number or in a comparison.
func endsInLimit(text string) bool {
	text = strings.TrimRight(text, " ")
	stem := strings.TrimRight(text, "0123456789.,")
	last, _ := utf8.DecodeLastRuneInString(stem)
	if stem != text {
		return !unicode.IsLetter(last) // else a name, as HTTP2
	}
	return strings.ContainsRune("<>=\u2264\u2265", last)
}

// objectKey is an object without what differs between installations: the instance of an SQL
// Server, a version behind the name.
func objectKey(object string) string {
	object = strings.ToLower(object)
	if instance, rest, ok := strings.Cut(object, ":"); ok && strings.HasPrefix(instance, "mssql$") {
		object = "sqlserver:" + rest
	}
	if i := strings.LastIndexByte(object, ' '); i > 0 {
		if version := strings.TrimPrefix(object[i+1:], "v"); version != "" && version[0] >= '0' && version[0] <= '9' {
			object = object[:i]
		}
	}
	return object
}
