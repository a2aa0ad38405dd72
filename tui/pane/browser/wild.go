package browser

import (
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/english"
)

// The wildcard builder: * makes the marked part of the path a wildcard, again a
// wider one, and at last the name it was.

// widening is what * does next.
type widening struct {
	instance instance // what stands for the instance then
	all      bool     // all counters are meant then
	back     bool     // it leads back to the names
}

// next is what * does next; false where there is nothing to widen.
func (b *Browser) next() (w widening, ok bool) {
	s, r := b.sets.Row(), b.counters.Row()
	if s == nil || r == nil || b.focus < counterColumn {
		return w, false
	}
	now, multiple := b.instanceAt()
	if c := b.chosen(false); c != nil {
		w.all = slices.Contains(c.counters, every)
		if len(c.instances) == 1 {
			now = c.instances[0]
		}
	}
	w.instance = now
	switch {
	case multiple && now.wild == "" && b.focus == instanceColumn && now.like() != "":
		w.instance = instance{wild: now.like()}
	case multiple && now.wild != every:
		w.instance = instance{wild: every}
	case b.focus == counterColumn && !w.all:
		w.all = true
	default:
		w.back, w.all = true, w.all && b.focus != counterColumn
		if multiple {
			w.instance = b.lastNamed()
		}
	}
	return w, true
}

// lastNamed is the instance that the mark was on before it became a wildcard.
func (b *Browser) lastNamed() instance {
	if v := b.visit(); v.named != (instance{}) {
		return v.named
	}
	if len(b.instances.Rows) > 1 {
		return b.instances.Rows[len(b.instances.Rows)-1].instance
	}
	return instance{wild: every}
}

// widen does what * does.
func (b *Browser) widen() {
	if b.focus == hostColumn {
		b.moveTo(hostColumn, 0) // all hosts
		return
	}
	w, ok := b.next()
	if !ok {
		return
	}
	was, multiple := b.instanceAt()
	c := b.chosen(true)
	switch {
	case w.all && !slices.Contains(c.counters, every):
		c.counters = []string{every}
	case !w.all && slices.Contains(c.counters, every):
		c.counters = slices.DeleteFunc(c.counters, func(k string) bool { return k == every })
	}
	if multiple {
		b.replaceInstance(c, was, w.instance)
	}
	b.dropEmpty()
	b.listInstances()
	b.stale = true
}

// replaceInstance puts another instance in the place of what was marked or
// chosen.
func (b *Browser) replaceInstance(c *picks, was, now instance) {
	v := b.visit()
	if was.wild == "" {
		v.named = was
	}
	if now.wild != "" && now.wild != every {
		v.like = now.wild
	}
	v.instance, v.moved = now, true
	if len(c.instances) == 0 {
		return
	}
	if now.wild == every || len(c.instances) == 1 {
		c.instances = []instance{now}
		return
	}
	if i := slices.IndexFunc(c.instances, was.same); i >= 0 {
		c.instances[i] = now
		return
	}
	c.instances = append(c.instances, now)
}

// whyNotWild says why nothing can be a wildcard here.
func (b *Browser) whyNotWild() string {
	switch {
	case b.focus == hostColumn && len(b.desk.Hosts) < 2:
		return "there is one host"
	case b.focus == setColumn:
		return "a path names one counterset; space marks all its counters"
	case b.counters.Row() == nil:
		return "no counter is highlighted"
	}
	return ""
}

// widened is the path that * would make, with its host, and what it means now,
// as far as the host told its instances.
func (b *Browser) widened() (text string, ok bool) {
	w, ok := b.next()
	o := b.seen.counterOffer
	if !ok || o.set == nil || w.back {
		return "", false
	}
	name := o.is().Name
	if w.all {
		name = every
	}
	i := &w.instance
	if !o.set.Instances.Multiple() {
		i = nil
	}
	p := path{place: o.place, text: pathOf(o.set, name, i)}
	var means []string
	if w.all {
		means = append(means, english.Count(countersOf(p.text, o), "counter", "counters"))
	}
	if n := len(b.rowsOf(p.text, o)); n > 0 && i != nil {
		means = append(means, english.Count(n, "instance", "instances"))
	}
	text = p.full()
	if len(means) > 0 {
		text += " is " + strings.Join(means, " of ") + " now"
	}
	return text, true
}

// countersOf is how many counters a path means.
func countersOf(text string, o counterOffer) (n int) {
	means, err := o.place.cat.Resolve(text, paths.Options{})
	if err != nil {
		return 0
	}
	for _, s := range means {
		n += len(s.Counters)
	}
	return n
}

// rowsOf are the rows of a host's view that a path means now.
func (b *Browser) rowsOf(text string, o counterOffer) (rows []int) {
	view := o.view()
	if view == nil || o.place.cat == nil {
		return nil
	}
	means, err := o.place.cat.Resolve(text, paths.Options{})
	if err != nil {
		return nil
	}
	for i := range view.Rows {
		in := &view.Rows[i]
		if !in.Gone && slices.ContainsFunc(means, func(s session.Selection) bool { return s.Set == o.set && s.Matches(&in.Instance) }) {
			rows = append(rows, i)
		}
	}
	return rows
}
