package logs

import (
	"math"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
)

// Summary sums up the values of one column, in fixed memory.
type Summary struct {
	cooker.Accumulator

	Missing     int64
	Texts       int64     // values that are texts: they are neither counted nor missing
	First, Last time.Time // of the rows that gave values
	sketch      sketch
}

// Summarize makes the summaries of all columns of a header, ready for rows.
func Summarize(h *Header) []Summary {
	all := make([]Summary, len(h.Columns))
	for i := range h.Columns {
		all[i].Accumulator = h.Columns[i].Accumulator()
	}
	return all
}

// Accumulator makes one of the values of the column. Where its type is not known its name tells
// whether they are over the time since the row before.
func (c *Column) Accumulator() cooker.Accumulator {
	t := c.Type
	if !c.TypeKnown {
		t = cooker.CounterLargeRawCount
		path, err := paths.Parse(c.InEnglish())
		if err == nil {
			t = cooker.TypeByName(cooker.QuantityIn(t, path.Object, path.Counter), path.Counter)
		}
	}
	return cooker.NewAccumulator(t)
}

// Sum adds the value of a column in the row to what sums it up.
func (row *Row) Sum(column int, a *cooker.Accumulator) {
	if column < len(row.Raw) && row.Raw[column].Known {
		a.Add(row.Time, row.Values[column], &row.Raw[column].Reading, &row.Raw[column].Clocks)
		return
	}
	a.Add(row.Time, row.Values[column], nil, nil)
}

// Add takes in the value of a column in a row.
func (s *Summary) Add(row *Row, column int) {
	row.Sum(column, &s.Accumulator)
	v := &row.Values[column]
	f, ok := v.Float()
	switch {
	case ok:
		if s.Last = row.Time; s.First.IsZero() {
			s.First = row.Time
		}
		s.sketch.add(f)
	case v.IsText() && v.Valid():
		s.Texts++
	default:
		s.Missing++
	}
}

// Quantile is the value of rank q, from 0 to 1, within 1 % of it. Those at the
// ends are exact.
func (s *Summary) Quantile(q float64) cooker.Value {
	switch {
	case s.Count == 0 || math.IsNaN(q):
		return cooker.Absent(cooker.Unavailable)
	case q <= 0:
		return s.Min
	case q >= 1:
		return s.Max
	}
	least, _ := s.Min.Float()
	greatest, _ := s.Max.Float()
	return cooker.Within(cooker.FloatValue(s.sketch.quantile(q, least, greatest)), s.Min, s.Max)
}
