package session

import (
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
)

// goneShown is how long a vanished instance of which history is kept stays in
// view.
const goneShown = 10 * time.Second

// track follows one counterset for one feed: it matches instances from sample
// to sample, cooks, and keeps the history that is asked for.
type track struct {
	began   time.Time // the first sample of what is followed now
	ask     Ask
	history int       // samples
	pool    *recycler // of one counterset: its buffers are of one size

	raw           *rawSample    // the newest sample
	view          *SetView      // the newest view
	peeked        *SetView      // of a sample beside the beat, to be handed over
	read          time.Duration // monotonic time of the newest sample
	once          bool          // there was one sample so far: what was peeked stays in view
	byKey         map[InstanceKey]int32
	series        histories
	recent        recents
	clocks        clockWeights
	ghosts        []ghost
	departed      []*departed   // those that ended before them, oldest first; views share them
	departedBytes int           // that these take
	least         int           // ticks at which what is kept on had been asked for
	left          int           // bytes of histories that nobody asks for now
	sample        uint64        // the newest in the history
	away          bool          // nobody asks for it: what was kept waits
	awaySince     uint64        // sample that came next then
	forgotten     time.Time     // until when not all is kept of what is shown no more, since there was too much
	failed        int           // collections in a row that gave nothing
	waited        time.Duration // beats that the source passed over since the newest sample
	ticks         uint64
	matched       []*series // histories that are kept whatever is in them, as long as rows stay where they are; nil: to be found
	busy          []ranked
	stayed        []bool
	moved         []int  // where the rows of the view before are now
	kept          []bool // rows of which a history is kept

	recalled Recalled // scratch of recall
	reel     *reeled  // nil: it is that of a feed

	combiners []combiner
}

// ghost is an instance that vanished a short while ago.
type ghost struct {
	row   Row
	place int // of its row when it was last there
	until time.Time
	keys  []string // of facts
	facts []string // as they were told last; nil: none were

	sample uint64         // in which it was missing
	recent []keptSeries   // the last minute of what is not kept otherwise, by counter
	values []cooker.Value // its last ones, in a reel
}

func newTrack(ask Ask, history int) *track {
	return &track{ask: ask, history: history, pool: new(recycler), least: math.MaxInt,
		byKey: map[InstanceKey]int32{}, series: newHistories()}
}

// close lets go of what the track holds.
func (t *track) close() {
	t.raw.release()
	t.view.release()
	t.endPeek()
	t.raw, t.view = nil, nil
	if t.reel != nil {
		t.reel.told.release()
		t.reel.told = nil
	}
}

// cook cooks a batch into a new view. sample is the absolute number of the
// sample in the feed's history, noHistory when it is to leave none.
func (t *track) cook(b *SetBatch, at time.Time, sample uint64, rate Rate) {
	if b.Err != nil {
		t.fail(b.Err)
		return
	}
	rate.Gap = rate.Gap || t.failed > MostMissed
	if b.Before != nil && (t.raw == nil || rate.Gap) {
		t.failed, t.waited, rate.Gap = 0, 0, false
		t.cook(b.Before, at, noHistory, Rate{Gap: t.raw != nil})
	}
	rate.Interval += t.waited
	filled := t.waited > 0 // what comes is the value of the whole interval
	t.failed, t.waited = 0, 0
	older, before := t.raw, t.view
	v := t.begin(b, at, rate)
	same := t.matchRows(v, b, before, at)
	if b.Before != nil && v.older != nil {
		t.matchBefore(v, b.Before)
	}
	t.keepIntervals(v, before)
	t.cookRows(v, b, rate)
	t.combine(v, before)
	t.copyFacts(v, b)
	if before != nil && !same {
		t.noteVanished(v, before, at, sample)
	}
	t.addGhosts(v, at)
	if t.away {
		t.away = false
		t.departAway(v, before, at)
	}
	v.arrange(before, same)
	if before == nil || v.combined != before.combined {
		t.matched = nil
	}
	if sample != noHistory {
		t.sample = sample
		t.expire(sample)
		t.ticks++
		t.clocks.record(v, sample, filled)
		t.recent.record(v, before, sample, filled)
		t.record(v, sample, filled)
	}
	if t.reel == nil {
		t.listSeries(v)
		v.departed, v.Forgotten = t.departed, t.forgotten
	}

	t.once = older == nil
	t.endPeek()
	t.raw = v.newer.hold()
	older.release()
	before.release()
	t.view = v
}

