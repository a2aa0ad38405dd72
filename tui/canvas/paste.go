package canvas

// Paste draws all cells of another canvas, blank ones too, its corner at x, y: a
// picture that was drawn once and is kept.
func (r Region) Paste(x, y int, from *Canvas) {
	area := r.Sub(x, y, from.w, from.h).clip
	if r.c == nil || area.x0 >= area.x1 {
		return
	}
	for at := area.y0; at < area.y1; at++ {
		row, source := r.c.row(at), from.row(at-r.oy-y)
		left, right := area.x0-r.ox-x, area.x1-r.ox-x
		if r.c.hasWide {
			breakWide(row, area.x0, area.x1)
		}
		copy(row[area.x0:area.x1], source[left:right])
		if !from.hasWide {
			continue
		}
		r.c.hasWide = true
		if source[left].rune() == continuation { // halves of wide runes that are cut off
			row[area.x0] = pack(' ', source[left].style())
		}
		if right < len(source) && source[right].rune() == continuation {
			row[area.x1-1] = pack(' ', source[right].style())
		}
	}
}
