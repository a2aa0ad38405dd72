package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"perfdeck/cooker"
)

// someValue is a value of any length, as counters have them, or none.
func someValue(random *rand.Rand) cooker.Value {
	bits := random.Uint64() >> random.IntN(64)
	switch random.IntN(8) {
	case 0:
		return cooker.DeltaValue(-int64(bits >> 1))
	case 1:
		return cooker.FloatValue(float64(bits) / float64(1+random.Uint64()>>random.IntN(64)))
	case 2:
		return cooker.FloatValue(-math.Ldexp(random.Float64(), random.IntN(200)-100))
	case 3:
		return cooker.Absent(cooker.Gap)
	case 4:
		return cooker.WholeValue(math.MaxUint64 - bits)
	}
	return cooker.WholeValue(bits)
}

// sameNumber tells whether two values are the same number, in all digits.
func sameNumber(a, b cooker.Value) bool {
	return a.Valid() == b.Valid() && string(cooker.AppendMachine(nil, a)) == string(cooker.AppendMachine(nil, b))
}

// Whole numbers come back with all their digits, and so do all numbers of counters that show
// them; others with seven digits and no more than float32 has, and with all before the point.
func TestDigitsComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, fine := range []bool{false, true} {
		for range 300_000 {
			m := keeping(1, fine)
			v := someValue(random)
			m.add(v)
			s := m.before(1, 0)
			got := s.Value(0)
			f, ok := v.Float()
			if back := s.At(0); ok != (back == back) || ok && math.Abs(back-f) > 1e-7*math.Abs(f) {
				t.Fatalf("fine %v: %v came back as %v", fine, v, back)
			}
			if fine || v.IsWhole() || !ok || math.Abs(f) >= 1<<24 {
				if !sameNumber(got, v) || v.IsWhole() && !got.IsWhole() {
					t.Fatalf("fine %v: %v came back as %v", fine, v, got)
				}
				continue
			}
			if got != cooker.FloatValue(f) && len(cooker.AppendMachine(nil, got)) > len("-12345678.9e-123") {
				t.Fatalf("%v is shown as %v", v, got)
			}
		}
	}
}

// The window of a history is that of the values that were told, and its extremes have all
// digits of these; what is spare goes when no number needs it.
func TestWindowOfLongNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const most = 40
	for range 300 {
		base, spread := random.Uint64()>>random.IntN(40), 1+random.Uint64()>>random.IntN(63)
		s := series{numbers: keeping(most, false)}
		told := map[uint64]cooker.Value{}
		next := uint64(0)
		for range 3 * most {
			at := next + uint64(random.IntN(3)/2)
			v := cooker.WholeValue(base + random.Uint64()%spread)
			s.put(at, v, false)
			told[at], next = v, at+1
			n := 1 + random.IntN(most)
			least, greatest := cooker.Aggregator{Func: cooker.AggregateMin}, cooker.Aggregator{Func: cooker.AggregateMax}
			for i := next - min(next, uint64(n)); i < next; i++ {
				least.Add(told[i])
				greatest.Add(told[i])
				if got := s.view().Value(i); !sameNumber(got, told[i]) {
					t.Fatalf("sample %d is %v, was %v", i, got, told[i])
				}
			}
			got := s.view().Window(next, n)
			if got.Count != least.Count() || !sameNumber(got.Min, least.Value()) || !sameNumber(got.Max, greatest.Value()) {
				t.Fatalf("%+v, want %v to %v", got, least.Value(), greatest.Value())
			}
			least.Add(got.Mean)
			greatest.Add(got.Mean)
			if !sameNumber(got.Min, least.Value()) || !sameNumber(got.Max, greatest.Value()) {
				t.Fatalf("%v is the mean of %v to %v", got.Mean, got.Min, got.Max)
			}
		}
		for range most {
			s.put(next, cooker.WholeValue(5), false)
			next++
		}
		if s.rests.buf != nil {
			t.Fatal("what is spare of long numbers stays behind them")
		}
	}
}

// told is a host of random numbers of which a test knows what they were.
type told struct {
	batch  *Batch
	values map[InstanceKey][][]cooker.Value // by sample and counter
	random *rand.Rand
	sample int
}

