package action

import (
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/system/backoff"
	"perfdeck/session/text/english"
)

// What is tried again and again: pauses, and what is told of an outage.

const (
	mostPause = time.Minute    // between two tries
	giveUp    = 24 * time.Hour // after which a notice is not sent any more
	tellEvery = time.Hour      // that nothing can be sent is told again
	tellAfter = time.Minute    // after which another reason is told
)

func newPauses() backoff.Pauses { return backoff.Pauses{First: time.Second, Most: mostPause} }

// outage is that a target takes nothing, and what was told of it.
type outage struct {
	reason string    // empty: nothing was told
	at     time.Time // when it was
}

// isNews tells whether a failure is to be told: the first one is, then another reason, and
// the same one rarely.
func (o *outage) isNews(err error, now time.Time) bool {
	reason, passed := err.Error(), now.Sub(o.at)
	if o.reason != "" && passed < tellEvery && (reason == o.reason || passed < tellAfter) {
		return false
	}
	o.reason, o.at = reason, now
	return true
}

// over ends an outage of a target. It is told if the outage was.
func (r *Runner) over(o *outage, a alert.Action) {
	if o.reason != "" && r.o.Tell != nil {
		r.o.Tell(fmt.Sprintf("alert action %s works again", a))
	}
	*o = outage{}
}

// keepAt tries to do a job until that works, cannot, or takes too long.
func (r *Runner) keepAt(j job, o *outage, try func() error) {
	began := time.Now()
	waited := max(0, began.Sub(j.notice.Time)) // in an earlier run
	failed := errClosed                        // the last try
	for pauses := newPauses(); ; {
		err := try()
		if err == nil {
			r.over(o, j.action)
			r.done(j)
			return
		}
		if errors.Is(err, errUnknown) {
			r.finish(j, errUnknown)
			return
		}
		if r.ctx.Err() != nil {
			break
		}
		failed = err
		wait := pauses.Next()
		answer, _ := errors.AsType[*callError](err)
		if _, isOfSet := errors.AsType[*setError](err); isOfSet || answer != nil && answer.permanent {
			r.finish(j, err)
			return
		}
		if answer != nil {
			wait = max(wait, min(answer.after, mostPause))
		}
		if now := time.Now(); now.Sub(began)+wait+waited > giveUp {
			r.finish(j, fmt.Errorf("given up after %s: %w", english.Span(giveUp), err))
			return
		} else if o.isNews(err, now) {
			r.fail(j.action, fmt.Errorf("%w; it is tried again for %s", err, english.Span(giveUp)))
		}
		if !session.Sleep(r.ctx, wait) {
			break
		}
	}
	r.leave(j.action, 1, fmt.Errorf("in vain: %w", failed))
}
