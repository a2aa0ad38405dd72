package cooker

import "fmt"

// Fields are the bit fields of a counter type code (winperf.h).
type Fields struct {
	Size      uint8 // bits 8-9: 0 DWORD, 1 LARGE, 2 ZERO, 3 VARIABLE
	Class     uint8 // bits 10-11: 0 NUMBER, 1 COUNTER, 2 TEXT, 3 ZERO
	Subtype   uint8 // bits 16-19, meaning by class
	Timer     uint8 // bits 20-21: 0 TICK, 1 100NS, 2 OBJECT
	Delta     bool  // bit 22
	DeltaBase bool  // bit 23
	Inverse   bool  // bit 24
	Multi     bool  // bit 25
	Display   uint8 // bits 28-31: 0 none, 1 /sec, 2 %, 3 secs, 4 not shown
	Mark      uint8 // bits 0-7: leftover mark of the base types
	Reserved  uint32
}

// SubtypeBase is the subtype of bases (PERF_COUNTER_BASE).
const SubtypeBase = 3

const (
	classCounter = 1
	reservedBits = 0x0C00F000 // bits 12-15, 26 and 27
)

// Fields takes the code apart.
func (t CounterType) Fields() Fields {
	return Fields{
		Size:      uint8(t >> 8 & 3),
		Class:     uint8(t >> 10 & 3),
		Subtype:   uint8(t >> 16 & 15),
		Timer:     uint8(t >> 20 & 3),
		Delta:     t>>22&1 != 0,
		DeltaBase: t>>23&1 != 0,
		Inverse:   t>>24&1 != 0,
		Multi:     t>>25&1 != 0,
		Display:   uint8(t >> 28 & 15),
		Mark:      uint8(t),
		Reserved:  uint32(t) & reservedBits,
	}
}

var (
	sizeNames    = [4]string{"DWORD", "LARGE", "ZERO", "VARIABLE"}
	classNames   = [4]string{"NUMBER", "COUNTER", "TEXT", "ZERO"}
	numberNames  = [16]string{"HEX", "DECIMAL", "DEC_1000"}
	counterNames = [16]string{"VALUE", "RATE", "FRACTION", "BASE", "ELAPSED", "QUEUELEN", "HISTOGRAM", "PRECISION"}
	textNames    = [16]string{"UNICODE", "ASCII"}
	timerNames   = [4]string{"TICK", "100NS", "OBJECT"}
	displayNames = [16]string{"no suffix", "/sec", "%", "secs", "not shown"}
	// display suffixes; the rest have none
	suffixes = [16]string{1: "/sec", 2: "%", 3: "secs"}
)

// Words are the fields as words, widest meaning first, such as "LARGE",
// "COUNTER", "RATE", "100NS", "DELTA", "%". What has no name in winperf.h is
// given as a number.
func (f Fields) Words() []string {
	words := []string{sizeNames[f.Size], classNames[f.Class]}
	subtypes := [4]*[16]string{&numberNames, &counterNames, &textNames, {}}
	words = append(words, named(subtypes[f.Class][f.Subtype], "subtype", f.Subtype))
	if f.Class == classCounter && (f.Timer != 0 || !f.clockless()) {
		words = append(words, named(timerNames[f.Timer], "clock", f.Timer))
	}
	for _, flag := range []struct {
		set  bool
		word string
	}{{f.Delta, "DELTA"}, {f.DeltaBase, "DELTA_BASE"}, {f.Inverse, "INVERSE"}, {f.Multi, "MULTI"}} {
		if flag.set {
			words = append(words, flag.word)
		}
	}
	words = append(words, named(displayNames[f.Display], "display", f.Display))
	if f.Mark != 0 {
		words = append(words, fmt.Sprintf("mark %d", f.Mark))
	}
	if f.Reserved != 0 {
		words = append(words, fmt.Sprintf("reserved 0x%08X", f.Reserved))
	}
	return words
}

