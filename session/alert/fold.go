package alert

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Notice is what is told at once: one event, or several of one rule and kind that came
// in a storm.
type Notice struct {
	Event
	More []Event // besides the first
	// Passed are events that were over before anybody was told: alerts that ended
	// and began again, or the other way round. They come in pairs and are counted.
	Passed []Event
}

// Count is how many events the notice tells of.
func (n *Notice) Count() int { return 1 + len(n.More) }

// The limits of folding.
const (
	// foldFree notices of one rule and kind go out at once in foldSpan, and as many
	// again of alerts that come and go.
	foldFree = 5
	foldSpan = time.Minute
	// What comes besides is told together when nothing came for stormCalm, and at
	// the latest stormSpan after its first.
	stormCalm = 2 * time.Second
	stormSpan = 10 * time.Second
	// An alert that changed so often in foldSpan flaps: it is told once in foldSpan.
	flapping = 4
)

// Folder makes notices of events, so that hundreds that come in a storm are told
// together. The events of one alert are told in their order. Times are monotonic.
type Folder struct {
	budgets map[budgetKey]*budget
	recent  map[ID]*changes
	holds   map[holdKey]*hold
}

// budgetKey is what a budget of single notices is for.
type budgetKey struct {
	rule  string
	kind  EventKind
	again bool // of alerts that were told of in foldSpan before
}

type budget struct {
	since time.Duration
	sent  int
}

// changes are when an alert changed last, the newest last.
type changes struct {
	at [flapping]time.Duration
	n  int // in all
}

// add notes a change and tells how many came in foldSpan before it.
func (c *changes) add(now time.Duration) (before int) {
	for i := range min(c.n, flapping) {
		if now-c.at[flapping-1-i] < foldSpan {
			before++
		}
	}
	copy(c.at[:], c.at[1:])
	c.at[flapping-1] = now
	c.n++
	return before
}

// holdKey tells what is held back of a rule: a storm, or alerts that flap, which
// wait longer.
type holdKey struct {
	rule  string
	flaps bool
}

// hold is what is held back, in the order in which it came.
type hold struct {
	since, last time.Duration // when its first and newest event came
	seq         uint64        // of the first
	order       []ID
	alerts      map[ID]*heldAlert
}

// heldAlert is what is held back of one alert.
type heldAlert struct {
	events []Event // to be told, two at most: the last begin and the last end
	passed []Event
}

// NewFolder returns a folder that has seen nothing.
func NewFolder() *Folder {
	return &Folder{budgets: map[budgetKey]*budget{}, recent: map[ID]*changes{}, holds: map[holdKey]*hold{}}
}

// Fold adds events and returns what is to be told now. Acts, and what nobody is told
// of anyway, are never folded; what is held back of the same alert goes before them.
func (f *Folder) Fold(events []Event, now time.Duration) []Notice {
	out := f.Due(now)
	batches := map[budgetKey][]Event{}
	var order []budgetKey
	waits := map[ID]bool{} // in a batch
	send := func() {
		for _, key := range order {
			out = append(out, f.foldBatch(key, batches[key], now)...)
		}
		clear(batches)
		clear(waits)
		order = nil
	}
	for _, ev := range events {
		if ev.Kind.IsAct() || ev.Held != "" {
			send()
			out = append(append(out, f.releaseOf(ev.ID)...), Notice{Event: ev})
			continue
		}
		if waits[ev.ID] {
			send()
		}
		if f.recent[ev.ID] == nil {
			f.recent[ev.ID] = &changes{}
		}
		before := f.recent[ev.ID].add(now)
		switch {
		case f.join(ev, now):
		case before >= flapping:
			f.hold(holdKey{ev.ID.Rule, true}, ev, now)
		default:
			key := budgetKey{ev.ID.Rule, ev.Kind, before > 1}
			if batches[key] == nil {
				order = append(order, key)
			}
			batches[key], waits[ev.ID] = append(batches[key], ev), true
		}
	}
	send()
	return out
}

// foldBatch adds events of one rule and kind that came at once.
func (f *Folder) foldBatch(key budgetKey, events []Event, now time.Duration) (out []Notice) {
	b := f.budgets[key]
	if b == nil {
		b = &budget{since: now}
		f.budgets[key] = b
	}
	free := max(0, foldFree-b.sent)
	atOnce := b.sent == 0 && len(events) > free // hundreds, the first of a storm
	b.sent += min(len(events), free)
	if atOnce {
		fresh := slices.DeleteFunc(events, func(ev Event) bool { return f.join(ev, now) })
		if len(fresh) > 0 {
			out = append(out, together(fresh))
		}
		return out
	}
	for i, ev := range events {
		switch {
		case f.join(ev, now): // its alert has something before it that is held back
		case i < free:
			out = append(out, Notice{Event: ev})
		default:
			f.hold(holdKey{key.rule, false}, ev, now)
		}
	}
	return out
}

func together(events []Event) Notice { return Notice{Event: events[0], More: slices.Clone(events[1:])} }

