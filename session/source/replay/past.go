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
		plans := make([]*plan, len(wants)) // nil: the recording has no such counterset
		columns := []int{}
		for i, w := range wants {
			if cols := h.track.columns.sets[w.Set]; cols != nil {
				plans[i] = newPlan(session.Ask{Set: w.Set, Counters: w.Counters}, cols)
				columns, _ = plans[i].columns(columns)
			}
		}
		slices.Sort(columns)
		r.Only(slices.Compact(columns))
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
				b := &batch.Sets[i]
				if plans[i] == nil {
					b.Err = errNoSet
					continue
				}
				plans[i].fill(b, row, h.tape.source.columns, false)
				for at, v := range b.Values {
					if b.Readings[at].State == cooker.Pending {
						b.Readings[at] = b.Cooked(b.Set.Counters[b.Counters[at%len(b.Counters)]].Type, v)
					}
				}
			}
			if !yield(&batch, nil) {
				return
			}
		}
	}
}
