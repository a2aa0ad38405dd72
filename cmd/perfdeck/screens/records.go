package screens

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"perfdeck/session/app/remotesets"
	"perfdeck/session/config"
	"perfdeck/session/files/listing"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/text/english"
	"perfdeck/tui/pane"
)

// Recorder gives the screens the recordings of this process.
type Recorder struct{ *recorders.Screens }

// Status implements pane.Recorder, as do the others.
func (r Recorder) Status() pane.Recording {
	s, was := r.Screens.Status()
	if !was {
		return pane.Recording{}
	}
	return pane.Recording{On: !s.Ended, File: s.File, Bytes: s.Bytes, Samples: s.Samples, Missed: s.Missed, Started: s.Started}
}

// Propose is a file in the working directory that is not there yet.
func (r Recorder) Propose() string {
	return "perfdeck-" + time.Now().Format("20060102-150405") + ".db"
}

// Start begins a recording of a deck.
func (r Recorder) Start(file string, what []pane.RecordHost) error {
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
func (r Recorder) Extend(what []pane.RecordHost) error {
	return r.Screens.Extend(wantedOf(what))
}

// Lacking says what is not recorded of a deck; empty: all is.
func (r Recorder) Lacking(what []pane.RecordHost) string {
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

func wantedOf(what []pane.RecordHost) (out []recorders.Wanted) {
	for _, w := range what {
		out = append(out, recorders.Wanted{Host: w.Host.Name, Paths: w.Paths})
	}
	return out
}

// Sets is the sets of this computer as the screens see them.
type Sets struct {
	*sets.Screens

	Hosts *remotesets.Screens
	// Command is this program with other arguments, as replay needs them: flags that say how
	// screens look are among them. It ends with Context.
	Command func(args ...string) (*exec.Cmd, error)
	Context context.Context //nolint:containedctx // that of the run
}

// List are the sets and recordings of this computer, and the sets of the hosts that are shown.
func (s Sets) List() ([]listing.Record, bool) {
	list, known := s.Screens.List()
	return slices.Concat(list, s.Hosts.List()), known
}

// Start implements pane.Records, as do the others.
func (s Sets) Start(r *listing.Record) error {
	if r.Kind == listing.HostSet {
		return s.Hosts.Start(r)
	}
	return s.Screens.Start(r)
}

// Stop ends what runs.
func (s Sets) Stop(r *listing.Record) error {
	if r.Kind == listing.HostSet {
		return s.Hosts.Stop(r)
	}
	return s.Screens.Stop(r)
}

// Remove forgets a record.
func (s Sets) Remove(r *listing.Record, files bool) error {
	if r.Kind == listing.HostSet {
		return s.Hosts.Remove(r)
	}
	return s.Screens.Remove(r, files)
}

// Doomed tells what goes with a record.
func (s Sets) Doomed(r *listing.Record) (listing.Doomed, error) {
	if r.Kind == listing.HostSet {
		return s.Hosts.Doomed(r), nil
	}
	return s.Screens.Doomed(r)
}

// Form is what can be changed of a set.
func (s Sets) Form(r *listing.Record) (listing.Form, error) {
	if r.Kind == listing.HostSet {
		return s.Hosts.Form(r)
	}
	return s.Screens.Form(r)
}

// HostSets are the hosts whose sets are shown, as the screens see them.
type HostSets struct{ *remotesets.Screens }

// Ask implements pane.HostSets, as does the other.
func (s HostSets) Ask(h *pane.Host) bool { return s.Screens.Ask(h.Name, h.Open) }

// Running are the sets that run on a host.
func (s HostSets) Running(h *pane.Host) []string { return s.Screens.Running(h.Name) }

// New is the form of a set that collects what is given: paths of this computer without its
// name.
func (s Sets) New(what []pane.RecordHost) (listing.Form, error) {
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
func (s Sets) Player(file string, at time.Time) (*exec.Cmd, error) {
	var args []string
	if !at.IsZero() {
		args = append(args, "--at="+at.Format(time.RFC3339))
	}
	own, err := s.Command(append(args, "--", file)...)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(s.Context, own.Path) //nolint:gosec // it is this program
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

var (
	_ pane.Records  = Sets{}
	_ pane.HostSets = HostSets{}
)
