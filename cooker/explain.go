package cooker

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Evidence is what a value was made from, the same that Cook took.
type Evidence struct {
	Type                  CounterType
	Prev, Cur             *Reading // Prev is nil for a first sample
	PrevClocks, CurClocks *Clocks
	Options               *Options
	PrevText, CurText     Text // of readings of SizeText
	Attributes            Attributes
	Scale                 int
}

// Explanation says where a value comes from.
type Explanation struct {
	Info        TypeInfo
	Known       bool     // the type has a rule; else Info is decoded from bits
	Code        string   // "0x30020400"
	Bits        []string // bit fields in words
	Operands    []Operand
	Substituted string // the formula with the raw numbers, empty if there is no value to reckon
	Differences string // the formula with differences taken
	Attributes  []string
	Conflicts   []string // forbidden combinations and which one wins
	Unknown     Attributes
	Scale       int
	Result      Value
	Status      Status
	Cooked      bool // the value came cooked: there are no operands
}

// Operand is a number that the formula uses, from both samples.
type Operand struct {
	Symbol     string // "N", "B", "T" or "F"
	Meaning    string
	Older      Cell
	Newer      Cell
	Difference int64 // Newer minus Older as a number of the data's width
	Changes    bool  // Difference says something
	// Texts are the samples of a text counter, quoted, older and newer; empty where
	// there is none.
	Texts [2]string
}

// Explain cooks the evidence and tells how.
func Explain(e Evidence) Explanation {
	info, known := e.Type.Info()
	if e.Cur != nil && e.Cur.Size == SizeText {
		e.Cur, e.Options = &Reading{Size: SizeText, State: e.Cur.State}, &Options{Texts: []Text{e.CurText}}
	}
	x := Explanation{
		Info:       info,
		Known:      known,
		Code:       fmt.Sprintf("0x%08X", uint32(e.Type)),
		Bits:       e.Type.Fields().Words(),
		Attributes: e.Attributes.Names(),
		Conflicts:  e.Attributes.Conflicts(),
		Unknown:    e.Attributes.Unknown(),
		Scale:      e.Scale,
		Result:     Cook(e.Type, e.Prev, e.Cur, e.PrevClocks, e.CurClocks, e.Options),
	}
	x.Status = x.Result.Status()
	if x.Cooked = e.Cur != nil && e.Cur.Size == SizeCooked; x.Cooked {
		return x
	}
	if e.Prev != nil && e.Prev.Size == SizeCooked {
		e.Prev, e.PrevClocks = nil, nil
	}
	x.Operands = operands(info, e)
	if x.Result.HasNumber() {
		x.Substituted, x.Differences = substitute(formulaFor(info, e), x.Operands)
	}
	return x
}

// formulaFor is the formula, with the object's clock for an object timer that
// has no base.
func formulaFor(info TypeInfo, e Evidence) string {
	if usesObjectClock(info, e) {
		return strings.ReplaceAll(info.Formula, "B", "T")
	}
	return info.Formula
}

func usesObjectClock(info TypeInfo, e Evidence) bool {
	return info.Base == BaseClock && info.Clock == ClockObject &&
		(e.Cur != nil && e.Cur.State == NoBase || e.Prev != nil && e.Prev.State == NoBase)
}

var baseMeanings = [...]string{
	BaseDivisor: "base counter",
	BaseClock:   "base counter, the type's own clock",
	BaseMulti:   "number of components",
}

var clockMeanings = [...]string{
	ClockPerf:   "performance clock",
	ClockFreq:   "performance clock",
	Clock100ns:  "system time in 100 ns",
	ClockObject: "object's clock",
}

