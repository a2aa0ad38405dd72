package top

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/pane"
)

// press presses keys of the dialog as they are written.
func (c *chooser) press(names ...string) {
	codes := map[string]tea.Key{"esc": {Code: tea.KeyEscape}, "enter": {Code: tea.KeyEnter}, "space": {Code: tea.KeySpace, Text: " "},
		"down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}}
	for _, n := range names {
		k, ok := codes[n]
		if !ok {
			k = tea.Key{Code: rune(n[0]), Text: n}
		}
		c.Key(tea.KeyPressMsg(k))
	}
}

// heads are the heads that are drawn, from the left.
func (r *rig) heads() string {
	r.draw()
	return strings.Join(strings.Fields(r.canvas.Rows()[1]), " ")
}

// names are the names of the rows, from above.
func (r *rig) names() []string {
	r.draw()
	var out []string
	for _, row := range r.top.rows() {
		out = append(out, r.top.view().Rows[row.At].Key.Name)
	}
	return out
}

// Columns are hidden, shown, ordered and sized in the dialog, at once; esc takes
// all of it back, enter keeps it for the next start.
func TestColumns(t *testing.T) {
	onTop(t, workers(3, 0, 0), func(r *rig) {
		const usual = "instance pid user % CPU ▼ last 60 s Thr"
		if got := r.heads(); got != usual {
			t.Fatalf("the heads are %q", got)
		}
		for _, c := range []struct {
			keys []string
			want string
		}{
			{[]string{"down", "down", "space"}, "instance pid % CPU ▼ last 60 s Thr"},
			{[]string{"down", "space", "space"}, usual},
			{[]string{"space"}, usual},                         // the instance stays
			{[]string{"down", "down", "down", "space"}, usual}, // and what is sorted by
			{[]string{"down", "down", "right"}, "instance pid % CPU ▼ user last 60 s Thr"},
			{[]string{"down", "left"}, usual}, // the instance stays first
			{[]string{"down", "down", "down", "left", "left"}, "instance % CPU ▼ pid user last 60 s Thr"},
		} {
			dialog := newChooser(r.top)
			dialog.press(c.keys...)
			if got := r.heads(); got != c.want {
				t.Errorf("%q: the heads are %q, want %q", c.keys, got, c.want)
			}
			if name := r.names()[0]; name != "worker-2" {
				t.Errorf("%q: %s is the first row", c.keys, name)
			}
			dialog.press("esc")
			if got := r.heads(); got != usual {
				t.Errorf("%q, esc: the heads are %q", c.keys, got)
			}
		}
		r.draw()
		dialog := newChooser(r.top)
		dialog.press("down", "down", "+", "+", "+", "enter")
		width := r.top.table.Columns[2].Width
		again := New(r.desk)
		again.ShowProcesses(r.host)
		if got := again.table.Columns[2].Width; got != width || width == 0 {
			t.Errorf("a width of %d was kept as %d", width, got)
		}
	})
}

// Rows sort by number, by name and by fact, both ways.
func TestSort(t *testing.T) {
	script := workers(4, 0, 0)
	set := &script.Sets[0]
	for i, user := range []string{"mia", "ana", "zoe", "ben"} {
		set.Rows[i].Facts = []string{user}
	}
	onTop(t, script, func(r *rig) {
		column := func(head string) int {
			return slices.IndexFunc(r.top.table.Columns, func(c table.Column) bool { return c.Head == head })
		}
		for _, c := range []struct {
			head string
			want [2]string
		}{
			{"% CPU", [2]string{"3 2 1 0", "0 1 2 3"}},
			{"instance", [2]string{"0 1 2 3", "3 2 1 0"}},
			{"pid", [2]string{"0 1 2 3", "3 2 1 0"}},
			{"user", [2]string{"1 3 0 2", "2 0 3 1"}},
		} {
			r.top.cursor, r.top.table.Sort = column(c.head), column("Thr")
			for n, want := range c.want {
				r.top.sortByCursor()
				r.askAgain()
				r.pass(2)
				got := strings.ReplaceAll(strings.Join(r.names(), " "), "worker-", "")
				if got != want {
					t.Errorf("by %s, time %d: %s, want %s", c.head, n+1, got, want)
				}
			}
		}
	})
}

// The list of what to sort by has hidden columns too; what is chosen twice is reversed.
func TestSortList(t *testing.T) {
	onTop(t, workers(4, 0, 0), func(r *rig) {
		hidden := slices.IndexFunc(r.top.table.Columns, func(c table.Column) bool { return c.Head == "Thr" })
		r.top.table.Columns[hidden].Hidden = true
		choose := func(text string) {
			t.Helper()
			if why := r.press("f6"); why != "" {
				t.Fatal(why)
			}
			menu, _ := sent[pane.OpenMenu](r)
			at := slices.IndexFunc(menu.Items, func(i pane.MenuItem) bool { return strings.HasPrefix(i.Text, text) })
			if at < 0 {
				t.Fatalf("no %s in %v", text, menu.Items)
			}
			for _, it := range menu.Items { // they are found by what stands above the columns, if that is no part of it
				if want := map[string]string{"% Processor Time": "% CPU", "growth": "Thr + in 10 min"}[strings.TrimSuffix(it.Text, ", the other way round")]; it.Also != want {
					t.Errorf("%s is called %q too, want %q", it.Text, it.Also, want)
				}
			}
			menu.Items[at].Do()
			r.askAgain()
			r.pass(2)
		}
		choose("instance")
		if got := r.names()[0]; got != "worker-0" {
			t.Errorf("by name %s is first", got)
		}
		choose("instance")
		if got := r.names()[0]; got != "worker-3" {
			t.Errorf("the other way round %s is first", got)
		}
		choose("Thread Count")
		if heads := r.heads(); !strings.Contains(heads, "Thr ▼") {
			t.Errorf("the heads are %s", heads)
		}
		if kept := r.desk.Kept.Table("Process"); kept != nil {
			t.Errorf("a look at an order is kept: %+v", kept)
		}
		r.top.keep(false) // as columns are made wider
		if kept := r.desk.Kept.Table("Process"); kept == nil || kept.Sort != "" {
			t.Errorf("beside columns %+v is kept", kept)
		}
		set := r.top.set
		r.top.Show(r.top.host, &session.Counterset{Name: "Other", Counters: set.Counters}, session.InstanceKey{}, -1)
		r.top.Show(r.top.host, set, session.InstanceKey{}, -1)
		if heads := r.heads(); !strings.Contains(heads, "Thr ▼") {
			t.Errorf("behind another table the heads are %s", heads)
		}
		r.top.keep(true) // as the columns' dialog does
		if kept := r.desk.Kept.Table("Process"); kept == nil || kept.Sort != "Thread Count" {
			t.Errorf("kept is %+v", kept)
		}
	})
}

// The tree has every row below its parent, whatever is sorted by.
func TestTree(t *testing.T) {
	script := workers(6, 0, 0)
	for i, owner := range []uint64{0, 1, 2, 1, 0, 99} { // worker-0 is the parent of 1 and 3, 1 that of 2
		script.Sets[0].Rows[i].Owner = owner
	}
	onTop(t, script, func(r *rig) {
		r.top.nextView()
		got := strings.ReplaceAll(strings.Join(r.names(), " "), "worker-", "")
		if want := "5 4 0 3 1 2"; got != want {
			t.Errorf("the rows are %s, want %s", got, want)
		}
		depths := ""
		for _, row := range r.top.rows() {
			depths += fmt.Sprint(row.Depth)
		}
		if depths != "000112" {
			t.Errorf("their depths are %s", depths)
		}
		_ = r.top.filter.Set("worker-2 or worker-4")
		if got := strings.Join(r.names(), " "); got != "worker-4 worker-2" {
			t.Errorf("without their parents: %s", got)
		}
	})
}

// What is marked is charted with what is selected, and is forgotten when it ends.
func TestMarks(t *testing.T) {
	onTop(t, workers(6, 9e9, 0), func(r *rig) {
		r.top.selectRow(0)
		r.top.mark() // worker-5
		r.top.mark() // worker-4
		r.top.pick(4)
		var names []string
		for _, target := range r.top.Selected() {
			names = append(names, target.Key.Name)
		}
		if got := strings.Join(names, " "); got != "worker-1 worker-5 worker-4" {
			t.Errorf("selected and marked are %s", got)
		}
		r.top.selectRow(0)
		r.top.mark()
		if len(r.top.marks) != 1 {
			t.Errorf("%d marks, one was taken back", len(r.top.marks))
		}
		r.pass(25)
		if len(r.top.marks) != 0 {
			t.Errorf("%v ended and is marked", r.top.marks)
		}
	})
}

// What is marked is of its own counterset, whatever that of the selected row is.
func TestMarksBesideEnded(t *testing.T) {
	script := workers(3, 0, 0)
	script.Sets = append(script.Sets, fake.Set{
		Name: "Process Exits", Instances: session.MultipleInstances,
		Counters: []fake.Counter{
			{Name: "Exits/sec", Type: cooker.CounterCounter, Is: fake.Const(2)}, {Name: "IO Data Bytes/sec", Type: cooker.CounterCounter, Is: fake.Const(2)},
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(50)},
		},
		Rows: []fake.Row{{Name: "cc"}},
	})
	onTop(t, script, func(r *rig) {
		r.pass(4)
		ended := slices.Index(r.names(), "cc")
		if ended < 0 {
			t.Fatalf("no row of those that ended: %q", r.names())
		}
		r.top.selectRow(slices.Index(r.names(), "worker-2"))
		r.top.mark()
		r.top.selectRow(ended)
		list := r.top.Selected()
		if len(list) != 2 || list[0].Set.Name != "Process Exits" || list[0].Counter != 2 || list[1].Set.Name != "Process" || list[1].Counter != 0 || list[1].Key.Name != "worker-2" {
			t.Errorf("selected and marked are %+v", list)
		}
	})
}

