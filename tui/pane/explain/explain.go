// Package explain shows where a value comes from: its type, its formula, the
// raw samples and clocks it was made from, and the result.
package explain

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/pane"
)

// Screen explains one value.
type Screen struct {
	pane.Face

	desk   *pane.Desk
	target pane.Target
	units  pane.Units

	told tracer
	why  verdict

	lines []line // as they were drawn last
	made  version
	view  list.View // of the lines
}

// version is what the lines were made for.
type version struct {
	snap  *session.Snapshot
	at    time.Time
	width int
	state session.Phase
	told  int
	why   int
	round uint64 // of the events of the host
}

// New returns the explanation of a value.
func New(desk *pane.Desk, target pane.Target) *Screen {
	s := &Screen{desk: desk, target: target, units: pane.NewUnits(desk.NumbersOf(target.Host))}
	s.Face = pane.Face{Name: "Explain", About: target.Host.Name, Keys: pane.BindKeys([]keys.Binding{
		{Keys: "esc left h", Text: "back", Hint: "back",
			Do: desk.Back},
	}, "scroll", func(m list.Motion) { s.view.Scroll(s.view.Lines(m)) })}
	return s
}

// Selected is the value.
func (s *Screen) Selected() []pane.Target {
	if !s.isThere() {
		return nil
	}
	return []pane.Target{s.target}
}

// isThere tells whether the host is watched still: what it had may be gone
// otherwise.
func (s *Screen) isThere() bool { return slices.Contains(s.desk.Hosts, s.target.Host) }

// Asks are the value and its history, and what limits it.
func (s *Screen) Asks(h *pane.Host) []session.Ask {
	if h != s.target.Host {
		return nil
	}
	return append(s.limited().Asks(), s.target.AskServices()...)
}

// ShowsEvents tells whether events of a host are seen here.
func (s *Screen) ShowsEvents(h *pane.Host) bool { return h == s.target.Host }

// Shows tells whether a host's values are on the screen.
func (s *Screen) Shows(h *pane.Host) bool { return h == s.target.Host }

// Snapshot has nothing to do: the lines are made when they are drawn.
func (s *Screen) Snapshot(*pane.Host) {}

// Click does nothing here.
func (s *Screen) Click(pane.Hit, tea.MouseButton) {}

// Wheel scrolls.
func (s *Screen) Wheel(_ pane.Hit, lines int) { s.view.Scroll(lines) }
