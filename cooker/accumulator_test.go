package cooker

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// history is a made counter: what its rows say, and what was really done in each interval, by
// arithmetic of its own.
type history struct {
	points []Point
	done   []float64 // in the interval before each row
	over   []float64 // seconds, or operations
	fell   []bool    // nothing is known of the interval
}

// madeHistory has restarts, gaps, wraps and uneven intervals; the counter is 4 or 8 bytes wide.
func madeHistory(random *rand.Rand, typ CounterType, size uint8, faults bool) history {
	const rows = 40
	info, _ := typ.Info()
	byBase := info.Base != BaseNone
	var h history
	raw, base, ticks := uint64(random.Uint32()), uint64(random.Uint32()), uint64(1e12)
	at := time.Unix(1e9, 0)
	missed := true // before the first row
	for range rows {
		seconds := float64(1+random.IntN(50)) / 10
		done, operations := float64(random.IntN(1e6)), float64(random.IntN(5))
		if operations == 0 && byBase {
			done = 0
		}
		at, ticks = at.Add(time.Duration(seconds*1e9)), ticks+uint64(seconds*1e7)
		raw, base = raw+uint64(done), base+uint64(operations)
		if size == 4 {
			raw, base = uint64(uint32(raw)), uint64(uint32(base))
		}
		restarted := faults && random.IntN(6) == 0
		if restarted { // at times with a larger count than before
			raw = uint64(random.Uint32() >> random.IntN(16))
		}
		p := Point{Time: at, Reading: Reading{Raw: raw, Base: base, Size: size, BaseSize: size}, Clocks: &Clocks{ticks, 1e7, ticks, ticks, 1e7}}
		switch {
		case faults && random.IntN(8) == 0:
			p.Reading, p.Clocks, p.Value, missed = Reading{}, nil, Absent(Gap), true
		case missed || restarted:
			p.Value, missed = Absent(FirstSample), false
		default:
			before := &h.points[len(h.points)-1]
			p.Value = Cook(typ, &before.Reading, &p.Reading, before.Clocks, p.Clocks, nil)
		}
		over := seconds
		if byBase {
			over = operations
		}
		h.points, h.done, h.over = append(h.points, p), append(h.done, done), append(h.over, over)
		h.fell = append(h.fell, !p.Value.Valid() && p.Value.Status() != ZeroBase)
	}
	return h
}

// value is the change over the rows from one to another that are known, over what they are
// divided by. It is the plain change between the two where none is missing.
func (h *history) value(from, to int) (f, low, high float64, ok bool) {
	var done, over float64
	low, high = math.Inf(1), math.Inf(-1)
	for i := from; i < to; i++ {
		if v, valid := h.points[i].Value.Float(); valid {
			low, high = min(low, v), max(high, v)
		}
		if !h.fell[i] {
			done, over = done+h.done[i], over+h.over[i]
		}
	}
	return done / over, low, high, over > 0
}

// TestSpansOfRows: what stands for several rows is what was done in them by what it was
// divided by, never beyond the smallest or the largest, and there is none where nothing is known.
func TestSpansOfRows(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for round := range 3000 {
		typ := [...]CounterType{CounterBulkCount, CounterCounter, AverageBulk}[round%3]
		size := [...]uint8{4, 8}[round/3%2]
		h := madeHistory(random, typ, size, round%5 > 0)
		every := 1 + random.IntN(12)
		a := NewAccumulator(typ)
		from := 0
		for i := range h.points {
			p := &h.points[i]
			a.Add(p.Time, p.Value, &p.Reading, p.Clocks)
			if i%every != 0 {
				continue
			}
			want, low, high, ok := h.value(from, i+1)
			got := a.Value()
			f, has := got.Float()
			switch {
			case has != ok:
				t.Fatalf("round %d, rows %d to %d: %v, known %v", round, from, i, got, ok)
			case !ok:
			case math.Abs(f-want) > 1e-6*want:
				t.Fatalf("round %d, %v, rows %d to %d: %v, want %v", round, typ, from, i, got, want)
			case f < low || f > high:
				t.Fatalf("round %d, rows %d to %d: %v is not from %v to %v", round, from, i, f, low, high)
			}
			a.Next()
			from = i + 1
		}
	}
}

// Spans that follow one another sum up to what they are as one.
func TestSpansJoin(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for round := range 3000 {
		typ := [...]CounterType{CounterBulkCount, CounterRawCount, AverageBulk, CounterLargeDelta}[round%4]
		h := madeHistory(random, typ, [...]uint8{4, 8}[round/4%2], round%5 > 0)
		one, whole, part := NewAccumulator(typ), NewAccumulator(typ), NewAccumulator(typ)
		for i := range h.points {
			p := &h.points[i]
			one.Add(p.Time, p.Value, &p.Reading, p.Clocks)
			part.Add(p.Time, p.Value, &p.Reading, p.Clocks)
			if i == len(h.points)-1 || random.IntN(5) == 0 {
				whole.Join(&part)
				part.Next()
			}
		}
		if whole.Min != one.Min || whole.Max != one.Max || !whole.MaxAt.Equal(one.MaxAt) || whole.Count != one.Count || whole.Newest != one.Newest || whole.Weighted() != one.Weighted() {
			t.Fatalf("round %d: %+v, as one %+v", round, whole, one)
		}
		want, ok := one.Average().Float()
		if got, has := whole.Average().Float(); has != ok || math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Fatalf("round %d, %v: %v, as one %v", round, typ, got, want)
		}
	}
}

