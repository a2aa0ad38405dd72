package backtest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/alert/rulepack"
	"perfdeck/session/record/relog"
	"perfdeck/session/source/replay"
)

// Try is how rules are tried on a part of a recording.
type Try struct {
	Begin, End time.Time                   // zero: no limit; a sample at the end is judged
	Jump       bool                        // what lies before is not read
	Meant      func(host string) bool      // which hosts
	Tick       func(at time.Time)          // called for each sample that is read; nil: nobody wants to know
	Take       func(e []alert.Event) error // called with what each sample that was judged told; its error ends it
	samples    int64
}

// Limit reads --begin and --end of a recording. That nothing lies between them is relog.ErrOutside.
func (t *Try) Limit(player *replay.Player, begin, end string) (err error) {
	first, last := player.Bounds()
	if t.Begin, t.End, err = relog.Limits(begin, end, first, first); err != nil {
		return err
	}
	if t.Begin.After(last) || !t.End.IsZero() && t.End.Before(first) {
		return session.Usage(session.WithHint(fmt.Errorf("watch --replay: %w", relog.ErrOutside), relog.Extent(first, last)))
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

// Run judges. That there was enough, as Take says, is no error.
func (t *Try) Run(ctx context.Context, player *replay.Player, b *alert.Backtest) error {
	from := time.Time{}
	if t.Jump {
		from = t.Begin
	}
	meant := func(h *replay.Host) bool { return t.Meant(h.Name()) }
	err := JudgeFrom(ctx, player, from, b, meant, func(at time.Time, judge func()) error {
		if t.Tick != nil {
			t.Tick(at)
		}
		switch {
		case at.Before(t.Begin):
			return nil
		case !t.End.IsZero() && at.After(t.End):
			return errPastEnd
		}
		judge()
		t.samples++
		return t.Take(b.Events())
	})
	if errors.Is(err, errPastEnd) || errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// Samples is how many were judged.
func (t *Try) Samples() int64 { return t.samples }

// Judged tells how many rules could be judged, and how many of the user's could not: those of
// packs are for many kinds of hosts, and may find nothing.
func Judged(outcomes []alert.Outcome) (judged, lacking int) {
	for i := range outcomes {
		switch o := &outcomes[i]; {
		case o.Problem == "":
			judged++
		case !rulepack.IsOrigin(o.Rule.Origin):
			lacking++
		}
	}
	return judged, lacking
}
