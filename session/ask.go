package session

import (
	"slices"
	"time"
)

// Ask is what a consumer wants to see of one counterset.
type Ask struct {
	Set      *Counterset
	Counters []int // indices in Set.Counters
	Keep     []Keep
	Facts    FactWant
	Combine  []Combine
}

// Keep says of which instances history is kept. The rules of an Ask add up.
type Keep struct {
	Counters []int                // indices in Set.Counters
	Match    func(*Instance) bool // these instances
	Rows     []InstanceKey        // and these
	Busiest  int                  // and so many with the highest value
	By       int                  // of this counter (index in Set.Counters)
}

// mergeAsks joins asks of the same counterset, so that each is read and kept
// once.
func mergeAsks(asks []Ask) []Ask {
	var out []Ask
	for _, a := range asks {
		i := slices.IndexFunc(out, func(o Ask) bool { return o.Set == a.Set })
		if i < 0 {
			a.Counters = sortedUnion(nil, a.Counters)
			a.Keep, a.Combine = slices.Clone(a.Keep), slices.Clone(a.Combine)
			out = append(out, a)
			continue
		}
		o := &out[i]
		o.Counters = sortedUnion(o.Counters, a.Counters)
		o.Keep = append(o.Keep, a.Keep...)
		o.Combine = append(o.Combine, a.Combine...)
		o.Facts = mergeFacts(o.Facts, a.Facts)
	}
	return out
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
	merged := mergeAsks(all)
	wants := make([]Want, len(merged))
	for i, a := range merged {
		wants[i] = Want{Set: a.Set, Counters: a.Counters, Facts: a.Facts, Every: every}
	}
	return wants
}

// MinInterval is the shortest interval that is sampled.
const MinInterval = 100 * time.Millisecond
