package columns

import (
	"math/rand/v2"
	"testing"
)

// used is how many cells a layout takes.
func (l *Layout) used(x int) int {
	end := x
	for _, p := range l.Places {
		if p.W > 0 {
			end = p.X + p.W
		}
	}
	return end - x
}

func random(r *rand.Rand) []Column {
	out := make([]Column, 1+r.IntN(9))
	for i := range out {
		c := &out[i]
		c.Min, c.Rank, c.Gap = r.IntN(20), r.IntN(Stays+1), r.IntN(2)
		if r.IntN(2) == 0 {
			c.Want = c.Min + r.IntN(30)
		}
		if r.IntN(3) == 0 {
			c.Enough = c.Min + r.IntN(10)
		}
		if r.IntN(3) == 0 {
			c.Ample = c.Min + r.IntN(10)
		}
	}
	return out
}

// At every width columns stand in their order beside one another, have their least
// width or none, take no more than they want, and leave by rank.
func TestFitSwept(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		cols, x, gap := random(r), r.IntN(4), 1+r.IntN(2)
		for w := range 140 {
			l := Fit(x, w, gap, cols)
			checkFit(t, &l, x, w, gap, cols)
		}
	}
}

func checkFit(t *testing.T, l *Layout, x, w, gap int, cols []Column) {
	t.Helper()
	if l.used(x) > w {
		t.Fatalf("%d cells, gap %d: %+v takes %d: %+v", w, gap, cols, l.used(x), l.Places)
	}
	end := x
	for i, p := range l.Places {
		c := cols[i]
		if p.W == 0 {
			continue
		}
		if end > x {
			end += gap
		}
		if end += c.Gap; p.X != end {
			t.Fatalf("%d cells: column %d stands at %d, not %d: %+v", w, i, p.X, end, l.Places)
		}
		end += p.W
		switch {
		case c.Rank < 1 || c.Min < 1:
			t.Fatalf("column %d is left out, and has %d cells", i, p.W)
		case p.W < c.Min && c.Rank < Stays:
			t.Fatalf("%d cells: column %d has %d of %d", w, i, p.W, c.Min)
		case p.W > max(c.Min, c.Want, c.Ample):
			t.Fatalf("%d cells: column %d wants %d, has %d", w, i, c.Want, p.W)
		case p.W > max(c.Min, c.Enough, c.Ample) && c.Enough > 0:
			for k, o := range cols {
				if need := max(o.Min, min(o.Want, o.Enough)); l.Has(k) && o.Enough > 0 && l.Places[k].W < need {
					t.Fatalf("%d cells: column %d has more than enough, %d has not: %+v %+v", w, i, k, cols, l.Places)
				}
			}
		}
	}
}

// A rank that has room for all its columns has it in a wider table too, and nothing
// is there while something of a higher rank is not.
func TestFitLeavesByRank(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 400 {
		cols := random(r)
		was := 0
		for w := range 140 {
			l := Fit(0, w, 1, cols)
			whole := Stays // all columns down to this rank are there
			for i, c := range cols {
				if c.Rank > 0 && c.Min > 0 && l.Places[i].W < c.Min {
					whole = min(whole, Stays-c.Rank)
				}
			}
			if whole < was {
				t.Fatalf("%d cells: ranks down to %d are there, in one cell less down to %d: %+v", w, Stays-whole, Stays-was, cols)
			}
			was = whole
			for i, c := range cols {
				if l.Has(i) && c.Rank < Stays-whole {
					t.Fatalf("%d cells: column %d is there, one of rank %d is not: %+v", w, i, Stays-whole, cols)
				}
			}
		}
	}
}

// A wider table has all columns of a narrow one; one that has a lower rank than another has
// room only where that has what is ample.
func TestMoreRoomShowsNoLess(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 400 {
		cols := random(r)
		var had Layout
		for w := range 140 {
			l := Fit(0, w, 1, cols)
			for i := range cols {
				if had.Has(i) && !l.Has(i) {
					t.Fatalf("column %d leaves at %d cells: %+v", i, w, cols)
				}
				for k, c := range cols {
					if l.Has(k) && l.Has(i) && cols[i].Rank < c.Rank && l.Places[k].W < c.Ample {
						t.Fatalf("%d cells: column %d is there, %d has %d: %+v", w, i, k, l.Places[k].W, cols)
					}
				}
			}
			had = l
		}
	}
}

// Of columns that stay the numbers have their cells first: names can be cut, half a
// number is another one.
func TestNumbersAreNotCutForNames(t *testing.T) {
	cols := []Column{{Min: 12, Want: 30, Rank: Stays}, {Min: 7, Rank: Stays, Align: Number}, {Min: 20, Rank: Stays, Align: Number}, {Min: 8, Rank: 1}}
	for w := 30; w < 60; w++ {
		l := Fit(3, w, 1, cols)
		if l.Places[1].W != 7 || l.Places[2].W != 20 || l.Places[0].W > 0 && l.Places[0].X != 3 {
			t.Errorf("%d cells: %+v", w, l.Places)
		}
	}
}
