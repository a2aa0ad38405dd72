package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/collector"
	"perfdeck/tui/pane"
)

// alertRecorder is the recorder of the screens together with the recordings that
// alerts began there: the screens show one of these, and can stop it, while the
// user records nothing.
type alertRecorder struct {
	*screenRecorder

	desk   *recordDesk
	goesOn bool // at the end of the screens; guarded as the recordings are
}

// first is the recording of an alert that goes on, of several the first by name;
// nil if there is none.
func (r *alertRecorder) first() (key string, open *collector.Recording) {
	r.desk.mu.Lock()
	defer r.desk.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(r.desk.open)) {
		if open := r.desk.running(key); open != nil {
			return key, open
		}
	}
	return "", nil
}

// Status is that of the user's recording or, without one, of an alert's.
func (r *alertRecorder) Status() pane.Recording {
	own := r.screenRecorder.Status()
	if own.On {
		return own
	}
	_, open := r.first()
	if open == nil {
		return own
	}
	s := open.Status()
	return pane.Recording{On: true, File: s.File, Bytes: s.Bytes, Samples: s.Samples, Missed: s.Missed, Started: s.Started}
}

// Stop closes the recording of which Status tells.
func (r *alertRecorder) Stop() error {
	if key, open := r.first(); open != nil && !r.screenRecorder.Status().On {
		return r.desk.Stop(key)
	}
	return r.screenRecorder.Stop()
}

// Leave says what becomes of all recordings when the user ends the screens.
func (r *alertRecorder) Leave(goesOn bool) {
	r.screenRecorder.Leave(goesOn)
	r.desk.mu.Lock()
	defer r.desk.mu.Unlock()
	r.goesOn = goesOn
}

// end hands the recordings of alerts over, or closes them, and says which. The
// terminal was given back.
func (r *alertRecorder) end() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for key, open := r.first(); open != nil; key, open = r.first() {
		r.desk.take(key)
		file := session.Printable(open.Status().File)
		r.desk.mu.Lock()
		goesOn := r.goesOn && open.HasHosts()
		r.desk.mu.Unlock()
		if !goesOn {
			if err := open.Stop(ctx, ""); err != nil {
				r.desk.program.report(fmt.Errorf("close the recording %s: %w", file, err))
				continue
			}
			fmt.Fprintf(os.Stderr, "perfdeck: recorded to %s\n", file)
			continue
		}
		if err := r.desk.program.handOver(ctx, open); err != nil {
			r.desk.program.report(fmt.Errorf("go on with the recording %s without screens: %w", file, err))
			continue
		}
		fmt.Fprintf(os.Stderr, "perfdeck: the recording goes on without screens: %s\n", file)
	}
}
