package deck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/layout"
)

// queues is a host with so many queues: a percentage, a rate and a length of each.
func queues(n int) fake.Script {
	rows := []fake.Row{{Name: "_Total", Flags: session.FlagTotal}}
	for i := range n {
		rows = append(rows, fake.Row{Name: fmt.Sprintf("queue%03d", i), Times: float64(1+i%7) / 7})
	}
	return fake.Script{Name: "host", Sets: []fake.Set{{Name: "Queues", Instances: session.MultipleAggregate, Rows: rows, Counters: []fake.Counter{
		{Name: "% Full", Type: cooker.RawFraction, Is: fake.Const(70)},
		{Name: "Messages/sec", Type: cooker.CounterBulkCount, Is: fake.Const(700)},
		{Name: "Length", Type: cooker.CounterLargeRawCount, Is: fake.Const(7)},
	}}}}
}

// Paths of all instances are cells, where they are of a whole, or a table, of one
// instance as of hundreds, whether the deck asks for the busiest or not.
func TestWildcardsAreCellsAndTables(t *testing.T) {
	for _, n := range []int{1, 2, 7, 60, 300} {
		for _, test := range []struct {
			paths   []string
			busiest int
			want    kind.Kind
			heads   []string
		}{
			{[]string{`\Queues(*)\% Full`}, 0, kind.Cells, nil},
			{[]string{`\Queues(*)\Messages/sec`}, 0, kind.Table, []string{"Messages", "Length", "last 60 s"}},
			{[]string{`\Queues(*)\Messages/sec`}, 5, kind.Table, []string{"Messages", "Length", "last 60 s"}},
			{[]string{`\Queues(*)\Length`, `\Queues(*)\Messages/sec`}, 0, kind.Table, []string{"Messages", "Length"}},
			{[]string{`\Queues(queue*)\Length`}, 0, kind.Table, []string{"Length"}},
			{[]string{`\Queues(_Total)\Length`, `\Queues(*)\Length`}, 0, kind.Rows, nil},
		} {
			onDeck(t, 120, 30, []fake.Script{queues(n)}, func(r *rig) {
				d := r.book.own[r.Desk.Hosts[0]]
				d.Load([]session.DeckPane{{Paths: test.paths, Busiest: test.busiest}})
				r.pass(3)
				b := d.panes[0]
				if b.kinds.as.Kind != test.want {
					t.Fatalf("%q of %d instances are drawn as %s, want %s", test.paths, n, b.kinds.as.Kind, test.want)
				}
				title := strings.Split(r.Text(), "\n")[0]
				for _, head := range test.heads {
					if !strings.Contains(title, head) {
						t.Errorf("%q of %d instances have no column %q in %q", test.paths, n, head, title)
					}
				}
				if len(test.paths) > 1 && strings.Contains(title, "Full") {
					t.Errorf("%q: a column that nobody asked for in %q", test.paths, title)
				}
				if test.want == kind.Table {
					if got := len(b.lines); got != n {
						t.Errorf("%q of %d instances have %d rows", test.paths, n, got)
					}
					if more := fmt.Sprintf("+ %d more", n-28); n > 29 && !strings.Contains(r.Text(), more) {
						t.Errorf("no %q in\n%s", more, r.Text())
					}
				}
			})
		}
	}
}

// A path of all instances that is added goes to a pane of its own: that of the total
// stays the picture that it is.
func TestWildcardIsAddedBesideTheGraph(t *testing.T) {
	onDeck(t, 120, 30, []fake.Script{queues(4)}, func(r *rig) {
		h := r.Desk.Hosts[0]
		d := r.book.own[h]
		d.Load([]session.DeckPane{{Paths: []string{`\Queues(_Total)\% Full`}}})
		r.pass(3)
		if err := d.Add(h, `\Queues(*)\Length`); err != nil {
			t.Fatal(err)
		}
		r.pass(2)
		if got := []kind.Kind{d.panes[0].kinds.as.Kind, d.panes[len(d.panes)-1].kinds.as.Kind}; len(d.panes) != 2 || !slices.Equal(got, []kind.Kind{kind.Graph, kind.Table}) {
			t.Errorf("%d panes, drawn as %v", len(d.panes), got)
		}
	})
}

