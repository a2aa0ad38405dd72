package collector

import (
	"cmp"
	"slices"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// layout is which value goes into which column of a file. A column follows an
// instance by its identity. When that is gone another instance of the name may
// take the column over, as in recordings of Windows.
type layout struct {
	hosts     []*member // by place in the assembler
	list      []column
	instances map[instanceName][]*instanceColumns
	byText    map[string]int32 // columns of a file that is continued, by folded path
	targets   [][]cellTarget   // by place, by number of a series
	now       int64            // the row that is placed
	typed     bool             // columns got their types on the way, which were not known
	changed   bool             // columns got other types: the host came back as another
	last      []int64          // by place: the newest row in which the host answered
}

type column struct {
	logs.Column

	place    int // of its host; -1: it is of no host of this recording
	instance *instanceColumns
	key      instanceName
	counter  string      // folded
	had      bool        // an instance was there once
	first    *series     // that had it; nil: none of this recording
	shown    *logs.Named // as streams have it; nil: none asked
}

// instanceColumns is the columns of an instance, or of one after the other.
type instanceColumns struct {
	n          uint32 // of #n
	owner      *session.Owner
	seen       int64 // the row in which the owner was there last
	isExplicit bool  // a path without wildcards names it
	columns    map[string]int32
}

// cellTarget is where the values of a series go.
type cellTarget struct {
	instance *instanceColumns
	column   int32 // -1: nowhere
}

func newLayout(hosts []*member) *layout {
	return &layout{hosts: hosts, instances: map[instanceName][]*instanceColumns{}, targets: make([][]cellTarget, len(hosts)), last: make([]int64, len(hosts))}
}

// adopt takes the columns of a file that is continued. They find their instances
// by name.
func (s *layout) adopt(columns []logs.Column) {
	s.byText = map[string]int32{}
	for i, c := range columns {
		s.byText[paths.Fold(c.Path)] = int32(i)
		col := column{Column: c, place: -1}
		if p, err := paths.Parse(c.Path); err == nil {
			col.place = slices.IndexFunc(s.hosts, func(m *member) bool { return paths.EqualFold(m.host.Name, p.Computer) })
			if col.place >= 0 {
				n, _ := p.Index.Number()
				col.key, col.counter = instanceNameOf(s.hosts[col.place].number, p), paths.Fold(p.Counter)
				col.instance = s.instanceNumbered(col.key, uint32(n))
				col.instance.columns[col.counter] = int32(i)
			}
		}
		s.list = append(s.list, col)
	}
}

// follower is a layout for the next file: with the columns of this one whose
// instances are still there.
func (s *layout) follower() *layout {
	next := newLayout(s.hosts)
	next.now, next.last = s.now, s.last
	moved := map[*instanceColumns]*instanceColumns{}
	for _, c := range s.list {
		old := c.instance
		if old == nil || !old.isExplicit && (old.owner == nil || old.seen < s.last[c.place]) {
			continue
		}
		if moved[old] == nil {
			moved[old] = &instanceColumns{n: old.n, owner: old.owner, seen: old.seen, isExplicit: old.isExplicit, columns: map[string]int32{}}
			next.instances[c.key] = append(next.instances[c.key], moved[old])
		}
		c.instance = moved[old]
		c.instance.columns[c.counter] = int32(len(next.list))
		next.list = append(next.list, c)
	}
	return next
}

// begin makes the columns of a row's samples that are not there yet: of one host
// after the other, each in the order of its paths. A host that is not in the row has
// those that it had so far.
func (s *layout) begin(samples []*sample) {
	s.now++
	for place := range s.hosts {
		s.look(place, samples[place])
		wanted := slices.Clone(s.hosts[place].explicit)
		if samples[place] != nil {
			for _, c := range samples[place].Cells {
				wanted = append(wanted, s.hosts[place].known[c.Number])
			}
		} else { // it is late
			wanted = append(wanted, s.hosts[place].known...)
		}
		slices.SortStableFunc(wanted, func(a, b *series) int { return cmp.Compare(a.Question, b.Question) })
		for _, one := range wanted {
			s.place(place, one, true, true)
		}
		s.settle(place, samples[place], true)
	}
}

// look notes which instances of a host are there in a row.
func (s *layout) look(place int, from *sample) {
	if from == nil {
		return
	}
	h := s.hosts[place]
	for len(s.targets[place]) < len(h.known) {
		s.targets[place] = append(s.targets[place], cellTarget{column: -1})
	}
	s.last[place] = s.now
	targets := s.targets[place]
	for i := range from.Cells {
		number := from.Cells[i].Number
		at, one := &targets[number], h.known[number]
		if at.column >= 0 && at.instance.owner != one.Owner {
			*at = cellTarget{column: -1} // another instance has it now
		}
		own := at.instance
		if at.column < 0 {
			if own = s.columnsOf(one.instance, one.Owner); own == nil {
				continue
			}
			own.owner = one.Owner
		}
		own.seen = s.now
	}
}

// columnsOf finds the columns that an instance has, nil if it has none.
func (s *layout) columnsOf(key instanceName, who *session.Owner) *instanceColumns {
	for _, c := range s.instances[key] {
		if c.owner != nil && *c.owner == *who {
			return c
		}
	}
	return nil
}

// settle finds columns for what has none: first for instances that had theirs or
// that fit by their #n, then for the others. With grow there are new ones where it
// needs them. It returns for how many there is none.
func (s *layout) settle(place int, from *sample, grow bool) (lacking int) {
	if from == nil {
		return 0
	}
	targets := s.targets[place]
	for _, exact := range []bool{true, false} {
		lacking = 0
		for i := range from.Cells {
			number := from.Cells[i].Number
			if targets[number].column >= 0 {
				continue
			}
			targets[number] = s.place(place, s.hosts[place].known[number], grow, exact)
			if targets[number].column < 0 {
				lacking++
			}
		}
		if lacking == 0 {
			break
		}
	}
	return lacking
}

// placeExplicit finds the columns of paths without wildcards, as settle does.
func (s *layout) placeExplicit(place int, grow bool) (lacking int) {
	for _, one := range s.hosts[place].explicit {
		if s.place(place, one, grow, true).column < 0 {
			lacking++
		}
	}
	return lacking
}

// place finds the column of a series. With grow it makes one where there is none.
func (s *layout) place(place int, one *series, grow, exact bool) cellTarget {
	at := s.columnsFor(one, grow, exact)
	if at == nil {
		return s.placeByText(one)
	}
	if one.Owner == nil {
		at.isExplicit = true
	} else {
		at.owner, at.seen = one.Owner, s.now
	}
	if number, ok := at.columns[one.counter]; ok {
		s.learn(&s.list[number], one)
		return cellTarget{at, number}
	}
	if !grow {
		return cellTarget{column: -1}
	}
	number := int32(len(s.list))
	at.columns[one.counter] = number
	c := column{Column: one.column, place: place, instance: at, key: one.instance, counter: one.counter, first: one}
	if at.n != one.number() {
		c.Path = one.pathOn(s.hosts[place].host.Name, at.n).String()
	}
	s.list = append(s.list, c)
	return cellTarget{at, number}
}

// learn gives a column what is known of its counter by now: it may be older than the
// host's first answer, or than its newest catalogue.
func (s *layout) learn(c *column, one *series) {
	if !one.column.TypeKnown {
		return
	}
	if c.first == nil || c.first.Set != one.Set {
		c.first, c.shown = one, nil
	}
	if c.TypeKnown && c.Type == one.column.Type {
		return
	}
	s.typed, s.changed = s.typed || !c.TypeKnown, s.changed || c.TypeKnown
	path := c.Path
	c.Column = one.column
	c.Path = path
}

// placeByText finds a column of a file that is continued by its text: a name may
// have been read as another one with an index, as that of `adapter #2`.
func (s *layout) placeByText(one *series) cellTarget {
	number, ok := s.byText[paths.Fold(one.column.Path)]
	if !ok || one.Owner == nil {
		return cellTarget{column: -1}
	}
	return cellTarget{&instanceColumns{owner: one.Owner, seen: s.now}, number}
}

// columnsFor finds the columns for an instance: its own, or those that none has now,
// with its own #n if that is exact. With grow there is a new one if need be.
func (s *layout) columnsFor(one *series, grow, exact bool) *instanceColumns {
	var free *instanceColumns
	taken := false // its own #n
	for _, c := range s.instances[one.instance] {
		mine := c.n == one.number()
		taken = taken || mine
		switch {
		case one.Owner == nil:
			if mine {
				return c
			}
		case c.owner != nil && *c.owner == *one.Owner:
			return c
		case c.owner != nil && c.seen >= s.now, exact && !mine:
		case free == nil || mine:
			free = c
		}
	}
	if free != nil || !grow || exact && taken {
		return free
	}
	n := one.number()
	for slices.ContainsFunc(s.instances[one.instance], func(c *instanceColumns) bool { return c.n == n }) {
		n++
	}
	return s.instanceNumbered(one.instance, n)
}

// instanceNumbered finds or makes the columns of an instance by its #n.
func (s *layout) instanceNumbered(key instanceName, n uint32) *instanceColumns {
	for _, c := range s.instances[key] {
		if c.n == n {
			return c
		}
	}
	c := &instanceColumns{n: n, columns: map[string]int32{}}
	s.instances[key] = append(s.instances[key], c)
	return c
}

// fill puts a row's values into their columns. absent says, by place, why a host
// that is not in the row gave none.
func (s *layout) fill(r *row, absent []cooker.Status, out *logs.Row, raw bool) {
	n := len(s.list)
	out.Time = r.at
	out.Values = slices.Grow(out.Values[:0], n)[:n]
	out.Raw = out.Raw[:0]
	if raw {
		out.Raw = slices.Grow(out.Raw, n)[:n]
		clear(out.Raw)
	}
	for i := range s.list {
		c := &s.list[i]
		why := cooker.Pending
		switch {
		case c.place < 0:
		case r.samples[c.place] == nil:
			why = absent[c.place]
		case c.had:
			why = cooker.Gone
		}
		out.Values[i] = cooker.Absent(why)
	}
	for place, from := range r.samples {
		if from == nil {
			continue
		}
		targets := s.targets[place]
		for i := range from.Cells {
			number := targets[from.Cells[i].Number].column
			if number < 0 {
				continue
			}
			out.Values[number] = from.Cells[i].Value
			s.list[number].had = true
			if raw && i < len(from.raws) {
				out.Raw[number] = from.raws[i]
			}
		}
	}
}

// columns are those from one on.
func (s *layout) columns(from int) []logs.Column {
	out := make([]logs.Column, 0, len(s.list)-from)
	for i := from; i < len(s.list); i++ {
		out = append(out, s.list[i].Column)
	}
	return out
}

// live is how many columns have an instance now.
func (s *layout) live() (n int) {
	for i := range s.list {
		if c := &s.list[i]; c.instance != nil && (c.instance.isExplicit || c.instance.owner != nil && c.instance.seen >= s.last[c.place]) {
			n++
		}
	}
	return n
}
