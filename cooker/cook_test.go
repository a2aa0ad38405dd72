package cooker

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"perfdeck/session/system/sharedtest"
)

// second are two replies, one second apart on every clock.
var second = [2]Clocks{
	{1000000000, 10000000, 133000000000000000, 1000000000, 10000000},
	{1010000000, 10000000, 133000000010000000, 1010000000, 10000000},
}

func cookSecond(t CounterType, prev, cur Reading, opt *Options) Value {
	return Cook(t, &prev, &cur, &second[0], &second[1], opt)
}

func TestWrapOrRestart(t *testing.T) {
	narrow := func(n uint64) Reading { return Reading{Raw: n, Size: 4} }
	wide := func(n uint64) Reading { return Reading{Raw: n, Size: 8} }
	for _, c := range []struct {
		name      string
		prev, cur Reading
		opt       Options
		want      Status
		value     float64
	}{
		{"wrap", narrow(math.MaxUint32 - 9), narrow(40), Options{}, OKWrap, 50},
		{"strict", narrow(math.MaxUint32 - 9), narrow(40), Options{StrictWrap: true}, NegativeValue, 0},
		{"restarted", narrow(math.MaxUint32 - 9), narrow(40), Options{Restarted: true}, NegativeValue, 0},
		{"restarted and risen", narrow(1), narrow(40), Options{Restarted: true}, OK, 39},
		{"plausible", narrow(math.MaxUint32 - 9), narrow(40), Options{WindowMax: 0.5}, OKWrap, 50},
		{"implausible", narrow(math.MaxUint32 - 9), narrow(40), Options{WindowMax: 0.49}, NegativeValue, 0},
		{"fall", narrow(900), narrow(40), Options{}, NegativeValue, 0},
		{"the same numbers in 8 bytes", wide(math.MaxUint32 - 9), wide(40), Options{}, NegativeValue, 0},
		{"wrap of 8 bytes", wide(math.MaxUint64 - 9), wide(40), Options{}, OKWrap, 50},
		{"8 bytes by default", Reading{Raw: 1 << 33}, Reading{Raw: 1<<33 + 7}, Options{}, OK, 7},
		{"rise beyond half the width", narrow(0), narrow(3e9), Options{}, NegativeValue, 0},
	} {
		for _, typ := range []CounterType{CounterCounter, CounterDelta} {
			v := cookSecond(typ, c.prev, c.cur, &c.opt)
			got, _ := v.Float()
			if v.Status() != c.want || got != c.value {
				t.Errorf("%s, %v: %v %v, want %v %v", c.name, typ, got, v.Status(), c.value, c.want)
			}
		}
	}
}

// An idle clock wraps as any other: its share is near 100 while the shown,
// inverse value is near 0.
func TestWrapOfInverseTimer(t *testing.T) {
	prev, cur := Reading{Raw: math.MaxUint64 - 4999999}, Reading{Raw: 4900000}
	v := cookSecond(Timer100nsInv, prev, cur, &Options{WindowMax: 0.1})
	if f, _ := v.Float(); v.Status() != OKWrap || math.Abs(f-1) > 1e-9 {
		t.Errorf("%v %v", f, v.Status())
	}
}

func TestCompanions(t *testing.T) {
	ok := Reading{Raw: 100, Base: 10}
	later := Reading{Raw: 200, Base: 20}
	noBase := func(r Reading) Reading { r.State = NoBase; return r }
	for _, c := range []struct {
		t         CounterType
		prev, cur Reading
		want      Status
	}{
		{AverageBulk, ok, later, OK},
		{AverageBulk, ok, noBase(later), NoBase},
		{AverageBulk, noBase(ok), later, FirstSample},
		{RawFraction, ok, noBase(later), NoBase},
		{Precision100nsTimer, ok, noBase(later), NoBase},
		{Precision100nsTimer, noBase(ok), later, FirstSample},
		{PrecisionObjectTimer, ok, noBase(later), OK},
		{CounterMultiTimer, ok, noBase(later), NoBase},
		{CounterMultiTimer, noBase(ok), later, OK},
		{ObjTimeTimer, ok, noBase(later), NoBase},
		{ObjTimeTimer, noBase(ok), later, FirstSample},
		{ElapsedTime, ok, noBase(later), NoBase},
		{CounterCounter, noBase(ok), noBase(later), OK},
		{Precision100nsTimer, Reading{Base: 9}, Reading{Base: 3}, NegativeTimebase},
		{AverageTimer, Reading{Base: 9}, Reading{Base: 3}, NegativeDenominator},
	} {
		if got := cookSecond(c.t, c.prev, c.cur, nil).Status(); got != c.want {
			t.Errorf("%v after %v, %v: %v, want %v", c.t, c.prev.State, c.cur.State, got, c.want)
		}
	}
}

