package main

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/app/notes"
	"perfdeck/session/config"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/files/screenlog"
	"perfdeck/session/hosts/local"
	"perfdeck/tui"
	"perfdeck/tui/pane"
)

// liveNotes are those of this user; nil where there is no place for them.
func (p *program) liveNotes(report func(error)) *notes.Live {
	dir, err := config.MakeStateDir()
	if err != nil {
		return nil // the journal of alerts told why
	}
	return notes.NewLive(p.context(), dir, notebook.New(dir, p.config.NotePaths()...), report)
}

// recordedNotes are those of recordings that are played. Of those that are laid over the
// first the times are others.
func (p *program) recordedNotes(names []string, line *logs.Line, overlay bool) (played *notes.Played, damaged []error) {
	if overlay {
		names = names[:1]
	}
	all, damaged := notebook.Of(names, line.Place, time.Time{}, time.Time{})
	for i, err := range damaged {
		damaged[i] = errors.New(p.shown(err.Error())) // a folder of ours says nothing to the user
	}
	file := names[0]
	if _, err := os.Stat(file); err != nil {
		file, _, _ = strings.Cut(file, "!") // what is behind it is a set
	}
	if p.spooled().IsMade(file) {
		file = ""
	}
	return notes.NewPlayed(p.context(), file, all, line.Written), damaged
}

// logClosing bounds how long the end of the screens waits for the disk of the log.
const logClosing = time.Second

// keepLog keeps what the Log of the screens tells, for perfdeck bundle: in the folder of
// the state, the last lines. Invented hosts have no log worth keeping. done writes what
// waits.
func (p *program) keepLog(o *tui.Options, failed func(error)) (done func()) {
	dir, err := config.MakeStateDir()
	if err != nil || p.flags.Demo {
		return func() {}
	}
	book, err := screenlog.Open(dir, func(f func()) { p.guard.Go(f) }, failed)
	if err != nil {
		o.Note(time.Now(), pane.Careful, err.Error())
	}
	o.KeepLog = func(e pane.Entry) {
		level := screenlog.Levels[min(int(e.Level), len(screenlog.Levels)-1)]
		book.Add(screenlog.Entry{Time: e.Time, Level: level, Host: e.Host, Text: e.Text})
	}
	return func() { book.Close(logClosing) }
}

// recall gives the screens what an earlier run left, and what they need to keep
// things and to act on this computer.
func (p *program) recall(o *tui.Options) {
	kept, err := config.LoadState()
	if err != nil {
		o.Note(time.Now(), pane.Careful, err.Error())
	}
	o.Kept, o.Keep = kept, config.SaverOf(kept)
	if p.flags.Demo { // what is tried on invented hosts is not meant for the real ones
		o.Kept, o.Keep = &session.Saved{Theme: kept.Theme}, nil
	}
	o.Signal, o.Signals = local.Signal, local.SignalNames()
}

// settingsWatcher reads the config again when its file changed. What is wrong
// with it is told once for each change; the settings stay as they were.
func (r *screenRun) settingsWatcher(c *cobra.Command, kept *session.Saved) func() (*tui.Settings, error) {
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
		r.sets.Hosts.SetHosts(fresh.Hosts)
		s.Theme = p.shownTheme(c, kept, s.Theme)
		return &s, nil
	}
}
