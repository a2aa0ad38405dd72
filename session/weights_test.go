package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"perfdeck/cooker"
)

var meanTypes = []cooker.CounterType{
	cooker.CounterBulkCount, cooker.CounterCounter, cooker.Timer100ns, cooker.AverageBulk, cooker.AverageTimer, cooker.PrecisionSystemTimer,
	cooker.CounterLargeRawCount, cooker.CounterLargeDelta,
}

// deed is what was done in an interval, and what that is divided by; nothing is known of it
// where there is no value.
type deed struct {
	amount, by float64
	known      bool
}

// worker is an instance that does something known.
type worker struct {
	key       InstanceKey
	raw, base []uint64
	done      map[uint64][]deed // by sample and counter
}

// works lets the workers work for some ticks of 100 ns: counters of 32 bits wrap, some start anew.
func (w *worker) works(random *rand.Rand, ticks uint64) (readings []cooker.Reading, did []deed) {
	for c, of := range meanTypes {
		more, operations := random.Uint64N(ticks), random.Uint64N(4)
		if operations == 0 && c >= 3 && c <= 4 {
			more = 0
		}
		size, restarts := uint8(8), random.IntN(12) == 0
		w.raw[c] += more
		w.base[c] += operations
		d := deed{float64(more), float64(ticks) / 1e7, !restarts}
		switch of {
		case cooker.CounterCounter:
			size, restarts = 4, false
			w.raw[c] = uint64(uint32(w.raw[c]))
			d.known = true
		case cooker.Timer100ns:
			d = deed{100 * float64(more), float64(ticks), !restarts}
		case cooker.AverageBulk, cooker.AverageTimer:
			if d.by = float64(operations); of == cooker.AverageTimer {
				d.by *= 1e7
			}
		case cooker.PrecisionSystemTimer: // its clock goes by half as fast, and unsteadily
			own := ticks/2 + random.Uint64N(1000)
			w.base[c] += own - operations
			d = deed{100 * float64(more), float64(own), !restarts}
		case cooker.CounterLargeRawCount, cooker.CounterLargeDelta:
			restarts = false
			d = deed{float64(more), 1, true}
		}
		if restarts {
			w.raw[c] /= 2
		}
		if of == cooker.CounterLargeRawCount {
			w.raw[c] = more
		}
		readings, did = append(readings, cooker.Reading{Raw: w.raw[c], Base: w.base[c], Size: size, BaseSize: 8}), append(did, d)
	}
	return readings, did
}

