package pane

import (
	"errors"
	"fmt"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// CombineKey makes one row of those that are marked, on every screen that has rows of
// instances.
const CombineKey = "&"

// ErrTooFew is why rows cannot become one.
var ErrTooFew = errors.New("mark two instances or more with space")

// combineFunctions are what instances become one by.
var combineFunctions = [...]cooker.AggregateFunc{cooker.AggregateTotal, cooker.AggregateAverage, cooker.AggregateMin, cooker.AggregateMax}

// Mergeable are the instances of some that can become one row: no totals and no rows
// that were made.
func Mergeable(some []session.Instance) (out []session.Instance) {
	var all session.Combine
	for i := range some {
		if all.Includes(&some[i]) {
			out = append(out, some[i])
		}
	}
	return out
}

// CombineMenu asks by which function instances become one row. What the counters say
// (MS-PCQ 2.2.4.2, AggregateFunc) stands first: of one counter its function, of
// several each its own. Do gets the name of the row.
func CombineMenu(desk *Desk, instances []session.Instance, counters []*session.Counter, do func(name string)) {
	choose := func(f cooker.AggregateFunc) func() {
		return func() {
			name := session.CombinationName(f, instances)
			if len(name) > paths.MaxName {
				desk.Say("their names are too long for one path: mark fewer")
				return
			}
			do(name)
		}
	}
	m := OpenMenu{Title: fmt.Sprintf("One row of %d instances", len(instances))}
	own := cooker.AggregateNone // of the only counter
	if len(counters) == 1 {
		own = counters[0].Aggregate
	}
	for _, c := range counters {
		if len(counters) > 1 && c.Aggregate != cooker.AggregateNone {
			m.Items = append(m.Items, MenuItem{Text: "aggregate: each counter as it says itself", Do: choose(cooker.AggregateNone)})
			break
		}
	}
	if own != cooker.AggregateNone {
		m.Items = append(m.Items, MenuItem{Text: own.String() + ": what the counter says itself", Do: choose(own)})
	}
	for _, f := range combineFunctions {
		if f != own {
			m.Items = append(m.Items, MenuItem{Text: f.String(), Do: choose(f)})
		}
	}
	desk.Send(m)
}
