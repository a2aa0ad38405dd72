package logs_test

import (
	"errors"
	"io"
	"math"
	"testing"
	"time"

	"perfdeck/session/files/logs"
)

// What is in memory is read as a file is: from any moment, forward and back, as far as columns are
// wanted, by several at once.
func TestMemory(t *testing.T) {
	begin := time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC)
	m := &logs.Memory{Columns: []logs.Column{{Path: `\\a\M\x`}, {Path: `\\a\M\y`}}}
	for i := range 10 {
		m.Times = append(m.Times, begin.Add(time.Duration(i)*time.Second))
		y := float32(100 + i)
		if i == 4 {
			y = float32(math.NaN())
		}
		m.Values = append(m.Values, float32(i), y)
	}
	r, other := m.Open(t.Context()), m.Open(t.Context())
	var row logs.Row
	next := func(want int, hasX, hasY bool) {
		t.Helper()
		if err := r.Next(&row); err != nil {
			t.Fatal(err)
		}
		x, okX := row.Values[0].Float()
		y, okY := row.Values[1].Float()
		if !row.Time.Equal(m.Times[want]) || okX != hasX || okY != hasY || hasX && x != float64(want) || hasY && y != float64(100+want) {
			t.Errorf("row %d is %v: %v %v, %v %v", want, row.Time, x, okX, y, okY)
		}
	}
	next(0, true, true)
	if err := r.SeekTime(begin.Add(3500 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	next(4, true, false)
	r.Only([]int{1})
	next(5, false, true)
	r.Only(nil)
	if n, err := r.Back(4); n != 4 || err != nil {
		t.Errorf("back by %d, %v", n, err)
	}
	next(2, true, true)
	if n, _ := r.Back(99); n != 3 {
		t.Errorf("back to the first by %d", n)
	}
	if err := other.Next(&row); err != nil || !row.Time.Equal(begin) {
		t.Errorf("the other one reads %v, %v", row.Time, err)
	}
	if err := r.SeekTime(begin.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := r.Next(&row); !errors.Is(err, io.EOF) {
		t.Errorf("behind the end: %v", err)
	}
	if s, err := r.Span(); err != nil || !s.First.Equal(begin) || !s.Last.Equal(m.Times[9]) || s.Rows != 10 {
		t.Errorf("span %+v, %v", s, err)
	}
	if s, err := (&logs.Memory{}).Open(t.Context()).Span(); err != nil || !s.First.IsZero() {
		t.Errorf("of nothing: %+v, %v", s, err)
	}
}
