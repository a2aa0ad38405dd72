package tui

import (
	"time"

	"perfdeck/session/text/english"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/moved"
)

// markSpan begins a span at the moment that is shown, or ends the one that was begun.
func (r *root) markSpan() {
	at := r.desk.Moment()
	if !r.desk.Selected.IsOpen() {
		r.desk.Selected = pane.SpanFrom(at)
		r.say("a span begins at " + at.In(time.Local).Format(time.TimeOnly) + ": go to its other end, " + r.options.Keys.Shown("B") + " ends it")
		return
	}
	from, to, ok := r.desk.SpanEnds()
	if !ok {
		r.say("a span has another end: [ ] and the chart's cursor lead there")
		return
	}
	r.selectSpan(pane.SpanOf(from, to))
}

// selectSpan selects a span and says what can be done with it.
func (r *root) selectSpan(s pane.Span) {
	r.desk.Selected = s
	from, to, ok := r.desk.SpanEnds()
	if !ok {
		r.say("no span is selected now")
		return
	}
	r.say("selected " + english.Span(to.Sub(from)) + " from " + from.In(time.Local).Format(time.TimeOnly) + ": " + r.options.Keys.Shown("C") + " tells what moved")
}

// mostRecent is the span that is looked at when none is selected: as much time before the
// moment that is shown, but no more than a part of what is kept.
const (
	mostRecent  = 5 * time.Minute
	leastRecent = 15 * time.Second
	partRecent  = 4
)

// spanLooked is the span of which it is asked what moved: that of the selected alert, else
// the selected one, else the time right before the moment that is shown.
func (r *root) spanLooked() (of moved.Of, why string) {
	if t, ok := r.value(); ok {
		of.With = t
	}
	if s, ok := r.screen().(pane.Teller); ok {
		if from, to, what := s.Happened(); what != "" {
			of.From, of.To, of.What = from, to, what
			return of, ""
		}
	}
	if from, to, ok := r.desk.SpanEnds(); ok {
		of.From, of.To = from, to
		return of, ""
	}
	first, _ := r.desk.Sampled()
	if r.desk.Archive != nil {
		first, _ = r.desk.Archive.Bounds()
	}
	of.To = r.desk.Moment()
	if first.IsZero() || of.To.Sub(first) < partRecent*leastRecent {
		return of, "there is too little yet to compare"
	}
	recent := min(mostRecent, of.To.Sub(first)/partRecent).Truncate(time.Second)
	of.From, of.What = of.To.Add(-recent), "lately"
	return of, ""
}

// whatMoved shows what moved in the span. One that is open ends here.
func (r *root) whatMoved() {
	of, why := r.spanLooked()
	if why != "" {
		return
	}
	if from, to, ok := r.desk.SpanEnds(); ok && r.desk.Selected.IsOpen() {
		r.desk.Selected = pane.SpanOf(from, to)
	}
	r.openMoved(of)
}