// An instance whose limit nobody knows shows its number and its history in place of a
// meter that would be empty for ever.
func TestCellsWithoutALimit(t *testing.T) {
	set := fake.Set{Name: "Network Interface", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "eth0"}, {Name: "eth1"}}, Counters: []fake.Counter{
		{Name: "Bytes Total/sec", Type: cooker.CounterBulkCount, Is: fake.Const(2 << 20)},
		{Name: "Current Bandwidth", Type: cooker.CounterLargeRawCount, Is: fake.Const(0)},
	}}
	for w := 40; w <= 200; w += 20 {
		onDeck(t, w, 20, []fake.Script{{Name: "host", Sets: []fake.Set{set}}}, func(r *rig) {
			r.book.own[r.Desk.Hosts[0]].Load([]session.DeckPane{{Paths: []string{`\Network Interface(*)\Bytes Total/sec`}, Kind: "cells"}})
			r.pass(3)
			if row := r.Row("eth1"); !strings.Contains(row, " 2.00 MB/s") && !strings.Contains(row, "2.00M") {
				t.Errorf("%d cells wide: %q", w, row)
			}
		})
	}
}

// Instances that are shown with their history have room for it, at every width.
func TestSparkedCellsHaveHistories(t *testing.T) {
	for _, n := range []int{1, 4, 20, 90} {
		onDeck(t, 120, 30, []fake.Script{queues(n)}, func(r *rig) {
			d := r.book.own[r.Desk.Hosts[0]]
			d.Load([]session.DeckPane{{Paths: []string{`\Queues(*)\% Full`}, Spare: true}})
			r.pass(3)
			sparked := 0
			for w := 20; w <= 300; w++ {
				for _, h := range []int{1, 4, 12, 40} {
					for _, each := range []bool{false, true} {
						look := d.panes[0].lookOf(w, h, each)
						if look.sparked {
							sparked++
						}
						if look.sparked && layout.InstanceRow(look.width, layout.UnitW).SparkW == 0 {
							t.Fatalf("%dx%d, %d instances: cells of %d have no history: %+v", w, h, n, look.width, look)
						}
					}
				}
				if r.Resize(max(w, layout.MinWidth), 12); w%10 == 4 {
					r.Draw()
					r.Hides("last 0 s")
				}
			}
			if sparked == 0 {
				t.Error("none has one")
			}
		})
	}
}

// Where nothing limits an instance its number stands in place of a meter, and leaves most of its name in the
// narrowest cell.
func TestCellsWithoutLimitHaveNames(t *testing.T) {
	const n = 26
	set := fake.Set{Name: "Network Interface", Instances: session.MultipleInstances, Counters: []fake.Counter{
		gaugeOf("Bytes Total/sec", fake.Const(12.5*mega)), gaugeOf("Current Bandwidth", fake.Const(0)),
	}}
	for i := range n {
		set.Rows = append(set.Rows, fake.Row{Name: fmt.Sprintf("%c-adapter-%c", 'a'+i, 'a'+i)})
	}
	onDeck(t, 120, 30, []fake.Script{{Name: "host", Sets: []fake.Set{set}}}, func(r *rig) {
		d := r.book.own[r.Desk.Hosts[0]]
		d.Load([]session.DeckPane{{Paths: []string{`\Network Interface(*)\Bytes Total/sec`}, Kind: kind.Cells.String()}})
		r.pass(3)
		for _, size := range [][2]int{{40, 14}, {60, 12}, {80, 12}, {80, 30}, {120, 30}} {
			r.Resize(size[0], size[1])
			r.Draw()
			text := r.Text()
			for i := range n {
				c := string(rune('a' + i))
				if found := regexp.MustCompile(c + `\S{2,}` + c + ` +12\.5 +MB/s`).MatchString(text); !found {
					t.Fatalf("%v: nothing tells of %s:\n%s", size, set.Rows[i].Name, text)
				}
			}
		}
	})
}
