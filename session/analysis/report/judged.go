package report

import (
	"time"

	"perfdeck/cooker/compare"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/replay"
)

// Judged keeps the values that rules judged which are no column of a recording: what they
// make of several counters. Add is alert.BacktestOptions.Judged.
type Judged struct {
	known map[alert.ID]bool // of columns, without rules
	kept  map[alert.ID]*compare.Rows[float64]
}

// The bounds of the alerts that are told apart, and of the values of all of them.
const (
	mostKept   = 20_000
	mostValues = 4_000_000
)

// NewJudged keeps nothing yet.
func NewJudged(player *replay.Player) *Judged {
	j := &Judged{known: map[alert.ID]bool{}, kept: map[alert.ID]*compare.Rows[float64]{}}
	for _, r := range player.Recordings() {
		for i := range r.Columns {
			if c := &r.Columns[i]; c.Host != nil {
				j.known[alertOf(c)] = true
			}
		}
	}
	return j
}

// alertOf is a column as alerts name it.
func alertOf(c *replay.Column) alert.ID {
	return alert.ID{Host: c.Host.Name(), Set: c.Set.Name, Counter: counterOf(c).Name, Parent: c.Instance.Key.Parent, Name: c.Instance.Key.Name}
}

// Add hears of a value.
func (j *Judged) Add(id alert.ID, at time.Time, value float64) {
	of := id
	if of.Rule, of.Number = "", 0; j.known[of] {
		return
	}
	s := j.kept[id]
	if s == nil {
		if len(j.kept) >= mostKept {
			return
		}
		s = new(compare.NewRows[float64](1, 0))
		j.kept[id] = s
	}
	s.Most = min(mostValues/len(j.kept), mostPoints)
	copy(s.Next(at), []float64{value})
}

// of are the values of an alert that is no column; none: it is one.
func (j *Judged) of(id alert.ID) (kept compare.Rows[float64]) {
	if s := j.kept[id]; s != nil {
		return *s
	}
	return kept
}
