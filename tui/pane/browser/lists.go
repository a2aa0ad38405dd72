package browser

import (
	"cmp"
	"math"
	"slices"

	"perfdeck/session"
	"perfdeck/tui/kit/lineedit"
)

// setRow is a row of the second column.
type setRow struct {
	key, name string // key is the folded name
	count     int    // counters that are shown
	rank      int
	offers    []offer // who has it
}

// offer is a counterset of a place.
type offer struct {
	place *place
	set   *session.Counterset
	at    int // in place.cat.Sets
}

// counterRow is a row of the third column.
type counterRow struct {
	key, name string // key is the folded name
	rank      int
	offers    []counterOffer // who has it
}

// counterOffer is a counter of a place.
type counterOffer struct {
	offer

	counter int // index in set.Counters
}

func (o *counterOffer) is() *session.Counter { return &o.set.Counters[o.counter] }

// setQuery searches for another text. The marks go to what fits best.
func (b *Browser) setQuery(text string) {
	if text == b.sought.query {
		return
	}
	b.sought.query = text
	if b.sought.line.String() != text {
		b.sought.line = lineedit.New(text)
		b.sought.line.Unmark()
	}
	b.search()
	if text == "" || len(b.sets.Rows) == 0 {
		return
	}
	for c := setColumn; c < columns; c++ {
		b.lists[c].Restart()
	}
	b.setKey = b.sets.Rows[0].key
	b.listCounters()
	if len(b.counters.Rows) > 0 {
		b.visit().counter = b.counters.Rows[0].key
	}
	b.rebuild()
}

// search finds the counters that the query means and lists them.
func (b *Browser) search() {
	start := b.desk.Now()
	b.index.Words = b.desk.Words
	b.finder.Find(b.sought.query, 0, 0)
	b.tally()
	b.sought.took = b.desk.Now().Sub(start)
	b.rebuild()
}

// tally counts what is shown of each set of each place.
func (b *Browser) tally() {
	b.sought.found = 0
	for _, p := range b.places {
		p.found = 0
		for i := range p.tallies {
			p.tallies[i].count, p.tallies[i].rank = 0, math.MaxInt
		}
		for i, rank := range b.finder.Found(p.src) {
			r := &p.refs[i]
			if !b.shows(r.detail) {
				continue
			}
			t := &p.tallies[r.set]
			t.count++
			t.rank = min(t.rank, rank)
			p.found++
		}
		b.sought.found += p.found
	}
}

// rebuild lists everything anew. The marks stay on what they were on, as long
// as it is there.
func (b *Browser) rebuild() {
	b.hostRows.Place(slices.Index(b.hostRows.Rows, b.place))
	b.listSets()
	b.listCounters()
	b.listInstances()
	if b.focus == instanceColumn && len(b.instances.Rows) == 0 {
		b.focus = counterColumn
	}
	b.stale = true
}

// listSets lists the countersets of the place: without a search by name, else
// the best first. A name that several hosts have is one row.
func (b *Browser) listSets() {
	rows := b.sets.Rows[:0]
	named := map[string]*setRow{}
	for _, p := range b.scope() {
		for i := range p.tallies {
			t := &p.tallies[i]
			if t.count == 0 {
				continue
			}
			s := named[p.folded[i]]
			if s == nil {
				s = &setRow{key: p.folded[i], name: p.cat.Sets[i].Name, rank: t.rank}
				named[s.key], rows = s, append(rows, s)
			}
			s.count, s.rank = max(s.count, t.count), min(s.rank, t.rank)
			s.offers = append(s.offers, offer{p, p.cat.Sets[i], i})
		}
	}
	slices.SortStableFunc(rows, func(x, y *setRow) int {
		if b.sought.query != "" {
			return x.rank - y.rank
		}
		return cmp.Compare(x.key, y.key)
	})
	b.sets.Put(rows)
	b.sets.Place(slices.Index(b.sets.Keys(), b.setKey))
}

// listCounters lists the counters of the counterset: in its order, or the best
// first.
func (b *Browser) listCounters() {
	rows := b.counters.Rows[:0]
	s := b.sets.Row()
	if s == nil {
		b.counters.Put(rows)
		return
	}
	named := map[string]*counterRow{}
	for _, o := range s.offers {
		p := o.place
		for i := p.tallies[o.at].first; i < len(p.refs) && p.refs[i].set == int32(o.at); i++ {
			c := &o.set.Counters[p.refs[i].counter]
			rank, found := b.finder.Rank(p.src, i)
			if !found || !b.shows(c.Detail) {
				continue
			}
			key := fold(c.Name)
			r := named[key]
			if r == nil {
				r = &counterRow{key: key, name: c.Name, rank: rank}
				named[key], rows = r, append(rows, r)
			}
			if n := len(r.offers); n == 0 || r.offers[n-1].place != p { // of two with one name a path means the first
				r.offers = append(r.offers, counterOffer{o, int(p.refs[i].counter)})
			}
		}
	}
	if b.sought.query != "" {
		slices.SortStableFunc(rows, func(x, y *counterRow) int { return x.rank - y.rank })
	}
	b.counters.Put(rows)
	b.counters.Place(slices.Index(b.counters.Keys(), b.visit().counter))
}

// visit is where the marks stood in the counterset that is shown.
func (b *Browser) visit() *visit {
	if s := b.sets.Row(); s != nil {
		return b.visitOf(s.key)
	}
	return b.visitOf(b.setKey)
}

// visitOf is where the marks stand in a counterset.
func (b *Browser) visitOf(key string) *visit {
	v := b.visited[key]
	if v == nil {
		v = &visit{}
		b.visited[key] = v
	}
	return v
}

// moveTo puts the mark of a column on a row.
func (b *Browser) moveTo(c column, row int) {
	l := b.lists[c]
	if b.focus = c; row >= 0 && row < l.Count() {
		b.choose(c, func() { l.Move(row - l.Line()) })
	}
}

// choose moves the mark of a column, and with it the lists behind. Where that concerns
// several hosts they are all asked anew.
func (b *Browser) choose(c column, move func()) {
	b.focus = c
	was := b.lists[c].Line()
	move()
	if b.lists[c].Count() == 0 {
		return
	}
	wide := b.lists[c].Line() != was && (c == hostColumn || c == setColumn && b.place.isAll)
	b.stale = true
	switch c {
	case hostColumn:
		b.place = b.hostRows.Row()
		b.rebuild()
	case setColumn:
		b.setKey = b.sets.Row().key
		b.counters.Restart()
		b.instances.Restart()
		b.listCounters()
		b.listInstances()
	case counterColumn:
		b.visit().counter = b.counters.Row().key
		b.listInstances()
	case instanceColumn:
		b.visit().put(b.instances.Row().instance)
	}
	if wide {
		b.desk.Reask()
	}
}

// put notes on which instance the mark was put.
func (v *visit) put(i instance) {
	v.instance, v.moved = i, true
	if i.wild == "" {
		v.named = i
	}
}
