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

// renew is refresh now.
func (s *Screen) renew() { s.refresh(s.desk.Now()) }

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
	list := s.active.Rows[:0]
	for _, a := range s.board.Active {
		if s.passes(func() *facts { return alertFacts(a, now) }) {
			list = append(list, &active{Alert: a})
		}
	}
	if s.held = false; now.Sub(s.touched) < holdAfterKey {
		s.holdOrder(list)
	}
	s.active.Put(list)
}

// holdOrder leaves the alerts in the places that they had; new ones come last.
// They are sorted later.
func (s *Screen) holdOrder(list []*active) {
	was := make(map[alert.ID]int, len(s.active.Keys()))
	for i, id := range s.active.Keys() {
		was[id] = i
	}
	place := func(a *active) int {
		if at, ok := was[a.ID]; ok {
			return at
		}
		return len(was)
	}
	byPlace := func(a, b *active) int { return cmp.Compare(place(a), place(b)) }
	s.held = !slices.IsSortedFunc(list, byPlace)
	slices.SortStableFunc(list, byPlace)
}

func (s *Screen) refreshRules() {
	list := s.rules.Rows[:0]
	for i := range s.board.Rules {
		if r := &s.board.Rules[i]; s.passes(func() *facts { return ruleFacts(r) }) {
			list = append(list, r)
		}
	}
	s.rules.Put(list)
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

func (r *eventRow) key() eventKey {
	if r.group != nil {
		return eventKey{r.event.Group, true}
	}
	return eventKey{seq: r.event.Seq}
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
	list := s.history.Rows[:0]
	for _, ev := range slices.Backward(told) {
		group := groups[ev.Group]
		switch {
		case len(group) == 1 || ev.Group == 0:
			list = append(list, &eventRow{event: ev})
		case group[0] != ev: // it was told of with the newest of them
		default:
			list = append(list, &eventRow{event: ev, group: group})
			if !s.opened[ev.Group] {
				continue
			}
			for _, member := range group {
				list = append(list, &eventRow{event: member, member: true})
			}
		}
	}
	s.history.Put(list)
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
	if row := s.history.Rows[i]; row.group != nil {
		return row.group
	}
	return []*alert.Event{s.history.Rows[i].event}
}