// has tells whether what was read is what the track has already: values that are told, of the
// moment that it has them of.
func (t *track) has(b *SetBatch) bool {
	return b.Set.Told && b.Err == nil && len(b.Instances) > 0 && t.raw != nil && t.failed == 0 &&
		b.Clocks == t.raw.clocks && slices.Equal(t.raw.counters, t.ask.Counters)
}

// noHistory is the sample number of readings beside the beat.
const noHistory = math.MaxUint64

// wait notes a beat on which the source left the set out. The older view stays.
func (t *track) wait(rate Rate) {
	t.waited += rate.Interval
}

// begin is a view of a batch without its rows, with what these are cooked from.
func (t *track) begin(b *SetBatch, at time.Time, rate Rate) *SetView {
	v := t.pool.view()
	v.Set, v.Counters, v.FactKeys = t.ask.Set, t.ask.Counters, t.ask.Facts.Keys
	v.Time, v.Rate, v.Left = at, rate, b.Left
	v.newer = t.copyRaw(b)
	if !rate.Gap {
		v.older = t.raw.hold()
	}
	return v
}

// peek cooks a batch beside the beat into a view of its own. What the next beat
// needs stays as it is.
func (t *track) peek(b *SetBatch, at time.Time, rate Rate) {
	if b.Err != nil {
		return // the beat will tell
	}
	rate.Gap = t.failed > MostMissed
	rate.Interval += t.waited
	v := t.begin(b, at, rate)
	same := t.matchRows(v, b, t.view, at)
	t.keepIntervals(v, t.view)
	t.cookRows(v, b, rate)
	t.combine(v, nil)
	t.copyFacts(v, b)
	t.showGhosts(v)
	v.arrange(t.view, same)
	t.listSeries(v)
	v.departed, v.Forgotten = t.departed, t.forgotten
	t.recent.show(v, t.recent.place(v, t.view, false, 0))
	t.endPeek()
	t.peeked = v
}

// endPeek lets go of what was peeked.
func (t *track) endPeek() {
	t.peeked.release()
	t.peeked = nil
}

// fail shows the rows of before with the reason why nothing new came.
func (t *track) fail(err error) {
	old := t.view
	if old == nil {
		old = &SetView{Set: t.ask.Set, Counters: t.ask.Counters, FactKeys: t.ask.Facts.Keys, recycler: t.pool}
		old.refs.Store(1)
	}
	v := t.again(old)
	v.Err = err
	v.arrange(old, true)
	old.release()
	t.endPeek()
	t.view = v
	t.failed++
}

// again is a view of what another one shows, though other counters were asked for since.
func (t *track) again(old *SetView) *SetView {
	v := t.pool.view()
	v.take(old)
	v.older.hold()
	v.newer.hold()
	v.before.hold()
	return v
}

// take makes a view one of what another one shows, in memory of its own.
func (v *SetView) take(o *SetView) {
	v.Set, v.Counters, v.FactKeys, v.Err = o.Set, o.Counters, o.FactKeys, o.Err
	v.Time, v.Rate, v.Left, v.live, v.combined = o.Time, o.Rate, o.Left, o.live, o.combined
	v.Rows, v.Values, v.Facts = append(v.Rows[:0], o.Rows...), append(v.Values[:0], o.Values...), append(v.Facts[:0], o.Facts...)
	v.kept, v.departed, v.Forgotten = append(v.kept[:0], o.kept...), o.departed, o.Forgotten
	v.recent.share(&o.recent)
	v.older, v.newer, v.before = o.older, o.newer, o.before
	v.olderRow, v.beforeRow = append(v.olderRow[:0], o.olderRow...), append(v.beforeRow[:0], o.beforeRow...)
}

