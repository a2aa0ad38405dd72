package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/config"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/desk"
	"perfdeck/tui/pane"
)

// screenRecorder is the recordings of a desk as the screens see them.
type screenRecorder struct{ *desk.Screens }

func newScreenRecorder(p *program, c *cobra.Command, d *desk.Desk, goesOn bool, every func() time.Duration) screenRecorder {
	return screenRecorder{desk.NewScreens(d, desk.ScreensOptions{
		Every: every, Flags: openingFlags(c), GoesOn: goesOn, HandOver: p.handOver,
		Forget: func(id string) {
			if dir, err := recordingsDir(); err == nil {
				_ = collector.Forget(dir, id)
			}
		},
		Say:  func(text string) { fmt.Fprintf(os.Stderr, "perfdeck: %s\n", text) },
		Fail: func(err error) { p.report(err) },
	})}
}

// Status implements pane.Recorder, as do the others.
func (r screenRecorder) Status() pane.Recording {
	s, was := r.Screens.Status()
	if !was {
		return pane.Recording{}
	}
	return pane.Recording{On: !s.Ended, File: s.File, Bytes: s.Bytes, Samples: s.Samples, Missed: s.Missed, Started: s.Started}
}

// Propose is a file in the working directory that is not there yet.
func (r screenRecorder) Propose() string {
	return "perfdeck-" + time.Now().Format("20060102-150405") + ".db"
}

// Start begins a recording of a deck.
func (r screenRecorder) Start(file string, what []pane.RecordHost) error {
	full := file
	if file != "" {
		var err error
		if full, err = config.BelowHome(file); err != nil {
			return err
		}
	}
	return r.Screens.Start(full, wantedOf(what))
}

// Extend lets the recording have what a deck shows, too.
func (r screenRecorder) Extend(what []pane.RecordHost) error {
	return r.Screens.Extend(wantedOf(what))
}

// Lacking says what is not recorded of a deck; empty: all is.
func (r screenRecorder) Lacking(what []pane.RecordHost) string {
	paths := map[string]int{}
	for _, w := range what {
		paths[w.Host.Name] = len(w.Paths)
	}
	var words []string
	for _, w := range r.Screens.Lacking(wantedOf(what)) {
		if len(w.Paths) < paths[w.Host] {
			w.Host = count(len(w.Paths), "path", "paths") + " of " + w.Host
		}
		words = append(words, w.Host)
	}
	return strings.Join(words, ", ")
}

func wantedOf(what []pane.RecordHost) (out []desk.Wanted) {
	for _, w := range what {
		out = append(out, desk.Wanted{Host: w.Host.Name, Paths: w.Paths})
	}
	return out
}
