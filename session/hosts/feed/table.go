package feed

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// table holds what was told of a counterset. What stands behind the blank line is guarded by
// Source.mu.
type table struct {
	feed    string
	set     *session.Counterset
	columns []column // as set.Counters
	keep    time.Duration
	inlets  []*inlet       // that may tell of it
	similar map[string]int // columns by letters and digits of their names; -1: of several
	called  []string       // the counterset's name in letters and digits, and without its first words

	rows    map[rowName]*row
	order   []*row
	moment  time.Duration // monotonic, of the newest lines
	clocks  cooker.Clocks // of that moment
	version uint64        // counts what is worth a look
	heard   bool          // of the set something was told once
}

// column is what readings of a counter have in common.
type column struct {
	isText   bool
	size     uint8 // bytes of its data
	level    bool  // it is shown as it was told, so it must fit
	change   bool  // what is shown is the change since the moment before
	base     int   // column of its base, -1: it has none
	needBase bool
	perfTick bool // it is a time by the performance clock
	objTime  bool // companion: the clock of an object, or its frequency
	objFreq  bool
}

type rowName struct{ parent, name string }

// row is an instance.
type row struct {
	name  rowName
	cells []cell
	inlet int           // that told of it last
	first time.Duration // moment of the first lines
	heard time.Duration // of the newest

	clocks cooker.Clocks // of that moment
}

type cell struct {
	told    bool
	undated bool // nobody knows when it was told: no interval begins with it
	raw     uint64
	text    cooker.Text
}

// entry is what a line tells of an instance.
type entry struct {
	table   *table
	name    rowName
	gone    bool // the instance is no more
	undated bool // it was told before it was listened to
	values  []reading
}

// reading is what a line tells of a counter.
type reading struct {
	column int
	cell   cell
}

func newTable(f *Feed, set *session.Counterset, inlets []*inlet) *table {
	t := &table{feed: f.Name, set: set, keep: f.Keep, inlets: inlets, columns: make([]column, len(set.Counters)), similar: map[string]int{}, rows: map[rowName]*row{}}
	t.name()
	for i := range set.Counters {
		c := &set.Counters[i]
		info, _ := c.Type.Info()
		col := &t.columns[i]
		*col = column{isText: c.Type.IsText(), size: 8, base: -1, needBase: info.Base != cooker.BaseNone}
		const dword = 0 // Fields.Size
		if f := c.Type.Fields(); f.Size == dword && !col.needBase && f.Subtype != cooker.SubtypeBase {
			col.size = 4
		}
		col.level = info.Samples == 1 && !col.needBase && c.Type != cooker.ElapsedTime
		col.change = info.Samples == 2
		switch info.Base {
		case cooker.BaseDivisor, cooker.BaseClock:
			col.base = t.columnOf(c.BaseID)
		case cooker.BaseMulti:
			col.base = t.columnOf(c.MultiID)
		case cooker.BaseNone:
		}
		shape, _ := c.Type.Raw()
		col.perfTick = shape.Time == cooker.ClockPerf
	}
	for i := range set.Counters {
		if info, _ := set.Counters[i].Type.Info(); info.Clock == cooker.ClockObject {
			if at := t.columnOf(set.Counters[i].PerfTimeID); at >= 0 {
				t.columns[at].objTime = true
			}
			if at := t.columnOf(set.Counters[i].PerfFreqID); at >= 0 {
				t.columns[at].objFreq = true
			}
		}
	}
	return t
}

// columnOf finds a counter by its number, -1 for none.
func (t *table) columnOf(id uint32) int {
	if id == session.NoID {
		return -1
	}
	return slices.IndexFunc(t.set.Counters, func(c session.Counter) bool { return c.ID == id })
}

var errFull = fmt.Errorf("there are %d instances, as many as can be", maxInstances)

// Lines that come within a short time are told of one moment, that of the first: a
// program writes the lines of all its instances one after the other. They are shown when
// no more follow, or after a while.
const (
	settled     = 50 * time.Millisecond
	mostWaiting = 500 * time.Millisecond
	maxWaiting  = 4096 // lines
)

// waiting are lines of an inlet that are not shown yet. Times are monotonic.
type waiting struct {
	entries     []entry
	moment      time.Duration // of which they are told
	clocks      cooker.Clocks // of it
	first, last time.Duration // when they came
}

func (w *waiting) isDue(now time.Duration) bool {
	return len(w.entries) > 0 && (now-w.last >= settled || now-w.first >= mostWaiting)
}

// hear takes lines of an inlet, which were told some time ago. With whole they are all that
// it has to tell.
func (s *Source) hear(in *inlet, entries []entry, ago time.Duration, whole bool) {
	now := s.o.Clock.Now().Mono
	s.mu.Lock()
	var news error
	w := &in.waiting
	if w.isDue(now) || len(w.entries) >= maxWaiting || whole {
		news = s.show(in)
	}
	if len(w.entries) == 0 {
		w.moment, w.clocks, w.first = now-ago, s.o.Clocks().Earlier(ago), now
	}
	w.entries, w.last = append(w.entries, entries...), now
	if whole {
		news = cmp.Or(s.show(in), news)
		for _, t := range s.tables {
			t.drop(func(r *row) bool { return r.inlet == in.number && r.heard != w.moment })
		}
	}
	s.mu.Unlock()
	s.report(news)
}

// settle shows what is due of all inlets. Source.mu is held.
func (s *Source) settle(now time.Duration) (news []error) {
	for _, in := range s.inlets {
		if in.waiting.isDue(now) {
			if err := s.show(in); err != nil {
				news = append(news, err)
			}
		}
	}
	for _, t := range s.tables {
		t.expire(now)
	}
	return news
}

