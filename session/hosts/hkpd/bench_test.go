package hkpd

import (
	"context"
	"strconv"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

// BenchmarkCollect reads 300 processes with 28 counters and 4,000 threads with
// 12, of which a third is wanted, as after a call that takes no time.
func BenchmarkCollect(b *testing.B) {
	h := windows()
	wide := func(o *hostObject, counters int) {
		for i := len(o.counters); i < counters; i++ {
			o.counters = append(o.counters, counterOf(uint32(3000+i), cooker.CounterBulkCount, 8))
		}
	}
	processes, threads := h.object(230), h.object(232)
	wide(processes, 28)
	wide(threads, 12)
	processes.instances, threads.instances = nil, nil
	for i := range uint64(300) {
		processes.instances = append(processes.instances, process("svchost", 100+i, 4))
	}
	for i := range uint64(4000) {
		threads.instances = append(threads.instances, thread(strconv.Itoa(int(i/300)), uint32(i%300), 100+i%300, 10_000+i))
	}
	s := New(Options{Reach: Reach{Host: "h", Dial: h.dial}})
	cat, err := s.Catalogue(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	q, err := s.Open(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	var wants []session.Want
	for _, name := range []string{"Process", "Thread"} {
		w := session.Want{Set: cat.Set(name)}
		for i := 0; i < len(w.Set.Counters); i += 3 {
			w.Counters = append(w.Counters, i)
		}
		wants = append(wants, w)
	}
	if err := q.Select(context.Background(), wants); err != nil {
		b.Fatal(err)
	}
	data := h.answer(dataKey, "230 232 ")
	value := rpc.Value{Data: data}
	h.value = func(string, uint32) *rpc.Value { v := value; return &v }
	var batch session.Batch
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := q.Collect(context.Background(), &batch); err != nil {
			b.Fatal(err)
		}
		if n := len(batch.Sets[1].Instances); n != 4000 || batch.Sets[1].Err != nil {
			b.Fatal(n, batch.Sets[1].Err)
		}
	}
}

// A thousand connections that break leave nothing behind.
func TestReconnectsLeaveNothingBehind(t *testing.T) {
	h := windows()
	r := newRig(t, h, Options{})
	for range 1000 {
		r.query = nil
		r.selects(r.want("Thread"))
		r.beat()
		h.fail = func(string) error { return errCut }
		if err := r.query.Collect(t.Context(), &r.batch); err == nil {
			t.Fatal("no error")
		}
		h.fail = nil
	}
	if h.dials != 1000 || h.closed != 1000 || len(r.source.notes) != 0 {
		t.Errorf("%d dials, %d closed, notes of %d queries", h.dials, h.closed, len(r.source.notes))
	}
}
