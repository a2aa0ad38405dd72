package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/app/inventory"
	"perfdeck/session/app/sampling"
	"perfdeck/session/recording/collector"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// jsonRecordingEntry is what --list --json prints of a recording.
type jsonRecordingEntry struct {
	ID      string   `json:"id"`
	State   string   `json:"state"` // running, interrupted, ended
	PID     int      `json:"pid"`   // 0: no process records
	File    string   `json:"file"`
	Files   []string `json:"files"`
	Hosts   []string `json:"hosts"`
	Started string   `json:"started"`
	Samples int64    `json:"samples"` // as it was noted last
	Reason  string   `json:"reason"`  // why it ended
}

// listRecordings prints the recordings that go on, and those that were interrupted
// or ended without anybody being told.
func (p *program) listRecordings(asJSON bool) error {
	var list []collector.Entry
	p.whose(false, ownRecordings)
	err := p.visit(false, func(dir string) error {
		var damaged []error
		list, damaged = collector.List(collector.RecordingsDir(dir), time.Now())
		for _, err := range damaged {
			p.report(err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.out)
	for i := range list {
		e := &list[i]
		if asJSON {
			if err := printable.WriteJSON(out, entryOf(e)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(out, printable.Text(recordingLine(e)))
	}
	if len(list) == 0 && !asJSON {
		p.tell("there are no recordings")
	}
	return out.Flush()
}

func entryOf(e *collector.Entry) jsonRecordingEntry {
	out := jsonRecordingEntry{
		ID: e.ID, State: e.State.String(), File: e.File(), Files: []string{}, Hosts: []string{},
		Started: e.Started.Format(time.RFC3339), Samples: e.Samples, Reason: e.Reason,
	}
	if e.State == collector.Running {
		out.PID = e.PID
	}
	for _, f := range e.Files {
		out.Files = append(out.Files, f.Name)
	}
	for _, h := range e.Hosts {
		out.Hosts = append(out.Hosts, h.Name)
	}
	return out
}

// recordingLine tells of a recording in one line.
func recordingLine(e *collector.Entry) string {
	line := fmt.Sprintf("%s  %-11s  %s, since %s", e.ID, e.State, e.File(), e.Started.Local().Format(time.DateTime))
	switch e.State {
	case collector.Running:
		line += fmt.Sprintf(", process %d", e.PID)
	case collector.Interrupted:
		line += ", its process is gone"
		if e.Reason != "" {
			line += " (" + e.Reason + ")"
		}
		line += ": perfdeck record --resume " + e.ID
	case collector.Ended:
		line += ", ended " + e.Stopped.Local().Format(time.DateTime) + ": " + e.Reason
	}
	return line
}

// stopRecording ends a recording, whichever process writes it.
func (p *program) stopRecording(ctx context.Context, what string) error {
	if strings.ContainsAny(what, `./\`) { // a file, and no ID
		what, _ = filepath.Abs(what) // another folder is visited
	}
	p.whose(true, ownRecordings)
	return p.visit(true, func(dir string) error {
		dir = collector.RecordingsDir(dir)
		e, err := collector.Find(dir, what, time.Now())
		if err != nil {
			return err
		}
		if e.State != collector.Running {
			p.aside("perfdeck: %s: does not run any more", e.File())
			return collector.Forget(dir, e.ID)
		}
		return collector.End(ctx, dir, &e)
	})
}

// resumeRecording goes on with a recording of a process that died, or that hands
// it over now.
func (p *program) resumeRecording(c *cobra.Command, f recordFlags) error {
	dir, err := recordingsDir()
	if err != nil {
		return err
	}
	e, err := collector.Find(dir, f.Resume, time.Now())
	if err != nil {
		return err
	}
	var successor *collector.Successor
	if f.IsSuccessor {
		signal.Ignore(syscall.SIGPIPE) // the process before this one may be gone
		if successor, err = collector.TakeOver(p.in, p.out, p.guard.Go); err != nil {
			return err
		}
		p.out = discard() // that of before is closed by its reader
	}
	switch {
	case e.State == collector.Running && successor == nil:
		return &collector.BusyError{File: e.File(), Holder: fmt.Sprintf("process %d", e.PID)}
	case e.State == collector.Ended:
		return failure.WithHint(fmt.Errorf("resume recording %s: it ended: %s", e.ID, e.Reason), "record with --append")
	}
	o, err := e.Restore()
	if err != nil {
		return err
	}
	o.Attended = successor == nil
	if successor != nil {
		o.Turn = successor.Turn
	}
	if err := restoreFlags(c, o.Flags); err != nil {
		return err
	}
	if _, err := p.settings(c); err != nil {
		return err
	}
	if successor != nil {
		p.accounts().SetHandedOn(successor.Passwords) // the flags say whose
	}
	hosts, err := p.reopenHosts(c.Context(), &o, successor != nil)
	if err != nil {
		return err
	}
	ctx := c.Context()
	sampling, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	inventory.Start(sampling, hosts...)
	return p.recordUntilEnd(ctx, o, false)
}

// reopenHosts opens the hosts of a recording again. A successor goes on without those that it cannot
// open.
func (p *program) reopenHosts(ctx context.Context, o *collector.Options, isSuccessor bool) (hosts []inventory.Host, err error) {
	var left func(error)
	if isSuccessor {
		left = p.tellError
	}
	hosts, o.Hosts, err = sampling.Reopen(ctx, p.known(), p.accounts(), o.Hosts, left)
	return hosts, err
}

// handOver lets a process of its own go on with a recording, and ends it here.
// With an error it was ended, and what is kept of it says why.
func (p *program) handOver(ctx context.Context, r *collector.Recording) error {
	cmd, err := p.ownCommand("record", "--resume", r.Status().ID, "--hand-over")
	if err != nil {
		return errors.Join(err, r.Stop(ctx, err.Error()))
	}
	return collector.HandOver(ctx, r, cmd, p.accounts().HandedOn())
}
