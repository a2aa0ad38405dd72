package fake

import (
	"cmp"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// set is a counterset while its script is played.
type set struct {
	script   *Set
	offer    *session.Counterset
	columns  []column
	rows     []*row
	live     []*row // that are there now
	restarts int
	up       time.Duration
	indexes  map[[2]string]uint32
}

// row is an instance while its script is played.
type row struct {
	script   *Row
	instance session.Instance
	id       uint64
	seed     uint64
	motions  []Motion // for columns that have their own; else empty
	cells    []cell
	times    float64
	born     time.Duration
	alive    bool
	round    int
}

func newSet(script *Script, one *Set) *set {
	s := &set{script: one, up: script.Up, restarts: -1, indexes: map[[2]string]uint32{}}
	s.offer, s.columns = newOffer(one)
	rows := one.Rows
	if len(rows) == 0 && !one.Instances.Multiple() {
		rows = []Row{{}}
	}
	for i := range rows {
		s.rows = append(s.rows, s.newRow(&rows[i], i, seedOf(script.Seed, script.Name, one.Name)))
	}
	return s
}

func (s *set) newRow(script *Row, place int, seed uint64) *row {
	r := &row{script: script, id: script.ID, times: cmp.Or(script.Times, 1), cells: make([]cell, len(s.columns))}
	if r.id == 0 && s.script.Instances.Multiple() {
		r.id = uint64(place) + 1
	}
	r.seed = seedOf(seed+r.id, script.Parent, script.Name)
	for name, m := range script.Is {
		if c, ok := s.offer.Counter(name); ok {
			if r.motions == nil {
				r.motions = make([]Motion, len(s.columns))
			}
			r.motions[c] = m
		}
	}
	return r
}

// refresh finds out which rows are there at t.
func (s *set) refresh(t time.Duration, restarts int, last time.Duration) {
	restarted := restarts != s.restarts
	s.restarts = restarts
	changed := restarted
	for _, r := range s.rows {
		alive, round := r.script.Alive.at(t)
		if alive && (!r.alive || round != r.round || restarted) {
			changed = true
			r.begin(round, restarts, max(r.birth(round, s.up), last))
			r.instance.Flags |= s.offer.FlagsOf(r.script.Name) & session.FlagBackground // totals are as the script has them
			if !s.script.Instances.Multiple() {
				r.instance.Key.ID = 0
			}
		}
		changed = changed || alive != r.alive
		r.alive, r.round = alive, round
	}
	if changed {
		s.number()
	}
}

// birth is when the row came for the given round.
func (r *row) birth(round int, up time.Duration) time.Duration {
	if r.script.Alive == (Window{}) {
		return -up
	}
	return r.script.Alive.opened(round)
}

// begin starts the row anew.
func (r *row) begin(round, restarts int, born time.Duration) {
	in := &r.instance
	*in = session.Instance{Number: r.script.Number, Owner: r.script.Owner, Flags: r.script.Flags}
	in.Key = session.InstanceKey{Parent: r.script.Parent, Name: r.script.Name,
		ID: r.id + uint64(round)<<32 + uint64(restarts)<<48}
	if in.Number > 0 {
		in.Number += 0x1000 * uint64(round)
	}
	r.born = born
	for i := range r.cells {
		r.cells[i] = cell{at: born}
	}
}

// number lists the rows that are there, with #n for those of the same name.
func (s *set) number() {
	clear(s.indexes)
	s.live = s.live[:0]
	for _, r := range s.rows {
		if !r.alive {
			continue
		}
		name := [2]string{r.script.Parent, r.script.Name}
		r.instance.Index = s.indexes[name]
		s.indexes[name]++
		s.live = append(s.live, r)
	}
}

// reading is what counter c of a row shows at t.
func (s *set) reading(r *row, c int, t time.Duration, b *session.SetBatch) cooker.Reading {
	switch col := &s.columns[c]; {
	case s.offer.Counters[c].Absent != "":
		return cooker.Reading{State: cooker.Unavailable}
	case col.baseOf >= 0:
		of := s.reading(r, col.baseOf, t, b)
		return cooker.Reading{Raw: of.Base, Size: of.BaseSize}
	case col.isText:
		text := ""
		if col.text != nil {
			text = col.text(&r.instance, t)
		}
		return b.TextReading(cooker.MakeText(text))
	default:
		return r.cells[c].read(col, t, s.value(r, c, t), s.per(r, c, t), &b.Clocks)
	}
}

// value is what cooking counter c of a row is to give at t.
func (s *set) value(r *row, c int, t time.Duration) float64 {
	col := &s.columns[c]
	switch {
	case len(r.motions) > 0 && r.motions[c] != nil:
		return r.motions[c](t, r.seed)
	case col.of != nil:
		return col.of(&r.instance)
	case r.isTotal():
		return s.total(col, func(o *row) float64 { return s.value(o, c, t) })
	case col.is != nil:
		return r.times * col.is(t, r.seed)
	case col.kind == cooker.KindElapsed:
		return (t - r.born).Seconds()
	}
	return 0
}

// per is what the value of counter c is divided by.
func (s *set) per(r *row, c int, t time.Duration) float64 {
	col := &s.columns[c]
	if r.isTotal() && col.kind != cooker.KindMulti {
		return s.total(&column{}, func(o *row) float64 { return s.per(o, c, t) })
	}
	return col.per(t, r.seed)
}

func (r *row) isTotal() bool { return r.script.Flags&session.FlagTotal != 0 }

// total combines the rows that are no totals themselves.
func (s *set) total(col *column, value func(*row) float64) float64 {
	sum, n := 0.0, 0
	for _, r := range s.live {
		if !r.isTotal() {
			sum += value(r)
			n++
		}
	}
	if col.mean && n > 0 {
		sum /= float64(n)
	}
	return sum
}

// facts appends the facts of a row that are wanted; the others stay empty.
func (s *set) facts(r *row, w *session.FactWant, b *session.SetBatch) {
	wanted := w.All || slices.Contains(w.Rows, r.instance.Key)
	for _, key := range w.Keys {
		text := ""
		if i := slices.Index(s.script.Facts, key); wanted && i >= 0 && i < len(r.script.Facts) {
			text = r.script.Facts[i]
		}
		b.Facts = append(b.Facts, text)
	}
}