// show takes the lines of an inlet over into the tables. Source.mu is held.
func (s *Source) show(in *inlet) (news error) {
	w, full := &in.waiting, 0
	for i := range w.entries {
		e := &w.entries[i]
		e.table.expire(w.moment)
		if !e.table.store(e, in) {
			full++
		}
	}
	clear(w.entries)
	w.entries = w.entries[:0]
	if full > 0 {
		news = in.countWrong(full, errFull)
	}
	return news
}

// store takes over what a waiting line of an inlet tells. It is false where there is no room.
func (t *table) store(e *entry, in *inlet) bool {
	t.heard = true
	now := in.waiting.moment
	if t.moment < now || t.version == 0 {
		t.moment, t.clocks = now, in.waiting.clocks
		t.version++
	}
	if e.gone {
		t.drop(func(r *row) bool { return r.name == e.name })
		return true
	}
	r := t.rows[e.name]
	if r == nil {
		if len(t.order) >= maxInstances {
			return false
		}
		r = &row{name: rowName{strings.Clone(e.name.parent), strings.Clone(e.name.name)}, cells: make([]cell, len(t.columns)), first: now}
		t.rows[r.name] = r
		t.order = append(t.order, r)
	}
	r.inlet, r.heard, r.clocks = in.number, now, in.waiting.clocks
	for _, v := range e.values {
		// What is told at first and several times is of several moments, as of a program that
		// begins with the last lines of a file.
		v.cell.undated = e.undated || r.first == now && r.cells[v.column].told
		r.cells[v.column] = v.cell
	}
	return true
}

// expire lets go of the instances of which nothing was told for long.
func (t *table) expire(now time.Duration) {
	t.drop(func(r *row) bool { return now-r.heard > t.keep })
}

// drop removes rows. That is worth a look when none is left; otherwise the next lines
// show it.
func (t *table) drop(which func(*row) bool) {
	before := len(t.order)
	t.order = slices.DeleteFunc(t.order, func(r *row) bool {
		if which(r) {
			delete(t.rows, r.name)
			return true
		}
		return false
	})
	if len(t.order) == 0 && before > 0 {
		t.version++
	}
}

var (
	errUnfed  = errors.New("nothing feeds it: --feed names what does")
	errSilent = errors.New("nothing was told of it yet")
	errQuiet  = errors.New("nothing is told of it any more")
)

// state says why nothing can be read of the set, nil if something can: it has
// instances, or may have none.
func (t *table) state() error {
	if len(t.order) > 0 {
		return nil
	}
	for _, in := range t.inlets {
		if in.dead != nil {
			return in.dead
		}
	}
	switch {
	case len(t.inlets) == 0:
		return errUnfed
	case !t.heard:
		return errSilent
	case !t.set.Instances.Multiple():
		return errQuiet
	}
	return nil
}

// read gives the readings of the instances. ticks is how many ticks of the performance
// clock are one of those that are told, 100 ns.
func (t *table) read(b *session.SetBatch, ticks uint64) {
	if b.Err = t.state(); b.Err != nil {
		return
	}
	if len(t.order) > 0 {
		t.order[0].objectClock(t, &b.Clocks)
	}
	apart := slices.ContainsFunc(t.order, func(r *row) bool { return r.heard != t.moment })
	for i, r := range t.order {
		if apart {
			b.Moments = append(b.Moments, r.clocks)
			r.objectClock(t, &b.Moments[i])
		}
		b.Instances = append(b.Instances, session.Instance{Key: session.InstanceKey{Parent: r.name.parent, Name: r.name.name}, Flags: t.set.FlagsOf(r.name.name)})
		for _, c := range b.Counters {
			b.Readings = append(b.Readings, t.reading(b, i, c, ticks))
		}
	}
}

// objectClock takes the clock of the object over, if it is told.
func (r *row) objectClock(t *table, clocks *cooker.Clocks) {
	for i, cell := range r.cells {
		switch col := &t.columns[i]; {
		case !cell.told:
		case col.objTime:
			clocks.ObjTime = cell.raw
		case col.objFreq:
			clocks.ObjFreqHz = cell.raw
		}
	}
}

func (t *table) reading(b *session.SetBatch, i, c int, ticks uint64) cooker.Reading {
	r := t.order[i]
	col, in := &t.columns[c], &r.cells[c]
	switch {
	case !in.told && col.objTime:
		return cooker.Reading{Raw: b.ClocksOf(i).ObjTime, Size: 8}
	case !in.told && col.objFreq:
		return cooker.Reading{Raw: b.ClocksOf(i).ObjFreqHz, Size: 8}
	case !in.told:
		return cooker.Reading{State: cooker.Unavailable}
	case col.change && (in.undated || col.base >= 0 && r.cells[col.base].undated):
		return cooker.Reading{State: cooker.FirstSample}
	case col.isText:
		return b.TextReading(in.text)
	}
	out := cooker.Reading{Raw: in.raw, Size: col.size}
	if col.size == 4 {
		out.Raw = uint64(uint32(in.raw))
	}
	if col.perfTick && ticks > 1 {
		out.Raw, out.Size = in.raw*ticks, 8
	}
	if col.needBase {
		if col.base < 0 || !r.cells[col.base].told {
			out.State = cooker.NoBase
			return out
		}
		out.Base, out.BaseSize = r.cells[col.base].raw, 8
	}
	return out
}