func TestStates(t *testing.T) {
	good := Reading{Raw: 5}
	for _, state := range []Status{Gone, Denied, Unavailable, Pending, Gap} {
		bad := Reading{State: state}
		for _, typ := range []CounterType{CounterCounter, CounterRawCount, ElapsedTime, CounterText} {
			if got := cookSecond(typ, good, bad, nil).Status(); got != state {
				t.Errorf("%v: %v, want %v", typ, got, state)
			}
		}
		if got := cookSecond(CounterCounter, bad, good, nil).Status(); got != FirstSample {
			t.Errorf("after %v: %v", state, got)
		}
	}
	if got := Cook(CounterCounter, nil, nil, nil, nil, nil).Status(); got != Pending {
		t.Errorf("nothing read: %v", got)
	}
	if got := Cook(CounterCounter, &good, &good, nil, nil, nil).Status(); got != NegativeTimebase {
		t.Errorf("no clocks: %v", got)
	}
}

func TestTexts(t *testing.T) {
	const ascii = CounterText | 0x10000
	texts := &Options{Texts: []Text{MakeText("idle"), MakeText("größer")}}
	for _, c := range []struct {
		label string
		kind  CounterType
		cur   *Reading
		opt   *Options
		want  Value
	}{
		{"unicode", CounterText, &Reading{Raw: 1, Size: SizeText}, texts, TextValue("größer")},
		{"ascii", ascii, &Reading{Raw: 0, Size: SizeText}, texts, TextValue("idle")},
		{"not read", CounterText, &Reading{State: Denied}, texts, Absent(Denied)},
		{"a number", CounterText, &Reading{Raw: 1, Size: 4}, texts, Absent(Unavailable)},
		{"no texts", CounterText, &Reading{Raw: 0, Size: SizeText}, nil, Absent(Unavailable)},
		{"out of bounds", CounterText, &Reading{Raw: 1<<64 - 1, Size: SizeText}, texts, Absent(Unavailable)},
		{"nothing read", CounterText, nil, texts, Absent(Pending)},
	} {
		if got := Cook(c.kind, &Reading{Raw: 0, Size: SizeText}, c.cur, nil, nil, c.opt); got != c.want {
			t.Errorf("%s: %v, want %v", c.label, got, c.want)
		}
	}
	for kind, want := range map[CounterType][2]bool{
		CounterText: {true, false}, ascii: {true, true}, CounterText | 0x20000: {}, CounterText | 0x00400000: {},
		CounterRawCount: {}, 0xC00: {}, 0x800: {true, false},
	} {
		if got := [2]bool{kind.IsText(), kind.IsASCII()}; got != want {
			t.Errorf("0x%08X: %v", uint32(kind), got)
		}
	}
}

func TestTextsAreBounded(t *testing.T) {
	long := strings.Repeat("ä", MaxText)
	for _, c := range [][2]string{
		{"", ""}, {"x", "x"}, {long, long}, {long + "ä", long[2:] + "…"}, {long + "äö", long[2:] + "…"},
		{strings.Repeat("\xff", 3*MaxText), strings.Repeat("\xff", MaxText-1) + "…"},
	} {
		if got := MakeText(c[0]).String(); got != c[1] {
			t.Errorf("%d bytes became %d, want %d", len(c[0]), len(got), len(c[1]))
		}
	}
	if MakeText("a") != MakeText("a") || MakeText("a") == MakeText("b") || (Text{}).String() != "" {
		t.Error("texts are told apart by their memory")
	}
}

func TestMultiInTicks(t *testing.T) {
	clocks := [2]Clocks{{0, 1000, 0, 0, 0}, {2000, 1000, 0, 0, 0}}
	prev, cur := Reading{Base: 4}, Reading{Raw: 4000, Base: 4}
	for _, c := range []struct {
		ticks bool
		want  float64
	}{{false, 50000}, {true, 50}} {
		v := Cook(CounterMultiTimer, &prev, &cur, &clocks[0], &clocks[1], &Options{MultiInTicks: c.ticks})
		if f, ok := v.Float(); !ok || f != c.want {
			t.Errorf("in ticks %v: %v %v", c.ticks, f, v.Status())
		}
	}
}

