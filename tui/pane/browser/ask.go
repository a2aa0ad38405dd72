package browser

import (
	"slices"

	"perfdeck/session"
	"perfdeck/tui/pane"
)

// mostValues bounds the values that are asked for of a counterset.
const mostValues = 80

// Asks are the counters in view, with the history of the instance that is
// marked, and of what was chosen elsewhere the present values.
func (b *Browser) Asks(h *pane.Host) (asks []session.Ask) {
	b.stale = false
	for _, o := range b.asked {
		if o.place.host == h {
			if a, ok := b.askOf(&o); ok {
				asks = append(asks, a)
			}
		}
	}
	for _, c := range b.picks {
		for _, p := range b.placesOf(c) {
			set := p.set(c.key)
			if p.host != h || set == nil {
				continue
			}
			if a := askOfPicks(set, c); len(a.Counters) > 0 {
				asks = append(asks, a)
			}
		}
	}
	return asks
}

// askOf asks for the counterset that is shown. Of hosts beside the one whose
// values are shown only the instances are wanted.
func (b *Browser) askOf(o *offer) (session.Ask, bool) {
	ask := session.Ask{Set: o.set}
	shown := b.preview()
	rows := b.counters.Rows
	if shown.place == o.place {
		rows = b.countersInView()
	}
	for i := range rows {
		for _, c := range rows[i].offers {
			if c.offer == *o && c.is().Absent == "" {
				ask.Counters = append(ask.Counters, c.counter)
			}
		}
		if shown.place != o.place && len(ask.Counters) > 0 {
			break
		}
	}
	names := b.namesOf(o)
	if len(ask.Counters) == 0 || names.isAwaited() {
		return ask, false
	}
	if names.isMany() {
		b.askMany(&ask, &shown)
	}
	if shown.place == o.place {
		ask.Keep = b.keep(o.set, &shown, ask.Counters)
	}
	if made, ok := session.CombineNamed(shown.key.Name); ok {
		ask.Combine = []session.Combine{made}
	}
	return ask, true
}

// keep is of what history is kept: of all counters of the instance that is
// highlighted, and of the one counter of all instances in view, so that there is
// something to see when the mark moves.
func (b *Browser) keep(set *session.Counterset, shown *seen, counters []int) (out []session.Keep) {
	if !set.Instances.Multiple() {
		return []session.Keep{{Counters: counters, Match: func(*session.Instance) bool { return true }}}
	}
	if shown.ok {
		out = append(out, session.Keep{Counters: counters, Rows: []session.InstanceKey{shown.key}})
	}
	var rows []session.InstanceKey
	for _, r := range inView(&b.instances) {
		if r.wild == "" && !b.place.isAll {
			rows = append(rows, r.key)
		}
	}
	if len(rows) > 0 {
		out = append(out, session.Keep{Counters: []int{shown.counter}, Rows: rows})
	}
	return out
}

// inView are the rows of a list that are in view.
func inView[K comparable, R any](l *pane.List[K, R]) []R {
	from := min(l.Top(), len(l.Rows))
	return l.Rows[from:min(len(l.Rows), from+min(max(l.Page(), 1), mostValues))]
}

// countersInView are the counters in view, and the one that is marked.
func (b *Browser) countersInView() []*counterRow {
	rows := inView(&b.counters)
	if r := b.counters.Row(); r != nil && !slices.Contains(rows, r) {
		return append(slices.Clone(rows), r)
	}
	return rows
}

// askOfPicks asks for the present values of what was chosen.
func askOfPicks(set *session.Counterset, c *picks) session.Ask {
	ask := session.Ask{Set: set}
	for i := range set.Counters {
		counter := &set.Counters[i]
		if c.isChosen(fold(counter.Name)) && !counter.Hidden() && counter.Absent == "" {
			ask.Counters = append(ask.Counters, i)
		}
	}
	for _, i := range c.instances {
		if made, ok := session.CombineNamed(i.key.Name); ok {
			ask.Combine = append(ask.Combine, made)
		}
	}
	return ask
}

// mostTargets bounds how many values are selected at a time.
const mostTargets = 200

// Selected are the value that is marked, with all hosts on each of them, then
// those that were chosen. In the first column it is the host.
func (b *Browser) Selected() []pane.Target {
	if b.place == nil {
		return nil
	}
	if b.focus == hostColumn {
		return b.selectedHosts()
	}
	var out targets
	if s := b.preview(); s.ok {
		out.add(pane.Target{Host: s.place.host, Set: s.set, Counter: s.counter, Key: s.key})
	}
	if r := b.counters.Row(); r != nil {
		marked := picks{place: b.place, key: b.sets.Row().key, counters: []string{r.key}}
		if i, ok := b.instanceAt(); ok {
			marked.instances = []instance{i}
		}
		b.addTargets(&out, &marked)
	}
	for _, c := range b.picks {
		b.addTargets(&out, c)
	}
	return out.list
}

func (b *Browser) selectedHosts() (out []pane.Target) {
	for _, p := range b.scope() {
		if p.host != nil {
			out = append(out, pane.Target{Host: p.host, Counter: -1})
		}
	}
	return out
}

// targets are values, each once.
type targets struct{ list []pane.Target }

func (t *targets) add(v pane.Target) {
	if len(t.list) < mostTargets && !slices.Contains(t.list, v) {
		t.list = append(t.list, v)
	}
}

// addTargets adds the values of picks that hosts have now.
func (b *Browser) addTargets(out *targets, c *picks) {
	for _, p := range b.placesOf(c) {
		set := p.set(c.key)
		if set == nil || p.host == nil {
			continue
		}
		for counter := range set.Counters {
			is := &set.Counters[counter]
			if is.Hidden() || is.Absent != "" || !c.isChosen(fold(is.Name)) {
				continue
			}
			o := counterOffer{offer{place: p, set: set}, counter}
			for _, key := range b.keysOf(&o, c) {
				out.add(pane.Target{Host: p.host, Set: set, Counter: counter, Key: key})
			}
		}
	}
}

// keysOf are the instances of a host that picks mean now.
func (b *Browser) keysOf(o *counterOffer, c *picks) (keys []session.InstanceKey) {
	if !o.set.Instances.Multiple() {
		return []session.InstanceKey{{}}
	}
	for _, i := range b.instancesOf(c) {
		if i.wild == "" {
			if key, ok := b.keyOf(o, i); ok {
				keys = append(keys, key)
			}
			continue
		}
		view := o.view()
		for _, row := range b.rowsOf(pathOf(o.set, o.is().Name, &i), *o) {
			keys = append(keys, view.Rows[row].Key)
		}
	}
	return keys
}
