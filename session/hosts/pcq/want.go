package pcq

import (
	"errors"
	"fmt"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
)

// want is a session.Want with what it takes to answer it.
type want struct {
	session.Want
	index   int // in the batch
	guid    perflib.GUID
	err     error // why nothing can be asked for it
	handle  *handle
	asked   *asked
	columns []column
	// The object clock of the set: a SetBatch holds one. Columns that name
	// others have no base.
	time, freq uint32
	moment     [len(perflib.MomentCounters)]uint32 // the counters that have the clocks of values which were told to the host
}

// column is one counter of a want and the counters it is cooked with, by number.
type column struct {
	id, base     uint32
	needBase     bool
	onClock      bool // cooked with the set's object clock
	clockless    bool // would be, but has another clock or none
	ownClockless bool // an object timer whose base is absent: cooked with whatever clock the batch has
	kind         cooker.CounterType
	undated      bool // a change of what is told: there is none while nobody knows since when
	plain        bool // cooked by itself
	at, baseAt   int  // places of id and base in asked.ids; baseAt -1: none
}

// newWant resolves what is wanted. The set need not be of this source's
// catalogue: its GUID and the numbers of its counters are what counts.
func newWant(index int, w *session.Want) *want {
	out := &want{Want: *w, index: index, time: session.NoID, freq: session.NoID}
	if w.Set == nil {
		out.err = errors.New("select: no counterset given")
		return out
	}
	if w.Set.Told {
		out.moment = momentOf(w.Set)
	}
	if out.guid, out.err = perflib.ParseGUID(w.Set.GUID); out.err != nil {
		out.err = fmt.Errorf("select %s: %w", w.Set.Name, out.err)
		return out
	}
	for _, i := range w.Counters {
		if i < 0 || i >= len(w.Set.Counters) {
			out.err = fmt.Errorf("select %s: no counter %d", w.Set.Name, i)
			return out
		}
		out.columns = append(out.columns, out.column(&w.Set.Counters[i]))
	}
	return out
}

// momentOf are the counters of a set that have the clocks of its values; session.NoID: it has
// no such counter.
func momentOf(set *session.Counterset) (ids [len(perflib.MomentCounters)]uint32) {
	for i, name := range perflib.MomentCounters {
		at := slices.IndexFunc(set.Counters, func(c session.Counter) bool { return c.Name == name && c.Hidden() })
		ids[i] = session.NoID
		if at >= 0 {
			ids[i] = clockID(set, set.Counters[at].ID)
		}
	}
	return ids
}

// hasMoment tells whether the values of a set have clocks of their own.
func hasMoment(set *session.Counterset) bool {
	ids := momentOf(set)
	return !slices.Contains(ids[:], session.NoID)
}

func (w *want) column(c *session.Counter) column {
	k := companionsOf(w.Set, c)
	info, _ := c.Type.Info()
	col := column{id: c.ID, base: k.base, needBase: k.needBase, kind: c.Type, undated: w.Set.Told && info.Samples == 2}
	col.plain = !k.needBase && !k.needTime && !c.Type.IsText()
	if k.needTime {
		col.onClock = w.joinClock(&k)
		col.clockless = !col.onClock && !k.needBase
		col.ownClockless = !col.onClock && k.needBase
	}
	return col
}

// joinClock tells whether the column's object clock is that of the batch, which
// the first column with one decides.
func (w *want) joinClock(k *companions) bool {
	if k.time == session.NoID || k.needFreq && k.freq == session.NoID {
		return false
	}
	if w.time == session.NoID {
		w.time, w.freq = k.time, k.freq
		return true
	}
	if w.time != k.time {
		return false
	}
	if w.freq == session.NoID {
		w.freq = k.freq
	}
	return !k.needFreq || w.freq == k.freq
}

// ids are the counters to collect, companions among them, in order.
func (w *want) ids() []uint32 {
	out := []uint32{w.time, w.freq}
	if w.Set.Told {
		out = append(out, w.moment[:]...)
	}
	for _, c := range w.columns {
		out = append(out, c.id, c.base)
	}
	out = slices.DeleteFunc(out, func(id uint32) bool { return id == session.NoID })
	if len(out) == 0 && len(w.Set.Counters) > 0 {
		out = append(out, w.Set.Counters[0].ID) // for the instances alone
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// place looks up where the counters stand in what is asked.
func (w *want) place(a *asked) {
	w.asked = a
	for i := range w.columns {
		c := &w.columns[i]
		c.at, c.baseAt = a.place(c.id), a.place(c.base)
	}
}
