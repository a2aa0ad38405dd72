package chart

import (
	"slices"
	"strconv"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

// wanted are instances that a path means and that are not known yet.
type wanted struct {
	host *pane.Host
	sel  session.Selection
}

// Add charts the counters that a path means on a host: instances that its
// wildcards match now. Errors are those of looking the path up.
func (c *Chart) Add(h *pane.Host, path string) error {
	cat := h.Sampler.Catalogue()
	if cat == nil {
		return &session.HostError{Host: h.Name, Op: "chart " + path, Err: errNoCatalogue,
			Advice: "wait until it answers, or look at screen 7"}
	}
	selections, err := cat.Resolve(path, paths.Options{})
	if err != nil {
		return err
	}
	c.endProposal()
	c.proposal.declined = false
	for _, sel := range selections {
		c.wanted = append(c.wanted, wanted{h, sel})
	}
	c.changed()
	c.find(h)
	return nil
}

// find charts the wanted instances of a host that have become known. Paths
// that match nothing are given up.
func (c *Chart) find(h *pane.Host) {
	c.wanted = slices.DeleteFunc(c.wanted, func(w wanted) bool {
		snap := h.Snap.Set(w.sel.Set)
		if w.host != h || snap == nil {
			return false
		}
		var first *series
		for i := range snap.Rows {
			if snap.Rows[i].Gone || !w.sel.Matches(&snap.Rows[i].Instance) {
				continue
			}
			for _, counter := range w.sel.Counters {
				s := c.add(pane.Target{Host: h, Set: w.sel.Set, Counter: counter, Key: snap.Rows[i].Key})
				if first == nil {
					first = s
				}
			}
		}
		if first == nil && c.problem.text == "" {
			c.problem.text = "nothing matches " + w.sel.Path.String()
		}
		c.sel(first)
		c.asked = false
		return true
	})
}

// remove takes series off the chart. It can be undone.
func (c *Chart) remove() {
	if c.proposal.shown {
		c.declineProposal()
		return
	}
	gone := c.list.Chosen()
	if len(gone) == 0 {
		return
	}
	before, next, marked := slices.Clone(c.series), c.list.Line(), c.list.Marks() > 0
	for _, s := range before[:next] {
		if slices.Contains(gone, s) {
			next--
		}
	}
	c.series = slices.DeleteFunc(c.series, func(s *series) bool { return slices.Contains(gone, s) })
	c.changed()
	c.list.Place(next) // what stays behind it, else the last
	text := "removed " + gone[0].target.Text(true)
	if len(gone) > 1 {
		text = "removed " + strconv.Itoa(len(gone)) + " counters"
	}
	c.desk.Did(text, func() { c.restore(before, gone, marked) })
}

// restore puts removed series back where they were. A letter that another one
// has taken meanwhile is exchanged for a free one.
func (c *Chart) restore(before, gone []*series, marked bool) {
	c.endProposal()
	for _, s := range gone {
		if slices.ContainsFunc(c.series, func(o *series) bool { return o.is(s.target) }) {
			continue
		}
		if slices.ContainsFunc(c.series, func(o *series) bool { return o.slot == s.slot }) {
			slot, free := c.freeSlot()
			if !free {
				continue
			}
			s.slot = slot
		}
		at := 0 // behind the nearest one that stood before it and is still there
		for _, o := range before[:slices.Index(before, s)] {
			if i := slices.Index(c.series, o); i >= 0 {
				at = i + 1
			}
		}
		c.series = slices.Insert(c.series, at, s)
		s.refresh()
		c.changed()
		if c.sel(s); marked {
			c.list.Mark()
		}
	}
	c.forget()
}
