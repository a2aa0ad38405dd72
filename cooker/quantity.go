package cooker

import "strings"

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

	quantityKinds
)

// Quantity is what a counter measures and the size of its own unit. A
// catalogue settles it once for each counter, with [QuantityOf] or by a user's
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

// unitWords are the words of counter names that tell a unit, in lower case.
var unitWords = map[string]Quantity{
	"byte":         {Bytes, 0},
	"bytes":        {Bytes, 0},
	"kb":           {Bytes, 1},
	"kbyte":        {Bytes, 1},
	"kbytes":       {Bytes, 1},
	"kilobytes":    {Bytes, 1},
	"mb":           {Bytes, 2},
	"mbyte":        {Bytes, 2},
	"mbytes":       {Bytes, 2},
	"megabytes":    {Bytes, 2},
	"gb":           {Bytes, 3},
	"gbytes":       {Bytes, 3},
	"gigabytes":    {Bytes, 3},
	"seconds":      {Seconds, 0},
	"secs":         {Seconds, 0},
	"ms":           {Seconds, -1},
	"msec":         {Seconds, -1},
	"milliseconds": {Seconds, -1},
	"microseconds": {Seconds, -2},
	"bits":         {BitsPerSecond, 0},
}

// unitPhrases are whole names, or beginnings of names, whose words tell no
// unit though every Windows has them.
var unitPhrases = []struct {
	phrase string
	is     Quantity
}{
	{"working set", Quantity{Bytes, 0}},
	{"page life expectancy", Quantity{Seconds, 0}},
	{"commit limit", Quantity{Bytes, 0}},
	{"gen 0 heap size", Quantity{Bytes, 0}},
	{"gen 1 heap size", Quantity{Bytes, 0}},
	{"gen 2 heap size", Quantity{Bytes, 0}},
	{"large object heap size", Quantity{Bytes, 0}},
	{"promoted memory from gen", Quantity{Bytes, 0}},
	{"promoted finalization-memory from gen", Quantity{Bytes, 0}},
	{"current file cache memory usage", Quantity{Bytes, 0}},
	{"maximum file cache memory usage", Quantity{Bytes, 0}},
	{"managed memory used", Quantity{Bytes, 0}},
	{"percent ", Quantity{Percent, 0}},
	{"request execution time", Quantity{Seconds, -1}},
	{"request wait time", Quantity{Seconds, -1}},
	{"processor frequency", Quantity{Hertz, 2}},
	{"current bandwidth", Quantity{BitsPerSecond, 0}},
}

// QuantityOf derives what a counter measures from its type and, where the type
// leaves it open, from the words of its English name: "Bytes", "MBytes",
// "sec/", "/sec", "%". Call it when a catalogue is built.
func QuantityOf(t CounterType, name string) Quantity {
	switch t {
	case ElapsedTime, AverageTimer:
		return Quantity{Kind: Seconds}
	}
	info, _ := t.Info()
	if trimmed := strings.TrimSpace(name); info.Suffix == "%" || strings.HasPrefix(trimmed, "%") || strings.HasSuffix(trimmed, " %") {
		return Quantity{Kind: Percent}
	}
	name = strings.ToLower(name)
	if strings.Contains(name, "sec/") {
		return Quantity{Kind: Seconds}
	}
	perSecond := info.Suffix == "/sec" || strings.Contains(name, "/sec")
	q := wordQuantity(name)
	switch {
	case q.Kind == Bytes && perSecond:
		q.Kind = BytesPerSecond
	case q.Kind == BitsPerSecond && !perSecond && q.Exponent == 0 && !strings.HasPrefix(name, "current bandwidth"):
		q = Quantity{} // bits that are not per second are a count
	case q.Kind != Bytes && q.Kind != BitsPerSecond && perSecond:
		q = Quantity{Kind: PerSecond}
	}
	return q
}

func wordQuantity(name string) Quantity {
	for _, row := range unitPhrases {
		if strings.HasPrefix(name, row.phrase) {
			return row.is
		}
	}
	for word := range strings.FieldsFuncSeq(name, notLetter) {
		if q, ok := unitWords[word]; ok {
			return q
		}
	}
	return Quantity{}
}

func notLetter(r rune) bool { return r < 'a' || r > 'z' }
