package top

import (
	"slices"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// press does what a key does, if it applies.
func (r *rig) press(key string) (why string) {
	r.Helper()
	for _, b := range r.top.Bindings() {
		if b.Keys.Has(key) {
			if b.Why != nil {
				why = b.Why()
			}
			if why == "" {
				b.Do()
			}
			return why
		}
	}
	r.Fatalf("%s means nothing", key)
	return ""
}

// sent is the newest intent of a kind.
func sent[T pane.Intent](r *rig) (last T, ok bool) {
	r.desk.Drain(func(i pane.Intent) {
		if t, is := i.(T); is {
			last, ok = t, true
		}
	})
	return last, ok
}

// Rows that are marked become one: it has their place, is sorted and explained as any,
// is kept, and is taken apart by the same key.
func TestCombine(t *testing.T) {
	onTop(t, workers(4, 0, 0), func(r *rig) {
		if why := r.press("&"); why == "" {
			t.Error("nothing is marked")
		}
		before := r.names()
		r.press("space") // the busiest two
		r.press("space")
		if why := r.press("&"); why != "" {
			t.Fatal(why)
		}
		menu, ok := sent[pane.OpenMenu](r)
		if !ok || !strings.Contains(menu.Title, "2") {
			t.Fatalf("menu %+v", menu)
		}
		at := slices.IndexFunc(menu.Items, func(i pane.MenuItem) bool { return strings.HasPrefix(i.Text, "total") })
		menu.Items[at].Do()
		r.pass(3)
		name := "total of " + before[0] + "|" + before[1]
		if got := r.names(); got[0] != name || len(got) != len(before)-1 || slices.Contains(got, before[0]) || slices.Contains(got, before[1]) {
			t.Fatalf("rows %q, want first %q", got, name)
		}
		if target := r.top.Selected()[0]; target.Key.Name != name || target.PathOf() != `\Process(`+name+`)\% Processor Time` || len(target.Ask().Combine) != 1 {
			t.Errorf("selected %+v", target)
		}
		if view := r.top.view(); !strings.Contains(r.canvas.String(), "14") { // threads, 7 each
			t.Errorf("%v\n%s", view.Rows, r.canvas.String())
		}
		did, _ := sent[pane.Did](r)
		did.Undo()
		if r.pass(3); !slices.Equal(r.names(), before) {
			t.Errorf("undone: %q, want %q", r.names(), before)
		}
		menu.Items[at].Do()
		r.pass(3)
		again := New(r.desk)
		again.ShowProcesses(r.host)
		if !again.made.has(name) {
			t.Errorf("kept as %q", r.desk.Kept.Table("Process").Combined)
		}
		r.top.toggleAll() // then all rows are shown
		if got := r.names(); !slices.Contains(got, before[0]) || !slices.Contains(got, name) {
			t.Errorf("all rows: %q", got)
		}
		r.top.toggleAll()
		r.top.selectRow(0)
		if why := r.press("&"); why != "" {
			t.Fatal(why)
		}
		if r.pass(3); !slices.Equal(r.names(), before) {
			t.Errorf("taken apart: %q, want %q", r.names(), before)
		}
	})
}

// What stands for all of a counterset that means that is always shown.
func TestWholeIsShown(t *testing.T) {
	script := workers(3, 0, 0)
	script.Sets[0].Instances = session.GlobalAggregate
	onTop(t, script, func(r *rig) {
		if got := r.names(); len(got) != 4 || !slices.Contains(got, "_Aggregate") {
			t.Errorf("rows %q", got)
		}
	})
}
