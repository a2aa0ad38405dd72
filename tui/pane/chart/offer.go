package chart

import (
	"slices"
	"strings"

	"perfdeck/tui/kit/names"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

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