// The mean of a window is what was done in the intervals of its samples by what they are
// divided by, though they are uneven, counters wrap and start anew, and instances come and go:
// of rows that are kept, of all others in the last minute, and of those that ended.
func TestMeanIsOfTheIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	set := &Counterset{Name: "Set", Instances: MultipleAggregate}
	ask := Ask{Set: set}
	for i, of := range meanTypes {
		set.Counters = append(set.Counters, Counter{Name: fmt.Sprint("c", i), Type: of})
		ask.Counters = append(ask.Counters, i)
	}
	ask.Keep = []Keep{{Counters: ask.Counters, Busiest: 5, By: 6}, {Counters: ask.Counters, Recent: true}}
	f := NewSampler("host", nil, NewSystemClock()).Feed(FeedOptions{Every: time.Second, History: 90 * time.Second})
	f.Ask([]Ask{ask})
	now := Instant{Wall: time.Unix(1_000_000, 0)}
	f.update(now)
	batch := &Batch{Sets: []SetBatch{{Set: set, Counters: ask.Counters, Clocks: cooker.Clocks{PerfTime: 1, PerfFreqHz: 1e7, Time100ns: 1}}}}
	workers := map[InstanceKey]*worker{}
	checked, ended := 0, 0
	for n := range 150 {
		b := &batch.Sets[0]
		ticks := 1e6 + random.Uint64N(2e7)
		if random.IntN(20) == 0 {
			ticks += 9e7 // beats are missed
		}
		now.Wall, now.Mono = now.Wall.Add(time.Duration(ticks)*100), now.Mono+time.Duration(ticks)*100
		batch.Time = now.Wall
		b.Clocks.PerfTime, b.Clocks.Time100ns = b.Clocks.PerfTime+ticks, b.Clocks.Time100ns+ticks
		b.Instances, b.Readings = b.Instances[:0], b.Readings[:0]
		var did [][]deed
		for i := range 70 {
			key := InstanceKey{Name: fmt.Sprint("w", i), ID: 1}
			if i%3 == 0 {
				if n/(8+i)%2 == 1 {
					continue
				}
				key.ID = uint64(2 + n/(16+2*i))
			}
			w := workers[key]
			if w == nil {
				w = &worker{key, make([]uint64, len(meanTypes)), make([]uint64, len(meanTypes)), map[uint64][]deed{}}
				for c := range w.raw {
					w.raw[c] = uint64(math.MaxUint32) - random.Uint64N(1e8)
				}
				workers[key] = w
			}
			readings, d := w.works(random, ticks)
			b.Instances, b.Readings, did = append(b.Instances, Instance{Key: key}), append(b.Readings, readings...), append(did, d)
		}
		f.receive(batch, now, true, HostState{Phase: Live})
		snap := f.Take()
		end := snap.Timeline.Next()
		v := snap.Sets[0]
		for row := range did {
			for c := range did[row] {
				did[row][c].known = v.Value(row, c).Valid() // a gap has none, and the first sample
			}
			workers[v.Rows[row].Key].done[end-1] = did[row]
		}
		last := end - random.Uint64N(min(end, 40))
		v = snap.Then(snap.Timeline.At(last-1), nil).Sets[0]
		for row := range v.Rows {
			for c := range v.Counters {
				s := v.Recent(new(Recalled), row, c)
				span := 1 + random.IntN(60)
				got := s.Window(last, span)
				var want deed
				for i := max(s.First, last-min(last, uint64(span))); i < last; i++ {
					if d := workers[v.Rows[row].Key].done[i]; d != nil && d[c].known {
						want.amount, want.by = want.amount+d[c].amount, want.by+d[c].by
					}
				}
				mean, ok := got.Mean.Float()
				if ok != (want.by > 0) || ok && math.Abs(mean-want.amount/want.by) > 1e-5*math.Abs(mean) || got.ByTime {
					t.Fatalf("sample %d, %v of %v, %d before %d: %+v, want %v", n, meanTypes[c], v.Rows[row].Key, span, last, got, want.amount/want.by)
				}
				if checked++; v.Rows[row].Gone {
					ended++
				}
			}
		}
		snap.Release()
	}
	if checked < 50_000 || ended < 200 {
		t.Errorf("%d means were looked at, %d of those that ended", checked, ended)
	}
}

// Values that came cooked count by their time, and it is told.
func TestMeanByTime(t *testing.T) {
	for _, of := range []cooker.CounterType{cooker.CounterBulkCount, cooker.AverageTimer} {
		set := &Counterset{Name: "Set", Counters: []Counter{{Name: "c", Type: of}}}
		f := NewSampler("host", nil, NewSystemClock()).Feed(FeedOptions{Every: time.Second, History: time.Minute})
		f.Ask([]Ask{{Set: set, Counters: []int{0}, Keep: []Keep{{Counters: []int{0}, Match: func(*Instance) bool { return true }}}}})
		now := Instant{Wall: time.Unix(1_000_000, 0)}
		f.update(now)
		var snap *Snapshot
		for i, seconds := range []int{1, 1, 1, 1, 3} {
			now.Wall, now.Mono = now.Wall.Add(time.Duration(seconds)*time.Second), now.Mono+time.Duration(seconds)*time.Second
			value := cooker.CookedReading(float64(10 * i))
			f.receive(&Batch{Time: now.Wall, Sets: []SetBatch{{Set: set, Counters: []int{0}, Instances: []Instance{{}}, Readings: []cooker.Reading{value}}}}, now, true, HostState{Phase: Live})
			snap.Release()
			snap = f.Take()
		}
		w := snap.Sets[0].Series(0, 0).Window(snap.Timeline.Next(), 3)
		mean, _ := w.Mean.Float()
		if want := (20 + 30 + 3*40) / 5.0; mean != want || !w.ByTime {
			t.Errorf("%v: %+v, want %v by time", of, w, want)
		}
		snap.Release()
	}
}

// An interval over samples that were passed over is shared by them all.
func TestWeightsOfFilledSamples(t *testing.T) {
	for _, c := range []struct {
		filled bool
		want   []float64
	}{{true, []float64{1, 2, 2, 2, 0}}, {false, []float64{1, 0, 0, 6, 0}}} {
		w := newWeights(10, cooker.CounterBulkCount)
		w.put(0, &interval{Seconds: 1}, false)
		w.put(3, &interval{Seconds: 6}, c.filled)
		all := w.before(w.next)
		for n, want := range c.want {
			if got := all.at(uint64(n)); got != want {
				t.Errorf("filled %v: sample %d counts %v, want %v", c.filled, n, got, want)
			}
		}
	}
}
