// Package backtest judges alert rules over recordings: in one pass through their files, and
// for screens that show how things stood at any moment of one.
package backtest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
)

// ErrEnough ends a pass: there are so many events that more would not be seen.
var ErrEnough = errors.New("enough")

// Progress is how far a pass came, for those who look on from another goroutine.
type Progress struct{ nanos atomic.Int64 }

// Set notes the moment of a sample.
func (m *Progress) Set(at time.Time) { m.nanos.Store(at.UnixNano()) }

// Get is the moment that was noted last; ok is false before the first.
func (m *Progress) Get() (at time.Time, ok bool) {
	nanos := m.nanos.Load()
	return time.Unix(0, nanos), nanos != 0
}

// Try is how rules are tried on a part of a recording.
type Try struct {
	Begin, End time.Time                   // zero: no limit; a sample at the end is judged
	Jump       bool                        // what lies before is not read
	Meant      func(h *replay.Host) bool   // which hosts
	Tick       func(at time.Time)          // called for each sample that is read; nil: nobody wants to know
	Take       func(e []alert.Event) error // called with what each sample that was judged told; its error ends it
	samples    int64
}

// Limit reads --begin and --end of a recording, as relog.Limits does. That nothing lies between
// them is relog.ErrOutside.
func (t *Try) Limit(player *replay.Player, begin, end string, again func(words string)) (err error) {
	first, last := player.Bounds()
	if t.Begin, t.End, err = relog.Limits(begin, end, first, last, first, again); err != nil {
		return err
	}
	if t.Begin.After(last) || !t.End.IsZero() && t.End.Before(first) {
		return failure.Usage(failure.WithHint(fmt.Errorf("watch --replay: %w", relog.ErrOutside), relog.Extent(first, last)))
	}
	return nil
}

// Share is how much of the recording lies before a moment, up to the end.
func (t *Try) Share(player *replay.Player, at time.Time) float64 {
	first, last := player.Bounds()
	if !t.End.IsZero() && t.End.Before(last) {
		last = t.End
	}
	return float64(at.Sub(first)) / float64(max(last.Sub(first), 1))
}

// Span is from when to when was judged so far; the whole recording before anything was.
func (t *Try) Span(player *replay.Player, b *alert.Backtest) (from, to time.Time) {
	from, to = player.Bounds()
	if from.Before(t.Begin) {
		from = t.Begin.In(player.About().Zone)
	}
	if t.samples > 0 {
		to = b.Now().Wall
	}
	return from, to
}

// errPastEnd: what is later is not to be judged.
var errPastEnd = errors.New("the end is reached")

// Run judges, with files of its own, in one pass and in order of time. That there was enough, as
// Take says, is no error.
func (t *Try) Run(ctx context.Context, player *replay.Player, b *alert.Backtest) error {
	from := time.Time{}
	if t.Jump {
		from = t.Begin
	}
	asks := func(h *replay.Host) []session.Ask {
		if !t.Meant(h) {
			return nil
		}
		return b.Ask(alert.Recorded{
			Name: h.Name(), Catalogue: h.Catalogue(), Every: h.Every, Last: h.Last(),
			Events: func() []session.HostEvent { return h.Events().Recorded(ctx) },
		})
	}
	err := player.Walk(ctx, from, asks, func(h *replay.Host, s *session.Snapshot) error {
		if !t.Meant(h) {
			return nil
		}
		if t.Tick != nil {
			t.Tick(s.Time)
		}
		switch {
		case s.Time.Before(t.Begin):
			return nil
		case !t.End.IsZero() && s.Time.After(t.End):
			return errPastEnd
		}
		b.Observe(h.Name(), s)
		t.samples++
		return t.Take(b.Events())
	})
	if errors.Is(err, errPastEnd) || errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// Result is what came of rules: how they did, and how things stood at any moment.
type Result struct {
	*alert.Timeline

	Backtest *alert.Backtest
	Events   []alert.Event
	Left     string // which rules there was no room for; empty: none
	Stopped  string // why they were not judged to the end; empty: they were
}

// Timeline judges as Run does, up to alert.MostEvents. With an error it is that of what was judged.
func (t *Try) Timeline(ctx context.Context, player *replay.Player, o alert.BacktestOptions) (Result, error) {
	o.Zone, o.Timeline = player.About().Zone, true
	c := Result{Backtest: alert.NewBacktest(o)}
	t.Take = func(told []alert.Event) error {
		if c.Events = append(c.Events, told...); len(c.Events) < alert.MostEvents {
			return nil
		}
		c.Stopped = Stopped(alert.MostEvents, c.Backtest)
		return ErrEnough
	}
	err := t.Run(ctx, player, c.Backtest)
	c.Timeline, c.Left = c.Backtest.Timeline(c.Events), c.Backtest.Left()
	return c, err
}

// Stopped says that there were so many events that the rest was not judged.
func Stopped(events int, b *alert.Backtest) string {
	return fmt.Sprintf("after %d events rules were not judged any more, from %s on", events, b.Now().Wall.Format(time.DateTime))
}

// Judged tells how many rules could be judged, and how many of the user's could not: those of
// packs are for many kinds of hosts, and may find nothing.
func Judged(outcomes []alert.Outcome) (judged, lacking int) {
	for _, o := range outcomes {
		switch {
		case o.Problem == "":
			judged++
		case !o.Rule.IsOfPack():
			lacking++
		}
	}
	return judged, lacking
}
