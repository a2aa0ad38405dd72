package pane

import (
	"testing"
	"time"

	"perfdeck/session"
)

// What is remembered of the units of rows does not grow with all the processes
// that ever were.
func TestUnitsAreBounded(t *testing.T) {
	units := NewUnits(nil)
	set := &session.Counterset{Counters: []session.Counter{{Name: "Threads"}}}
	for i := range 5 * mostUnits {
		units.Choose(UnitKey{Set: set, Key: session.InstanceKey{ID: uint64(i)}}, 7, time.Time{})
	}
	if n := len(units.rows); n > mostUnits {
		t.Errorf("%d are remembered", n)
	}
}
