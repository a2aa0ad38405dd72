package session

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
)

// A ring shows the last n values, and what a reader holds never changes.
func TestRing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 60} {
		r := ring[int]{n: n}
		var all []int
		type held struct{ slice, copy []int }
		var readers []held
		for i := range 10*n + 50 {
			if i == 5*n {
				r.n = n + 3 // the interval changed
			}
			r.add(i)
			all = append(all, i)
			got := r.last()
			if len(got) > r.n || !slices.Equal(got, all[len(all)-len(got):]) {
				t.Fatalf("n %d: %v after %v", r.n, got, all)
			}
			if i < 5*n && len(got) != min(n, len(all)) {
				t.Fatalf("n %d: %d values after %d", n, len(got), len(all))
			}
			if cap(r.buf) > 2*r.n+16 {
				t.Fatalf("n %d: room for %d values", n, cap(r.buf))
			}
			if random.IntN(3) == 0 {
				readers = append(readers, held{got, slices.Clone(got)})
			}
		}
		for _, h := range readers {
			if !slices.Equal(h.slice, h.copy) {
				t.Fatalf("n %d: %v became %v", n, h.copy, h.slice)
			}
			_ = append(h.slice, -1) // does not reach into the ring
		}
		if got := r.last(); !slices.Equal(got, all[len(all)-len(got):]) {
			t.Fatalf("n %d: a reader wrote into the ring", n)
		}
	}
}

// keeping is room for so many numbers.
func keeping(samples int, fine bool) numbers {
	return numbers{values: ring[float32]{n: samples}, fine: fine}
}

func TestSeriesFillsGaps(t *testing.T) {
	s := series{numbers: keeping(5, false), next: 10}
	s.put(10, cooker.WholeValue(1), false)
	s.put(11, cooker.WholeValue(2), false)
	s.put(14, cooker.WholeValue(5), false)
	v := s.view()
	if v.First != 10 || len(v.Values) != 5 || v.Values[0] != 1 || v.Values[4] != 5 {
		t.Fatalf("series %+v", v)
	}
	if a, b := float64(v.Values[2]), float64(v.Values[3]); !math.IsNaN(a) || !math.IsNaN(b) {
		t.Errorf("series %+v, want no values for 12 and 13", v)
	}
	s.put(1_000_000, cooker.WholeValue(7), false)
	if v = s.view(); v.First != 999_996 || len(v.Values) != 5 || v.Values[4] != 7 || !math.IsNaN(float64(v.Values[3])) {
		t.Errorf("series %+v after a long gap", v)
	}
}

// The history of a text is its changes: each sample shows what held there, gaps are
// gaps, and what a reader holds does not change.
func TestSeriesOfTexts(t *testing.T) {
	s := series{numbers: keeping(6, false), next: 10}
	show := func(v Series, from, to uint64) (out string) {
		for end := from; end <= to; end++ {
			text, ok := v.Text(end)
			if word, _ := text.Text(); ok && text.Valid() {
				out += word
			} else if ok {
				out += "-"
			} else {
				out += "."
			}
		}
		return out
	}
	put := func(at uint64, v cooker.Value, filled bool) {
		s.putText(at, v, filled)
		s.put(at, v, filled)
	}
	put(10, cooker.TextValue("a"), false)
	put(11, cooker.TextValue("a"), false)
	first := s.view()
	put(12, cooker.TextValue("b"), false)
	put(14, cooker.TextValue("b"), false) // 13 was missed
	put(16, cooker.TextValue("c"), true)  // 15 was passed over
	put(17, cooker.Absent(cooker.Unavailable), false)
	if got, want := show(s.view(), 11, 19), "..b-bbc-."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := show(first, 10, 13); got != ".aa." {
		t.Errorf("held before: %s", got)
	}
	held := s.view()
	before := show(held, 11, 19)
	for at := range uint64(100) {
		put(18+at, cooker.TextValue(string(rune('a'+at%26))), false)
	}
	if got := show(held, 11, 19); got != before {
		t.Errorf("held before: %s, want %s", got, before)
	}
	if n := len(s.texts.changes.last()); n > 6 {
		t.Errorf("%d changes for 6 samples", n)
	}
	if got := show(s.view(), 112, 118); got != ".qrstuv" {
		t.Errorf("the last ones: %s", got)
	}
}

