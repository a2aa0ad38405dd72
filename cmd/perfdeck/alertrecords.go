package main

import (
	"context"
	"maps"
	"slices"
	"time"

	"perfdeck/tui/pane"
)

// alertRecorder is the recorder of the screens together with the recordings that
// alerts began there: the screens show one of these, and can stop it, while the
// user records nothing. What becomes of recordings at the end is the same for all.
type alertRecorder struct {
	*screenRecorder

	desk *recordDesk
}

// first is the recording of an alert that goes on, of several the first by name;
// nil if there is none.
func (r *alertRecorder) first() (key string, open *ownRecording) {
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

// end hands the recordings of alerts over, or closes them. No more of them begin. The
// terminal was given back.
func (r *alertRecorder) end() {
	defer r.program.keep()()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for key, open := r.first(); open != nil; key, open = r.first() {
		if open, goesOn := r.desk.take(key); goesOn {
			r.conclude(ctx, open)
		}
	}
	r.desk.close()
}
