package pane

import (
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
)

// Alerts is what screens know of the alert rules, and what they do with them.
// *alert.Watch is one.
type Alerts interface {
	Board() *alert.Board
	Acknowledge(by string, ids ...alert.ID) int
	Mute(by string, scope alert.Scope, until time.Time)
	Enable(by, rule string, on bool) error
	Put(by string, r alert.Rule) error
	Remove(by, rule string) error
	// Around are the values that were judged around an event, by its Seq, where they are kept.
	Around(event uint64) (alert.Past, bool)
}

// Paced are Alerts that know how often rules without an interval are judged; 0: the default.
type Paced interface{ Every() time.Duration }

// Board is how things stand with the alert rules; without any it is empty.
func (d *Desk) Board() *alert.Board {
	if d.Alerts == nil {
		return noAlerts
	}
	return d.Alerts.Board()
}

var noAlerts = new(alert.Board)

// Mark is the alert state of a value.
func (d *Desk) Mark(h *Host, set *session.Counterset, counter int, key session.InstanceKey) alert.Mark {
	return d.Board().Row(h.Name, set, counter, key)
}

// LevelOf is a severity as screens show it.
func LevelOf(s alert.Severity) Level {
	switch s {
	case alert.Careful:
		return Careful
	case alert.Warning:
		return Warning
	}
	return Critical
}

// SignOfMark is the sign of an alert state and its style; ok is false for what
// has none. What was acknowledged keeps its sign without its colour.
func SignOfMark(m alert.Mark, g *canvas.Glyphs) (sign rune, st themes.Style, ok bool) {
	if m.State < alert.Acknowledged {
		return 0, 0, false
	}
	sign, st = SignOf(LevelOf(m.Severity), g)
	if m.State == alert.Acknowledged {
		st = themes.Muted
	}
	return sign, st, true
}

// Threshold is a limit that is watched of a value, unscaled: a line across charts.
type Threshold struct {
	Value float64
	Level Level
	Below bool   // it is watched whether the value is below it
	Text  string // as "> 25 ms critical"
}
