package cooker

import (
	"testing"
	"time"
)

var benchPair = struct {
	prev, cur Reading
	t0, t1    Clocks
}{
	Reading{Raw: 918273645120, Base: 70112904, Size: 8, BaseSize: 4},
	Reading{Raw: 918583979010, Base: 70113657, Size: 8, BaseSize: 4},
	Clocks{884100221377, 10000000, 133000000000000000, 884100221377, 10000000},
	Clocks{884110231789, 10000000, 133000000010010412, 884110231789, 10000000},
}

var (
	sinkValue Value
	sinkBytes []byte
)

func BenchmarkCook(b *testing.B) {
	p := &benchPair
	for _, t := range []CounterType{
		CounterRawCount, CounterLargeDelta, CounterBulkCount, Timer100ns, Timer100nsInv,
		AverageTimer, RawFraction, Precision100nsTimer, MultiTimer100nsInv, ElapsedTime, 0x12345678,
	} {
		b.Run(t.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkValue = Cook(t, &p.prev, &p.cur, &p.t0, &p.t1, nil)
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	buf := make([]byte, 0, 128)
	whole, rate := WholeValue(8589934592123), FloatValue(1467496.292524977)
	shown := Format{Digits: DefaultDigits, Grouping: ","}
	hex := Format{Attributes: DisplayHex, Digits: DefaultDigits}
	iec := Format{Digits: DefaultDigits, Style: UnitIEC, Quantity: Quantity{Kind: Bytes}}
	for _, c := range []struct {
		name   string
		value  Value
		format Format
	}{
		{"whole", whole, shown}, {"float", rate, shown}, {"hex", whole, hex}, {"iec", rate, iec},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkBytes = AppendValue(buf, c.value, c.format)
			}
		})
	}
}

func BenchmarkAppendMachine(b *testing.B) {
	buf := make([]byte, 0, 128)
	for _, v := range []Value{WholeValue(8589934592123), FloatValue(31.25), FloatValue(1467496.292524977)} {
		b.Run(string(AppendMachine(nil, v)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkBytes = AppendMachine(buf, v)
			}
		})
	}
}

func BenchmarkAppendField(b *testing.B) {
	buf := make([]byte, 0, 128)
	v, u := FloatValue(48.7*(1<<20)), Unit{1 << 20, "MB/s"}
	b.ReportAllocs()
	for b.Loop() {
		sinkBytes = appendField(buf, v, u)
	}
}

func BenchmarkUnitChooser(b *testing.B) {
	c := NewUnitChooser(Quantity{Kind: BytesPerSecond}, UnitWindows)
	now := time.Unix(0, 0)
	b.ReportAllocs()
	for b.Loop() {
		c.Choose(71e6, now)
	}
}
