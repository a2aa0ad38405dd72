package top

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/kit/table"
)

// What is done next is done to the process that the user chose: it stays
// selected through whatever changes the order of the rows, and the title names it.
func TestSelectionIsOfAnInstance(t *testing.T) {
	script := workers(12, 0, 0)
	for i := range script.Sets[0].Rows {
		script.Sets[0].Rows[i].Owner = uint64(i / 3) // as a tree they stand elsewhere
	}
	column := func(r *rig, head string) {
		r.top.cursor = slices.IndexFunc(r.top.table.Columns, func(c table.Column) bool { return c.Head == head })
	}
	for _, c := range []struct {
		name string
		do   func(r *rig)
	}{
		{"tree", func(r *rig) { r.top.nextView() }},
		{"tree and list", func(r *rig) { r.top.nextView(); r.pass(1); r.top.nextView() }},
		{"sort", func(r *rig) { column(r, "instance"); r.top.sortByCursor() }},
		{"reverse", func(r *rig) { r.top.table.Reverse = false; column(r, "% CPU"); r.top.sortByCursor() }},
		{"filter", func(r *rig) { _ = r.top.filter.Set("worker-7 or worker-9") }},
		{"filter and none", func(r *rig) { _ = r.top.filter.Set("worker-7"); r.pass(1); r.top.escape() }},
		{"columns", func(r *rig) { newChooser(r.top).press("down", "down", "space", "enter") }},
		{"all rows", func(r *rig) { r.top.toggleAll() }},
		{"long after", func(r *rig) {
			r.pass(60)
			r.top.nextView()
		}},
		{"below a dialog", func(r *rig) { r.desk.Held = true; column(r, "instance"); r.top.sortByCursor(); r.desk.Held = false }},
		{"another tab", func(r *rig) {
			for range 60 {
				r.sample()
				r.top.Snapshot(r.host)
			}
			r.top.Opened()
		}},
		{"top of the same host", func(r *rig) { r.top.Show(r.host, r.top.Set(), session.InstanceKey{}, -1) }},
	} {
		onTop(t, script, func(r *rig) {
			r.top.pick(r.top.list.Line() + 4)
			chosen, _ := r.process()
			c.do(r)
			r.pass(2)
			if now, _ := r.process(); now != chosen {
				r.Errorf("%s: %s is selected, was %s", c.name, now.Name, chosen.Name)
			}
			if text := r.canvas.String(); !strings.Contains(text, "staying on "+chosen.Name) {
				r.Errorf("%s: the title does not name it:\n%s", c.name, text)
			}
		})
	}
}

// Nobody chose the first line: after sorting it is whoever is there.
func TestFirstLineIsNobodys(t *testing.T) {
	onTop(t, workers(9, 0, 0), func(r *rig) {
		r.top.sortByCursor()
		r.pass(2)
		if text := r.canvas.String(); r.top.list.Line() != 0 || strings.Contains(text, "staying on") {
			r.Errorf("line %d is selected:\n%s", r.top.list.Line(), text)
		}
	})
}

// A host that told its counters and has no processes says so, and what helps.
func TestHostWithoutProcesses(t *testing.T) {
	for _, c := range []struct{ guid, want string }{
		{"{01234567-89ab-cdef-0123-456789abcdef}", "serve --expose Process"},
		{"", "no Process counterset"},
	} {
		onTop(t, workers(3, 0, 0), func(r *rig) {
			memory := &session.Counterset{Name: "Memory", GUID: c.guid}
			r.host.Sampler.(*session.Sampler).Renew(&session.Catalogue{Host: "one", Sets: []*session.Counterset{memory}})
			bare := New(r.desk)
			bare.ShowProcesses(r.host)
			r.top = bare
			r.draw()
			if text := r.canvas.String(); !strings.Contains(text, c.want) || strings.Contains(text, "not told") {
				r.Errorf("%q: it says\n%s", c.guid, text)
			}
			if why := bare.whyNoSet(); !strings.Contains(why, "Process") {
				r.Errorf("keys say %q", why)
			}
		})
	}
}

