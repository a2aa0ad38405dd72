package pane

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/kit/filter"
)

// Condition is how things stand with a host. The order is that of urgency.
type Condition uint8

// The conditions.
const (
	Answering Condition = iota
	Expected            // not reached yet, and no attempt failed
	Overdue             // silent for less than lostAfter: its last values still mean something
	Refusing            // it refuses the log-on or the access
	Lost                // it failed from the first, or for longer than lostAfter
)

// lostAfter is how long a host that answered before may be silent until it
// counts as down.
const lostAfter = time.Minute

var conditionWords = [...]string{Answering: "ok", Expected: "connecting", Overdue: "stale", Refusing: "denied", Lost: "down"}

// String is the word that screens and filters use: "ok", "stale", "down".
func (c Condition) String() string { return conditionWords[c] }

// Sign is what stands before the name of a host, 0 when nothing is wrong, and
// the colour of all that is said of it.
func (c Condition) Sign(g *canvas.Glyphs) (rune, themes.Style) {
	switch c {
	case Overdue:
		return g.Stale, themes.Stale
	case Refusing, Lost:
		return g.Critical, themes.Critical
	}
	return 0, themes.Muted
}

// Style is the colour of an alert level.
func (l Level) Style() themes.Style {
	_, st := SignOf(l, canvas.Full.Glyphs())
	return st
}

// SignOf is the sign of an alert level and its colour; 0 for Info.
func SignOf(l Level, g *canvas.Glyphs) (rune, themes.Style) {
	switch l {
	case Careful:
		return g.Careful, themes.Careful
	case Warning:
		return g.Warning, themes.Warning
	case Critical:
		return g.Critical, themes.Critical
	}
	return 0, themes.Muted
}

// HostStatus is how things stand with a host, and since when.
type HostStatus struct {
	Condition

	Since time.Time // the last answer of a silent host, else when this began
	err   error
}

// Standing judges how things stand with a host now.
func (h *Host) Standing(now time.Time) HostStatus {
	state := h.Sampler.State()
	return StandingOf(&state, now)
}

// StandingOf judges the state of a host.
func StandingOf(s *session.HostState, now time.Time) HostStatus {
	out := HostStatus{Condition: Answering, Since: s.Since, err: s.Err}
	switch s.Phase {
	case session.Live:
	case session.Connecting:
		out.Condition = Expected
	case session.Refused:
		out.Condition = Refusing
	default:
		out.Condition, out.Since = Lost, cmp.Or(s.LastAnswer, s.Since)
		if !s.LastAnswer.IsZero() && now.Sub(s.LastAnswer) < lostAfter {
			out.Condition = Overdue
		}
	}
	return out
}

// Text is the standing in a few words: "down 4 min, connection refused".
func (s HostStatus) Text(now time.Time) string {
	switch s.Condition {
	case Answering, Expected:
		return s.String()
	}
	text := s.String()
	if !s.Since.IsZero() {
		text += " " + english.Age(now.Sub(s.Since))
	}
	if why := s.Reason(); why != "" && why != session.ErrDenied.Error() {
		text += ", " + why
	}
	return text
}

// Reason is the innermost cause of the last failure, printable; empty without. Who fails may
// have a brief word for it, which the words of others do not end.
func (s HostStatus) Reason() string {
	if s.err == nil {
		return ""
	}
	var brief interface{ Brief() string }
	if errors.As(s.err, &brief) && brief.Brief() != "" {
		return brief.Brief()
	}
	text := causeOf(s.err).Error()
	if i := strings.LastIndex(text, ": "); i >= 0 && i+2 < len(text) {
		text = text[i+2:]
	}
	return text
}

// Cause is why the host failed, without what was tried, printable; empty if it did not.
func (s HostStatus) Cause() string {
	if s.err == nil {
		return ""
	}
	return causeOf(s.err).Error()
}

