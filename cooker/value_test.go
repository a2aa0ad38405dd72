package cooker

import (
	"math"
	"testing"
	"unsafe"
)

// Values and readings are kept by the ten thousand.
func TestSizes(t *testing.T) {
	if n := unsafe.Sizeof(Value{}); n > 24 {
		t.Errorf("a Value takes %d bytes", n)
	}
	if n := unsafe.Sizeof(Reading{}); n > 24 {
		t.Errorf("a Reading takes %d bytes", n)
	}
}

func TestValue(t *testing.T) {
	for _, c := range []struct {
		v       Value
		valid   bool
		float   float64
		whole   uint64
		isWhole bool
		signed  int64
		isSign  bool
		status  Status
	}{
		{WholeValue(math.MaxUint64), true, 0x1p64, math.MaxUint64, true, 0, false, OK},
		{WholeValue(7), true, 7, 7, true, 7, true, OK},
		{DeltaValue(-7), true, -7, 0, false, -7, true, OK},
		{FloatValue(0.5), true, 0.5, 0, false, 0, false, OK},
		{FloatValue(math.Copysign(0, -1)), true, 0, 0, false, 0, false, OK},
		{FloatValue(math.NaN()), false, 0, 0, false, 0, false, NotFinite},
		{floatValue(0, ZeroBase), false, 0, 0, false, 0, false, ZeroBase},
		{Value{}, false, 0, 0, false, 0, false, Pending},
		{Absent(OK), false, 0, 0, false, 0, false, Pending},
	} {
		if c.v.Valid() != c.valid || c.v.Status() != c.status {
			t.Errorf("%v: valid %v, status %v", c.v, c.v.Valid(), c.v.Status())
		}
		if f, ok := c.v.Float(); ok != c.valid || c.valid && f != c.float {
			t.Errorf("%v: float %v %v", c.v, f, ok)
		}
		if n, ok := c.v.Whole(); ok != c.isWhole || n != c.whole {
			t.Errorf("%v: whole %v %v", c.v, n, ok)
		}
		if n, ok := c.v.Signed(); ok != c.isSign || n != c.signed {
			t.Errorf("%v: signed %v %v", c.v, n, ok)
		}
	}
	if a, b := TextValue("a"), TextValue("a"); a != b || a == TextValue("b") || !a.Valid() || a.HasNumber() {
		t.Error("texts are compared by content")
	}
	if text, ok := TextValue("a").WithStatus(Gone).Text(); ok || text != "" {
		t.Error("a text that does not count is no text")
	}
}
