package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/config"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/collectorset/sets"
	"perfdeck/session/record/desk"
	"perfdeck/session/record/listing"
	"perfdeck/session/text/english"
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
		Fail: p.tellError,
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
			w.Host = english.Count(len(w.Paths), "path", "paths") + " of " + w.Host
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

// screenSets is the desk of sets as the screens see it.
type screenSets struct {
	*sets.Screens

	program   *program
	lookFlags []string // that say how screens look
}

func (p *program) newScreenSets(c *cobra.Command, changed func()) screenSets {
	d := sets.NewScreens(p.context(), p.sets(openingFlags(c)...), p.config.Records, changed)
	return screenSets{d, p, flagsOf(c, lookFlagNames())}
}

// New is the form of a set that collects what is given: paths of this computer without its
// name.
func (s screenSets) New(what []pane.RecordHost) (listing.Form, error) {
	var paths []string
	for _, w := range what {
		for _, text := range w.Paths {
			if !w.Host.Local {
				text = `\\` + w.Host.Name + text
			}
			paths = append(paths, text)
		}
	}
	return s.Screens.New(paths)
}

// Player is what shows a file.
func (s screenSets) Player(file string, at time.Time) (*exec.Cmd, error) {
	args := slices.Concat([]string{"replay"}, s.lookFlags)
	if !at.IsZero() {
		args = append(args, "--at="+at.Format(time.RFC3339))
	}
	own, err := s.program.ownCommand(append(args, "--", file)...)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(s.program.context(), own.Path) //nolint:gosec // it is this program
	cmd.Args, cmd.Env = own.Args, own.Env
	cmd.Cancel = func() error { // it gives the terminal back, where systems can ask for that
		if cmd.Process.Signal(syscall.SIGTERM) == nil {
			return nil
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd, nil
}

var _ pane.Records = screenSets{}
