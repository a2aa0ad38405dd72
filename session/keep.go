package session

import (
	"cmp"
	"slices"
	"sort"

	"perfdeck/cooker"
)

// ranked is a row on its way into the busiest.
type ranked struct {
	row   int32
	value float64
	had   bool // its history is kept already
}

// record adds the values of a view to the history of the instances that the
// ask keeps, and to that which was asked for long enough before. With filled
// they are those of the samples passed over before, too.
func (t *track) record(v *SetView, sample uint64, filled bool) {
	keep := t.ask.Keep
	if t.reel != nil {
		keep = t.reel.held.Keep
	}
	t.moved = t.moved[:0]
	if t.matched == nil {
		t.match(v, keep, sample)
		t.findMoved(v)
	}
	for _, s := range t.matched {
		t.append(s, v, s.row, s.col, sample, filled)
	}
	if t.reel != nil {
		return
	}
	for i := range keep {
		k := &keep[i]
		if k.Busiest == 0 {
			continue
		}
		busiest := t.busiest(v, k)
		slices.SortFunc(busiest, func(a, b ranked) int { return cmp.Compare(a.row, b.row) }) // as they are listed
		for _, r := range busiest {
			t.eachOf(v, int(r.row), k.Counters, sample, func(s *series, col int) { t.append(s, v, int(r.row), col, sample, filled) })
		}
	}
	t.recordLeft(v, sample, filled)
}

// recordLeft adds to the history that was asked for long enough before.
func (t *track) recordLeft(v *SetView, sample uint64, filled bool) {
	t.left = 0
	places := placesIn{view: v}
	t.series.drop(func(s *series) bool {
		if s.used == t.ticks {
			return false
		}
		if (s.asked < t.least || s.seen+uint64(t.history) <= sample) && !t.isGhost(s.key.instance) {
			return true
		}
		row := places.find(s.key.instance, t.rowOf(s))
		if t.left += s.bytes(); row >= 0 {
			s.row = row
		}
		if col := v.Column(s.key.counter); row >= 0 && row < v.live+v.combined && col >= 0 {
			t.put(s, v, row, col, sample, filled)
		}
		return false
	})
}

// placesIn finds the rows of histories: those of one instance stand side by side.
type placesIn struct {
	view *SetView
	key  InstanceKey
	row  int
	has  bool
}

func (p *placesIn) find(key InstanceKey, hint int) int {
	if !p.has || p.key != key {
		p.key, p.row, p.has = key, p.view.Find(key, hint), true
	}
	return p.row
}

// findMoved notes where the rows of the view before are in a view.
func (t *track) findMoved(v *SetView) {
	for i, j := range v.olderRow {
		for int(j) >= len(t.moved) {
			t.moved = append(t.moved, GoneRow)
		}
		if j >= 0 {
			t.moved[j] = i
		}
	}
}

// rowOf is where the row of a history is now, as far as that is known.
func (t *track) rowOf(s *series) int {
	if s.used != t.ticks && s.row < len(t.moved) && t.moved[s.row] >= 0 {
		return t.moved[s.row]
	}
	return s.row
}

// match finds the histories of the rows that are matched or named.
func (t *track) match(v *SetView, keep []Keep, sample uint64) {
	t.matched = []*series{}
	for i := range keep {
		k := &keep[i]
		all := t.reel != nil && (k.Busiest > 0 || k.Recent)
		for row := range v.live + v.combined {
			if in := &v.Rows[row].Instance; all || k.names(in) {
				t.eachOf(v, row, k.Counters, sample, func(s *series, col int) {
					s.used, s.row, s.col = t.ticks, row, col
					t.matched = append(t.matched, s)
				})
			}
		}
	}
	if t.reel != nil {
		t.series.order()
	}
}

// eachOf gives the histories of one row for the given counters, but those that have the value of
// this tick: of another row with that key, too.
func (t *track) eachOf(v *SetView, row int, counters []int, sample uint64, each func(s *series, col int)) {
	for col, c := range v.Counters { // as they are listed
		if !slices.Contains(counters, c) {
			continue
		}
		key := seriesKey{v.Rows[row].Key, c}
		s := t.series.find(key)
		if s == nil {
			s = t.begun(key, v, row, col, sample)
		}
		if s.used != t.ticks {
			each(s, col)
		}
	}
}

// begun is a history that is kept from a sample on.
func (t *track) begun(key seriesKey, v *SetView, row, col int, sample uint64) *series {
	s := &series{key: key, next: sample}
	s.values.n, s.fine = t.history, v.Set.Counters[key.counter].Look().IsOneNumber()
	of := v.Set.Counters[key.counter].SummedAs()
	if _, s.isOwn = cooker.WeighedBy(of); s.isOwn {
		s.weights = newWeights(t.history, of)
		s.weights.next = sample
	} else {
		s.weights = t.clocks.by(of)
	}
	t.recall(s, v, row, col)
	if t.reel != nil { // it was not there before
		for range min(sample-t.reel.first, uint64(t.history)) {
			s.add(cooker.Absent(cooker.Gap))
		}
	}
	t.series.add(s)
	return s
}

