package alert

import (
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
)

// series is one rule on one instance of one host.
type series struct {
	judge   judge // first: what every sample takes lies together
	value   cooker.Value
	state   State
	held    bool // it fires, and nobody was told so far
	lacks   bool // there is no value, since lackedAt
	loose   bool // it has not been found since its host was bound
	casual  bool // a rule about absence follows it because it was there once
	round   uint64
	samples int // taken
	weight  int // of the room
	rule    *rule

	since    session.Instant // of the state
	lackedAt time.Duration   // monotonic
	lacking  string          // why there is no value
	peak     cooker.Value
	by       string // who acknowledged it
	at       time.Time

	id       ID
	set      *session.Counterset // nil: of a host, or of a path that the host does not have
	counter  int
	instance session.Instance
	trend    *trend    // of a rule on one
	tally    *tally    // of a rule that counts events,
	born     time.Time // who does so since then
	growth   *growth   // of a rule on that
	rates    rates     // of its formula
	moved    rates     // of its condition
	trail    *trail    // of a Backtest
}

// newSeries begins to follow a rule on an instance, or goes on where an earlier
// run left off.
func (e *evaluator) newSeries(h *host, r *rule, id ID) *series {
	if s := h.byID[id]; s != nil {
		s.loose = false
		s.follow(r)
		return s
	}
	s := &series{id: id, since: e.now, weight: r.weight()}
	s.follow(r)
	if r.Kind == EventCount {
		s.tally, s.born = new(tally), e.now.Wall
	}
	h.byID[id] = s
	e.followed += s.weight
	if was, ok := e.kept.Alerts[id]; ok {
		delete(e.kept.Alerts, id)
		e.resume(s, was)
	}
	return s
}

// follow gives a series its rule, which may be another version of the one that it
// had.
func (s *series) follow(r *rule) {
	s.rule, s.judge.test = r, r.test()
	if r.Grows == 0 {
		s.growth = nil
	} else if s.growth == nil {
		s.growth = new(growth)
	}
	switch {
	case r.Trend == 0:
		s.trend = nil
	case s.trend == nil || s.trend.over != r.Trend:
		s.trend = newTrend(r.Trend)
	}
}

// resume gives a series the state of an earlier run. Its monotonic times are
// made from those of the wall clock, which may have been stepped since.
func (e *evaluator) resume(s *series, was Saved) {
	ago := max(0, e.now.Wall.Sub(was.Since))
	s.since = session.Instant{Wall: was.Since, Mono: e.now.Mono - ago}
	s.state, s.by, s.at, s.held = was.State, was.By, was.At, was.Held
	if was.HasPeak {
		s.peak = cooker.NumberValue(was.Peak)
	}
	if was.State >= Acknowledged {
		s.judge.resume()
		if s.held {
			e.held = append(e.held, s)
		}
	} else if rest := was.Rest.Sub(e.now.Wall); rest > 0 {
		s.judge.rest(e.now.Mono + min(rest, s.rule.Cooldown))
	}
	if s.rule.Kind.isAbsence() && was.State >= Acknowledged {
		e.lack(s, was.Why)
	}
}

// evaluate judges a sample of a series.
func (e *evaluator) evaluate(s *series, v cooker.Value, missed int) {
	if s.judge.test.kind == NoValue {
		e.evaluatePresence(s, v)
		return
	}
	f, ok := v.Float()
	kind := measured
	switch {
	case ok:
	case v.Status() == cooker.ZeroBase:
		kind = idle
	default:
		kind = unknown
	}
	s.samples++
	verdict := s.judge.judge(e.now.Mono, kind, f, missed)
	s.value = v
	if s.state == OK && verdict == stays && !s.lacks && (kind != measured || s.judge.beyond&1 == 0) {
		return // the usual case
	}
	e.version++
	if kind == unknown {
		e.lack(s, v.Status().Word())
	} else {
		s.lacks, s.lacking = false, ""
	}
	switch verdict {
	case fires:
		e.fire(s)
	case clears:
		e.clear(s, "")
	case stays:
		e.settlePending(s)
	}
	if ok && s.state >= Acknowledged && worse(&s.rule.Rule, f, s.peak) {
		s.peak = v
	}
}

// settlePending tells whether a series that does not fire is on its way.
func (e *evaluator) settlePending(s *series) {
	if s.state >= Acknowledged {
		return
	}
	next := OK
	if s.judge.hits() > 0 {
		next = Pending
	}
	if next != s.state {
		s.state, s.since = next, e.now
	}
}

