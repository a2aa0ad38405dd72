package action

import (
	"context"
	"errors"
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/failure"
)

// What hosts answer to what is done already, MS-PLA 2.2.1.
const (
	codeInUse      = 0x803000AA
	codeNotRunning = 0x80300104
)

// setError is why a set was not started or stopped, and would not be by another try.
type setError struct{ error }

func (e *setError) Unwrap() error { return e.error }

// setKey names a set unlike all others.
func setKey(s config.HostSet) string {
	n, err := pla.ParseName(s.Name)
	if err != nil {
		return ""
	}
	return paths.Fold(s.Host + `\` + n.String())
}

// setChange is a start or a stop that is tried.
type setChange struct {
	r      *Runner
	name   pla.Name
	key    string // of the set
	rule   string
	event  string // that asks for it
	set    config.HostSet
	sets   pla.Sets
	begins bool
}

// changeSet starts or stops a set for a notice, again and again if need be.
func (r *Runner) changeSet(o *outage, j job) {
	r.keepAt(j, o, func() error {
		r.mu.Lock()
		set, known := r.targets.Set(j.action.Name)
		r.mu.Unlock()
		if !known {
			return errUnknown
		}
		c := setChange{r: r, key: setKey(set), rule: j.notice.ID.Rule, event: j.notice.Key(), set: set, begins: j.action.Do == alert.StartSet}
		var err error
		if c.name, err = pla.ParseName(set.Name); err == nil {
			err = c.name.May(c.op())
		}
		if err != nil {
			return &setError{err}
		}
		return c.do(r.o.Fires != nil && r.o.Fires(c.rule, alert.StartSet, j.alerts()...))
	})
}

func (c *setChange) op() string {
	if c.begins {
		return pla.OpStart
	}
	return pla.OpStop
}

// do starts or stops the set, unless it is as it should be: while the rule fires for something
// else, too, what it began goes on, and is not begun again.
func (c *setChange) do(fires bool) error {
	mark, err := c.r.begun.get(c.key, c.rule)
	switch {
	case err != nil:
		return err
	case fires && (!c.begins || mark.Runs):
		return nil
	case !c.begins && !c.set.StopAny && !mark.Runs:
		return nil
	}
	if c.r.o.Sets == nil {
		return &setError{errNoSets}
	}
	if c.sets, err = c.r.o.Sets(c.set.Host); err != nil {
		return &setError{err}
	}
	defer c.sets.Close() //nolint:errcheck // nothing is lost
	if c.begins {
		return c.start(mark)
	}
	return c.stop()
}

var (
	errNoSets  = errors.New("there are no sets of hosts here")
	errTidying = failure.WithHint(errors.New("its data manager is still at work after its last run"), "it is started when that is through")
)

// start starts the set. That the rule begins it is kept once the host said that it does not run,
// and before it does: where the answer is lost the next try knows whose run it finds.
func (c *setChange) start(mark began) error {
	ctx, cancel := context.WithTimeout(c.r.ctx, pla.StartTime)
	defer cancel()
	status, err := c.status(ctx)
	tried := mark.Event == c.event
	switch {
	case err != nil:
	case status == pla.Running && (tried || mark.Runs):
		return c.r.begun.put(c.key, c.rule, &began{c.event, true})
	case status == pla.Running:
		return c.r.begun.put(c.key, c.rule, nil)
	case status == pla.Compiling:
		return errTidying
	default:
		if err = c.r.begun.put(c.key, c.rule, &began{Event: c.event}); err != nil {
			return err
		}
		err = c.sets.Start(ctx, c.name)
	}
	switch {
	case err == nil, tried && isCode(err, codeInUse):
		return c.r.begun.put(c.key, c.rule, &began{c.event, true})
	case isCode(err, codeInUse): // somebody was faster
		return c.r.begun.put(c.key, c.rule, nil)
	case isFinal(err):
		return &setError{errors.Join(err, c.r.begun.put(c.key, c.rule, nil))}
	}
	return err
}

// status is how the set stands; Undefined: the host does not say.
func (c *setChange) status(ctx context.Context) (pla.Status, error) {
	all, err := c.sets.List(ctx, c.name.Category)
	if err != nil {
		return 0, err
	}
	for _, s := range all.Sets {
		if paths.EqualFold(s.Name.Set, c.name.Set) {
			return s.Status, nil
		}
	}
	return pla.Undefined, nil
}

func (c *setChange) stop() error {
	ctx, cancel := context.WithTimeout(c.r.ctx, pla.StopTime)
	defer cancel()
	err := c.sets.Stop(ctx, c.name)
	switch {
	case err == nil || isCode(err, codeNotRunning):
		return c.r.begun.put(c.key, c.rule, nil)
	case isFinal(err):
		return &setError{err}
	}
	return err
}

func isCode(err error, code uint32) bool {
	answer, ok := errors.AsType[*pla.Error](err)
	return ok && answer.Code == code
}

// passing are what hosts answer that may be over soon: starting took too long, the server
// went or did not start, there was no memory, it is not there or too busy, nobody listens.
var passing = []uint32{0x8030010A, 0x80010108, 0x80080005, 14, 1722, 1723, 1726, 1727, 1753}

// isFinal tells what another try would not change: what the host says of the set, and that it
// does not take the account.
func isFinal(err error) bool {
	answer, ok := errors.AsType[*pla.Error](err)
	return ok && !slices.Contains(passing, pla.Win32(answer.Code)) || errors.Is(err, session.ErrDenied)
}
