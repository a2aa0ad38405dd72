package report

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/replay"
)

// evidence is a raw sample.
type evidence struct {
	at    time.Time
	raw   logs.Raw
	older logs.Raw // the sample before it
	then  time.Time
}

// mostPoints bounds the values of a counter by itself.
const mostPoints = 20_000

// sorted are numbers in order of size, in the memory of others.
func sorted(values iter.Seq2[time.Time, float64], buf []float64) []float64 {
	buf = buf[:0]
	for _, v := range values {
		buf = append(buf, v)
	}
	slices.Sort(buf)
	return buf
}

// store is samples of many counters.
type store struct {
	compare.Rows[float32]

	t       *tape
	columns []int
}

// mostStored bounds the values of a store, mostRows its rows.
const (
	mostStored = 400_000
	mostRows   = 20_000
	leastRows  = 60
)

func newStore(t *tape, columns []int, from, to time.Time) *store {
	most := min(max(mostStored/max(len(columns), 1), leastRows), mostRows)
	s := &store{t: t, columns: columns, Rows: compare.NewRows[float32](len(columns), most)}
	s.Stride = t.Rows(from, to)/most + 1
	return s
}

func (s *store) add(row *logs.Row) {
	for n, to := 0, s.Next(row.Time); n < len(to); n++ {
		f, ok := row.Values[s.columns[n]].Float()
		if to[n] = float32(f); !ok || math.IsInf(float64(to[n]), 0) {
			to[n] = float32(math.NaN())
		}
	}
}

// rows are how many rows of a time there are.
func (s *store) rows(isOf func(time.Time) bool) (n int) {
	for _, at := range s.Times {
		if isOf(at) {
			n++
		}
	}
	return n
}

// course is the n-th counter in parts of the time from a moment to another.
func (s *store) course(n int, from, to time.Time, parts int) []float64 {
	sums := make([]mean, parts)
	for at, v := range s.Of(n, from, to.Add(1)) {
		sums[cellOf(at, from, to, parts)].add(v)
	}
	return each(sums, valueOf)
}

// leastBefore is how long the time before a verdict is at least.
const leastBefore = 15 * time.Minute

// plan says what is read of a verdict.
func (g *Gatherer) plan(d *draft, whole bool) {
	length := d.End.Sub(d.Begin)
	d.samples = compare.NewRows[float64](1, mostPoints)
	d.before = session.Later(d.Begin.Add(-max(length, leastBefore)), g.begin)
	side := max(length, 5*time.Minute, 20*d.pace(d.Begin))
	d.from, d.to = session.Later(d.Begin.Add(-side), g.begin), session.Earlier(d.End.Add(side), g.end)
	switch {
	case !whole:
	case d.lead().Kind == alert.HostLost:
		for _, t := range g.tapes {
			var columns []int
			for _, h := range t.hosts {
				if h != d.host {
					columns = append(columns, h.cols...)
				}
			}
			if len(columns) > 0 {
				slices.Sort(columns)
				d.stores = append(d.stores, newStore(t, columns, d.since(), d.to))
			}
		}
	default:
		d.storeOwn()
	}
}

// storeOwn keeps samples of the host.
func (d *draft) storeOwn() {
	d.store = newStore(d.host.tape, d.host.cols, d.since(), d.to)
	d.stores = []*store{d.store}
}

// visits are what is read of the tapes for a verdict.
func (g *Gatherer) visits(d *draft, to map[*tape][]logs.Visit) {
	if len(d.episodes) > 0 {
		g.visitsOwn(d, to)
	}
	for _, s := range d.stores {
		to[s.t] = append(to[s.t], logs.Visit{From: d.since(), To: d.to, Columns: s.columns, Add: s.add})
	}
}

// visitsOwn are those of its own counter.
func (g *Gatherer) visitsOwn(d *draft, to map[*tape][]logs.Visit) {
	t, column := d.host.tape, d.column
	d.chartPath = d.first().Path
	if column < 0 && !d.hasLimit() {
		column = g.standIn(d.host)
	}
	if column >= 0 {
		c := &t.Columns[column]
		d.chartPath, d.chartScale = c.Path, t.series[column].format
		to[t] = append(to[t], logs.Visit{From: d.since(), To: d.to, Columns: []int{column}, Add: func(row *logs.Row) { d.addRow(column, row) }})
	} else if d.lead().Value != nil {
		d.chartScale = cooker.Format{Digits: cooker.DefaultDigits, Style: cooker.UnitWindows}
	} else if set := d.first().Set; set != nil {
		d.chartScale = g.formatOf(set, d.first().Counter)
	}
}

