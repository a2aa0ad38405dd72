package alerts

import (
	"cmp"
	"slices"
	"time"

	"perfdeck/session/alert"
)

// holdAfterKey is how long rows keep their places after a key was pressed: what
// somebody is about to act on does not move away.
const holdAfterKey = 2 * time.Second

// refresh makes the rows anew when the board or what is chosen of it changed.
func (s *Screen) refresh(now time.Time) {
	board := s.desk.Board()
	sorts := s.held && now.Sub(s.touched) >= holdAfterKey
	if board == s.board && !s.dirty && !sorts {
		s.followMoment(now)
		return
	}
	again := s.dirty
	s.board, s.dirty = board, false
	s.refreshActive(now)
	s.refreshRules()
	s.refreshHistory(again)
	s.followMoment(now)
}

func (s *Screen) refreshActive(now time.Time) {
	s.alerts = s.alerts[:0]
	for _, a := range s.board.Active {
		if s.passes(func() *facts { return alertFacts(a, now) }) {
			s.alerts = append(s.alerts, a)
		}
	}
	if s.held = false; now.Sub(s.touched) < holdAfterKey {
		s.holdOrder()
	}
	ids := make([]alert.ID, len(s.alerts))
	for i, a := range s.alerts {
		ids[i] = a.ID
	}
	s.active.Set(ids)
}

// holdOrder leaves the alerts in the places that they had; new ones come last.
// They are sorted later.
func (s *Screen) holdOrder() {
	was := make(map[alert.ID]int, len(s.active.Keys()))
	for i, id := range s.active.Keys() {
		was[id] = i
	}
	place := func(a *alert.Alert) int {
		if at, ok := was[a.ID]; ok {
			return at
		}
		return len(was)
	}
	s.held = !slices.IsSortedFunc(s.alerts, func(a, b *alert.Alert) int { return cmp.Compare(place(a), place(b)) })
	slices.SortStableFunc(s.alerts, func(a, b *alert.Alert) int { return cmp.Compare(place(a), place(b)) })
}

func (s *Screen) refreshRules() {
	s.status = s.status[:0]
	var names []string
	for i := range s.board.Rules {
		if r := &s.board.Rules[i]; s.passes(func() *facts { return ruleFacts(r) }) {
			s.status, names = append(s.status, r), append(names, r.Name)
		}
	}
	s.rules.Set(names)
}

// eventKey names a row of the history: an event, or the line that stands for a
// group of them.
type eventKey struct {
	seq  uint64
	head bool
}

// eventRow is a row of the history.
type eventRow struct {
	event  *alert.Event   // of the line of a group its newest
	group  []*alert.Event // of the line of a group: all, the newest first
	member bool           // of a group that is opened
}

// refreshHistory folds the events, the newest first. It does nothing while no
// event came, unless something else asks for it.
func (s *Screen) refreshHistory(again bool) {
	history := s.board.History
	newest := uint64(0)
	if n := len(history); n > 0 {
		newest = history[n-1].Seq
	}
	if newest == s.newest && !again {
		return
	}
	s.newest = newest
	var told []*alert.Event
	told, s.acks = withAcks(history)
	told = slices.DeleteFunc(told, func(ev *alert.Event) bool { return !s.passes(func() *facts { return eventFacts(ev) }) })
	groups := map[uint64][]*alert.Event{}
	for _, ev := range slices.Backward(told) {
		groups[ev.Group] = append(groups[ev.Group], ev)
	}
	s.events = s.events[:0]
	var keys []eventKey
	for _, ev := range slices.Backward(told) {
		group := groups[ev.Group]
		switch {
		case len(group) == 1 || ev.Group == 0:
			s.events, keys = append(s.events, eventRow{event: ev}), append(keys, eventKey{seq: ev.Seq})
		case group[0] != ev: // it was told of with the newest of them
		default:
			s.events, keys = append(s.events, eventRow{event: ev, group: group}), append(keys, eventKey{ev.Group, true})
			if !s.opened[ev.Group] {
				continue
			}
			for _, member := range group {
				s.events, keys = append(s.events, eventRow{event: member, member: true}), append(keys, eventKey{seq: member.Seq})
			}
		}
	}
	s.history.Set(keys)
}

// withAcks leaves out the acknowledgements of alerts that the history tells of:
// they belong to the line of the alert, by its Seq.
func withAcks(history []alert.Event) (told []*alert.Event, acks map[uint64]*alert.Event) {
	acks = map[uint64]*alert.Event{}
	firing := map[alert.ID]uint64{}
	for i := range history {
		ev := &history[i]
		switch ev.Kind {
		case alert.Fired:
			firing[ev.ID] = ev.Seq
		case alert.Cleared:
			delete(firing, ev.ID)
		case alert.Acked:
			if seq, ok := firing[ev.ID]; ok {
				acks[seq] = ev
				continue
			}
		default:
		}
		told = append(told, ev)
	}
	return told, acks
}

// eventsOf are the events of a row: of a group all.
func (s *Screen) eventsOf(key eventKey) []*alert.Event {
	i := s.history.At(key)
	if i < 0 {
		return nil
	}
	if row := &s.events[i]; row.group != nil {
		return row.group
	}
	return []*alert.Event{s.events[i].event}
}
