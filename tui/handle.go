package tui

import "sync/atomic"

// Handle is a session for those that work beside it from before it is there, and tell it
// things from any goroutine. What they tell it too early is not shown.
type Handle struct {
	session atomic.Pointer[Session]
}

// Set gives the handle its session.
func (h *Handle) Set(s *Session) { h.session.Store(s) }

// AlertsChanged is that of the session.
func (h *Handle) AlertsChanged() {
	if s := h.session.Load(); s != nil {
		s.AlertsChanged()
	}
}

// Note is that of the session.
func (h *Handle) Note(err error) {
	if s := h.session.Load(); s != nil {
		s.Note(err)
	}
}

// Tell is that of the session.
func (h *Handle) Tell(sequences []byte) {
	if s := h.session.Load(); s != nil {
		s.Tell(sequences)
	}
}
