package layout

import (
	"math/rand/v2"
	"testing"
)

// Columns of a band stand beside each other in its width, panes have one place each, and more room
// never takes one its column or its list.
func TestBand(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		panes := make([]Pane, 1+rnd.IntN(12))
		for i := range panes {
			switch o := &panes[i]; rnd.IntN(4) {
			case 0:
				*o = Pane{Form: FormCells, Instances: rnd.IntN(40), Wide: rnd.IntN(2) == 0}
			case 1:
				*o = Pane{Form: FormTable, Instances: Elastic}
			default:
				*o = Pane{Rows: 1 + rnd.IntN(20), Pair: rnd.IntN(2) == 0, Spare: rnd.IntN(4) == 0}
			}
		}
		for h := LeastBand; h <= 60; h += 3 {
			before := 0
			for w := 40; w <= 300; w += 5 {
				body := Rect{W: w, H: 2*h + 1}
				places, now := Place(body, Division{Bands: 2}, panes), 0
				body.H /= 2
				for i, p := range places {
					if p.Hidden {
						continue
					}
					if p.W < leastColumn-1 || p.X+p.W >= w || !body.holds(p.Rect) || p.Rows < 1 || p.Bare && p.Y == 0 {
						t.Fatalf("%dx%d: pane %d is at %+v: %+v", w, h, i, p, panes)
					}
					if !p.Bare && 1+p.Graph+p.Rows > p.H || p.Bare && p.Rows != p.H {
						t.Fatalf("%dx%d: pane %d has too many rows: %+v: %+v", w, h, i, p, panes)
					}
					if !p.Bare || p.Rows == panes[i].Instances {
						now++
					}
					for k, o := range places[:i] {
						if o.W++; !o.Hidden && o.overlaps(p.Rect) {
							t.Fatalf("%dx%d: %d over %d: %+v", w, h, i, k, places)
						}
					}
				}
				if now < max(1, before) {
					t.Fatalf("%dx%d: %d columns and lists, %d on a narrower screen: %+v", w, h, now, before, panes)
				}
				before = now
			}
		}
	}
}

// A band that is higher than graphs tell more has more values in place of that.
func TestHighBand(t *testing.T) {
	panes := []Pane{{Rows: 20}, {Rows: 6}, {Rows: 20, Pair: true}}
	for h := 20; h <= 90; h++ {
		for i, p := range Place(Rect{W: 120, H: h}, Division{Bands: 1}, panes) {
			if p.Graph > mostGraph && p.Rows < panes[i].Rows {
				t.Errorf("%d lines: pane %d has a graph of %d lines above %d of %d rows", h, i, p.Graph, p.Rows, panes[i].Rows)
			}
		}
	}
}

// Of a band that leaves something out most is in use: graphs are no higher than they tell more, and no
// column ends long before the others.
func TestBandIsUsed(t *testing.T) {
	decks := map[string][]Pane{
		"default": {
			{Rows: 9}, {Rows: 7}, {Rows: 10, Pair: true, Spare: true}, {Rows: 9, Pair: true},
			{Form: FormTable, Instances: Elastic, Spare: true},
		},
		"own":   {{Rows: 1}, {Rows: 1}, {Rows: 1}, {Rows: 1}, {Form: FormTable, Instances: Elastic}},
		"few":   {{Rows: 2}, {Form: FormCells, Instances: 4}, {Rows: 20}, {Form: FormTable, Instances: Elastic}, {Rows: 3}},
		"sheer": {{Rows: 20}, {Rows: 20}, {Rows: 20}, {Rows: 20}, {Rows: 20}, {Rows: 20}, {Rows: 20}},
	}
	for name, panes := range decks {
		for h := LeastBand; h <= 98; h++ {
			for w := MinWidth; w <= 300; w += 4 {
				places := Place(Rect{W: w, H: h}, Division{Bands: 1}, panes)
				unused, leaves := w*h, false
				for i, p := range places {
					lines := p.H
					switch o := &panes[i]; {
					case p.Hidden:
						leaves = true
						continue
					case o.isOfInstances():
						lines = min(lines, o.Instances+1)
						leaves = leaves || p.Rows < o.Instances
					default:
						lines = min(p.Graph, mostGraph) + p.Rows + 1
						leaves = leaves || p.Rows < o.Rows
					}
					unused -= (p.W + 1) * min(p.H, lines)
				}
				if share := 100 * unused / (w * h); leaves && share > 30 {
					t.Fatalf("%s, %dx%d: %d %% unused of %+v", name, w, h, share, places)
				}
			}
		}
	}
}
