package replay

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/record/logs"
)

var errNoSet = errors.New("the recording has no such counterset")

// Past implements session.Recorded, with files of its own.
func (h *Host) Past(ctx context.Context, wants []session.Want, from, to time.Time) iter.Seq2[*session.Batch, error] {
	return func(yield func(*session.Batch, error) bool) {
		r, err := h.tape.source.reader()
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = r.Close() }()
		r.Only(h.columnsOf(wants))
		if err = r.SeekTime(from.Add(1)); err == nil {
			_, err = r.Back(1)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		var batch session.Batch
		for row, err := range (logs.Scan{Until: to}).Rows(ctx, r) {
			if err != nil {
				yield(nil, err)
				return
			}
			batch.Fit(wants)
			batch.Time = row.Time
			for i := range batch.Sets {
				if cols := h.track.columns.sets[wants[i].Set]; cols != nil {
					cols.fill(&batch.Sets[i], row, h.tape.source.columns)
				} else {
					batch.Sets[i].Err = errNoSet
				}
			}
			if !yield(&batch, nil) {
				return
			}
		}
	}
}

// columnsOf are the columns that are read for wants, ascending.
func (h *Host) columnsOf(wants []session.Want) []int {
	columns := []int{}
	for _, w := range wants {
		cols := h.track.columns.sets[w.Set]
		if cols == nil {
			continue
		}
		counters := append(slices.Clone(w.Counters), cols.number, cols.owner)
		for i := range cols.instances {
			for _, counter := range counters {
				for _, c := range cols.of(i, counter) {
					columns = append(columns, int(c.column))
				}
			}
		}
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// fill fills in the instances that were there in a row: those of which it says anything.
func (s *setColumns) fill(b *session.SetBatch, row *logs.Row, recorded []logs.Column) {
	b.Clocks = cooker.Clocks{}
	for i := range s.instances {
		first, told := len(b.Readings), !s.set.Instances.Multiple()
		for _, counter := range b.Counters {
			reading := cooker.Reading{State: cooker.Unavailable}
			for n, c := range s.of(i, counter) {
				v := row.Values[c.column]
				if n == 0 || v.Valid() {
					reading = b.Cooked(s.set.Counters[counter].Type, v)
					if len(row.Raw) > 0 && row.Raw[c.column].Known && recorded[c.column].TypeKnown {
						reading = row.Raw[c.column].Reading
						addClocks(&b.Clocks, &row.Raw[c.column].Clocks)
					}
				}
				told = told || isTold(v)
				if v.Valid() {
					break
				}
			}
			b.Readings = append(b.Readings, reading)
		}
		if !told {
			b.Readings = b.Readings[:first]
			continue
		}
		in := s.instances[i]
		in.Number, _ = s.numberAt(i, s.number, row)
		in.Owner, _ = s.numberAt(i, s.owner, row)
		b.Instances = append(b.Instances, in)
	}
}

// isTold tells whether a value says that its instance is there.
func isTold(v cooker.Value) bool {
	switch v.Status() {
	case cooker.Gap, cooker.Gone, cooker.Pending, cooker.Unavailable:
		return false
	default:
		return true
	}
}

// numberAt is the number of a process that a row has in a counter of an instance.
func (s *setColumns) numberAt(instance, counter int, row *logs.Row) (n uint64, ok bool) {
	for _, c := range s.of(instance, counter) {
		if n, ok = numberOf(row.Values[c.column]); ok {
			return n, true
		}
	}
	return 0, false
}

// numberOf is the number of a process that a value is.
func numberOf(v cooker.Value) (n uint64, ok bool) {
	f, ok := v.Float()
	if !ok || f < 0 || f >= 1<<53 {
		return 0, false
	}
	return uint64(f), true
}
