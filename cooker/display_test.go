package cooker

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestAttributes(t *testing.T) {
	for _, c := range []struct {
		a         Attributes
		effective Attributes
		conflicts int
		hidden    bool
	}{
		{0, 0, 0, false},
		{Reference | NoDisplay, Reference | NoDisplay, 0, true},
		{NoGrouping | DisplayReal, NoGrouping | DisplayReal, 0, false},
		{NoGrouping | DisplayHex, DisplayHex, 1, false}, // as the schema's own sample has it
		{DisplayReal | DisplayHex | Reference, DisplayHex | Reference, 1, false},
		{knownAttribs, Reference | NoDisplay | DisplayHex, 5, true},
		{NoDisplay | DisplayHex, NoDisplay | DisplayHex, 1, true},
		{1 << 40, 0, 0, false},
	} {
		if got := c.a.Effective(); got != c.effective {
			t.Errorf("0x%X: effective 0x%X, want 0x%X", c.a, got, c.effective)
		}
		if got := c.a.Conflicts(); len(got) != c.conflicts {
			t.Errorf("0x%X: conflicts %v, want %d", c.a, got, c.conflicts)
		}
		if c.a.Hidden() != c.hidden {
			t.Errorf("0x%X: hidden %v", c.a, !c.hidden)
		}
		var all Attributes
		for _, name := range c.a.Names() {
			bit, ok := LookupAttribute(name)
			if !ok {
				t.Errorf("%s is not found", name)
			}
			all |= bit
		}
		if all|c.a.Unknown() != c.a {
			t.Errorf("0x%X: names %v and unknown 0x%X", c.a, c.a.Names(), c.a.Unknown())
		}
	}
}

func TestScaled(t *testing.T) {
	for _, c := range []struct {
		v     Value
		scale int
		want  Value
	}{
		{WholeValue(10), 2, WholeValue(1000)}, // the example of MS-PCQ
		{WholeValue(10), 0, WholeValue(10)},
		{WholeValue(10), -2, FloatValue(0.1)},
		{WholeValue(math.MaxUint64), 1, FloatValue(math.MaxUint64 * 10)},
		{DeltaValue(-3), 3, DeltaValue(-3000)},
		{DeltaValue(math.MinInt64), 1, FloatValue(-0x1p63 * 10)},
		{FloatValue(1.5), 1, FloatValue(15)},
		{FloatValue(math.MaxFloat64), 10, Absent(NotFinite)},
		{WholeValue(1), 99, WholeValue(1e10)},
		{WholeValue(1), -99, FloatValue(1e-10)},
		{Absent(Gone), 3, Absent(Gone)},
		{TextValue("x"), 3, TextValue("x")},
	} {
		if got := Scaled(c.v, c.scale); got != c.want {
			t.Errorf("%v by 10^%d: %v, want %v", c.v, c.scale, got, c.want)
		}
	}
}

func TestFitScale(t *testing.T) {
	for _, c := range []struct {
		limit, axis float64
		want        int
	}{
		{93, 100, 0}, {0.063, 100, 3}, {8014, 100, -2}, {100, 100, 0}, {101, 100, -1},
		{-8014, 100, -2}, {0, 100, 0}, {math.Inf(1), 100, 0}, {math.NaN(), 100, 0}, {1e30, 100, MinScale}, {1e-30, 100, MaxScale},
	} {
		if got := FitScale(c.limit, c.axis); got != c.want {
			t.Errorf("%v in %v: %d, want %d", c.limit, c.axis, got, c.want)
		}
	}
}

func TestExplain(t *testing.T) {
	prev := Reading{Raw: 918273645120, Base: 70112904, Size: 8, BaseSize: 4}
	cur := Reading{Raw: 918583979010, Base: 70113657, Size: 8, BaseSize: 4}
	clocks := [2]Clocks{{PerfTime: 884100221377, PerfFreqHz: 1e7}, {PerfTime: 884110231789, PerfFreqHz: 1e7}}
	x := Explain(Evidence{Type: AverageTimer, Prev: &prev, Cur: &cur, PrevClocks: &clocks[0], CurClocks: &clocks[1], Attributes: DisplayHex | NoGrouping | 1<<33})
	if x.Substituted != "((918583979010 - 918273645120) / 10000000) / (70113657 - 70112904)" {
		t.Error(x.Substituted)
	}
	if x.Differences != "(310333890 / 10000000) / 753" {
		t.Error(x.Differences)
	}
	if x.Result != Cook(AverageTimer, &prev, &cur, &clocks[0], &clocks[1], nil) || x.Code != "0x30020400" {
		t.Errorf("%v %s", x.Result, x.Code)
	}
	if len(x.Conflicts) != 1 || x.Unknown != 1<<33 || len(x.Operands) != 3 {
		t.Errorf("conflicts %v, unknown 0x%X, operands %v", x.Conflicts, x.Unknown, x.Operands)
	}
	var labels []string
	for _, line := range x.Lines() {
		labels = append(labels, line.Label)
		if strings.ContainsRune(line.Text, '\n') || line.Text == "" {
			t.Errorf("%q is not a line", line.Text)
		}
	}
	for _, want := range []string{"type", "bits", "base", "formula", "sample", "worked", "attributes", "conflict", "unknown", "result", "status"} {
		if !slices.Contains(labels, want) {
			t.Errorf("no line %q among %v", want, labels)
		}
	}
}

// Every type is explained, with or without samples, and the formula holds no
// symbol once numbers stand in it.
func TestExplainEveryType(t *testing.T) {
	prev, cur := Reading{Raw: 10, Base: 10}, Reading{Raw: 20, Base: 20}
	noBase := Reading{Raw: 20, State: NoBase}
	for _, info := range Types() {
		Explain(Evidence{Type: info.Type}).Lines()
		for _, newer := range []*Reading{&cur, &noBase} {
			x := Explain(Evidence{Type: info.Type, Prev: &prev, Cur: newer, PrevClocks: &second[0], CurClocks: &second[1]})
			if x.Result.HasNumber() && (x.Substituted == "" || strings.ContainsAny(x.Substituted+x.Differences, "NBTF")) {
				t.Errorf("%s: %q, %q", info.Name, x.Substituted, x.Differences)
			}
		}
	}
	x := Explain(Evidence{Type: 0x12345678, Cur: &cur})
	if x.Known || x.Status != Unsupported || len(x.Bits) < 4 {
		t.Errorf("unknown type: %+v", x)
	}
}
