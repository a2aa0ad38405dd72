package layout

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// linuxDeck and windowsDeck are the default decks of hosts with so many processors.
func linuxDeck(cores int) []Pane {
	return []Pane{
		{Form: FormGraph, Rows: 18, Draws: true, Wide: true},
		{Form: FormCells, Instances: cores, Beside: true},
		{Form: FormMeters, Rows: 6, Draws: true},
		{Form: FormGraph, Rows: 13, Pair: true, Draws: true},
		{Form: FormGraph, Rows: 12, Pair: true, Draws: true},
		{Form: FormTable, Instances: 1000},
		{Form: FormCells, Instances: 4, Cell: 46, Spare: true},
		{Form: FormCells, Instances: 3, Cell: 34, Spare: true},
		{Form: FormGraph, Rows: 3, Pair: true, Draws: true, Spare: true},
		{Form: FormCells, Spare: true},
	}
}

func windowsDeck(cores int) []Pane {
	return []Pane{
		{Form: FormGraph, Rows: 10, Draws: true, Wide: true},
		{Form: FormCells, Instances: cores, Beside: true},
		{Form: FormRows, Rows: 5, Draws: true},
		{Form: FormGraph, Rows: 10, Pair: true, Draws: true},
		{Form: FormGraph, Rows: 12, Pair: true, Draws: true},
		{Form: FormTable, Instances: 1000},
		{Form: FormCells, Instances: 2, Cell: 46, Spare: true},
		{Form: FormGraph, Rows: 3, Pair: true, Draws: true, Spare: true},
	}
}

// randomDeck is one of 1 to 12 panes of every kind.
func randomDeck(seed uint64) []Pane {
	dice := rand.New(rand.NewPCG(seed, 7))
	out := make([]Pane, 1+dice.IntN(12))
	for i := range out {
		p := Pane{Form: Form(dice.IntN(5)), Rows: 1 + dice.IntN(20), Draws: dice.IntN(8) > 0}
		switch p.Form {
		case FormCells, FormTable:
			p.Rows, p.Instances = 0, []int{0, 1, 2, 5, 16, 64, 256}[dice.IntN(7)]
		case FormGraph:
			p.Draws, p.Pair = true, p.Rows > 1 && dice.IntN(2) == 0
			p.Wide = i == 0 && len(out) > 2
		case FormRows, FormMeters:
		}
		p.Beside = i == 1 && p.Form == FormCells && out[0].Wide
		p.Spare = i > 1 && dice.IntN(6) == 0
		out[i] = p
	}
	return out
}

// heads are the widths from which on a table shows one more of them.
var heads = []int{14, 20, 27, 34, 42, 52, 62, 71, 80, 95}

// facts are what a pane says in its place.
func facts(o *Pane, p *Placed) (rows, columns, limit int) {
	if p.Hidden {
		return 0, 0, 0
	}
	rows = p.Rows
	if o.Form == FormTable || o.Form == FormCells {
		rows = 0
	}
	if o.Form == FormTable && !p.Bare {
		for _, w := range heads {
			if w <= p.Heads {
				columns++
			}
		}
	}
	return rows, columns, 0
}

// unused are the cells of a body that tell nothing, and whether a pane leaves something out.
func unused(body Rect, panes []Pane, placed []Placed) (cells int, leaves bool) {
	cells = body.W * body.H
	on := 0
	for i := range placed {
		if !placed[i].Hidden {
			on++
		}
	}
	for i := range placed {
		o, p := &panes[i], &placed[i]
		if p.Hidden {
			leaves = leaves || !o.Spare
			continue
		}
		most := mostGraph
		if on == 1 {
			most = body.H / 3
		}
		inner := p.H
		if !p.Bare {
			inner--
		}
		used := p.H - inner
		switch {
		case o.Form == FormTable:
			used += min(inner, max(1, o.Instances))
			leaves = leaves || inner < o.Instances
		case o.Form == FormCells:
			c := NewCells(p.W, inner, o.Instances, max(o.Cell, 20), 2)
			if c.Columns > 0 {
				used += max(1, c.Rows)
			} else {
				used += inner
			}
			leaves = leaves || c.Merged > 1
		case o.isPicture(p.W, p.H):
			used += min(inner, max(p.Rows, most))
			leaves = leaves || p.Rows < o.Rows
		default:
			used += p.Rows + min(p.Graph, most)
			leaves = leaves || p.Rows < o.Rows
		}
		cells -= p.W * min(used, p.H)
	}
	return cells, leaves
}

