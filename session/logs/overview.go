package logs

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"time"
)

// Survey is what a pass over a recording finds: for a time bar.
type Survey struct {
	First, Last time.Time
	Rows        int64
	Interval    time.Duration // between rows, the usual one; 0: not known
	Gaps        []Gap         // in order of time, at most 1000
	Buckets     []Bucket      // of equal length in time, from First to Last
	Done        float64       // 0 to 1: how much of the recording was seen
}

// Gap is a time without rows: more than three intervals.
type Gap struct{ From, To time.Time }

// Bucket is a part of the time of a recording.
type Bucket struct {
	Min, Max float64
	Count    int64 // values in it; 0: Min and Max mean nothing
}

const (
	mostGaps     = 1000
	gapIntervals = 3
	surveyRows   = 4096 // between looks at the context and the clock
	surveyEvery  = 200 * time.Millisecond
)

// Overview surveys one column of a recording, which it reads from the beginning
// to the end: give it a Reader of its own. Some samples all over the recording
// come first, so that each is called with a coarse survey at once, then a few
// times a second. A column below 0 surveys times alone.
func Overview(ctx context.Context, r Reader, column, buckets int, each func(Survey)) (Survey, error) {
	columns := []int{}
	if column >= 0 {
		columns = append(columns, column)
	}
	r.Only(columns)
	span, err := r.Span()
	if err != nil || span.First.IsZero() {
		return Survey{Done: 1}, err
	}
	o := &overview{Survey: Survey{First: span.First, Last: span.Last}, column: column}
	o.Buckets = make([]Bucket, max(buckets, 1))
	if err := o.preview(ctx, r); err != nil {
		return o.Survey, err
	}
	each(o.snapshot())
	if err := r.SeekTime(span.First); err != nil {
		return o.Survey, err
	}
	err = o.pass(ctx, r, each)
	return o.Survey, err
}

type overview struct {
	Survey

	column int
	row    Row
}

// snapshot is a copy that does not change.
func (o *overview) snapshot() Survey {
	s := o.Survey
	s.Gaps, s.Buckets = slices.Clone(s.Gaps), slices.Clone(s.Buckets)
	return s
}

// preview reads two rows at the beginning of each bucket.
func (o *overview) preview(ctx context.Context, r Reader) error {
	length := o.Last.Sub(o.First) / time.Duration(len(o.Buckets))
	var intervals []time.Duration
	for i := range o.Buckets {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.SeekTime(o.First.Add(time.Duration(i) * length)); err != nil {
			return err
		}
		var before time.Time
		for range 3 {
			err := r.Next(&o.row)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			o.count()
			if d := o.row.Time.Sub(before); !before.IsZero() && d > 0 {
				intervals = append(intervals, d)
			}
			before = o.row.Time
		}
	}
	if len(intervals) > 0 {
		slices.Sort(intervals)
		o.Interval = intervals[len(intervals)/2]
	}
	return nil
}

// count takes the row into its bucket.
func (o *overview) count() {
	if o.column < 0 || o.column >= len(o.row.Values) {
		return
	}
	f, ok := o.row.Values[o.column].Float()
	if !ok {
		return
	}
	at := 0
	if length := o.Last.Sub(o.First); length > 0 {
		at = int(math.Floor(float64(o.row.Time.Sub(o.First)) / float64(length) * float64(len(o.Buckets))))
	}
	b := &o.Buckets[min(max(at, 0), len(o.Buckets)-1)]
	if b.Count == 0 || f < b.Min {
		b.Min = f
	}
	if b.Count == 0 || f > b.Max {
		b.Max = f
	}
	b.Count++
}

// pass reads all rows.
func (o *overview) pass(ctx context.Context, r Reader, each func(Survey)) error {
	preview := o.snapshot()
	clear(o.Buckets) // what the preview counted is counted again
	told := time.Now()
	var before time.Time
	for {
		err := r.Next(&o.row)
		if errors.Is(err, io.EOF) {
			o.Done = 1
			each(o.snapshot())
			return nil
		}
		if err != nil {
			return err
		}
		o.Rows++
		o.count()
		gap := o.Interval > 0 && o.row.Time.Sub(before) > gapIntervals*o.Interval
		if !before.IsZero() && gap && len(o.Gaps) < mostGaps {
			o.Gaps = append(o.Gaps, Gap{before, o.row.Time})
		}
		before = o.row.Time
		if o.Rows%surveyRows != 0 {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if time.Since(told) >= surveyEvery {
			told = time.Now()
			each(o.partly(r, preview))
		}
	}
}

// partly is what was seen so far, with the preview where nothing was.
func (o *overview) partly(r Reader, preview Survey) Survey {
	s := o.snapshot()
	if span, err := r.Span(); err == nil && span.Bytes > 0 {
		s.Done = float64(span.At) / float64(span.Bytes)
	}
	for i := range s.Buckets {
		if s.Buckets[i].Count == 0 {
			s.Buckets[i] = preview.Buckets[i]
		}
	}
	return s
}