// copyRaw takes over the columns of the batch that this track asks for.
func (t *track) copyRaw(b *SetBatch) *rawSample {
	s := t.pool.raw()
	s.counters, s.clocks = t.ask.Counters, b.Clocks
	s.texts, s.moments = append(s.texts, b.Texts...), append(s.moments, b.Moments...)
	if slices.Equal(b.Counters, t.ask.Counters) {
		s.readings = append(s.readings, b.Readings...)
		return s
	}
	for i := range b.Instances {
		row := b.Row(i)
		for _, c := range t.ask.Counters {
			r := cooker.Reading{State: cooker.Unavailable}
			if col := slices.Index(b.Counters, c); col >= 0 {
				r = row[col]
			}
			s.readings = append(s.readings, r)
		}
	}
	return s
}

// matchRows makes the rows and finds each in the sample before. Instances
// mostly come in the same order, so the search is a walk along both lists; the
// map is for those that moved. It reports whether all are where they were.
func (t *track) matchRows(v *SetView, b *SetBatch, before *SetView, at time.Time) (same bool) {
	t.ask.Set.Settle(b.Instances)
	v.live = len(b.Instances)
	var old []Row
	if before != nil {
		old = before.Rows[:before.live]
	} else {
		t.began = at
	}
	same = len(old) == v.live
	if b.Same && same {
		v.Rows = append(v.Rows, old...)
		for i := range old {
			v.olderRow = append(v.olderRow, int32(i))
		}
	}
	clear(t.byKey)
	came := v.older != nil && before != nil && before.Left == 0
	next := len(v.Rows)
	v.Rows = slices.Grow(v.Rows, v.live-next)[:v.live]
	for i := next; i < v.live; i++ {
		in, row := &b.Instances[i], &v.Rows[i]
		j := t.findOld(old, next, in.Key)
		if j >= 0 && old[j].isOther(in) {
			j = -1
		}
		row.Instance = *in
		row.Since, row.Came, row.Gone, row.Lived, row.Vanished = at, came, false, 0, 0
		if j >= 0 {
			row.Since, row.Came = old[j].Since, old[j].Came
			next = j + 1
			if old[j].Flags != in.Flags { // by which some are matched
				t.matched = nil
			}
		}
		same = same && j == i && old[j].Index == in.Index
		v.olderRow = append(v.olderRow, int32(j))
	}
	if v.older == nil {
		for i := range v.olderRow {
			v.olderRow[i] = -1
		}
	}
	if !same {
		t.matched = nil
	}
	return same
}

// isOther tells whether what has the key of a row is another process, which recordings tell.
func (row *Row) isOther(in *Instance) bool {
	return row.Number != in.Number && row.Number != 0 && in.Number != 0
}

// matchBefore finds rows that are new among readings that the source had before.
func (t *track) matchBefore(v *SetView, b *SetBatch) {
	if !slices.Contains(v.olderRow, -1) {
		return
	}
	v.before = t.copyRaw(b)
	for i, older := range v.olderRow {
		at := -1
		if older < 0 {
			at = slices.IndexFunc(b.Instances, func(in Instance) bool { return in.Key == v.Rows[i].Key })
		}
		v.beforeRow = append(v.beforeRow, int32(at))
	}
}