// What stands on decks: each pane with at least one value, none over another, only those of
// least worth left out; what it says only grows with the body, which is not left unused
// while something has no room.
func TestPlace(t *testing.T) {
	decks := map[string][]Pane{}
	for _, cores := range []int{1, 2, 4, 8, 16, 64, 256} {
		decks[fmt.Sprint("linux ", cores)] = linuxDeck(cores)
		decks[fmt.Sprint("windows ", cores)] = windowsDeck(cores)
	}
	n, step := 300, 1
	if testing.Short() {
		n, step = 40, 5
	}
	for seed := range n {
		decks[fmt.Sprint("random ", seed)] = randomDeck(uint64(seed))
	}
	for name, panes := range decks {
		t.Run(name, func(t *testing.T) { sweepDeck(t, panes, step) })
	}
}

func sweepDeck(t *testing.T, panes []Pane, step int) {
	type said struct{ rows, columns, limit int }
	above := map[int][]said{} // by width
	main := 0
	for i := range panes {
		if !panes[i].Spare {
			main++
		}
	}
	for h := MinHeight; h <= 100; h += step {
		var before []said
		for w := MinWidth; w <= 300; w += step {
			body := NewFrame(w, h).Body
			placed := Place(body, Division{}, panes)
			now := make([]said, len(panes))
			hidden := 0
			for i := range placed {
				p := &placed[i]
				now[i].rows, now[i].columns, now[i].limit = facts(&panes[i], p)
				if p.Hidden {
					if !panes[i].Spare {
						hidden++
					}
					continue
				}
				if hidden > 0 && main < len(panes) {
					t.Fatalf("%dx%d: pane %d has a place, one of more worth has none: %+v", w, h, i, placed)
				}
				if !body.holds(p.Rect) || p.W < MinPaneWidth && panes[i].Form != FormCells || p.H < 1 {
					t.Fatalf("%dx%d: pane %d of %+v at %+v", w, h, i, panes, p)
				}
				if p.Rows < 1 || p.Bare && p.H > 2 || !p.Bare && p.H < 2 {
					t.Fatalf("%dx%d: pane %d says nothing: %+v", w, h, i, p)
				}
				for k := range i {
					if !placed[k].Hidden && placed[k].overlaps(p.Rect) {
						t.Fatalf("%dx%d: %d over %d: %+v", w, h, i, k, placed)
					}
				}
			}
			for k, o := range placed { // what is spare comes after what others of its column use
				for i, p := range placed {
					useful := panes[i].target(3)
					if panes[k].Spare && panes[k].Form != FormCells && !o.Hidden && !panes[i].Spare && p.X == o.X && p.W == o.W && p.H < useful && !p.Hidden {
						t.Fatalf("%dx%d: spare pane %d has a place, pane %d %d of %d lines: %+v", w, h, k, i, p.H, useful, placed)
					}
				}
			}
			if hidden > 0 && main <= body.H {
				t.Fatalf("%dx%d: %d of %d panes have no place: %+v", w, h, hidden, main, placed)
			}
			for i := range now {
				for n, was := range [][]said{before, above[w]} {
					if was != nil && (now[i].rows < was[i].rows || now[i].columns < was[i].columns) {
						t.Fatalf("%dx%d: pane %d said %v on a %s body, now %v: %+v\n%+v", w, h, i, was[i], [...]string{"narrower", "lower"}[n], now[i], panes[i], placed)
					}
				}
			}
			if cells, leaves := unused(body, panes, placed); leaves && cells > body.W*body.H*30/100 {
				t.Fatalf("%dx%d: %d %% unused of\n%+v\n%+v", w, h, 100*cells/(body.W*body.H), panes, placed)
			}
			before, above[w] = now, now
		}
	}
}

// thousand are more panes than any screen has lines.
func thousand() []Pane {
	out := make([]Pane, 1000)
	for i := range out {
		if out[i] = (Pane{Rows: 1 + i%20, Draws: true}); i%7 == 0 {
			out[i] = Pane{Form: FormTable, Instances: 100}
		}
	}
	return out
}

// Of more panes than there are lines the first have one each, and one line is left to count the
// others in.
func TestPlaceOfManyPanes(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {120, 36}, {300, 100}} {
		body := NewFrame(size[0], size[1]).Body
		for i, p := range Place(body, Division{}, thousand()) {
			if p.Hidden != (i >= body.H-1) || !p.Hidden && (p.H != 1 || p.Y != body.Y+i) {
				t.Fatalf("%v: pane %d is at %+v", size, i, p)
			}
		}
	}
}

func BenchmarkPlace(b *testing.B) {
	for name, panes := range map[string][]Pane{"default": linuxDeck(16), "thousand": thousand()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Place(Rect{W: 120, H: 34}, Division{}, panes)
			}
		})
	}
}
