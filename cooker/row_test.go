package cooker

import (
	"math"
	"testing"
)

func TestRow(t *testing.T) {
	cell := func(n uint64) Cell { return Cell{n, true} }
	second := Row{T0: cell(0), T1: cell(1000), Freq: cell(1000), Perf100ns0: cell(0), Perf100ns1: cell(1e7)}
	row := func(typ CounterType, edit func(*Row)) Row {
		r := second
		r.Type = typ
		edit(&r)
		return r
	}
	for _, c := range []struct {
		name string
		row  Row
		want Value
	}{
		{"unknown code", row(0x12345678, func(r *Row) { r.C0, r.C1 = cell(1), cell(2) }), Absent(Unsupported)},
		{"text", row(CounterText, func(r *Row) { r.Text = "NTFS" }), TextValue("NTFS")},
		{"negative frequency", row(CounterCounter, func(r *Row) { r.C0, r.C1, r.Freq = cell(1), cell(2), cell(1<<64-1) }), Absent(NegativeTimebase)},
		{"no frequency, not needed", row(CounterTimer, func(r *Row) { r.C0, r.C1, r.Freq = cell(0), cell(500), Cell{} }), FloatValue(50)},
		{"no older clock", row(CounterCounter, func(r *Row) { r.C0, r.C1, r.T0 = cell(0), cell(500), Cell{} }), Absent(FirstSample)},
		{"no newer clock", row(CounterCounter, func(r *Row) { r.C0, r.C1, r.T0, r.T1 = cell(0), cell(500), cell(5), Cell{} }), Absent(NegativeTimebase)},
		{"no clock, not needed", Row{Type: CounterDelta, C0: cell(1), C1: cell(2)}, DeltaValue(1)},
		{"elapsed since nothing", Row{Type: ElapsedTime, C1: cell(0), T1: cell(133000000000000000), Freq: cell(10000000)}, Absent(NoStart)},
		{"elapsed since nothing, clock at 0", Row{Type: ElapsedTime, C1: cell(0), T1: cell(0), Freq: cell(10000000)}, Absent(NoStart)},
		{"elapsed since nothing, no frequency", Row{Type: ElapsedTime, C1: cell(0), T1: cell(10)}, Absent(NegativeTimebase)},
		{"elapsed since the future", Row{Type: ElapsedTime, C1: cell(11), T1: cell(10), Freq: cell(1)}, floatValue(0, NegativeValue)},
		{"elapsed since beyond any clock", Row{Type: ElapsedTime, C1: cell(math.MaxUint64), T1: cell(133000000000000000), Freq: cell(10000000)}, floatValue(0, NegativeValue)},
		{"elapsed since 2^63", Row{Type: ElapsedTime, C1: cell(1<<63 + 5), T1: cell(4), Freq: cell(1)}, floatValue(0, NegativeValue)},
		{"elapsed for ever", Row{Type: ElapsedTime, C1: cell(1), T1: cell(math.MaxUint64), Freq: cell(1)}, floatValue(float64(math.MaxUint64-1), OK)},
		{"elapsed without now", Row{Type: ElapsedTime, C1: cell(5), Freq: cell(10)}, Absent(NegativeTimebase)},
		{"elapsed without frequency", Row{Type: ElapsedTime, C1: cell(5), T1: cell(10)}, Absent(NegativeTimebase)},
		{"no base", row(AverageBulk, func(r *Row) { r.C0, r.C1 = cell(0), cell(500) }), Absent(NoBase)},
		{"no older base", row(AverageBulk, func(r *Row) { r.C0, r.C1, r.B1 = cell(0), cell(500), cell(5) }), Absent(FirstSample)},
		{"base of 4 bytes wraps", row(AverageBulk, func(r *Row) { r.C0, r.C1, r.B0, r.B1 = cell(0), cell(60), cell(1<<32-1), cell(5) }), FloatValue(10)},
		{"base of 8 bytes", row(AverageBulk, func(r *Row) { r.C0, r.C1, r.B0, r.B1 = cell(0), cell(60), cell(1<<32), cell(1<<32+6) }), FloatValue(10)},
		{"8 bytes of a 4 byte type", row(CounterCounter, func(r *Row) { r.C0, r.C1 = cell(1<<32), cell(1<<32+6) }), FloatValue(6)},
		{"object timer without base", row(PrecisionObjectTimer, func(r *Row) { r.C0, r.C1, r.T0, r.T1 = cell(0), cell(250), cell(1), cell(1001) }), FloatValue(25)},
		{"gone", row(CounterCounter, func(r *Row) { r.C0 = cell(0) }), Absent(Gone)},
		{"nothing", row(CounterCounter, func(*Row) {}), Absent(Pending)},
		{"base", row(RawBase, func(*Row) {}), Absent(NotDisplayable)},
		{"inverse multi timer below zero", row(MultiTimer100nsInv, func(r *Row) { r.C0, r.C1, r.B0, r.B1 = cell(0), cell(3e7), cell(2), cell(2) }), floatValue(0, OKClampedLow)},
	} {
		if got := c.row.Cook(nil); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestParseCell(t *testing.T) {
	for text, want := range map[string]Cell{
		"": {}, "0": {0, true}, "18446744073709551615": {1<<64 - 1, true}, "-1": {1<<64 - 1, true},
	} {
		if got, err := ParseCell(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"x", "1.5", "18446744073709551616", "0x10"} {
		if got, err := ParseCell(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
