package deck

import (
	"slices"
	"time"

	"perfdeck/session/text/english"
	"perfdeck/tui/kit/graph"
	"perfdeck/tui/pane"
)

// longSpans are the spans of graphs that show more than has room with a dot for each sample.
var longSpans = pane.Spans[slices.Index(pane.Spans, 5*time.Minute):]

// perDot is how many samples share a dot of a graph of w cells: as many as the span that was asked for takes.
func (s *scene) perDot(w int) int {
	return max(graph.PerDot(w), graph.PerDotFor(w, s.when.span, s.when.every))
}

// reach is how much time the graphs that were drawn show at least by themselves, each
// as much as has room; 0: there are none.
type reach time.Duration

// with is what is shown with another graph, of w cells.
func (r reach) with(w int, every time.Duration) reach {
	if span := reach(graph.Span(w, graph.PerDot(w), every)); span > 0 && (r == 0 || span < r) {
		return span
	}
	return r
}

// reach is what the graphs of the deck that is shown show by themselves.
func (b *Book) reach() reach {
	if a := b.abreast(); a != nil {
		return a.reach
	}
	return b.deck().reach
}

// kept is how much of the past the hosts keep at most; 0: that is not known.
func (b *Book) kept() (most time.Duration) {
	for _, h := range b.desk.Hosts {
		if h.History == 0 {
			return 0
		}
		most = max(most, h.History)
	}
	return most
}

// ShiftSpan lets the graphs of decks show a longer or shorter span.
func (b *Book) ShiftSpan(steps int) { b.shiftSpan(steps, false) }

// shiftSpan goes to the next longer or shorter span. Around the ends it goes as a click does.
func (b *Book) shiftSpan(steps int, around bool) {
	if b.reach() == 0 {
		b.desk.Say("there is no graph: rows show the last minute")
		return
	}
	spans := pane.SpansFrom(longSpans, time.Duration(b.reach()), b.kept())
	at, _ := slices.BinarySearch(spans, b.desk.DeckSpan+1) // behind the one that is shown
	at += steps - 1
	if n := len(spans); around {
		at = (at + n) % n
	}
	text := "graphs show as much as has room"
	switch {
	case at < 0:
		text = "a dot is one sample: no shorter span"
	case at >= len(spans):
		text = "this is all that is kept: --history keeps more"
	default:
		if b.desk.DeckSpan = spans[at]; at > 0 {
			text = "graphs show " + english.Span(spans[at]) + " at least"
		}
	}
	b.desk.Say(text)
}