// A fact that was not asked for yet is a mark of what is to come, one that the
// host answered with nothing is blank.
func TestFactsToCome(t *testing.T) {
	script := workers(60, 0, 0)
	for i := range script.Sets[0].Rows {
		script.Sets[0].Rows[i].Facts = []string{"mia"}
	}
	onTop(t, script, func(r *rig) {
		lines := func() (known, coming int) {
			for line := range strings.Lines(r.canvas.String()) {
				if strings.Contains(line, "worker-") {
					known += strings.Count(line, "mia")
					coming += strings.Count(line, "…")
				}
			}
			return known, coming
		}
		r.pass(3)
		if known, coming := lines(); known < 20 || coming != 0 {
			r.Fatalf("%d users and %d marks:\n%s", known, coming, r.canvas.String())
		}
		for range 59 {
			r.top.move(list.Down)
		}
		r.draw()
		known, coming := lines()
		if rows := len(r.top.near()); rows == 0 || coming == 0 {
			r.Errorf("%d users and %d marks in the last rows:\n%s", known, coming, r.canvas.String())
		}
		r.askAgain()
		r.pass(3)
		if known, coming := lines(); known < 20 || coming != 0 {
			r.Errorf("%d users and %d marks once they were told:\n%s", known, coming, r.canvas.String())
		}
	})
}

// No column of pids where none is known, as in a recording without ID Process.
func TestNoPids(t *testing.T) {
	script := workers(3, 0, 0)
	for i := range script.Sets[0].Rows {
		script.Sets[0].Rows[i].Number = 0
	}
	onTop(t, script, func(r *rig) {
		if heads := r.heads(); strings.Contains(heads, "pid") {
			r.Errorf("the heads are %q", heads)
		}
	})
	onTop(t, workers(3, 0, 0), func(r *rig) {
		if heads := r.heads(); !strings.Contains(heads, "pid") {
			r.Errorf("the heads are %q", heads)
		}
	})
}

// Guides lead from every row of the tree to its parent.
func TestGuides(t *testing.T) {
	script := workers(7, 0, 0)
	for i, owner := range []uint64{0, 1, 2, 3, 2, 1, 0} { // 0: 1: 2: 3; 1: 4; 0: 5
		script.Sets[0].Rows[i].Owner = owner
	}
	onTop(t, script, func(r *rig) {
		r.top.nextView()
		r.draw()
		text := r.canvas.String()
		for _, want := range []string{
			" worker-0 ", " ├ worker-5 ", " └ worker-1 ", "   ├ worker-4 ", "   └ worker-2 ", "     └ worker-3 ",
		} {
			if !strings.Contains(text, "\n"+strings.Repeat(" ", 2)+want) && !strings.Contains(text, want) {
				r.Errorf("%q is not there:\n%s", want, text)
			}
		}
		r.top.table.Reverse = true
		r.top.resort()
		r.pass(3)
		text = r.canvas.String()
		for _, want := range []string{"├ worker-1 ", "│ ├ worker-2 ", "│ │ └ worker-3 ", "│ └ worker-4 ", "└ worker-5 "} {
			if !strings.Contains(text, want) {
				r.Errorf("the other way round %q is not there:\n%s", want, text)
			}
		}
	})
}

// A row that ended says so whatever it is sorted by, and how long it lived where that
// was seen from its beginning.
func TestEndedRowSaysSo(t *testing.T) {
	script := workers(5, 0, 0)
	script.Sets[0].Rows[4].Alive = fake.Window{From: 5 * time.Second, To: 15 * time.Second}
	script.Sets[0].Rows[3].Alive = fake.Window{To: 15 * time.Second}
	for _, sort := range []string{"% CPU", "Thr"} {
		onTop(t, script, func(r *rig) {
			at := slices.IndexFunc(r.top.table.Columns, func(c table.Column) bool { return c.Head == sort })
			r.top.sortByColumn(at)
			r.ask()
			told := map[string]string{}
			for range 20 {
				r.pass(1)
				for _, row := range r.canvas.Rows() {
					for _, name := range []string{"worker-3", "worker-4"} {
						if at := strings.Index(row, "ended 14:07:4"); at >= 0 && strings.Contains(row, name) {
							told[name] = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(row[at:]), "gone"))
						}
					}
				}
			}
			if !strings.Contains(told["worker-4"], " after 10 s") || sort == "% CPU" && !strings.HasSuffix(told["worker-4"], ", used 0.4 s") || told["worker-3"] == "" || strings.Contains(told["worker-3"], "after") {
				r.Errorf("sorted by %s the rows that ended say %q", sort, told)
			}
		})
	}
}
