package alert

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/lazy"
	"perfdeck/session/text/english"
	"perfdeck/session/text/eventtext"
	"perfdeck/session/text/field"
)

// Count says which of the events that a host writes down are counted, and how many of them in
// which time are too many.
type Count struct {
	Log, Source, ID string // with *; empty: any
	Key             string // of our sentence (session/text/eventtext), instead of these
	MoreThan        int
	Within          time.Duration // 0: DefaultWithin
}

// DefaultWithin is the time in which events are counted.
const DefaultWithin = 10 * time.Minute

// eventWord begins the rules that count events of a host.
const eventWord = "event "

var errCount = failure.WithHint(errors.New("a count of events is not to be read"),
	"write event SOURCE/ID>3 in 10m, event LOG:SOURCE/ID>0 in 10m or event KEY>0 in 10m; * is any")

// SetEvents makes it a rule that counts events: "disk/153>3 in 10m", "System:disk/153>3 in 10m",
// or "disk-retried>3 in 10m" by the key of a sentence. It is read from the right.
func (r *Rule) SetEvents(what string) error {
	r.Kind, r.When, r.Events = EventCount, paths.Alert{}, Count{}
	m := countWords().FindStringSubmatch(what)
	if m == nil {
		return errCount
	}
	more, err := strconv.ParseUint(strings.TrimSpace(m[5]), 10, 31)
	within, ok := field.ParseTime(strings.TrimSpace(m[6]))
	if !ok || within == 0 || err != nil {
		return errCount
	}
	r.Events = Count{anyOf(m[1]), anyOf(m[2]), anyOf(m[3]), strings.TrimSpace(m[4]), int(more), within}
	if c := &r.Events; strings.Contains(m[0], "/") && c.Log+c.Source+c.ID == "" {
		c.Source = anything
	}
	return nil
}

// countWords are the log, the source and the id of events, or a key, how many they are, and in which time.
var countWords = lazy.Regexp(`(?s)\A(?:(?:([^:]*):)?(.*)/([^/]*)|([^/]*))>([^>]*) in (.*)\z`)

const anything = "*"

// anyOf is a pattern, empty for what all fits.
func anyOf(pattern string) string {
	if pattern = strings.TrimSpace(pattern); pattern == anything {
		return ""
	}
	return pattern
}

// Which names what is counted, as SetEvents reads it.
func (c *Count) Which() string {
	if c.Key != "" {
		return c.Key
	}
	text := cmp.Or(c.Source, anything) + "/" + cmp.Or(c.ID, anything)
	if c.Log != "" || strings.Contains(c.Source, ":") {
		text = cmp.Or(c.Log, anything) + ":" + text
	}
	return text
}

// Span is the time in which events are counted.
func (c *Count) Span() time.Duration { return cmp.Or(c.Within, DefaultWithin) }

// String is the count as SetEvents reads it.
func (c *Count) String() string {
	return fmt.Sprintf("%s>%d in %s", c.Which(), c.MoreThan, english.Exact(c.Span()))
}

func (c *Count) check() error {
	switch isKey := c.Key != ""; {
	case isKey && (c.Log != "" || c.Source != "" || c.ID != ""):
		return errors.New("either the key of a sentence, or a log, a source and an id")
	case isKey && !eventtext.Is(c.Key):
		return fmt.Errorf("no sentence has the key %.40q; of others give SOURCE/ID", c.Key)
	case !isKey && c.Log == "" && c.Source == "" && c.ID == "":
		return errors.New("it says of no events that they are counted")
	case strings.Contains(c.ID, "/") || strings.Contains(c.Log, ":"):
		return errors.New("no / in an id, and no : in a log")
	case c.MoreThan < 0 || c.Span() < MinInterval || c.Span() > MaxInterval:
		return fmt.Errorf("more than 0 or more, within %s to %s", english.Exact(MinInterval), english.Exact(MaxInterval))
	}
	return checkText(c.Which())
}

// counts tells whether an event is one of them.
func (c *Count) counts(e *session.HostEvent) bool {
	if c.Key != "" {
		return e.Known == c.Key
	}
	fits := func(pattern, name string) bool { return pattern == "" || paths.Match(pattern, name) }
	return !e.IsOfLog() && fits(c.ID, e.ID) && fits(c.Source, e.Source) && fits(c.Log, e.Log)
}

// isOf tells whether what is counted stands in that log alone, and whether it may stand there, too.
func (c *Count) isOf(log string) (alone, too bool) {
	switch {
	case c.Key != "":
		return eventtext.Log(c.Key) == log, false
	case c.Log != "":
		return paths.Match(c.Log, log), false
	}
	return false, true
}

// tally is the events that a rule counted on a host.
type tally struct {
	groups []session.EventTimes // the newest last
	gap    time.Time            // until then not all was read, or kept
	denied string               // why nothing more is told of what it counts,
	lacks  string               // or the log in which there may be more of it
	newest string               // what the newest of them was
	given  int                  // what was judged last
	sure   bool                 // all of the time was read
}

// mostGroups bounds what is kept of a tally: of more the oldest are taken as one.
const mostGroups = 1000

func (t *tally) add(e *session.HostEvent) {
	if t.groups = append(t.groups, e.Times()); len(t.groups) > mostGroups {
		t.groups[1] = t.groups[1].With(t.groups[0])
		t.groups = t.groups[1:]
	}
	t.newest = told(e)
}