// A filter that is wrong leaves the last good one.
func TestWrongFilter(t *testing.T) {
	onTop(t, workers(6, 0, 0), func(r *rig) {
		if err := r.top.filter.Set("threads>3 worker-4"); err != nil || len(r.names()) != 1 {
			t.Fatalf("%v, %d rows", err, len(r.names()))
		}
		if err := r.top.filter.Set("thr > 3 worker-4"); err != nil || len(r.names()) != 1 {
			t.Fatalf("by the head of its column: %v, %d rows", err, len(r.names()))
		}
		_ = r.top.filter.Set("threads>3 worker-4")
		for _, wrong := range []string{"cpu>", "cpu>x", "nothing<5", "worker or mem>", "(thr>3", "mem > 3 ms"} {
			if r.top.filter.Set(wrong) == nil || r.top.filter.Text() != "threads>3 worker-4" || len(r.names()) != 1 {
				t.Errorf("%q: the filter is %q with %d rows", wrong, r.top.filter.Text(), len(r.names()))
			}
		}
	})
}

// Only a process that lives can be signalled.
func TestProcess(t *testing.T) {
	onTop(t, workers(6, 8e9, 0), func(r *rig) {
		r.top.selectRow(0)
		if _, ok := r.process(); !ok || !strings.Contains(r.processText(), "pid 6") {
			t.Errorf("the selected process is %q", r.processText())
		}
		at := -1 // of worker-5, when it is gone and shown
		for range 9 {
			r.pass(1)
			at = slices.Index(r.names(), "worker-5")
			if at < 0 || r.top.view().Rows[r.top.rows()[at].At].Gone {
				break
			}
		}
		if at < 0 {
			t.Fatal("the row that ended is not shown any more")
		}
		r.top.selectRow(at)
		if key, ok := r.process(); ok {
			t.Errorf("%v, which is gone, can be signalled", key)
		}
	})
}

// Of a user whose name is too long the domain goes, not the name.
func TestUserWithoutDomain(t *testing.T) {
	script := workers(2, 0, 0)
	script.Sets[0].Rows[0].Facts = []string{`NT AUTHORITY\SYSTEM`}
	script.Sets[0].Rows[1].Facts = []string{`CORP\mia`}
	onTop(t, script, func(r *rig) {
		r.line("worker-0", "  SYSTEM  ")
		r.line("worker-1", `  CORP\mia`)
	})
}
