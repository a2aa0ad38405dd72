package rows

import (
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
)

// TestColumnsFollow holds columns to their instance when names are counted anew,
// and to the name when an instance comes back as a new one.
func TestColumnsFollow(t *testing.T) {
	set := &session.Counterset{Name: "Set", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "n"}}}
	k := newPicker("SRV", nil)
	row := func(value uint64, instances ...session.Instance) Row {
		s := Sample{Host: "SRV"}
		for _, in := range instances {
			s.Cells = append(s.Cells, Cell{Series: k.series(set, 0, &in), Value: cooker.WholeValue(value), Wild: true})
		}
		return Row{Samples: []Sample{s}, Columns: []Sample{s}}
	}
	named := func(name string, id uint64, index uint32) session.Instance {
		return session.Instance{Key: session.InstanceKey{Name: name, ID: id}, Index: index}
	}
	f := FixColumns(row(0, named("p", 1, 0), named("p", 2, 1), named("eth0", 3, 0)))
	var got []string
	for _, c := range f.Place(row(5, named("p", 2, 0), named("new", 9, 0), named("eth0", 4, 0))) {
		got = append(got, c.Value.Status().Word()+string(cooker.AppendMachine(nil, c.Value)))
	}
	if want := []string{"gone", "5", "5"}; !slices.Equal(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
}
