package replay

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/logs"
)

var errNoSet = errors.New("the recording has no such counterset")

// Past gives samples of countersets, whole ones, with files of its own: the last one at a moment or
// before it, which rates are made with, and those behind it up to another, in the order of time.
// Readings are raw where those were recorded, else cooked (cooker.CookedReading). A batch is good
// until the next one; an error is the last that is given. Any goroutine may call it.
func (h *Host) Past(ctx context.Context, wants []session.Want, from, to time.Time) iter.Seq2[*session.Batch, error] {
	return func(yield func(*session.Batch, error) bool) {
		r, err := h.tape.source.reader()
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = r.Close() }()
		plans, columns := h.plansOf(wants)
		r.Only(columns)
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
				plans[i].read(&batch.Sets[i], row, h.tape.source.columns)
			}
			if !yield(&batch, nil) {
				return
			}
		}
	}
}

// plansOf are the plans of wants, nil where the recording has no such counterset, and the columns
// that are read for them.
func (h *Host) plansOf(wants []session.Want) (plans []*plan, columns []int) {
	plans, columns = make([]*plan, len(wants)), []int{}
	for i, w := range wants {
		if cols := h.track.columns.sets[w.Set]; cols != nil {
			plans[i] = newPlan(session.Ask{Set: w.Set, Counters: w.Counters}, cols)
			columns, _ = plans[i].columns(columns)
		}
	}
	slices.Sort(columns)
	return plans, slices.Compact(columns)
}

// read is fill for who reads values as hosts give them.
func (p *plan) read(b *session.SetBatch, row *logs.Row, recorded []logs.Column) {
	if p == nil {
		b.Err = errNoSet
		return
	}
	b.Counters = p.ask.Counters
	p.fill(b, row, recorded, false)
	for i, v := range b.Values {
		if i == len(b.Readings) {
			b.Readings = append(b.Readings, cooker.Reading{State: cooker.Pending})
		}
		if b.Readings[i].State == cooker.Pending {
			b.Readings[i] = b.Cooked(b.Set.Counters[b.Counters[i%len(b.Counters)]].Type, v)
		}
	}
	b.Values = nil
}
