package tui

import (
	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/dialog"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/replay"
)

// mouse routes what the mouse does. A button that goes down takes hold of what
// lies there; a screen on which things can be dragged is told where it moves.
func (r *root) mouse(msg tea.Msg) bool {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		r.click(m)
		return true
	case tea.MouseWheelMsg:
		r.wheel(m)
		return true
	case tea.MouseMotionMsg:
		return r.drag(m.Mouse(), false)
	case tea.MouseReleaseMsg:
		return r.drag(m.Mouse(), true)
	}
	return false
}

func (r *root) click(m tea.MouseClickMsg) {
	r.grip = nil
	hit, ok := r.hits.Get(r.canvas.Hit(m.X, m.Y))
	if !ok {
		return
	}
	if d := r.dialog(); d != nil {
		dialog.Click(d, hit, m.Button)
		return
	}
	if hit.Kind >= replay.HitFirst && r.bar != nil {
		r.grip = &grip{hit, r.screen()}
		r.bar.Click(hit, m.Button)
		return
	}
	if hit.Kind >= hitFrame {
		r.clickFrame(hit)
		return
	}
	if m.Button == tea.MouseLeft {
		r.grip = &grip{hit, r.screen()}
	}
	r.screen().Click(hit, m.Button)
	if s, ok := r.screen().(pane.Gripped); ok && r.grip != nil {
		frame, _ := r.frame()
		s.Grip(hit, m.X-frame.Body.X, m.Y-frame.Body.Y)
	}
	if m.Button == tea.MouseRight {
		r.drain() // the menu is about what that selects
		r.menu()
	}
}

// grip is what the mouse holds, and on which screen: on another one it means
// nothing.
type grip struct {
	hit pane.Hit
	on  pane.Screen
}

// drag tells the screen where the mouse went with what it took hold of.
func (r *root) drag(m tea.Mouse, released bool) bool {
	if r.grip == nil {
		return false
	}
	held := *r.grip
	lost := r.dialog() != nil || held.on != r.screen()
	if released || lost {
		r.grip = nil
	}
	if lost {
		return false
	}
	frame, bar := r.frame()
	if held.hit.Kind >= replay.HitFirst && r.bar != nil {
		r.bar.Drag(held.hit, m.X-bar.X, m.Y-bar.Y, released)
		return true
	}
	dragger, ok := held.on.(pane.Dragger)
	if !ok {
		return false
	}
	dragger.Drag(held.hit, m.X-frame.Body.X, m.Y-frame.Body.Y, released)
	return true
}

// clickFrame answers clicks on tabs and hints.
func (r *root) clickFrame(hit pane.Hit) {
	switch hit.Kind {
	case hitTab:
		r.desk.Send(pane.GoTo{Tab: pane.Tab(hit.A)})
	case hitHint:
		if maps := r.maps(); hit.A < len(maps) && hit.B < len(maps[hit.A]) {
			if b := &maps[hit.A][hit.B]; b.Why == nil || b.Why() == "" {
				b.Do()
			}
		}
	}
}

func (r *root) wheel(m tea.MouseWheelMsg) {
	var lines int
	switch m.Button {
	case tea.MouseWheelUp:
		lines = -3
	case tea.MouseWheelDown:
		lines = 3
	default:
		return
	}
	if d := r.dialog(); d != nil {
		d.Wheel(lines)
		return
	}
	hit, _ := r.hits.Get(r.canvas.Hit(m.X, m.Y))
	if hit.Kind >= hitFrame {
		hit = pane.Hit{}
	}
	r.screen().Wheel(hit, lines)
}
