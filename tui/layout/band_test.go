package layout

import (
	"math/rand/v2"
	"testing"
)

// Columns of a band stand beside each other in its width, panes have one place each, and more room
// never takes one its column or its lines.
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
			had := 0
			for w := 40; w <= 300; w += 5 {
				columns, rows := Band(w, h, panes)
				if rows < 1 || len(columns) == 0 {
					t.Fatalf("%dx%d: %d columns, %d rows: %+v", w, h, len(columns), rows, panes)
				}
				x, seen := 0, map[Value]bool{}
				for c, col := range columns {
					if col.X != x || col.W < leastColumn-1 || col.X+col.W >= w {
						t.Fatalf("%dx%d: column %d is %+v, the one before ends at %d: %+v", w, h, c, col, x, panes)
					}
					x = col.X + col.W + ColumnGap
					for _, v := range append([]Value{{col.Pane, 0}}, col.Below...) {
						if at := (Value{v.Pane, v.Line}); seen[at] {
							t.Fatalf("%dx%d: %+v stands twice: %+v", w, h, at, columns)
						} else {
							seen[at] = true
						}
					}
					if lines := panes[col.Pane].Instances; c > 0 && len(col.Below) > 0 && lines+len(col.Below) > h-1 {
						t.Fatalf("%dx%d: %d lines stand below %d: %+v", w, h, len(col.Below), lines, panes)
					}
				}
				if len(columns) < had {
					t.Fatalf("%dx%d: %d columns, %d on a narrower screen: %+v", w, h, len(columns), had, panes)
				}
				had = len(columns)
			}
		}
	}
}
