package canvas

import (
	"math/rand/v2"
	"testing"

	"perfdeck/themes"
)

// What is drawn through a clipped region is the visible part of what is drawn
// whole: over text, over wide runes, in every glyph set. Outside nothing changes
// but the other half of a wide rune that was cut, and no half is left alone.
func TestClippedDrawings(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	const w, h, pad = 40, 8, 60
	for range 2000 {
		set := GlyphSet(rnd.IntN(3))
		x, y, width, height := rnd.IntN(w+20)-20, rnd.IntN(h+4)-4, rnd.IntN(70), 1+rnd.IntN(6)
		draw := func(r Region) {
			for line := range height {
				span := r.Span(0, line, width)
				from, to := span.Bounds()
				for i := from; i < to; i++ {
					span.Put(i, set.Glyphs().Spark[(i+line)%Levels], themes.Series(i))
				}
			}
		}
		part, whole := New(w, h, set), New(w+2*pad, h+2*pad, set)
		background := []string{"ascii text all over, and over again all", "名前は広い、そして続く。名前は広い、そして続く", " "}[rnd.IntN(3)]
		shift := rnd.IntN(2)
		for line := range h {
			part.Root().Text(shift-1, line, background, 0)
		}
		before := part.Rows()
		draw(part.Root().Sub(x, y, width, height))
		draw(whole.Root().Sub(x+pad, y+pad, width, height))
		for cy := range h {
			for cx := range w {
				inside := cx >= x && cx < x+width && cy >= y && cy < y+height
				if want := whole.At(cx+pad, cy+pad); inside && (want.Style != 0 || want.Rune != ' ') && part.At(cx, cy) != want {
					t.Fatalf("set %d: cell %d,%d is %q, want %q:\n%s\nover\n%s", set, cx, cy, part.At(cx, cy).Rune, want.Rune, part, before)
				}
				if part.At(cx, cy).Rune == continuation && (cx == 0 || set.TextWidth(string(part.At(cx-1, cy).Rune)) != 2) {
					t.Fatalf("half a wide rune at %d,%d:\n%s", cx, cy, part)
				}
			}
			if got := set.TextWidth(part.Rows()[cy]); got != w {
				t.Fatalf("row %d takes %d cells:\n%s", cy, got, part)
			}
		}
	}
}

// Zones of a picture are put where it is, as far as they are visible, in the order in which they were drawn.
func TestZonesOfAPicture(t *testing.T) {
	c, on := New(10, 4, Full), New(12, 6, Full)
	c.Root().Sub(8, 1, 5, 2).Zone(7)
	c.Root().Sub(20, 1, 5, 2).Zone(8) // outside
	c.Root().Sub(-1, -1, 3, 3).Zone(9)
	on.Root().Sub(2, 1, 9, 4).Zones(c, 100)
	if got := on.zones; len(got) != 2 || got[0] != (zone{rect{10, 2, 11, 4}, 107}) || got[1] != (zone{rect{2, 1, 4, 3}, 109}) {
		t.Errorf("%v", got)
	}
}
