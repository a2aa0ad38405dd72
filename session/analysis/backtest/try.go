package backtest

import (
	"context"
	"errors"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/alert/rulepack"
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
