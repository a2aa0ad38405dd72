package cooker

import "testing"

// Numbers that mean a word are written as it wherever units are, and as numbers for programs, as
// plain ones, and where they mean none.
func TestWordsOfNumbers(t *testing.T) {
	state := FormatOf(0x00010000, QuantityIn(0x00010000, "Service", "State"), 0)
	state.Style = UnitWindows
	start := state
	start.Quantity = QuantityIn(0x00010000, "service", "start type")
	plain := state
	plain.Style = UnitPlain
	for _, c := range []struct {
		f    Format
		v    Value
		want string
	}{
		{state, WholeValue(4), "running"}, {state, FloatValue(1), "stopped"}, {state, WholeValue(0), "unknown"},
		{state, WholeValue(8), "8"}, {state, FloatValue(2.5), "2.50"}, {state, Absent(Denied), "denied"},
		{start, WholeValue(2), "automatic"}, {start, WholeValue(4), "disabled"}, {plain, WholeValue(4), "4"},
	} {
		if got := string(AppendValue(nil, c.v, c.f)); got != c.want {
			t.Errorf("%v is %q, want %q", c.v, got, c.want)
		}
	}
	if got := string(start.AppendField(nil, WholeValue(2), Unit{})); got != "automatic" {
		t.Errorf("in a field: %q", got)
	}
	if got := string(AppendMachine(nil, WholeValue(4))); got != "4" {
		t.Errorf("for programs: %q", got)
	}
	if q := QuantityIn(0x00010000, "Thread", "State"); q.Words() != nil {
		t.Errorf("State of another counterset is %v", q)
	}
}