// Differences are taken in integers: numbers beyond 2^53 lose nothing.
func TestDifferencesAreExact(t *testing.T) {
	prev, cur := Reading{Raw: 1<<62 + 1}, Reading{Raw: 1<<62 + 4}
	if f, _ := cookSecond(CounterBulkCount, prev, cur, nil).Float(); f != 3 {
		t.Errorf("rate %v, want 3", f)
	}
	if n, ok := cookSecond(CounterLargeDelta, Reading{Raw: 5}, Reading{Raw: 1<<62 + 6}, nil).Signed(); !ok || n != 1<<62+1 {
		t.Errorf("delta %v", n)
	}
}

// The facts of a real machine about % Processor Utility: its base counts 32
// bits on the wire and wraps; the quotient is percent already.
func TestProcessorUtility(t *testing.T) {
	text := sharedtest.Read(t, "data/raw/v2_processor_information_facts.tsv")
	samples := regexp.MustCompile(`c26=(\d+) c27=(\d+)`).FindAllStringSubmatch(text, -1)
	want := regexp.MustCompile(`-> ([\d.]+)`).FindStringSubmatch(text)
	if len(samples) != 2 || want == nil {
		t.Fatal("the facts have no two samples and a result")
	}
	var readings [2]Reading
	for i, sample := range samples {
		raw, _ := ParseCell(sample[1])
		base, _ := ParseCell(sample[2])
		readings[i] = Reading{Raw: raw.N, Base: base.N, Size: 8, BaseSize: 4}
	}
	v := cookSecond(AverageBulk, readings[0], readings[1], nil)
	if got := string(AppendValue(nil, v, Format{Digits: 2})); got != want[1] {
		t.Errorf("%s %v, want %s", got, v.Status(), want[1])
	}
}

func randomReading(r *rand.Rand) Reading {
	number := func() uint64 {
		switch r.IntN(4) {
		case 0:
			return r.Uint64()
		case 1:
			return uint64(r.IntN(4))
		case 2:
			return math.MaxUint64 - uint64(r.IntN(4))
		}
		return uint64(r.Uint32())
	}
	size := func() uint8 { return []uint8{0, 4, 8}[r.IntN(3)] }
	reading := Reading{Raw: number(), Base: number(), Size: size(), BaseSize: size()}
	if r.IntN(8) == 0 {
		reading.State = Status(r.IntN(int(statusCount)))
	}
	return reading
}

func randomClocks(r *rand.Rand) Clocks {
	a, b := randomReading(r), randomReading(r)
	return Clocks{a.Raw, a.Base, b.Raw, b.Base, []uint64{0, 1, 1e7, math.MaxUint64}[r.IntN(4)]}
}

// checkSound holds what every value promises.
func checkSound(t *testing.T, what string, v Value) {
	t.Helper()
	f, ok := v.Float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		t.Fatalf("%s: not finite", what)
	}
	if ok && !v.Valid() || v.Status() >= statusCount || v.Valid() != v.Status().Good() {
		t.Fatalf("%s: %v %v, valid %v", what, f, v.Status(), v.Valid())
	}
	if v.kind == kindFloat && math.Float64bits(f) == 1<<63 {
		t.Fatalf("%s: minus zero", what)
	}
}

func TestNeverNaN(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	types := Types()
	for i := range 200_000 {
		code := CounterType(r.Uint32())
		if i%8 != 0 {
			code = types[r.IntN(len(types))].Type
		}
		prev, cur := randomReading(r), randomReading(r)
		t0, t1 := randomClocks(r), randomClocks(r)
		opt := Options{r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(4) == 0, r.IntN(2) == 0, float64(r.IntN(3)), nil}
		v := Cook(code, &prev, &cur, &t0, &t1, &opt)
		checkSound(t, code.String(), v)
		if !code.Known() && v.Status() != Unsupported {
			t.Fatalf("%v: %v", code, v.Status())
		}
	}
}

