package logs_test

import (
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// Of a table the busiest are told, the busiest first; totals, the idle and what
// does nothing are no news.
func TestKeepBusiest(t *testing.T) {
	row := logs.Beat{Samples: []logs.Sample{{Host: "a"}}}
	add := func(name string, value float64, wild bool) {
		row.Samples[0].Cells = append(row.Samples[0].Cells, logs.Cell{
			Named: &logs.Named{Path: paths.Path{Object: "Process"}, Key: session.InstanceKey{Name: name}, Found: true, Wild: wild},
			Value: cooker.FloatValue(value),
		})
	}
	add("", 1, false)
	for i, name := range []string{"_Total", "Idle", "a", "b", "c", "d"} {
		add(name, float64(100-10*i), true)
	}
	add("asleep", 0, true)
	var names []string
	row.KeepBusiest(3)
	for _, c := range row.Samples[0].Cells {
		names = append(names, c.Key.Name)
	}
	if want := []string{"", "a", "b", "c"}; !slices.Equal(names, want) {
		t.Errorf("told of %q, want %q", names, want)
	}
}
