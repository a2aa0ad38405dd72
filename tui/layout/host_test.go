package layout

import (
	"fmt"
	"testing"
)

// linuxHost is the default deck of a Linux host with so many processors.
func linuxHost(cores int) []Part {
	return []Part{
		{Role: Lead, Rows: 16},
		{Role: Each, Instances: cores},
		{Role: Store, Rows: 6},
		{Role: Flow, Rows: 13},
		{Role: Flow, Rows: 12},
		{Role: Busiest, Rows: 400},
		{Role: Spare, Instances: 4, CellWidth: 46},
		{Role: Spare, Instances: 3, CellWidth: 34},
		{Role: Spare, Rows: 6},
		{Role: Spare, Rows: 5},
		{Role: Spare, Instances: 2},
	}
}

const (
	lead = iota
	each
	memory
	disk
	network
	process
	logicalDisk
	pressure
	system
)

// graphOf is the cells of the graph of a pane.
func graphOf(p Placed) string {
	return fmt.Sprintf("%dx%d", p.W-2-ValueColumn(p.W)-p.Inset, p.H-1)
}

// The table of deck.md 3, for a host with 16 processors.
func TestHost(t *testing.T) {
	for _, c := range []struct {
		w, h                              int
		cpu, cores, memory, disk, network string
		process                           int // rows below the head, the count of the others with them
		spares                            int
	}{
		{40, 12, "", "bare 40x1", "bare 40x1", "bare 40x2", "bare 40x2", 3, 0},
		{60, 15, "31x3", "bare 60x1", "bare 60x1", "bare 60x2", "bare 60x2", 2, 0},
		{80, 24, "34x5", "16x6", "39x4", "39x4", "39x3", 8, 1},
		{120, 36, "49x8", "40x9", "56x7", "27x8", "27x8", 24, 0},
		{160, 48, "83x11", "46x9", "76x7", "47x13", "47x12", 33, 1},
		{200, 60, "101x16", "52x17", "88x13", "59x13", "59x13", 35, 2},
		{250, 70, "151x17", "52x18", "88x13", "59x18", "59x17", 49, 5},
	} {
		body := NewFrame(c.w, c.h).Body
		parts := linuxHost(16)
		got, ok := Host(body, parts)
		if !ok {
			t.Errorf("%dx%d has no place", c.w, c.h)
			continue
		}
		text := func(i int) string {
			p := got[i]
			if p.Bare {
				return fmt.Sprintf("bare %dx%d", p.W, p.H)
			}
			return fmt.Sprintf("%dx%d", p.W, p.H)
		}
		cpu := graphOf(got[lead])
		if got[lead].Bare {
			cpu = ""
		}
		said := []string{cpu, text(each), text(memory), text(disk), text(network)}
		for _, i := range []int{disk, network} {
			if c.w >= WideFrom {
				said[i] = graphOf(got[i])
			}
		}
		for i, want := range []string{c.cpu, c.cores, c.memory, c.disk, c.network} {
			if said[i] != want {
				t.Errorf("%dx%d: pane %d is %s, want %s", c.w, c.h, i, said[i], want)
			}
		}
		if got[process].Rows != c.process {
			t.Errorf("%dx%d: %d rows of the table, want %d", c.w, c.h, got[process].Rows, c.process)
		}
		spares := 0
		for _, p := range got[logicalDisk:] {
			if !p.Hidden {
				spares++
			}
		}
		if spares != c.spares {
			t.Errorf("%dx%d: %d spare panes, want %d: %v", c.w, c.h, spares, c.spares, got[logicalDisk:])
		}
	}
}

// At every size and with any number of processors the panes lie in the body and
// cover none of the others, all that is never left out is there, and all
// processors are drawn, or the bars say how many they merge.
func TestHostSweep(t *testing.T) {
	for w := MinWidth; w <= 260; w++ {
		for h := MinHeight; h <= 75; h++ {
			for _, cores := range []int{1, 2, 4, 16, 64, 256} {
				if !checkHost(t, w, h, linuxHost(cores)) {
					return
				}
				for _, spares := range []int{1, 2, 5} { // without processes, which wide screens have in columns of all
					if w >= WideFrom && h >= LowUnder+2 {
						continue
					}
					parts := linuxHost(cores)
					parts[system].Grows = true
					if !checkHost(t, w, h, append(parts[:process], parts[logicalDisk:logicalDisk+spares]...)) {
						return
					}
				}
			}
		}
	}
}

