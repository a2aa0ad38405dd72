package pcq

import (
	"errors"
	"fmt"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

func TestOnlyWhatIsDueIsRead(t *testing.T) {
	r := newRig(t, memorySet(), diskSet())
	read := map[perflib.GUID]int{}
	r.host.block = func(_ *perflib.DataWriter, id *perflib.Identifier) bool {
		read[id.Counterset]++
		return false
	}
	r.selects(r.want("Memory", 0), r.want("Disk", 0))
	r.collect()
	r.collect(true, true)
	if len(r.host.handles) != 1 || read[guidOf(1)] != 2 || read[guidOf(2)] != 2 {
		t.Fatalf("%d handles, %v", len(r.host.handles), read)
	}
	b := r.collect(true, false)
	if len(r.host.handles) != 2 || read[guidOf(1)] != 3 || read[guidOf(2)] != 2 {
		t.Errorf("%d handles, %v", len(r.host.handles), read)
	}
	if len(b.Sets[0].Readings) != 1 || len(b.Sets[1].Readings) != 0 || b.Sets[1].Err != nil {
		t.Errorf("%+v", b.Sets)
	}
	b = r.collect(false, true)
	if len(b.Sets[0].Readings) != 0 || len(b.Sets[1].Readings) != 3 || read[guidOf(1)] != 3 {
		t.Errorf("%+v %v", b.Sets, read)
	}
	calls := r.host.calls["data"]
	r.collect(false, false)
	if r.host.calls["data"] != calls {
		t.Error("read though nothing was due")
	}
	r.selects(r.want("Memory", 0)) // the other handle is given back
	if len(r.host.handles) != 1 {
		t.Errorf("%d handles", len(r.host.handles))
	}
}

func TestHostWithoutMoreHandles(t *testing.T) {
	h := &host{sets: []*hostSet{memorySet(), diskSet()}, most: 1}
	r := rigWith(t, h, Options{})
	r.selects(r.want("Memory", 0), r.want("Disk", 0))
	for range 3 {
		b := r.collect(true, false)
		if len(b.Sets[0].Readings) != 1 || len(b.Sets[1].Readings) != 0 {
			t.Errorf("%+v", b.Sets)
		}
	}
	if h.calls["open"] != 2 {
		t.Errorf("%d handles asked for", h.calls["open"])
	}
	r.selects(r.want("Disk", 0))
	if b := r.collect(); len(b.Sets[0].Readings) != 3 {
		t.Errorf("%+v", b.Sets)
	}
}

func TestHandlesAreDealtOutAnewWhenTheyRunOut(t *testing.T) {
	const most = maxHandles + 2
	var sets []*hostSet
	for i := range most {
		sets = append(sets, hostOf(byte(i), fmt.Sprint("Set ", i), session.SingleInstance, hostCounter(1, cooker.CounterRawCount)))
	}
	r := newRig(t, sets...)
	var wants []session.Want
	for i := range most {
		wants = append(wants, r.want(fmt.Sprint("Set ", i), 0))
	}
	due := func(is func(i int) bool) []bool {
		list := make([]bool, most)
		for i := range list {
			list[i] = is(i)
		}
		return list
	}
	r.selects(wants...)
	for one := range most {
		b := r.collect(due(func(i int) bool { return i == one })...)
		for i := range b.Sets {
			if got := len(b.Sets[i].Readings); got != map[bool]int{true: 1}[i == one] {
				t.Errorf("%d due: %d readings of %d", one, got, i)
			}
		}
	}
	if n := len(r.host.handles); n != maxHandles {
		t.Errorf("%d handles", n)
	}
	r.selects(wants...)
	r.collect(due(func(i int) bool { return i%2 == 0 })...)
	r.collect(due(func(i int) bool { return i%2 == 1 })...)
	if n := len(r.host.handles); n != 2 {
		t.Errorf("%d handles for two intervals", n)
	}
}

func TestSameSetAtTwoIntervals(t *testing.T) {
	r := newRig(t, diskSet())
	r.selects(r.want("Disk", 0), r.want("Disk", 0, 3))
	for _, due := range [][]bool{{true, true}, {true, false}, {false, true}, {true, true}} {
		b := r.collect(due...)
		for i := range b.Sets {
			if got := len(b.Sets[i].Instances) == 3; got != due[i] {
				t.Errorf("%v: set %d read: %t", due, i, got)
			}
			for row := range b.Sets[i].Instances {
				if b.Sets[i].Row(row)[0].Raw != 10_000+uint64(row) {
					t.Errorf("%+v", b.Sets[i].Row(row))
				}
			}
		}
	}
}

func TestSelectAddsAndRemovesTheDifference(t *testing.T) {
	r := newRig(t, memorySet(), diskSet())
	r.selects(r.want("Memory", 0), r.want("Disk", 0))
	add := r.host.calls["add"]
	r.selects(r.want("Disk", 0), r.want("Memory", 0)) // the same
	if r.host.calls["add"] != add || r.host.calls["remove"] != 0 {
		t.Errorf("%v", r.host.calls)
	}
	r.selects(r.want("Disk", 3), r.want("Memory", 0))
	b := r.collect()
	if r.host.calls["remove"] != 1 || b.Sets[0].Row(0)[0].Raw != 13_000 || b.Sets[1].Row(0)[0].Raw != 1000 {
		t.Errorf("%v %+v", r.host.calls, b.Sets)
	}
	r.selects()
	for _, q := range r.host.handles {
		if len(q.ids) != 0 {
			t.Errorf("%d identifiers left", len(q.ids))
		}
	}
}

func TestFailedCallEndsTheConnectionAndTheNextOpenDials(t *testing.T) {
	for _, op := range []string{"open", "add", "info", "data"} {
		r := newRig(t, memorySet())
		failing := op
		r.host.fail = func(o string) error {
			if o == failing {
				return &rpc.Error{Op: "call", Host: "web01", Code: rpc.FaultContextMismatch}
			}
			return nil
		}
		run := func() error {
			q, err := r.source.Open(t.Context())
			if err != nil {
				return err
			}
			r.query = q
			if err := q.Select(t.Context(), []session.Want{r.want("Memory", 0)}); err != nil {
				return err
			}
			return q.Collect(t.Context(), &r.batch)
		}
		err := run()
		var he *session.HostError
		if !errors.As(err, &he) || he.Op != "call" || he.Hint() == "" || rpc.CodeOf(err) != rpc.FaultContextMismatch || r.host.closed != 1 {
			t.Errorf("%s: %v, %d closed", op, err, r.host.closed)
		}
		failing = ""
		if err := run(); err != nil || r.host.dials != 2 || len(r.batch.Sets[0].Readings) != 1 {
			t.Errorf("%s: %v, %d dials", op, err, r.host.dials)
		}
	}
}

func TestErrorTextNamesHostAndOperationOnce(t *testing.T) {
	h := &host{fail: func(string) error {
		return &rpc.Error{Op: "log on", Host: "web01", Code: rpc.CodeAccessDenied}
	}}
	_, err := New(Options{Reach: Reach{Host: "web01", Dial: h.dial}}).Open(t.Context())
	if want := "web01: log on: ERROR_ACCESS_DENIED (0x5)"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestCloseGivesTheHandlesBack(t *testing.T) {
	r := newRig(t, memorySet(), diskSet())
	r.selects(r.want("Memory", 0), r.want("Disk", 0))
	r.collect(true, false)
	if err := r.query.Close(); err != nil || len(r.host.handles) != 0 || r.host.closed != 0 {
		t.Errorf("%v, %d handles, %d connections closed", err, len(r.host.handles), r.host.closed)
	}
	if err := r.source.Close(); err != nil || r.host.closed != 1 {
		t.Errorf("%v, %d connections closed", err, r.host.closed)
	}
}
