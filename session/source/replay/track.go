package replay

import (
	"fmt"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// track follows what is asked of one host along a recording: which instances are
// there, and the history of what is made of several.
type track struct {
	columns *hostColumns
	plans   []*plan
	builder session.Builder

	// Buffers of views.
	data         session.ViewData
	older, newer session.RawData
	from         []rowFrom
	departed     []session.RowSeries
}

// plansOf makes the plans of what is asked.
func (t *track) plansOf(asks []session.Ask) (plans []*plan) {
	for _, a := range session.MergeAsks(asks) {
		cols := t.columns.sets[a.Set]
		if cols == nil {
			continue // of another recording
		}
		plans = append(plans, newPlan(a, cols))
	}
	return plans
}

// isSame tells whether plans show the same as those that there are. Screens ask
// again and again.
func (t *track) isSame(plans []*plan) bool {
	return slices.EqualFunc(t.plans, plans, func(a, b *plan) bool {
		return a.cols == b.cols && slices.Equal(a.ask.Counters, b.ask.Counters) && slices.Equal(a.ask.Facts.Keys, b.ask.Facts.Keys) && a.shape() == b.shape()
	})
}

// shape writes down what the view of a plan keeps of which rows.
func (p *plan) shape() string {
	var b []byte
	for i := range p.ask.Keep {
		k := &p.ask.Keep[i]
		b = fmt.Append(b, k.Counters, k.Busiest, k.By, k.Recent, ":")
		for i := range p.rows {
			b = append(b, shapeOf(k, &p.rows[i].Instance))
		}
		for i := range p.combined {
			b = append(b, shapeOf(k, &p.combined[i].Instance))
		}
	}
	for i := range p.combined {
		c := &p.combined[i]
		b = fmt.Appendf(b, "%q %v", c.Name, c.parts)
		if c.Func != nil {
			b = fmt.Append(b, *c.Func)
		}
	}
	return string(b)
}

func shapeOf(k *session.Keep, in *session.Instance) byte {
	if k.Match != nil && k.Match(in) || slices.Contains(k.Rows, in.Key) {
		return '+'
	}
	return '-'
}

// bind finds the columns of the plans in the window.
func (t *track) bind(w *window) {
	for _, p := range t.plans {
		for i := range p.rows {
			r := &p.rows[i]
			r.slots, r.tellSlots = make([][]*slot, len(r.cells)), nil
			for col, cells := range r.cells {
				r.slots[col] = w.slotsOf(cells)
			}
			r.numbers = [2][]*slot{w.slotsOf(r.number), w.slotsOf(r.owner)}
			for _, column := range r.tells {
				r.tellSlots = append(r.tellSlots, w.slotOf(column))
			}
		}
	}
}

// carry takes over what the plans before found out, if they are enough for that.
func (p *plan) carry(old *plan) bool {
	if !slices.Equal(p.ask.Counters, old.ask.Counters) || len(p.combined) != len(old.combined) {
		return false
	}
	for i := range p.combined {
		c, before := &p.combined[i], &old.combined[i]
		if c.Name != before.Name || !slices.Equal(c.parts, before.parts) {
			return false
		}
		for col, counter := range p.ask.Counters {
			if before.kept[col] == nil && p.keeps(&c.Instance, counter) {
				return false
			}
		}
		c.values, c.kept = before.values, before.kept
	}
	p.lives = old.lives
	for i := range p.rows {
		r, before := &p.rows[i], &old.rows[i]
		r.there, r.assumed, r.since, r.last, r.ranked = before.there, before.assumed, before.since, before.last, before.ranked
		r.Number, r.Owner, r.Flags = before.Number, before.Owner, before.Flags
	}
	return true
}

// replan replaces the plans. It reports whether the window has to be read anew
// for them.
func (t *track) replan(plans []*plan) (anew bool) {
	for _, p := range plans {
		i := slices.IndexFunc(t.plans, func(o *plan) bool { return o.cols == p.cols })
		anew = anew || i < 0 || !p.carry(t.plans[i])
	}
	t.plans = plans
	return anew
}

// reset lets the tracks begin anew, for an empty window.
func (t *track) reset(w *window) {
	for _, p := range t.plans {
		p.lives = nil
		for i := range p.rows {
			r := &p.rows[i]
			r.there, r.assumed, r.since, r.ranked = true, true, time.Time{}, false
			r.Number, r.Owner, r.Flags = 0, 0, p.cols.instances[r.index].Flags
		}
		for i := range p.combined {
			c := &p.combined[i]
			for col, counter := range p.ask.Counters {
				c.kept[col] = nil
				if p.keeps(&c.Instance, counter) {
					of := &p.cols.set.Counters[counter]
					c.kept[col] = session.NewHistory(w.size, of.Look().Format, w.weigh(p.cols, of))
				}
			}
		}
	}
}

// load follows the sample that the window took last.
func (t *track) load(w *window) {
	for _, p := range t.plans {
		p.note(w)
		if p.cols.number >= 0 || p.cols.owner >= 0 {
			p.noteNumbers(w.newest)
			p.noteKernel()
		}
		for i := range p.combined {
			p.combined[i].combine(p)
		}
	}
}

// note finds out which instances are there. A sample without any value of the
// counterset tells nothing of them: it is a gap, or the first one, in which there
// are no rates.
func (p *plan) note(w *window) {
	if !p.cols.set.Instances.Multiple() {
		return
	}
	if !slices.ContainsFunc(p.rows, func(r planRow) bool { return r.isSeen() }) {
		return
	}
	for i := range p.rows {
		r := &p.rows[i]
		switch seen := r.isSeen(); {
		case len(r.tells) == 0:
		case seen && !r.there:
			r.there, r.since = true, w.newest
		case !seen && r.assumed:
			r.there, r.since = false, time.Time{}
		case !seen && r.there:
			p.end(i, w.newest)
		}
		r.assumed = false
		p.rank(r)
	}
}

// end notes that an instance was missing at a moment.
func (p *plan) end(row int, at time.Time) {
	r := &p.rows[row]
	l := life{row, session.Row{Instance: r.Instance, Gone: true, Since: at}}
	if !r.since.IsZero() {
		l.Lived = at.Sub(r.since)
	}
	p.lives = append(p.lives, l)
	r.there, r.since = false, at
}

// noteNumbers takes the numbers of the processes that are there: a name with #n
// may be that of another one by now, which ends the one that had it.
func (p *plan) noteNumbers(at time.Time) {
	for i := range p.rows {
		r := &p.rows[i]
		number, known := r.numberIn(0)
		if known && r.Number != 0 && number != r.Number && !r.since.Equal(at) {
			p.end(i, at)
			r.there = true
		}
		if known {
			r.Number = number
		}
		if owner, known := r.numberIn(1); known {
			r.Owner = owner
		}
	}
}

// numberIn is the newest number in the columns of those that tell some.
func (r *planRow) numberIn(which int) (n uint64, ok bool) {
	n, ok = numberOf(valueOf(r.numbers[which]))
	return n, ok && r.there
}

// isSeen tells whether the newest sample has a value of the instance, or says
// why an instance that is there has none.
func (r *planRow) isSeen() bool {
	for _, s := range r.tellSlots {
		if isTold(s.value) {
			return true
		}
	}
	return false
}

// rank remembers by what an instance was ranked when it was there last.
func (p *plan) rank(r *planRow) {
	if !r.there {
		return
	}
	r.ranked = false
	for i := range p.ask.Keep {
		if k := &p.ask.Keep[i]; k.Busiest > 0 {
			if col, ok := slices.BinarySearch(p.ask.Counters, k.By); ok {
				r.last, r.ranked = valueOf(r.slots[col]).Float()
			}
			return
		}
	}
}

// valueOf is the newest value of a counter of an instance: the first that counts,
// where the recording has several columns of one path.
func valueOf(slots []*slot) cooker.Value {
	v := cooker.Absent(cooker.Unavailable)
	for n, s := range slots {
		if n == 0 || s.value.Valid() {
			v = s.value
		}
		if v.Valid() {
			break
		}
	}
	return v
}

// combine combines the newest sample.
func (c *combined) combine(p *plan) {
	c.members = c.members[:0]
	for i := range p.rows {
		if c.parts[i] && p.rows[i].there {
			c.members = append(c.members, i)
		}
	}
	c.members = c.Once(c.members, func(i int) *session.Instance { return &p.rows[i].Instance })
	for col, counter := range p.ask.Counters {
		a := c.Aggregator(&p.cols.set.Counters[counter])
		for _, i := range p.cols.set.Combined(a.Func, c.members, func(i int) (*session.Instance, cooker.Value) {
			return &p.rows[i].Instance, valueOf(p.rows[i].slots[col])
		}) {
			a.Add(valueOf(p.rows[i].slots[col]))
		}
		c.values[col] = a.Value()
		if c.kept[col] != nil {
			c.kept[col].Add(c.values[col])
		}
	}
}
