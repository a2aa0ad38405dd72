package deck

import (
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// v goes through all that the counters of a pane can be drawn as, of other instances too,
// and ends as it began: with the kind, the rows and the limit that the deck fixes.
func TestKindsOfOtherInstances(t *testing.T) {
	total := session.DeckPane{
		Host: "one", Paths: []string{`\Processor Information(_Total)\% Processor Time`}, Also: []string{`\System\Processor Queue Length`}, Kind: "rows", Limit: "50",
	}
	each := session.DeckPane{Host: "one", Paths: []string{`\Network Interface(*)\Bytes Received/sec`, `\Network Interface(*)\Bytes Sent/sec`}}
	for _, c := range []struct {
		pane  session.DeckPane
		kinds []string // with the instance of its first path
	}{
		{total, []string{"rows _Total", "graph _Total", "meters _Total", "cells *", "table *"}},
		{each, []string{"table *", "graph total of *", "rows *"}},
	} {
		onDeck(t, 120, 34, []fake.Script{quiet("one").script()}, func(r *rig) {
			d := r.book.Own(r.Desk.Hosts[0])
			d.Load([]session.DeckPane{c.pane})
			r.pass(4)
			before := d.Spec()[0]
			var seen []string
			for range c.kinds {
				b := d.panes[0]
				seen = append(seen, b.kinds.as.Kind.String()+" "+b.items[0].sel.Path.InstanceText())
				if b.items[0].missing || len(b.lines) == 0 || b.lines[0].row < 0 {
					t.Errorf("%s has no values:\n%s", seen[len(seen)-1], r.Text())
				}
				if name := seen[len(seen)-1]; strings.HasSuffix(name, " *") && !strings.Contains(name, "total") && !strings.Contains(r.Text(), "3  ") && !strings.Contains(r.Text(), " 3 ■") && !strings.Contains(r.Text(), "eth0") {
					t.Errorf("%s does not show each instance:\n%s", name, r.Text())
				}
				r.Press("v")
				r.pass(3)
			}
			if slices.Sort(seen[1:]); !slices.Equal(seen, append(c.kinds[:1:1], sorted(c.kinds[1:])...)) {
				t.Errorf("%v are drawn, want %v", seen, c.kinds)
			}
			after := d.Spec()[0]
			if after.Kind != before.Kind || after.Limit != before.Limit || !slices.Equal(after.Paths, before.Paths) || !slices.Equal(after.Also, before.Also) {
				t.Errorf("%+v came back as %+v", before, after)
			}
		})
	}
}

// Each column of a table has a head, behind a long title too, and processors of one group
// are called by their number.
func TestTableHeadBehindLongTitle(t *testing.T) {
	for _, w := range []int{80, 120, 200} {
		onDeck(t, w, 36, []fake.Script{quiet("one").script()}, func(r *rig) {
			d := r.book.Own(r.Desk.Hosts[0])
			d.Load([]session.DeckPane{{Host: "one", Paths: []string{`\Processor Information(0,*)\% Processor Time`}, Kind: "table", Busiest: 4}})
			r.pass(4)
			if title := r.Canvas.Rows()[0]; !strings.Contains(title, "Processor Information") || !strings.Contains(title, "▼") {
				t.Errorf("width %d: the rule says %q", w, title)
			}
			for n, row := range r.Canvas.Rows()[1:5] {
				if fields := strings.Fields(strings.TrimPrefix(row, "►")); len(fields) < 2 || len(fields[0]) != 1 {
					t.Errorf("width %d: row %d begins %q", w, n, row)
				}
			}
		})
	}
}

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return out
}

// What a host has no instance of, as thermal zones on most virtual machines, has no place
// where there is room; what had one keeps its place.
func TestNoPlaceWithoutInstances(t *testing.T) {
	zones := fake.Set{Name: "Thermal Zone Information", Instances: session.MultipleInstances, Counters: []fake.Counter{
		{Name: "Temperature", Type: cooker.CounterRawCount, Is: fake.Const(310)},
	}}
	for _, n := range []int{0, 2} {
		script := quiet("one").script()
		set := zones
		for i := range n {
			set.Rows = append(set.Rows, fake.Row{Name: "zone" + string(rune('a'+i))})
		}
		script.Sets = append(script.Sets, set)
		onDeck(t, 250, 70, []fake.Script{script}, func(r *rig) {
			r.pass(3)
			if is := strings.Contains(r.Text(), "Thermal Zone"); is != (n > 0) {
				t.Errorf("of %d zones there is a pane: %v\n%s", n, is, r.Text())
			}
		})
	}
}
