package difference

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"perfdeck/cooker"
	"perfdeck/cooker/compare"
	"perfdeck/session"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/guard"
	"perfdeck/session/text/english"
)

// The times that are compared.

const (
	mostDays = 14 // other days that are looked at, on both sides
	day      = 24 * time.Hour

	// Longest is how long a time may be.
	Longest = 400 * day
)

// planTime plans a time of one recording against another.
func (a *comparison) planTime() error {
	s := a.sides[0]
	window := a.o.Window
	at, err := a.moment("at", a.o.At, s)
	if err != nil {
		return err
	}
	var from time.Time
	length := window
	switch a.o.Against {
	case Before:
		length = compare.TimeBefore(window)
		if from = at.Add(-length); from.Before(s.first) {
			from, length = s.first, at.Sub(s.first)
		}
	case Hour:
		from = at.Add(-time.Hour)
	case Day:
		from = at.AddDate(0, 0, -1)
	default:
		if from, err = a.moment("against", a.o.Against, s); err != nil {
			return err
		}
	}
	if !from.Add(length).After(s.first) || length <= 0 {
		return failure.Usage(failure.WithHint(fmt.Errorf("compare: the recording has nothing of the time from %s to %s", from.Format(time.DateTime), from.Add(length).Format(time.DateTime)),
			s.extent()+": look at a later time, or compare with another (--against)"))
	}
	if from.Before(at.Add(window)) && at.Before(from.Add(length)) {
		return failure.Usage(failure.WithHint(errors.New("compare: the two times overlap"), "a shorter --window, or another --against"))
	}
	a.before = a.span(from, length, compare.Blocks)
	a.during = a.span(at, window, compare.BlocksFor(window, length))
	s.spans = append(s.spans, a.before, a.during)
	for d := -mostDays; d <= mostDays && a.o.Against == Before; d++ {
		if other := at.AddDate(0, 0, d); d != 0 && !other.Before(s.first) && other.Before(s.last) {
			a.usual = append(a.usual, a.span(other, window, compare.BlocksFor(window, length)))
		}
	}
	s.spans = append(s.spans, a.usual...)
	return nil
}

// moment is one of --at and --against, in the recording.
func (a *comparison) moment(flag, text string, s *Side) (time.Time, error) {
	at, err := relog.MomentWithin(flag, text, s.first, s.last)
	if words := session.AgainWords(at, s.last); words != "" {
		a.notes = append(a.notes, "--"+flag+": "+words)
	}
	if err != nil && !errors.Is(err, relog.ErrOutside) {
		err = failure.WithHint(err, "before, hour and day are words of --against")
	}
	return at, err
}

// extent tells where a recording begins and ends.
func (s *Side) extent() string {
	return relog.Extent(s.first, s.last)
}

func (a *comparison) span(from time.Time, length time.Duration, blocks int) *compare.Span {
	return compare.NewSpan(from, length, blocks, len(a.series))
}

// planSides plans one side against the other.
func (a *comparison) planSides() error {
	was, now := a.sides[0], a.sides[1]
	for _, s := range a.sides {
		if err := a.limit(s); err != nil {
			return err
		}
	}
	if from, to := was.first.Format("-07:00"), now.first.Format("-07:00"); from != to {
		a.notes = append(a.notes, fmt.Sprintf("their zones differ, UTC%s and UTC%s: wall clocks count", from, to))
	}
	length := now.length()
	days := now.sameHours(was)
	if len(days) > 0 {
		nearest := days[0]
		now.first, length = now.first.Add(nearest.skip), nearest.length
		a.before = a.span(nearest.from, length, compare.Blocks)
		for _, d := range days[1:] {
			if d.skip == nearest.skip && d.length == length {
				a.usual = append(a.usual, a.span(d.from, length, compare.Blocks))
			}
		}
	} else {
		a.before = a.span(was.first, was.length(), compare.Blocks)
	}
	a.during = a.span(now.first, length, compare.BlocksFor(length, a.before.Length()))
	was.spans, now.spans = append([]*compare.Span{a.before}, a.usual...), []*compare.Span{a.during}
	return nil
}

// limit takes --begin and --end into account.
func (a *comparison) limit(s *Side) error {
	again := func(words string) { a.notes = append(a.notes, s.Name+": "+words) }
	begin, end, err := relog.Limits(a.o.Begin, a.o.End, s.first, s.last, time.Time{}, again)
	if err != nil {
		return err
	}
	if begin.After(s.last) || !end.IsZero() && (end.Before(s.first) || end.Before(begin)) {
		return failure.Usage(failure.WithHint(fmt.Errorf("compare %s: nothing between --begin and --end: %w", s.Name, relog.ErrOutside), s.extent()))
	}
	s.first = session.Later(s.first, begin)
	if !end.IsZero() {
		s.last = session.Earlier(s.last, end)
	}
	return nil
}

// length is how long the recording is, with its last sample.
func (s *Side) length() time.Duration {
	return min(s.last.Sub(s.first), math.MaxInt64-1) + 1
}

