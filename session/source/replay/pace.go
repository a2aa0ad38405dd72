package replay

import (
	"math"
	"time"
)

// pace is how far it was played since a moment: large recordings cannot be read as
// fast as the highest speeds want.
type pace struct {
	since moment
	speed int
	late  bool // it fell behind since
}

// paceTime is over how long the pace is taken.
const paceTime = time.Second

// Reached is how many times as fast as it was recorded it is played really, where
// the files cannot be read at the speed; 0 where they can.
func (p *Player) Reached() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reached
}

// measure takes the pace of a player that plays and is at a moment now.
func (r *runner) measure(now moment, speed int, late bool) {
	r.pace.late = r.pace.late || late
	if r.pace.speed != speed {
		r.pace = pace{since: now, speed: speed}
		return
	}
	passed := now.mono - r.pace.since.mono
	if passed < paceTime {
		return
	}
	reached := int(math.Round(float64(now.at.Sub(r.pace.since.at)) / float64(passed)))
	const nearly = 0.95 // of the speed: nobody sees the difference
	if !r.pace.late || float64(reached) >= nearly*float64(speed) {
		reached = 0
	}
	r.pace = pace{since: now, speed: speed}
	r.mu.Lock()
	changed := r.reached != max(reached, 0)
	r.reached = max(reached, 0)
	r.mu.Unlock()
	if changed {
		r.tell()
	}
}