// Splitting an interval never changes a total: the value times its divisor
// (time, or operations) adds up, wherever the interval is cut.
func TestSplittingKeepsTotal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	clock := Clocks{1 << 40, 10000000, 133 << 50, 1 << 41, 1000}
	step := func(from Reading, at Clocks) (Reading, Clocks) {
		dt := uint64(1e6 + r.IntN(1e7))
		from.Raw += uint64(r.IntN(1e6)) // below the clocks, so that nothing is clamped
		from.Base += 1e6 + uint64(r.IntN(1e6))
		at.PerfTime, at.Time100ns, at.ObjTime = at.PerfTime+dt, at.Time100ns+dt+3, at.ObjTime+dt-5
		return from, at
	}
	for _, info := range Types() {
		rule := ruleOf(info.Type)
		if info.Samples != 2 || rule.kind == KindMulti && info.Clock == ClockPerf {
			continue // MULTI timers of the performance clock count seconds
		}
		for range 200 {
			a := Reading{Raw: r.Uint64N(1 << 32), Base: 1 << 20}
			b, t1 := step(a, clock)
			c, t2 := step(b, t1)
			if rule.kind == KindMulti {
				a.Base, b.Base, c.Base = 4, 4, 4
			}
			total := func(from, to Reading, at, until Clocks) float64 {
				v := Cook(info.Type, &from, &to, &at, &until, nil)
				f, ok := v.Float()
				if !ok {
					t.Fatalf("%s: %v", info.Name, v.Status())
				}
				switch {
				case rule.kind == KindDifference:
					return f
				case info.Base == BaseDivisor || info.Base == BaseClock:
					return f * float64(to.Base-from.Base)
				case info.Clock == Clock100ns:
					return f * float64(until.Time100ns-at.Time100ns)
				case info.Clock == ClockObject:
					return f * float64(until.ObjTime-at.ObjTime)
				}
				return f * float64(until.PerfTime-at.PerfTime)
			}
			whole := total(a, c, clock, t2)
			parts := total(a, b, clock, t1) + total(b, c, t1, t2)
			if math.Abs(whole-parts) > 1e-9*math.Abs(whole) {
				t.Fatalf("%s: %v in one, %v in two", info.Name, whole, parts)
			}
		}
	}
}

func TestCookDoesNotAllocate(t *testing.T) {
	prev, cur := Reading{Raw: 1, Base: 1}, Reading{Raw: 5, Base: 2}
	allocations := testing.AllocsPerRun(100, func() {
		for i := range rules {
			Cook(rules[i].Type, &prev, &cur, &second[0], &second[1], nil)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func FuzzCook(f *testing.F) {
	f.Add(uint32(AverageTimer), uint64(1), uint64(2), uint64(3), uint64(4), uint64(5), uint64(6), uint64(7), uint16(0))
	f.Fuzz(func(t *testing.T, code uint32, c0, c1, b0, b1, t0, t1, hz uint64, bits uint16) {
		sizes := [4]uint8{0, 4, 8, 255}
		prev := Reading{c0, b0, sizes[bits&3], sizes[bits>>2&3], Status(bits >> 12)}
		cur := Reading{c1, b1, sizes[bits>>4&3], sizes[bits>>6&3], Status(bits >> 12 & 7)}
		opt := Options{bits>>8&1 != 0, bits>>9&1 != 0, bits>>10&1 != 0, bits>>11&1 != 0, float64(hz % 3), nil}
		from, to := Clocks{t0, hz, t0, t0, hz}, Clocks{t1, hz, t1, t1, hz}
		known := rules[int(code)%len(rules)].Type
		for _, typ := range []CounterType{CounterType(code), known} {
			v := Cook(typ, &prev, &cur, &from, &to, &opt)
			checkSound(t, typ.String(), v)
			Explain(Evidence{typ, &prev, &cur, &from, &to, &opt, Text{}, MakeText("x"), Attributes(hz), 0}).Lines()
		}
	})
}

// A moment is told in 100 ns since 1601 and read again, before 1970 too.
func TestFileTime(t *testing.T) {
	for _, at := range []time.Time{
		time.Unix(0, 0), time.Date(1969, 12, 31, 23, 59, 59, 999_999_900, time.UTC), time.Date(2026, 3, 2, 3, 12, 5, 123_456_700, time.UTC),
	} {
		if got := TimeOf(FileTime(at)); !got.Equal(at) {
			t.Errorf("%v became %v", at, got)
		}
	}
	if FileTime(time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC)) != 0 || FileTime(time.Unix(0, 0)) != Unix100ns {
		t.Error("it does not begin in 1601")
	}
}
