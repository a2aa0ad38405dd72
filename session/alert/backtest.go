package alert

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
)

// Backtest judges rules over a recording as a Watch would have judged them over
// the live hosts: on values over the interval of each rule, with time that passes
// in gaps, at the times of the recording. One goroutine uses it.
type Backtest struct {
	engine *Engine
	zone   *time.Location
	hosts  []*pastHost
	named  map[string]*pastHost // the first of a name
	trace  *trace
	now    session.Instant
	begun  bool
	events []Event // not taken yet
	rules  map[string]*outcome
	firing map[ID]session.Instant
}

// BacktestOptions say what is judged.
type BacktestOptions struct {
	Rules []Rule
	Every time.Duration  // interval of rules without one; 0: DefaultInterval
	Looks session.Looks  // of values in events
	Zone  *time.Location // of the recording: that of quiet hours and of all times
	// Timeline keeps what Timeline needs: the values around each event.
	Timeline bool
	// Judged hears of every value that is judged, NaN where there is none; nil: nobody
	// wants to know.
	Judged func(id ID, at time.Time, value float64)
}

// Recorded is what a Backtest has to know of a host of a recording.
type Recorded struct {
	Name      string
	Catalogue *session.Catalogue
	// Every is how far apart its samples are that follow on a moment; of none, the zero time, what
	// is usual. 0: it is not known.
	Every func(at time.Time) time.Duration
	Last  time.Time // of its last sample

	// Events gives what it wrote down, nil where that is not known. It is called where a rule counts
	// them; nil: they are not known.
	Events func() []session.HostEvent
}

// pastHost is a host of the recording.
type pastHost struct {
	Recorded

	beats []*thin
	bound bool
	over  bool // its last sample was taken
	told  int  // of events
	last  session.Instant
	every time.Duration // from the last sample on
	state session.HostState

	events      []session.HostEvent // as they ended
	tellsEvents bool
}

// NewBacktest makes a backtest that has seen nothing.
func NewBacktest(o BacktestOptions) *Backtest {
	b := &Backtest{
		engine: NewEngine(o.Rules, o.Every, o.Zone, nil), zone: o.Zone, named: map[string]*pastHost{},
		rules: map[string]*outcome{}, firing: map[ID]session.Instant{}, trace: newTrace(),
	}
	if b.zone == nil {
		b.zone = time.Local
	}
	b.engine.SetLooks(o.Looks)
	own := &b.engine.own
	own.trace, own.room, own.paces = b.trace, mostPastFollowed, map[string]time.Duration{}
	if o.Timeline {
		b.trace.around, b.trace.withEpisodes = map[uint64]*Past{}, true
	}
	b.trace.judgedTo = o.Judged
	return b
}

// mostOthers is how many countersets tell, beside those of the rules, whether
// a host answers.
const mostOthers = 8

// Ask makes a host known, and says what is to be asked of it: its snapshots then
// go to Take, all of them in order of time.
func (b *Backtest) Ask(r Recorded) []session.Ask {
	h := &pastHost{Recorded: r, every: r.Every(time.Time{}), state: session.HostState{Phase: session.Live}}
	if r.Events != nil && b.engine.own.watchesFor(r.Name, EventCount) {
		events := r.Events()
		h.tellsEvents = events != nil
		h.events = slices.SortedStableFunc(slices.Values(events), func(x, y session.HostEvent) int { return x.Until.Compare(y.Until) })
	}
	b.hosts = append(b.hosts, h)
	if b.named[h.Name] == nil {
		b.named[h.Name] = h
	}
	b.engine.own.goAt(h.Name, h.every)
	byInterval := b.engine.Bind(r.Name, r.Catalogue, b.now)
	b.engine.Unbind(r.Name, b.now) // until its first sample nothing of it is missed
	var all []session.Ask
	for every, asks := range byInterval {
		h.beats = append(h.beats, newThin(every, asks))
		all = append(all, asks...)
	}
	slices.SortFunc(h.beats, func(x, y *thin) int { return cmp.Compare(x.every, y.every) })
	if b.engine.own.watchesFor(r.Name, HostLost) && r.Catalogue != nil {
		for _, set := range r.Catalogue.Sets[:min(len(r.Catalogue.Sets), mostOthers)] {
			if len(set.Counters) > 0 {
				all = append(all, session.Ask{Set: set, Counters: []int{0}})
			}
		}
	}
	return all
}