// standIn is a counter that shows how a host was.
func (g *Gatherer) standIn(h *host) int {
	for _, title := range []string{"network", "processor", "disk", "memory"} {
		for _, m := range h.tape.measures {
			if m.host == h && g.measures[m.subject].strip == title {
				return m.columns[0]
			}
		}
	}
	if len(h.cols) > 0 {
		return h.cols[0]
	}
	return -1
}

func (d *draft) addOwn(at time.Time, v float64) { copy(d.samples.Next(at), []float64{v}) }

// addRow takes a value of the own counter.
func (d *draft) addRow(column int, row *logs.Row) {
	f, ok := row.Values[column].Float()
	if !ok {
		f = math.NaN()
	}
	d.addOwn(row.Time, f)
	now := evidence{at: row.Time}
	if column < len(row.Raw) {
		now.raw = row.Raw[column]
	}
	now.older, now.then = d.prev.raw, d.prev.at
	d.weigh(f, now)
	if now.raw.Known || !d.prev.raw.Known || len(row.Raw) == 0 {
		d.prev = now
	}
}

// weigh looks whether a value in the time of the verdict is the worst so far.
func (d *draft) weigh(f float64, e evidence) {
	if f == f && d.hasLimit() && d.holds(e.at) && (d.Peak == nil || d.lead().When.Op.Farther(f, *d.Peak)) {
		d.Peak, d.PeakAt, d.peak = new(f), e.at, e
	}
}

// readWindows reads what is wanted of the tapes.
func (g *Gatherer) readWindows(ctx context.Context, drafts []*draft, tick func()) error {
	all := map[*tape][]logs.Visit{}
	for _, d := range drafts {
		g.visits(d, all)
	}
	for _, t := range g.tapes {
		if len(all[t]) == 0 {
			continue
		}
		if _, err := t.visit(ctx, logs.Scan{Tick: tick}, all[t]); err != nil {
			return err
		}
	}
	return nil
}

// visit reads times of a tape, and tells what of it could not be read.
func (t *tape) visit(ctx context.Context, s logs.Scan, visits []logs.Visit) (faults logs.Faults, err error) {
	r, err := t.Open()
	if err != nil {
		return faults, err
	}
	defer r.Close()
	err = s.Visit(ctx, r, visits)
	return r.Faults(), err
}

// settleEnd finds where the verdict ends by its own values: with the first that is well
// behind the last that is not, or with a gap that nothing of it is behind.
func (d *draft) settleEnd() {
	for i, at := range d.samples.Times {
		d.points = append(d.points, Point{at, d.samples.Values[i]})
	}
	r := d.lead()
	if !d.hasLimit() || len(d.points) == 0 {
		return
	}
	d.settleBegin()
	isBad := func(v float64) bool {
		if r.Clear == nil {
			return r.When.Holds(v)
		}
		return !r.When.Op.Farther(*r.Clear, v)
	}
	lastBad, next := -1, -1
	before := -1 // the value before
	var gapAt int
	for i, p := range d.points {
		if p.Value != p.Value || p.At.Before(d.Begin) {
			continue
		}
		if p.At.After(d.End.Add(max(d.ownPace(d.End), 1))) {
			break
		}
		if before >= 0 && d.isGap(d.points[before].At, p.At) && !d.goesOn(i) {
			gapAt = i
			break
		}
		if isBad(p.Value) {
			lastBad, next = i, -1
		} else if next < 0 {
			next = i
		}
		before = i
	}
	switch {
	case gapAt > 0 && lastBad == before && before >= 0:
		d.End, d.IsOpen = d.points[before].At, false
		d.gapEnds = d.points[gapAt].At
	case d.IsOpen:
		if before >= 0 {
			d.End = d.points[before].At
		}
	case lastBad >= 0 && next > lastBad:
		d.End = d.points[next].At
	}
	if n := len(d.spans); n > 0 {
		d.spans[n-1].to = session.Later(d.spans[n-1].from, d.End)
	}
	if d.Spells == 1 {
		d.Lasted = d.End.Sub(d.Begin)
	}
}

