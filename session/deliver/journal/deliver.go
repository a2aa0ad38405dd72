package journal

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/text/english"
)

const (
	mostWaiting = 4 << 20        // bytes of what waits
	longest     = 24 * time.Hour // for which anything waits
	mostActions = 100            // of an event
)

// waiting is what is to be delivered, as records say it.
type waiting struct {
	order  []string // of events
	events map[string]*entry
	live   int  // bytes of their lines
	full   bool // that it is was told
}

// entry is an event that waits.
type entry struct {
	event  alert.Event
	left   []alert.Action
	notice string   // the key of the first event of its notice; empty: it has none yet
	more   []string // keys; of the first
	passed []string
	size   int // bytes of its line
}

func newWaiting() waiting { return waiting{events: map[string]*entry{}} }

// read does what a record says.
func (w *waiting) read(r *record, size int) {
	switch {
	case r.Event != nil:
		if left, ok := parseActions(r.Do); ok && !r.Event.Kind.IsAct() {
			w.add(&entry{event: *r.Event, left: left, size: size})
		}
	case len(r.Notice) > 0:
		w.form(r)
	case r.Done != "":
		w.finish(r)
	}
}

// parseActions reads what is to be done. That is something that is delivered.
func parseActions(texts []string) (out []alert.Action, ok bool) {
	if len(texts) == 0 || len(texts) > mostActions {
		return nil, false
	}
	for _, text := range texts {
		a, ok := alert.ParseAction(text)
		if !ok || !a.Do.IsKept() || slices.Contains(out, a) {
			return nil, false
		}
		out = append(out, a)
	}
	return out, true
}

func (w *waiting) add(e *entry) {
	key := e.event.Key()
	if w.events[key] != nil {
		return
	}
	w.events[key] = e
	w.order = append(w.order, key)
	w.live += e.size
}

// form does what a record about a notice says. An event is told once.
func (w *waiting) form(r *record) {
	first := w.events[r.Notice[0]]
	if first == nil || first.notice != "" {
		return
	}
	first.notice = r.Notice[0]
	join := func(keys []string) (joined []string) {
		for _, key := range keys {
			if e := w.events[key]; e != nil && e.notice == "" {
				e.notice = first.notice
				joined = append(joined, key)
			}
		}
		return joined
	}
	first.more, first.passed = join(r.Notice[1:]), join(r.Passed)
}

// finish does what a record about an action that is done says.
func (w *waiting) finish(r *record) {
	e := w.events[r.Done]
	if e == nil {
		return
	}
	e.left = slices.DeleteFunc(e.left, func(a alert.Action) bool { return r.Action == "" || a.String() == r.Action })
	if len(e.left) == 0 {
		w.remove(r.Done)
	}
}

// remove lets go of an event and of all that is told with it.
func (w *waiting) remove(key string) {
	e := w.events[key]
	gone := []string{key}
	if first := w.events[e.notice]; first != nil {
		gone = slices.Concat([]string{e.notice}, first.more, first.passed)
	}
	for _, key := range gone {
		if e := w.events[key]; e != nil {
			w.live -= e.size
			delete(w.events, key)
		}
	}
	w.order = slices.DeleteFunc(w.order, func(key string) bool { return w.events[key] == nil })
	w.full = w.full && len(w.order) > 0
}

// giveUp gives up the events that waited too long, old of them, and, where they are too many,
// the oldest.
func (w *waiting) giveUp(now time.Time, most int) (gone []record, old int, full bool) {
	goal := w.live
	if full = goal > most; full {
		goal = most * 3 / 4
	}
	for _, key := range slices.Clone(w.order) {
		e := w.events[key]
		if e == nil {
			continue
		}
		isOld, before := now.Sub(e.event.Time) > longest, len(w.order)
		if !isOld && w.live <= goal {
			continue
		}
		w.remove(key)
		gone = append(gone, record{Done: key})
		if isOld {
			old += before - len(w.order)
		}
	}
	return gone, old, full
}

// pending is what waits: notices that may have been delivered in part, and events that belong
// to none yet. Their actions are those that are left.
func (w *waiting) pending() (p Pending) {
	pick := func(keys []string) (out []alert.Event) {
		for _, key := range keys {
			if e := w.events[key]; e != nil {
				out = append(out, e.event)
			}
		}
		return out
	}
	for _, key := range w.order {
		e := w.events[key]
		ev := e.event
		ev.Actions = slices.Clone(e.left)
		switch e.notice {
		case "":
			p.Events = append(p.Events, ev)
		case key:
			p.Notices = append(p.Notices, alert.Notice{Event: ev, More: pick(e.more), Passed: pick(e.passed)})
		}
	}
	return p
}

// left is what is to be delivered for an event.
func (w *waiting) left(key string) (out []string) {
	if e := w.events[key]; e != nil {
		for _, a := range e.left {
			out = append(out, a.String())
		}
	}
	return out
}

// untold are the events that wait, but for those that other lines have.
func (w *waiting) untold(told map[string]bool) (out []record) {
	for _, key := range w.order {
		if !told[key] {
			out = append(out, record{Event: &w.events[key].event, Known: true, Do: w.left(key)})
		}
	}
	return out
}

// notices are which of the events that wait are told together.
func (w *waiting) notices() (out []record) {
	for _, key := range w.order {
		if e := w.events[key]; e.notice == key {
			out = append(out, record{Notice: append([]string{key}, e.more...), Passed: e.passed})
		}
	}
	return out
}

// Pending is what waited to be delivered.
type Pending struct {
	// Notices are those that may have been delivered in part, the oldest first; their
	// actions are those that are left.
	Notices []alert.Notice
	// Events belong to no notice yet.
	Events []alert.Event
	Old    int // events that waited too long
}

var errFull = fmt.Errorf("%s wait: the oldest would not survive the end of the program", english.Size(mostWaiting))

// Take makes this process, which leads, the one that keeps what is to be delivered, first what
// an earlier one left. With an error what comes from now on is kept all the same.
func (j *Journal) Take(now time.Time) (p Pending, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	w := newWaiting()
	j.waiting = &w
	if err := j.file.Read(func(lines iter.Seq[[]byte]) { w = read(lines).waiting }); err != nil {
		return p, err
	}
	gone, old, _ := w.giveUp(now, j.most)
	p = w.pending()
	p.Old = old
	return p, j.write(gone, false)
}

// Form notes which events are told together, before they are.
func (j *Journal) Form(n *alert.Notice) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.waiting == nil || j.waiting.events[n.Key()] == nil {
		return nil
	}
	return j.write([]record{{Notice: append([]string{n.Key()}, keys(n.More)...), Passed: keys(n.Passed)}}, false)
}

func keys(events []alert.Event) (out []string) {
	for i := range events {
		out = append(out, events[i].Key())
	}
	return out
}

// Done notes that an action is done for a notice, or will not be.
func (j *Journal) Done(a alert.Action, n *alert.Notice) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	key := n.Key()
	if j.waiting == nil || j.waiting.events[key] == nil || !slices.Contains(j.waiting.events[key].left, a) {
		return nil
	}
	return j.write([]record{{Done: key, Action: a.String()}}, false)
}

// IsKept tells whether all that is to be delivered is on the disk, and writes what is not: one
// that was full may have room again.
func (j *Journal) IsKept() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.waiting != nil && j.file.CatchUp() == nil
}
