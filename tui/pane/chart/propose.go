package chart

import (
	"perfdeck/session"
	"perfdeck/themes"
	"perfdeck/tui/pane"
)

// proposal is what is shown while nothing is charted.
type proposal struct {
	from     func() []pane.Target // what could be charted now; nil: nothing is proposed
	shown    bool                 // the series are proposed
	declined bool                 // by the user: nothing is proposed until something was charted
}

// Propose gives what is shown while nothing is charted.
func (c *Chart) Propose(from func() []pane.Target) { c.proposal.from = from }

// propose shows a proposal in place of nothing, or of the one before.
func (c *Chart) propose() {
	p := &c.proposal
	if p.from == nil || p.declined || len(c.wanted) > 0 || len(c.series) > 0 && !p.shown {
		return
	}
	c.endProposal()
	for _, t := range p.from() {
		c.add(t)
	}
	p.shown = len(c.series) > 0
	c.sel(nil)
}

// endProposal takes what is proposed away.
func (c *Chart) endProposal() {
	if !c.proposal.shown {
		return
	}
	c.proposal.shown = false
	c.series, c.selected = nil, nil
	c.list.Restart()
	c.changed()
}

// keepProposal charts what is proposed.
func (c *Chart) keepProposal() {
	c.proposal.shown = false
	c.version++
	c.desk.Send(pane.Say{Text: "charted " + session.Printable(c.series[0].target.FullPath()) + " and what stands with it"})
}

// declineProposal shows nothing instead.
func (c *Chart) declineProposal() {
	c.endProposal()
	c.proposal.declined = true
	c.desk.Send(pane.Did{Text: "nothing is charted now", Undo: func() {
		c.proposal.declined = false
		c.propose()
	}})
}

// drawProposed tells in place of the header what is shown, and what ends that.
func drawProposed(f pane.Frame) {
	x, w := 1, f.Width()
	text, muted, key := themes.Text.Style(), themes.Muted.Style(), themes.Accent.Style().Bold()
	x += f.Left(x, 0, max(0, w-x), "proposed from the deck: nothing is charted yet", text) + 3
	for _, l := range [][2]string{{"enter", "keeps these"}, {"c", "on a value, on any screen, charts it"}, {"a", "adds a counter"}} {
		n := len(l[0]) + 1 + len(l[1])
		if x+n > w {
			return
		}
		f.Left(x, 0, w-x, l[0], key)
		f.Left(x+len(l[0])+1, 0, w-x-len(l[0])-1, l[1], muted)
		x += n + 3
	}
}
