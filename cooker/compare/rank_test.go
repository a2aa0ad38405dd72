package compare_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"perfdeck/cooker/compare"
)

// course is the values of a series at a moment, which is counted from 0 at the beginning of
// the time before and is 1 from the beginning of the span on.
type course func(k int, in bool) float64

const (
	rowsBefore = 480
	rowsIn     = 40
)

// rank compares series of 480 rows with 40 behind them.
func rank(o compare.Options, series ...course) compare.Ranking {
	return compare.Rank(span(0, rowsBefore, compare.Blocks, series), span(rowsBefore, rowsBefore+rowsIn, 4, series), o)
}

func span(from, to, blocks int, series []course) *compare.Span {
	s := compare.NewSpan(nightfall.Add(time.Duration(from)*time.Second), time.Duration(to-from)*time.Second, blocks, len(series))
	values := make([]float64, len(series))
	for k := from; k < to; k++ {
		for i, c := range series {
			values[i] = c(k, k >= rowsBefore)
		}
		s.Add(nightfall.Add(time.Duration(k)*time.Second), values)
	}
	return s
}

func noise(seed uint64) func() float64 {
	r := rand.New(rand.NewPCG(seed, 7))
	return r.NormFloat64
}

// What did not change, however odd it looks, is not called changed; what did is.
func TestRank(t *testing.T) {
	none := math.NaN()
	n := noise(1)
	for _, c := range []struct {
		name string
		is   course
		want string // "": nothing
	}{
		{"a constant", func(int, bool) float64 { return 7 }, ""},
		{"zero", func(int, bool) float64 { return 0 }, ""},
		{"one constant, then another", func(_ int, in bool) float64 { return pick(in, 3, 4) }, "up"},
		{"a constant that moves by 1 %", func(_ int, in bool) float64 { return pick(in, 612, 614) }, ""},
		{"a slow swing", func(k int, _ bool) float64 { return 20 + 8*math.Sin(float64(k)/25) + n() }, ""},
		{"a step in a slow swing", func(k int, in bool) float64 { return pick(in, 20, 45) + 8*math.Sin(float64(k)/25) + n() }, "up"},
		{"noise", func(int, bool) float64 { return 100 + 10*n() }, ""},
		{"a step", func(_ int, in bool) float64 { return pick(in, 100, 200) + 10*n() }, "up"},
		{"a step down", func(_ int, in bool) float64 { return pick(in, 100, 20) + 5*n() }, "down"},
		{"a step within the noise", func(_ int, in bool) float64 { return pick(in, 100, 103) + 10*n() }, ""},
		{"time since the start", func(k int, _ bool) float64 { return 1e6 + float64(k) }, ""},
		{"a start anew", func(k int, in bool) float64 { return pick(in, 1e6, -rowsBefore) + float64(k) }, "down"},
		{"a disk that fills up", func(k int, _ bool) float64 { return 5e9 + 1e7*float64(k) + 1e6*n() }, ""},
		{"a leak", func(k int, in bool) float64 { return 1e9 + 5e6*n() + pick(in, 0, 2e7*float64(k-rowsBefore)) }, "up"},
		{"whole numbers", func(int, bool) float64 { return math.Round(2 + 0.6*n()) }, ""},
		{"more whole numbers", func(_ int, in bool) float64 { return math.Round(pick(in, 2, 15) + 0.6*n()) }, "up"},
		{"one outlier", func(k int, _ bool) float64 { return pick(k == rowsBefore+9, 5, 5e6) + 0.1*n() }, ""},
		{"an incident that was there before", func(k int, in bool) float64 { return pick(in || k > 100 && k < 160, 5, 50) + n() }, ""},
		{"rarely not zero", func(k int, _ bool) float64 { return pick(k%37 == 0, 0, 5) }, ""},
		{"often not zero", func(k int, in bool) float64 { return pick(in && k%3 == 0 || k%97 == 0, 0, 5) }, "often"},
		{"once not zero", func(k int, _ bool) float64 { return pick(k == rowsBefore+3, 0, 5) }, ""},
		{"never not zero any more", func(k int, in bool) float64 { return pick(!in && k%3 == 0, 0, 5) }, "down"},
		{"gaps", func(k int, _ bool) float64 { return pick(k%5 != 0, none, 100+n()) }, ""},
		{"a step among gaps", func(k int, in bool) float64 { return pick(k%5 != 0, none, pick(in, 100, 200)+n()) }, "up"},
		{"too few before", func(k int, in bool) float64 { return pick(!in && k > 20, pick(in, 1, 900), none) }, ""},
		{"a value in the span alone", func(k int, in bool) float64 { return pick(in, none, 4) }, "new"},
		{"one value in the span alone", func(k int, in bool) float64 { return pick(k == rowsBefore+3, none, 4) }, ""},
		{"a value before alone", func(_ int, in bool) float64 { return pick(in, 4, none) }, "gone"},
		{"a value now and then before", func(k int, in bool) float64 { return pick(!in && k < 200, none, 4) }, ""},
		{"no value", func(int, bool) float64 { return none }, ""},
		{"infinite now and then", func(k int, _ bool) float64 { return pick(k%7 == 0, 1, math.Inf(1)) }, ""},
	} {
		r := rank(compare.Options{}, func(int, bool) float64 { return 1 }, c.is)
		got := ""
		if len(r.Changes) > 0 {
			switch c := r.Changes[0]; {
			case c.Kind == compare.New:
				got = "new"
			case c.Kind == compare.Gone:
				got = "gone"
			case c.Kind == compare.Often && c.Times > 0:
				got = "often"
			case c.Times > 0:
				got = "up"
			default:
				got = "down"
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q: %+v", c.name, got, c.want, r)
		}
	}
}

func pick(second bool, a, b float64) float64 {
	if second {
		return b
	}
	return a
}

// Where a host gave nothing at all, nothing is gone or new.
func TestHostWithoutValues(t *testing.T) {
	away := func(_ int, in bool) float64 { return pick(in, 5, math.NaN()) }
	back := func(_ int, in bool) float64 { return pick(in, math.NaN(), 5) }
	stays := func(int, bool) float64 { return 1 }
	host := []int{0, 1, 1, 2, 2}
	r := rank(compare.Options{Host: func(i int) any { return host[i] }}, stays, away, away, back, back)
	if len(r.Changes) != 0 {
		t.Errorf("%+v", r.Changes)
	}
}

// What is so at this time of each day is no news; what is not is.
func TestUsualDays(t *testing.T) {
	n := noise(3)
	backup := func(_ int, in bool) float64 { return pick(in, 5, 80) + n() }
	worse := func(_ int, in bool) float64 { return pick(in, 5, 300) + n() }
	usual := func(int, bool) float64 { return 80 + n() }
	var days []*compare.Span
	for day := range 3 {
		days = append(days, span(-86400*(day+1), -86400*(day+1)+rowsIn, 4, []course{usual, usual}))
	}
	r := rank(compare.Options{Usual: days}, backup, worse)
	if len(r.Changes) != 1 || r.Changes[0].Series != 1 || !r.Changes[0].Usual {
		t.Errorf("%+v", r.Changes)
	}
	if r = rank(compare.Options{}, backup, worse); len(r.Changes) != 2 {
		t.Errorf("without other days: %+v", r.Changes)
	}
}

// A percentage that went by less than a few points is not worth a word.
func TestLeast(t *testing.T) {
	n := noise(4)
	r := rank(compare.Options{Least: func(int) float64 { return 0.5 }},
		func(_ int, in bool) float64 { return pick(in, 0.01, 0.2) + 0.001*n() },
		func(_ int, in bool) float64 { return pick(in, 10, 40) + 0.1*n() })
	if len(r.Changes) != 1 || r.Changes[0].Series != 1 {
		t.Errorf("%+v", r.Changes)
	}
}

// movement is noise of a kind.
type movement struct {
	name string
	make func(r *rand.Rand) course
}

// Among five thousand series that move by chance, however they do, none is called changed.
func TestChance(t *testing.T) {
	n, series := 20, 5000
	if testing.Short() {
		n, series = 1, 400
	}
	for _, m := range []movement{
		{"independent", func(r *rand.Rand) course { return func(int, bool) float64 { return 50 + r.NormFloat64() } }},
		{"slow", func(r *rand.Rand) course { return slow(r, 0.95) }},
		{"with outliers", func(r *rand.Rand) course {
			return func(int, bool) float64 { return math.Exp(1.2 * r.NormFloat64()) }
		}},
		{"mostly zero", func(r *rand.Rand) course {
			return func(int, bool) float64 { return pick(r.Float64() < 0.05, 0, 10*r.Float64()) }
		}},
		{"whole numbers", func(r *rand.Rand) course {
			return func(int, bool) float64 { return math.Abs(math.Round(1.5 * r.NormFloat64())) }
		}},
		{"swinging", func(r *rand.Rand) course {
			period, phase := 20+200*r.Float64(), 7*r.Float64()
			return func(k int, _ bool) float64 {
				return 40 + 20*math.Sin(phase+6.28*float64(k)/period) + r.NormFloat64()
			}
		}},
	} {
		t.Run(m.name, func(t *testing.T) {
			odd := 0
			for seed := range n {
				random := rand.New(rand.NewPCG(uint64(seed), 11))
				courses := make([]course, series)
				for i := range courses {
					courses[i] = m.make(random)
				}
				if r := rank(compare.Options{}, courses...); len(r.Changes) > 0 {
					odd++
					t.Logf("%d of %d, first %+v", len(r.Changes), series, r.Changes[0])
				}
			}
			if odd*20 > n {
				t.Errorf("something is called changed %d times of %d", odd, n)
			}
		})
	}
}

// slow moves by chance, each value near the one before.
func slow(r *rand.Rand, memory float64) course {
	v := r.NormFloat64()
	return func(int, bool) float64 {
		v = memory*v + math.Sqrt(1-memory*memory)*r.NormFloat64()
		return 50 + v
	}
}

func TestAlong(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	const rows = 240
	column := func(f func(k int) float64) []float64 {
		out := make([]float64, rows)
		for k := range out {
			out[k] = f(k)
		}
		return out
	}
	var course []float64
	for v := slow(random, 0.8); len(course) < rows+4; {
		course = append(course, v(0, false)-50)
	}
	wave := func(k int) float64 { return course[k+4] + 0.1*random.NormFloat64() }
	series := [][]float64{
		column(wave),
		column(func(k int) float64 { return 300 - 40*wave(k) }),
		column(func(k int) float64 { return 5 * wave(k-2) }),
		column(func(int) float64 { return random.NormFloat64() }),
		column(func(int) float64 { return 3 }),
		column(func(k int) float64 { return pick(k%3 == 0, math.NaN(), wave(k)) }),
		column(func(int) float64 { return math.NaN() }),
	}
	got := map[int]compare.Companion{}
	for _, c := range compare.Along(0, series, 20) {
		got[c.Series] = c
	}
	if c := got[1]; c.R > -0.9 || c.Lag != 0 {
		t.Errorf("the opposite: %+v", c)
	}
	if c := got[2]; c.R < 0.9 || c.Lag != 2 {
		t.Errorf("two rows behind: %+v", c)
	}
	if c := got[5]; c.R < 0.9 {
		t.Errorf("with gaps: %+v", c)
	}
	if len(got) != 3 {
		t.Errorf("%+v", got)
	}
	for range 300 {
		v := slow(random, 0.97)
		series = append(series, column(func(k int) float64 { return v(k, false) }))
	}
	if got := compare.Along(len(series)-1, series, 20); len(got) > 1 {
		t.Errorf("%d of 300 that drift by themselves go along: %+v", len(got), got[0])
	}
	if got := compare.Along(4, series, 20); got != nil {
		t.Errorf("along a constant: %+v", got)
	}
}

// manySeries is 600 rows of 5,000 series.
func manySeries() (rows, columns [][]float64) {
	const n, series = 600, 5000
	random := rand.New(rand.NewPCG(9, 9))
	columns = make([][]float64, series)
	for i := range columns {
		v := slow(random, 0.8)
		columns[i] = make([]float64, n)
		for k := range n {
			columns[i][k] = v(k, false)
		}
	}
	for k := range n {
		row := make([]float64, series)
		for i := range row {
			row[i] = columns[i][k]
		}
		rows = append(rows, row)
	}
	return rows, columns
}

func BenchmarkRank5000x600(b *testing.B) {
	rows, _ := manySeries()
	for b.Loop() {
		before := compare.NewSpan(nightfall, 550*time.Second, compare.Blocks, 5000)
		during := compare.NewSpan(nightfall.Add(550*time.Second), 50*time.Second, 4, 5000)
		for k, row := range rows {
			at := nightfall.Add(time.Duration(k) * time.Second)
			before.Add(at, row)
			during.Add(at, row)
		}
		compare.Rank(before, during, compare.Options{})
	}
}

func BenchmarkAlong5000x600(b *testing.B) {
	_, columns := manySeries()
	for b.Loop() {
		compare.Along(7, columns, 60)
	}
}

// What follows a burst, or runs ahead of it, by more than the burst lasts is found with its lag.
func TestAlongAtALag(t *testing.T) {
	const rows = 1800
	base := make([]float64, rows+40)
	for i := range base {
		base[i] = 20 + float64(i*7919%13)/13
	}
	for at := 900; at < 1300; at += 37 {
		for k := range 12 {
			base[at+k] += 40 * math.Sin(math.Pi*float64(k)/12)
		}
	}
	shifted := func(by int, times float64) []float64 {
		out := make([]float64, rows)
		for i := range out {
			out[i] = times * base[max(i-by, 0)]
		}
		return out
	}
	noise := make([]float64, rows)
	for i := range noise {
		noise[i] = float64(i * 104729 % 101)
	}
	got := map[int]int{}
	for _, c := range compare.Along(0, [][]float64{shifted(0, 1), shifted(5, 2), shifted(-3, 3), shifted(18, 1), noise}, rows/4) {
		got[c.Series] = c.Lag
	}
	if len(got) != 3 || got[1] != 5 || got[2] != -3 || got[3] != 18 && got[3] != 18-37 {
		t.Errorf("series by lag: %v", got)
	}
}

// A steady rise is no change to who compares nights, and news to who looks on; what only swings, or
// has come to rest, is none to either. What is no quantity is not looked at.
func TestRises(t *testing.T) {
	n := noise(5)
	series := []course{
		func(k int, _ bool) float64 { return 36 + float64(k)/2 + n()/4 },
		func(k int, _ bool) float64 { return 400 - float64(k)/2 + n()/4 },
		func(k int, _ bool) float64 { return 100 + 10*math.Sin(float64(k)/25) + n() },
		func(k int, in bool) float64 { return pick(in, 36+float64(k)/2, 36+float64(rowsBefore)/4) + n()/4 },
		func(int, bool) float64 { return 100 + 10*n() },
		func(k int, _ bool) float64 { return 1000 + float64(k) },
	}
	skip := func(i int) bool { return i == len(series)-1 }
	if r := rank(compare.Options{Skip: skip}, series[:3]...); len(r.Changes) > 0 {
		t.Errorf("nights: %+v", r.Changes)
	}
	r := rank(compare.Options{Rises: true, Skip: skip}, series...)
	got := map[int]bool{}
	for _, c := range r.Changes {
		got[c.Series] = c.IsUp()
		if c.Series == 0 && (c.From > 50 || c.To < 270) {
			t.Errorf("it rose from %v to %v", c.From, c.To)
		}
	}
	if up, ok := got[0]; !ok || !up {
		t.Errorf("what rises is not told: %+v", r.Changes)
	}
	if up, ok := got[1]; !ok || up {
		t.Errorf("what falls is not told: %+v", r.Changes)
	}
	for _, i := range []int{2, 4, 5} {
		if _, ok := got[i]; ok {
			t.Errorf("series %d is told", i)
		}
	}
	if r.Judged != len(series)-1 {
		t.Errorf("%d were judged", r.Judged)
	}
}
