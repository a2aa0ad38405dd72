package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/text/eventtext"
	"perfdeck/session/text/printable"
)

// HostEvent is something that a host wrote down of itself: a line of its journal, a record of one
// of its logs. Those that say the same are folded into one. What is foreign is printable, of one line and bounded.
type HostEvent struct {
	Time    time.Time  `json:"time"`               // on our clock, as samples are; of the first
	Until   time.Time  `json:"until,omitzero"`     // of the last; Time where there is one
	Own     time.Time  `json:"own,omitzero"`       // Time as the host's clock had it; zero: how that stands to ours is not known
	Count   int        `json:"count"`              // how many there were
	AtLeast bool       `json:"at_least,omitempty"` // there may have been more, in a gap
	Host    string     `json:"host"`
	Level   EventLevel `json:"level"`
	Log     string     `json:"log,omitempty"`    // where it stood: journal, kernel, System, Application
	Source  string     `json:"source,omitempty"` // who wrote it: a program, a provider
	ID      string     `json:"id,omitempty"`     // what the writer calls this kind: a number, a MESSAGE_ID; may be empty
	Unit    string     `json:"unit,omitempty"`   // the service that it tells of, or whose program wrote it, as Service names instances; may be empty
	PID     uint64     `json:"pid,omitempty"`    // of the process that it tells of; 0: none
	Known   string     `json:"known,omitempty"`  // key of our sentence (session/text/eventtext); empty: there is none
	Names   []string   `json:"names,omitempty"`  // what that sentence names, in its order
	Text    string     `json:"text,omitempty"`   // as the host has it
}

// Bounds of what is foreign in an event.
const (
	MostEventText  = 1000    // characters of a text
	mostEventName  = 256     // characters
	mostEventNames = 16      // of a sentence
	mostEventCount = 1 << 20 // that one stands for: sums of them are numbers still
)

// Settle makes a foreign event fit for any sink: printable, of one line, bounded. It reports false
// for what is none.
func (e *HostEvent) Settle() bool {
	if y := e.Time.Year(); y < 1678 || y > 2261 || e.Level > EventCritical { // of 64 bits of nanoseconds
		return false
	}
	if y := e.Until.Year(); e.Until.Before(e.Time) || y > 2261 {
		e.Until = e.Time
	}
	if y := e.Own.Year(); y < 1678 || y > 2261 {
		e.Own = time.Time{}
	}
	e.AtLeast = e.AtLeast || e.Count > mostEventCount
	e.Count = min(max(e.Count, 1), mostEventCount)
	for _, name := range []*string{&e.Host, &e.Log, &e.Source, &e.ID, &e.Unit} {
		*name = printable.Line(*name, mostEventName)
	}
	if !eventtext.Is(e.Known) {
		e.Known, e.Names = "", nil
	}
	e.Names = slices.Clone(e.Names[:min(len(e.Names), mostEventNames)])
	for i := range e.Names {
		e.Names[i] = printable.Line(e.Names[i], mostEventName)
	}
	e.Text = printable.Line(e.Text, MostEventText)
	return true
}

// EventLevel is how bad a host says an event is.
type EventLevel uint8

// The levels.
const (
	EventInformation EventLevel = iota
	EventWarning
	EventError
	EventCritical
)

var eventLevels = [...]string{"information", "warning", "error", "critical"}

func (l EventLevel) String() string { return eventLevels[min(int(l), len(eventLevels)-1)] }

// MarshalText is the level as String has it.
func (l EventLevel) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

var errEventLevel = errors.New("no level of host events: they are " + strings.Join(eventLevels[:], ", "))

// UnmarshalText reads what MarshalText writes.
func (l *EventLevel) UnmarshalText(text []byte) error {
	at := slices.Index(eventLevels[:], string(text))
	if at < 0 {
		return errEventLevel
	}
	*l = EventLevel(at)
	return nil
}

// Same tells whether two events say the same, so that one stands for both. Each gap is of its own
// time, and lines that nobody gave an id differ by their shape.
func (e *HostEvent) Same(as *HostEvent) bool {
	return e.Host == as.Host && e.Level == as.Level && e.Log == as.Log && e.Source == as.Source && e.ID == as.ID && e.Unit == as.Unit &&
		e.Known == as.Known && slices.Equal(e.Names, as.Names) && e.Known != EventGap && (!e.isPlain() || sameShape(e.Text, as.Text))
}

func (e *HostEvent) isPlain() bool { return e.ID == "" && e.Known == "" }

// EventTimes are when those were that an event stands for, and how many.
type EventTimes struct {
	First, Last time.Time
	Count       int
	AtLeast     bool // there may have been more
}

// Times are those of the event.
func (e *HostEvent) Times() EventTimes {
	return EventTimes{e.Time, Later(e.Time, e.Until), e.Count, e.AtLeast}
}