// Why says why a host does not answer, but for the words that were said already, since when,
// and what can be done. Where that has no room in w cells, since when leaves first.
func (s HostStatus) Why(state *session.HostState, now time.Time, said string, w int) string {
	if state.Err == nil {
		return "no answer yet"
	}
	cause, since := s.Cause(), ""
	if cause == said {
		cause = ""
	}
	if !state.Since.IsZero() {
		since = "since " + Clock(state.Since, now)
	}
	hint := failure.Hint(state.Err)
	return canvas.Fitting(w, strings.Trim(strings.TrimSpace(cause+" "+since)+": "+hint, ": "), strings.Trim(cause+": "+hint, ": "))
}

// causeOf is why a host failed, without what was tried.
func causeOf(err error) error {
	if e, ok := errors.AsType[*session.HostError](err); ok && e.Err != nil {
		return e.Err
	}
	return err
}

// Amount writes a number with the unit that suits it: "1.20 MB".
func Amount(of cooker.QuantityKind, n float64) string {
	number, unit := AmountIn(cooker.Quantity{Kind: of}, n)
	return number + " " + unit
}

// AmountIn is a number, with at most 4 places, and the unit that suits it.
func AmountIn(of cooker.Quantity, n float64) (number, unit string) {
	u := cooker.UnitFor(of, cooker.UnitWindows, n)
	return cooker.Field(cooker.FloatValue(n), u), u.Label
}

// Fact is one line about a host: a word that says what it is about, and the
// text. Texts are printable.
type Fact struct {
	Label, Text string
	Style       themes.Style
}

// Facts tell how things stand with a host: first a sentence, without a label,
// then what happened, when, how often, what comes next and what can be done.
func (h *Host) Facts(now time.Time) []Fact {
	state := h.Sampler.State()
	s := StandingOf(&state, now)
	_, st := s.Sign(canvas.Full.Glyphs())
	text := themes.Text
	if s.Condition == Answering || s.Condition == Expected {
		st = text
	}
	facts := []Fact{{"", sentence(s, &state), st}}
	add := func(label, format string, args ...any) {
		facts = append(facts, Fact{label, fmt.Sprintf(format, args...), text})
	}
	if s.Condition != Answering {
		addFailure(add, s, &state, now)
	}
	if !state.Since.IsZero() {
		add("since", "%s, %s", Clock(state.Since, now), english.Age(now.Sub(state.Since)))
	}
	if n := state.BytesPerSecond; n > 0 {
		add("line", "%s", Amount(cooker.BytesPerSecond, n))
	}
	if state.Missed > 0 {
		add("missed", "%s", english.Count(state.Missed, "beat", "beats"))
	}
	if source := h.Source(); source != "" {
		add("source", "%s, %s", source, english.Count(len(h.Sampler.Catalogue().Sets), "counterset", "countersets"))
	}
	if len(h.Groups) > 0 {
		add("groups", "%s", strings.Join(h.Groups, " "))
	}
	for _, note := range state.Notes {
		add("note", "%v", note)
	}
	return facts
}

// sentence says in words how things stand.
func sentence(s HostStatus, state *session.HostState) string {
	switch s.Condition {
	case Answering:
		text := "Answers in " + english.Span(state.Latency) + "."
		if len(state.Notes) > 0 {
			text += " Not all of what it offers can be read."
		}
		return text
	case Expected:
		if !state.Waits.IsZero() {
			return "Waiting for its first answer since " + state.Waits.Local().Format(time.TimeOnly) + "."
		}
		return "Not reached yet."
	case Refusing:
		return "Reached, but it refuses to show its counters."
	}
	text := "It has not answered so far."
	if !state.LastAnswer.IsZero() {
		text = "No answer since " + state.LastAnswer.Local().Format(time.TimeOnly) + "."
	}
	if !state.Waits.IsZero() {
		text += " Asked at " + state.Waits.Local().Format(time.TimeOnly) + ", and waiting."
	}
	return text
}

