package pcq

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// manySets are sets of one counter.
func manySets(n int) []*hostSet {
	var sets []*hostSet
	for i := range n {
		sets = append(sets, hostOf(byte(i+1), fmt.Sprintf("Set %d", i), session.SingleInstance, hostCounter(1, cooker.CounterRawCount)))
	}
	return sets
}

// spoiled lets QueryCounterData fail, in a way, as long as a set of these is asked.
func spoiled(h *host, how func() rpc.Array, bad ...int) {
	h.spoil = func(ids []perflib.Identifier) *rpc.Array {
		for _, n := range bad {
			if slices.ContainsFunc(ids, func(id perflib.Identifier) bool { return id.Counterset == guidOf(byte(n+1)) }) {
				a := how()
				return &a
			}
		}
		return nil
	}
}

func failedSets(b *session.Batch) (bad []int) {
	for i := range b.Sets {
		if b.Sets[i].Err != nil {
			bad = append(bad, i)
		}
	}
	return bad
}

// Sets that make the whole answer fail are told alone: the others are read in the
// same collection, over the same connection, and these again after a while.
func TestFailingSetsNeverFailACollect(t *testing.T) {
	code := func() rpc.Array { return rpc.Array{Code: rpc.CodeInvalidRegInfo} }
	for _, c := range []struct {
		label string
		sets  int
		bad   []int
		how   func() rpc.Array
		most  int // readings of the first collection
	}{
		{"one", 20, []int{13}, code, 10},
		{"the first", 20, []int{0}, code, 11},
		{"several", 20, []int{2, 3, 19}, code, 25},
		{"all", 4, []int{0, 1, 2, 3}, code, 9},
		{"alone", 1, []int{0}, code, 2},
		{"no header", 20, []int{7}, func() rpc.Array { return rpc.Array{Data: []byte{1, 2, 3}} }, 12},
		{"empty", 20, []int{7}, func() rpc.Array { return rpc.Array{} }, 12},
		{"oversized", 20, []int{7}, func() rpc.Array { return rpc.Array{Code: rpc.CodeNotEnoughMemory, Needed: 1 << 31} }, 12},
		{"looping", 6, []int{4}, func() rpc.Array { return rpc.Array{Code: rpc.CodeNotEnoughMemory, Needed: 1} }, 5 * maxGrowth},
	} {
		t.Run(c.label, func(t *testing.T) {
			r := newRig(t, manySets(c.sets)...)
			var wants []session.Want
			for i := range c.sets {
				wants = append(wants, r.want(fmt.Sprintf("Set %d", i), 0))
			}
			r.selects(wants...)
			spoiled(r.host, c.how, c.bad...)
			check := func(bad []int) {
				t.Helper()
				b := r.collect()
				if got := failedSets(b); !slices.Equal(got, bad) {
					t.Fatalf("%v fail, want %v: %v", got, bad, b.Sets)
				}
				for i := range b.Sets {
					if s := &b.Sets[i]; s.Err == nil && (len(s.Readings) != 1 || s.Readings[0].Raw != 1000 || s.Clocks.PerfFreqHz == 0) {
						t.Errorf("set %d: %+v", i, s)
					} else if s.Err != nil && !strings.Contains(s.Err.Error(), "read counters: ") {
						t.Error(s.Err)
					}
				}
			}
			calls := func() int { return r.host.calls["data"] }
			check(c.bad)
			if calls() > c.most || r.host.closed != 0 {
				t.Errorf("%d readings, %d connections closed", calls(), r.host.closed)
			}
			before := calls()
			check(c.bad)
			if calls() > before+1 {
				t.Errorf("%d readings while nothing changes", calls()-before)
			}
			r.now = r.now.Add(retryRefused) // it still fails
			check(c.bad)
			r.now = r.now.Add(retryRefused / 2)
			r.host.spoil = nil
			check(c.bad)
			r.now = r.now.Add(retryRefused / 2)
			check(nil)
			if r.host.dials != 1 || len(r.host.handles) != 1 {
				t.Errorf("%d dials, %d handles", r.host.dials, len(r.host.handles))
			}
		})
	}
}

