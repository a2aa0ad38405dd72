package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"perfdeck/session/system/tty"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/terminal"
)

// output is the way of a drawn canvas to the terminal: our painter, which
// writes only what changed, or bubbletea's renderer.
type output interface { //nolint:interfacebloat // all that two ways to a terminal do each in theirs
	show(c *canvas.Canvas, now bool) (all bool) // what had no room, or can wait, is to be shown later, if it is wanted still
	view(title string) tea.View
	repaint()
	isSlow() bool
	isBehind() bool // what was shown has not come through
	setSheet(*themes.Sheet)
	modeReport(tea.ModeReportMsg)
	setMouse(on bool) tea.Cmd
	copy(text string) tea.Cmd
	lend(to func() error) error // gives the terminal away until that returns
	owns() bool                 // the terminal is ours, not bubbletea's
	ask() tea.Cmd               // what the terminal is, behind what it is asked otherwise
	settle()                    // waits for what it still answers, before bubbletea gives it back
}

// painted writes through our painter to a terminal that is ours.
type painted struct {
	term    *terminal.Terminal
	painter *canvas.Painter // onto line
	line    *tty.Line
	fail    func(error)
	lacks   bool // not all is shown
}

func (p *painted) show(c *canvas.Canvas, now bool) (all bool) {
	if p.lacks = !now && p.line.IsBehind(); p.lacks {
		return false
	}
	err := p.paint(c)
	if err == nil && p.line.IsFull() && p.term.Anew() == nil { // else it is seconds until this is seen
		p.repaint()
		err = p.paint(c)
	}
	if err != nil {
		p.fail(err)
	}
	return !p.lacks
}

// leastPiece is a piece of a picture, in bytes, for which it is worth to move about.
const leastPiece = 100

func (p *painted) paint(c *canvas.Canvas) error {
	room, slow := p.line.Room()
	if !slow {
		return p.painter.Paint(c)
	}
	if p.lacks = room < leastPiece; p.lacks {
		return nil
	}
	all, err := p.painter.PaintWithin(c, room)
	p.lacks = !all
	return err
}

func (p *painted) isSlow() bool {
	_, slow := p.line.Room()
	return slow
}

func (p *painted) isBehind() bool { return p.lacks || p.line.IsBehind() }

func (p *painted) view(string) tea.View { return tea.View{} }
func (p *painted) repaint()             { p.painter.Invalidate() }
func (p *painted) setSheet(s *themes.Sheet) {
	p.painter.SetSheet(s)
}

// modeReport takes note that the terminal knows synchronized output.
func (p *painted) modeReport(m tea.ModeReportMsg) {
	if m.Mode != ansi.ModeSynchronizedOutput {
		return
	}
	caps := p.painter.Caps()
	caps.Sync = m.Value == ansi.ModeSet || m.Value == ansi.ModeReset
	p.painter.SetCaps(caps)
}

// copy sets the clipboard by OSC 52.
func (p *painted) copy(text string) tea.Cmd {
	if err := p.term.SetClipboard(text); err != nil {
		p.fail(err)
	}
	return nil
}

// setMouse takes the mouse, or leaves it to the terminal.
func (p *painted) setMouse(on bool) tea.Cmd {
	if err := p.term.SetMouse(on); err != nil {
		p.fail(err)
	}
	return nil
}

func (p *painted) lend(to func() error) error { return p.term.Lend(to) }
func (p *painted) owns() bool                 { return true }
func (p *painted) ask() tea.Cmd               { return nil }
func (p *painted) settle()                    {}

// rendered hands strings to bubbletea's renderer.
type rendered struct {
	sheet *themes.Sheet
	mouse bool
	text  string
	input *terminal.Input
	watch func() // gives the terminal back whatever happens
}

func (o *rendered) show(c *canvas.Canvas, _ bool) (all bool) {
	o.text = c.Styled(o.sheet)
	return true
}

func (o *rendered) view(title string) tea.View {
	v := tea.NewView(o.text)
	v.AltScreen, v.ReportFocus, v.WindowTitle = true, true, terminal.Title(title)
	if o.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (o *rendered) setMouse(on bool) tea.Cmd     { o.mouse = on; return nil }
func (o *rendered) repaint()                     {}
func (o *rendered) isSlow() bool                 { return false }
func (o *rendered) isBehind() bool               { return false }
func (o *rendered) setSheet(s *themes.Sheet)     { o.sheet = s }
func (o *rendered) modeReport(tea.ModeReportMsg) {}
func (o *rendered) copy(text string) tea.Cmd     { return tea.SetClipboard(printable.Text(text)) }

// lend lends what bubbletea gave back by now.
func (o *rendered) lend(to func() error) error {
	o.input.SettleAfter()
	o.input.Inside(false)
	defer o.input.Inside(true)
	return to()
}
func (o *rendered) owns() bool { return false }

// settle is behind what is drawn last.
func (o *rendered) settle() {
	o.input.Settle()
	o.input.Inside(false)
}

// askAfter is how long bubbletea takes to ask what it wants to know.
const askAfter = 100 * time.Millisecond

func (o *rendered) ask() tea.Cmd {
	o.input.Ask()
	o.input.Inside(true)
	o.watch()
	return tea.Tick(askAfter, func(time.Time) tea.Msg { return tea.RawMsg{Msg: terminal.AskDevice} })
}