// addFailure tells what was tried with a host that does not answer, what came
// of it, how often, and what comes next.
func addFailure(add func(string, string, ...any), s HostStatus, state *session.HostState, now time.Time) {
	if s.err != nil {
		if e, ok := errors.AsType[*session.HostError](s.err); ok && e.Op != "" {
			add("tried", "%s", e.Op)
		}
		add("answer", "%v", causeOf(s.err))
	}
	if hint := failure.Hint(s.err); hint != "" {
		add("hint", "%s", hint)
	}
	if state.Tries > 1 {
		add("times", "%d in a row", state.Tries)
	}
	if s.Condition != Expected && !state.NextTry.IsZero() {
		if wait := state.NextTry.Sub(now); wait > 0 {
			add("next", "in %s", english.Age(wait+time.Second-1))
		} else if state.Waits.IsZero() {
			add("next", "now")
		}
	}
}

// NextTries says how often a host was tried, and when it is tried again, before what is
// said of others: the longest form first.
func NextTries(state *session.HostState, now time.Time, rest string) (out []string) {
	count, next := "", ""
	if state.Tries > 0 {
		count = ordinal(state.Tries) + " time, "
	}
	if !state.NextTry.IsZero() {
		next = NextTry(state, now)
	}
	for _, form := range []string{count + next, next, strings.TrimPrefix(next, "next try "), ""} {
		out = append(out, strings.Trim(strings.TrimSuffix(form, ", ")+"; "+rest, "; "))
	}
	return out
}

// NextTry says when a host is tried again.
func NextTry(state *session.HostState, now time.Time) string {
	if wait := state.NextTry.Sub(now); wait >= time.Second {
		return "next try in " + english.Age(wait)
	}
	return "trying"
}

// ordinal writes a number as one of a row: "1st", "12th".
func ordinal(n int) string {
	ends, end := [...]string{"th", "st", "nd", "rd"}, 0
	if ones, tens := n%10, n/10%10; tens != 1 && ones < len(ends) {
		end = ones
	}
	return strconv.Itoa(n) + ends[end]
}

// LatencyNumber is a latency as it is shown, for filters.
func LatencyNumber(d time.Duration) filter.Number {
	n := filter.Number{Value: d.Seconds(), Step: 1}
	switch {
	case d < 10*time.Millisecond:
		n.Step = 1e-4
	case d < time.Second:
		n.Step = 1e-3
	case d < 10*time.Second:
		n.Step = 0.1
	}
	return n
}

// Clock writes a moment in the local zone: with its day when that is another
// than now's.
func Clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if IsSameDay(at, now) {
		return at.Format(time.TimeOnly)
	}
	return at.Format("2006-01-02 15:04")
}

// IsSameDay tells whether two moments of one zone are of one day.
func IsSameDay(a, b time.Time) bool { return a.YearDay() == b.YearDay() && a.Year() == b.Year() }

// ownWay is how this computer is read.
const ownWay = "this computer"

// Source is where the counters of a host come from, as far as its catalogue
// tells; empty before it is known.
func (h *Host) Source() string {
	cat := h.Sampler.Catalogue()
	if cat == nil {
		return ""
	}
	var ways, beside []string
	if h.Local {
		ways = []string{ownWay}
	}
	for _, s := range cat.Sets {
		switch way := wayOf(s); {
		case s.From != "" && !slices.Contains(beside, way):
			beside = append(beside, way)
		case s.From == "" && !h.Local && way != "" && !slices.Contains(ways, way):
			ways = append(ways, way)
		}
	}
	if len(beside) == 0 && h.Beside != "" {
		beside = []string{h.Beside}
	}
	slices.Sort(ways)
	ways = append(ways, beside...)
	return strings.Join(ways, " + ")
}

// wayOf is how a counterset is read: as its source says, else by what it is
// known by on the host.
func wayOf(s *session.Counterset) string {
	switch {
	case s.Protocol != "":
		return s.ReadBy()
	case s.GUID != "":
		return "MS-PCQ"
	case s.V1Index != 0:
		return "registry"
	}
	return s.Provider
}

// Origin is where the values of a counterset of a host come from: the protocol,
// and the name that the set has there.
func (h *Host) Origin(s *session.Counterset) string {
	text := wayOf(s)
	switch {
	case s.From != "":
	case h.Local:
		text = ownWay
	case s.GUID != "":
		text += ", counterset " + s.GUID
	case s.V1Index != 0:
		text += fmt.Sprintf(", HKEY_PERFORMANCE_DATA object %d", s.V1Index)
	}
	return text
}