// join holds an event back behind what is held back of its alert already.
func (f *Folder) join(ev Event, now time.Duration) bool {
	for _, flaps := range [...]bool{false, true} {
		key := holdKey{ev.ID.Rule, flaps}
		if h := f.holds[key]; h != nil && h.alerts[ev.ID] != nil {
			f.hold(key, ev, now)
			return true
		}
	}
	return false
}

// hold holds an event back.
func (f *Folder) hold(key holdKey, ev Event, now time.Duration) {
	h := f.holds[key]
	if h == nil {
		h = &hold{since: now, seq: ev.Seq, alerts: map[ID]*heldAlert{}}
		f.holds[key] = h
	}
	h.last = now
	a := h.alerts[ev.ID]
	if a == nil {
		a = &heldAlert{}
		h.alerts[ev.ID] = a
		h.order = append(h.order, ev.ID)
	}
	a.events = append(a.events, ev)
	if len(a.events) > 2 { // an end and a begin, or the other way round: nothing changed
		a.passed = append(a.passed, a.events[:2]...)
		a.events = slices.Clone(a.events[2:])
	}
}

// Due returns what was held back long enough.
func (f *Folder) Due(now time.Duration) []Notice {
	maps.DeleteFunc(f.budgets, func(_ budgetKey, b *budget) bool { return now-b.since >= foldSpan })
	maps.DeleteFunc(f.recent, func(_ ID, c *changes) bool { return now-c.at[flapping-1] >= foldSpan })
	return f.release(func(key holdKey, h *hold) bool {
		if key.flaps {
			return now-h.since >= foldSpan
		}
		return now-h.last >= stormCalm || now-h.since >= stormSpan
	})
}

// Rest returns all that is held back, as when the program ends.
func (f *Folder) Rest() []Notice { return f.release(func(holdKey, *hold) bool { return true }) }

// releaseOf returns what is held back together with something of an alert or, if the ID
// names a rule or a host alone, of that.
func (f *Folder) releaseOf(id ID) []Notice {
	return f.release(func(key holdKey, h *hold) bool {
		if id.Set == "" && (id.Rule == "" || id.Host == "") {
			return id.Rule == "" || id.Rule == key.rule
		}
		return h.alerts[id] != nil
	})
}

// release returns what is held back, the oldest first.
func (f *Folder) release(isDue func(holdKey, *hold) bool) (out []Notice) {
	var due []*hold
	maps.DeleteFunc(f.holds, func(key holdKey, h *hold) bool {
		if !isDue(key, h) {
			return false
		}
		due = append(due, h)
		return true
	})
	slices.SortFunc(due, func(a, b *hold) int { return cmp.Compare(a.seq, b.seq) })
	for _, h := range due {
		out = append(out, h.notices()...)
	}
	return out
}

// notices tells what is held back in as few notices as keep the order of each alert:
// what began, what ended, what began again.
func (h *hold) notices() (out []Notice) {
	type group struct {
		again bool
		kind  EventKind
	}
	var began, ended, again []group
	events, passed := map[group][]Event{}, map[group][]Event{}
	for _, id := range h.order {
		a := h.alerts[id]
		for i, ev := range a.events {
			g := group{i > 0 && ev.Kind != Cleared, ev.Kind}
			if events[g] == nil {
				switch {
				case g.again:
					again = append(again, g)
				case g.kind == Cleared:
					ended = append(ended, g)
				default:
					began = append(began, g)
				}
			}
			events[g] = append(events[g], ev)
			if i == len(a.events)-1 {
				passed[g] = append(passed[g], a.passed...)
			}
		}
	}
	for _, g := range slices.Concat(began, ended, again) {
		n := together(events[g])
		n.Passed = passed[g]
		out = append(out, n)
	}
	return out
}

// mostNamed bounds the instances that a line names.
const mostNamed = 20

// Line is the notice in one line, without its time.
func (n *Notice) Line() string {
	text := n.Text()
	if len(n.More) > 0 {
		hosts := map[string]bool{n.ID.Host: true}
		for i := range n.More {
			hosts[n.More[i].ID.Host] = true
		}
		text += fmt.Sprintf(", and %d more", len(n.More))
		if len(hosts) > 1 {
			text += fmt.Sprintf(" on %d hosts", len(hosts))
		}
		text += ": " + strings.Join(n.names(len(hosts) > 1), ", ")
		if len(n.More) > mostNamed {
			text += " ..."
		}
	}
	if pairs := len(n.Passed) / 2; pairs > 0 {
		text += fmt.Sprintf(", %d times back and forth before", pairs)
	}
	return text
}

// names are those of what the notice tells of besides the first.
func (n *Notice) names(hosts bool) (names []string) {
	for i := range n.More[:min(len(n.More), mostNamed)] {
		ev := &n.More[i]
		name := cmp.Or(ev.Instance, ev.ID.Counter)
		if hosts || name == "" {
			name = strings.TrimSuffix(ev.ID.Host+" "+name, " ")
		}
		names = append(names, name)
	}
	return names
}