// settleBegin finds where the verdict begins by its own values, which may come faster than its rule
// is judged: with the first that is as bad without a better one since.
func (d *draft) settleBegin() {
	begin := d.Begin
	for _, p := range slices.Backward(d.points) {
		if p.Value != p.Value || !p.At.Before(d.Begin) {
			continue
		}
		if !d.lead().When.Holds(p.Value) || d.Begin.Sub(p.At) > 2*d.first().Every {
			break
		}
		begin = p.At
	}
	if d.spans != nil {
		d.spans[0].from = begin
	}
	if d.Spells == 1 {
		d.Lasted += d.Begin.Sub(begin)
	}
	d.Begin = begin
}

// goesOn tells whether what comes behind a gap is as bad.
func (d *draft) goesOn(i int) bool {
	r := d.lead()
	need, of := max(r.Need, 1), max(r.Of, 1)
	bad := 0
	for _, p := range d.points[i:min(i+of, len(d.points))] {
		if p.Value == p.Value && r.When.Holds(p.Value) {
			bad++
		}
	}
	return bad >= need
}

// since is from when on it is read.
func (d *draft) since() time.Time { return session.Earlier(d.before, d.from) }

// until is when the time before the verdict ends: a slope belongs to what comes.
func (d *draft) until() time.Time { return d.Begin.Add(-4 * d.pace(d.Begin)) }

// isBefore tells whether a moment is in the time before.
func (d *draft) isBefore(at time.Time) bool { return !at.Before(d.before) && at.Before(d.until()) }

// pace is how far apart samples of the host are that follow on a moment; 0: it is not known.
func (d *draft) pace(at time.Time) time.Duration { return d.host.tape.Every(at) }

// ownPace is that of what the verdict is of, which rules may have made.
func (d *draft) ownPace(at time.Time) time.Duration {
	if d.column < 0 && d.lead().Kind == alert.Threshold {
		return d.first().Every
	}
	return d.pace(at)
}

// addUnseen finds for how long of its time it had no value, of what came once.
func (d *draft) addUnseen() {
	if !d.hasLimit() || d.Spells > 1 {
		return
	}
	last := d.Begin
	for _, p := range d.points {
		if p.Value != p.Value || p.At.Before(d.Begin) || p.At.After(d.End) {
			continue
		}
		if d.isGap(last, p.At) {
			d.unseen += p.At.Sub(last) - d.ownPace(last)
		}
		last = p.At
	}
}

// isGap tells whether there is a gap between two of its values that were read one after the other.
func (d *draft) isGap(from, to time.Time) bool {
	gap := session.GapAfter(d.ownPace(from) * time.Duration(d.samples.Stride))
	return gap > 0 && to.Sub(from) > gap
}

// stored are the columns of a counter of which samples are kept, with their places; without an object
// those of any.
func (d *draft) stored(object, counter string) iter.Seq2[int, *replay.Column] {
	return func(yield func(int, *replay.Column) bool) {
		for n, i := range d.store.columns {
			if c := &d.host.tape.Columns[i]; isOf(c, cmp.Or(object, c.Set.InEnglish()), counter) && !yield(n, c) {
				return
			}
		}
	}
}

// in are the values of such a column in the time of the verdict, in order of size.
func (d *draft) in(n int) []float64 { return d.of(d.store.Of(n, d.Begin, d.End.Add(1))) }

// values are those of such a column before the verdict and in its time, in order of size; with -1
// those of its own counter.
func (d *draft) values(n int) (before, in []float64) {
	of := func(from, to time.Time) iter.Seq2[time.Time, float64] {
		if n < 0 {
			return d.samples.Of(0, from, to)
		}
		return d.store.Of(n, from, to)
	}
	return sorted(of(d.before, d.until()), nil), d.of(of(d.Begin, d.End.Add(1)))
}

// typical is the median in a verdict and before it, NaN where there is none.
func (d *draft) typical() (during, before float64) {
	was, is := d.values(-1)
	return compare.Median(is), compare.Median(was)
}

// mostMoved is how many counters are told that moved besides, leastSpreads how far they
// went at least, and leastValues of how many values that is told.
const (
	mostMoved    = 4
	leastSpreads = 3
	leastValues  = 8
	movedParts   = 70
)

// movedOne is a counter that moved, one of a store.
type movedOne struct {
	*MovedRow

	s *store
	n int
}

