package cooker

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestAppendValue(t *testing.T) {
	format := func(edit func(*Format)) Format {
		f := DefaultFormat()
		if edit != nil {
			edit(&f)
		}
		return f
	}
	grouped := format(func(f *Format) { f.Grouping = "," })
	hex := format(func(f *Format) { f.Attributes = DisplayHex | NoGrouping | DisplayReal })
	for _, c := range []struct {
		v    Value
		f    Format
		want string
	}{
		{WholeValue(math.MaxUint64), grouped, "18,446,744,073,709,551,615"},
		{WholeValue(1234567), format(nil), "1234567"},
		{WholeValue(999), grouped, "999"},
		{WholeValue(1000), format(func(f *Format) { f.Grouping = "\u202f" }), "1\u202f000"},
		{DeltaValue(math.MinInt64), grouped, "-9,223,372,036,854,775,808"},
		{FloatValue(1234.5678), grouped, "1,234.568"},
		{FloatValue(-0.0001), grouped, "0.000"},
		{FloatValue(-1234.5), grouped, "-1,234.500"},
		{FloatValue(0.125), Format{Digits: 2}, "0.12"},
		{FloatValue(0.375), Format{Digits: 2}, "0.38"},
		{FloatValue(1e300), Format{Digits: 0}, strconv.FormatFloat(1e300, 'f', -1, 64)},
		{FloatValue(1e21), grouped, "1,000,000,000,000,000,000,000"},
		{FloatValue(0.1), Format{Digits: 17}, "0.10000000000000001"},
		{WholeValue(7), format(func(f *Format) { f.Attributes = DisplayReal }), "7.000"},
		{WholeValue(7), Format{Attributes: DisplayReal, Digits: 1}, "7.0"},
		{WholeValue(12345), format(func(f *Format) { f.Grouping, f.Attributes = ",", NoGrouping }), "12345"},
		{WholeValue(255), hex, "0x000000FF"},
		{WholeValue(255), format(func(f *Format) { f.Attributes, f.HexWidth = DisplayHex, 16 }), "0x00000000000000FF"},
		{WholeValue(1 << 32), hex, "0x0000000100000000"},
		{WholeValue(4096).WithStatus(OKHex), format(nil), "0x00001000"},
		{DeltaValue(-1), format(func(f *Format) { f.Attributes, f.HexWidth = DisplayHex, 8 }), "0xFFFFFFFF"},
		{FloatValue(254.6), hex, "0x000000FF"},
		{FloatValue(-254.6), hex, "-254.600"},
		{WholeValue(10), format(func(f *Format) { f.Scale = 2 }), "1000"},
		{WholeValue(12345), format(func(f *Format) { f.Scale = -3 }), "12.345"},
		{TextValue("a text"), grouped, "a text"},
		{Absent(Gone), grouped, "gone"},
		{Absent(FirstSample), grouped, "…"},
		{floatValue(0, ZeroBase), grouped, "idle"},
		{Value{}, grouped, "pending"},
		{FloatValue(30000000), format(func(f *Format) { f.Style, f.Quantity = UnitIEC, Quantity{BytesPerSecond, 0} }), "28.6 MiB/s"},
		{FloatValue(30000000), format(func(f *Format) { f.Style, f.Quantity = UnitSI, Quantity{BytesPerSecond, 0} }), "30.0 MB/s"},
		{WholeValue(9418), format(func(f *Format) { f.Style, f.Quantity = UnitWindows, Quantity{Bytes, 2} }), "9418 MB"},
		{FloatValue(0.0412), format(func(f *Format) { f.Style, f.Quantity = UnitWindows, Quantity{Seconds, 0} }), "41.2 ms"},
		{FloatValue(71.3), format(func(f *Format) { f.Style, f.Quantity = UnitSI, Quantity{Percent, 0} }), "71.3 %"},
	} {
		if got := string(AppendValue(nil, c.v, c.f)); got != c.want {
			t.Errorf("%v %+v: %q, want %q", c.v, c.f, got, c.want)
		}
	}
}

func TestAppendMachine(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{WholeValue(math.MaxUint64), "18446744073709551615"},
		{DeltaValue(-7), "-7"},
		{FloatValue(1467496.292524977), "1467496.292524977"},
		{FloatValue(3e-9), "3e-09"},
		{FloatValue(1e25), "1e+25"},
		{FloatValue(155), "155"},
		{floatValue(0, ZeroBase), "0"},
		{Absent(FirstSample), ""},
		{FloatValue(math.Inf(1)), ""},
		{FloatValue(math.NaN()), ""},
		{TextValue("x"), "x"},
	} {
		if got := string(AppendMachine([]byte("="), c.v)); got != "="+c.want {
			t.Errorf("%v: %q, want %q", c.v, got, c.want)
		}
	}
}

