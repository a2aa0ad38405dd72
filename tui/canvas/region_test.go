package canvas

import (
	"testing"

	"perfdeck/themes"
)

// A pasted canvas is the same as its cells put one by one, wherever it is cut.
func TestPaste(t *testing.T) {
	from := New(6, 2, Full)
	from.Root().Text(0, 0, "ab広cd", themes.S1)
	from.Root().Text(0, 1, "広..広", themes.S2)
	ground := func() *Canvas {
		c := New(9, 3, Full)
		for y := range 3 {
			c.Root().Text(0, y, "#広#広#広", 0)
		}
		return c
	}
	for x := -7; x <= 10; x++ {
		for y := -3; y <= 3; y++ {
			for clip := range 10 {
				pasted, put := ground(), ground()
				pasted.Root().Sub(0, 0, clip, 3).Sub(x, y, 6, 2).Paste(from)
				r := put.Root().Sub(0, 0, clip, 3)
				for row := range 2 {
					for col := range 6 {
						if cell := from.At(col, row); cell.Rune != continuation {
							r.Put(x+col, y+row, cell.Rune, cell.Style)
						}
					}
				}
				for i, row := range pasted.Rows() {
					if want := put.Rows()[i]; row != want {
						t.Fatalf("at %d,%d in %d columns row %d is %q, want %q", x, y, clip, i, row, want)
					}
				}
			}
		}
	}
	Region{}.Paste(from)
}