func window(least, most, mean float64, count int, at uint64) Window {
	return Window{Min: cooker.FloatValue(least), Max: cooker.FloatValue(most), Mean: cooker.FloatValue(mean), Count: count, MaxAt: at}
}

func TestSliceAndWindow(t *testing.T) {
	nan := float32(math.NaN())
	s := Series{First: 100, Values: []float32{1, 2, nan, 4, 5}}
	for _, c := range []struct {
		end    uint64
		n      int
		length int
		want   Window
	}{
		{105, 5, 5, window(1, 5, 3, 4, 104)},
		{105, 2, 2, window(4, 5, 4.5, 2, 104)},
		{105, 60, 5, window(1, 5, 3, 4, 104)},
		{103, 2, 2, window(2, 2, 2, 1, 101)},
		{103, 1, 1, Window{}},
		{110, 6, 1, window(5, 5, 5, 1, 104)},
		{110, 5, 0, Window{}},
		{100, 5, 0, Window{}},
		{3, 5, 0, Window{}},
		{105, 0, 0, Window{}},
	} {
		if got := s.Cut(c.end, c.n).Values; len(got) != c.length {
			t.Errorf("%d samples up to %d: %v, want %d", c.n, c.end, got, c.length)
		}
		if got := s.Window(c.end, c.n); got != c.want {
			t.Errorf("%d samples up to %d: %+v, want %+v", c.n, c.end, got, c.want)
		}
	}
}

func TestTimeline(t *testing.T) {
	line := Timeline{First: 7, Nanos: []int64{70, 80, 90}}
	for n, want := range map[uint64]time.Time{6: {}, 7: time.Unix(0, 70), 9: time.Unix(0, 90), 10: {}, math.MaxUint64: {}} {
		if got := line.At(n); !got.Equal(want) {
			t.Errorf("sample %d at %v, want %v", n, got, want)
		}
	}
	if line.Next() != 10 {
		t.Errorf("next is %d", line.Next())
	}
}

// insertRanked gives the same as sorting everything, and those that are kept
// come first among equals.
func TestInsertRanked(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		rows := random.IntN(60)
		n := 1 + random.IntN(12)
		values, had := make([]float64, rows), make([]bool, rows)
		var list []ranked
		for row := range rows {
			values[row] = float64(random.IntN(8))
			had[row] = random.IntN(3) == 0
			list = insertRanked(list, ranked{row: int32(row), value: values[row]}, n, func(r ranked) bool { return had[r.row] })
			if len(list) > n {
				t.Fatalf("%d rows, want at most %d", len(list), n)
			}
		}
		order := make([]int32, rows)
		for row := range order {
			order[row] = int32(row)
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			if d := values[b] - values[a]; d != 0 {
				return int(d)
			}
			return map[bool]int{true: 0, false: 1}[had[a]] - map[bool]int{true: 0, false: 1}[had[b]]
		})
		for i, row := range order[:min(n, rows)] {
			if list[i].row != row {
				t.Fatalf("place %d of %d: row %d, want %d", i, n, list[i].row, row)
			}
		}
	}
}

// What is cut out of a history is what the history has there, with all digits.
func TestCut(t *testing.T) {
	h := numbers{values: ring[float32]{n: 40}, fine: cooker.DefaultFormat().IsOneNumber()}
	for i := range uint64(30) {
		n := i
		if i >= 12 && i%3 > 0 {
			n += 1<<40 + 1
		}
		h.add(cooker.WholeValue(n))
	}
	s := h.before(130, 130)
	for end := uint64(95); end < 135; end++ {
		for n := range 35 {
			part := s.Cut(end, n)
			for at := uint64(95); at < 135; at++ {
				want := cooker.Absent(cooker.Gap)
				if at < end && at+uint64(n) >= end {
					want = s.Value(at)
				}
				if got := part.Value(at); got != want {
					t.Fatalf("%d samples before %d: %d is %v, want %v", n, end, at, got, want)
				}
			}
			if got, want := part.Window(end, n), s.Window(end, n); got != want {
				t.Fatalf("%d samples before %d: %+v, want %+v", n, end, got, want)
			}
		}
	}
}
