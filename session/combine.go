package session

import (
	"slices"

	"perfdeck/cooker"
)

// Combine asks for one more instance, made of the cooked values of others
// (MS-PCQ 2.2.4.2, AggregateFunc).
type Combine struct {
	Name  string                // of the instance; cooker.AggregateInstance by custom
	Match func(*Instance) bool  // the instances that take part; nil: all
	Func  *cooker.AggregateFunc // nil: each counter's own
}

// Makes tells whether an instance is the combined one, which is never mixed up with one
// of the host.
func (c *Combine) Makes(in *Instance) bool {
	return in.Flags&FlagCombined != 0 && in.Key.Name == c.Name
}

// combiner makes one combined instance, sample by sample.
type combiner struct {
	Combine
	// gone are the last values of vanished instances, a column each, for sets
	// that aggregate history.
	gone []*cooker.Vanished[InstanceKey]
}

// combinersOf are the combined instances of an ask: those it names, each once
// though several consumers may want it, and _Aggregate where the set's instance
// type says that all are one.
func combinersOf(ask Ask, had []combiner) []combiner {
	all := slices.Clip(ask.Combine)
	switch ask.Set.Instances {
	case GlobalAggregate, GlobalAggregateHistory:
		all = append(all, Combine{Name: cooker.AggregateInstance})
	}
	var wants []Combine
	for _, w := range all {
		if !slices.ContainsFunc(wants, func(o Combine) bool { return o.Name == w.Name }) {
			wants = append(wants, w)
		}
	}
	out := make([]combiner, len(wants))
	for i, w := range wants {
		out[i].Combine = w
		if j := slices.IndexFunc(had, func(c combiner) bool { return c.Name == w.Name }); j >= 0 && len(had[j].gone) == len(ask.Counters) {
			out[i].gone = had[j].gone
		}
		if out[i].gone == nil && ask.Set.Instances == GlobalAggregateHistory {
			out[i].gone = make([]*cooker.Vanished[InstanceKey], len(ask.Counters))
			for c := range out[i].gone {
				out[i].gone[c] = new(cooker.Vanished[InstanceKey])
			}
		}
	}
	return out
}

// takesPart tells whether an instance is combined: no total and no aggregate
// is.
func (c *combiner) takesPart(in *Instance) bool {
	return in.Flags&(FlagTotal|FlagIdle|FlagCombined) == 0 && cooker.InAggregate(in.Key.Name) &&
		(c.Match == nil || c.Match(in))
}

// combine adds the combined rows behind the live ones.
func (t *track) combine(v, before *SetView) {
	for i := range t.combiners {
		c := &t.combiners[i]
		if c.gone != nil && before != nil {
			c.keepVanished(v, before)
		}
		row := Row{Instance: Instance{Key: InstanceKey{Name: c.Name}, Flags: FlagTotal | FlagCombined}, Since: v.Time}
		for _, g := range c.gone {
			row.Vanished = max(row.Vanished, g.Len())
		}
		v.Rows = append(v.Rows, row)
		for col, counter := range v.Counters {
			v.Values = append(v.Values, c.value(v, col, &v.Set.Counters[counter]))
		}
	}
	v.combined = len(t.combiners)
}

// value combines one column.
func (c *combiner) value(v *SetView, col int, counter *Counter) cooker.Value {
	a := cooker.Aggregator{Func: counter.Aggregate}
	if c.Func != nil {
		a.Func = *c.Func
	}
	for row := range v.live {
		if c.takesPart(&v.Rows[row].Instance) {
			a.Add(v.Value(row, col))
		}
	}
	if c.gone != nil {
		c.gone[col].AddTo(&a)
	}
	return a.Value()
}

// keepVanished keeps the last values of instances that went, and forgets those
// of instances that came back.
func (c *combiner) keepVanished(v, before *SetView) {
	for row := range before.live {
		in := &before.Rows[row].Instance
		if !c.takesPart(in) || v.Find(in.Key, row) >= 0 {
			continue
		}
		for col, counter := range v.Counters {
			if was := before.Column(counter); was >= 0 {
				c.gone[col].Keep(in.Key, before.Value(row, was))
			}
		}
	}
	for row := range v.live {
		if v.olderRow[row] < 0 {
			for col := range v.Counters {
				c.gone[col].Return(v.Rows[row].Key)
			}
		}
	}
}
