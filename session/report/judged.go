package report

import (
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/replay"
)

// Judged keeps the values that rules judged which are no column of a recording: what they
// make of several counters. Take is alert.BacktestOptions.Judged.
type Judged struct {
	known map[columnKey]bool
	kept  map[alert.ID]*judgedSeries // nil: it is a column
}

// columnKey names a column by what an alert tells of it.
type columnKey struct{ host, set, counter, parent, name string }

// judgedSeries is one of them; of very many values every second, fourth ... is kept.
type judgedSeries struct {
	points []Point
	stride int
	came   int
}

const (
	mostJudged = 20_000 // values of one
	mostKept   = 200    // of them
)

// NewJudged keeps nothing yet.
func NewJudged(player *replay.Player) *Judged {
	j := &Judged{known: map[columnKey]bool{}, kept: map[alert.ID]*judgedSeries{}}
	for _, r := range player.Recordings() {
		for i := range r.Columns {
			if c := &r.Columns[i]; c.Host != nil {
				j.known[keyOf(c)] = true
			}
		}
	}
	return j
}

func keyOf(c *replay.Column) columnKey {
	return columnKey{c.Host.Name(), c.Set.Name, c.Set.Counters[c.Counter].Name, c.Instance.Key.Parent, c.Instance.Key.Name}
}

// Take hears of a value.
func (j *Judged) Take(id alert.ID, at time.Time, value float64) {
	s, known := j.kept[id]
	if !known {
		if !j.known[columnKey{id.Host, id.Set, id.Counter, id.Parent, id.Name}] && len(j.kept) < mostKept*100 {
			s = &judgedSeries{stride: 1}
		}
		j.kept[id] = s
	}
	if s == nil {
		return
	}
	if s.came++; (s.came-1)%s.stride != 0 {
		return
	}
	if len(s.points) == mostJudged {
		for i := range mostJudged / 2 {
			s.points[i] = s.points[2*i]
		}
		s.points = s.points[:mostJudged/2]
		if s.stride *= 2; (s.came-1)%s.stride != 0 {
			return
		}
	}
	s.points = append(s.points, Point{at, value})
}

// of are the values of an alert that is no column; nil: it is one.
func (j *Judged) of(id alert.ID) []Point {
	if j == nil || j.kept[id] == nil {
		return nil
	}
	return j.kept[id].points
}
