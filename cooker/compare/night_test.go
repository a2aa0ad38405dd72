package compare_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// night is what the hosts of the demo gave, sample by sample.
type night struct {
	names []string // of series: host, counterset, instance, counter
	least []float64
	hosts []int
	rows  [][]float64 // NaN: no value
	every time.Duration
}

var nightfall = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

// manual is a clock that stands where it was set. Its timers come at once.
type manual struct{ since time.Duration }

func (m *manual) Now() session.Instant {
	return session.Instant{Wall: nightfall.Add(m.since), Mono: m.since}
}

func (m *manual) Timer(time.Duration) (<-chan time.Time, func()) {
	c := make(chan time.Time, 1)
	c <- m.Now().Wall
	return c, func() {}
}

// record samples the hosts of the demo. Each seed is another stretch of their script. The
// incident is at a time since the beginning.
func record(t testing.TB, seed, samples int, every time.Duration, what incident, at fake.Window) *night {
	t.Helper()
	clock := &manual{}
	skip := time.Duration(seed)*26*time.Hour + 7*time.Minute
	at.From, at.To = at.From+skip, at.To+skip
	n := &night{every: every}
	var hosts []*sampled
	for i, h := range what.hosts(clock, at) {
		if h.Name != "sql04" { // which never answers
			hosts = append(hosts, begin(t, n, i, h))
		}
	}
	for k := range samples + 1 { // from the first nothing is cooked
		clock.since = skip + time.Duration(k)*every
		row := make([]float64, len(n.names), len(n.names)+100)
		for i := range row {
			row[i] = math.NaN()
		}
		for _, h := range hosts {
			row = h.collect(t, row)
		}
		if k > 0 {
			n.rows = append(n.rows, row)
		}
	}
	return n
}

// sampled is a host that is recorded.
type sampled struct {
	*night

	number int
	name   string
	query  session.Query
	now    session.Batch
	before session.Batch
	places map[string]int
}

// recordedOf are the counters of processes that are recorded, as people do.
func recordedOf() []string {
	all := []string{"% Processor Time", "Private Bytes", "IO Data Bytes/sec", "Working Set", "Thread Count", "Handle Count", "Elapsed Time"}
	if testing.Short() {
		return all[:2]
	}
	return all
}

func begin(t testing.TB, n *night, number int, h fake.Host) *sampled {
	t.Helper()
	cat, err := h.Source.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &sampled{night: n, number: number, name: h.Name, places: map[string]int{}}
	if s.query, err = h.Source.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	var wants []session.Want
	for _, set := range cat.Sets {
		w := session.Want{Set: set}
		for i := range set.Counters {
			if c := &set.Counters[i]; !c.Hidden() && (set.Name != "Process" || slices.Contains(recordedOf(), c.Name)) {
				w.Counters = append(w.Counters, i)
			}
		}
		wants = append(wants, w)
	}
	if err := s.query.Select(t.Context(), wants); err != nil {
		t.Fatal(err)
	}
	return s
}

// collect adds the host's values to a row.
func (s *sampled) collect(t testing.TB, row []float64) []float64 {
	t.Helper()
	s.before, s.now = s.now, session.Batch{}
	if err := s.query.Collect(t.Context(), &s.now); err != nil {
		t.Fatal(err)
	}
	for i := range s.before.Sets {
		was, is := &s.before.Sets[i], &s.now.Sets[i]
		at := map[session.InstanceKey]int{}
		for k := range was.Instances {
			at[was.Instances[k].Key] = k
		}
		for k := range is.Instances {
			before, known := at[is.Instances[k].Key]
			if !known || testing.Short() && is.Instances[k].Index > 5 { // of a hundred svchost
				continue
			}
			for c, counter := range is.Counters {
				offer := &is.Set.Counters[counter]
				v := cooker.Cook(offer.Type, &was.Row(before)[c], &is.Row(k)[c], &was.Clocks, &is.Clocks, nil)
				f, ok := v.Float()
				if !ok {
					continue
				}
				key := is.Instances[k].Key
				name := fmt.Sprintf(`%s\%s(%s#%d)\%s`, s.name, is.Set.Name, key.Name, is.Instances[k].Index, offer.Name)
				place, known := s.places[name]
				if !known {
					place = len(s.names)
					s.places[name] = place
					s.names, s.hosts, s.least = append(s.names, name), append(s.hosts, s.number), append(s.least, compare.Least(offer.Quantity))
				}
				for len(row) <= place {
					row = append(row, math.NaN())
				}
				row[place] = f
			}
		}
	}
	return row
}

