package perflib_test

import (
	"strconv"
	"testing"

	"perfdeck/cooker"
	. "perfdeck/session/wire/perflib"
	"perfdeck/session/wire/perflib/perflibtest"
)

// v1Global is an answer like that to "Global" of a busy server: about 2 MB, of
// which processes and threads are the most.
func v1Global(tb testing.TB) []byte {
	w := perflibtest.NewV1Writer(&v1TestHeader)
	object := func(index uint32, counters, instances int, name string) {
		list := make([]V1Counter, counters)
		for i := range list {
			list[i] = V1Counter{NameIndex: index + 2 + 2*uint32(i), Type: cooker.CounterCounter, Size: 4}
			if i%3 != 0 {
				list[i].Type, list[i].Size = cooker.CounterBulkCount, 8
			}
		}
		w.Object(&V1Object{NameIndex: index}, list, instances > 0)
		for i := range max(instances, 1) {
			if instances > 0 {
				w.Instance(&V1Instance{UniqueID: V1NoUniqueID, Name: EncodeText(name + strconv.Itoa(i))}, 0)
			}
			for k := range list {
				w.Uint(uint64(i*100 + k))
			}
		}
	}
	object(2, 18, 0, "")
	object(4, 36, 0, "")
	object(230, 28, 400, "svchost")
	object(232, 12, 12_000, "")
	for i := range uint32(150) {
		object(2000+200*i, 20, 6, "instance ")
	}
	b, err := w.Finish()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// v1Sum reads every value of an answer.
func v1Sum(b []byte, list []V1Counter) (sum uint64, values int, _ []V1Counter, err error) {
	r := ReadV1(b)
	for r.Next() {
		o := r.Object()
		list = o.AppendCounters(list[:0])
		for it := o.Instances(); it.Next(); {
			for i := range list {
				v, _ := list[i].Value(it.Data)
				sum += v
			}
			values += len(list)
		}
	}
	return sum, values, list, r.Err()
}

func BenchmarkV1Global(b *testing.B) {
	buf := v1Global(b)
	_, want, list, err := v1Sum(buf, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		_, n, _, err := v1Sum(buf, list)
		if n != want || err != nil {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(want), "values/op")
}

// Nothing is allocated for objects, instances and counters: only the reader.
func TestV1NoAllocation(t *testing.T) {
	buf := v1Global(t)
	_, _, list, _ := v1Sum(buf, nil)
	if n := testing.AllocsPerRun(5, func() { v1Sum(buf, list) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
	names := v1NameTable(3000)
	if n := testing.AllocsPerRun(5, func() {
		for n := ReadV1Names(names); n.Next(); {
		}
	}); n > 0 {
		t.Errorf("%v allocations for names", n)
	}
}

func v1NameTable(n int) []byte {
	var b []byte
	for i := range n {
		b = AppendV1Name(b, uint32(2*i), EncodeText("Counter name number "+strconv.Itoa(i)))
	}
	return AppendV1NamesEnd(b)
}

func BenchmarkV1Names(b *testing.B) {
	buf := v1NameTable(10_000)
	b.ReportAllocs()
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		count := 0
		for n := ReadV1Names(buf); n.Next(); {
			count++
		}
		if count != 10_000 {
			b.Fatal(count)
		}
	}
}
