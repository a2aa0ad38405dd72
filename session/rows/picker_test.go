package rows

import (
	"fmt"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// Instances that come and go for days are forgotten; one that stays keeps its
// series, and every sample has what is there, each once.
func TestPickerForgets(t *testing.T) {
	set := &session.Counterset{Name: "Process", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "Threads", Type: cooker.CounterLargeRawCount, BaseID: session.NoID}}}
	path, err := paths.Parse(`\Process(*)\Threads`)
	if err != nil {
		t.Fatal(err)
	}
	every := selection{Selection: session.Selection{Set: set, Counters: []int{0}, Path: path}}
	k := newPicker("db", []selection{every, every})
	row := func(name string, id int) session.Row {
		return session.Row{Instance: session.Instance{Key: session.InstanceKey{Name: name, ID: uint64(id)}}}
	}
	var stays *Series
	for i := range 3 * mostForgotten {
		view := &session.SetView{
			Set: set, Counters: []int{0}, Values: []cooker.Value{cooker.WholeValue(1), cooker.WholeValue(2)},
			Rows: []session.Row{row("init", 1), row("sh", 2+i)},
		}
		cells := k.pick(&session.Snapshot{Time: time.Unix(int64(i), 0), Sets: []*session.SetView{view}})
		if len(cells) != 2 || cells[0].Instance() != "init" || cells[1].Key.ID != uint64(2+i) {
			t.Fatalf("sample %d: %s", i, fmt.Sprint(cells))
		}
		if stays == nil {
			stays = cells[0].Series
		}
		if cells[0].Series != stays {
			t.Fatalf("sample %d: the series of what stays is another", i)
		}
	}
	if n := len(k.known); n > mostForgotten+4*2+2 {
		t.Errorf("%d series are remembered of 2 that are there", n)
	}
}
