package alerts

import (
	"slices"
	"time"

	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// Recorded is what alerts of a recording have beside those of live hosts: its
// board is that of the moment that is shown, its history that of the whole
// recording.
type Recorded interface {
	pane.Alerts

	WhyFixed() string              // why nothing can be changed
	IsJudged() bool                // to the end of the recording
	EventOf(a *alert.Alert) uint64 // the event that began it; 0: not known
	Seek(at time.Time)             // goes to a moment of the recording
}

// recordedOf are the alerts of the recording that is played, nil without one.
func recordedOf(desk *pane.Desk) Recorded {
	r, _ := desk.Alerts.(Recorded)
	return r
}

// WhyFixed says why nothing can be changed of alerts; empty if it can.
func WhyFixed(desk *pane.Desk) string {
	if r := recordedOf(desk); r != nil {
		return r.WhyFixed()
	}
	return ""
}

// followMoment selects the event at which a recording has arrived, whenever its
// moment is another.
func (s *Screen) followMoment(now time.Time) {
	if recordedOf(s.desk) == nil || now.Equal(s.moment) {
		return
	}
	s.moment = now
	found, newest := len(s.history.Rows), (*alert.Event)(nil)
	for i, row := range s.history.Rows {
		if row.member {
			continue
		}
		ev := row.before(now)
		later := ev != nil && (newest == nil || ev.Time.After(newest.Time))
		if later || ev != nil && ev.Time.Equal(newest.Time) && ev.Kind == alert.Fired && newest.Kind != alert.Fired {
			found, newest = i, ev
		}
	}
	s.history.Place(found)
}

// before is the newest event of a row that is not after a moment, nil if there is
// none.
func (r *eventRow) before(at time.Time) *alert.Event {
	for _, ev := range r.group { // the newest first
		if !ev.Time.After(at) {
			return ev
		}
	}
	if len(r.group) == 0 && !r.event.Time.After(at) {
		return r.event
	}
	return nil
}

// jump goes to the next alert of the recording, or the one before.
func (s *Screen) jump(n int) {
	recorded, now := recordedOf(s.desk), s.desk.Now()
	fired := func(ev alert.Event) bool {
		return ev.Kind == alert.Fired && (n > 0 && ev.Time.After(now) || n < 0 && ev.Time.Before(now))
	}
	history := s.board.History
	if n < 0 {
		history = slices.Clone(history)
		slices.Reverse(history)
	}
	i := slices.IndexFunc(history, fired)
	if i < 0 {
		s.desk.Say("no other alert in the recording on this side")
		return
	}
	recorded.Seek(history[i].Time)
	s.focus = historyPart
	s.desk.MoveTo(time.Time{})
	s.desk.Say(history[i].Text())
}

// findAround takes the values that were judged around an event, where they are
// kept: of a live host those of this run.
func (s *Screen) findAround(d *detail, event uint64, id alert.ID) (ok bool) {
	past, ok := s.desk.Alerts.Around(event)
	kind := alert.Threshold
	if d.rule != nil {
		kind = d.rule.Kind
	}
	t := targetOf(s.desk, id, kind)
	if !ok || len(past.Nanos) == 0 || !t.IsValue() {
		return false
	}
	d.value, d.past, d.around = t, past, true
	return true
}

// reaches tells whether a history has a value at a moment, or just before.
func reaches(p *alert.Past, at time.Time) bool {
	for i := range p.Nanos {
		if before := at.UnixNano() - p.Nanos[i]; before >= 0 && before < int64(graphSpan/2) && p.Number(i) == p.Number(i) {
			return true
		}
	}
	return false
}
