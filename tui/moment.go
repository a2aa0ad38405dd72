package tui

import (
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/session/text/field"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// defaultSpan is how much time charts show at first.
const defaultSpan = 5 * time.Minute

// shiftSpan changes the span by steps: of the graphs of a deck, else that of charts.
func (r *root) shiftSpan(steps int) {
	if s, ok := r.screen().(pane.Spanned); ok {
		s.ShiftSpan(steps)
		return
	}
	at := 0
	for i, s := range pane.Spans {
		if s <= r.desk.Span {
			at = i
		}
	}
	r.desk.Span = pane.Spans[max(0, min(at+steps, len(pane.Spans)-1))]
	r.say("charts show " + english.Span(r.desk.Span))
}

// moveTo shows another moment on all screens. It does not go beyond what is
// kept.
func (r *root) moveTo(at time.Time) {
	defer func() {
		r.desk.At = at
		for _, w := range r.watched { // those that were recorded before they had samples
			w.once = w.Kept != nil && w.Kept.See(at, r.desk.Reach(), w.Snap) || w.once
		}
	}()
	if at.IsZero() {
		return
	}
	first, last := r.kept()
	if before := r.chart.Earliest(); r.screen() == pane.Screen(r.chart) && !before.IsZero() && before.Before(first) {
		first = before
	}
	switch {
	case last.IsZero():
		r.say("nothing is kept yet")
		at = r.desk.At
	case !at.Before(last):
		at = time.Time{}
	case at.Before(first):
		text := "what is kept begins at " + first.Format("15:04:05")
		if h := r.focused(); h != nil && h.Past != nil {
			text += "   @ goes to a time before that, too"
		}
		r.say(text)
		at = first
	}
	own, _ := r.desk.Sampled()
	for _, h := range r.desk.Hosts {
		if until := h.Snap.Forgotten(); !at.IsZero() && !at.Before(own) && at.Before(until) {
			r.say("of what was shown before " + until.Format(time.TimeOnly) + " what used most is kept: history_memory in the config keeps more")
		}
	}
}

// kept is when the first and the last sample is that any host has, or recordings have of it.
func (r *root) kept() (first, last time.Time) {
	first, last = r.desk.Sampled()
	for _, h := range r.desk.Hosts {
		if h.Kept != nil {
			begin, end := h.Kept.Kept(h.Snap)
			if last = session.Later(last, end); begin.Before(first) && !begin.IsZero() {
				first = begin
			}
		}
	}
	return first, last
}

// goTo is moveTo as the user asked for a moment: what is not kept any more is played, where
// whoever gave the host's values has it.
func (r *root) goTo(at time.Time) {
	first, last := r.kept()
	h := r.focused()
	if h == nil || h.Past == nil || r.options.Records == nil || !last.IsZero() && !at.Before(first) {
		r.moveTo(at)
		return
	}
	const before, after = 15 * time.Minute, 45 * time.Minute
	to := at.Add(after)
	if now := r.desk.Now(); to.After(now) {
		to = now
	}
	name, ahead := h.Past(at.Add(-before), to)
	r.play(name, at.Add(ahead))
}

// shift moves the moment by a time.
func (r *root) shift(by time.Duration) func() {
	return func() {
		at := r.desk.At
		if at.IsZero() {
			_, at = r.kept()
		}
		r.moveTo(at.Add(by))
	}
}

func (r *root) whyNow() string { return keys.When(!r.desk.Past(), "this is now") }

func (r *root) askTime() {
	r.desk.Send(pane.AskText{
		Title: "Go to", Help: "a time as 03:12 or yesterday 03:12, or so long ago as -20m",
		Done: func(text string) error {
			_, last := r.kept()
			at, err := session.ParseMoment(text, last)
			if err == nil {
				r.goTo(at)
			}
			return err
		},
	})
}

// setInterval parses what was typed for the interval.
func (r *root) setInterval(text string) error {
	const least, most = session.MinInterval, 24 * time.Hour
	every, ok := field.ParseTime(text)
	if !ok || every < least || every > most {
		return fmt.Errorf("interval %q: not %s", text, field.Times(least, most))
	}
	r.setEvery(every)
	return nil
}

// setEvery asks for samples at another interval.
func (r *root) setEvery(every time.Duration) {
	r.interval = every
	for _, h := range r.desk.Hosts {
		h.Feed.SetInterval(every)
	}
}

// pause holds the screen; sampling goes on.
func (r *root) pause() {
	r.paused = !r.paused
	if !r.paused {
		for _, w := range r.watched {
			r.takeSnapshot(w)
		}
	}
}