// keepIntervals has rows of which nothing was told since the sample before go on with the interval that they
// have: where each row is told at a time of its own.
func (t *track) keepIntervals(v, before *SetView) {
	if len(v.newer.moments) == 0 || v.older == nil || v.before != nil || before == nil || !slices.Equal(before.Counters, v.Counters) {
		return
	}
	v.before = t.pool.raw()
	v.before.counters = v.Counters
	for i, j := range v.olderRow {
		at := -1
		if j >= 0 && *v.newer.clocksOf(i) == *v.older.clocksOf(int(j)) {
			at = len(v.before.moments)
			moment := cooker.Clocks{}
			for _, counter := range v.Counters {
				r := cooker.Reading{State: cooker.Pending}
				if older, clocks := before.olderReading(int(j), counter); older != nil && older.Size != cooker.SizeText {
					r, moment = *older, *clocks
				}
				v.before.readings = append(v.before.readings, r)
			}
			v.before.moments = append(v.before.moments, moment)
		}
		v.beforeRow = append(v.beforeRow, int32(at))
	}
}

// findOld finds an instance among the rows of before: at next, behind one that
// went, or anywhere by the map, which is made when it is first needed.
func (t *track) findOld(old []Row, next int, key InstanceKey) int {
	for j := next; j < min(next+2, len(old)); j++ {
		if old[j].Key == key {
			return j
		}
	}
	if len(t.byKey) == 0 {
		for k := range old {
			t.byKey[old[k].Key] = int32(k)
		}
	}
	if k, ok := t.byKey[key]; ok {
		return int(k)
	}
	return -1
}

// cookRows cooks every reading of the view. What was recorded stays as it is without raw samples,
// and where these do not give it: the recorder knew one before the first, and judged a wrap by
// more than two.
func (t *track) cookRows(v *SetView, b *SetBatch, rate Rate) {
	recorded := b.Values
	if recorded != nil && len(v.newer.readings) == 0 {
		v.Values, b.Values = recorded, v.Values // the batch needs memory alone
		return
	}
	n, counters, values := len(v.Counters), v.Set.Counters, v.Values
	aligned := v.before == nil && v.older != nil && len(v.older.readings) > 0 && slices.Equal(v.older.counters, v.Counters)
	opt := cooker.Options{Texts: v.newer.texts}
	for i := range v.live {
		var olders []cooker.Reading
		var olderClocks *cooker.Clocks
		if j := int(v.olderRow[i]); j >= 0 && aligned {
			olders, olderClocks = v.older.readings[j*n:], v.older.clocksOf(j)
		}
		newers, newerClocks := v.newer.readings[i*n:], v.newer.clocksOf(i)
		for c, counter := range v.Counters {
			var older *cooker.Reading
			if olders != nil {
				older = &olders[c]
			} else {
				older, olderClocks = v.olderReading(i, counter)
			}
			kind, newer := counters[counter].Type, &newers[c]
			val := cooker.Cook(kind, older, newer, olderClocks, newerClocks, &opt)
			switch status := val.Status(); {
			case recorded != nil:
				if _, ok := val.Float(); !ok || status == cooker.OKWrap || !recorded[i*n+c].Valid() {
					val = recorded[i*n+c]
				}
			case status == cooker.OKWrap:
				opt := cooker.Options{WindowMax: t.windowMax(seriesKey{v.Rows[i].Key, counter})}
				val = cooker.Cook(kind, older, newer, olderClocks, newerClocks, &opt)
			case status == cooker.FirstSample && rate.Gap:
				val = cooker.Absent(cooker.Gap)
			}
			values = append(values, val)
		}
	}
	v.Values = values
}

// windowMax is the largest value in the history of a counter, 0 when none is
// kept: a wrap that would give very much more is a restart.
func (t *track) windowMax(key seriesKey) float64 {
	s := t.series.byKey[key]
	if s == nil {
		return 0
	}
	kept := s.view()
	most, _ := kept.Window(s.next, len(kept.Values)).Max.Float()
	return most
}

func (t *track) copyFacts(v *SetView, b *SetBatch) {
	if len(v.FactKeys) == 0 || len(b.Facts) == 0 {
		return
	}
	n := len(b.FactKeys)
	for i := range b.Instances {
		for _, key := range v.FactKeys {
			text := ""
			if col := slices.Index(b.FactKeys, key); col >= 0 {
				text = b.Facts[i*n+col]
			}
			v.Facts = append(v.Facts, text)
		}
	}
}

