package session_test

import (
	"errors"
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
)

// A combination goes through the text of a path, whatever its instances are called.
func TestCombinationInPaths(t *testing.T) {
	set := &session.Counterset{Name: "Process", Instances: session.MultipleInstances, Counters: []session.Counter{
		{ID: 1, Name: "Threads", Type: cooker.CounterRawCount}, {ID: 2, Name: "Handles", Type: cooker.CounterRawCount, Aggregate: cooker.AggregateMax},
	}}
	cat := &session.Catalogue{Sets: []*session.Counterset{set}}
	in := func(parent, name string, index uint32) session.Instance {
		return session.Instance{Key: session.InstanceKey{Parent: parent, Name: name}, Index: index}
	}
	all := []session.Instance{
		in("", "w3wp", 0), in("", "w3wp", 1), in("sqlservr", "0", 0), in("", "a|b", 0), in("", "x (1)", 0), in("", "C:\\pagefile.sys", 0), in("", "0,1", 0),
		in("", "idle of all", 0), in("", "total of", 0), in("", "*", 0),
	}
	other := []session.Instance{in("", "W3WP", 2), in("", "0", 0), in("", "c", 0), in("sqlservr", "1", 0)}
	members := all[:len(all)-1] // a star means anything
	for _, f := range []cooker.AggregateFunc{cooker.AggregateNone, cooker.AggregateTotal, cooker.AggregateAverage, cooker.AggregateMin, cooker.AggregateMax} {
		name := session.CombinationName(f, members)
		made := session.Instance{Key: session.InstanceKey{Name: name}, Flags: session.FlagTotal | session.FlagCombined}
		text := session.PathOf("", set, 0, &made).String()
		found, err := cat.Resolve(text, paths.Options{})
		if err != nil || len(found) != 1 || found[0].Combine == nil || found[0].Combine.Name != name || found[0].IsWild() || !found[0].Matches(&made) {
			t.Fatalf("%s: %+v, %v", text, found, err)
		}
		c := found[0].Combine
		if got := c.Aggregator(&set.Counters[1]).Func; f == cooker.AggregateNone && got != cooker.AggregateMax || f != cooker.AggregateNone && got != f {
			t.Errorf("%s: made by %v", text, got)
		}
		for i := range members {
			if !c.TakesPart(&members[i]) || found[0].Matches(&members[i]) {
				t.Errorf("%s: %+v is no part of it", text, members[i])
			}
		}
		for i := range other {
			if c.TakesPart(&other[i]) {
				t.Errorf("%s: %+v is part of it", text, other[i])
			}
		}
		if c.TakesPart(&made) || len(session.MembersOf(name)) != len(members) {
			t.Errorf("%s: %q", text, session.MembersOf(name))
		}
	}
	for _, name := range []string{"", "w3wp", "total of ", "total", "totalof a", "sum of a", "idle of all", "undefined of a", " of a"} {
		if c, ok := session.CombineNamed(name); ok {
			t.Errorf("%q is %+v", name, c)
		}
	}
	if c, ok := session.CombineNamed("TOTAL of a|b"); !ok || *c.Func != cooker.AggregateTotal || !slices.Equal(session.MembersOf("TOTAL of a|b"), []string{"a", "b"}) {
		t.Error("the case of the function tells")
	}
}

// What has no function of its own needs one that is named, but where the host may
// combine.
func TestCombinationWithoutFunction(t *testing.T) {
	for kind, want := range map[session.InstanceType]bool{session.MultipleInstances: true, session.GlobalAggregate: false} {
		set := &session.Counterset{Name: "S", Instances: kind, Counters: []session.Counter{{ID: 1, Name: "C", Type: cooker.CounterRawCount}}}
		cat := &session.Catalogue{Sets: []*session.Counterset{set}}
		for path, lacks := range map[string]bool{`\S(_Aggregate)\C`: want, `\S(aggregate of a|b)\C`: want, `\S(total of a|b)\C`: false, `\S(a)\C`: false} {
			found, err := session.Question{Text: path}.Resolve(cat, paths.Options{})
			if _, got := errors.AsType[*session.NoFunctionError](err); got != lacks || got != (len(found) == 0) {
				t.Errorf("%#x, %s: %+v, %v", uint32(kind), path, found, err)
			}
		}
	}
}