// goAt takes how far apart samples of a host are from now on: rules are looked up anew by it.
func (e *evaluator) goAt(name string, every time.Duration) {
	e.paces[name] = every
	if h := e.hosts[name]; h != nil {
		h.round = 0
	}
}

// watchesFor tells whether a rule of a kind is meant for a host.
func (e *evaluator) watchesFor(host string, kind Kind) bool {
	return slices.ContainsFunc(e.rules, func(r *rule) bool { return r.Kind == kind && !r.Disabled && r.AppliesTo(host) })
}

var (
	errPastGap   = errors.New("a gap in the recording")
	errNoAnswers = errors.New("the recording has no values of it")
)

// noPastEvents is why rules that count events are not judged.
const noPastEvents = "there are no events of it in the recording"

// Observe judges the next sample of a host.
func (b *Backtest) Observe(host string, s *session.Snapshot) {
	h := b.named[host]
	if h == nil {
		return
	}
	until := b.now.Mono + b.passed(h, s)
	b.pass(until)
	b.now = session.Instant{Wall: s.Time.In(b.zone), Mono: until}
	if !b.engine.IsBound(h.Name, h.Catalogue) {
		b.engine.Bind(h.Name, h.Catalogue, b.now)
		b.engine.KnowEvents(h.Name, h.tellsEvents, noPastEvents, b.now)
		h.bound = true
	}
	h.last, h.over = b.now, !h.Last.IsZero() && !s.Time.Before(h.Last)
	h.state = session.HostState{Phase: session.Live, LastAnswer: s.Time}
	if isBlank(s) {
		b.lose(h, session.Retrying, errNoAnswers)
	} else {
		for _, t := range h.beats {
			if past := t.thinned(s, h, b.now.Mono); past != nil {
				b.engine.Observe(h.Name, t.every, past, b.now)
			}
		}
	}
	if every := h.Every(s.Time); every != h.every {
		h.every = every
		b.engine.own.goAt(h.Name, every)
	}
	b.tick()
	if h.over {
		b.engine.own.forgive(h.Name)
	}
}

// passed is how much time passed since the sample before. A wall clock that was
// set back does not tell: then it was the usual interval.
func (b *Backtest) passed(h *pastHost, s *session.Snapshot) time.Duration {
	if !b.begun {
		b.begun = true
		return 0
	}
	if since := s.Time.Sub(b.now.Wall); since >= 0 {
		return since
	}
	return h.every
}

// pass lets time pass up to a moment: what is absent long enough fires then, and
// hosts without samples are lost.
func (b *Backtest) pass(until time.Duration) {
	for {
		due := b.engine.own.due()
		var lost *pastHost
		for _, h := range b.hosts {
			if at := h.lostAt(); at < due {
				due, lost = at, h
			}
			if at := h.tells(b.now); at < due {
				due, lost = at, nil
			}
		}
		if due >= until {
			return
		}
		if due > b.now.Mono {
			b.now.Wall, b.now.Mono = b.now.Wall.Add(due-b.now.Mono), due
		}
		if lost != nil {
			b.lose(lost, session.Stale, errPastGap)
		}
		b.tick()
	}
}

// never is a monotonic time that does not come.
const never = 1<<63 - 1

// lostAt is when a host without another sample is lost.
func (h *pastHost) lostAt() time.Duration {
	if !h.bound || h.over || h.every <= 0 || h.state.Err != nil {
		return never
	}
	return h.last.Mono + session.GapAfter(h.every)
}

