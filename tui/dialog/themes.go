package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// Themes chooses a theme. The one that is selected is shown at once, on the
// whole screen; enter keeps it, esc takes it back.
type Themes struct {
	pane.PlainList

	out *pane.Outbox
	all []themes.Info
	was string
}

// NewThemes returns the list of themes, at first on the one that is in use.
func NewThemes(out *pane.Outbox, all []themes.Info, now string) *Themes {
	at := slices.IndexFunc(all, func(i themes.Info) bool { return i.Name == now })
	d := &Themes{out: out, all: all, was: now}
	d.Resize(len(all))
	d.Select(at)
	return d
}

// Size is the size it would like to have.
func (d *Themes) Size() (w, h int) { return 62, max(len(d.all), swatchLines+4) + 6 }

// Title is the dialog's name.
func (d *Themes) Title() string { return "Themes" }

// Key moves, which shows another theme, keeps it, or takes it back.
func (d *Themes) Key(k tea.KeyPressMsg) {
	switch name := k.String(); name {
	case "esc":
		d.out.Close(nil)
		d.out.Send(pane.SetTheme{Name: d.was, Preview: true})
	case "enter":
		d.choose()
	default:
		if m, ok := list.Plain(name); ok {
			d.moved(func() { d.Move(d.Lines(m)) })
		}
	}
}

// moved shows the theme that a move selects.
func (d *Themes) moved(move func()) {
	before := d.Line()
	move()
	if d.Line() == before || d.current() == nil || d.current().Err != nil {
		return
	}
	d.out.Send(pane.SetTheme{Name: d.current().Name, Preview: true})
}

// choose keeps the selected theme. One that cannot be read stays where it is: its
// error is shown.
func (d *Themes) choose() {
	c := d.current()
	if c == nil || c.Err != nil {
		return
	}
	d.out.Close(nil)
	d.out.Send(pane.SetTheme{Name: c.Name})
}

func (d *Themes) current() *themes.Info {
	if !d.Has() {
		return nil
	}
	return &d.all[d.Line()]
}

// Paste does nothing: there is nothing to type.
func (d *Themes) Paste(string) {}

// Click selects, and keeps the one that is selected.
func (d *Themes) Click(hit pane.Hit, button tea.MouseButton) {
	d.moved(func() {
		if d.Opens(hit, button) {
			d.choose()
		}
	})
}

// Wheel scrolls; a theme that is selected by it is shown.
func (d *Themes) Wheel(lines int) { d.moved(func() { d.Scroll(lines) }) }

// Draw draws the names, and beside or below them what the theme looks like.
func (d *Themes) Draw(f pane.Frame) {
	const nameW, leastSwatch, gap = 18, 26, 2
	body := f.Lines(0, f.Height()-2)
	var names, sample pane.Frame
	if f.Width() >= nameW+gap+leastSwatch {
		names = body.Sub(0, 0, nameW, body.Height())
		sample = body.Sub(nameW+gap, 0, f.Width()-nameW-gap, body.Height())
	} else {
		below := min(swatchLines+1, body.Height()/2)
		names = body.Lines(0, body.Height()-below)
		sample = body.Below(body.Height() - below + 1)
	}
	d.DrawEach(names, len(d.all), d.drawName)
	d.drawSample(sample)
	hints(f, f.Height()-1, "enter", "keep", "esc", "as before")
}

func (d *Themes) drawName(f pane.Frame, i int) {
	st := themes.Text
	if d.all[i].Err != nil {
		st = themes.Critical
		f.Put(f.Width()-1, 0, f.Glyphs().Critical, st)
	}
	f.Left(2, 0, f.Width()-4, d.all[i].Name, st)
}

// drawSample shows the tokens of the theme, or why it cannot be read.
func (d *Themes) drawSample(f pane.Frame) {
	c := d.current()
	if c == nil {
		return
	}
	if c.Err != nil {
		paragraph(f, c.Err.Error(), themes.Critical)
		return
	}
	drawSwatch(f.Lines(0, swatchLines).On(themes.Background).Region)
	about := c.Theme.About
	if !c.IsOwn {
		about = "yours: " + about
	}
	paragraph(f.Below(swatchLines+1), about, themes.Muted)
}

// swatchLines is the height of a swatch.
const swatchLines = 9

// sample is a word in a token, after a sign that tells the same.
type sample struct {
	token themes.Token
	sign  rune // 0: none
	bold  bool
}

// swatch is what each token looks like, on the background it stands on most.
func swatch(g *canvas.Glyphs) [][]sample {
	return [][]sample{
		{{token: themes.Text}, {token: themes.Strong, bold: true}, {token: themes.Muted}},
		{{token: themes.Accent, bold: true}, {token: themes.Focus, bold: true}, {token: themes.OK}},
		{{token: themes.Careful, sign: g.Careful}, {token: themes.Warning, sign: g.Warning}},
		{{token: themes.Critical, sign: g.Critical}, {token: themes.Stale, sign: g.Stale}},
	}
}

// drawSwatch draws a sample of every token of the theme in use, as a small
// screen: header, values, states, a selected row, series with their letters.
func drawSwatch(r canvas.Region) {
	g := r.Glyphs()
	w := r.Width()
	r.Clear(themes.Text)
	r.Fill(0, 0, w, 1, ' ', themes.Muted.On(themes.Header))
	x := 1 + r.Text(1, 0, "[1 Deck]", themes.Focus.Bold().On(themes.Header)) + 1
	r.Text(x, 0, "header", themes.Muted.On(themes.Header))
	lines := swatch(g)
	for i, line := range lines {
		x := 1
		for _, s := range line {
			st := s.token
			if s.bold {
				st = st.Bold()
			}
			if s.sign != 0 {
				x += r.Put(x, 1+i, s.sign, st) + 1
			}
			x += r.Text(x, 1+i, s.token.String(), st) + 2
		}
	}
	y := 1 + len(lines)
	r.Fill(0, y, w, 1, ' ', themes.Text.On(themes.Selection))
	r.Put(0, y, g.Selected, themes.Focus.On(themes.Selection))
	x = 2 + r.Text(2, y, "selection", themes.Text.On(themes.Selection)) + 1
	r.Text(x, y, "71.3", themes.Strong.Bold().On(themes.Selection))
	x = 1
	for _, level := range g.Spark {
		x += r.Put(x, y+1, level, themes.Spark)
	}
	r.Text(x+1, y+1, "spark", themes.Muted)
	r.Repeat(x+8, y+1, w-x-8, g.Rule, themes.Rule)
	for i := range 8 {
		st := themes.Series(i)
		sx, sy := 1+i%4*6, y+2+i/4
		r.Put(sx, sy, 'A'+rune(i), st.Bold())
		r.Repeat(sx+2, sy, 3, g.GraphHalf, st)
	}
}
