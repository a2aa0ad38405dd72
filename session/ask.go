package session

import (
	"slices"
	"time"
)

// Ask is what a consumer wants to see of one counterset.
type Ask struct {
	Set      *Counterset
	Counters []int  // indices in Set.Counters
	Of       []Part // by counter; nil: all instances
	Keep     []Keep
	Facts    FactWant
	Combine  []Combine
	Leads    []Lead // the instances that lead are enough; nil: all are wanted
	Seldom   bool   // nobody looks at it now: see Want
}

// Part is of which instances a counter is wanted. A source for which each costs
// something may leave the others out, or leave out what they have of the counter.
type Part uint8

// The parts of a counterset.
const (
	AllInstances  Part = iota
	Members            // without flags: no total, not Idle, none of the system's own
	TotalInstance      // _Total
)

// OnlyOf gives all counters of an ask the same part.
func (a *Ask) OnlyOf(p Part) {
	a.Of = slices.Repeat([]Part{p}, len(a.Counters))
}

// partOf is of which instances the counter at i is wanted.
func partOf(of []Part, i int) Part {
	if of == nil {
		return AllInstances
	}
	return of[i]
}

// Keep says of which instances history is kept. The rules of an Ask add up.
type Keep struct {
	Counters []int                // indices in Set.Counters
	Match    func(*Instance) bool // these instances
	Rows     []InstanceKey        // and these
	Busiest  int                  // and so many with the highest value
	By       int                  // of this counter (index in Set.Counters)
	Recent   bool                 // and the last minute of all, which SetView.Recent gives
}

// sameAsk tells whether two asks are known to mean the same. Functions are compared over rows,
// where those are all that there can be.
func sameAsk(a, b Ask, rows []Instance) bool {
	return a.Set == b.Set && slices.Equal(a.Counters, b.Counters) && slices.Equal(a.Of, b.Of) && sameFacts(a.Facts, b.Facts) && a.Seldom == b.Seldom &&
		slices.Equal(a.Leads, b.Leads) && slices.EqualFunc(a.Keep, b.Keep, func(a, b Keep) bool { return sameKeep(a, b, rows) }) &&
		slices.EqualFunc(a.Combine, b.Combine, func(a, b Combine) bool { return a.same(&b, rows) })
}

func sameKeep(a, b Keep, rows []Instance) bool {
	return sameMatch(a.Match, b.Match, rows) && a.Busiest == b.Busiest && a.By == b.By && a.Recent == b.Recent &&
		slices.Equal(a.Counters, b.Counters) && slices.Equal(a.Rows, b.Rows)
}

func sameMatch(a, b func(*Instance) bool, rows []Instance) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return rows != nil && !slices.ContainsFunc(rows, func(in Instance) bool { return a(&in) != b(&in) })
}

func sameFacts(a, b FactWant) bool {
	return a.All == b.All && slices.Equal(a.Keys, b.Keys) && slices.Equal(a.Rows, b.Rows)
}

// sameWant tells whether two wants have a query do the same.
func sameWant(a, b Want) bool {
	return a.Set == b.Set && a.Every == b.Every && a.Seldom == b.Seldom && slices.Equal(a.Counters, b.Counters) && slices.Equal(a.Of, b.Of) &&
		slices.Equal(a.Leads, b.Leads) && sameFacts(a.Facts, b.Facts)
}

// cloneAsks copies asks with all that the caller may use for something else.
func cloneAsks(asks []Ask) []Ask {
	out := slices.Clone(asks)
	for i := range out {
		a := &out[i]
		a.Counters, a.Of = slices.Clone(a.Counters), slices.Clone(a.Of)
		a.Facts.Keys, a.Facts.Rows = slices.Clone(a.Facts.Keys), slices.Clone(a.Facts.Rows)
		a.Keep, a.Combine, a.Leads = slices.Clone(a.Keep), slices.Clone(a.Combine), slices.Clone(a.Leads)
		for k := range a.Keep {
			a.Keep[k].Counters, a.Keep[k].Rows = slices.Clone(a.Keep[k].Counters), slices.Clone(a.Keep[k].Rows)
		}
	}
	return out
}

// MergeAsks joins asks of the same counterset, so that each is read and kept
// once.
func MergeAsks(asks []Ask) []Ask {
	var out []Ask
	for _, a := range asks {
		i := slices.IndexFunc(out, func(o Ask) bool { return o.Set == a.Set })
		if i < 0 {
			a.Counters, a.Of = unionOf(nil, nil, a.Counters, a.Of)
			a.Keep, a.Combine, a.Leads = slices.Clone(a.Keep), slices.Clone(a.Combine), slices.Clone(a.Leads)
			out = append(out, a)
			continue
		}
		o := &out[i]
		o.Counters, o.Of = unionOf(o.Counters, o.Of, a.Counters, a.Of)
		o.Keep = append(o.Keep, a.Keep...)
		o.Combine = append(o.Combine, a.Combine...)
		o.Facts = mergeFacts(o.Facts, a.Facts)
		o.Leads = mergeLeads(o.Leads, a.Leads)
		o.Seldom = o.Seldom && a.Seldom
	}
	return out
}

// mergeLeads joins the instances that lead by each counter: all, where one wants all.
func mergeLeads(a, b []Lead) []Lead {
	if a == nil || b == nil {
		return nil
	}
	for _, l := range b {
		if i := slices.IndexFunc(a, func(o Lead) bool { return o.By == l.By }); i >= 0 {
			a[i].Rows = max(a[i].Rows, l.Rows)
		} else {
			a = append(a, l)
		}
	}
	return a
}

func mergeFacts(a, b FactWant) FactWant {
	for _, k := range b.Keys {
		if !slices.Contains(a.Keys, k) {
			a.Keys = append(slices.Clip(a.Keys), k)
		}
	}
	a.Rows = append(slices.Clip(a.Rows), b.Rows...)
	a.All = a.All || b.All
	return a
}

// unionOf joins counters with the parts they are wanted of: of all instances where two
// want different ones.
func unionOf(a []int, aOf []Part, b []int, bOf []Part) ([]int, []Part) {
	out := sortedUnion(a, b)
	if aOf == nil && bOf == nil {
		return out, nil
	}
	of := make([]Part, len(out))
	given := make([]bool, len(out))
	add := func(counters []int, parts []Part) {
		for i, c := range counters {
			at, _ := slices.BinarySearch(out, c)
			if part := partOf(parts, i); !given[at] {
				of[at], given[at] = part, true
			} else if of[at] != part {
				of[at] = AllInstances
			}
		}
	}
	add(a, aOf)
	add(b, bOf)
	if !slices.ContainsFunc(of, func(p Part) bool { return p != AllInstances }) {
		of = nil
	}
	return out, of
}

func sortedUnion(a, b []int) []int {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// mergeWants joins what the feeds of one interval ask for into the wants of one
// collection.
func mergeWants(every time.Duration, feeds []*Feed) []Want {
	var all []Ask
	for _, f := range feeds {
		all = append(all, f.asks...)
	}
	return wantsOf(every, MergeAsks(all))
}

// wantsOf are what a query has to read for asks.
func wantsOf(every time.Duration, asks []Ask) []Want {
	wants := make([]Want, len(asks))
	for i, a := range asks {
		wants[i] = Want{Set: a.Set, Counters: a.Counters, Of: a.Of, Facts: a.Facts, Leads: a.Leads, Every: every, Seldom: a.Seldom}
	}
	return wants
}

// MinInterval is the shortest interval that is sampled.
const MinInterval = 100 * time.Millisecond
