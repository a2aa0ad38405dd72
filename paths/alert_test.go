package paths

import (
	"math"
	"testing"
)

func TestAlertExpressions(t *testing.T) {
	for _, c := range []struct {
		input, path string
		op          Op
		limit       float64
		canonical   string
	}{
		{`\O\C>>5`, `\O\C>`, Above, 5, `\O\C>>5`},
		{`\O\C<>5`, `\O\C<`, Above, 5, `\O\C<>5`},
		{"\\O\\C \t<\t.5 ", `\O\C`, Below, 0.5, `\O\C<0.5`},
		{`\O\C>5.`, `\O\C`, Above, 5, `\O\C>5`},
		{`\O\C>-0`, `\O\C`, Above, 0, `\O\C>0`},
		{`\O\C>1e21`, `\O\C`, Above, 1e21, `\O\C>1e+21`},
		{`\O\C>12345678`, `\O\C`, Above, 12345678, `\O\C>12345678`},
		{`\O\C<1E-7`, `\O\C`, Below, 1e-7, `\O\C<1e-07`},
		{`\O(*#007)\*>1`, `\O(*#7)\*`, Above, 1, `\O(*#7)\*>1`},
		{`\O(a>b)\C<1`, `\O(a>b)\C`, Below, 1, `\O(a>b)\C<1`},
	} {
		a, err := ParseAlert(c.input)
		if err != nil {
			t.Error(err)
			continue
		}
		if a.Path.String() != c.path || a.Op != c.op || a.Limit != c.limit || math.Signbit(a.Limit) && a.Limit == 0 {
			t.Errorf("%s: %s %v %v", c.input, a.Path, a.Op, a.Limit)
		}
		if a.String() != c.canonical {
			t.Errorf("%s prints as %s", c.input, a)
		}
	}
}

func TestAlertFaults(t *testing.T) {
	for _, c := range []struct {
		input  string
		code   Code
		offset int
	}{
		{"", InvalidArgument, 0},
		{`\O\C`, InvalidArgument, 4},
		{`\O\C>`, InvalidArgument, 5},
		{`\O\C>=5`, InvalidArgument, 5},
		{`\O\C>NaN`, InvalidArgument, 5},
		{`\O\C>Inf`, InvalidArgument, 5},
		{`\O\C>1e999`, InvalidArgument, 5},
		{`\O\C>0x10`, InvalidArgument, 5},
		{`\O\C>1_0`, InvalidArgument, 5},
		{`\O\C>1 0`, InvalidArgument, 5},
		{`\O\C>--1`, InvalidArgument, 5},
		{`\O\C>e`, InvalidArgument, 5},
		{`\O(a>5)\C`, InvalidArgument, 5},
		{`>5`, InvalidArgument, 0},
		{` \O\C>5`, BadCounterName, 0},
		{`\O\ >5`, NoCounterName, 3},
		{`\O(\C>5`, BadCounterName, 2},
	} {
		_, err := ParseAlert(c.input)
		if fault := parseError(t, c.input, err); fault != nil && (fault.Code != c.code || fault.Offset != c.offset) {
			t.Errorf("%q: %v at %d, want %v at %d", c.input, fault.Code, fault.Offset, c.code, c.offset)
		}
	}
}

func TestAlertHolds(t *testing.T) {
	above, below := Alert{Op: Above, Limit: 5}, Alert{Op: Below, Limit: 5}
	if above.Holds(5) || !above.Holds(5.1) || below.Holds(5) || !below.Holds(4.9) || above.Holds(math.NaN()) || below.Holds(math.NaN()) {
		t.Error("Holds is wrong at the limit")
	}
}

func FuzzParseAlert(f *testing.F) {
	for _, seed := range []string{`\O\C>5`, `\O\C>5>6`, `\O\C < 1.5e3`, `\O(a<b)\C>=5`, `\O\C>-.0`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		a, err := ParseAlert(input)
		if err != nil {
			parseError(t, input, err)
			return
		}
		if math.IsNaN(a.Limit) || math.IsInf(a.Limit, 0) {
			t.Fatalf("%q: limit %v", input, a.Limit)
		}
		again, err := ParseAlert(a.String())
		if err != nil {
			t.Fatalf("%q prints as %q: %v", input, a, err)
		}
		if again.Op != a.Op || again.Limit != a.Limit || again.Path.String() != a.Path.String() {
			t.Fatalf("%q prints as %q and reads back as %q", input, a, again)
		}
	})
}
