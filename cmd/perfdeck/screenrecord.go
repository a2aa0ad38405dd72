package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/record/collector"
	"perfdeck/tui/pane"
)

// screenRecorder records what decks show. At the end of the screens a recording
// is handed to a process of its own, or closed.
type screenRecorder struct {
	recordingSet

	cmd   *cobra.Command
	every func() time.Duration

	// Guarded by mu.
	goesOn bool // at the end of the screens; alerts' recordings, too
	left   bool // the user ended them, and saw what there was to see
}

// ofScreens is the only recording of the screens.
const ofScreens = "screens"

func newScreenRecorder(p *program, c *cobra.Command, goesOn bool, every func() time.Duration, report func(error)) *screenRecorder {
	return &screenRecorder{recordingSet: p.newRecordingSet(report), cmd: c, every: every, goesOn: goesOn}
}

// add makes a host known. One that comes while something is recorded is recorded
// if it was so before, else the user is told that it is not.
func (r *screenRecorder) add(h host) {
	r.recordingSet.add(h)
	r.mu.Lock()
	defer r.mu.Unlock()
	open := r.running(ofScreens)
	if open == nil {
		return
	}
	file := filepath.Base(open.Status().File)
	switch texts, gone := open.Paths(h.name); {
	case gone: // why it cannot be recorded was told
		return
	case texts != nil:
		r.report(fmt.Errorf("%s is recorded again, to %s", h.name, file))
		return
	}
	r.report(fmt.Errorf("%s is not recorded: r takes it into %s when the deck shows it", h.name, file))
}

// drop forgets a host; its columns go on blank.
func (r *screenRecorder) drop(name string) {
	r.recordingSet.drop(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	open := r.running(ofScreens)
	if open == nil {
		return
	}
	if texts, _ := open.Paths(name); texts != nil {
		r.report(fmt.Errorf("%s is recorded no more: its columns in %s stay blank", name, filepath.Base(open.Status().File)))
	}
}

// Status is how things stand.
func (r *screenRecorder) Status() pane.Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	open := r.open[ofScreens]
	if open == nil {
		return pane.Recording{}
	}
	s := open.Status()
	return pane.Recording{
		On: !s.Ended, File: s.File, Bytes: s.Bytes, Samples: s.Samples, Missed: s.Missed, Started: s.Started,
	}
}

// Propose is a file in the working directory that is not there yet.
func (r *screenRecorder) Propose() string {
	return "perfdeck-" + time.Now().Format("20060102-150405") + ".db"
}

var (
	errNothingToRecord = errors.New("the deck has no counters")
	errNoName          = errors.New("the file needs a name, as night.db")
)

// Start begins a recording. The screens alone call it, one call after the other.
func (r *screenRecorder) Start(file string, what []pane.RecordHost) error {
	r.mu.Lock()
	going, known := r.running(ofScreens), maps.Clone(r.hosts)
	r.mu.Unlock()
	if going != nil {
		return fmt.Errorf("%s is recorded already", session.Printable(going.Status().File))
	}
	if file == "" {
		return errNoName
	}
	full, err := config.BelowHome(file)
	if err != nil {
		return err
	}
	o := collector.Options{
		File: full, Every: r.every(), Report: r.report, Flags: openingFlags(r.cmd), Caption: "perfdeck",
	}
	for _, w := range what {
		if h, ok := known[w.Host.Name]; ok && len(w.Paths) > 0 {
			o.Hosts = append(o.Hosts, h.recorded(w.Paths))
		}
	}
	if len(o.Hosts) == 0 {
		return errNothingToRecord
	}
	return inDialog(r.begin(ofScreens, o))
}

// inDialog is an error as a dialog shows it: with what can be done there.
func inDialog(err error) error {
	var hinted interface{ Hint() string }
	switch {
	case errors.Is(err, collector.ErrExists):
		return fmt.Errorf("%w; write another name", err)
	case errors.As(err, &hinted) && hinted.Hint() != "":
		return fmt.Errorf("%w; %s", err, hinted.Hint())
	}
	return err
}

