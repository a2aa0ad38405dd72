package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/source/local"
	"perfdeck/tui"
	"perfdeck/tui/pane"
)

// recall gives the screens what an earlier run left, and what they need to keep
// things and to act on this computer.
func (p *program) recall(o *tui.Options) {
	kept, err := config.LoadState()
	if err != nil {
		o.Noted = append(o.Noted, pane.Entry{Time: time.Now(), Level: pane.Careful, Text: err.Error()})
	}
	o.Kept, o.Keep = kept, config.SaverOf(kept)
	o.Signal, o.Signals = local.Signal, local.SignalNames()
}

// settingsWatcher reads the config again when its file changed. What is wrong
// with it is told once for each change; the settings stay as they were.
func (r *screenRun) settingsWatcher(c *cobra.Command, kept *session.Kept) func() (*tui.Settings, error) {
	p := r.program
	watcher := config.NewWatcher(p.config)
	return func() (*tui.Settings, error) {
		fresh, warnings, err := watcher.Changed(p.context())
		for _, w := range warnings {
			r.alerts.screens.Note(errors.New(w.String()))
		}
		if err != nil || fresh == nil {
			return nil, err
		}
		merged, err := p.merge(c, fresh)
		if err != nil {
			return nil, err
		}
		s, err := p.screenSettings(merged, fresh)
		if err != nil {
			return nil, err
		}
		if err := r.alerts.reload(p, c, merged, fresh); err != nil {
			return nil, err
		}
		r.sets.SetNamed(fresh.Records)
		s.Theme = p.shownTheme(c, kept, s.Theme)
		return &s, nil
	}
}