// Where nothing fell the value has all digits of the change between the two ends.
func TestSpanOfTwoReadings(t *testing.T) {
	for _, info := range Types() {
		if info.Samples != 2 {
			continue
		}
		points := window(info.Type, []uint64{5, 1e6, 3e6, 3e6 + 1}, []uint64{1e7, 3e7, 5e7, 9e7}, []int{0, 1, 2, 7})
		if info.Base == BaseMulti {
			points = window(info.Type, []uint64{5, 1e6, 3e6, 3e6 + 1}, []uint64{2, 2, 2, 2}, []int{0, 1, 2, 7})
		}
		a := NewAccumulator(info.Type)
		for i := range points {
			a.Add(points[i].Time, points[i].Value, &points[i].Reading, points[i].Clocks)
		}
		want := Cook(info.Type, &points[0].Reading, &points[3].Reading, points[0].Clocks, points[3].Clocks, nil)
		if got := a.Value(); got != want || a.Broke() {
			t.Errorf("%s: %v, want %v", info.Name, got, want)
		}
	}
}

// What stands for rows whose end says that there is none is none.
func TestSpanEnds(t *testing.T) {
	at := func(i int) time.Time { return time.Unix(int64(i), 0) }
	for _, c := range []struct {
		name string
		typ  CounterType
		rows []Value
		want string
	}{
		{"the newest of what is no rate", CounterRawCount, []Value{WholeValue(5), WholeValue(math.MaxUint64)}, "18446744073709551615 OK"},
		{"nothing", CounterCounter, nil, "PENDING"},
		{"an instance that went", CounterCounter, []Value{FloatValue(5), Absent(Gone)}, "GONE"},
		{"a gap at the end", CounterCounter, []Value{FloatValue(5), FloatValue(7), Absent(Gap)}, "7 OK"},
		{"a restart at the end", CounterCounter, []Value{Absent(FirstSample), FloatValue(7), Absent(FirstSample)}, "7 OK"},
		{"nothing but gaps", CounterCounter, []Value{Absent(Gap), Absent(Gap)}, "GAP"},
		{"no operations", AverageBulk, []Value{Absent(FirstSample), Absent(ZeroBase)}, "ZERO_BASE"},
		{"a text", CounterText, []Value{TextValue("a"), TextValue("b")}, "b OK"},
		{"sums beyond all numbers", CounterCounter, []Value{FloatValue(1), FloatValue(math.MaxFloat64), FloatValue(math.MaxFloat64)}, "1.7976931348623157e+308 OK"},
	} {
		a := NewAccumulator(c.typ)
		for i, v := range c.rows {
			a.Add(at(3*i), v, nil, nil)
		}
		if got := a.Value().String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// A difference over a restart is not the sum of what is known.
	points := window(CounterLargeDelta, []uint64{10, 14, 2, 5}, nil, []int{0, 1, 1, 1})
	a := NewAccumulator(CounterLargeDelta)
	for i := range points {
		a.Add(points[i].Time, points[i].Value, &points[i].Reading, points[i].Clocks)
	}
	if a.Value().Status() != NegativeValue || a.Average() != FloatValue(3.5) {
		t.Errorf("%v, average %v", a.Value(), a.Average())
	}
}

// A value that came without a raw sample makes the average one by time, and says so.
func TestWeightedByTime(t *testing.T) {
	points := window(AverageBulk, []uint64{0, 100, 110, 130}, []uint64{0, 10, 20, 21}, []int{0, 1, 1, 8})
	for _, bare := range []bool{false, true} {
		a := NewAccumulator(AverageBulk)
		for i := range points {
			p := &points[i]
			if bare && i == 2 {
				p.Clocks = nil
			}
			a.Add(p.Time, p.Value, &p.Reading, p.Clocks)
		}
		want, weighted := 130.0/21, ""
		if bare {
			want, weighted = (10+1+8*20)/10.0, "by time"
		}
		near(t, "average", a.Average(), want)
		if a.Weighted() != weighted {
			t.Errorf("weighted %q", a.Weighted())
		}
	}
}

func BenchmarkAccumulator(b *testing.B) {
	points := window(CounterBulkCount, []uint64{0, 100, 300, 500}, nil, []int{0, 1, 9, 2})
	a := NewAccumulator(CounterBulkCount)
	for i := 0; b.Loop(); i++ {
		p := &points[i%len(points)]
		a.Add(p.Time, p.Value, &p.Reading, p.Clocks)
	}
}