// The fast path agrees with strconv, which is exact; of numbers that have not all digits those are
// shown that tell them from others.
func TestFixedIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		f := math.Ldexp(float64(r.Uint64N(1<<r.IntN(54))), r.IntN(80)-60)
		if r.IntN(3) == 0 {
			f = float64(r.IntN(1e7)) / 2000 // many ties
		}
		decimals := r.IntN(7)
		precision := decimals
		if f >= 1<<53 {
			precision = -1
		}
		want := strconv.FormatFloat(f, 'f', precision, 64)
		if got := string(AppendValue(nil, FloatValue(f), Format{Digits: decimals})); got != want {
			t.Fatalf("%v with %d decimals: %s, want %s", f, decimals, got, want)
		}
	}
}

func TestField(t *testing.T) {
	one, mega := Unit{1, ""}, Unit{1 << 20, "MB"}
	for _, c := range []struct {
		v    Value
		u    Unit
		want string
		stat string
	}{
		{FloatValue(0.38), one, "   0.38", "   0.4"},
		{FloatValue(28.6), one, "  28.6 ", "  28.6"},
		{FloatValue(212.4), one, " 212.4 ", " 212  "},
		{FloatValue(2914.4), one, "2914   ", "2914  "},
		{WholeValue(2914), one, "2914   ", "2914  "},
		{WholeValue(0), one, "   0   ", "   0  "},
		{WholeValue(31), Unit{}, "  31   ", "  31  "},
		{FloatValue(9.996), one, "  10.0 ", "  10.0"},
		{FloatValue(99.96), one, " 100.0 ", " 100  "},
		{FloatValue(999.96), one, "1000   ", "1000  "},
		{FloatValue(9999.6), one, "10000  ", "10000 "},
		{WholeValue(1234567), one, "1234567", " 1e+06"},
		{FloatValue(12345678), one, "1.2e+07", " 1e+07"},
		{FloatValue(-3.14159), one, "  -3.14", "  -3.1"},
		{FloatValue(-12345), one, "-12345 ", "-12345"},
		{FloatValue(-0.001), one, "   0.00", "   0.0"},
		{WholeValue(65 << 20), mega, "  65.0 ", "  65.0"},
		{WholeValue(1), mega, "   0.00", "   0.0"},
		{FloatValue(-1.5e300), one, " -2e+300"[1:], "  over"},
		{Absent(FirstSample), one, "      …", "     …"},
		{Absent(Denied), one, " denied", "denied"},
		{TextValue("a long text"), one, "a long ", "a long"},
	} {
		if got := string(appendField(nil, c.v, c.u)); got != c.want {
			t.Errorf("field of %v: %q, want %q", c.v, got, c.want)
		}
		if got := string(screenFormat.AppendStatField(nil, c.v, c.u)); got != c.stat {
			t.Errorf("statistic of %v: %q, want %q", c.v, got, c.stat)
		}
	}
}

// Words of statuses fit the field of a number.
func TestWordsFit(t *testing.T) {
	for s := range statusCount {
		if word := s.Word(); utf8.RuneCountInString(word) > FieldWidthCells || (word == "") != s.Good() {
			t.Errorf("%v: word %q", s, word)
		}
		if back, ok := ParseStatus(s.String()); !ok || back != s {
			t.Errorf("%v does not read back", s)
		}
	}
}

func checkField(t *testing.T, v Value, u Unit) {
	t.Helper()
	for width, text := range map[int]string{
		FieldWidthCells:     string(appendField(nil, v, u)),
		StatFieldWidthCells: string(screenFormat.AppendStatField(nil, v, u)),
	} {
		if cells := utf8.RuneCountInString(text); cells != width {
			t.Fatalf("%v / %v: %q takes %d cells", v, u, text, cells)
		}
		if point := strings.IndexByte(text, '.'); point >= 0 && point != 4 && !strings.Contains(text, "e") {
			t.Fatalf("%v / %v: the point of %q is not in its column", v, u, text)
		}
	}
}

