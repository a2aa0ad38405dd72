package replay

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// runner is the goroutine of a player: it alone reads the tapes.
type runner struct {
	*Player

	ctx   context.Context
	fresh map[*tape]bool // tapes whose hosts get a snapshot at the end of the turn
	pace  pace
}

const (
	// frame is the time between two pictures at least.
	frame = 50 * time.Millisecond
	// budget is how long rows are read between two pictures.
	budget = 40 * time.Millisecond
	// rest is left to what was asked meanwhile.
	rest = time.Millisecond
	// idle is how long is waited when there is nothing to wait for.
	idle = time.Hour
)

func (r *runner) run() {
	r.fresh = map[*tape]bool{}
	for r.ctx.Err() == nil {
		wait := r.turn()
		r.publish()
		r.pause(wait)
	}
}

// turn does what was asked for, and reads the rows that are due. It returns how
// long there is nothing to do.
func (r *runner) turn() time.Duration {
	at, sought, steps := r.orders()
	r.replan(sought)
	for _, t := range r.tapes {
		isNew := sought || t.samples() > t.size
		if (isNew || t.short) && !r.show(t, at, isNew) {
			return 0
		}
	}
	for ; steps > 0; steps-- {
		r.stepOn()
	}
	if steps < 0 && len(r.tapes) == 1 {
		r.goBack(r.tapes[0], -steps)
		steps = 0
	}
	for ; steps < 0; steps++ {
		r.stepBack()
	}
	if len(r.fresh) > 0 {
		r.tell()
	}
	return r.play()
}

// orders takes what was asked of the player.
func (r *runner) orders() (at time.Time, sought bool, steps int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.toEnd {
		r.toEnd = false
		r.grow()
		r.rebase(r.last)
	}
	if r.fell {
		r.fell = false
		r.relocate()
	}
	if r.sought || !r.playing || r.speed != r.pace.speed {
		r.pace, r.reached = pace{}, 0
	}
	if r.sought {
		r.now.mono = r.clock.Now().Mono // the time it took to get here does not count
	}
	at, sought, steps = r.position(r.clock.Now().Mono), r.sought, r.steps
	r.sought, r.steps = false, 0
	return at, sought, steps
}

// grow looks whether the recordings grew. r.mu is held.
func (r *runner) grow() {
	for _, t := range r.tapes {
		if t.isOverlay {
			continue
		}
		if span, err := t.reader.Span(); err == nil && span.Last.After(r.last) {
			r.last = span.Last
			r.survey.wake()
		}
	}
}

// relocate goes to the first moment that has the clocks of the one that is shown, now that more
// is known of them. r.mu is held.
func (r *runner) relocate() {
	at := r.position(r.clock.Now().Mono)
	r.grow()
	line := r.base.line()
	r.zone = r.base.location()
	r.info.Zone = r.zone
	if all := line.Moments(at); line.Falls() && len(all) > 0 {
		at = all[0]
	}
	for _, t := range r.base.tapes {
		if words := logs.SetBack(t.reader, line); len(words) > 0 {
			r.said = filepath.Base(t.source.files[0]) + ": " + words[0]
		}
	}
	r.rebase(at)
	r.sought = true
	r.tell()
}

// replan takes over what the hosts are asked for.
func (r *runner) replan(sought bool) {
	anew := map[*tape]bool{}
	for _, h := range r.hosts {
		asks, changed := h.changedAsks()
		if !changed {
			continue
		}
		isOther, isMore := h.track.ask(asks)
		anew[h.tape] = isMore || anew[h.tape]
		if isOther || isMore {
			r.fresh[h.tape] = true
		}
	}
	for t := range r.fresh {
		t.collect()
		if (anew[t] || t.samples() > t.size) && !sought && !t.short && t.size > 0 {
			r.reread(t)
		}
	}
}

// reread reads a window anew where it is.
func (r *runner) reread(t *tape) {
	if t.isLong() || t.err != nil {
		t.short = true
		return
	}
	t.err = t.reload(0)
}

// show reads the window of a tape at a moment. One that takes long is shown in
// two steps, and left when the moment is another: done is false then.
func (r *runner) show(t *tape, at time.Time, isNew bool) (done bool) {
	r.fresh[t] = true
	if isNew && t.isLong() {
		if t.err = t.load(at, 2, nil); t.err != nil {
			return true
		}
		r.publish()
		r.tell()
	}
	t.err = t.load(at, whole, r.isInterrupted)
	if errors.Is(t.err, errInterrupted) {
		t.err = nil
		delete(r.fresh, t) // what is in the window is not what is to be shown
		r.wake()
		return false
	}
	if t.err != nil {
		t.short = false // it is tried again when somebody asks for it
	}
	r.fresh[t] = true
	return true
}

// isInterrupted tells whether another moment is to be shown.
func (r *runner) isInterrupted() bool {
	if r.ctx.Err() != nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sought
}