// operands lists what the type uses. For unknown types that is the raw number.
func operands(info TypeInfo, e Evidence) []Operand {
	if info.Type.IsText() {
		return []Operand{{Symbol: "text", Meaning: "as it came", Texts: [2]string{quoted(e.Prev, e.PrevText), quoted(e.Cur, e.CurText)}}}
	}
	raw := Operand{Symbol: "N", Meaning: "raw value"}
	base := Operand{Symbol: "B", Meaning: baseMeanings[info.Base]}
	if r := e.Cur; r != nil && (r.State.Good() || r.State == NoBase) {
		raw.Newer = Cell{narrow(r.Raw, r.Size), true}
		base.Newer = Cell{narrow(r.Base, r.BaseSize), r.State != NoBase}
	}
	if r := e.Prev; r != nil && (r.State.Good() || r.State == NoBase) {
		raw.Older = Cell{narrow(r.Raw, r.Size), true}
		base.Older = Cell{narrow(r.Base, r.BaseSize), r.State != NoBase}
	}
	if raw.Older.Set && raw.Newer.Set {
		raw.Changes = true
		raw.Difference, _, _ = difference(e.Prev, e.Cur, &noOptions)
	}
	list := []Operand{raw}
	if info.Base != BaseNone && !usesObjectClock(info, e) {
		if base.Older.Set && base.Newer.Set {
			base.Changes, base.Difference = true, moved(e.Prev, e.Cur)
		}
		list = append(list, base)
	}
	if info.Base == BaseClock && !usesObjectClock(info, e) {
		return list
	}
	return appendClock(list, info.Clock, e)
}

// quoted is a text that was read, in quotes.
func quoted(r *Reading, t Text) string {
	if r == nil || r.Size != SizeText || !r.State.Good() {
		return ""
	}
	return `"` + t.String() + `"`
}

// appendClock adds the clock and its frequency.
func appendClock(list []Operand, clock Clock, e Evidence) []Operand {
	ticks := Operand{Symbol: "T", Meaning: clockMeanings[clock]}
	freq := Operand{Symbol: "F", Meaning: "its frequency, Hz"}
	set := func(c *Clocks, at, hz *Cell) {
		if c == nil {
			return
		}
		switch clock {
		case ClockPerf, ClockFreq:
			*at, *hz = Cell{c.PerfTime, true}, Cell{c.PerfFreqHz, true}
		case Clock100ns:
			*at, *hz = Cell{c.Time100ns, true}, Cell{1e7, true}
		case ClockObject:
			*at, *hz = Cell{c.ObjTime, true}, Cell{c.ObjFreqHz, true}
		case ClockNone:
		}
	}
	set(e.PrevClocks, &ticks.Older, &freq.Older)
	set(e.CurClocks, &ticks.Newer, &freq.Newer)
	if ticks.Older.Set && ticks.Newer.Set {
		ticks.Changes, ticks.Difference = true, int64(ticks.Newer.N-ticks.Older.N)
	}
	switch clock {
	case ClockNone:
		return list
	case ClockFreq:
		return append(list, freq)
	}
	return append(list, ticks, freq)
}

// substitute puts the numbers into a formula: as they were read, and with the
// differences taken.
func substitute(formula string, operands []Operand) (raw, differences string) {
	var plain, taken []string
	for _, o := range operands {
		newer, older := strconv.FormatUint(o.Newer.N, 10), strconv.FormatUint(o.Older.N, 10)
		if o.Symbol == "F" {
			plain = append(plain, "F", newer)
			continue
		}
		plain = append(plain, o.Symbol+"1", newer, o.Symbol+"0", older)
		if o.Changes {
			d := strconv.FormatInt(o.Difference, 10)
			pair := o.Symbol + "1 - " + o.Symbol + "0"
			taken = append(taken, "("+pair+")", d, pair, d)
		}
	}
	raw = strings.NewReplacer(plain...).Replace(formula)
	differences = strings.NewReplacer(append(taken, plain...)...).Replace(formula)
	return raw, differences
}

// Line is a labelled line of an explanation.
type Line struct{ Label, Text string }

