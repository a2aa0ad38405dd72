package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/pane"
)

// What is typed while something is awaited that decides what it means, such as the
// form that asks for an account, is kept for that, in order.

// mostAhead bounds what is kept, in keys, pastes and events of the mouse.
const mostAhead = 1000

// ahead is what was typed ahead, and what it waits for.
type ahead struct {
	kept  []tea.Msg
	waits []*pane.Wait
}

// next is the input that comes next and waits for nothing any more.
func (a *ahead) next() (msg tea.Msg, ok bool) {
	if len(a.kept) == 0 || len(a.waits) > 0 {
		return nil, false
	}
	msg, a.kept = a.kept[0], a.kept[1:]
	return msg, true
}

// drop forgets what was typed, and lets no more wait.
func (a *ahead) drop() (dropped int) {
	dropped = len(a.kept)
	*a = ahead{}
	return dropped
}

// text says what is awaited, "" if nothing is.
func (a *ahead) text() string {
	if len(a.waits) == 0 {
		return ""
	}
	text := a.waits[0].What
	switch n := len(a.kept); n {
	case 0:
	case 1:
		text += "   1 key waits, esc drops it"
	case mostAhead:
		text += "   no more keys can wait, esc drops them"
	default:
		text += "   " + strconv.Itoa(n) + " keys wait, esc drops them"
	}
	return text
}

// putOff keeps input for later where something is awaited. Keys that no dialog takes
// do not wait, and esc goes on without waiting.
func (r *root) putOff(msg tea.Msg) bool {
	if len(r.ahead.waits) == 0 {
		return false
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "ctrl+c", "ctrl+l", "ctrl+z":
			return false
		case "esc":
			n := r.ahead.drop()
			r.pacing.inputs += n + 1
			if n > 0 {
				r.say("dropped what was typed ahead")
			}
			return true
		}
	}
	if len(r.ahead.kept) < mostAhead {
		r.ahead.kept = append(r.ahead.kept, msg)
	} else {
		r.pacing.inputs++
	}
	return true
}

// await has work done beside the screens. What is typed meanwhile is kept if the
// work says what it is for.
func (r *root) await(w pane.Wait) {
	if w.What != "" {
		r.ahead.waits = append(r.ahead.waits, &w)
	}
	r.later(func() tea.Msg { return finished{&w, w.Work()} })
}

// finish does what a work that was awaited brought.
func (r *root) finish(msg finished) {
	awaited := slices.Contains(r.ahead.waits, msg.work)
	r.ahead.waits = slices.DeleteFunc(r.ahead.waits, func(w *pane.Wait) bool { return w == msg.work })
	if msg.done != nil {
		for _, w := range r.watched {
			r.fillDeck(w) // that a host has told its counters may have been what was awaited
		}
		msg.done(awaited)
	}
}