// play reads the rows that are due.
func (r *runner) play() time.Duration {
	r.mu.Lock()
	began := r.clock.Now().Mono
	playing, at, speed, started := r.playing, r.position(began), r.speed, r.started
	r.started = false
	r.mu.Unlock()
	if !playing {
		r.catchUp(at)
		return idle
	}
	next := time.Time{} // of the row that is due next
	isOver, late := true, false
	for _, t := range r.tapes {
		reached, ok := r.follow(t, at, began)
		if !ok {
			at, late = reached, true
			r.moveTo(at)
		}
		if t.err != nil {
			r.stop(at)
			return idle
		}
		ahead, more, err := t.peek()
		t.err = err
		if !more {
			continue
		}
		if next.IsZero() || ahead.Before(next) {
			next = ahead
		}
		if !t.isOverlay {
			isOver = false
			r.extend(ahead)
		}
	}
	_, last := r.Bounds()
	if isOver && !at.Before(last) {
		r.end(last, started)
		return idle
	}
	if isOver && next.IsZero() {
		next = last
	}
	ended := r.clock.Now().Mono
	r.measure(moment{at, ended}, speed, late)
	return max(next.Sub(at)/time.Duration(speed), frame-(ended-began), rest)
}

// catchUp reads the rows up to the moment at which it was paused.
func (r *runner) catchUp(at time.Time) {
	for _, t := range r.tapes {
		for t.err == nil {
			ahead, ok, err := t.peek()
			if t.err = err; !ok || ahead.After(at) {
				break
			}
			_, _, t.err = t.advance(ahead, 1)
			r.fresh[t] = true
		}
	}
}

// follow reads the rows of a tape that are due. Where it cannot keep up ok is false and reached
// is how far it came.
func (r *runner) follow(t *tape, at time.Time, began time.Duration) (reached time.Time, ok bool) {
	for {
		took, more, err := t.advance(at, checkRows)
		t.err = err
		if took > 0 {
			r.fresh[t] = true
		}
		switch {
		case err != nil:
			return at, true
		case !more:
			return at, true
		case r.clock.Now().Mono-began > budget || r.isInterrupted():
			return t.newest, false
		}
	}
}

// moveTo makes a moment that was reached the position.
func (r *runner) moveTo(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sought {
		r.rebase(at)
	}
}

// end stops at the end, or begins anew if that is where it was started.
func (r *runner) end(last time.Time, started bool) {
	if started {
		first, _ := r.Bounds()
		r.Seek(first)
		return
	}
	r.stop(last)
	r.tell()
}

// stop ends playing at a moment.
func (r *runner) stop(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sought {
		r.rebase(at)
		r.playing = false
	}
}

// extend notes a sample behind the last one that is known: the recording grew.
func (r *runner) extend(ahead time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ahead.After(r.last) {
		r.last = ahead
		r.survey.wake()
	}
}

// stepOn goes to the next sample of any tape, and those of the others with it
// that are of the same beat.
func (r *runner) stepOn() {
	var next time.Time
	for _, t := range r.tapes {
		at, ok, err := t.peek()
		t.err = err
		if ok && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if next.IsZero() {
		return
	}
	reached := next
	for _, t := range r.tapes {
		at, ok, err := t.peek()
		t.err = err
		if !ok || at.Sub(next) > t.beat() {
			continue
		}
		if took, _, err := t.advance(at, 1); took > 0 {
			t.err, r.fresh[t] = err, true
		}
		if at.After(reached) {
			reached = at
		}
	}
	r.extend(reached)
	r.moveTo(reached)
}

// beat is how near samples of different tapes are of one beat.
func (t *tape) beat() time.Duration { return t.source.interval / 2 }

// goBack goes back by samples, to the first at most.
func (r *runner) goBack(t *tape, samples int) {
	r.fresh[t] = true
	if t.err = t.reload(samples); t.err == nil && t.taken == 0 {
		t.err = t.load(t.source.first, whole, nil)
	}
	if t.taken > 0 {
		r.moveTo(t.newest)
	}
}

// stepBack goes back to the sample before, of the tapes whose newest sample is of
// the last beat.
func (r *runner) stepBack() {
	var newest time.Time
	for _, t := range r.tapes {
		if t.taken > 0 && t.newest.After(newest) {
			newest = t.newest
		}
	}
	var reached time.Time
	for _, t := range r.tapes {
		if t.taken > 0 && newest.Sub(t.newest) <= t.beat() && t.newest.After(r.first) {
			t.err = t.reload(1)
			r.fresh[t] = true
		}
		if t.taken > 0 && t.newest.After(reached) {
			reached = t.newest
		}
	}
	if !reached.IsZero() {
		r.moveTo(reached)
	}
}

// publish hands over snapshots of what changed.
func (r *runner) publish() {
	if len(r.fresh) == 0 {
		return
	}
	at := r.Position()
	for _, h := range r.hosts {
		if r.fresh[h.tape] {
			h.publish(at, h.tape.err)
		}
	}
	clear(r.fresh)
}

// pause waits, until it is woken at the latest.
func (r *runner) pause(d time.Duration) { session.Await(r.ctx, r.clock, d, r.woken) }
