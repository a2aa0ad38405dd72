package session

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"perfdeck/cooker"
)

// Processes that end between two samples have no row among the living. Hosts that tell of them do so in a
// counterset of their own, by the names that they had. Whoever lists processes sees them behind those, with
// the counters that both countersets have, and what no process explains: then the table adds up.

// Countersets and instances of those that ended.
const (
	exitsSet     = "Process Exits"
	exitsCounter = "Exits/sec"
	timeCounter  = "% Processor Time"
	unattributed = "_Unattributed"
)

// leastUnexplained is from how much of one processor on, in percent, what nothing explains has a row:
// clocks and ticks of processors differ by less.
const leastUnexplained = 1

// endedID is the identity of rows of those that ended among those of processes.
const endedID = math.MaxUint64

// askEnded adds what lists of processes need of those that ended. Lists are what the last minute of all rows
// is kept for.
func askEnded(cat *Catalogue, asks []Ask) []Ask {
	for i := range asks {
		a := &asks[i]
		if !IsOfProcesses(a.Set.Name) || !slices.ContainsFunc(a.Keep, func(k Keep) bool { return k.Recent }) {
			continue
		}
		var set *Counterset
		if cat != nil {
			set = cat.Set(exitsSet)
		}
		if set == nil {
			return asks
		}
		ask := Ask{Set: set, Facts: FactWant{All: true}, Seldom: a.Seldom}
		for _, c := range a.Counters {
			ask.addCounter(a.Set.Counters[c].Name)
		}
		ask.addCounter(exitsCounter)
		for _, key := range a.Facts.Keys {
			if slices.Contains(set.Facts, key) {
				ask.Facts.Keys = append(ask.Facts.Keys, key)
			}
		}
		ask.Keep = []Keep{{Counters: ask.Counters, Recent: true}}
		asks = append(asks, ask)
	}
	return asks
}

func (a *Ask) addCounter(name string) {
	if c, ok := a.Set.Counter(name); ok && a.Set.Counters[c].Absent == "" && !slices.Contains(a.Counters, c) {
		a.Counters = append(a.Counters, c)
	}
}

// Accounted is the snapshot with rows of those that ended, and of what nothing explains, behind those of
// processes: where FlagEnded is set, Vanished tells how many ended. It is good as long as the snapshot is held.
func (s *Snapshot) Accounted() *Snapshot {
	if s == nil {
		return nil
	}
	from := slices.IndexFunc(s.Sets, func(v *SetView) bool { return v.Set.Name == exitsSet && len(v.Rows) > 0 })
	if from < 0 {
		return s
	}
	out := s
	for i, v := range s.Sets {
		if !IsOfProcesses(v.Set.Name) || slices.ContainsFunc(v.Rows, func(r Row) bool { return r.Flags&FlagEnded != 0 }) {
			continue
		}
		if out == s {
			out = &Snapshot{Host: s.Host, Time: s.Time, State: s.State, Timeline: s.Timeline, Sets: slices.Clone(s.Sets), feed: s.feed}
		}
		out.Sets[i] = v.accounted(s.Sets[from])
	}
	return out
}

// accounted is a view of processes with the rows of one of those that ended.
func (v *SetView) accounted(ended *SetView) *SetView {
	var w *SetView                          // nil: none has anything
	columns := make([]int, len(v.Counters)) // of ended
	for col, c := range v.Counters {
		columns[col] = -1
		if at, ok := ended.Set.Counter(v.Set.Counters[c].Name); ok {
			columns[col] = ended.Column(at)
		}
	}
	exits, _ := ended.Set.Counter(exitsCounter)
	many := ended.Column(exits)
	var memory Recalled
	for at := range ended.Rows {
		row := ended.Rows[at]
		if row.Key.Name == unattributed && !ended.isMuch(at) {
			continue
		}
		if row.Gone || row.Flags&FlagTotal != 0 || !ended.hasAny(at, columns, many) {
			continue
		}
		if row.Key.ID, row.Flags = endedID, FlagEnded; many >= 0 {
			n, _ := ended.Value(at, many).Float()
			row.Vanished = int(math.Round(n * ended.Rate.Interval.Seconds()))
		}
		g := ghost{row: row, keys: v.FactKeys, facts: make([]string, len(v.FactKeys))}
		for i, key := range v.FactKeys {
			if col := slices.Index(ended.FactKeys, key); col >= 0 {
				g.facts[i] = ended.Fact(at, col)
			}
		}
		if w == nil {
			w = v.copy()
		}
		w.showGone(&g)
		first := len(w.Values) - len(v.Counters)
		for col, of := range columns {
			if of < 0 {
				w.Values[first+col] = cooker.Absent(cooker.Unavailable)
				continue
			}
			w.Values[first+col] = ended.Value(at, of)
			if ended.Set.Counters[ended.Counters[of]].Name != timeCounter { // rows stand by it, and histories are copied
				continue
			}
			if s := ended.Recent(&memory, at, of); len(s.Values) > 0 {
				w.kept = append(w.kept, keptSeries{int32(len(w.Rows) - 1), int32(col), s.clone()})
			}
		}
	}
	return cmp.Or(w, v)
}

// isMuch tells whether what nothing explains is worth a row.
func (v *SetView) isMuch(row int) bool {
	c, _ := v.Set.Counter(timeCounter)
	col := v.Column(c)
	if col < 0 {
		return false
	}
	n, ok := v.Value(row, col).Float()
	return ok && n >= leastUnexplained
}

// hasAny tells whether a row of those that ended has anything in what is kept of it.
func (v *SetView) hasAny(row int, columns []int, many int) bool {
	for _, col := range append(slices.Clip(columns), many) {
		if col < 0 {
			continue
		}
		if n, ok := v.Value(row, col).Float(); ok && n != 0 {
			return true
		}
	}
	return false
}

// EndedAs is how a row of processes that ended is called in lists; ok is false for others.
func (row *Row) EndedAs() (name string, ok bool) {
	switch {
	case row.Flags&FlagEnded == 0:
		return "", false
	case row.Key.Name == unattributed:
		return "unexplained", true
	case row.Vanished > 0:
		return row.Key.Name + " x " + strconv.Itoa(row.Vanished) + " ended", true
	}
	return row.Key.Name + " ended", true
}
