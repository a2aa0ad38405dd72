package tui

import (
	"time"

	"perfdeck/tui/kit/graph"
	"perfdeck/tui/pane"
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
	r.say("selected " + graph.SpanText(to.Sub(from)) + " from " + from.In(time.Local).Format(time.TimeOnly) + ": " + r.options.Keys.Shown("C") + " tells what moved")
}