// compared compares ten minutes of a night with the two hours before.
func (n *night) compared(at, window, before time.Duration) compare.Ranking {
	a := compare.NewSpan(nightfall.Add(at-before), before, compare.Blocks, len(n.names))
	b := compare.NewSpan(nightfall.Add(at), window, compare.BlocksFor(window, before), len(n.names))
	values := make([]float64, len(n.names))
	for k, row := range n.rows {
		for i := range values {
			values[i] = math.NaN()
		}
		copy(values, row)
		now := nightfall.Add(time.Duration(k) * n.every)
		a.Add(now, values)
		b.Add(now, values)
	}
	return compare.Rank(a, b, n.options())
}

func (n *night) options() compare.Options {
	return compare.Options{
		Least: func(i int) float64 { return n.least[i] },
		Host:  func(i int) any { return n.hosts[i] },
	}
}

// moved is what screens tell of the same time.
func (n *night) moved(at, window time.Duration) compare.Ranking {
	w := compare.NewWindow(nightfall.Add(at), nightfall.Add(at+window), min(compare.TimeBefore(window), at), n.every, len(n.names))
	values := make([]float64, len(n.names))
	for k, row := range n.rows {
		for i := range values {
			values[i] = math.NaN()
		}
		copy(values, row)
		w.Add(nightfall.Add(time.Duration(k)*n.every), values)
	}
	return w.Rank(n.options())
}

// shape is how long nights are, and what of them is compared.
type shape struct {
	every, before, window time.Duration
}

var (
	short = shape{100 * time.Second, 100 * time.Minute, 10 * time.Minute}
	long  = shape{15 * time.Second, 2 * time.Hour, 10 * time.Minute}
)

func (s shape) samples() int { return int((s.before + s.window) / s.every) }

// seeds are how many nights are looked at, and how long they are.
func seeds() (n int, s shape) {
	if testing.Short() {
		return 2, short
	}
	return 20, long
}

// The seeds of nights: none of them was looked at when thresholds were chosen.
const (
	incidentSeeds = 2000
	quietSeeds    = 2100
)

// What was planted is ranked first.
func TestIncidentsAreRankedFirst(t *testing.T) {
	n, s := seeds()
	for _, p := range incidents {
		t.Run(p.name, func(t *testing.T) {
			missed := 0
			for seed := range n {
				night := record(t, incidentSeeds+seed, s.samples(), s.every, p, fake.Window{From: s.before, To: s.before + s.window})
				first := func(r compare.Ranking) bool {
					return len(r.Changes) > 0 && slices.ContainsFunc(p.first, func(first string) bool { return strings.HasPrefix(night.names[r.Changes[0].Series], first) })
				}
				compared, moved := night.compared(s.before, s.window, s.before), night.moved(s.before, s.window)
				if first(compared) && first(moved) {
					continue
				}
				missed++
				t.Logf("seed %d:\n%s%s", seed, night.told(compared), night.told(moved))
			}
			if missed*20 > n {
				t.Errorf("not ranked first in %d of %d nights", missed, n)
			}
		})
	}
}

// In a night without an incident nothing is called changed.
func TestNothingChangesInAnOrdinaryNight(t *testing.T) {
	n, s := seeds()
	odd := 0
	for seed := range n {
		night := record(t, quietSeeds+seed, s.samples(), s.every, incident{}, fake.Window{})
		r, moved := night.compared(s.before, s.window, s.before), night.moved(s.before, s.window)
		if len(r.Changes) > 0 || len(moved.Changes) > 0 {
			odd++
			t.Logf("seed %d:\n%s%s", seed, night.told(r), night.told(moved))
		}
		if r.Judged < 500 {
			t.Errorf("only %d of %d series were judged", r.Judged, len(night.names))
		}
	}
	if odd*20 > n {
		t.Errorf("something is called changed in %d of %d nights", odd, n)
	}
}

// told is the head of a ranking in words.
func (n *night) told(r compare.Ranking) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d changed, %d not judged\n", len(r.Changes), r.Judged, r.Few)
	for _, c := range r.Changes[:min(len(r.Changes), 8)] {
		fmt.Fprintf(&b, "  %+v %s\n", c, n.names[c.Series])
	}
	return b.String()
}
