package browser

import (
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/tui/kit/names"
)

// instance is what can stand for the instance in a path: a name, or a
// wildcard.
type instance struct {
	key   session.InstanceKey
	index uint32 // n of name#n now
	wild  string // a wildcard, instead of a name
}

const every = "*"

// id is the instance by that which tells it apart: where instances have no identity of
// their own, that is #n.
func (i instance) id() instance {
	if i.key.ID != 0 {
		i.index = 0
	}
	return i
}

// same tells whether both mean the same.
func (i instance) same(o instance) bool { return i.id() == o.id() }

// text is what stands between the parentheses of a path.
func (i instance) text() string {
	if i.wild != "" {
		return i.wild
	}
	return paths.Of("", "", i.key.Parent, i.key.Name, int(i.index), "").InstanceText()
}

// like is a wildcard for an instance and others named as it: its name without
// the number at its end. Empty if there is none, or if that says nothing.
func (i instance) like() string {
	name := i.key.Name
	stem := strings.TrimRight(name, "0123456789#_-.,: ")
	if numbered := strings.ContainsAny(name[len(stem):], "0123456789#"); !numbered {
		stem = name
		if i.index == 0 {
			return ""
		}
	}
	if i.wild != "" || stem == "" || i.isTotal() {
		return ""
	}
	if i.key.Parent != "" {
		stem = i.key.Parent + "/" + stem
	}
	return stem + every
}

// isTotal tells whether an instance stands for others by its name.
func (i instance) isTotal() bool { return i.wild == "" && !cooker.InAggregate(i.key.Name) }

// isWhole tells whether it stands for all others: _Total, but not 0,_Total.
func (i instance) isWhole() bool { return i.wild == "" && paths.EqualFold(i.key.Name, "_Total") }

// instanceRow is a row of the fourth column.
type instanceRow struct {
	instance

	flags session.InstanceFlags
	pid   uint64 // the number by which people know it, 0 none
	gone  bool
}

// isTotal tells whether the row stands for others.
func (r *instanceRow) isTotal() bool {
	return r.flags&(session.FlagTotal|session.FlagCombined) != 0 || r.instance.isTotal()
}

// mostAsked is of how many hosts the instances are listed with all hosts.
const mostAsked = 16

// chooseAsked settles which hosts are asked; those that answer come first.
func (b *Browser) chooseAsked(s *setRow) {
	out, silent := b.asked[:0], []offer(nil)
	for _, o := range s.offers {
		switch {
		case o.place.host == nil:
		case o.place.phaseOf() != session.Live:
			silent = append(silent, o)
		case len(out) < mostAsked:
			out = append(out, o)
		}
	}
	b.asked = append(out, silent[:min(len(silent), mostAsked-len(out))]...)
}

// view is what a host last told of a counterset, nil before.
func (o *offer) view() *session.SetView {
	if o.place.host == nil {
		return nil
	}
	return o.place.host.Snap.Set(o.set)
}

// listInstances lists what can stand for the instance: all of them, wildcards
// that were made, totals, and those that there are now.
func (b *Browser) listInstances() {
	b.instances.Rows, b.more, b.many = b.instances.Rows[:0], false, false
	s := b.sets.Row()
	if s != nil {
		b.chooseAsked(s)
	} else {
		b.asked = nil
	}
	if s == nil || !s.offers[0].set.Instances.Multiple() {
		b.instances.Put(b.instances.Rows)
		return
	}
	b.instances.Rows = append(b.instances.Rows, instanceRow{instance: instance{wild: every}})
	for _, i := range b.wildcards() {
		b.instances.Rows = append(b.instances.Rows, instanceRow{instance: i})
	}
	for _, i := range b.combinations() {
		b.instances.Rows = append(b.instances.Rows, instanceRow{instance: i, flags: session.FlagTotal | session.FlagCombined})
	}
	b.heads, b.owners = len(b.instances.Rows), map[instance]int{}
	for _, o := range b.asked {
		view, names := o.view(), b.namesOf(&o)
		if names.isMany() {
			b.more, b.many = b.more || names.more, true
			for _, key := range names.keys {
				b.addInstance(&session.Row{Instance: session.Instance{Key: key}})
			}
		}
		if view == nil {
			continue
		}
		for i := range view.Rows {
			if row := &view.Rows[i]; !names.isMany() || row.Flags&session.FlagTotal != 0 {
				b.addInstance(row)
			}
		}
	}
	if b.offersAggregate() {
		b.instances.Rows = slices.Insert(b.instances.Rows, b.heads, instanceRow{
			instance: instance{key: session.InstanceKey{Name: cooker.AggregateInstance}}, flags: session.FlagTotal | session.FlagCombined,
		})
	}
	b.markInstance()
}

