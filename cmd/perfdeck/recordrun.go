package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/sampling"
	"perfdeck/session/config"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/joined"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/output"
	"perfdeck/session/system/service"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// recordHosts runs the samplers of hosts and records what they give.
func (p *program) recordHosts(ctx context.Context, o collector.Options, hosts []inventory.Host, queries []inventory.Query, pushes []string) error {
	sampling, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the last row is still written
	defer cancel()
	inventory.Start(sampling, hosts...)
	o.Report = p.reportOnce()
	partly, err := inventory.LookUp(ctx, hosts, queries, paths.Options{ShowHidden: o.ShowHidden}, true, o.Report)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	end, err := p.pushes(o.Report).Beside(pushes, hosts, queries, o.Every)
	if err != nil {
		return err
	}
	defer end()
	o.Attended = true
	return p.recordUntilEnd(ctx, o, partly)
}

// recordUntilEnd begins a recording and stays with it until it ends. partly tells
// that not all that was asked for is there.
func (p *program) recordUntilEnd(ctx context.Context, o collector.Options, partly bool) error {
	progress := output.NewLine(p.err, p.getenv("TERM") == "dumb")
	report := o.Report
	if report == nil { // a recording that is resumed
		report = p.tellError
	}
	o.Report = func(err error) { progress.Around(func() { report(err) }) }
	o.Begun = func(file string) {
		progress.Around(func() { fmt.Fprintln(p.out, printable.Text(file)) })
	}
	defer p.life.Outlive()()
	defer p.life.OnHangup(nil)
	r, err := sampling.Attend(ctx, o, p.startRecording, sampling.Watched{
		Begun: func(r *collector.Recording) { p.life.OnHangup(r.NewSegment) },
		Goes:  func(s collector.Status) { progress.Show(func() string { return recordLine(s) }) },
		Ends:  p.life.Keep,
	})
	if r == nil {
		return err
	}
	s := r.Status()
	progress.End()
	if progress.IsTerminal() && s.Samples > 0 {
		p.aside("%s: %s, %s", s.File, english.Size(s.FileBytes), english.Count(s.Samples, "sample", "samples"))
	}
	if err != nil {
		return err
	}
	p.noteMissed(s, report)
	if s.Samples == 0 {
		noteFailed(s, report)
		return errNoSample
	}
	return p.noteSilent(ctx, "record", r.Silent(), partly || r.LeftOut())
}

var errNoSample = errors.New("record: no sample came")

// pathOfHost is a path with its computer: others may have had values for it.
func pathOfHost(s session.Silence) string {
	if strings.HasPrefix(s.Path, `\\`) || s.Host == "" {
		return s.Path
	}
	return `\\` + s.Host + `\` + strings.TrimPrefix(s.Path, `\`)
}

// recordLine is how far a recording came.
func recordLine(s collector.Status) string {
	return fmt.Sprintf("recording %s: %s, %s, %s missed, %s", filepath.Base(s.File),
		english.Size(s.FileBytes), english.Count(s.Samples, "sample", "samples"), strconv.FormatInt(s.Missed, 10),
		english.Age(time.Since(s.Started)))
}

// discard is the output of a program that nobody reads.
func discard() *os.File {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return os.Stderr
	}
	return f
}

// recordingsDir is where recordings are described.
func recordingsDir() (string, error) {
	dir, err := config.StateDir()
	return collector.RecordingsDir(dir), err
}

// shelf finds recordings of hosts: those that the user made, and for root those of the service.
func (p *program) shelf() *joined.Shelf {
	s := &joined.Shelf{Open: p.opener(context.Background(), logs.OpenOptions{}), Go: p.guard.Go}
	if dir, err := recordingsDir(); err == nil {
		s.Dirs = append(s.Dirs, dir)
	}
	if dir := collector.RecordingsDir(service.StateDir); os.Geteuid() == 0 && !slices.Contains(s.Dirs, dir) {
		s.Dirs = append(s.Dirs, dir)
	}
	return s
}

// newRecordings makes the recordings of this process, with the plans of the config.
// every is the interval of those that have none, flags open the hosts on a command line.
func (p *program) newRecordings(every time.Duration, flags []string, report func(error)) sampling.Recordings {
	d := recorders.New(recorders.Options{Start: p.startRecording, Report: report, Go: p.guard.Go})
	return sampling.Recordings{Named: recorders.NewNamed(d, sampling.Planned(p.config.Records, every, flags))}
}

// startRecording begins a recording; what it needs of the program is filled in.
func (p *program) startRecording(o collector.Options) (*collector.Recording, error) {
	if o.Clock == nil {
		o.Clock = p.runClock()
	}
	o.Go = p.guard.Go
	file := cmp.Or(p.current.Load(), new(config.Config))
	o.Write.Looks = file.Counters.RecordedLooks()
	if o.Report == nil {
		o.Report = p.tellError
	}
	dir, err := config.MakeStateDir()
	if err != nil {
		o.Report(fmt.Errorf("the recording cannot be listed or resumed: %w", err))
	} else {
		o.Dir = collector.RecordingsDir(dir)
		o.Notes = notebook.New(dir, file.NotePaths()...)
	}
	return collector.Start(o)
}