// know notes what an event tells of the log that it is of.
func (t *tally) know(c *Count, e *session.HostEvent) {
	alone, too := c.isOf(e.Log)
	switch e.Known {
	case session.EventDenied:
		if alone {
			t.denied = e.Title()
		}
		if too {
			t.lacks = e.Log
		}
		return
	case session.EventGap, session.EventMore:
		t.gap = session.Later(t.gap, e.Until)
		if e.Log == t.lacks {
			t.lacks = ""
		}
	}
	if alone { // it can be read
		t.denied = ""
	}
}

// told names an event for people: by our sentence, and never by the host's text.
func told(e *session.HostEvent) string {
	name := e.Log + ":" + e.Source
	if e.ID != "" {
		name += "/" + e.ID
	}
	if sentence := eventtext.Sentence(e.Known, e.Names); sentence != "" {
		return sentence + " (" + name + ")"
	}
	return name
}

// since is how many came after a moment.
func (t *tally) since(from time.Time) (n int, sure bool) {
	sure = !t.gap.After(from) && t.lacks == ""
	for i := range t.groups {
		part := t.groups[i].After(from)
		n += part
		sure = sure && (part == 0 || !t.groups[i].AtLeast)
	}
	return n, sure
}

// forget drops what came before a moment.
func (t *tally) forget(before time.Time) {
	t.groups = slices.DeleteFunc(t.groups, func(g session.EventTimes) bool { return !g.Last.After(before) })
}

// eventsOf is how things stand with the events of a host.
type eventsOf struct {
	counts []*series // of rules that count them
	known  bool      // they are read
	why    string    // why not; empty: not yet
}

// wantedEvents are the events of a host, from so long ago on, that a rule counts.
type wantedEvents struct {
	by   *series
	back time.Duration
}

// wantsEvents tells which events of a host are to be read, for each rule: what one counted already
// it is not given again when another begins.
func (g *Engine) wantsEvents(name string) (wanted []wantedEvents) {
	e := g.lock()
	defer g.unlock()
	if h := e.hosts[name]; h != nil {
		for _, s := range h.events.counts {
			wanted = append(wanted, wantedEvents{s, s.rule.Events.Span()})
		}
	}
	return wanted
}

// KnowEvents tells whether the events of a host are read, or why they are not; an empty reason: they are
// not yet.
func (g *Engine) KnowEvents(name string, known bool, why string, now session.Instant) {
	e := g.at(now)
	defer g.unlock()
	h := e.hosts[name]
	if h == nil || h.events.known == known && (known || h.events.why == why) {
		return
	}
	if known {
		why = ""
	}
	h.events.known, h.events.why = known, why
	e.version++
	for _, s := range h.events.counts {
		h.tellEvents(s)
		if !known && why != "" {
			e.lack(s, why)
		}
	}
	e.count(h)
}

// tellEvents notes why a rule is not judged.
func (h *host) tellEvents(s *series) {
	delete(h.problems, s.rule.Name)
	if why := cmp.Or(h.events.why, s.tally.denied); why != "" {
		h.problems[s.rule.Name] = why
	}
}

// ObserveEvents judges what a host wrote down, in the order in which it did.
func (g *Engine) ObserveEvents(name string, events []session.HostEvent, now session.Instant) {
	g.observeEvents(name, nil, events, now)
}

// observeEvents judges them by one rule; nil: by all.
func (g *Engine) observeEvents(name string, by *series, events []session.HostEvent, now session.Instant) {
	e := g.at(now)
	defer g.unlock()
	h := e.hosts[name]
	if h == nil {
		return
	}
	for _, s := range h.events.counts {
		if by != nil && by != s {
			continue
		}
		of := s.tally
		for i := range events {
			ev := &events[i]
			of.know(&s.rule.Events, ev)
			if s.rule.Events.counts(ev) {
				of.add(ev)
				if at := ev.Until; at.After(s.born) { // what came while nobody asked is judged as of now
					e.countAt(s, at)
				}
			}
		}
		h.tellEvents(s)
	}
	h.events.known = h.events.known || len(events) > 0
	e.count(h)
}

// count judges how many events of a host there are by now.
func (e *evaluator) count(h *host) {
	if !h.events.known {
		return
	}
	for _, s := range h.events.counts {
		e.countAt(s, e.now.Wall)
		s.tally.forget(e.now.Wall.Add(-s.rule.Events.Span()))
	}
}

// countAt judges how many events there were at a moment, where that is news.
func (e *evaluator) countAt(s *series, at time.Time) {
	of := s.tally
	n, sure := of.since(at.Add(-s.rule.Events.Span()))
	if of.denied != "" && n <= s.rule.Events.MoreThan {
		e.lack(s, of.denied)
		return
	}
	isNews := n != of.given || sure != of.sure || s.samples == 0 || s.lacks
	if of.given, of.sure = n, sure; isNews || n > s.rule.Events.MoreThan && !s.judge.firing {
		value := cooker.NumberValue(float64(n))
		e.evaluate(s, value, 0)
		e.trace.note(s, value, e.now.Wall)
	}
}

// falls is in how long a count that fires is no longer too high, if nothing comes; by seconds.
func (s *series) falls(now time.Time) time.Duration {
	within := s.rule.Events.Span()
	seconds := sort.Search(int(within/time.Second)+1, func(i int) bool {
		n, _ := s.tally.since(now.Add(time.Duration(i)*time.Second - within))
		return n <= s.rule.Events.MoreThan
	})
	return time.Duration(max(seconds, 1)) * time.Second
}

// shown is how many events there are.
func (t *tally) shown() string {
	text := strconv.Itoa(t.given)
	if !t.sure {
		return "at least " + text
	}
	return text
}
