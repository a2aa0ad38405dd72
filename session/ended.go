package session

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"perfdeck/cooker"
)

// Processes that end between two samples have no row among the living, and memory is not of processes alone.
// Hosts that tell of either do so in countersets of their own: by the names that processes had, by what memory
// is used for. Whoever lists processes sees their rows behind those, with the counters that both countersets
// have, and what nothing explains: then the table adds up.

// Countersets and instances of what is no process that lives.
const (
	exitsSet     = "Process Exits"
	memorySet    = "Memory Use"
	exitsCounter = "Exits/sec"
	timeCounter  = "% Processor Time"
	unattributed = "_Unattributed"
)

// leastUnexplained is from how much of one processor on, in percent, what nothing explains has a row:
// clocks and ticks of processors differ by less.
const leastUnexplained = 1

// besides are the countersets whose rows stand among those of processes, with their identity there.
var besides = []struct {
	set string
	id  uint64
}{{exitsSet, math.MaxUint64}, {memorySet, math.MaxUint64 - 1}}

// askBesides adds what lists of processes need of what is no process that lives.
func askBesides(cat *Catalogue, asks []Ask) []Ask {
	if cat == nil {
		return asks
	}
	given := asks
	for _, b := range besides {
		set := cat.Set(b.set)
		if set == nil {
			continue
		}
		ask := Ask{Set: set, Facts: FactWant{All: true}, Seldom: true}
		for i := range given {
			if a := &given[i]; IsOfProcesses(a.Set.InEnglish()) && a.isSortedBy(set) {
				ask.beside(a)
			}
		}
		if len(ask.Counters) > 0 {
			ask.Keep = []Keep{{Counters: ask.Counters, Recent: true}}
			asks = append(asks, ask)
		}
	}
	return asks
}

// isSortedBy tells whether an ask is of a list, of whose rows the last minute is kept, that is sorted by a counter
// of which another counterset has its own: by others its rows come last, and would be read for nobody.
func (a *Ask) isSortedBy(set *Counterset) bool {
	return slices.ContainsFunc(a.Keep, func(k Keep) bool {
		if !k.Recent || k.Busiest == 0 {
			return false
		}
		return set.Given(a.Set.Counters[k.By].Name) >= 0
	})
}

// beside adds what stands beside a list of processes.
func (a *Ask) beside(list *Ask) {
	for _, c := range list.Counters {
		a.addCounter(list.Set.Counters[c].Name)
	}
	if a.Set.Name == exitsSet { // whatever is shown of them, they are counted
		a.addCounter(exitsCounter)
	}
	for _, key := range list.Facts.Keys {
		if slices.Contains(a.Set.Facts, key) && !slices.Contains(a.Facts.Keys, key) {
			a.Facts.Keys = append(a.Facts.Keys, key)
		}
	}
	a.Seldom = a.Seldom && list.Seldom
}

// Origin is where a value of a list of processes comes from: of what is no process that lives the counterset that
// tells of it, its counter of that name, or the first, and the instance there.
func (c *Catalogue) Origin(set *Counterset, counter int, key InstanceKey) (*Counterset, int, InstanceKey) {
	for _, b := range besides {
		if key.ID != b.id || !IsOfProcesses(set.InEnglish()) { // nearly all: no set is looked for
			continue
		}
		of := c.Set(b.set)
		if of == nil {
			continue
		}
		at := 0
		if counter >= 0 {
			at, _ = of.Counter(set.Counters[counter].Name)
		}
		key.ID = 0
		return of, max(at, 0), key
	}
	return set, counter, key
}

func (a *Ask) addCounter(name string) {
	if c := a.Set.Given(name); c >= 0 && !slices.Contains(a.Counters, c) {
		a.Counters = append(a.Counters, c)
	}
}

// accounted is a view of processes with the rows of one of what is no process that lives.
func (v *SetView) accounted(ended *SetView, id uint64, memory *Copies) *SetView {
	var w *SetView // nil: none has anything
	var columns []int
	many := -1
	var recalled Recalled
	for at := range ended.Rows {
		row := ended.Rows[at]
		if row.Key.Name == unattributed && !ended.isMuch(at) {
			continue
		}
		if row.Gone || row.Flags&FlagTotal != 0 {
			continue
		}
		if columns == nil {
			columns, many = ended.columnsOf(v)
		}
		if !ended.hasAny(at, columns...) && !ended.hasAny(at, many) {
			continue
		}
		if row.Key.ID, row.Flags = id, FlagEnded; many >= 0 {
			n, _ := ended.Value(at, many).Float()
			row.Vanished = int(math.Round(n * ended.Rate.Interval.Seconds()))
		}
		g := ghost{row: row, keys: v.FactKeys, facts: ended.factsOf(at, v.FactKeys)}
		if w == nil {
			w = memory.of(v)
		}
		w.showGone(&g)
		first := len(w.Values) - len(v.Counters)
		for col, of := range columns {
			if of < 0 {
				w.Values[first+col] = cooker.Absent(cooker.Unavailable)
				continue
			}
			w.Values[first+col] = ended.Value(at, of)
			if ended.Set.Counters[ended.Counters[of]].Name != timeCounter && many >= 0 { // rows stand by it, and histories are copied
				continue
			}
			if s := ended.Recent(&recalled, at, of); len(s.Values) > 0 {
				w.kept = append(w.kept, keptSeries{int32(len(w.Rows) - 1), int32(col), s.clone()})
			}
		}
	}
	return cmp.Or(w, v)
}

// columnsOf are the columns that a view of what is no process that lives has of those of processes, -1 for none, and
// that of how many ended.
func (v *SetView) columnsOf(processes *SetView) (columns []int, many int) {
	columnOf := func(name string) int {
		if at, ok := v.Set.Counter(name); ok {
			return v.Column(at)
		}
		return -1
	}
	columns = make([]int, len(processes.Counters))
	for col, c := range processes.Counters {
		columns[col] = columnOf(processes.Set.Counters[c].Name)
	}
	return columns, columnOf(exitsCounter)
}

// factsOf are some facts of a row; empty where the view has none.
func (v *SetView) factsOf(row int, keys []string) []string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = v.Fact(row, key)
	}
	return out
}

// isMuch tells whether what nothing explains is worth a row.
func (v *SetView) isMuch(row int) bool {
	c, ok := v.Set.Counter(timeCounter)
	col := v.Column(c)
	if !ok || col < 0 {
		return true
	}
	n, ok := v.Value(row, col).Float()
	return ok && n >= leastUnexplained
}

// hasAny tells whether a row of those that ended has anything in what is kept of it.
func (v *SetView) hasAny(row int, columns ...int) bool {
	return slices.ContainsFunc(columns, func(col int) bool {
		if col < 0 {
			return false
		}
		n, ok := v.Value(row, col).Float()
		return ok && n != 0
	})
}

// EndedAs is how a row of what is no process that lives is called in lists; ok is false for others.
func (row *Row) EndedAs() (name string, ok bool) {
	switch {
	case row.Flags&FlagEnded == 0:
		return "", false
	case row.Key.Name == unattributed:
		return "unexplained", true
	case row.Key.ID != besides[0].id:
		return row.Key.Name, true
	case row.Vanished > 0:
		return row.Key.Name + " x " + strconv.Itoa(row.Vanished) + " ended", true
	}
	return row.Key.Name + " ended", true
}
