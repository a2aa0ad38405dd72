package alert

import (
	"cmp"
	"slices"
	"sort"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Timeline is how things stood with rules along a recording, as a Backtest found
// it. It does not change.
type Timeline struct {
	rules    []RuleStatus
	events   []Event
	episodes []*Episode // by their beginning
	around   map[uint64]*Past
	limits   map[valueKey][]*binding
	changes  []time.Time // when an alert begins or ends, ascending

	mu       sync.Mutex
	board    *Board
	from, to time.Time // for which the board holds; zero: for all times
}

// The samples that are kept around an event.
const (
	samplesBefore = 40
	samplesAfter  = 20
	// mostAround bounds the events of which they are kept: the newest.
	mostAround = 4000
	// mostTrails bounds the values that are followed for that.
	mostTrails = 20_000
	// MostEvents bounds the events of a timeline.
	MostEvents = 10_000
)

// trail is the newest values of a series, and the events around which they are kept.
type trail struct {
	samples *session.Trail
	open    []openPast
	episode *Episode
}

// openPast is what is kept of an event, to which samples are added.
type openPast struct {
	*Past

	at uint64 // sample
}

// past is the newest samples.
func (tr *trail) past(most uint64) Past {
	line, values := tr.samples.Series()
	if n := uint64(len(line.Nanos)); n > most {
		line.First, line.Nanos = line.First+n-most, line.Nanos[n-most:]
	}
	return Past{line, values}
}

// follow adds a value to the trail of a series.
func (t *trace) follow(s *series, v cooker.Value, now time.Time) {
	if s.trail == nil {
		if t.trails >= mostTrails {
			return
		}
		t.begin(s)
	}
	tr := s.trail
	next := tr.samples.Add(now, v) + 1
	for _, p := range tr.open {
		*p.Past = tr.past(samplesBefore + next - p.at)
	}
	for len(tr.open) > 0 && next-tr.open[0].at >= samplesAfter {
		tr.open = tr.open[1:]
	}
}

func (t *trace) begin(s *series) {
	t.trails++
	const most = 2 * samplesBefore // more than MaxOf
	s.trail = &trail{samples: session.NewTrail(most)}
}

// leave ends the trail of a series that is not followed any more, as none is without a trace.
func (t *trace) leave(s *series) {
	if t != nil && s.trail != nil {
		t.trails--
		s.trail = nil
	}
}

// mark keeps what is around an event of a series.
func (t *trace) mark(e *evaluator, s *series, kind EventKind) {
	if t == nil || t.around == nil {
		return
	}
	if s.trail == nil {
		t.begin(s)
	}
	tr := s.trail
	if len(t.order) >= mostAround {
		delete(t.around, t.order[0])
		t.order = t.order[1:]
	}
	p := new(tr.past(samplesBefore))
	t.around[e.seq], t.order = p, append(t.order, e.seq)
	tr.open = append(tr.open, openPast{p, p.Next()})
	if !t.withEpisodes {
		return
	}
	switch kind {
	case Fired:
		if len(t.episodes) >= MostEvents {
			return
		}
		tr.episode = &Episode{Alert: s.alert(e), Began: e.beganAt(s), Every: e.interval(s.rule), Event: e.seq}
		t.episodes = append(t.episodes, tr.episode)
	case Cleared:
		if ep := tr.episode; ep != nil {
			ep.Until, ep.Peak = e.now.Wall, s.peak
			tr.episode = nil
		}
	default:
	}
}

// Timeline is that of the rules so far, with the events that Events gave.
func (b *Backtest) Timeline(events []Event) *Timeline {
	board := b.engine.Board()
	c := &Timeline{
		rules: slices.Clone(board.Rules), events: events[:min(len(events), MostEvents)], episodes: b.trace.episodes,
		around: b.trace.around, limits: board.limits,
	}
	active := make(map[ID]*Alert, len(board.Active))
	for _, a := range board.Active {
		active[a.ID] = a
	}
	for _, ep := range c.episodes {
		if a := active[ep.ID]; a != nil && ep.Until.IsZero() {
			ep.Peak = a.Peak
		}
	}
	for i := range c.rules {
		r := &c.rules[i]
		r.Firing, r.Acknowledged, r.Pending, r.Worst, r.IsQuiet = 0, 0, 0, OK, false
		r.Problem = b.problem(r, b.trace.judged[r.Name])
	}
	slices.SortStableFunc(c.episodes, func(x, y *Episode) int { return x.Since.Compare(y.Since) })
	for _, ep := range c.episodes {
		c.changes = append(c.changes, ep.Since)
		if !ep.Until.IsZero() {
			c.changes = append(c.changes, ep.Until)
		}
	}
	slices.SortFunc(c.changes, time.Time.Compare)
	return c
}

// Around are the values that were judged around an event, by its Seq; ok is false
// if they are not kept.
func (c *Timeline) Around(event uint64) (p Past, ok bool) {
	if found := c.around[event]; found != nil {
		return *found, true
	}
	return p, false
}

// EventOf is the Seq of the event that began an alert of a board; 0: not known.
func (c *Timeline) EventOf(a *Alert) uint64 {
	for _, ep := range c.episodes {
		if ep.ID == a.ID && ep.Since.Equal(a.Since) {
			return ep.Event
		}
	}
	return 0
}

// At is how things stood at a moment, with the history of the whole recording;
// the same pointer as long as that is the same.
func (c *Timeline) At(at time.Time) *Board {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.board != nil && !at.Before(c.from) && (c.to.IsZero() || at.Before(c.to)) {
		return c.board
	}
	i := sort.Search(len(c.changes), func(i int) bool { return c.changes[i].After(at) })
	c.from, c.to = time.Time{}, time.Time{}
	if i > 0 {
		c.from = c.changes[i-1]
	}
	if i < len(c.changes) {
		c.to = c.changes[i]
	}
	c.board = c.boardAt(at)
	return c.board
}

func (c *Timeline) boardAt(at time.Time) *Board {
	b := &Board{
		Rules: slices.Clone(c.rules), History: c.events,
		index: map[place]Mark{}, byID: map[ID]*Alert{}, limits: c.limits,
	}
	status := make(map[string]*RuleStatus, len(b.Rules))
	for i := range b.Rules {
		status[b.Rules[i].Name] = &b.Rules[i]
	}
	for _, ep := range c.episodes {
		if ep.Since.After(at) {
			break
		}
		if !ep.Until.IsZero() && !ep.Until.After(at) || b.byID[ep.ID] != nil {
			continue
		}
		if st := status[ep.ID.Rule]; st != nil {
			b.put(new(ep.Alert), st, at)
		}
	}
	sortActive(b.Active)
	return b
}

// sortActive sorts alerts: the worst first, then the newest.
func sortActive(list []*Alert) {
	slices.SortFunc(list, func(x, y *Alert) int {
		return cmp.Or(-cmp.Compare(x.State, y.State), -cmp.Compare(x.Rule.Severity, y.Rule.Severity), y.Since.Compare(x.Since), x.ID.compare(y.ID))
	})
}

// alert is a series as boards show it.
func (s *series) alert(e *evaluator) Alert {
	a := Alert{
		ID: s.id, Rule: &s.rule.Rule, Path: s.pathOf(), Set: s.set, Counter: s.counter, Key: s.instance.Key,
		State: s.state, Since: s.since.Wall, Value: s.value, Peak: s.peak,
		MutedUntil: e.mutedUntil(s), Quiet: s.rule.quiet, By: s.by, At: s.at,
	}
	if s.lacks {
		a.Lacking = s.lacking
	}
	if s.tally != nil {
		a.Counted = s.tally.newest
	}
	if s.rule.Kind.HasLimit() {
		_, a.Of = s.rule.Counts()
		a.Hits = s.judge.hits()
	}
	if s.set != nil && s.set.Instances.Multiple() {
		a.Instance = s.instance.Text()
	}
	return a
}

// Episode is one alert of a recording, from its beginning to its end.
type Episode struct {
	Alert           // as it fired, with the worst value of all of it
	Began time.Time // the first of the samples that fired it
	Until time.Time // when it was well again, or gone; zero: it fires at the end
	Every time.Duration
	Event uint64 // Seq of Fired: see Around
}

// Episodes are the alerts of the timeline in the order in which they fired.
func (c *Timeline) Episodes() []Episode {
	out := make([]Episode, 0, len(c.episodes))
	for _, ep := range c.episodes {
		out = append(out, *ep)
	}
	return out
}

// beganAt is when the first of the samples was taken that fire a series now.
func (e *evaluator) beganAt(s *series) time.Time {
	now := e.now.Wall
	if s.tally != nil && len(s.tally.groups) > 0 {
		return s.tally.groups[0].First
	}
	if s.rule.Kind != Threshold {
		if s.lacks {
			return now.Add(-max(0, e.now.Mono-s.lackedAt))
		}
		return now
	}
	if s.trail == nil {
		return now
	}
	began, left := now, s.judge.hits()-1 // the sample of now is not in the trail yet
	past := s.trail.past(uint64(s.judge.test.of))
	for i := len(past.Nanos) - 1; i >= 0 && left > 0; i-- {
		if s.judge.test.isBeyond(past.Number(i)) {
			began = time.Unix(0, past.Nanos[i]).In(now.Location())
			left--
		}
	}
	return began
}
