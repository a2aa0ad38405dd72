package config

import (
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
)

// A [[counter]] says how its counters are shown and recorded; settings are of what is shown alone.
func TestLooks(t *testing.T) {
	c, _, err := Parse("x", []byte("[[counter]]\npath = '\\Memory\\Available *'\nscale = 3\ndigits = 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	set := &session.Counterset{Name: "Memory"}
	own, other := &session.Counter{Name: "Available Bytes"}, &session.Counter{Name: "Page Faults"}
	shown := c.Counters.Looks(Settings{Grouping: ".", ScaledValues: true})
	if l := shown(set, own); l.Grouping != "." || l.ChartScale != 3 || l.Scale != 3 || l.Format.Digits != 2 {
		t.Errorf("%+v", l)
	}
	if l := shown(set, other); l.Grouping != "." || l.ChartScale == 3 || l.Scale != l.ChartScale {
		t.Errorf("%+v", l)
	}
	if l := c.Counters.Looks(Settings{})(set, own); l.Grouping != "" || l.Scale != 0 || l.ChartScale != 3 {
		t.Errorf("%+v", l)
	}
	recorded := c.Counters.RecordedLooks()
	if l := recorded(set, own); l.Digits != 2 || l.ChartScale != 0 {
		t.Errorf("%+v", l)
	}
	var none *Overrides
	if l := none.RecordedLooks()(set, own); l.Format != cooker.FormatOf(own.Type, own.Quantity, own.Attributes) {
		t.Errorf("%+v", l)
	}
}