// A larger number never shows as a smaller one, and every number fits.
func TestFieldIsMonotone(t *testing.T) {
	for _, q := range []Quantity{{Count, 0}, {Bytes, 0}, {BytesPerSecond, 1}, {Seconds, 0}} {
		for _, style := range []UnitStyle{UnitPlain, UnitWindows, UnitSI, UnitIEC} {
			last := 0.0
			for f := 1e-7; f < 1e13; f *= 1.0037 {
				u := UnitFor(q, style, f)
				checkField(t, FloatValue(f), u)
				text := strings.TrimSpace(string(appendField(nil, FloatValue(f), u)))
				shown, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				if shown *= u.Factor; shown < last*(1-1e-12) {
					t.Fatalf("%v %v: %v shows as %v, after %v", q, style, f, shown, last)
				}
				last = shown
			}
		}
	}
}

func TestUnitChooser(t *testing.T) {
	start := time.Unix(1000, 0)
	c := NewUnitChooser(Quantity{Kind: Count}, UnitWindows)
	for _, step := range []struct {
		second  int
		largest float64
		want    string
	}{
		{0, 0, ""},          // nothing to go by
		{1, 9000, ""},       // chosen
		{2, 9999.4, ""},     // 4 places
		{3, 9999.5, "k"},    // 5: in the same tick
		{4, 900, "k"},       // not small
		{5, 899, "k"},       // the 5 s begin
		{9, 899, "k"},       // 4 s
		{10, 901, "k"},      // the 5 s end
		{11, 899, "k"},      // they begin anew
		{13, 3, "k"},        //
		{16, 3, ""},         // 5 s
		{17, 99999999, "M"}, // two units at once
		{18, 20_000, "M"},   // small
		{22, 5, "M"},        //
		{23, 5, "k"},        // by the largest of the 5 s
		{24, 5, "k"},        // they begin anew
		{29, 5, ""},         //
		{30, -10_000, "k"},  // the sign counts for nothing
		{31, 0, "k"},        // zeros are small, but tell no unit
		{900, 0, "k"},       //
		{901, 5, ""},        // the first number does
		{902, math.NaN(), ""},
		{903, 12_000, "k"},
		{904, 5, "k"},
		{800, 5, "k"}, // the clock was set back
		{804, 5, "k"},
		{805, 5, ""},
	} {
		if got := c.Choose(step.largest, start.Add(time.Duration(step.second)*time.Second)); got.Label != step.want {
			t.Errorf("second %d, largest %v: %q, want %q", step.second, step.largest, got.Label, step.want)
		}
	}
}

// From 9,999 to 10,000 KB/s: the next number is in MB/s.
func TestUnitAtTenThousand(t *testing.T) {
	c := NewUnitChooser(Quantity{Kind: BytesPerSecond}, UnitWindows)
	for second, step := range []struct {
		kb   float64
		want string
	}{{500, " 500.0  KB/s"}, {9999, "9999    KB/s"}, {9999.6, "   9.77 MB/s"}, {10000, "   9.77 MB/s"}, {9999, "   9.76 MB/s"}} {
		v := FloatValue(step.kb * 1024)
		u := c.Choose(step.kb*1024, time.Unix(int64(second), 0))
		if got := string(appendField(nil, v, u)) + " " + u.Label; got != step.want {
			t.Errorf("%v KB/s is %q, want %q", step.kb, got, step.want)
		}
	}
}