// moved finds what else moved.
func (d *draft) moved() Moved {
	m := Moved{IsOtherHosts: d.store == nil, From: d.before, To: session.Earlier(d.End.Add(d.End.Sub(d.Begin)), d.to)}
	m.ShadeA, m.ShadeB = place(d.Begin, m.From, m.To), place(d.End, m.From, m.To)
	var all []movedOne
	enough := false
	for _, s := range d.stores {
		found, rows := s.moved(d, &m)
		all = append(all, found...)
		enough = enough || rows >= leastValues
	}
	slices.SortStableFunc(all, byMove)
	m.choose(all)
	switch {
	case !enough:
		m.Why = "There is too little before it to tell."
	case m.Of == 0:
		m.Why = "There are too few samples of other counters in it to tell."
	}
	return m
}

// moved are the counters of a store that moved, and how many rows there are before.
func (s *store) moved(d *draft, m *Moved) (all []movedOne, rows int) {
	before, until := d.before, d.until()
	rows = s.rows(d.isBefore)
	var out []float64
	for n, i := range s.columns {
		c := &s.t.Columns[i]
		if counterOf(c).Type.IsText() || session.IsIdentity(counterOf(c).InEnglish()) || d.isAbout(s.t, i) {
			continue
		}
		var in []float64
		out, in = sorted(s.Of(n, before, until), out), d.of(s.Of(n, d.Begin, d.End.Add(1)))
		switch {
		case len(in) < leastValues:
		case len(out) >= leastValues:
			m.Of++
			one := &MovedRow{Before: compare.Median(out), Then: compare.Median(in)}
			one.Times = (one.Then - one.Before) / s.t.series[i].spread(out, one.Before)
			if math.Abs(one.Times) < leastSpreads {
				m.Still++
			} else {
				all = append(all, movedOne{one, s, n})
			}
		case len(out) == 0 && rows >= leastValues && compare.Median(in) != 0:
			m.Of++
			all = append(all, movedOne{&MovedRow{IsNew: true, Times: math.Inf(1), Before: math.NaN(), Then: compare.Median(in)}, s, n})
		}
	}
	return all, rows
}

// spread is how far a counter moves by itself: what is counted by one at least, and a
// percentage by half a point.
func (s *series) spread(sorted []float64, median float64) float64 {
	wide := max(compare.Sigma*compare.Distance(sorted, median)+math.Abs(median)/100, compare.Least(s.format.Quantity), math.SmallestNonzeroFloat64)
	if s.whole {
		wide = max(wide, 1)
	}
	return wide
}

// byMove sorts the strongest first; of what is new the largest, whatever its unit.
func byMove(a, b movedOne) int {
	if a.IsNew && b.IsNew {
		return cmp.Compare(b.Then, a.Then)
	}
	return cmp.Compare(math.Abs(b.Times), math.Abs(a.Times))
}

// choose takes the rows that are told: of one counter of several instances the strongest.
func (m *Moved) choose(all []movedOne) {
	taken := map[[2]string]bool{}
	news := 0
	for _, one := range all {
		i := one.s.columns[one.n]
		c := &one.s.t.Columns[i]
		key := [2]string{c.Set.Name, counterOf(c).Name}
		if one.IsNew {
			key[1] = "" // one counter of what came is enough
		}
		if len(m.Rows) == mostMoved || taken[key] || one.IsNew && news == mostMoved/2 {
			m.More++
			continue
		}
		taken[key] = true
		row := one.MovedRow
		if row.Named = named(c); !m.IsOtherHosts {
			row.Host = ""
		}
		if row.Scale = scaleFor(one.s.t.series[i].format, row.Then, row.Before); row.IsNew {
			news++
			row.Scale = scaleFor(one.s.t.series[i].format, row.Then)
		}
		row.Course = one.s.course(one.n, m.From, m.To, min(movedParts, max(len(one.s.Times)*4/5, 2)))
		m.Rows = append(m.Rows, row)
	}
}

// isAbout tells counters that the verdict itself is about.
func (d *draft) isAbout(t *tape, i int) bool {
	c := &t.Columns[i]
	return t == d.host.tape && slices.ContainsFunc(d.episodes, func(ep alert.Episode) bool { return ep.Set == c.Set && ep.Counter == c.Counter })
}