// clockless says that the subtype uses no clock: PERF_TIMER_TICK is 0, so such
// codes look as if they had it.
func (f Fields) clockless() bool {
	const value, fraction = 0, 2 // PERF_COUNTER_VALUE, PERF_COUNTER_FRACTION
	return f.Subtype == value || f.Subtype == fraction || f.Subtype == SubtypeBase
}

func named(name, field string, n uint8) string {
	if name != "" {
		return name
	}
	return fmt.Sprintf("%s %d", field, n)
}

// byBits is the rule of a code that has no name, made of its bit fields where
// they say all that is needed (NT Resource Kit, table 12.3). Other codes have a
// rule that cooks nothing.
func byBits(t CounterType) rule {
	if t == 0 {
		return rule{TypeInfo: TypeInfo{Name: unnamed(t), Meaning: "its host did not tell the type yet", Samples: 1}, kind: KindUnsupported, factor: 1}
	}
	f := t.Fields()
	r := rule{TypeInfo: TypeInfo{Type: t, Name: unnamed(t), Suffix: suffixes[f.Display], Samples: 1, Source: ntKit + ", table 12.3"}, factor: 1}
	r.kind, r.Formula, r.Meaning = f.shape()
	if r.kind == KindDifference || f.Delta || f.DeltaBase {
		r.Samples = 2
	}
	switch twin := ruleOf(t ^ sizeBit); {
	case r.kind == KindUnsupported && twin != nil && f.Size <= sizeLarge:
		// The size of the data decides, not that of the code.
		r = *twin
		r.Type, r.Name = t, unnamed(t)
	case r.kind == KindUnsupported:
		r.Source = ""
		if f.Class == classCounter {
			r.Clock = [4]Clock{ClockPerf, Clock100ns, ClockObject, ClockNone}[f.Timer]
		}
	}
	return r
}

func unnamed(t CounterType) string {
	if t == 0 {
		return "not known"
	}
	return fmt.Sprintf("unknown 0x%08X", uint32(t))
}

const (
	sizeBit   = 0x100 // DWORD or LARGE
	sizeLarge = 1

	classNumber, classText, classZero     = 0, 2, 3
	numberHex, numberDecimal, numberDec1k = 0, 1, 2
	counterValue                          = 0
	textASCII                             = 1 // PERF_TEXT_ASCII
	noShow                                = 4
)

// shape is the formula that the fields describe fully, if they do.
func (f Fields) shape() (kind Kind, formula, meaning string) {
	const asItIs = "a number as it is, by the bits of its type"
	plain := !f.DeltaBase && !f.Inverse && !f.Multi && f.Timer == 0 && f.Mark == 0 && f.Reserved == 0
	switch {
	case !plain || f.Display == noShow:
	case f.Class == classZero && !f.Delta:
		return KindZero, "0", "always 0, by the bits of its type"
	case f.Class == classText && f.Subtype <= textASCII && !f.Delta:
		return KindString, "text", "a text, by the bits of its type"
	case f.Size > sizeLarge: // how long the data is stands elsewhere
	case f.Class == classNumber && f.Delta:
	case f.Class == classNumber && f.Subtype == numberHex:
		return KindRawHex, "N1", "a number in hexadecimal, by the bits of its type"
	case f.Class == classNumber && f.Subtype == numberDecimal:
		return KindRaw, "N1", asItIs
	case f.Class == classNumber && f.Subtype == numberDec1k:
		return KindThousandth, "N1 / 1000", "a thousandth of a number, by the bits of its type"
	case f.Class == classCounter && f.Subtype == counterValue && f.Delta:
		return KindDifference, "N1 - N0", "the change over the interval, by the bits of its type"
	case f.Class == classCounter && f.Subtype == counterValue:
		return KindRaw, "N1", asItIs
	}
	return KindUnsupported, "", "no known type; the bit fields say what it may be"
}
