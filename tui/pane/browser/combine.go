package browser

import (
	"fmt"
	"slices"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// isCombination tells whether an instance is a row that is made of several by name.
func (i instance) isCombination() bool {
	return i.wild == "" && session.MembersOf(i.key.Name) != nil
}

// combinations are the rows that were made of instances of the counterset that is
// shown.
func (b *Browser) combinations() (out []instance) {
	if c := b.chosen(false); c != nil {
		for _, i := range c.instances {
			if i.isCombination() {
				out = append(out, i)
			}
		}
	}
	return out
}

// mergeable are the chosen instances that can become one row.
func (b *Browser) mergeable() []session.Instance {
	c := b.chosen(false)
	if c == nil {
		return nil
	}
	var some []session.Instance
	for _, i := range c.instances {
		if i.wild == "" && !i.isCombination() {
			some = append(some, session.Instance{Key: i.key, Index: i.index})
		}
	}
	return pane.Mergeable(some)
}

func (b *Browser) whyNotCombine() string {
	switch {
	case b.counters.Row() == nil:
		return "no counter is highlighted"
	case len(b.mergeable()) < 2:
		return pane.ErrTooFew.Error()
	}
	return ""
}

// combine makes one row of the instances that are chosen.
func (b *Browser) combine() {
	c, instances := b.chosen(false), b.mergeable()
	if len(instances) < 2 {
		return
	}
	pane.CombineMenu(b.desk, instances, b.countersOfPicks(c), func(name string) {
		before := slices.Clone(c.instances)
		made := instance{key: session.InstanceKey{Name: name}}
		c.instances = slices.DeleteFunc(c.instances, func(i instance) bool {
			return i.wild == "" && slices.ContainsFunc(instances, func(in session.Instance) bool { return in.Key == i.key && in.Index == i.index })
		})
		c.instances = append(c.instances, made)
		b.visit().put(made)
		b.listInstances()
		b.stale = true
		b.desk.Did(fmt.Sprintf("%d instances are one", len(instances)), func() {
			c.instances = before
			b.listInstances()
			b.stale = true
		})
	})
}

// countersOfPicks are the counters that are chosen, else the one that is highlighted.
func (b *Browser) countersOfPicks(c *picks) (out []*session.Counter) {
	for i := range b.counters.Rows {
		if c.isChosen(b.counters.Rows[i].key) {
			out = append(out, b.counters.Rows[i].offers[0].is())
		}
	}
	if r := b.counters.Row(); len(out) == 0 && r != nil {
		out = append(out, r.offers[0].is())
	}
	return out
}