// addInstance lists an instance; a total before the others.
func (b *Browser) addInstance(row *session.Row) {
	i := instance{key: row.Key, index: row.Index}
	if row.Flags&session.FlagCombined != 0 && i.isCombination() {
		return // those of this screen are listed; decks have theirs
	}
	if b.place.isAll {
		i.key.ID = 0
		if b.owners[i]++; b.owners[i] > 1 {
			return
		}
	}
	r, at := instanceRow{instance: i, flags: row.Flags, pid: row.Number, gone: row.Gone}, len(b.instances.Rows)
	if r.isTotal() {
		at = b.heads
		b.heads++
	}
	b.instances.Rows = slices.Insert(b.instances.Rows, at, r)
}

// offersAggregate tells whether a total is to be had though the host gives
// none: the counters say how their instances are combined.
func (b *Browser) offersAggregate() bool {
	if b.many {
		return false // of what is read it would be a part
	}
	for i := range b.heads {
		if b.instances.Rows[i].isTotal() && !b.instances.Rows[i].isCombination() {
			return false
		}
	}
	c := b.counters.Row()
	return c != nil && len(b.instances.Rows) > b.heads && c.offers[0].place.host != nil && c.offers[0].is().Aggregate != cooker.AggregateNone
}

// markInstance leaves the mark where it was; where nobody put it, on the total.
func (b *Browser) markInstance() {
	v := b.visit()
	at := slices.IndexFunc(b.instances.Rows, func(r instanceRow) bool { return r.same(v.instance) })
	switch {
	case !v.moved:
		at = max(0, slices.IndexFunc(b.instances.Rows, func(r instanceRow) bool { return r.isWhole() || b.isAggregate(&r) }))
	case at < 0: // it went, or the list is that of another host
		name := v.instance
		name.key.ID = 0
		at = slices.IndexFunc(b.instances.Rows, func(r instanceRow) bool { r.key.ID = 0; return r.instance == name })
	}
	if at < 0 {
		at = b.instances.Line()
	}
	b.instances.Put(b.instances.Rows)
	b.instances.Place(at)
	b.common = b.commonName()
	if !v.moved {
		v.instance = b.instances.Row().instance
	}
}

// isAggregate tells whether a row is what a counterset means all whose instances are
// one.
func (b *Browser) isAggregate(r *instanceRow) bool {
	return r.wild == "" && r.key.Name == cooker.AggregateInstance && b.sets.Row().offers[0].set.Instances.IsWhole()
}

// commonName is what the names of all instances begin with, but for totals.
func (b *Browser) commonName() string {
	var list names.Common
	for i := range b.instances.Rows {
		if r := &b.instances.Rows[i]; r.wild == "" && !r.isTotal() {
			list.Add(r.text())
		}
	}
	return list.Prefix()
}

// instanceAt is what stands for the instance where the mark is; false for
// countersets without instances.
func (b *Browser) instanceAt() (instance, bool) {
	return b.instances.Row().instance, b.instances.Has()
}

// seen is the value that is shown of what is marked.
type seen struct {
	counterOffer // without a set there is none

	key session.InstanceKey
	ok  bool // the instance is known
}

// preview is the value that is shown of what is marked: with all hosts that of
// the first one that answers, of a wildcard the total, else the first instance.
func (b *Browser) preview() seen {
	c := b.counters.Row()
	if c == nil {
		return seen{}
	}
	s := seen{counterOffer: c.offers[0]}
	for _, asked := range b.asked {
		if i := slices.IndexFunc(c.offers, func(o counterOffer) bool { return o.place == asked.place }); i >= 0 {
			s.counterOffer = c.offers[i]
			break
		}
	}
	switch i, _ := b.instanceAt(); {
	case s.place.host == nil:
	case !s.set.Instances.Multiple():
		s.ok = true
	default:
		s.key, s.ok = b.keyOf(&s.counterOffer, i)
	}
	return s
}

// keyOf finds the instance of a host that is meant: of a wildcard the total,
// else the first that it means.
func (b *Browser) keyOf(o *counterOffer, i instance) (key session.InstanceKey, ok bool) {
	view := o.view()
	if i.key.Name == cooker.AggregateInstance && i.wild == "" {
		return i.key, true // it is made by asking for it
	}
	if view == nil {
		return i.key, i.wild == "" && i.key != session.InstanceKey{}
	}
	key = i.key
	for row := range view.Rows {
		r := &view.Rows[row]
		switch {
		case i.wild == "" && r.Key == i.key && (i.key.ID != 0 || r.Index == i.index):
			return r.Key, true
		case i.wild == "" && i.key.ID != 0 && !b.place.isAll, r.Gone:
		case i.wild == "" && r.Key.Parent == i.key.Parent && r.Key.Name == i.key.Name && r.Index == i.index && !ok:
			key, ok = r.Key, true
		case i.wild != "" && paths.Match(i.wild, names.Parented(r.Key)):
			if i.wild == every && (instance{key: r.Key}).isWhole() {
				return r.Key, true
			}
			if !ok {
				key, ok = r.Key, true
			}
		}
	}
	return key, ok
}
