package logs

import (
	"context"
	"io"
	"time"

	"perfdeck/cooker"
)

// Memory is a recording that is in no file. It is not changed while somebody reads it.
type Memory struct {
	Columns []Column
	Times   []time.Time // of the rows; they do not fall
	Values  []float32   // row by row, a number for each column; NaN: there is none
}

// Open reads it from its first row on. Any number of readers read at once.
func (m *Memory) Open(ctx context.Context) Reader {
	open := func() (FileRows, error) {
		return &memoryReader{Memory: m, header: Header{Zone: LocalZone(time.Now()), Columns: m.Columns}}, nil
	}
	r, _ := open() // which never fails
	return NewReader(ctx, r, open, OpenOptions{}, false)
}

// memoryReader reads rows whose places are their numbers.
type memoryReader struct {
	*Memory

	header Header
	only   Chosen
	at     int
}

func (r *memoryReader) Header() *Header                { return &r.header }
func (r *memoryReader) Only(columns []int)             { r.only = ChooseColumns(columns, len(r.Columns)) }
func (r *memoryReader) Faults() Faults                 { return Faults{} }
func (r *memoryReader) Close() error                   { return nil }
func (r *memoryReader) Complete(context.Context) error { return nil }
func (r *memoryReader) IsComplete() (bool, error)      { return true, nil }
func (r *memoryReader) Position() int64                { return int64(r.at) }

func (r *memoryReader) GoTo(place int64) error {
	r.at = int(place)
	return nil
}

func (r *memoryReader) Bounds() (first, end, near int64, err error) {
	if len(r.Times) == 0 {
		return -1, 0, 1, nil
	}
	return 0, int64(len(r.Times)), 1, nil
}

func (r *memoryReader) RowAt(place, before int64) (at int64, t time.Time, err error) {
	if place >= before {
		return -1, t, nil
	}
	return place, r.Times[place], nil
}

func (r *memoryReader) BackFrom(place int64, n int) (at int64, went int, err error) {
	went = min(n, int(place))
	return place - int64(went), went, nil
}

func (r *memoryReader) Span() (s Span, err error) {
	if n := len(r.Times); n > 0 {
		s = Span{First: r.Times[0], Last: r.Times[n-1], Rows: int64(n), Exact: true}
	}
	return s, nil
}

func (r *memoryReader) Next(row *Row) error {
	if r.at >= len(r.Times) {
		return io.EOF
	}
	row.Time, row.Raw, row.Values = r.Times[r.at], row.Raw[:0], row.Values[:0]
	for i, v := range r.Values[r.at*len(r.Columns) : (r.at+1)*len(r.Columns)] {
		switch {
		case !r.only.Has(i):
			row.Values = append(row.Values, cooker.Absent(cooker.Pending))
		case v != v:
			row.Values = append(row.Values, cooker.Absent(cooker.Gap))
		default:
			row.Values = append(row.Values, cooker.FloatValue(float64(v)))
		}
	}
	r.at++
	return nil
}
