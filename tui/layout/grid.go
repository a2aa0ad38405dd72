package layout

// minHostPane is the fewest rows of a host's pane: its title and five, on narrow screens,
// where all stand one below the other, its title and two.
const (
	minHostPane       = 6
	minNarrowHostPane = 3
	narrowUnder       = 60
)

// Grid is how the panes of several hosts are placed: as many as fit from First
// on, in bands of Columns.
type Grid struct {
	Columns int
	Panes   []Rect // of the hosts First, First+1 ...
	First   int
}

// NewGrid places n panes of equal kind in body (screens.md 5): the number of
// columns follows the width, with three or more one less if that leaves fewer
// empty places; the panes of the last band share its width; a pane never has
// fewer than six rows, or three under 60 cells; what does not fit is paged so that the pane focus is
// shown.
func NewGrid(body Rect, n, focus int) Grid {
	if n < 1 || body.H < 1 || body.W < 1 {
		return Grid{Columns: 1}
	}
	c := gridColumns(body.W, n)
	bands := (n + c - 1) / c
	least := minHostPane
	if body.W < narrowUnder {
		least = minNarrowHostPane
	}
	shown := max(1, min(bands, body.H/least))
	g := Grid{Columns: c}
	if shown < bands {
		g.First = min(focus/c/shown*shown, bands-1) * c
	}
	y := body.Y
	for band := range shown {
		h := body.H / shown
		if band == 0 {
			h += body.H % shown
		}
		from := g.First + band*c
		members := min(c, n-from)
		if members < 1 {
			break
		}
		g.Panes = appendBand(g.Panes, Rect{body.X, y, body.W, h}, members)
		y += h
	}
	return g
}

func gridColumns(w, n int) int {
	most := min(n, Columns(w))
	if most < 3 {
		return most
	}
	empty := func(c int) int { return (c - n%c) % c }
	if empty(most-1) < empty(most) {
		return most - 1
	}
	return most
}

// appendBand shares the width of a band among its panes.
func appendBand(out []Rect, band Rect, members int) []Rect {
	w := (band.W - (members-1)*columnGap) / members
	for i := range members {
		x := band.X + i*(w+columnGap)
		width := w
		if i == members-1 {
			width = band.X + band.W - x
		}
		out = append(out, Rect{x, band.Y, width, band.H})
	}
	return out
}
