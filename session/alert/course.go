package alert

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"
)

// Course is how things stood with rules along a recording, as a Backtest found
// it. It does not change.
type Course struct {
	rules    []RuleStatus
	events   []Event
	episodes []*episode // by their beginning
	around   map[uint64]*Past
	limits   map[valueKey][]*binding
	changes  []time.Time // when an alert begins or ends, ascending

	mu       sync.Mutex
	board    *Board
	from, to time.Time // for which the board holds; zero: for all times
}

// episode is one alert from its beginning to its end.
type episode struct {
	alert Alert
	rule  *rule
	began time.Time // the first of the samples that fired it
	every time.Duration
	event uint64    // Seq of Fired
	to    time.Time // zero: it fires at the end of the recording
}

// The samples that are kept around an event.
const (
	samplesBefore = 40
	samplesAfter  = 20
	// mostAround bounds the events of which they are kept: the newest.
	mostAround = 4000
	// mostTrails bounds the values that are followed for that.
	mostTrails = 20_000
	// MostEvents bounds the events of a course.
	MostEvents = 10_000
)

// trail is the newest values of a series, and what is kept around its events.
type trail struct {
	nanos   []int64
	values  []float32
	open    []*Past // to which values are added
	left    []int   // so many of them, to each
	episode *episode
}

// follow adds a value to the trail of a series.
func (t *trace) follow(s *series, f float64, ok bool, now time.Time) {
	if s.trail == nil {
		if t.trails >= mostTrails {
			return
		}
		t.begin(s)
	}
	tr := s.trail
	v := float32(f)
	if !ok {
		v = float32(math.NaN())
	}
	if len(tr.nanos) >= 2*samplesBefore {
		tr.nanos = append(tr.nanos[:0], tr.nanos[samplesBefore:]...)
		tr.values = append(tr.values[:0], tr.values[samplesBefore:]...)
	}
	tr.nanos, tr.values = append(tr.nanos, now.UnixNano()), append(tr.values, v)
	for i, p := range tr.open {
		p.Nanos, p.Values = append(p.Nanos, now.UnixNano()), append(p.Values, v)
		tr.left[i]--
	}
	for len(tr.left) > 0 && tr.left[0] <= 0 {
		tr.open, tr.left = tr.open[1:], tr.left[1:]
	}
}

func (t *trace) begin(s *series) {
	t.trails++
	s.trail = &trail{}
}

// leave ends the trail of a series that is not followed any more.
func (t *trace) leave(s *series) {
	if s.trail != nil {
		t.trails--
		s.trail = nil
	}
}

// around are the values around an event, by its Seq; ok is false if they are not kept.
func (g *Engine) around(event uint64) (p Past, ok bool) {
	e := g.lock()
	defer g.unlock()
	if e.trace == nil || e.trace.around[event] == nil {
		return p, false
	}
	found := e.trace.around[event]
	return Past{Nanos: slices.Clone(found.Nanos), Values: slices.Clone(found.Values)}, true
}

