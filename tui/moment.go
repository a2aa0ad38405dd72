package tui

import (
	"fmt"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// defaultSpan is how much time charts show at first.
const defaultSpan = 5 * time.Minute

// spans are the steps by which the span of charts gets shorter and longer.
var spans = []time.Duration{
	30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute,
	30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour,
}

// shiftSpan changes the span by steps: of the graphs of a deck, else that of charts.
func (r *root) shiftSpan(steps int) {
	if s, ok := r.screen().(pane.Spanned); ok {
		s.ShiftSpan(steps)
		return
	}
	at := 0
	for i, s := range spans {
		if s <= r.desk.Span {
			at = i
		}
	}
	r.desk.Span = spans[max(0, min(at+steps, len(spans)-1))]
	r.say("charts show " + intervalText(r.desk.Span))
}

// moveTo shows another moment on all screens. It does not go beyond what is
// kept.
func (r *root) moveTo(at time.Time) {
	if at.IsZero() {
		r.desk.At = at
		return
	}
	first, last := r.desk.Sampled()
	switch {
	case last.IsZero():
		r.say("nothing is kept yet")
		return
	case !at.Before(last):
		at = time.Time{}
	case at.Before(first):
		r.say("what is kept begins at " + first.Format("15:04:05"))
		at = first
	}
	r.desk.At = at
}

// shift moves the moment by a time.
func (r *root) shift(by time.Duration) func() {
	return func() {
		at := r.desk.At
		if at.IsZero() {
			_, at = r.desk.Sampled()
		}
		r.moveTo(at.Add(by))
	}
}

func (r *root) whyNow() string {
	if !r.desk.Past() {
		return "this is now"
	}
	return ""
}

func (r *root) askTime() {
	r.desk.Send(pane.AskText{
		Title: "Go to", Help: "a time as 03:12 or 03:12:30, or so long ago as -20m",
		Done: func(text string) error {
			_, last := r.desk.Sampled()
			at, err := parseMoment(text, last)
			if err == nil {
				r.moveTo(at)
			}
			return err
		},
	})
}

// parseMoment reads a time of the day, the last one before now, a date with a
// time, or how long before now.
func parseMoment(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if ago, ok := strings.CutPrefix(text, "-"); ok {
		if d, err := time.ParseDuration(ago); err == nil {
			return now.Add(-d), nil
		}
	}
	for _, form := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(form, text); err == nil {
			at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, now.Location())
			if at.After(now) {
				at = at.AddDate(0, 0, -1)
			}
			return at, nil
		}
	}
	for _, form := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05"} {
		if at, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("time %q: not as 03:12, 2026-03-02 03:12 or -20m", text)
}

// setInterval parses what was typed for the interval.
func (r *root) setInterval(text string) error {
	every, err := ParseInterval(text)
	if err != nil {
		return err
	}
	r.interval = every
	for _, h := range r.desk.Hosts {
		h.Feed.SetInterval(every)
	}
	return nil
}

// ParseInterval reads a number of seconds ("2", "0.5") or a duration ("500ms",
// "1m").
func ParseInterval(text string) (time.Duration, error) {
	const least, most = session.MinInterval, 24 * time.Hour
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if err != nil {
		return 0, fmt.Errorf("interval %q: not a number of seconds, nor a time as 500ms or 1m", text)
	}
	if d < least || d > most {
		return 0, fmt.Errorf("interval %q: must be from 100ms to 24h", text)
	}
	return d, nil
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
