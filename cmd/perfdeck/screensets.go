package main

import (
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/record/collectorset/sets"
	"perfdeck/session/record/listing"
	"perfdeck/tui/pane"
)

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
