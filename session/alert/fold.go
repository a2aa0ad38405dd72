package alert

import (
	"fmt"
	"slices"
	"time"
)

// Notice is what is told at once: one event, or several of one rule that came in
// a burst.
type Notice struct {
	Event
	More []Event // besides the first
}

// Count is how many events the notice tells of.
func (n *Notice) Count() int { return 1 + len(n.More) }

// The limits of folding: so many notices of one rule may go out in foldSpan; what
// comes besides is told together at its end.
const (
	foldFree = 5
	foldSpan = time.Minute
)

// Folder makes notices of events, so that hundreds that come at once are told
// once. Times are monotonic.
type Folder struct {
	bursts map[groupKey]*burst
}

type burst struct {
	since time.Duration
	sent  int
	held  []Event
}

// NewFolder returns a folder that has seen nothing.
func NewFolder() *Folder { return &Folder{bursts: map[groupKey]*burst{}} }

// Take adds events and returns what is to be told now: the events that nobody
// held back, and acts, which are never folded.
func (f *Folder) Take(events []Event, now time.Duration) []Notice {
	out := f.Due(now)
	batches := map[groupKey][]Event{}
	var order []groupKey
	for _, ev := range events {
		if ev.Kind.IsAct() || ev.Held != "" {
			out = append(out, Notice{Event: ev})
			continue
		}
		key := groupKey{ev.ID.Rule, ev.Kind}
		if batches[key] == nil {
			order = append(order, key)
		}
		batches[key] = append(batches[key], ev)
	}
	for _, key := range order {
		out = append(out, f.takeBatch(key, batches[key], now)...)
	}
	return out
}

// takeBatch adds events of one rule and kind that came at once.
func (f *Folder) takeBatch(key groupKey, events []Event, now time.Duration) (out []Notice) {
	b := f.bursts[key]
	if b == nil || now-b.since >= foldSpan {
		b = &burst{since: now}
		f.bursts[key] = b
	}
	if len(b.held) > 0 || b.sent >= foldFree {
		b.held = append(b.held, events...)
		return nil
	}
	if len(events) > foldFree-b.sent {
		b.sent++
		return []Notice{together(events)}
	}
	for _, ev := range events {
		b.sent++
		out = append(out, Notice{Event: ev})
	}
	return out
}

func together(events []Event) Notice { return Notice{Event: events[0], More: slices.Clone(events[1:])} }

// Due returns what was kept back long enough.
func (f *Folder) Due(now time.Duration) []Notice {
	var due []groupKey
	for key, b := range f.bursts {
		if now-b.since >= foldSpan {
			due = append(due, key)
		}
	}
	slices.SortFunc(due, func(a, b groupKey) int { return f.order(a, b) })
	var out []Notice
	for _, key := range due {
		if held := f.bursts[key].held; len(held) > 0 {
			out = append(out, together(held))
		}
		delete(f.bursts, key)
	}
	return out
}

// order is that of what was kept back.
func (f *Folder) order(a, b groupKey) int {
	first := func(k groupKey) uint64 {
		if held := f.bursts[k].held; len(held) > 0 {
			return held[0].Seq
		}
		return 0
	}
	return int(first(a)) - int(first(b))
}

// Rest returns all that is kept back, as when the program ends.
func (f *Folder) Rest() []Notice { return f.Due(1<<63 - 1) }

// Line is the notice in one line, without its time.
func (n *Notice) Line() string {
	if len(n.More) == 0 {
		return n.Text()
	}
	hosts := map[string]bool{n.ID.Host: true}
	for i := range n.More {
		hosts[n.More[i].ID.Host] = true
	}
	line := fmt.Sprintf("%s, and %d more", n.Text(), len(n.More))
	if len(hosts) > 1 {
		line += fmt.Sprintf(" on %d hosts", len(hosts))
	}
	return line
}

// ValueText is the value for programs: all its digits, or empty.
func (e *Event) ValueText() string {
	if !e.HasValue {
		return ""
	}
	return number(e.Value)
}

// LimitText is the limit for programs: all its digits, or empty.
func (e *Event) LimitText() string {
	if e.Op == 0 {
		return ""
	}
	return number(e.Limit)
}