// Every quantity and style from 1e-3 to 1e15, growing and falling by each second:
// no number has more than 4 digits in front of its point where there is a larger
// unit, none goes beyond its field, and a unit that a fresh row would take is not
// left while the numbers stay what they are.
func TestNoFieldOverflows(t *testing.T) {
	for kind := range quantityKinds {
		for _, power := range []int8{-1, 0, 1, 2} {
			for _, style := range []UnitStyle{UnitPlain, UnitWindows, UnitSI, UnitIEC} {
				q := Quantity{kind, power}
				c, now := NewUnitChooser(q, style), time.Unix(0, 0)
				check := func(f float64) {
					t.Helper()
					now = now.Add(time.Second)
					for _, u := range []Unit{c.Choose(f, now), UnitFor(q, style, f)} {
						for _, v := range []float64{f, -f, f / 7} {
							checkField(t, FloatValue(v), u)
						}
						text := strings.TrimSpace(string(appendField(nil, FloatValue(f), u)))
						whole, _, _ := strings.Cut(text, ".")
						s := scaleOf(q, style)
						isLargest := u == s.unit(len(s.steps)-1)
						if len(whole) > 4 && !isLargest {
							t.Fatalf("%v, style %v: %v is %s %s", q, style, f, text, u.Label)
						}
					}
				}
				var sweep []float64
				for f := 1e-3; f < 1e15; f *= 1.07 {
					sweep = append(sweep, f)
				}
				for _, f := range sweep {
					check(f)
				}
				for _, f := range slices.Backward(sweep) {
					check(f)
				}
				for _, f := range sweep { // steady: as a fresh row
					fresh, now := NewUnitChooser(q, style), time.Unix(0, 0)
					first := fresh.Choose(f, now)
					for range 20 {
						now = now.Add(time.Second)
						if u := fresh.Choose(f, now); u != first {
							t.Fatalf("%v, style %v: %v is in %q, then in %q", q, style, f, first.Label, u.Label)
						}
					}
				}
			}
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		q      Quantity
		style  UnitStyle
		number float64
		want   string
	}{
		{Quantity{Bytes, 0}, UnitWindows, 1.92 * (1 << 30), "GB"},
		{Quantity{Bytes, 2}, UnitWindows, 9418, "MB"},
		{Quantity{Count, 0}, UnitWindows, 9999.4, ""},
		{Quantity{Count, 0}, UnitWindows, 9999.5, "k"},
		{Quantity{Bytes, 2}, UnitWindows, 12000, "GB"},
		{Quantity{Bytes, 2}, UnitWindows, 0.5, "MB"},
		{Quantity{Bytes, 2}, UnitPlain, 12000, "MB"},
		{Quantity{Bytes, 1}, UnitIEC, 5000, "KiB"},
		{Quantity{BytesPerSecond, 0}, UnitSI, 5000, "kB/s"},
		{Quantity{PerSecond, 0}, UnitWindows, 88100, "k/s"},
		{Quantity{Count, 0}, UnitIEC, 88100, "Ki"},
		{Quantity{Seconds, 0}, UnitWindows, 0.0412, "ms"},
		{Quantity{Seconds, 0}, UnitWindows, 0.00004, "µs"},
		{Quantity{Seconds, 0}, UnitWindows, 2904, "s"},
		{Quantity{Seconds, 0}, UnitWindows, 9_999, "s"},
		{Quantity{Seconds, 0}, UnitWindows, 20_000, "h"},
		{Quantity{Seconds, 0}, UnitWindows, 180_000, "d"},
		{Quantity{Hertz, 2}, UnitWindows, 2_400, "GHz"},
		{Quantity{Hertz, 2}, UnitWindows, 800, "MHz"},
		{Quantity{Seconds, 0}, UnitWindows, 100000, "h"},
		{Quantity{Seconds, 0}, UnitWindows, 3551040, "d"},
		{Quantity{Seconds, -1}, UnitWindows, 5, "ms"},
		{Quantity{Seconds, -1}, UnitPlain, 5, "ms"},
		{Quantity{BitsPerSecond, 0}, UnitWindows, 1e9, "Gb/s"},
		{Quantity{Percent, 0}, UnitSI, 12345, "%"},
		{Quantity{99, 9}, 99, 5, ""},
	} {
		if got := UnitFor(c.q, c.style, c.number); got.Label != c.want {
			t.Errorf("%v %v %v: %q, want %q", c.q, c.style, c.number, got.Label, c.want)
		}
	}
}

func TestQuantityWithoutObject(t *testing.T) {
	for _, c := range []struct {
		t    CounterType
		name string
		want Quantity
	}{
		{Timer100nsInv, "% Processor Time", Quantity{Percent, 0}},
		{AverageBulk, "% Processor Utility", Quantity{Percent, 0}},
		{CounterRawCount, "Available MBytes", Quantity{Bytes, 2}},
		{CounterLargeRawCount, "Available Bytes", Quantity{Bytes, 0}},
		{CounterRawCount, "Free Megabytes", Quantity{Bytes, 2}},
		{CounterLargeRawCount, "Total Server Memory (KB)", Quantity{Bytes, 1}},
		{CounterLargeRawCount, "Working Set - Private", Quantity{Bytes, 0}},
		{CounterBulkCount, "Disk Bytes/sec", Quantity{BytesPerSecond, 0}},
		{CounterBulkCount, "Bytes Total/sec", Quantity{BytesPerSecond, 0}},
		{AverageBulk, "Avg. Disk Bytes/Read", Quantity{Bytes, 0}},
		{AverageTimer, "Avg. Disk sec/Transfer", Quantity{Seconds, 0}},
		{CounterRawCount, "Avg. Wait sec/Lock", Quantity{Seconds, 0}},
		{ElapsedTime, "System Up Time", Quantity{Seconds, 0}},
		{CounterLargeRawCount, "Page life expectancy", Quantity{Seconds, 0}},
		{CounterRawCount, "Average Wait Time (ms)", Quantity{Seconds, -1}},
		{CounterCounter, "Page Faults/sec", Quantity{PerSecond, 0}},
		{CounterRawCount, "Batch Requests/sec", Quantity{PerSecond, 0}},
		{CounterBulkCount, "Current Bandwidth", Quantity{BitsPerSecond, 0}},
		{CounterRawCount, "Gen 0 heap size", Quantity{Bytes, 0}},
		{CounterLargeRawCount, "Commit Limit", Quantity{Bytes, 0}},
		{CounterLargeRawCount, "Percent Log Used", Quantity{Percent, 0}},
		{CounterLargeRawCount, "CPU usage target %", Quantity{Percent, 0}},
		{CounterRawCount, "Threads", Quantity{}},
		{CounterRawCount, "Kbd Events", Quantity{}},
		{0x02345678, "", Quantity{}},
	} {
		if got := QuantityIn(c.t, "", c.name); got != c.want {
			t.Errorf("%v %q: %v, want %v", c.t, c.name, got, c.want)
		}
	}
}

func TestFormattingDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 128)
	values := []Value{WholeValue(math.MaxUint64), DeltaValue(-5), FloatValue(1234.5678), FloatValue(0.1234567890123), Absent(Gone)}
	f := Format{Digits: DefaultDigits, Grouping: ",", Style: UnitIEC, Quantity: Quantity{Kind: Bytes}}
	allocations := testing.AllocsPerRun(100, func() {
		for _, v := range values {
			AppendValue(buf, v, f)
			AppendValue(buf, v, DefaultFormat())
			AppendMachine(buf, v)
			appendField(buf, v, Unit{1024, "KB"})
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func FuzzFormat(f *testing.F) {
	f.Add(uint64(0x4059000000000000), uint8(0), 3, ",", 2, uint64(4))
	f.Fuzz(func(t *testing.T, bits uint64, kind uint8, digits int, grouping string, scale int, mixed uint64) {
		number := math.Float64frombits(bits)
		values := [4]Value{WholeValue(bits), DeltaValue(int64(bits)), FloatValue(number), Absent(Status(kind))}
		v := values[kind%4]
		format := Format{
			Attributes: Attributes(mixed & 31), Digits: digits, Grouping: grouping, Scale: scale,
			Style: UnitStyle(mixed >> 5 & 7), HexWidth: int(mixed >> 8 & 31),
			Quantity: Quantity{QuantityKind(mixed >> 13 & 7), int8(mixed >> 16)},
		}
		AppendValue(nil, v, format)
		checkField(t, v, UnitFor(format.Quantity, format.Style, number))
		if v.kind != kindFloat {
			return
		}
		back, err := strconv.ParseFloat(string(AppendMachine(nil, v)), 64)
		if err != nil || back != v.number() {
			t.Errorf("%v reads back as %v, %v", v.number(), back, err)
		}
	})
}

// screenFormat is that of a counter without attributes on screens.
var screenFormat = Format{Digits: DefaultDigits, Style: UnitWindows}

// A counter's form, by its type and its attributes: as a field of a screen, as a
// statistic, and as a text with its unit.
func TestFormatOf(t *testing.T) {
	count, bytes, seconds := Quantity{}, Quantity{Kind: Bytes}, Quantity{Kind: Seconds}
	for _, c := range []struct {
		kind              CounterType
		quantity          Quantity
		attributes        Attributes
		value             Value
		field, stat, text string
	}{
		{CounterRawCount, count, 0, WholeValue(437), " 437   ", " 437  ", "437"},
		{CounterRawCount, bytes, 0, WholeValue(49507), "  48.3 ", "  48.3", "48.3 KB"},
		{CounterRawCount, bytes, Reference, WholeValue(49507), "  48.3 ", "  48.3", "48.3 KB"},
		{CounterRawCount, bytes, NoGrouping, WholeValue(49507123), "49507123", "49507123", "49507123 B"},
		{CounterRawCount, bytes, NoDisplay | NoGrouping, WholeValue(437), " 437   ", " 437  ", "437 B"},
		{CounterLargeRawCount, count, NoGrouping, WholeValue(math.MaxUint64), "18446744073709551615", "18446744073709551615", "18446744073709551615"},
		{CounterRawCount, bytes, DisplayReal, WholeValue(49507), "49,507.000", "49,507.0", "49,507.000 B"},
		{CounterRawCount, bytes, DisplayReal | NoGrouping, WholeValue(49507), "49507.000", "49507.0", "49507.000 B"},
		{AverageTimer, seconds, DisplayReal, FloatValue(0.000286), "   0.00029", "   0.00029", "0.00029 s"},
		{AverageTimer, seconds, NoGrouping, FloatValue(0.0286), "   0.029", "   0.029", "0.029 s"},
		{CounterRawCount, bytes, DisplayHex, WholeValue(437), "0x000001B5", "0x000001B5", "0x000001B5"},
		{CounterLargeRawCount, bytes, DisplayHex | NoGrouping | DisplayReal, WholeValue(437), "0x00000000000001B5", "0x00000000000001B5", "0x00000000000001B5"},
		{CounterRawCountHex, count, 0, WholeValue(437).WithStatus(OKHex), "0x000001B5", "0x000001B5", "0x000001B5"},
		{CounterLargeRawCountHex, count, 0, FloatValue(437), "0x00000000000001B5", "0x00000000000001B5", "0x00000000000001B5"},
		{CounterLargeRawCountHex, count, 0, FloatValue(0xCAFEBABE00000800), "14,627,333,964,952,504,000", "14,627,333,964,952,504,000", "14,627,333,964,952,504,000"},
		{CounterRawCount, count, DisplayHex, WholeValue(1 << 40), "0x0000010000000000", "0x0000010000000000", "0x0000010000000000"},
		{CounterRawCount, count, DisplayHex, Absent(Gone), "   gone", "  gone", "gone"},
		{CounterText, count, DisplayHex, TextValue("up"), "     up", "    up", "up"},
	} {
		f := FormatOf(c.kind, c.quantity, c.attributes)
		f.Style, f.Grouping = UnitWindows, ","
		u := f.Unit(c.value.number())
		field, stat, text := string(f.AppendField(nil, c.value, u)), string(f.AppendStatField(nil, c.value, u)), string(AppendValue(nil, c.value, f))
		if field != c.field || stat != c.stat || text != c.text {
			t.Errorf("%v, %v of %v: %q %q %q, want %q %q %q", c.kind, c.attributes.Names(), c.value, field, stat, text, c.field, c.stat, c.text)
		}
	}
}

// For every combination of attributes and both sizes: what is hexadecimal has all
// digits of its size, nothing else is, one number has no prefix, and without
// grouping there are no separators.
func TestEveryCombinationOfAttributes(t *testing.T) {
	for _, kind := range []CounterType{CounterRawCount, CounterLargeRawCount, CounterBulkCount, AverageTimer} {
		for a := range Attributes(1 << 5) {
			f := FormatOf(kind, Quantity{Kind: Bytes}, a)
			f.Style, f.Grouping = UnitWindows, ","
			text := string(AppendValue(nil, WholeValue(0x6EADBEEF), f))
			chooser := f.Chooser()
			u := chooser.Choose(0x6EADBEEF, time.Unix(0, 0))
			hex := map[bool]string{false: "0x6EADBEEF", true: "0x000000006EADBEEF"}[kind.Fields().Size == sizeLarge]
			number := "1,856,880,367"
			if a&NoGrouping != 0 {
				number = "1856880367"
			}
			if a&DisplayReal != 0 {
				number += ".000"
			}
			switch one := a&(NoGrouping|DisplayReal) != 0; {
			case a&DisplayHex != 0 && (text != hex || u.Label != ""):
				t.Errorf("%v %v: %q in %q, want %q", kind, a.Names(), text, u.Label, hex)
			case a&DisplayHex != 0:
			case one && (text != number+" B" || u.Label != "B"):
				t.Errorf("%v %v: %q in %q, want %q", kind, a.Names(), text, u.Label, number)
			case !one && (text != "1.73 GB" || u.Label != "GB"):
				t.Errorf("%v %v: %q in %q", kind, a.Names(), text, u.Label)
			}
		}
	}
}

// appendField appends a number that is no counter's.
func appendField(buf []byte, v Value, u Unit) []byte {
	return Format{Digits: DefaultDigits, Style: UnitWindows}.AppendField(buf, v, u)
}
