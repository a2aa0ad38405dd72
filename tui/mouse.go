package tui

import (
	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/pane"
	"perfdeck/tui/pane/replay"
)

// mouse routes what the mouse does. A button that goes down takes hold of what
// lies there; a screen on which things can be dragged is told where it moves.
func (r *root) mouse(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		return r.click(m), true
	case tea.MouseWheelMsg:
		return r.wheel(m), true
	case tea.MouseMotionMsg:
		return r.drag(m.Mouse(), false)
	case tea.MouseReleaseMsg:
		return r.drag(m.Mouse(), true)
	}
	return nil, false
}

func (r *root) click(m tea.MouseClickMsg) tea.Cmd {
	r.grip = nil
	hit, ok := r.hits.Get(r.canvas.Hit(m.X, m.Y))
	if !ok {
		return nil
	}
	if d := r.dialog(); d != nil {
		return d.Click(hit, m.Button)
	}
	if hit.Kind >= replay.HitFirst && r.bar != nil {
		r.grip = &hit
		return r.bar.Click(hit, m.Button)
	}
	if hit.Kind >= hitFrame {
		return r.clickFrame(hit)
	}
	if m.Button == tea.MouseLeft {
		r.grip = &hit
	}
	cmd := r.screen().Click(hit, m.Button)
	if m.Button == tea.MouseRight {
		return tea.Batch(cmd, r.menu())
	}
	return cmd
}

// drag tells the screen where the mouse went with what it took hold of.
func (r *root) drag(m tea.Mouse, released bool) (tea.Cmd, bool) {
	if r.grip == nil || r.dialog() != nil {
		return nil, false
	}
	grip := *r.grip
	frame, bar := r.frame()
	body := frame.Body
	if released {
		r.grip = nil
	}
	if grip.Kind >= replay.HitFirst && r.bar != nil {
		return r.bar.Drag(grip, m.X-bar.X, m.Y-bar.Y, released), true
	}
	dragger, ok := r.screen().(pane.Dragger)
	if !ok {
		return nil, false
	}
	return dragger.Drag(grip, m.X-body.X, m.Y-body.Y, released), true
}

// clickFrame answers clicks on tabs and hints.
func (r *root) clickFrame(hit pane.Hit) tea.Cmd {
	switch hit.Kind {
	case hitTab:
		return pane.Send(pane.GoTo{Tab: pane.Tab(hit.A)})
	case hitHint:
		if maps := r.maps(); hit.A < len(maps) && hit.B < len(maps[hit.A]) {
			if b := &maps[hit.A][hit.B]; b.Why == nil || b.Why() == "" {
				return b.Do()
			}
		}
	}
	return nil
}

func (r *root) wheel(m tea.MouseWheelMsg) tea.Cmd {
	var lines int
	switch m.Button {
	case tea.MouseWheelUp:
		lines = -3
	case tea.MouseWheelDown:
		lines = 3
	default:
		return nil
	}
	if d := r.dialog(); d != nil {
		d.Wheel(lines)
		return nil
	}
	hit, _ := r.hits.Get(r.canvas.Hit(m.X, m.Y))
	r.screen().Wheel(hit, lines)
	return nil
}