// Lines is the explanation as text, one fact a line.
func (x Explanation) Lines() []Line {
	lines := []Line{
		{"type", x.Info.Name + "  " + x.Code + "  " + x.Info.Meaning},
		{"bits", strings.Join(x.Bits, " ")},
	}
	add := func(label, text string) {
		if text != "" {
			lines = append(lines, Line{label, text})
		}
	}
	add("source", x.Info.Source)
	add("disputed", x.Info.Type.Dispute())
	if x.Info.Base != BaseNone {
		add("base", fmt.Sprintf("%v  0x%08X", x.Info.BaseType, uint32(x.Info.BaseType)))
	}
	add("formula", x.Info.Formula)
	for _, o := range x.Operands {
		add("sample", o.String())
	}
	add("worked", x.Substituted)
	if x.Differences != x.Substituted {
		add("", "= "+x.Differences)
	}
	add("attributes", strings.Join(x.Attributes, " "))
	for _, conflict := range x.Conflicts {
		add("conflict", conflict)
	}
	if x.Unknown != 0 {
		add("unknown", fmt.Sprintf("attribute bits 0x%X", uint64(x.Unknown)))
	}
	if x.Scale != 0 {
		add("scale", fmt.Sprintf("10^%d, for charts", x.Scale))
	}
	add("result", strings.TrimSpace(string(AppendMachine(nil, x.Result))+" "+x.Info.Suffix))
	status := x.Status.String()
	if code, ok := x.Status.Code(); ok && !x.Status.Good() {
		status += fmt.Sprintf("  %s 0x%08X", code.Name, code.Code)
	}
	add("status", status)
	return lines
}

// String is the operand on one line.
func (o Operand) String() string {
	cell := func(c Cell, text string) string {
		switch {
		case text != "":
			return text
		case !c.Set:
			return "none"
		}
		return strconv.FormatUint(c.N, 10)
	}
	text := fmt.Sprintf("%s %s: %s, then %s", o.Symbol, o.Meaning, cell(o.Older, o.Texts[0]), cell(o.Newer, o.Texts[1]))
	if o.Changes {
		text += fmt.Sprintf(", difference %d", o.Difference)
	}
	return text
}

// disputes are the types for which sources give different formulas: which ones,
// which of them is used, and why. Where nothing stands they agree.
var disputes = []struct {
	types []CounterType
	text  string
}{
	{[]CounterType{CounterQueueLen, CounterLargeQueueLen, Counter100nsQueueLen},
		"The NT Resource Kit has (N1 + T1 * B1) / (T1 - T0). Used is the change over the time, as MS-PCQ and winperf.h have it: the counter adds up its length at each tick."},
	{[]CounterType{CounterObjTimeQueueLen, ObjTimeTimer, PrecisionObjectTimer},
		"By the text of MS-PCQ the time is divided by the frequency first, which makes the value wrong by that factor. Used is the change over ticks of the object's clock, as winperf.h has it."},
	{[]CounterType{CounterMultiTimer},
		"The NT Resource Kit divides by ticks. Used are seconds, as MS-PCQ and perfmon have it; no counter of Windows is of this type."},
	{[]CounterType{CounterMultiTimerInv, MultiTimer100nsInv},
		"The NT Resource Kit has (1 - rate / B1) * 100, which ends at 100. Used is (B1 - rate) * 100, as MS-PCQ and perfmon have it: the sum of B1 components passes 100 %."},
	{[]CounterType{SampleCounter},
		"The NT Resource Kit divides by the change of a base. Used is the time, as MS-PCQ has it: the type has no base."},
	{[]CounterType{CounterCounter, CounterBulkCount},
		"MS-PCQ names the system time, in milliseconds. Used is the performance clock, as the NT Resource Kit and perfmon have it."},
	{[]CounterType{ElapsedTime},
		"MS-PCQ subtracts the clock from the start. Used is the clock less the start: the other way round the age is negative."},
	{[]CounterType{AverageBulk},
		"By its display bits the type is not shown. It is shown, as the NT Resource Kit and perfmon do."},
}

// Dispute tells how the sources of a type's formula differ, which one is used,
// and why; "" where they agree.
func (t CounterType) Dispute() string {
	for i := range disputes {
		if slices.Contains(disputes[i].types, t) {
			return disputes[i].text
		}
	}
	return ""
}
