package logs

import (
	"context"
	"slices"
	"time"

	"perfdeck/session"
)

// Visit is a time of a recording of which the rows are handed out.
type Visit struct {
	From, To time.Time // both included
	Columns  []int     // that are wanted, in order
	Add      func(*Row)
}

// Visit reads times of a recording: those that follow one another in one go.
func (s Scan) Visit(ctx context.Context, r Reader, visits []Visit) error {
	visits = slices.Clone(visits)
	slices.SortStableFunc(visits, func(a, b Visit) int { return a.From.Compare(b.From) })
	for len(visits) > 0 {
		n, columns := 0, []int(nil)
		for s.Until = visits[0].To; n < len(visits) && !visits[n].From.After(s.Until); n++ {
			s.Until = session.Later(s.Until, visits[n].To)
			columns = append(columns, visits[n].Columns...)
		}
		slices.Sort(columns)
		r.Only(slices.Compact(columns))
		if err := r.SeekTime(visits[0].From); err != nil {
			return err
		}
		for row, err := range s.Rows(ctx, r) {
			if err != nil {
				return err
			}
			for i := range visits[:n] {
				if v := &visits[i]; !row.Time.Before(v.From) && !row.Time.After(v.To) {
					v.Add(row)
				}
			}
		}
		visits = visits[n:]
	}
	return nil
}
