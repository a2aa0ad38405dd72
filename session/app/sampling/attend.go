package sampling

import (
	"context"
	"errors"
	"fmt"

	"perfdeck/session"
	"perfdeck/session/files/naming"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/failure"
)

// Watched is who hears how a recording goes. One goroutine calls its functions.
type Watched struct {
	Begun func(r *collector.Recording)
	Goes  func(collector.Status) // it changed
	// Ends is called before what was recorded is written down: the process is not to be ended until
	// release is called.
	Ends func() (release func())
}

// Attend begins a recording, by start, and stays with it until it ends by itself or the context does. What
// was recorded is then written down, for as long as the disk takes. r is nil where it could not begin.
func Attend(ctx context.Context, o collector.Options, start func(collector.Options) (*collector.Recording, error), w Watched) (r *collector.Recording, err error) {
	changed := make(chan struct{}, 1)
	o.Changed = func() {
		session.Wake(changed)
	}
	if r, err = start(o); err != nil {
		return nil, usageOf(err)
	}
	w.Begun(r)
	for done := false; !done; {
		select {
		case <-changed:
			w.Goes(r.Status())
		case <-ctx.Done():
			err, done = end(ctx, r, o, w), true
		case <-r.Done():
			done = true
		}
	}
	if s := r.Status(); s.Err != nil {
		return r, s.Err
	}
	if err != nil {
		return r, fmt.Errorf("end the recording: %w", err)
	}
	return r, nil
}

// end writes down what was recorded. Of a recording that nobody sees it is kept why it ended.
func end(ctx context.Context, r *collector.Recording, o collector.Options, w Watched) error {
	defer w.Ends()()
	why := ""
	if o.Hold != nil {
		why = context.Cause(ctx).Error()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recorders.Closing)
	defer cancel()
	return r.Stop(ctx, why)
}

// usageOf marks what is wrong with what was asked for.
func usageOf(err error) error {
	if _, isName := errors.AsType[*naming.NameError](err); isName {
		return failure.Usage(err)
	}
	return err
}
