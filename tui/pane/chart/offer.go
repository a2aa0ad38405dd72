package chart

import (
	"slices"
	"strings"

	"perfdeck/session/text/printable"
	"perfdeck/tui/kit/list"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
)

// offer is what could be charted, listed while nothing is and nothing is proposed.
type offer struct {
	from   func() []pane.Target // nil: nothing is offered
	series []*series
	units  pane.Units
	list   list.List
}

// Offer gives what is listed while nothing is charted.
func (c *Chart) Offer(from func() []pane.Target) { c.offer.from = from }

// lookUp brings what is offered up to date. What it is stays while it is looked at: rows do
// not change places under the hand.
func (o *offer) lookUp(desk *pane.Desk) {
	if o.from == nil {
		return
	}
	if slices.ContainsFunc(o.series, func(s *series) bool { return !slices.Contains(desk.Hosts, s.target.Host) }) {
		o.series = nil
	}
	if len(o.series) == 0 {
		for _, t := range o.from() {
			o.series = append(o.series, newSeries(t, 0, desk))
		}
		o.list.Resize(len(o.series))
	}
	for _, s := range o.series {
		s.refresh()
	}
}

// selected is the value that is selected, nil without one.
func (o *offer) selected() *series {
	if i := o.list.Line(); i >= 0 && i < len(o.series) {
		return o.series[i]
	}
	return nil
}

// chartSelected charts the selected value.
func (o *offer) chartSelected(c *Chart) {
	if s := o.selected(); s != nil {
		o.series = nil
		c.Show([]pane.Target{s.target}, false)
	}
}

// drawOffer draws the list, as rows of a deck.
func (c *Chart) drawOffer(f pane.Frame) {
	o, l := &c.offer, layout.NewRow(f.Width())
	from, end := o.list.Show(len(o.series), f.Height())
	for i := from; i < end; i++ {
		r := o.row(o.series[i])
		r.Selected = o.list.Is(i)
		pane.DrawRow(f, i-from, l, &r)
		f.ZoneLine(i-from, hitOffer, i)
	}
}

// row is a value as a row.
func (o *offer) row(s *series) pane.Row {
	t := &s.target
	r := pane.Row{
		Name: s.called(), Instance: printable.Text(strings.TrimSpace(t.Set.Name + " " + s.name)),
		Set: t.Set, Counter: t.Counter, Stale: isLost(t.Host),
		Recent: pane.Recent{Value: s.value, Series: s.history, Every: s.every},
	}
	snap := t.Host.Snap
	if snap == nil {
		return r
	}
	r.End, r.Now = snap.Timeline.Next(), snap.Time
	r.Window = s.history.Window(r.End, len(s.history.Values))
	units := o.units.Row(pane.UnitKey{Set: t.Set, Counter: t.Counter, Key: t.Key})
	most, _ := s.value.Float()
	r.Top = units.Scale()
	r.Unit, r.Look = units.Choose(most, snap.Time)
	return r
}
