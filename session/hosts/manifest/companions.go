package manifest

import (
	"fmt"

	"perfdeck/cooker"
)

// companion is an attribute that names another counter of the set by its id.
type companion struct {
	attribute string
	word      string // for people
	id        func(*Counter) Number
	// need is what a type wants of it (MS-PCQ 2.2.4.2).
	need func(cooker.TypeInfo) need
}

// need is what a counter type wants of a companion.
type need struct {
	takes    bool
	optional bool
	is       cooker.CounterType // type of the companion
}

// companions are the attributes in the order of PERF_COUNTER_REG_INFO.
var companions = [...]companion{
	{"baseID", "base", func(c *Counter) Number { return c.BaseID }, needBase},
	{"perfTimeID", "perfTime", func(c *Counter) Number { return c.PerfTimeID }, needClock},
	{"perfFreqID", "perfFreq", func(c *Counter) Number { return c.PerfFreqID }, needClock},
	{"multiCounterID", "multi", func(c *Counter) Number { return c.MultiCounterID }, needMulti},
}

// needBase is the table of BaseCounterId. The specification describes
// PERF_PRECISION_OBJECT_TIMER without a base; winperf.h has one.
func needBase(t cooker.TypeInfo) need {
	takes := t.Base == cooker.BaseDivisor || t.Base == cooker.BaseClock
	return need{takes, t.Type == cooker.PrecisionObjectTimer, t.BaseType}
}

// needClock is the lists of PerfTimeId and PerfFreqId.
func needClock(t cooker.TypeInfo) need {
	return need{t.Clock == cooker.ClockObject, false, cooker.CounterLargeRawCount}
}

// needMulti is the list of MultiId.
func needMulti(t cooker.TypeInfo) need {
	return need{t.Base == cooker.BaseMulti, false, cooker.CounterRawCount}
}

// checkCompanions looks at the companions of each counter of a set.
func (r *reader) checkCompanions(set *openSet) {
	byID := make(map[uint32]*Counter, len(set.Counters))
	for _, c := range set.Counters {
		if _, twice := byID[c.ID.Value]; c.ID.Set && !twice {
			byID[c.ID.Value] = c
		}
	}
	for i, c := range set.Counters {
		if !c.HasType {
			continue
		}
		info, _ := c.Type.Info()
		for k := range companions {
			at := set.counters[i].companions[k]
			given := at != set.counters[i].element
			if f, bad := companions[k].check(c, info, given, set.whole, byID); bad {
				r.fail(at, f)
			}
		}
	}
}

// check says what is wrong with one companion of a counter. A set that was not
// read to its end may hold the companion where nothing could be read.
func (k *companion) check(c *Counter, info cooker.TypeInfo, given, whole bool, byID map[uint32]*Counter) (f finding, bad bool) {
	n := k.need(info)
	id := k.id(c)
	switch {
	case !n.takes && given:
		return finding{RuleCompanionForeign, info.ManifestName + " takes no " + k.attribute, "remove it"}, true
	case n.takes && !given && !n.optional:
		return finding{RuleCompanionMissing, info.ManifestName + " needs a " + k.attribute, "the id of a counter of type " + typeName(n.is)}, true
	case !n.takes || !id.Set: // an unreadable number was reported
		return finding{}, false
	}
	other, ok := byID[id.Value]
	switch {
	case !ok && whole:
		return finding{RuleCompanionUnknown, fmt.Sprintf("%s: the counterSet has no counter of id %d", k.attribute, id.Value), "the id of a counter of type " + typeName(n.is)}, true
	case ok && other.HasType && other.Type != n.is:
		return finding{RuleCompanionType, fmt.Sprintf("%s: counter %d is %s", k.attribute, id.Value, other.TypeName), info.ManifestName + " needs " + typeName(n.is)}, true
	}
	return finding{}, false
}