// Another set that begins to fail is found beside one that fails for long; many that
// fail cost a bounded number of calls each time, and good ones are found.
func TestFailingSetsAreFoundInTheEnd(t *testing.T) {
	const n = 120
	r := newRig(t, manySets(n)...)
	var wants []session.Want
	for i := range n {
		wants = append(wants, r.want(fmt.Sprintf("Set %d", i), 0))
	}
	r.selects(wants...)
	code := func() rpc.Array { return rpc.Array{Code: rpc.CodeOutOfMemory} }
	spoiled(r.host, code, 5)
	r.collect()
	spoiled(r.host, code, 5, 6)
	if got := failedSets(r.collect()); !slices.Equal(got, []int{5, 6}) {
		t.Errorf("%v", got)
	}
	r.now = r.now.Add(retryRefused)
	spoiled(r.host, code, 6, 7)
	if got := failedSets(r.collect()); !slices.Equal(got, []int{6, 7}) {
		t.Errorf("%v", got)
	}
	var bad []int
	for i := 0; i < n; i += 3 {
		bad = append(bad, i)
	}
	spoiled(r.host, code, bad...)
	r.now = r.now.Add(retryRefused)
	var got []int
	for range 12 {
		before := r.host.calls["data"]
		got = failedSets(r.collect())
		if calls := r.host.calls["data"] - before; calls > mostSifted+2 {
			t.Fatalf("%d readings in one collection", calls)
		}
		r.now = r.now.Add(time.Second)
	}
	if !slices.Equal(got, bad) {
		t.Errorf("%v fail, want %v", got, bad)
	}
}

// A search that takes long goes on with the next collection.
func TestSlowFailuresHoldUpNobody(t *testing.T) {
	r := newRig(t, manySets(20)...)
	var wants []session.Want
	for i := range 20 {
		wants = append(wants, r.want(fmt.Sprintf("Set %d", i), 0))
	}
	r.selects(wants...)
	spoiled(r.host, func() rpc.Array {
		r.now = r.now.Add(3 * time.Second)
		return rpc.Array{Code: rpc.CodeOutOfMemory}
	}, 13, 17)
	for range 8 {
		began := r.now
		r.collect()
		if took := r.now.Sub(began); took > siftTime+3*3*time.Second {
			t.Errorf("a collection of %v", took)
		}
		r.now = r.now.Add(100 * time.Millisecond)
	}
	if got := failedSets(r.collect()); !slices.Equal(got, []int{13, 17}) {
		t.Errorf("%v", got)
	}
}

// An answer that fails once takes no set out.
func TestFailureOfAMoment(t *testing.T) {
	for _, n := range []int{1, 2, 7} {
		r := newRig(t, manySets(n)...)
		var wants []session.Want
		for i := range n {
			wants = append(wants, r.want(fmt.Sprintf("Set %d", i), 0))
		}
		r.selects(wants...)
		r.host.spoil = func([]perflib.Identifier) *rpc.Array {
			r.host.spoil = nil
			return &rpc.Array{Code: rpc.CodeOutOfMemory}
		}
		if got := failedSets(r.collect()); len(got) > 0 {
			t.Errorf("of %d sets %v fail", n, got)
		}
	}
}

// A host that refuses to add sets together takes those that it can.
func TestRefusedTogetherAddedOneByOne(t *testing.T) {
	r := newRig(t, manySets(3)...)
	r.host.validate = func(ids []perflib.Identifier) rpc.Code {
		if slices.ContainsFunc(ids, func(id perflib.Identifier) bool { return id.Counterset == guidOf(2) }) {
			return rpc.CodeInvalidParameter
		}
		return rpc.CodeOK
	}
	r.selects(r.want("Set 0", 0), r.want("Set 1", 0), r.want("Set 2", 0))
	if got := failedSets(r.collect()); !slices.Equal(got, []int{1}) {
		t.Errorf("%v", got)
	}
}
