package dialog

import (
	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// swatchLines is the height of a swatch.
const swatchLines = 9

// sample is a word in a token, after a sign that tells the same.
type sample struct {
	token themes.Token
	sign  func(g *canvas.Glyphs) rune
	bold  bool
}

// swatch is what each token looks like, on the background it stands on most.
var swatch = [][]sample{
	{{token: themes.Text}, {token: themes.Strong, bold: true}, {token: themes.Muted}},
	{{token: themes.Accent, bold: true}, {token: themes.Focus, bold: true}, {token: themes.OK}},
	{
		{token: themes.Careful, sign: func(g *canvas.Glyphs) rune { return g.Careful }},
		{token: themes.Warning, sign: func(g *canvas.Glyphs) rune { return g.Warning }},
	},
	{
		{token: themes.Critical, sign: func(g *canvas.Glyphs) rune { return g.Critical }},
		{token: themes.Stale, sign: func(g *canvas.Glyphs) rune { return g.Stale }},
	},
}

// drawSwatch draws a sample of every token of the theme in use, as a small
// screen: header, values, states, a selected row, series with their letters.
func drawSwatch(r canvas.Region) {
	g := r.Glyphs()
	w := r.Width()
	r.Clear(themes.Text.Style())
	r.Fill(0, 0, w, 1, ' ', themes.Muted.Style().On(themes.Header))
	x := 1 + r.Text(1, 0, "[1 Deck]", themes.Focus.Style().Bold().On(themes.Header)) + 1
	r.Text(x, 0, "header", themes.Muted.Style().On(themes.Header))
	for i, line := range swatch {
		x := 1
		for _, s := range line {
			st := s.token.Style()
			if s.bold {
				st = st.Bold()
			}
			if s.sign != nil {
				x += r.Put(x, 1+i, s.sign(g), st) + 1
			}
			x += r.Text(x, 1+i, s.token.String(), st) + 2
		}
	}
	y := 1 + len(swatch)
	r.Fill(0, y, w, 1, ' ', themes.Text.Style().On(themes.Selection))
	r.Put(0, y, g.Selected, themes.Focus.Style().On(themes.Selection))
	x = 2 + r.Text(2, y, "selection", themes.Text.Style().On(themes.Selection)) + 1
	r.Text(x, y, "71.3", themes.Strong.Style().Bold().On(themes.Selection))
	x = 1
	for _, level := range g.Spark {
		x += r.Put(x, y+1, level, themes.Spark.Style())
	}
	r.Text(x+1, y+1, "spark", themes.Muted.Style())
	r.Repeat(x+8, y+1, w-x-8, g.Rule, themes.Rule.Style())
	for i := range 8 {
		st := themes.Series(i).Style()
		sx, sy := 1+i%4*6, y+2+i/4
		r.Put(sx, sy, 'A'+rune(i), st.Bold())
		r.Repeat(sx+2, sy, 3, g.GraphHalf, st)
	}
}