func checkHost(t *testing.T, w, h int, parts []Part) bool {
	body := NewFrame(w, h).Body
	places, ok := Host(body, parts)
	if !ok {
		t.Errorf("%dx%d has no place", w, h)
		return false
	}
	for i, p := range places {
		switch {
		case p.Hidden && parts[i].Role != Spare:
			t.Errorf("%dx%d: pane %d is left out", w, h, i)
			return false
		case p.Hidden:
			continue
		case p.X < body.X || p.Y < body.Y || p.X+p.W > body.X+body.W || p.Y+p.H > body.Y+body.H || p.Rows < 1:
			t.Errorf("%dx%d, %d processors: pane %d is %v", w, h, parts[each].Instances, i, p)
			return false
		}
		for k, o := range places[:i] {
			inset := k == lead && i == each && o.Inset > 0
			if !o.Hidden && !inset && p.X < o.X+o.W && o.X < p.X+p.W && p.Y < o.Y+o.H && o.Y < p.Y+p.H {
				t.Errorf("%dx%d, %d processors: pane %d covers %d", w, h, parts[each].Instances, i, k)
				return false
			}
		}
	}
	p, n := places[each], parts[each].Instances
	c := EachCells(p.W, p.Rows, n, 2)
	if p.Bare || places[lead].Inset > 0 {
		c = EachCells(p.W, p.Rows, n, 1)
	}
	if c.Columns*c.Rows < n && c.Strips*c.PerRow*c.Merged < n {
		t.Errorf("%dx%d: %d processors in %+v", w, h, n, c)
		return false
	}
	return true
}

// The third column is there for panes that fill some of it; a graph among them grows into
// what is left.
func TestThirdColumn(t *testing.T) {
	body := NewFrame(250, 70).Body
	for _, c := range []struct {
		spares []Part
		third  bool
	}{
		{[]Part{{Role: Spare, Rows: 2}}, false},
		{[]Part{{Role: Spare, Rows: 6, Grows: true}, {Role: Spare, Rows: 4}, {Role: Spare, Rows: 5}}, true},
	} {
		parts := append(linuxHost(16)[:logicalDisk], c.spares...)
		places, ok := Host(body, parts)
		if !ok {
			t.Fatal("no place")
		}
		if table := places[process]; (table.X+table.W < body.W) != c.third {
			t.Errorf("%d spare panes: the table is %+v", len(c.spares), table)
		}
		if !c.third {
			continue
		}
		if first := places[logicalDisk]; first.H != 18 {
			t.Errorf("the graph has %d rows", first.H)
		}
		y := places[logicalDisk].Y
		for _, p := range places[logicalDisk:] {
			if p.Y != y {
				t.Errorf("a pane stands at %d, want %d", p.Y, y)
			}
			y += p.H
		}
		if y != body.Y+body.H {
			t.Errorf("the column ends at %d of %d", y, body.Y+body.H)
		}
	}
}

// What the values beside the graph at the top say is not said again by the cells: the next
// pane that has room stands there, unless so few values are seen that it says more.
func TestNothingIsSaidTwiceBesideTheGraph(t *testing.T) {
	for _, c := range []struct {
		again  int
		system bool
	}{{0, true}, {6, false}, {40, true}} {
		parts := linuxHost(2)
		parts[logicalDisk].Instances = 1
		parts[system].Again = c.again
		got, ok := Host(NewFrame(160, 48).Body, parts)
		if !ok || got[system].Hidden == c.system {
			t.Errorf("said again from %d values on: System is hidden: %v", c.again, got[system].Hidden)
		}
		if !c.system && got[system+1].Hidden {
			t.Error("nothing stands in its place")
		}
	}
}
