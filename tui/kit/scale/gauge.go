package scale

import (
	"time"

	"perfdeck/cooker"
)

// Gauge is the unit and the top of one row, or of rows that are compared: they are
// chosen from what the rows show, and change seldom. The top follows the unit.
type Gauge struct {
	Scale

	chooser cooker.UnitChooser
	unit    cooker.Unit
}

// NewGauge is a gauge that has not chosen yet.
func NewGauge(c cooker.UnitChooser) Gauge { return Gauge{chooser: c} }

// Choose is the unit at a time, from the largest magnitude that is shown then. It
// reports whether it is another one than before.
func (g *Gauge) Choose(largest float64, now time.Time) (u cooker.Unit, changed bool) {
	u = g.chooser.Choose(largest, now)
	changed = u != g.unit
	g.unit = u
	return u, changed
}

// Unit is what was chosen last.
func (g *Gauge) Unit() cooker.Unit { return g.unit }