// With are these and others.
func (t EventTimes) With(o EventTimes) EventTimes {
	return EventTimes{Earlier(t.First, o.First), Later(t.Last, o.Last), t.Count + o.Count, t.AtLeast || o.AtLeast}
}

// After is how many came after a moment: they are taken as spread evenly.
func (t EventTimes) After(at time.Time) int {
	switch {
	case !t.Last.After(at):
		return 0
	case t.First.After(at):
		return t.Count
	}
	before := float64(t.Count-1) * float64(at.Sub(t.First)) / float64(t.Last.Sub(t.First))
	return max(t.Count-1-int(before), 1)
}

// Add folds another one in, which says the same.
func (e *HostEvent) Add(other *HostEvent) {
	if other.Time.Before(e.Time) {
		e.Own, e.Text = other.Own, other.Text
	}
	all := e.Times().With(other.Times())
	e.Time, e.Until, e.Count, e.AtLeast = all.First, all.Last, all.Count, all.AtLeast
}

// UpTo is an event as it was known at a moment, which is not before it.
func (e *HostEvent) UpTo(at time.Time) HostEvent {
	part := *e
	if !e.Until.After(at) {
		return part
	}
	part.Count, part.Until = max(1, e.Count-e.Times().After(at)), at
	switch {
	case e.Known == EventGap && len(e.Names) > 0:
		part.Names = spanOf(e.Time, at)
	case e.Known == EventMore && len(e.Names) > 0:
		part.Names = append([]string{strconv.Itoa(part.Count)}, e.Names[1:]...)
	}
	return part
}

// Keys of events that tell of the log itself: from Time to Until events were not read, the log was
// cleared, there were more of other kinds in the same minute than are kept, or from Time on the log
// cannot be read, until there is a gap of it.
const (
	EventGap     = "gap"
	EventCleared = "cleared"
	EventMore    = "more"
	EventDenied  = "denied"
)

// GapOf tells that a log was not read between two moments, of which the first may not be known.
func GapOf(log string, from, until time.Time) HostEvent {
	e := HostEvent{Time: until, Until: until, Count: 1, Level: EventWarning, Log: log, Known: EventGap}
	if !from.IsZero() && from.Before(until) {
		e.Time, e.Names = from, spanOf(from, until)
	}
	return e
}

func spanOf(from, until time.Time) []string {
	return []string{english.Span(until.Sub(from).Round(time.Second))}
}

// IsOfLog tells whether an event tells of the log itself.
func (e *HostEvent) IsOfLog() bool {
	return e.Known == EventGap || e.Known == EventCleared || e.Known == EventMore || e.Known == EventDenied
}

// Title is what can be said of an event anywhere: our sentence or who wrote it, and how often. What
// the host says in its own words is not in it.
func (e *HostEvent) Title() string { return e.said(cmp.Or(e.sentence(), e.Name())) }

// Line is Title, with what the host says where we have no sentence for it.
func (e *HostEvent) Line() string {
	said := e.sentence()
	if said == "" {
		if said = e.Name(); e.Text != "" {
			said += ": " + e.Text
		}
	}
	return e.said(said)
}

func (e *HostEvent) sentence() string { return eventtext.Sentence(e.Known, e.Names) }

// Name is who wrote an event, and as what. A log into which every user may write is named, too.
func (e *HostEvent) Name() string {
	const longest = 16 // a number; MESSAGE_IDs say nothing to people
	name := cmp.Or(e.Source, e.Unit, e.Log)
	if e.ID != "" && len(e.ID) < longest {
		name += " " + e.ID
	}
	if e.Log == "Application" {
		name = e.Log + " log, " + name
	}
	return name
}

// said is a text with how often it was so.
func (e *HostEvent) said(text string) string {
	if e.IsOfLog() || e.Count <= 1 && !e.AtLeast {
		return text
	}
	text = strings.TrimRight(text, ".") + ", "
	if e.AtLeast {
		text += "at least "
	}
	if text += english.Times(max(1, e.Count)); e.Until.Sub(e.Time) >= time.Second {
		text += " in " + english.Span(e.Until.Sub(e.Time).Round(time.Second))
	}
	return text
}

// Bounds of what is kept of a host: kinds in a minute, and events in all.
const (
	minuteKinds = 64
	keptEvents  = 20_000
)

// HostEvents keeps events of one host within bounds: those that say the same in the same minute are
// one, of too many kinds in a minute the least severe are counted only, and of too many in all
// the least severe and oldest are dropped.
type HostEvents struct {
	kept  []HostEvent
	given bool // kept was given away, and is not written to any more
	rest  map[kindOfEvent]bool
	of    time.Time // the minute of which rest has the kinds
}

// kindOfEvent is what tells one kind from another.
type kindOfEvent struct{ log, source, id, unit, known, shape string }