// worse tells whether a value is further beyond the limit than the peak.
func worse(r *Rule, f float64, peak cooker.Value) bool {
	p, ok := peak.Float()
	op, _ := r.Limit()
	return !ok || op == paths.Above && f > p || op == paths.Below && f < p
}

// evaluatePresence judges a sample of a rule about absence.
func (e *evaluator) evaluatePresence(s *series, v cooker.Value) {
	s.value = v
	switch status := v.Status(); {
	case v.Valid() || status == cooker.ZeroBase:
		e.present(s)
	case status == cooker.FirstSample || status == cooker.ZeroTime:
		// The next sample will tell.
	default:
		e.lack(s, status.Word())
	}
}

// present notes that what may be absent is there.
func (e *evaluator) present(s *series) {
	if !s.lacks {
		return
	}
	s.lacks = false
	e.version++
	if s.judge.firing {
		s.judge.end(e.now.Mono)
		e.clear(s, "back")
	}
	if s.state == Pending {
		s.state, s.since = OK, e.now
	}
	s.lacking = ""
}

// lack notes that there is no value, and why.
func (e *evaluator) lack(s *series, why string) {
	if why = printable.Text(why); why != s.lacking {
		s.lacking = why
		e.version++
	}
	if s.lacks {
		return
	}
	s.lacks, s.lackedAt = true, e.now.Mono
	e.version++
	if s.rule.Kind.isAbsence() {
		e.lackers = append(e.lackers, s)
	}
}

// fire begins an alert.
func (e *evaluator) fire(s *series) {
	r := &s.rule.Rule
	s.judge.firing = true
	s.state, s.since, s.peak, s.by, s.at = Firing, e.now, s.value, "", time.Time{}
	ev := e.event(s, Fired)
	if r.Kind == Threshold {
		ev.Hits = s.judge.hits()
		_, ev.Of = r.Counts()
	}
	if ev.Held = e.holds(s); ev.Held == "" {
		ev.Actions = r.Actions
	} else if !s.held {
		s.held = true
		e.held = append(e.held, s)
	}
	e.emit(ev)
	e.trace.mark(e, s, Fired)
}

// clear ends an alert. Whoever was not told of it is not told of its end.
func (e *evaluator) clear(s *series, why string) {
	ev := e.event(s, Cleared)
	ev.Why = why
	ev.Lasted = field.Seconds(max(0, e.now.Mono-s.since.Mono))
	if s.rule.Kind.HasLimit() && s.peak.Valid() {
		ev.Peak = shown(s.peak, e.lookOf(&s.rule.Rule, s.set, s.counter)) + s.rule.UnitSuffix()
	}
	if ev.Held = e.holds(s); ev.Held == "" && !s.held {
		ev.Actions = s.rule.endActions()
	}
	if s.rule.Cooldown > 0 {
		ev.Until = e.now.Wall.Add(s.rule.Cooldown)
	}
	s.state, s.since, s.held, s.by = OK, e.now, false, ""
	s.judge.firing = false
	e.emit(ev)
	e.trace.mark(e, s, Cleared)
}

// drop ends a series: its instance went, its rule is no more.
func (e *evaluator) drop(s *series, why string) {
	if s.state >= Acknowledged {
		e.clear(s, why)
	}
	e.version++
	s.state, s.held, s.lacks = OK, false, false
	e.trace.leave(s)
	if h := e.hosts[s.id.Host]; h != nil {
		if h.byID[s.id] == s {
			e.followed -= s.weight
		}
		delete(h.byID, s.id)
	}
}

// The reasons why nobody is told.
const (
	heldMuted = "muted"
	heldQuiet = "quiet hours"
)

// holds says why nobody is to be told of a series now; empty if somebody is.
func (e *evaluator) holds(s *series) string {
	switch {
	case e.mutedUntil(s).After(e.now.Wall):
		return heldMuted
	case s.rule.quietAt(e.now.Wall, e.zone):
		return heldQuiet
	}
	return ""
}

// mutedUntil is the end of the longest mute that a series is in.
func (e *evaluator) mutedUntil(s *series) (until time.Time) {
	if len(e.kept.Mutes) == 0 {
		return until
	}
	for _, scope := range [...]Scope{{}, {Rule: s.id.Rule}, {Host: s.id.Host}, {Rule: s.id.Rule, Host: s.id.Host}, {One: s.id}} {
		if t, ok := e.kept.Mutes[scope]; ok && t.After(until) {
			until = t
		}
	}
	return until
}
