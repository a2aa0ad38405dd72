package canvas

import (
	"os"
	"strings"
	"testing"

	"perfdeck/themes"
)

func rowOf(t *testing.T, w int, set GlyphSet, draw func(r Region)) string {
	t.Helper()
	c := New(w, 1, set)
	draw(c.Root())
	return c.Rows()[0]
}

func TestFields(t *testing.T) {
	tests := []struct {
		name string
		set  GlyphSet
		draw func(r Region)
		want string
	}{
		{"left fits", Full, func(r Region) { r.Left(1, 0, 5, "abc", 0) }, " abc        "},
		{"left cut", Full, func(r Region) { r.Left(0, 0, 5, "abcdefgh", 0) }, "abcd…       "},
		{"left cut ascii", ASCII, func(r Region) { r.Left(0, 0, 5, "abcdefgh", 0) }, "abc..       "},
		{"right", Full, func(r Region) { r.Right(0, 0, 7, "gone", 0) }, "   gone     "},
		{"right cut", Full, func(r Region) { r.Right(0, 0, 3, "denied", 0) }, "de…         "},
		{"middle", Full, func(r Region) { r.Middle(0, 0, 11, "0123456789abcdef", 0) }, "0123…abcdef "},
		{"middle fits", Full, func(r Region) { r.Middle(0, 0, 11, "0123", 0) }, "0123        "},
		{"one cell", Full, func(r Region) { r.Left(0, 0, 1, "abc", 0) }, "…           "},
		{"one cell ascii", ASCII, func(r Region) { r.Left(0, 0, 1, "abc", 0) }, ".           "},
		{"no cell", Full, func(r Region) { r.Left(0, 0, 0, "abc", 0) }, "            "},
		{"wide cut", Full, func(r Region) { r.Left(0, 0, 4, "日本語", 0) }, "日…         "},
		{"ascii", ASCII, func(r Region) { r.Text(0, 0, "é日─x", 0) }, "???x        "},
		{"controls", Full, func(r Region) { r.Text(0, 0, "a\x1b[31m\x00\u009bb\u202e\xff", 0) }, "a?[31m??b?? "},
		{"marks are left out", Full, func(r Region) { r.Text(0, 0, "e\u0301a\u0308", 0) }, "ea          "},
		{"negative start", Full, func(r Region) { r.Text(-2, 0, "abcd", 0) }, "cd          "},
		{"wide cut at the left", Full, func(r Region) { r.Text(-1, 0, "日x", 0) }, " x          "},
		{"wide cut at the right", Full, func(r Region) { r.Sub(0, 0, 3, 1).Text(0, 0, "日本", 0) }, "日          "},
		{"half of a wide rune", Full, func(r Region) { r.Text(0, 0, "日本", 0); r.Text(1, 0, "x", 0) }, " x本        "},
		{"fill over a half", Full, func(r Region) { r.Text(0, 0, "日本", 0); r.Repeat(1, 0, 2, '-', 0) }, " --         "},
		{"wide in a fill", Full, func(r Region) { r.Repeat(0, 0, 2, '日', 0) }, "??          "},
	}
	for _, test := range tests {
		if got := rowOf(t, 12, test.set, test.draw); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestRegionsClip(t *testing.T) {
	c := New(6, 3, Full)
	c.Root().Fill(0, 0, 6, 3, '.', 0)
	inner := c.Root().Sub(1, 1, 4, 1).Sub(-1, -5, 99, 99)
	inner.Fill(-9, -9, 999, 999, 'x', 0)
	if got, want := c.String(), "......\n.xxxx.\n......"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if inner.Width() != 99 || inner.Height() != 99 {
		t.Errorf("size %dx%d", inner.Width(), inner.Height())
	}
	Region{}.Text(0, 0, "x", 0)
	Region{}.Fill(0, 0, 9, 9, 'x', 0)
	Region{}.Zone(1)
	if n := (Region{}).Left(0, 0, 3, "abcdef", 0); n != 0 {
		t.Errorf("an empty region drew %d cells", n)
	}
}

func TestTextReportsItsCells(t *testing.T) {
	root := New(10, 1, Full).Root()
	for text, want := range map[string]int{"": 0, "abc": 3, "日本": 4, "e\u0301": 1} {
		if got := root.Text(0, 0, text, 0); got != want || Full.TextWidth(text) != want {
			t.Errorf("Text(%q) = %d, TextWidth %d, want %d", text, got, Full.TextWidth(text), want)
		}
	}
}

func TestLastZoneIsHit(t *testing.T) {
	c := New(10, 4, Full)
	c.Root().Zone(1)
	c.Root().Sub(2, 1, 3, 2).Zone(7)
	c.Root().Sub(20, 20, 3, 2).Zone(9)
	for _, test := range []struct {
		x, y int
		want ZoneID
	}{{0, 0, 1}, {2, 1, 7}, {4, 2, 7}, {5, 2, 1}, {-1, 0, 0}, {10, 0, 0}, {21, 21, 0}} {
		if got := c.Hit(test.x, test.y); got != test.want {
			t.Errorf("Hit(%d, %d) = %d, want %d", test.x, test.y, got, test.want)
		}
	}
	c.Clear(0)
	if got := c.Hit(2, 1); got != 0 {
		t.Errorf("a zone outlived Clear: %d", got)
	}
}

func TestRestyleKeepsText(t *testing.T) {
	c := New(6, 1, Full)
	c.Root().Text(0, 0, "a日b", themes.Accent)
	c.Root().SetBackground(0, 0, 2, 1, themes.Selection)
	c.Root().Restyle(2, 0, 4, 1, themes.Rule)
	if got := c.Rows()[0]; got != "a日b  " {
		t.Errorf("text became %q", got)
	}
	if got, want := c.At(0, 0).Style, themes.Accent.On(themes.Selection); got != want {
		t.Errorf("style %v, want %v", got, want)
	}
	if lead, second := c.At(1, 0).Style, c.At(2, 0).Style; lead != second {
		t.Errorf("halves of a wide rune differ: %v, %v", lead, second)
	}
	if got := c.At(3, 0).Style; got != themes.Rule {
		t.Errorf("not faded: %v", got)
	}
}

func TestNothingPanicsAtAnySize(t *testing.T) {
	for w := -1; w < 4; w++ {
		for h := -1; h < 4; h++ {
			c := New(w, h, Full)
			r := c.Root().Sub(-1, -1, w+2, h+2)
			r.Middle(0, 0, w, "日本語 and text", 0)
			if from, to := r.Span(0, 0, w).Bounds(); to > from && from < 0 {
				t.Errorf("%dx%d: a span from %d to %d", w, h, from, to)
			}
			r.Restyle(-5, -5, 99, 99, themes.Rule)
			c.At(w, h)
			if got := len(c.Rows()); got != max(0, h) {
				t.Errorf("%dx%d has %d rows", w, h, got)
			}
		}
	}
}

// The glyphs are those of the mock-ups.
func TestGlyphsAreThoseOfTheScreens(t *testing.T) {
	for file, set := range map[string]GlyphSet{"deck-one-80x24.txt": Full, "deck-ascii-80x24.txt": ASCII} {
		data, err := os.ReadFile("../testdata/golden/mockups/" + file)
		if err != nil {
			t.Fatal(err)
		}
		g := set.Glyphs()
		for _, glyph := range append(g.Spark[:6:6], g.Rule, g.FocusRule, g.Careful, g.Warning, g.Selected) {
			if !strings.ContainsRune(string(data), glyph) {
				t.Errorf("%s does not show %q", file, glyph)
			}
		}
		for _, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
			if got := set.TextWidth(line); got != 80 {
				t.Errorf("%s: %d cells: %q", file, got, line)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("plain", 5, uint8(0))
	f.Add("日本語\x1b]0;x\x07", 3, uint8(1))
	f.Fuzz(func(t *testing.T, s string, w int, set uint8) {
		c := New(12, 1, GlyphSet(set%3))
		for _, draw := range []func(x, y, w int, s string, st themes.Style) int{c.Root().Left, c.Root().Right, c.Root().Middle} {
			c.Clear(0)
			w := int(uint(w) % 13)
			if n := draw(0, 0, w, s, 0); n > w {
				t.Fatalf("%d cells in a field of %d", n, w)
			}
			for x := range 12 {
				at := c.At(x, 0)
				if at.Rune != continuation {
					if safe, width := safeRune(at.Rune, GlyphSet(set%3) == ASCII); safe != at.Rune || width == 0 {
						t.Fatalf("cell %d holds %U", x, at.Rune)
					}
				}
				if x >= w && at.Rune != ' ' {
					t.Fatalf("drew outside the field of %d: %q", w, c.String())
				}
			}
		}
	})
}
