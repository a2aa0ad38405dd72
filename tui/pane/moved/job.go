package moved

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"perfdeck/cooker/compare"
	"perfdeck/session"
	"perfdeck/tui/pane"
)

// job is work beside the screens.
type job struct {
	ctx    context.Context
	cancel context.CancelFunc
	came   atomic.Uint64 // the share of what was read, as bits of a float
	done   chan struct{}
}

func newJob() *job {
	j := &job{done: make(chan struct{})}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	return j
}

// isRunning tells whether it is under way still.
func (j *job) isRunning() bool {
	select {
	case <-j.done:
		return false
	default:
		return true
	}
}

func (j *job) isCancelled() bool { return j.ctx.Err() != nil }

func (j *job) share() float64 { return math.Float64frombits(j.came.Load()) }

func (j *job) tell(share float64) { j.came.Store(math.Float64bits(share)) }

// start has work done beside the screens, in place of what is under way, and then among
// them what it returns, unless it was given up. What says what is awaited, if it is short:
// what is typed meanwhile is for what it brings.
func (s *Screen) start(what string, work func(j *job) (done func())) {
	if s.job != nil {
		s.job.cancel()
	}
	j := newJob()
	s.job = j
	s.Desk.Wait(what, func() func(bool) {
		done := work(j)
		close(j.done)
		return func(bool) {
			if s.job == j && !j.isCancelled() {
				done()
			}
		}
	})
	s.watch(j)
}

// watch draws anew what is under way, now and then.
func (s *Screen) watch(j *job) {
	const often = 150 * time.Millisecond
	s.Desk.Wait("", func() func(bool) {
		timer := time.NewTimer(often)
		defer timer.Stop()
		select {
		case <-j.done:
		case <-timer.C:
		}
		return func(bool) {
			if s.job == j && j.isRunning() && !j.isCancelled() {
				s.watch(j)
			}
		}
	})
}

var (
	errNothingKept = errors.New("nothing is kept yet")
	errTooShort    = errors.New("the span has no samples to compare")
	errNoBefore    = errors.New("nothing is kept of the time before the span")
)

// leastRows is how many samples a span has at least, to be compared.
const leastRows = 3

// begin reads the span and the time before it, and finds what changed.
func (s *Screen) begin() {
	s.ask()
	src := sourceOf(s.Desk, &s.of)
	s.series, s.window, s.err, s.with = src.Recorded(), nil, nil, -1
	s.moved, s.along, s.grown = nil, nil, nil // they are places of the series before
	s.relist()
	first, last := src.Bounds()
	switch {
	case len(s.series) == 0 || first.IsZero():
		s.err = errNothingKept
	case s.of.To.Before(first) || s.of.From.After(last):
		s.err = fmt.Errorf("%w: what there is begins at %s and ends at %s", errTooShort, first.Format(time.DateTime), last.Format(time.DateTime))
	case !s.of.From.After(first):
		s.err = fmt.Errorf("%w: what there is begins at %s", errNoBefore, first.Format(time.DateTime))
	}
	if s.err != nil {
		s.job = newJob()
		close(s.job.done)
		return
	}
	s.before = min(compare.TimeBefore(s.of.To.Sub(s.of.From)), s.of.From.Sub(first))
	every := time.Second
	for i := range s.series {
		if e := s.series[i].Every; e > 0 && (i == 0 || e < every) {
			every = e
		}
	}
	series, of, before := s.series, s.of, s.before
	what := ""
	if s.Desk.Archive == nil {
		what = "comparing"
	}
	s.start(what, func(j *job) func() {
		window := compare.NewWindow(of.From, of.To, before, every, len(series))
		err := src.Read(j.ctx, of.From.Add(-before), of.To, window.Add, j.tell)
		if err == nil && window.During.Rows() < leastRows {
			err = errTooShort
		}
		if err != nil {
			return func() { s.err = err }
		}
		ranking := window.Rank(optionsOf(series))
		return func() { s.adopt(window, ranking) }
	})
}

// ask finds what was wrong in the span.
func (s *Screen) ask() {
	if s.Desk.Why == nil {
		return
	}
	j := newJob()
	s.why, s.asked = pane.Findings{}, j
	find := s.Desk.Why(s.Desk.Hosts, s.of.From.Add(-compare.TimeBefore(s.of.To.Sub(s.of.From))), s.of.From, s.of.To)
	s.Desk.Wait("", func() func(bool) {
		found, err := find(j.ctx)
		close(j.done)
		return func(bool) {
			if s.why = found; err != nil && !j.isCancelled() {
				s.why.Rest = []pane.Finding{{Lines: [][2]string{{"not known", err.Error()}}}}
			}
		}
	})
}

// optionsOf tells what is known of series when they are ranked.
func optionsOf(series []pane.Recorded) compare.Options {
	return compare.Options{
		Least: func(i int) float64 { return compare.Least(series[i].Set.Counters[series[i].Counter].Quantity) },
		Host:  func(i int) any { return series[i].Host },
		Skip:  func(i int) bool { return session.IsIdentity(series[i].Set.Counters[series[i].Counter].InEnglish()) },
		Rises: true,
	}
}

// adopt takes over what was found.
func (s *Screen) adopt(w *compare.Window, r compare.Ranking) {
	s.window, s.judged, s.few, s.moved = w, r.Judged, r.Few, nil
	for i := range r.Changes {
		s.moved = append(s.moved, s.changed(&r.Changes[i]))
	}
	s.grown = s.growth(r.Changes)
	s.Refresh()
}

// mostLag is the longest lag that is looked for, as a part of the span.
const mostLag = 4

// seek finds what went along with a series.
func (s *Screen) seek(with int) {
	w, most := s.window, s.of.To.Sub(s.of.From)/mostLag
	since, _ := s.shownTime()
	s.start("comparing", func(*job) func() {
		found := w.Along(with, since, most)
		return func() {
			s.with, s.along = with, nil
			for _, c := range found {
				r := s.rowOf(c.Series)
				r.companion, r.lag = c, lagText(time.Duration(c.Lag)*w.Bucket())
				s.along = append(s.along, r)
			}
			s.relist()
		}
	})
}
