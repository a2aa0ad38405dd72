package canvas

import "slices"

// worth is what of a frame is written first where not all of it has room: the first row and the
// last one, which tell where the user is and what keys do; then what changed last, as what the
// user did is not to wait for what came before; of that text before graphs.
type worth struct {
	wanted []cell // what the last frame is to show
	fresh  []bool // what it changed
	w      int
}

// take takes a frame, which may be the last one again.
func (w *worth) take(c *Canvas) {
	if len(w.wanted) != len(c.cells) {
		w.wanted, w.fresh = make([]cell, len(c.cells)), make([]bool, len(c.cells))
	}
	w.w = c.w
	if slices.Equal(w.wanted, c.cells) {
		return
	}
	for i, at := range c.cells {
		w.fresh[i] = at != w.wanted[i]
	}
	copy(w.wanted, c.cells)
}

// span is how soon a cell of a row is written, the lower the sooner, and to where the row has
// others of that rank, up to end; row is where the row begins.
func (w *worth) span(row, x, end int) (rank, to int) {
	rank = w.rank(row + x)
	to = x + 1
	for to < end && w.rank(row+to) == rank {
		to++
	}
	return rank, to
}

func (w *worth) rank(i int) (rank int) {
	if i < w.w || i >= len(w.wanted)-w.w {
		return 0
	}
	if rank = 1; isDrawing(w.wanted[i].rune()) {
		rank++
	}
	if !w.fresh[i] {
		rank += 2
	}
	return rank
}

// isMostlyNew tells whether hardly anything stays of what is shown: then it is quicker gone as a
// whole, and nothing old stands beside what is new.
func isMostlyNew(shown, next []cell) bool {
	stays, goes := 0, 0
	for i, at := range shown {
		switch {
		case at.rune() == ' ':
		case at == next[i]:
			stays++
		default:
			goes++
		}
	}
	return goes > 4*stays
}