// addGhosts shows instances that vanished, if history is kept of them, for a
// short while more.
func (t *track) addGhosts(v *SetView, at time.Time) {
	kept := t.ghosts[:0]
	for _, g := range t.ghosts {
		back := v.Find(g.row.Key, -1) >= 0
		over := at.After(g.until) || at.Before(g.row.Since) // the clock was set back
		if over && !back && t.reel == nil {
			t.depart(&g) // the next sample leaves its history out
		}
		if over || back {
			continue
		}
		kept = append(kept, g)
	}
	t.ghosts = kept
	if t.reel == nil {
		t.showGhosts(v)
	}
}

// showGhosts adds the rows of those that vanished and are not back.
func (t *track) showGhosts(v *SetView) {
	for i := range t.ghosts {
		if v.Find(t.ghosts[i].row.Key, -1) < 0 {
			v.showGone(&t.ghosts[i])
		}
	}
}

// showGone adds the row of one that is not there.
func (v *SetView) showGone(g *ghost) {
	v.Rows = append(v.Rows, g.row)
	v.tell(len(v.Rows)-1, g.keys, g.facts)
	for range v.Counters {
		v.Values = append(v.Values, cooker.Absent(cooker.Gone))
	}
}

// tell gives a row behind those of the batch facts, if they are those that the view has.
func (v *SetView) tell(row int, keys, facts []string) {
	n := len(v.FactKeys)
	if len(facts) != n || n == 0 || !slices.Equal(keys, v.FactKeys) {
		return
	}
	for len(v.Facts) < row*n {
		v.Facts = append(v.Facts, "")
	}
	v.Facts = append(v.Facts, facts...)
}

// noteVanished finds the rows of before that are not in v any more.
func (t *track) noteVanished(v, before *SetView, at time.Time, sample uint64) {
	if t.reel == nil && (v.Left != 0 || before.Left != 0) || t.reel != nil && t.reel.told == nil {
		return // who does not lead any more is there still, for all that is known
	}
	if len(t.series.list) == 0 || v.older == nil || !t.findStayed(v, before.live) {
		return
	}
	first, places := len(t.ghosts), placesIn{view: before}
	for _, s := range t.series.list {
		j := places.find(s.key.instance, s.row)
		if j < 0 || j >= before.live || t.stayed[j] || t.isGhost(s.key.instance) {
			continue
		}
		g := t.ghostOf(before, j, at, sample)
		if n := len(before.Counters); t.reel != nil {
			of := t.reel.told
			if j >= len(of.Rows) || of.Rows[j].Key != before.Rows[j].Key { // before another recording begins
				of = before
			}
			g.values = slices.Clone(of.Values[j*n : (j+1)*n])
			t.depart(&g)
		}
		t.ghosts = append(t.ghosts, g)
	}
	slices.SortFunc(t.ghosts[first:], func(a, b ghost) int { return a.place - b.place })
}

// ghostOf is one that vanished, by its row in the view before.
func (t *track) ghostOf(before *SetView, j int, at time.Time, sample uint64) ghost {
	g := ghost{row: before.Rows[j], place: j, until: at.Add(goneShown), sample: sample, recent: t.recentOf(before, j)}
	if n := len(before.FactKeys); (j+1)*n <= len(before.Facts) {
		g.keys, g.facts = before.FactKeys, slices.Clone(before.Facts[j*n:(j+1)*n])
	}
	if g.row.Since.After(t.began) {
		g.row.Lived = at.Sub(g.row.Since)
	}
	g.row.Gone, g.row.Since = true, at
	return g
}

// findStayed notes which of the rows of before are in v still. It reports
// whether any is missing.
func (t *track) findStayed(v *SetView, before int) bool {
	t.stayed = slices.Grow(t.stayed[:0], before)[:before]
	clear(t.stayed)
	missing := before
	for _, j := range v.olderRow {
		if j >= 0 && !t.stayed[j] {
			t.stayed[j] = true
			missing--
		}
	}
	return missing > 0
}