// All are the events that are kept, in the order in which they were added; not to be written to.
func (l *HostEvents) All() []HostEvent {
	l.given = true
	return l.kept
}

// Add keeps events, which are the caller's still.
func (l *HostEvents) Add(events ...HostEvent) {
	if len(events) == 0 {
		return
	}
	if l.given {
		l.kept, l.given = slices.Clone(l.kept), false
	}
	for i := range events {
		l.add(&events[i])
	}
	if len(l.kept) > keptEvents {
		l.drop(len(l.kept) - keptEvents*15/16) // not with each that comes
	}
}

// Before puts events in front that were before all others.
func (l *HostEvents) Before(events []HostEvent) {
	var earlier HostEvents
	earlier.Add(events...)
	later := l.kept
	l.kept, l.given = earlier.kept, false
	l.Add(later...)
}

func (l *HostEvents) add(e *HostEvent) {
	minute := e.Time.Truncate(time.Minute)
	kinds, least, more := 0, -1, -1
	for i := len(l.kept) - 1; i >= max(0, len(l.kept)-2*minuteKinds); i-- {
		k := &l.kept[i]
		switch {
		case !k.Time.Truncate(time.Minute).Equal(minute):
		case k.Known == EventMore:
			more = i
		case k.Same(e):
			k.Add(e)
			return
		default:
			if kinds++; least < 0 || k.weight() <= l.kept[least].weight() {
				least = i
			}
		}
	}
	if kinds < minuteKinds || e.IsOfLog() {
		l.kept = append(l.kept, *e)
		return
	}
	if more < 0 {
		more = len(l.kept)
		l.kept = append(l.kept, HostEvent{Time: e.Time, Until: e.Until, Host: e.Host, Log: e.Log, Known: EventMore})
	}
	out := *e
	if e.weight() > l.kept[least].weight() {
		out, l.kept[least] = l.kept[least], *e
	}
	l.countOnly(&l.kept[more], &out, minute)
}

// countOnly counts an event in the line of those that are only counted.
func (l *HostEvents) countOnly(more, e *HostEvent, minute time.Time) {
	const most = 10_000 // kinds that are told apart
	if !l.of.Equal(minute) {
		l.rest, l.of = map[kindOfEvent]bool{}, minute
	}
	if len(l.rest) < most {
		kind := kindOfEvent{e.Log, e.Source, e.ID, e.Unit, e.Known, ""}
		if e.isPlain() {
			kind.shape = shapeOf(e.Text)
		}
		l.rest[kind] = true
	}
	more.Add(e)
	more.Level = max(more.Level, e.Level)
	more.Text, more.Own = "", time.Time{}
	more.Names = []string{strconv.Itoa(more.Count), strconv.Itoa(len(l.rest))}
}

// weight is how much an event matters beside others.
func (e *HostEvent) weight() int {
	switch {
	case e.IsOfLog():
		return 2*int(EventCritical) + 2
	case e.Known != "":
		return 2*int(e.Level) + 1
	}
	return 2 * int(e.Level)
}

// drop drops so many, the least severe and oldest.
func (l *HostEvents) drop(n int) {
	for weight := 0; n > 0; weight++ {
		l.kept = slices.DeleteFunc(l.kept, func(e HostEvent) bool {
			is := n > 0 && e.weight() <= weight
			if is {
				n--
			}
			return is
		})
	}
}

// EventSource is a Source whose host writes down what happens on it. It may be asked by any
// goroutine, beside its other uses.
type EventSource interface {
	// Events begins to read. What the host refuses is an error with the right, or the group, that
	// opens it as its hint (failure.Hint).
	Events(ctx context.Context, from EventsFrom) (EventReader, error)
}

// ErrNoEvents is why a host of some kinds tells none.
var ErrNoEvents = failure.Worded("hosts of this kind tell no events", errors.ErrUnsupported)

// EventsOf asks the first of the sources of a host that tells events.
func EventsOf(ctx context.Context, from EventsFrom, of ...Source) (EventReader, error) {
	for _, s := range of {
		if s, ok := s.(EventSource); ok {
			return s.Events(ctx, from)
		}
	}
	return nil, ErrNoEvents
}

// EventsFrom is where reading begins.
type EventsFrom struct {
	Cursor string    // EventReader.Cursor of an earlier reader of this host; else empty, or no longer known there:
	Time   time.Time // the oldest that is wanted, on our clock
}

// EventReader reads the events of a host in the order in which they were written there. It is
// used by one goroutine at a time.
type EventReader interface {
	// Read gives what came since the last Read, folded by what says the same, within bounds; more
	// tells that there is more already. It waits for answers of the host, never for events.
	Read(ctx context.Context) (events []HostEvent, more bool, err error)
	// Every is how often it is worth to read.
	Every() time.Duration
	// Cursor is where the last Read ended.
	Cursor() string
	Close() error
}
