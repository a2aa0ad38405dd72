package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// When the screen is drawn: at once when the user does something, else as values
// come, or more seldom where that is asked for.

// tick keeps the clock in the header going when no snapshot does: each second, or
// where snapshots come as often, as soon as one is late. So a host's silence moves
// nothing, and while snapshots come in time the clock wakes nothing beside them.
func (r *root) tick() tea.Cmd {
	every := time.Second
	if late := r.pacing.drawn.Add(time.Second + lateSnapshot).Sub(r.options.Now()); r.isOften() && late > 0 {
		every = late
	}
	ticks := make(chan clockTick, 1)
	r.pacing.clock, r.pacing.ticks = tickAfter(every, ticks), ticks
	return func() tea.Msg { return <-ticks }
}

func tickAfter(d time.Duration, ticks chan<- clockTick) *time.Timer {
	return time.AfterFunc(d, func() { ticks <- clockTick{} })
}

// isOften tells whether snapshots come as often as the clock ticks.
func (r *root) isOften() bool { return r.interval <= time.Second && !r.paused }

// putOffTick lets the clock wait for the next snapshot, with another timer: one that is
// reset to a later time wakes the runtime at its earlier one, too.
func (r *root) putOffTick() {
	if r.pacing.clock != nil && r.isOften() && r.pacing.clock.Stop() {
		r.pacing.clock = tickAfter(time.Second+lateSnapshot, r.pacing.ticks)
	}
}

// attend sees to what nobody tells of, about each second: how hosts changed, and the
// settings. It reports whether that is to be drawn.
func (r *root) attend() bool {
	r.pacing.attended = r.options.Now()
	if r.options.Attended != nil {
		r.options.Attended()
	}
	for _, w := range r.watched {
		r.noteHost(w)
	}
	r.noteTerminal()
	return r.renew() || r.pacing.turned
}

// noteTerminal draws seldom while the terminal is slow.
func (r *root) noteTerminal() {
	was := r.pacing.slow
	if r.pacing.slow = r.output.isSlow(); was == r.pacing.slow {
		return
	}
	level, text := pane.Careful, "slow terminal: drawn as by --low-bandwidth until it is quick again"
	if was {
		level, text = pane.Info, "the terminal is quick again: drawn as before"
	}
	r.pacing.turned = true
	r.frugal(r.options.LowBandwidth)
	r.note(level, "", text)
	r.say(text)
}

// frugal draws values seldom where that is wanted, or the terminal is slow.
func (r *root) frugal(wanted bool) {
	r.options.LowBandwidth, r.desk.Wipe = wanted, wanted || r.pacing.slow
}

// attendAgain does so with a snapshot, for then the clock does not tick.
func (r *root) attendAgain() bool {
	return r.options.Now().Sub(r.pacing.attended) >= clockDrawing && r.attend()
}

// lateSnapshot is how long after its time a snapshot counts as late.
const lateSnapshot = 150 * time.Millisecond

// gather is how long the answers of other hosts are waited for before they are
// drawn together.
const gather = 20 * time.Millisecond

// How seldom values are drawn where that is asked for, or where nobody looks.
// Keys are always answered at once.
const (
	clockDrawing   = 900 * time.Millisecond // of the clock in the header, when nothing else is new
	frugalDrawing  = 3 * time.Second
	blurredDrawing = 5 * time.Second
	behindWait     = 100 * time.Millisecond // for what was drawn before to be shown
)

// patience is how long new values wait, in their feeds, to be taken and drawn: what
// is shown is what keys and mouse mean.
func (r *root) patience() time.Duration {
	var wait time.Duration
	if len(r.desk.Hosts) > 1 {
		wait = gather
	}
	return max(wait, r.rests(0))
}

// rests is how long nothing is drawn unless the user does something, where it is
// drawn each usual time otherwise.
func (r *root) rests(usual time.Duration) time.Duration {
	every := usual
	if r.desk.Wipe {
		every = max(every, frugalDrawing)
	}
	if r.pacing.blurred && r.isFilled() {
		every = max(every, blurredDrawing)
	}
	rests := r.pacing.drawn.Add(every).Sub(r.options.Now())
	if r.output.isBehind() {
		return max(rests, behindWait)
	}
	return rests
}

// isFilled tells whether every host that answers has shown a rate: before that
// nothing is drawn seldom.
func (r *root) isFilled() bool {
	for _, h := range r.desk.Hosts {
		if h.Sampler.State().Phase == session.Live && h.Timeline().Next() < 3 {
			return false
		}
	}
	return true
}

// drawSoon draws once for all that comes until then.
func (r *root) drawSoon(wait time.Duration) {
	if r.pacing.drawing != 0 {
		return
	}
	r.pacing.drawings++
	r.pacing.drawing = r.pacing.drawings
	draw := drawNow{r.pacing.drawing}
	r.later(tea.Tick(wait, func(time.Time) tea.Msg { return draw }))
}

// Keys that come in a burst, as over a slow line, are shown together: what they did
// is shown when no other came for a moment, which nobody feels, and now and then
// while they go on.
const (
	burstGap   = time.Millisecond
	burstTries = 16
)

// isInput tells whether a message is what the user did.
func isInput(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		return true
	}
	return false
}

// showAfter shows what a message changed: at once, or soon after input.
func (r *root) showAfter(msg tea.Msg) {
	switch {
	case r.pacing.showing: // that is shown soon anyway
	case isInput(msg):
		r.pacing.showing = true
		r.showSoon(0)
	default:
		r.present(false)
	}
}

func (r *root) showSoon(tries int) {
	inputs := r.pacing.inputs
	r.later(tea.Tick(burstGap, func(time.Time) tea.Msg { return showNow{inputs, tries} }))
}

// showUnlessMore shows what was drawn, unless there was more input meanwhile.
func (r *root) showUnlessMore(msg showNow) {
	if msg.inputs != r.pacing.inputs && msg.tries < burstTries {
		r.showSoon(msg.tries + 1)
		return
	}
	r.pacing.showing = false
	r.present(true)
}
