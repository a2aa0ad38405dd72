package layout

import "testing"

func TestGridColumns(t *testing.T) {
	for _, c := range []struct{ w, n, want int }{
		{80, 4, 1}, {113, 4, 1}, {114, 4, 2}, {160, 4, 2}, {171, 3, 2}, {172, 3, 3},
		{172, 4, 2}, {200, 4, 2}, {230, 4, 4}, {230, 5, 3}, {300, 1, 1}, {172, 6, 3}, {172, 5, 3},
	} {
		if g := NewGrid(Rect{0, 1, c.w, 46}, c.n, 0); g.Columns != c.want {
			t.Errorf("%d hosts in %d cells: %d columns, want %d", c.n, c.w, g.Columns, c.want)
		}
	}
}

// TestGridFills holds at every size: panes do not overlap, stay inside, fill
// their bands, are tall enough, and the focused one is among them.
func TestGridFills(t *testing.T) {
	for w := 40; w <= 300; w += 7 {
		for h := 10; h <= 100; h += 5 {
			for _, n := range []int{1, 2, 3, 4, 5, 7, 12, 40, 200} {
				for _, focus := range []int{0, n / 2, n - 1} {
					checkGrid(t, Rect{0, 1, w, h}, n, focus)
				}
			}
		}
	}
}

func checkGrid(t *testing.T, body Rect, n, focus int) {
	t.Helper()
	g := NewGrid(body, n, focus)
	if focus < g.First || focus >= g.First+len(g.Panes) {
		t.Fatalf("%v, %d hosts: pane %d is not among %d..%d", body, n, focus, g.First, g.First+len(g.Panes)-1)
	}
	for i, p := range g.Panes {
		if p.X < body.X || p.X+p.W > body.X+body.W || p.Y < body.Y || p.Y+p.H > body.Y+body.H {
			t.Fatalf("%v, %d hosts: pane %d %v outside", body, n, i, p)
		}
		least := minHostPane
		if body.W < 60 {
			least = 3
		}
		if p.H < least && body.H >= least {
			t.Fatalf("%v, %d hosts: pane %d has %d rows", body, n, i, p.H)
		}
		for j, q := range g.Panes[:i] {
			if p.X < q.X+q.W && q.X < p.X+p.W && p.Y < q.Y+q.H && q.Y < p.Y+p.H {
				t.Fatalf("%v, %d hosts: panes %d and %d overlap", body, n, i, j)
			}
		}
	}
}