// append adds the value of a row and column to its history, which is asked for.
func (t *track) append(s *series, v *SetView, row, col int, sample uint64, filled bool) {
	t.put(s, v, row, col, sample, filled)
	s.asked, s.seen = s.asked+1, sample
}

// put adds the value of a row and column to its history.
func (t *track) put(s *series, v *SetView, row, col int, sample uint64, filled bool) {
	s.used, s.row, s.col, s.values.n = t.ticks, row, col, t.history
	value := v.Value(row, col)
	if value.IsText() || s.texts != nil {
		s.putText(sample, value, filled)
	}
	s.put(sample, value, filled)
	if s.isOwn {
		s.weights.values.n = t.history
		over := v.interval(row, col)
		s.weights.put(sample, &over, filled)
	}
}

// recall lets the history of a row that is kept from now on begin with the last minute.
func (t *track) recall(s *series, v *SetView, row, col int) {
	last := v.recalled(&t.recalled, row, v.Counters[col])
	for i := range len(last.Values) - 1 { // without the newest sample
		if f := last.Values[i]; f == f || len(s.values.buf) > 0 {
			s.keep(f, last.rest(i))
			if s.isOwn {
				s.weights.values.add(float32(last.weighed.at(last.First + uint64(i))))
			}
		}
	}
}

// busiest finds the rows with the highest values. Among equals, those whose
// history is kept already stay, so that idle rows do not take turns.
func (t *track) busiest(v *SetView, k *Keep) []ranked {
	t.busy = t.busy[:0]
	col := v.Column(k.By)
	if col < 0 {
		return nil
	}
	if t.reel == nil {
		t.findKept(v, k.By)
	}
	for row := range v.live {
		if v.Rows[row].Flags&(FlagTotal|FlagIdle) != 0 {
			continue
		}
		f, ok := v.Value(row, col).Float()
		if !ok {
			continue
		}
		t.busy = insertRanked(t.busy, ranked{row: int32(row), value: f}, k.Busiest, func(r ranked) bool {
			return t.reel != nil || t.kept[r.row]
		})
	}
	for i := range t.ghosts { // those of a reel
		g := &t.ghosts[i]
		if col >= len(g.values) || g.row.Flags&(FlagTotal|FlagIdle) != 0 {
			continue
		}
		if f, ok := g.values[col].Float(); ok {
			r := ranked{row: int32(v.live + v.combined + i), value: f}
			t.busy = insertRanked(t.busy, r, k.Busiest, func(ranked) bool { return true })
		}
	}
	return t.busy
}

// findKept notes of which rows a history of a counter is kept.
func (t *track) findKept(v *SetView, counter int) {
	t.kept = cleared(t.kept, len(v.Rows))
	for _, s := range t.series.list {
		if s.key.counter != counter {
			continue
		}
		if row := v.Find(s.key.instance, t.rowOf(s)); row >= 0 {
			t.kept[row] = true
		}
	}
}

// insertRanked keeps list sorted, highest first, and at most n long. kept is
// asked only where it decides.
func insertRanked(list []ranked, r ranked, n int, kept func(ranked) bool) []ranked {
	if len(list) == n {
		last := &list[n-1]
		if r.value < last.value {
			return list
		}
		if r.value == last.value {
			if r.had = !last.had && kept(r); !r.had {
				return list
			}
		}
		list = list[:n-1]
	}
	r.had = r.had || kept(r)
	at := sort.Search(len(list), func(i int) bool { // after its equals
		o := &list[i]
		return o.value < r.value || o.value == r.value && r.had && !o.had
	})
	return slices.Insert(list, at, r)
}

func (t *track) isGhost(key InstanceKey) bool {
	return slices.ContainsFunc(t.ghosts, func(g ghost) bool { return g.row.Key == key })
}

// listSeries gives the view its histories, sorted by row and column.
func (t *track) listSeries(v *SetView) {
	t.series.order()
	places := placesIn{view: v}
	for _, s := range t.series.list {
		col := v.Column(s.key.counter)
		if col < 0 {
			continue
		}
		if row := places.find(s.key.instance, s.row); row >= 0 {
			v.kept = append(v.kept, keptSeries{int32(row), int32(col), s.view()})
		}
	}
	sortKept(v.kept)
	if len(t.ghosts) == 0 {
		return
	}
	first, own := v.live+v.combined, v.kept
	for _, g := range t.ghosts {
		row := v.Find(g.row.Key, -1)
		for _, k := range g.recent {
			recent := keptSeries{int32(row), int32(v.Column(int(k.col))), k.Series}
			if _, has := slices.BinarySearchFunc(own, recent, compareKept); row >= first && recent.col >= 0 && !has {
				v.kept = append(v.kept, recent)
			}
		}
	}
	sortKept(v.kept)
}

// sortKept sorts histories as Series looks them up, which they mostly are.
func sortKept(kept []keptSeries) {
	if !slices.IsSortedFunc(kept, compareKept) {
		slices.SortFunc(kept, compareKept)
	}
}

// compareKept compares histories by their row and column.
func compareKept(a, b keptSeries) int {
	return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
}
