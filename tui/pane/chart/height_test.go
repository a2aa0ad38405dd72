package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session/hosts/fake"
)

// stepped is a host with counters that show what they are told at a second.
func stepped(sets ...fake.Set) fake.Script { return fake.Script{Name: "a", Sets: sets} }

func gauge(name string, is fake.Motion) fake.Counter {
	return fake.Counter{Name: name, Type: cooker.CounterLargeRawCount, Is: is}
}

// The top of an axis from 0 is a round number over the largest one, in
// the unit that is shown; no label has more than 4 places, and the labels part it evenly.
func TestCheck6AxisStepsAndPlaces(t *testing.T) {
	for number := 1e-3; number < 1e15; number *= 2.3 {
		for _, name := range []string{"Things", "Cache Bytes"} {
			onChart(t, one(stepped(fake.Set{Name: "S", Counters: []fake.Counter{{Name: name, Type: cooker.CounterLargeRawCount, Is: fake.Const(math.Ceil(number))}}})), func(r *rig) {
				r.add(r.Desk.Hosts[0], `\S\`+name)
				r.pass(2 * time.Second)
				r.Draw()
				a := &r.chart.picture.axis
				top := a.hi / a.factor
				mantissa := top / math.Pow(10, math.Floor(math.Log10(top)+1e-9))
				if !slices.ContainsFunc([]float64{1, 1.5, 2, 3, 4, 5, 6, 8}, func(s float64) bool { return math.Abs(mantissa-s) < 1e-6 }) {
					t.Errorf("%s of %v: the top is %v %s", name, math.Ceil(number), top, a.unit)
				}
				labels := a.labels(r.chart.place.plot.H)
				for i, l := range labels {
					whole, _, _ := strings.Cut(l.text, ".")
					if len(whole) > 4 || len(l.text) > 7 {
						t.Errorf("%s of %v: the axis says %q", name, math.Ceil(number), l.text)
					}
					if v, err := strconv.ParseFloat(l.text, 64); err != nil || math.Abs(v-top*float64(i)/float64(len(labels)-1)) > 1e-6*top {
						t.Errorf("%s of %v: label %d of %d to %v is %s", name, math.Ceil(number), i, len(labels), top, l.text)
					}
				}
			})
		}
	}
}

// The axis goes up with the number, in the same tick, and down a step at a time when
// the window stayed low for 10 s.
func TestAxisFollowsSlowly(t *testing.T) {
	is := func(at time.Duration, _ uint64) float64 {
		if at > 10*time.Second && at < 12*time.Second {
			return 900
		}
		return 42
	}
	onChart(t, one(stepped(fake.Set{Name: "S", Counters: []fake.Counter{gauge("Things", is)}})), func(r *rig) {
		r.Desk.Span = 20 * time.Second
		r.add(r.Desk.Hosts[0], `\S\Things`)
		var tops []float64
		for range 120 {
			r.pass(time.Second)
			r.Draw()
			if top := r.chart.picture.axis.hi; len(tops) == 0 || tops[len(tops)-1] != top {
				tops = append(tops, top)
			}
			if largest := r.named('A').limit(); largest > r.chart.picture.axis.hi {
				t.Fatalf("%v is over the top of %v", largest, r.chart.picture.axis.hi)
			}
		}
		want := []float64{50, 1000, 800, 600, 500, 400, 300, 200, 150, 100, 80} // of 60 it is more than 60 %
		if !slices.EqualFunc(tops, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*b }) {
			t.Errorf("the tops were %v, want %v", tops, want)
		}
	})
}

// Numbers of one quantity are read in one unit, that of the axis, but for those of
// which nothing was left in it.
func TestLegendHasTheUnitOfTheAxis(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		h := r.Desk.Hosts[0]
		r.add(h, `\Memory\Cache Bytes`, `\Memory\Pool Paged Bytes`)
		r.pass(5 * time.Second)
		r.shows("y auto 0-8 GB", " 7.00 GB", " 3.00 MB")
	})
	onChart(t, one(stepped(fake.Set{Name: "Network Interface", Counters: []fake.Counter{
		gauge("Bytes Received", fake.Const(95.9*(1<<20))), gauge("Bytes Sent", fake.Const(627<<10)),
	}})), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\Network Interface\Bytes Received`, `\Network Interface\Bytes Sent`)
		r.pass(5 * time.Second)
		r.shows("y auto 0-100 MB", " 95.9 MB", " 0.61 MB")
		if got, axis := r.named('B').unit, r.chart.height.gauge.Unit(); got != axis {
			t.Errorf("B is in %v, the axis in %v", got, axis)
		}
		r.press("k", "H") // without A the other has the axis for itself
		r.shows("y auto 0-800 KB", " 627.0 KB")
	})
}