// Lacking says, for people, what is not recorded of a deck; empty: all is.
func (r *screenRecorder) Lacking(what []pane.RecordHost) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	open := r.running(ofScreens)
	if open == nil {
		return ""
	}
	var words []string
	for _, w := range what {
		more := lacking(open, w.Host.Name, w.Paths)
		if _, known := r.hosts[w.Host.Name]; len(more) == 0 || !known {
			continue
		}
		if len(more) == len(w.Paths) {
			words = append(words, w.Host.Name)
		} else {
			words = append(words, count(len(more), "path", "paths")+" of "+w.Host.Name)
		}
	}
	return strings.Join(words, ", ")
}

var errNotRecording = errors.New("the recording ended before it had more")

// Extend lets the recording have what a deck shows, too. It waits for the disk.
func (r *screenRecorder) Extend(what []pane.RecordHost) error {
	r.mu.Lock()
	open, known := r.running(ofScreens), maps.Clone(r.hosts)
	r.mu.Unlock()
	if open == nil {
		return errNotRecording
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordClosing)
	defer cancel()
	for _, w := range what {
		if h, ok := known[w.Host.Name]; ok && len(lacking(open, w.Host.Name, w.Paths)) > 0 {
			if err := open.have(ctx, h, w.Paths); err != nil {
				return err
			}
		}
	}
	return nil
}

// stopPatience is how long the end of a recording is awaited on the screens.
const stopPatience = 10 * time.Second

// Stop closes the recording. It waits for the disk.
func (r *screenRecorder) Stop() error {
	r.mu.Lock()
	open := r.running(ofScreens)
	if open != nil {
		open.ending = true
	}
	r.mu.Unlock()
	if open == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	err := open.Stop(ctx, "")
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := open.Status(); s.Ended {
		return s.Err
	}
	open.ending = false // it ends later: that is told then
	return fmt.Errorf("%s is not closed yet, its disk does not answer: %w", session.Printable(filepath.Base(open.Status().File)), err)
}

// Leave says what becomes of the recording when the user ends the screens.
func (r *screenRecorder) Leave(goesOn bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.goesOn, r.left = goesOn, true
}

// leaving is what the user wants to become of recordings, and whether she said so.
func (r *screenRecorder) leaving() (goesOn, left bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.goesOn, r.left
}

// end hands the recording over, or closes it. The terminal was given back.
func (r *screenRecorder) end() {
	defer r.program.keep()()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	open, goesOn := r.take(ofScreens)
	switch {
	case goesOn:
		r.conclude(ctx, open)
	case open != nil:
		r.tellEnd(open.Status())
	}
}

// conclude hands a recording over, or closes it, as the user wants it, and says so.
func (r *screenRecorder) conclude(ctx context.Context, open *ownRecording) {
	s := open.Status()
	file := session.Printable(s.File)
	if goesOn, _ := r.leaving(); !goesOn || !open.HasHosts() {
		if err := open.Stop(ctx, ""); err != nil {
			r.program.report(fmt.Errorf("close the recording %s: %w", file, err))
			return
		}
		fmt.Fprintf(os.Stderr, "perfdeck: recorded to %s\n", file)
		return
	}
	fmt.Fprintf(os.Stderr, "perfdeck: another process goes on with the recording ...\n")
	if err := r.program.handOver(ctx, open.Recording); err != nil {
		r.program.report(fmt.Errorf("go on with the recording %s without screens: %w", file, err))
		return
	}
	fmt.Fprintf(os.Stderr, "perfdeck: the recording goes on without screens: %s (perfdeck record --stop %s ends it)\n", file, s.ID)
}

// tellEnd tells of a recording that ended by itself. When nobody reads it, the
// next start does so.
func (r *screenRecorder) tellEnd(s collector.Status) {
	if _, left := r.leaving(); s.Err == nil || !left {
		return
	}
	r.program.report(s.Err)
	if dir, err := recordingsDir(); err == nil {
		_ = collector.Forget(dir, s.ID) // it was told
	}
}
