package kind

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// Limit is what a counter can reach: a number, or what another counter of the host
// gives. The zero Limit is none.
type Limit struct {
	Number   float64 // in the limited counter's unit; 0: a counter gives it
	Set      *session.Counterset
	Counter  int     // index in Set.Counters
	Instance string  // of Set; "": that of the limited counter, or the only one
	Factor   float64 // the counter's value times it is the limit in the limited counter's unit
	IsShare  bool    // the counter gives the share of the limit in percent, not the limit
}

// Is tells whether there is a limit.
func (l *Limit) Is() bool { return l.Number > 0 || l.Set != nil }

// limitRow is a row of the table of limits.
type limitRow struct {
	set, counter string
	from         []limitFrom // the first that the host has
	used         string      // what is drawn in place of the value, see Drawn.Used
}

// limitFrom is where a limit comes from; the zero one is 100.
type limitFrom struct {
	set, instance, counter string
	factor                 float64 // besides that of the units; 0: 1
	isShare                bool
}

const totalInstance = "_Total"

// physical is the memory that there is, on Linux and on Windows.
var physical = []limitFrom{
	{set: "Memory", counter: "Physical Bytes"},
	{set: "NUMA Node Memory", instance: totalInstance, counter: "Total MBytes"},
}

// ofLimit is the memory that may be used.
var ofLimit = []limitFrom{{set: session.MemoryLimit, counter: "Limit Bytes"}}

// limitRows are the limits that counters have beside their bases; an empty set is any.
var limitRows = []limitRow{
	{"Memory", "Available Bytes", physical, "used"},
	{"Memory", "Available KBytes", physical, "used"},
	{"Memory", "Available MBytes", physical, "used"},
	{"Memory", "Cache Bytes", physical, ""},
	{session.MemoryLimit, "Available Bytes", ofLimit, "used"},
	{session.MemoryLimit, "Cache Bytes", ofLimit, ""},
	{"Memory", "Committed Bytes", []limitFrom{{set: "Memory", counter: "Commit Limit"}}, ""},
	{"Memory", "Swap Used Bytes", []limitFrom{{set: "Paging File", instance: totalInstance, counter: "% Usage", isShare: true}}, ""},
	{"LogicalDisk", "% Free Space", []limitFrom{{}}, "used"},
	{"LogicalDisk", "Free Megabytes", []limitFrom{{set: "LogicalDisk", counter: "% Free Space", isShare: true}}, ""},
	{"", "% Idle Time", []limitFrom{{}}, "busy"},
	{"Network Interface", "Bytes Total/sec", []limitFrom{{set: "Network Interface", counter: "Current Bandwidth", factor: 1. / 8}}, ""},
	{"Control Group", "Memory Bytes", []limitFrom{{set: "Control Group", counter: "% Memory Limit", isShare: true}}, ""},
}

func limitsAt(set, counter string) *limitRow {
	for i := range limitRows {
		r := &limitRows[i]
		if paths.EqualFold(r.counter, counter) && (r.set == "" || paths.EqualFold(r.set, set)) {
			return r
		}
	}
	return nil
}

// find is the first limit of a row that a host has for a counter.
func (r *limitRow) find(cat *session.Catalogue, own *session.Counterset, c *session.Counter) Limit {
	for _, from := range r.from {
		if from.counter == "" {
			return Limit{Number: percentLimit}
		}
		set := own
		if !paths.EqualFold(from.set, own.InEnglish()) {
			set = cat.Set(from.set)
		}
		i := set.Given(from.counter)
		if i < 0 {
			continue
		}
		l := Limit{Set: set, Counter: i, Instance: from.instance, IsShare: from.isShare, Factor: from.factor}
		if l.Factor == 0 {
			l.Factor = set.Counters[i].Quantity.Base() / c.Quantity.Base()
		}
		return l
	}
	return Limit{}
}

var errNoLimit = errors.New("no limit")

// LimitNamed is a limit as a deck writes it: a number in the counter's own unit, or the
// path of the counter that gives it, `\Memory\Physical Bytes`. The instance of that path
// is * for that of the limited counter.
func LimitNamed(cat *session.Catalogue, text string, c *session.Counter) (Limit, error) {
	if text == "" {
		return Limit{}, errNoLimit
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if !(n > 0) || math.IsInf(n, 0) {
			return Limit{}, fmt.Errorf("limit %s: it must be more than 0", text)
		}
		return Limit{Number: n}, nil
	}
	if cat == nil {
		return Limit{}, errNoLimit
	}
	found, err := cat.Resolve(text, paths.Options{})
	if err != nil {
		return Limit{}, fmt.Errorf("limit: %w", err)
	}
	of := found[0]
	by := &of.Set.Counters[of.Counters[0]]
	if len(of.Counters) != 1 || by.IsCode(by.Look()) {
		return Limit{}, fmt.Errorf("limit %s: it must be one counter with numbers", text)
	}
	l := Limit{Set: of.Set, Counter: of.Counters[0], Factor: by.Quantity.Base() / c.Quantity.Base()}
	if instance := of.Path.InstanceText(); !strings.Contains(instance, "*") {
		l.Instance = instance
	}
	return l, nil
}