// mark keeps what is around an event of a series.
func (t *trace) mark(e *evaluator, s *series, kind EventKind) {
	if t.around == nil {
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
	n := max(0, len(tr.nanos)-samplesBefore)
	p := &Past{Nanos: slices.Clone(tr.nanos[n:]), Values: slices.Clone(tr.values[n:])}
	t.around[e.seq], t.order = p, append(t.order, e.seq)
	tr.open, tr.left = append(tr.open, p), append(tr.left, samplesAfter)
	if !t.course {
		return
	}
	switch kind {
	case Fired:
		if len(t.episodes) >= MostEvents {
			return
		}
		tr.episode = &episode{rule: s.rule, event: e.seq, alert: s.alert(e), began: e.beganAt(s), every: e.interval(s.rule)}
		t.episodes = append(t.episodes, tr.episode)
	case Cleared:
		if ep := tr.episode; ep != nil {
			ep.to, ep.alert.Peak = e.now.Wall, s.peak
			tr.episode = nil
		}
	default:
	}
}

// Course is the course of the rules so far, with the events that Events gave.
func (b *Backtest) Course(events []Event) *Course {
	board := b.engine.Board()
	c := &Course{
		rules: slices.Clone(board.Rules), events: events[:min(len(events), MostEvents)], episodes: b.trace.episodes,
		around: b.trace.around, limits: board.limits,
	}
	active := make(map[ID]*Alert, len(board.Active))
	for _, a := range board.Active {
		active[a.ID] = a
	}
	for _, ep := range c.episodes {
		if a := active[ep.alert.ID]; a != nil && ep.to.IsZero() {
			ep.alert.Peak = a.Peak
		}
	}
	for i := range c.rules {
		r := &c.rules[i]
		r.Firing, r.Acknowledged, r.Pending, r.Worst, r.IsQuiet = 0, 0, 0, OK, false
		r.Problem = b.problem(r, b.trace.judged[r.Name])
	}
	slices.SortStableFunc(c.episodes, func(x, y *episode) int { return x.alert.Since.Compare(y.alert.Since) })
	for _, ep := range c.episodes {
		c.changes = append(c.changes, ep.alert.Since)
		if !ep.to.IsZero() {
			c.changes = append(c.changes, ep.to)
		}
	}
	slices.SortFunc(c.changes, time.Time.Compare)
	return c
}

// Around are the values that were judged around an event, by its Seq; ok is false
// if they are not kept.
func (c *Course) Around(event uint64) (p Past, ok bool) {
	if found := c.around[event]; found != nil {
		return *found, true
	}
	return p, false
}

// EventOf is the Seq of the event that began an alert of a board; 0: not known.
func (c *Course) EventOf(a *Alert) uint64 {
	for _, ep := range c.episodes {
		if ep.alert.ID == a.ID && ep.alert.Since.Equal(a.Since) {
			return ep.event
		}
	}
	return 0
}

// At is how things stood at a moment, with the history of the whole recording;
// the same pointer as long as that is the same.
func (c *Course) At(at time.Time) *Board {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.board != nil && !at.Before(c.from) && (c.to.IsZero() || at.Before(c.to)) {
		return c.board
	}
	i, _ := slices.BinarySearchFunc(c.changes, at, func(change, at time.Time) int {
		if change.After(at) {
			return 1
		}
		return -1
	})
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

func (c *Course) boardAt(at time.Time) *Board {
	b := &Board{
		Rules: slices.Clone(c.rules), History: c.events,
		index: map[place]Mark{}, byID: map[ID]*Alert{}, limits: c.limits,
	}
	status := make(map[string]*RuleStatus, len(b.Rules))
	for i := range b.Rules {
		status[b.Rules[i].Name] = &b.Rules[i]
	}
	for _, ep := range c.episodes {
		if ep.alert.Since.After(at) {
			break
		}
		if !ep.to.IsZero() && !ep.to.After(at) || b.byID[ep.alert.ID] != nil {
			continue
		}
		a := ep.alert
		if st := status[a.ID.Rule]; st != nil {
			b.put(&a, st, at)
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
	if s.rule.Kind == Threshold {
		_, a.Of = s.rule.counts()
		a.Hits = s.judge.hits()
	}
	if s.set != nil && s.set.Instances.Multiple() {
		a.Instance = instanceText(&s.instance)
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

// Episodes are the alerts of the course in the order in which they fired.
func (c *Course) Episodes() []Episode {
	out := make([]Episode, 0, len(c.episodes))
	for _, ep := range c.episodes {
		out = append(out, Episode{Alert: ep.alert, Began: ep.began, Until: ep.to, Every: ep.every, Event: ep.event})
	}
	return out
}

// beganAt is when the first of the samples was taken that fire a series now.
func (e *evaluator) beganAt(s *series) time.Time {
	now := e.now.Wall
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
	n := len(s.trail.nanos)
	for i := n - 1; i >= max(0, n-int(s.judge.test.of)) && left > 0; i-- {
		if v := float64(s.trail.values[i]); v == v && s.judge.test.isBeyond(v) {
			began = time.Unix(0, s.trail.nanos[i]).In(now.Location())
			left--
		}
	}
	return began
}