var longTypes = []cooker.CounterType{
	cooker.CounterLargeRawCountHex, cooker.CounterLargeRawCount, cooker.CounterRawCountHex, cooker.CounterLargeDelta,
}

// beat makes the numbers of a sample; every third instance comes and goes.
func (h *told) beat() {
	set := &h.batch.Sets[0]
	set.Instances, set.Readings = set.Instances[:0], set.Readings[:0]
	for i := range 150 {
		key := InstanceKey{Name: fmt.Sprint("i", i), ID: uint64(i) + 1}
		if i%3 == 0 {
			if h.sample/(5+i)%2 == 1 {
				continue
			}
			key.ID += 1000 * uint64(h.sample/(10+2*i)) // another one of the name
		}
		set.Instances = append(set.Instances, Instance{Key: key})
		values := make([]cooker.Value, len(longTypes))
		for c, of := range longTypes {
			raw := h.random.Uint64() >> h.random.IntN(64)
			size := uint8(8)
			if of == cooker.CounterRawCountHex {
				raw, size = raw&math.MaxUint32, 4
			}
			values[c] = cooker.WholeValue(raw)
			set.Readings = append(set.Readings, cooker.Reading{Raw: raw, Size: size})
		}
		all := h.values[key]
		for len(all) < h.sample {
			all = append(all, nil)
		}
		h.values[key] = append(all, values)
	}
	h.sample++
}

// What screens show of a moment was told then: of rows that are kept, of all others for a
// minute, and of those that ended since.
func TestThePastWasTold(t *testing.T) {
	set := &Counterset{Name: "Set", Instances: MultipleAggregate}
	ask := Ask{Set: set, Keep: []Keep{{Counters: []int{0, 1, 2, 3}, Recent: true}, {Counters: []int{0, 1}, Busiest: 40, By: 1}}}
	for i, of := range longTypes {
		set.Counters = append(set.Counters, Counter{Name: fmt.Sprint("c", i), Type: of})
		ask.Counters = append(ask.Counters, i)
	}
	h := told{batch: &Batch{Sets: []SetBatch{{Set: set, Counters: ask.Counters}}}, values: map[InstanceKey][][]cooker.Value{}, random: rand.New(rand.NewPCG(11, 12))}
	f := NewSampler("host", nil, NewSystemClock()).Feed(FeedOptions{Every: time.Second, History: 2 * time.Minute})
	f.Ask([]Ask{ask})
	now := Instant{Wall: time.Unix(1_000_000, 0)}
	f.update(now)
	checked, ended := 0, 0
	for n := range 100 {
		h.beat()
		now.Wall, now.Mono = now.Wall.Add(time.Second), now.Mono+time.Second
		h.batch.Time = now.Wall
		f.receive(h.batch, now, true, HostState{Phase: Live})
		snap := f.Take()
		if n%7 > 0 {
			snap.Release()
			continue
		}
		end := snap.Timeline.Next() // of the last sample here
		for ago := range uint64(min(n, 90)) {
			sample := end - 1 - ago
			v := snap.Then(snap.Timeline.At(sample), nil).Sets[0]
			for row := range v.Rows {
				all := h.values[v.Rows[row].Key]
				is := n - int(ago)
				for col := range v.Counters {
					got := v.Recent(new(Recalled), row, col).Value(sample)
					if !got.Valid() {
						continue // not kept so long, or not there
					}
					if checked++; v.Rows[row].Gone {
						ended++
					}
					want := cooker.Absent(cooker.Gone)
					if is < len(all) && all[is] != nil {
						want = all[is][col]
					}
					if col == 3 { // a difference
						was, _ := all[is-1][col].Whole()
						now, _ := want.Whole()
						want = cooker.DeltaValue(int64(now - was))
					}
					if !sameNumber(got, want) {
						t.Fatalf("sample %d, %d ago, of %v, column %d: %v, told was %v", n, ago, v.Rows[row].Key, col, got, want)
					}
				}
			}
		}
		snap.Release()
	}
	if checked < 100_000 || ended < 1000 {
		t.Errorf("%d values were looked at, %d of those that ended", checked, ended)
	}
}
