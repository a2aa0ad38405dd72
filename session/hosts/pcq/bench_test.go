package pcq

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
)

// benchDecode reads one reply over and over, as after a call that takes no time.
func benchDecode(b *testing.B, blocks, cells int, counters int, sets ...*hostSet) {
	h := &host{sets: sets}
	src := New(Options{Reach: Reach{Host: "h", Dial: h.dial}})
	cat, err := src.Catalogue(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	var wants []session.Want
	for _, set := range cat.Sets {
		w := session.Want{Set: set}
		for i := range counters {
			w.Counters = append(w.Counters, i)
		}
		wants = append(wants, w)
	}
	opened, err := src.Open(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	var batch session.Batch
	q := opened.(*query)
	if err := q.Select(context.Background(), wants); err != nil {
		b.Fatal(err)
	}
	if err := q.Collect(context.Background(), &batch); err != nil {
		b.Fatal(err)
	}
	hd := q.handles[0]
	data := slices.Clone(hd.data)
	if len(hd.order) != blocks {
		b.Fatalf("%d blocks", len(hd.order))
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		clocks := hd.read(data)
		batch.Fit(q.wanted)
		n := 0
		for _, w := range hd.wants {
			w.fill(&batch.Sets[w.index], clocks)
			n += len(batch.Sets[w.index].Readings)
		}
		if n != cells {
			b.Fatalf("%d readings", n)
		}
	}
}

// manyCounters is a set of which n counters are wanted and as many not, so that
// each is asked for by itself.
func manyCounters(n int, kind session.InstanceType) *hostSet {
	var counters []perflib.CounterInfo
	for i := range 4 * n {
		counters = append(counters, hostCounter(uint32(i), cooker.CounterLargeRawCount))
	}
	return hostOf(1, "Many", kind, counters...)
}

func manyInstances(n int) []perflib.Instance {
	out := make([]perflib.Instance, n)
	for i := range out {
		out[i] = perflib.Instance{ID: uint32(i), Name: perflib.EncodeText("instance " + strconv.Itoa(i))}
	}
	return out
}

func BenchmarkDecode20000CounterBlocks(b *testing.B) {
	benchDecode(b, 20_000, 20_000, 20_000, manyCounters(20_000, session.SingleInstance))
}

func BenchmarkDecode20000WildcardBlocks(b *testing.B) {
	s := manyCounters(20_000, session.MultipleInstances)
	s.instances = manyInstances(1)
	benchDecode(b, 20_000, 20_000, 20_000, s)
}

func BenchmarkDecodeCounterset2000x10(b *testing.B) {
	s := hostOf(1, "Wide", session.MultipleInstances)
	for i := range 10 {
		s.info.Counters = append(s.info.Counters, hostCounter(uint32(i), cooker.CounterBulkCount))
	}
	s.instances = manyInstances(2000)
	benchDecode(b, 1, 20_000, 10, s)
}