// wall is a wall clock as if it were UTC.
func wall(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.Add(time.Duration(offset) * time.Second)
}

// sameDay is the part of a recording at times of day that another one has, too.
type sameDay struct {
	from   time.Time     // in it
	skip   time.Duration // so much of the other lies before
	length time.Duration
}

// sameHours are the parts of another recording at the same times of day, those of the
// nearest day first: at least half of the recording, which is not longer than a day. None
// where they are of the same day, or where nothing has to be left out.
func (s *Side) sameHours(other *Side) []sameDay {
	length := s.length()
	apart := wall(s.first).Sub(wall(other.first))
	if length > day || apart.Abs() < day/2 && other.last.Sub(other.first) < day {
		return nil
	}
	var days []sameDay
	for n := int(math.Floor(float64(wall(s.first).Sub(wall(other.last))) / float64(day))); len(days) <= mostDays; n++ {
		from, to := s.first.Add(-time.Duration(n)*day), s.last.Add(-time.Duration(n)*day)
		from, to = onClock(from, other), onClock(to, other)
		if to.Before(other.first) {
			break
		}
		d := sameDay{from: from}
		if from.Before(other.first) {
			d.from, d.skip = other.first, other.first.Sub(from)
		}
		if d.length = session.Earlier(to, other.last).Sub(d.from) + 1; n != 0 && 2*d.length >= length {
			days = append(days, d)
		}
	}
	return days
}

// onClock is the moment at which the clocks of another recording show the same.
func onClock(t time.Time, other *Side) time.Time {
	_, offset := other.first.Zone()
	return wall(t).Add(-time.Duration(offset) * time.Second)
}

// read reads both sides at the same time.
func (a *comparison) read(ctx context.Context) error {
	errs := make([]error, len(a.sides))
	show, end := a.o.Progress(func() (float64, string, bool) {
		at, of := int64(0), int64(0)
		for _, s := range a.sides {
			came, whole := s.came.Get()
			at, of = at+came, of+whole
		}
		return float64(at) / float64(max(of, 1)), "", of > 0
	})
	defer end()
	wait := func() {}
	if len(a.sides) == 2 {
		wait = guard.Beside(func() { errs[1] = a.sides[1].read(ctx, len(a.series), func() {}) })
	}
	errs[0] = a.sides[0].read(ctx, len(a.series), show)
	wait()
	for i, s := range a.sides {
		if i == 0 || s.Name != a.sides[0].Name {
			for _, words := range slices.Concat(logs.SetBack(s.reader, s.Line), s.reader.Header().TakenWords()) {
				a.notes = append(a.notes, s.Name+": "+words)
			}
		}
	}
	for i, err := range errs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("compare %s: %w", a.sides[i].Name, err)
		}
	}
	for _, s := range a.sides {
		for _, span := range s.spans {
			if span.Rows() == 0 && (span == a.before || span == a.during) {
				return failure.WithHint(fmt.Errorf("compare %s: no sample from %s to %s", s.Name, span.Begin().Format(time.DateTime), span.End().Format(time.DateTime)), s.extent())
			}
		}
	}
	a.noteIntervals()
	return nil
}

// noteIntervals tells that samples of both are not alike.
func (a *comparison) noteIntervals() {
	was, now := a.before.Interval(), a.during.Interval()
	if was > 0 && now > 0 && (was > 2*now || now > 2*was) {
		a.notes = append(a.notes, fmt.Sprintf("their intervals differ, %s and %s: peaks that are shorter than the longer one do not count alike", english.Span(was), english.Span(now)))
	}
}

// read reads the spans of a side.
func (s *Side) read(ctx context.Context, series int, tick func()) error {
	values := make([]float64, series)
	var visits []logs.Visit
	for _, span := range s.spans {
		visits = append(visits, logs.Visit{From: span.Begin(), To: span.End().Add(-1), Columns: s.columns, Add: func(row *logs.Row) {
			s.project(row, values)
			span.Add(row.Time, values)
			for i, sum := range s.sums[span] {
				row.Sum(s.columns[i], sum)
			}
		}})
	}
	return logs.Scan{Tick: tick, Came: s.came.Set}.Visit(ctx, s.reader, visits)
}

// sumUp lets the series be summed up in a span. Of several columns of one path the last one
// counts.
func (s *Side) sumUp(span *compare.Span, series []Series, which int) {
	sums := make([]*cooker.Accumulator, len(s.columns))
	for i, place := range s.places {
		sums[i] = new(s.reader.Header().Columns[s.columns[i]].Accumulator())
		series[place].Sums[which] = sums[i]
	}
	if s.sums == nil {
		s.sums = map[*compare.Span][]*cooker.Accumulator{}
	}
	s.sums[span] = sums
}

// project puts the values of a row at the places of their series. Of several columns of one
// path the first that has a value counts.
func (s *Side) project(row *logs.Row, values []float64) {
	for i := range values {
		values[i] = math.NaN()
	}
	for i, c := range s.columns {
		if f, ok := row.Values[c].Float(); ok && values[s.places[i]] != values[s.places[i]] {
			values[s.places[i]] = f
		}
	}
}