// Ask is what has to be asked besides the limited counter; of the limit's history is
// kept what is the same for all instances. Without a counter ok is false.
func (l *Limit) Ask() (ask session.Ask, ok bool) {
	if l.Set == nil {
		return ask, false
	}
	counters := []int{l.Counter}
	ask = session.Ask{Set: l.Set, Counters: counters}
	if name := l.Instance; name != "" || !l.Set.Instances.Multiple() {
		is := func(in *session.Instance) bool { return name == "" || paths.EqualFold(in.Key.Name, name) }
		ask.Keep = []session.Keep{{Counters: counters, Match: is}}
	}
	return ask, true
}

// Path is that of the limit's counter, of which Set is one, given that of the limited counter.
func (l *Limit) Path(limited paths.Path) paths.Path {
	p := paths.Path{Object: l.Set.Name, Counter: l.Set.Counters[l.Counter].Name}
	switch {
	case l.Instance != "":
		p.HasInstance, p.Instance = true, l.Instance
	case l.Set.Instances.Multiple():
		limited.Object, limited.Counter = p.Object, p.Counter
		return limited
	}
	return p
}

// IsOf tells whether the counter's instance of a key limits another one.
func (l *Limit) IsOf(key, limited session.InstanceKey) bool {
	switch {
	case !l.Set.Instances.Multiple():
		return true
	case l.Instance == "":
		return key == limited
	}
	return key.Parent == "" && paths.EqualFold(key.Name, l.Instance)
}

// place is where the limit of an instance stands in a snapshot; row or col is -1 if it
// does not.
func (l *Limit) place(snap *session.Snapshot, key session.InstanceKey) (view *session.SetView, row, col int) {
	view = snap.Set(l.Set)
	if view == nil {
		return nil, -1, -1
	}
	col = view.Column(l.Counter)
	switch {
	case !l.Set.Instances.Multiple():
		return view, min(0, len(view.Rows)-1), col
	case l.Instance == "":
		return view, view.Find(key, -1), col
	}
	for i := range view.Rows {
		if l.IsOf(view.Rows[i].Key, key) {
			return view, i, col
		}
	}
	return view, -1, col
}

// Value is what the limit's counter is for an instance in the newest sample.
func (l *Limit) Value(snap *session.Snapshot, key session.InstanceKey) cooker.Value {
	if l.Set == nil {
		return cooker.FloatValue(l.Number)
	}
	view, row, col := l.place(snap, key)
	if row < 0 || col < 0 {
		return cooker.Absent(view.Lack())
	}
	return view.Value(row, col)
}

// IsLifted tells that the limit's counter says of an instance that nothing limits it, as the
// bandwidth of an interface that has none.
func (l *Limit) IsLifted(snap *session.Snapshot, key session.InstanceKey) bool {
	given := l.Value(snap, key)
	n, ok := given.Float()
	return l.Set != nil && (ok && n <= 0 || given.Status() == cooker.Unavailable)
}

// Series is the history of the limit's counter, as far as it is kept.
func (l *Limit) Series(snap *session.Snapshot, key session.InstanceKey) (s session.Series) {
	if l.Set == nil {
		return s
	}
	if view, row, col := l.place(snap, key); row >= 0 && col >= 0 {
		s = view.Series(row, col)
	}
	return s
}

// of is the limit of a value, and the share that the value is of it in percent.
func (l *Limit) of(v float64, known bool, given cooker.Value) (limit, share float64) {
	limit, share = l.Number, math.NaN()
	if l.Set != nil {
		g, ok := given.Float()
		if !ok {
			return math.NaN(), share
		}
		if !l.IsShare || known {
			limit = l.number(v, g)
		}
		if l.IsShare {
			share = g
		}
	}
	if known && !l.IsShare && limit == limit {
		share = v / limit * percentLimit
	}
	return limit, share
}

// number is the limit of a value, NaN where there is none: a bandwidth of 0, or nothing
// of something that is not known.
func (l *Limit) number(v, given float64) float64 {
	n := given * l.Factor
	if l.IsShare {
		n = v / given * percentLimit
	}
	if !(n > 0) || math.IsInf(n, 0) {
		return math.NaN()
	}
	return n
}
