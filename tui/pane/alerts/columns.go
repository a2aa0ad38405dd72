package alerts

// column is one column of a table: min cells at least, want where there is room.
// Columns of a low rank leave first. The rest of the room goes to those that
// want it, by rank.
type column struct {
	min, want int
	rank      int // 0: it is left out
}

const (
	gapW     = 2
	topRank  = 9
	anyWidth = 1 << 12 // wants all that is left
)

// fit gives the columns their widths in w cells, with gaps between; 0: there is
// no room for it.
func fit(w int, columns []column) []int {
	out := make([]int, len(columns))
	left := w + gapW
	for rank := topRank; rank > 0; rank-- {
		for i, c := range columns {
			if c.rank == rank && c.min > 0 && (c.min+gapW <= left || rank == topRank) {
				out[i] = max(0, min(c.min, left-gapW))
				left -= out[i] + gapW
			}
		}
	}
	for rank := topRank; rank > 0; rank-- {
		for i, c := range columns {
			if c.rank == rank && out[i] > 0 && left > 0 {
				more := max(0, min(c.want-out[i], left))
				out[i] += more
				left -= more
			}
		}
	}
	return out
}

// starts are the first cells of the columns from x on.
func starts(x int, widths []int) []int {
	out := make([]int, len(widths))
	for i, w := range widths {
		out[i] = x
		if w > 0 {
			x += w + gapW
		}
	}
	return out
}
