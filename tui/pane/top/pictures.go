package top

import (
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/kit/kind"
	"perfdeck/tui/kit/table"
)

// picture is a graph of the selected instance: of a counter or a pair, and what else is
// told beside it.
type picture struct {
	drawn kind.Drawn // of the first counter
	of    []int      // counters that the graph shows: one, or the two of a pair
	lines []valueLine
}

// valueLine is a line of the values beside a graph: a counter, or how much of its limit one
// is.
type valueLine struct {
	counter int
	share   *table.Column // the meter; nil: the counter
}

const (
	mostPictures  = 2
	pictureHeight = 6 // at least, with its title
	pictureWidth  = 50
)

// pictures are the graphs of the selected instance for which n have room, and what is told
// beside them, in so many lines each: of what rows are sorted by if the user chose that,
// of the pairs of the table, of what rows are sorted by, of the other pairs.
func (t *Top) pictures(n, lines int) (list []picture) {
	add := func(of ...int) {
		d := t.drawnAs(of[0])
		taken := slices.ContainsFunc(list, func(p picture) bool { return slices.Contains(p.of, of[0]) })
		if len(list) < n && d.HasPicture && !taken {
			list = append(list, picture{drawn: d, of: of})
		}
	}
	sorted, isCounter := t.table.Sorted()
	if isCounter && t.table.Sort != t.table.FirstCounter() {
		add(t.pairOf(sorted)...)
	}
	shown := t.shownCounters()
	for _, c := range shown {
		if pair := t.pairOf(c); len(pair) == 2 {
			add(pair...)
		}
	}
	if isCounter {
		add(t.pairOf(sorted)...)
	}
	for _, c := range t.others(shown) {
		if pair := t.pairOf(c); len(pair) == 2 {
			add(pair...)
		}
	}
	for _, c := range shown {
		if len(list) == 0 {
			add(c)
		}
	}
	t.tell(list, lines)
	return list
}

// shownCounters are the counters of the columns that the user has not hidden.
func (t *Top) shownCounters() (out []int) {
	for i := range t.table.Columns {
		if c := &t.table.Columns[i]; c.Kind == table.Counter && !c.Growth && !c.IsText && !c.Hidden {
			out = append(out, c.Counter)
		}
	}
	return out
}

// others are the counters that are not shown, those of bytes first.
func (t *Top) others(shown []int) (out []int) {
	for i := range t.set.Counters {
		if c := &t.set.Counters[i]; !c.Hidden() && c.Absent == "" && !c.Type.IsText() && !slices.Contains(shown, i) {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		switch isA, isB := t.quantity(a) == cooker.BytesPerSecond, t.quantity(b) == cooker.BytesPerSecond; {
		case isA == isB:
			return 0
		case isA:
			return -1
		}
		return 1
	})
	return out
}

func (t *Top) quantity(counter int) cooker.QuantityKind { return t.set.Counters[counter].Quantity.Kind }

// pairOf is a counter, with the other one of its pair if it has one, in their order.
func (t *Top) pairOf(counter int) []int {
	name := t.set.Counters[counter].Name
	pair := kind.PairName(name)
	if pair == name {
		return []int{counter}
	}
	for i := range t.set.Counters {
		o := &t.set.Counters[i]
		if i == counter || o.Hidden() || o.Absent != "" || !kind.IsPair(name, o.Name) || !t.drawnAs(i).HasPicture {
			continue
		}
		return []int{min(i, counter), max(i, counter)}
	}
	return []int{counter}
}

func (t *Top) drawnAs(counter int) kind.Drawn {
	return kind.Of(t.host.Sampler.Catalogue(), t.set, counter, t.pics.units.Look(t.set, counter))
}

// tell shares out what is told beside the graphs: each its own, then what the table shows,
// beside what has the same unit, else the last one; then the other counters.
func (t *Top) tell(list []picture, lines int) {
	if len(list) == 0 {
		return
	}
	told := map[int]bool{}
	for i := range list {
		for _, c := range list[i].of {
			list[i].lines = append(list[i].lines, valueLine{counter: c})
			told[c] = true
		}
	}
	shown := t.shownCounters()
	for _, c := range append(shown, t.others(shown)...) {
		at := slices.IndexFunc(list, func(p picture) bool { return t.quantity(p.of[0]) == t.quantity(c) })
		if at < 0 {
			at = len(list) - 1
		}
		p := &list[at]
		if told[c] {
			continue
		}
		told[c] = true
		p.lines = append(p.lines, valueLine{counter: c})
		if m := t.meterOf(c); m != nil {
			p.lines = append(p.lines, valueLine{c, m})
			if m.Limited() >= 0 && !told[m.Limited()] {
				told[m.Limited()] = true
				p.lines = append(p.lines, valueLine{counter: m.Limited()})
			}
		}
	}
	for i := range list {
		list[i].lines = list[i].lines[:min(lines, len(list[i].lines))]
	}
}

// meterOf is the meter of a counter, nil without one.
func (t *Top) meterOf(counter int) *table.Column {
	at := slices.IndexFunc(t.table.Columns, func(c table.Column) bool { return c.Kind == table.Meter && c.Counter == counter })
	if at < 0 {
		return nil
	}
	return &t.table.Columns[at]
}

// counters are those that a picture needs.
func (p *picture) counters() (out []int) {
	if p.drawn.Used != "" && p.drawn.Limit.Set != nil {
		out = append(out, p.drawn.Limit.Counter)
	}
	for _, l := range p.lines {
		out = append(out, l.counter)
		if l.share != nil && l.share.Limited() >= 0 {
			out = append(out, l.share.Limited())
		}
	}
	return out
}

// divide is how many rows of the body the table takes, which has so many, and how many graphs share the
// rest.
func (t *Top) divide(need, w, h int) (rows, graphs int) {
	// Rows that come and go do not move the graphs.
	if need > t.pics.room || need < t.pics.room-max(4, t.pics.room/4) {
		t.pics.room = need
	}
	rows = min(t.pics.room, h)
	isAuto := h-rows >= pictureHeight
	t.pics.hasRoom = w >= pictureWidth && h >= 2*pictureHeight
	switch {
	case !t.pics.hasRoom, isAuto == t.pics.flipped, !t.list.Has():
		return h, 0
	case !isAuto:
		rows = h / 2
	}
	return rows, min(mostPictures, max(1, (h-rows)/pictureHeight))
}

// askPictures adds what the graphs show to what is asked.
func (t *Top) askPictures(ask *session.Ask, rows []session.InstanceKey) {
	var counters []int
	for i := range t.pics.drawn {
		counters = append(counters, t.pics.drawn[i].counters()...)
	}
	slices.Sort(counters)
	if t.pics.pictured = slices.Compact(counters); len(t.pics.pictured) == 0 {
		return
	}
	ask.Counters = append(ask.Counters, t.pics.pictured...)
	ask.Keep = append(ask.Keep, session.Keep{Counters: t.pics.pictured, Rows: rows})
}

// lacksPictures tells that graphs show what is not asked for.
func (t *Top) lacksPictures() bool {
	return slices.ContainsFunc(t.pics.drawn, func(p picture) bool {
		return slices.ContainsFunc(p.counters(), func(c int) bool { return !slices.Contains(t.pics.pictured, c) })
	})
}
