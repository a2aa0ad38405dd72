package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/collector"
	"perfdeck/tui/pane"
)

// screenRecorder records what decks show. At the end of the screens a recording
// is handed to a process of its own, or closed.
type screenRecorder struct {
	program *program
	cmd     *cobra.Command
	every   func() time.Duration
	report  func(error)

	mu     sync.Mutex
	hosts  map[string]host // that can be recorded, by name
	open   *collector.Recording
	goesOn bool // at the end of the screens
}

func newScreenRecorder(p *program, c *cobra.Command, goesOn bool, every func() time.Duration, report func(error)) *screenRecorder {
	return &screenRecorder{program: p, cmd: c, every: every, report: report, hosts: map[string]host{}, goesOn: goesOn}
}

// add makes a host known.
func (r *screenRecorder) add(h host) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hosts[h.name] = h
}

// drop forgets a host; its columns go on blank.
func (r *screenRecorder) drop(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.hosts, name)
	if r.open != nil {
		r.open.Drop(name)
	}
}

// Status is how things stand.
func (r *screenRecorder) Status() pane.Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		return pane.Recording{}
	}
	s := r.open.Status()
	return pane.Recording{
		On: !s.Ended, File: s.File, Bytes: s.Bytes, Samples: s.Samples, Missed: s.Missed, Started: s.Started, Err: s.Err,
	}
}

// Propose is a file in the working directory that is not there yet.
func (r *screenRecorder) Propose() string {
	return "perfdeck-" + time.Now().Format("20060102-150405") + ".db"
}

var errNothingToRecord = errors.New("the deck has no counters")

// Start begins a recording.
func (r *screenRecorder) Start(file string, what []pane.RecordHost) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open != nil && !r.open.Status().Ended {
		return fmt.Errorf("%s is recorded already", session.Printable(r.open.Status().File))
	}
	full, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	o := collector.Options{
		File: full, Every: r.every(), Report: r.report, Flags: openingFlags(r.cmd), Caption: "perfdeck",
	}
	for _, w := range what {
		if h, ok := r.hosts[w.Host.Name]; ok && len(w.Paths) > 0 {
			o.Hosts = append(o.Hosts, collector.Host{Name: h.name, Sampler: h.sampler, Paths: w.Paths, Open: h.open})
		}
	}
	if len(o.Hosts) == 0 {
		return errNothingToRecord
	}
	open, err := r.program.startRecording(o)
	if err != nil {
		return err
	}
	r.open = open
	return nil
}

// stopPatience is how long the end of a recording is awaited on the screens.
const stopPatience = 10 * time.Second

// Stop closes the recording.
func (r *screenRecorder) Stop() error {
	r.mu.Lock()
	open := r.open
	r.mu.Unlock()
	if open == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	return open.Stop(ctx, "")
}

// Leave says what becomes of the recording at the end of the screens.
func (r *screenRecorder) Leave(goesOn bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.goesOn = goesOn
}

// end hands the recording over, or closes it, and says which. The terminal was
// given back.
func (r *screenRecorder) end() {
	r.mu.Lock()
	open, goesOn := r.open, r.goesOn
	r.mu.Unlock()
	if open == nil || open.Status().Ended {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	file := session.Printable(open.Status().File)
	if !goesOn {
		if err := open.Stop(ctx, ""); err != nil {
			r.program.report(fmt.Errorf("close the recording %s: %w", file, err))
			return
		}
		fmt.Fprintf(os.Stderr, "perfdeck: recorded to %s\n", file)
		return
	}
	if err := r.program.handOver(ctx, open); err != nil {
		r.program.report(fmt.Errorf("go on with the recording %s without screens: %w", file, err))
		return
	}
	fmt.Fprintf(os.Stderr, "perfdeck: the recording goes on without screens: %s\n", file)
}
