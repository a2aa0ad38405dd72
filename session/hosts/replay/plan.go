package replay

import (
	"cmp"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// track follows what is asked of one host along a recording.
type track struct {
	columns *hostColumns
	plans   []*plan // one for each ask of the reel
	reel    session.Reel
	batch   session.Batch
}

// plan is what is asked of one counterset.
type plan struct {
	ask  session.Ask
	cols *setColumns
	rows []planRow
	// Of the rows that are there the instances, and their cells one behind the other. isOther: they are
	// others than before.
	there   []session.Instance
	cells   [][]cell
	isOther bool
}

// planRow is an instance of which the recording has any of the counters.
type planRow struct {
	session.Instance

	index int      // among the instances of the set
	cells [][]cell // by column of the ask
	// tells are the columns that have a value at every sample as long as the
	// instance is there. Without any it is always there.
	tells []int
	// number and owner are the columns that tell the numbers of a process.
	number, owner []cell

	isThere bool
}

// mostCells bounds the cells of a view: a counterset of a recording may be a
// hundred thousand instances with as many counters, each of them with one.
const mostCells = 4 << 20

func newPlan(ask session.Ask, cols *setColumns) *plan {
	ask.Counters = slices.DeleteFunc(slices.Clone(ask.Counters), func(c int) bool { return c < 0 || c >= len(cols.set.Counters) })
	if most := max(mostCells/max(len(cols.instances), 1), 1); len(ask.Counters) > most {
		ask.Counters = ask.Counters[:most]
	}
	p := &plan{ask: ask, cols: cols}
	for i := range cols.instances {
		r := planRow{Instance: cols.instances[i], index: i}
		found := false
		for _, c := range ask.Counters {
			cells := cols.of(i, c)
			r.cells = append(r.cells, cells)
			found = found || len(cells) > 0
			if isSteady(&cols.set.Counters[c]) {
				for _, cell := range cells {
					r.tells = append(r.tells, int(cell.column))
				}
			}
		}
		if !found {
			continue
		}
		if len(r.tells) == 0 && cols.set.Instances.Multiple() {
			r.tells = cols.teller(i)
		}
		if cols.number >= 0 {
			r.number = cols.of(i, cols.number)
		}
		if cols.owner >= 0 {
			r.owner = cols.of(i, cols.owner)
		}
		p.rows = append(p.rows, r)
	}
	p.ask.Combine = slices.DeleteFunc(slices.Clone(ask.Combine), func(c session.Combine) bool { // it was recorded
		return slices.ContainsFunc(p.rows, func(r planRow) bool { return c.Makes(&r.Instance) })
	})
	p.begin()
	return p
}

// teller is a column of an instance that tells whether it is there, if it has
// one.
func (s *setColumns) teller(instance int) []int {
	for _, c := range s.cells[instance] {
		if isSteady(&s.set.Counters[c.counter]) {
			return []int{int(c.column)}
		}
	}
	return nil
}

// isSteady tells whether a counter has a value at every sample: averages have
// none while nothing happens.
func isSteady(c *session.Counter) bool {
	if c.Description == "" { // its type is known
		info, _ := c.Type.Info()
		return info.Base != cooker.BaseDivisor
	}
	name := strings.ToLower(c.Name)
	for _, word := range []string{"avg", "average", "sec/", "ratio", "hit", "/read", "/write", "/transfer", "/op"} {
		if strings.Contains(name, word) {
			return false
		}
	}
	return true
}

// columns adds the columns that the plan needs. It counts those of which history is kept.
func (p *plan) columns(to []int) (columns []int, kept int) {
	for i := range p.rows {
		r := &p.rows[i]
		for col, cells := range r.cells {
			if len(cells) > 0 && p.ask.MayKeep(&r.Instance, p.ask.Counters[col]) {
				kept++
			}
			for _, c := range cells {
				to = append(to, int(c.column))
			}
		}
		to = append(to, r.tells...)
		for _, c := range slices.Concat(r.number, r.owner) {
			to = append(to, int(c.column))
		}
	}
	return to, kept
}

// begin is before the first row that tells which instances are there: all, as far as is known.
func (p *plan) begin() {
	p.isOther = true
	for i := range p.rows {
		r := &p.rows[i]
		r.Instance, r.isThere = p.cols.instances[r.index], true
	}
}

// fill fills in the instances that are there in a row. A row without any value of the counterset
// tells nothing of them: it is a gap, or the first one, in which there are no rates.
func (p *plan) fill(b *session.SetBatch, row *logs.Row, recorded []logs.Column, isFirst bool) {
	if p.cols.set.Instances.Multiple() && !p.look(row) {
		b.Left = -1
	}
	p.noteNumbers(row)
	if b.Same = !p.isOther; p.isOther {
		p.list()
	}
	b.Instances = p.there
	n, isRaw := len(p.ask.Counters), len(row.Raw) > 0
	for i := range p.there {
		own := cooker.Clocks{}
		for _, cells := range p.cells[i*n:][:n] {
			v, at := cooker.Absent(cooker.Unavailable), columnOf(cells, row)
			if at >= 0 {
				v = row.Values[at]
			}
			if isFirst && v.Status() == cooker.Gap { // there is none before, from which a rate could be made
				v = cooker.Absent(cooker.FirstSample)
			}
			if b.Values = append(b.Values, v); !isRaw {
				continue
			}
			reading := cooker.Reading{State: cooker.Pending}
			if at >= 0 && row.Raw[at].Known && recorded[at].TypeKnown {
				reading = row.Raw[at].Reading
				addClocks(&own, &row.Raw[at].Clocks)
			}
			b.Readings = append(b.Readings, reading)
		}
		if isRaw {
			b.Moments = append(b.Moments, own)
			addClocks(&b.Clocks, &own)
		}
	}
	for i := range b.Moments {
		addClocks(&b.Moments[i], &b.Clocks)
	}
	if !slices.ContainsFunc(b.Moments, func(c cooker.Clocks) bool { return c != b.Clocks }) {
		b.Moments = b.Moments[:0]
	}
}

// list lists the instances that are there, and their cells.
func (p *plan) list() {
	p.there, p.cells, p.isOther = p.there[:0], p.cells[:0], false
	for i := range p.rows {
		if r := &p.rows[i]; r.isThere {
			p.there, p.cells = append(p.there, r.Instance), append(p.cells, r.cells...)
		}
	}
}

// columnOf is the column of those of one counter that tells: the first that has a value, or else the
// first; -1: there is none.
func columnOf(cells []cell, row *logs.Row) int {
	for _, c := range cells {
		if row.Values[c.column].Valid() {
			return int(c.column)
		}
	}
	if len(cells) == 0 {
		return -1
	}
	return int(cells[0].column)
}

// look finds out which instances are there. It reports whether the row tells that.
func (p *plan) look(row *logs.Row) bool {
	first := 0
	for first < len(p.rows) && !p.rows[first].isSeen(row) {
		first++
	}
	if first == len(p.rows) {
		return false
	}
	for i := range p.rows {
		r := &p.rows[i]
		is := len(r.tells) == 0 || i >= first && r.isSeen(row)
		p.isOther = p.isOther || is != r.isThere
		r.isThere = is
	}
	return true
}

// isSeen tells whether a row has a value of the instance, or says why an instance that is there
// has none.
func (r *planRow) isSeen(row *logs.Row) bool {
	for _, c := range r.tells {
		switch row.Values[c].Status() {
		case cooker.Gap, cooker.Gone, cooker.Pending, cooker.Unavailable:
		default:
			return true
		}
	}
	return false
}

// noteNumbers takes the numbers of the processes that are there: a name with #n may be that of
// another one by now.
func (p *plan) noteNumbers(row *logs.Row) {
	if p.cols.number < 0 && p.cols.owner < 0 {
		return
	}
	for i := range p.rows {
		if r := &p.rows[i]; r.isThere {
			p.note(&r.Number, r.number, row)
			p.note(&r.Owner, r.owner, row)
		}
	}
	p.noteKernel()
}

// note takes the number of a process that a row has.
func (p *plan) note(number *uint64, cells []cell, row *logs.Row) {
	for _, c := range cells {
		if f, ok := row.Values[c.column].Float(); ok {
			if f >= 0 && f < 1<<53 {
				p.isOther = p.isOther || *number != uint64(f)
				*number = uint64(f)
			}
			return
		}
	}
}

// addClocks takes over clocks that are not known yet: of each counter a recording
// keeps those that its type needs. All counters of an instance are of one moment.
func addClocks(to, from *cooker.Clocks) {
	to.PerfTime = cmp.Or(to.PerfTime, from.PerfTime)
	to.PerfFreqHz = cmp.Or(to.PerfFreqHz, from.PerfFreqHz)
	to.Time100ns = cmp.Or(to.Time100ns, from.Time100ns)
	to.ObjTime = cmp.Or(to.ObjTime, from.ObjTime)
	to.ObjFreqHz = cmp.Or(to.ObjFreqHz, from.ObjFreqHz)
}

// ask replaces what is asked for. It reports whether that shows anything else, and whether rows
// have to be read anew for it. Screens ask again and again.
func (t *track) ask(asks []session.Ask) (isOther, anew bool) {
	old := t.plans
	t.plans, asks = nil, session.MergeAsks(asks)
	var sane []session.Ask
	for _, a := range asks {
		cols := t.columns.sets[a.Set]
		if cols == nil {
			continue // of another recording
		}
		p := newPlan(a, cols)
		if i := slices.IndexFunc(old, func(o *plan) bool { return o.cols == cols && slices.Equal(o.ask.Counters, p.ask.Counters) }); i >= 0 {
			p.rows = old[i].rows
		}
		t.plans, sane = append(t.plans, p), append(sane, p.ask)
	}
	return t.reel.Ask(sane, func(set *session.Counterset) []session.Instance { return t.columns.sets[set].instances })
}

// begin empties the track for rows from an absolute number on.
func (t *track) begin(number uint64, samples int) {
	for _, p := range t.plans {
		p.begin()
	}
	t.reel.Begin(number, samples)
}

// add takes a row.
func (t *track) add(row *logs.Row, recorded []logs.Column, rate session.Rate, isFirst bool) {
	t.batch.Fit(t.reel.Wants())
	t.batch.Time = row.Time
	for i, p := range t.plans {
		p.fill(&t.batch.Sets[i], row, recorded, isFirst)
	}
	t.reel.Add(&t.batch, rate)
}