// lose notes that a host gave nothing: the samples that lack are counted when there is one again.
func (b *Backtest) lose(h *pastHost, phase session.Phase, why error) {
	h.state = session.HostState{Phase: phase, Err: why, Since: b.now.Wall}
	s := &session.Snapshot{Host: h.Name, State: h.state}
	for _, t := range h.beats {
		b.engine.Observe(h.Name, t.every, s, b.now)
	}
}

// tells is when the host wrote down its next event.
func (h *pastHost) tells(now session.Instant) time.Duration {
	if !h.bound || h.told == len(h.events) {
		return never
	}
	return now.Mono + max(h.events[h.told].Until.Sub(now.Wall), 0)
}

// tell hands over what the host wrote down by now.
func (b *Backtest) tell(h *pastHost) {
	begin := h.told
	for h.tells(b.now) <= b.now.Mono {
		h.told++
	}
	if h.told > begin {
		b.engine.ObserveEvents(h.Name, h.events[begin:h.told], b.now)
	}
}

// tick lets the engine look at the time, and takes its events.
func (b *Backtest) tick() {
	for _, h := range b.hosts {
		b.tell(h)
	}
	b.engine.Tick(b.now, func(name string) session.HostState {
		if h := b.named[name]; h != nil && !h.over {
			return h.state
		}
		return session.HostState{Phase: session.Live} // nothing more is known of it
	})
	for _, ev := range b.engine.Take() {
		b.note(&ev)
		b.events = append(b.events, ev)
	}
}

// Left says which rules were not judged, or not on all instances, since there were too many
// of both; empty: none.
func (b *Backtest) Left() string {
	e := &b.engine.own
	if len(e.left) == 0 {
		return ""
	}
	return english.Count(len(e.left), "rule was ", "rules were ") + e.noRoom()
}

// Now is the moment of the newest sample.
func (b *Backtest) Now() session.Instant { return b.now }

// Events are the events since the last call, oldest first.
func (b *Backtest) Events() []Event {
	out := b.events
	b.events = nil
	return out
}

// due is when the passing of time alone does something next.
func (e *evaluator) due() time.Duration {
	due := time.Duration(never)
	for _, s := range e.lackers {
		if !s.lacks || !e.isFollowed(s) {
			continue
		}
		if s.casual {
			due = min(due, s.lackedAt+waitFor+1)
		}
		if !s.judge.firing {
			at := s.lackedAt + s.rule.AfterTime()
			if s.judge.rested {
				at = max(at, s.judge.restUntil)
			}
			due = min(due, at)
		}
	}
	for _, h := range e.hosts {
		for _, s := range h.events.counts {
			switch {
			case s.judge.firing:
				due = min(due, e.now.Mono+s.falls(e.now.Wall))
			case s.judge.rested && s.tally.given > s.rule.Events.MoreThan:
				due = min(due, s.judge.restUntil)
			}
		}
	}
	if len(e.held) > 0 { // quiet hours end with a minute
		due = min(due, e.now.Mono+e.now.Wall.Truncate(time.Minute).Add(time.Minute).Sub(e.now.Wall))
	}
	return due
}

// forgive notes that nothing more will be known of a host: what it lacks now is
// not missed for longer.
func (e *evaluator) forgive(name string) {
	if h := e.hosts[name]; h != nil {
		for _, s := range h.byID {
			s.lacks = false
		}
	}
}

// isBlank tells whether a sample has no value at all, which is how recorders write
// that a host did not answer.
func isBlank(s *session.Snapshot) bool {
	cells := 0
	for _, v := range s.Sets {
		for i := range v.Rows {
			if v.Rows[i].Gone || v.Rows[i].Flags&session.FlagCombined != 0 {
				continue
			}
			for col := range v.Counters {
				cells++
				if isTold(v.Value(i, col).Status()) {
					return false
				}
			}
		}
	}
	return cells > 0
}
