package chart

import (
	"slices"
	"strings"
	"time"

	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/keys"
	"perfdeck/tui/kit/names"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// proposal is what is shown while nothing is charted.
type proposal struct {
	shown    bool           // the series are proposed
	declined bool           // by the user: nothing is proposed until something was charted
	keys     []keys.Binding // of the screen while it proposes
	fits     bool           // the span is that of what is kept, until the user chooses one
}

// propose shows a proposal in place of nothing, or of the one before.
func (c *Chart) propose() {
	p := &c.proposal
	if c.Proposed == nil || p.declined || len(c.wanted) > 0 || len(c.series) > 0 && !p.shown {
		return
	}
	c.endProposal()
	for _, t := range c.Proposed() {
		c.add(t)
	}
	p.shown = len(c.series) > 0
	p.fits = p.shown
}

// proposalKeys are those of the screen, with the one that keeps what is proposed first.
func (c *Chart) proposalKeys() []keys.Binding {
	out := slices.Clone(c.keys)
	i := slices.IndexFunc(out, func(b keys.Binding) bool { return b.Keys == "enter" })
	enter := out[i]
	enter.Hint, enter.Section = "keep", keys.Time // among the first
	return slices.Insert(slices.Delete(out, i, i+1), 0, enter)
}

// endProposal takes what is proposed away.
func (c *Chart) endProposal() {
	if !c.proposal.shown {
		return
	}
	c.proposal.shown, c.proposal.fits = false, false
	c.series = nil
	c.list.Restart()
	c.changed()
}

// keepProposal charts what is proposed.
func (c *Chart) keepProposal() {
	c.proposal.shown = false
	c.version++
	c.desk.Say("charted " + c.series[0].target.Text(true) + " and what stands with it")
}

// declineProposal shows nothing instead.
func (c *Chart) declineProposal() {
	c.endProposal()
	c.proposal.declined = true
	c.desk.Did("nothing is charted now", func() {
		c.proposal.declined = false
		c.propose()
	})
}

// drawProposed tells in place of the header what is shown, over how much time, and what ends
// that.
func (c *Chart) drawProposed(f pane.Frame) {
	x := pane.DrawTitle(f, pane.Title{Name: "Chart", Subtitle: "proposed from the deck: nothing is charted yet", Focused: true})
	if text := "last " + english.Short(c.span()); x+len(text)+4 < f.Width() {
		pane.DrawHead(f, f.Width()-2, text, themes.Muted)
	}
	if c.place.plot.Y > 1 || c.place.legend.Y > 1 && c.place.report {
		drawKeys(f, 1, keysOfProposal[:])
	}
}

// keysOfProposal are what can be done with what is proposed, a sentence first, and in which
// order they have room: the key that keeps it before the others.
var keysOfProposal = [...]keyText{
	{"c", "on a value, on any screen, charts it and ends the proposal", 1},
	{"enter", "keeps these", 0},
	{"a", "adds a counter", 2},
}

// keyText says what a key does; of several those with the lower rank have room first.
type keyText struct {
	key, does string
	rank      int
}

// drawKeys tells in a line what keys do, as far as there is room.
func drawKeys(f pane.Frame, y int, list []keyText) {
	const gap = 2
	cells := func(k keyText) int { return len(k.key) + 1 + len(k.does) + gap }
	room := f.Width() - layout.SignW + gap
	fits := make([]bool, len(list))
	for rank := range len(keysOfProposal) {
		if i := slices.IndexFunc(list, func(k keyText) bool { return k.rank == rank }); i >= 0 && cells(list[i]) <= room {
			room, fits[i] = room-cells(list[i]), true
		}
	}
	x := layout.SignW
	for i, k := range list {
		if !fits[i] {
			continue
		}
		x += f.DrawHint(x, y, k.key, k.does) + gap
	}
}

// fitted is the span while it is the user's no more than the counters are: of the steps the
// first one that what is kept has room in, up to the span of charts.
func (c *Chart) fitted(span time.Duration) time.Duration {
	first, last := c.desk.Sampled()
	for _, step := range [...]time.Duration{30 * time.Second, time.Minute, 2 * time.Minute} {
		if last.Sub(first) < step && step < span {
			return step
		}
	}
	return span
}

// offer is what could be charted, listed while nothing is and nothing is proposed.
type offer struct {
	values []pane.Target
	units  pane.Units
	list   pane.PlainList
}

// lookUp brings what is offered up to date. What it is stays while it is looked at: rows do
// not change places under the hand.
func (c *Chart) lookUp() {
	o := &c.offer
	if slices.ContainsFunc(o.values, func(t pane.Target) bool { return !slices.Contains(c.desk.Hosts, t.Host) }) {
		o.values = nil
	}
	if len(o.values) == 0 && c.Offered != nil {
		o.values = c.Offered()
		o.list.Resize(len(o.values))
	}
}

// selected is the value that is selected.
func (o *offer) selected() (t pane.Target, ok bool) {
	if i := o.list.Line(); i < len(o.values) {
		return o.values[i], true
	}
	return t, false
}

// chartSelected charts the selected value.
func (o *offer) chartSelected(c *Chart) {
	if t, ok := o.selected(); ok {
		o.values = nil
		c.Show([]pane.Target{t}, false)
	}
}

// drawOffer draws the list, as rows of a deck.
func (c *Chart) drawOffer(f pane.Frame) {
	o, l := &c.offer, layout.NewRow(f.Width())
	o.list.DrawEach(f, len(o.values), func(f pane.Frame, i int) {
		t := o.values[i]
		r := c.desk.Row(t, t.Drawn(), o.units)
		r.Instance = strings.TrimSpace(t.Set.Name + " " + names.Instance(t.Instance()))
		r.Stale = r.Stale || isLost(t.Host)
		r.Top, r.Now = o.units.Row(t.UnitKey()).Scale(), f.Now // which changes seldom
		pane.DrawRow(f, 0, l, &r)
	})
}
