package sets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"perfdeck/session"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset/runner"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/subprocess"
	"perfdeck/session/text/english"
)

// Started says how a set is run.
type Started struct {
	BLG bool     `flag:"blg" help:"write binary files as .blg, by experiment, in place of SQLite files"`
	By  []string `flag:"started-by" help:""` // sets whose alerts led to this
}

func (s Started) flags() (args []string) {
	if s.BLG {
		args = append(args, "--blg")
	}
	for _, name := range s.By {
		args = append(args, "--started-by", name)
	}
	return args
}

// Start starts a process that runs a set, and waits until it does. It returns where the
// set's files go, empty if it is over already, or what the process said before the error.
func (d *Sets) Start(ctx context.Context, name string, how Started) (into string, said []string, err error) {
	s, err := d.store()
	if err != nil {
		return "", nil, err
	}
	before, err := s.Load(name)
	if err != nil {
		return "", nil, err
	}
	name = before.Set.Name
	if s.Running(name) {
		_, err := s.Hold("start", name)
		return "", nil, err
	}
	log := s.LogFile(name)
	begun, err := d.detach(log, slices.Concat([]string{"collect", "run"}, d.o.HostFlags, how.flags(), []string{"--", name}))
	if err != nil {
		return "", nil, fmt.Errorf("start the set %s: %w", name, err)
	}
	err = begun.Await(ctx, func() bool {
		now, err := s.Load(name)
		if err != nil || now.State.Process != begun.PID || !s.Running(name) {
			return false
		}
		into = now.Set.LatestOutputLocation
		return true
	})
	switch {
	case errors.Is(err, subprocess.ErrEnded):
		if now, err := s.Load(name); err == nil && now.State.Began.After(before.State.Began) && now.State.Why == "" {
			return "", nil, nil // it ran, and is over
		}
		said, last := subprocess.LastWords(log)
		return "", said, fmt.Errorf("start the set %s: %s", name, last)
	case err != nil:
		return "", nil, failure.WithHint(fmt.Errorf("start the set %s: %w", name, err), "what it says is in "+log)
	}
	return into, nil, nil
}

// detach starts this program beside this one.
func (d *Sets) detach(log string, args []string) (*subprocess.Detached, error) {
	cmd, err := d.o.Self(args...)
	if err != nil {
		return nil, err
	}
	return subprocess.StartDetached(cmd, log, d.o.Go)
}

// Stop ends the run of a set, and waits until its files are complete.
func (d *Sets) Stop(ctx context.Context, name string) error {
	s, err := d.store()
	if err != nil {
		return err
	}
	if err := s.WantEnd(name); err != nil {
		return err
	}
	for end := time.Now().Add(recorders.Closing); s.Running(name); {
		if !session.Sleep(ctx, 50*time.Millisecond) {
			return nil
		}
		if time.Now().After(end) {
			return failure.WithHint(fmt.Errorf("stop the set %s: it goes on after %s", name, english.Span(recorders.Closing)), "its disk may be slow; perfdeck collect list shows how it stands")
		}
	}
	return nil
}

// startNamed starts a recording of the config, and waits until it records.
func (d *Sets) startNamed(ctx context.Context, name string) error {
	log, err := os.CreateTemp("", "perfdeck-*.log")
	if err != nil {
		return err
	}
	_ = log.Close()
	defer func() { _ = os.Remove(log.Name()) }()
	begun, err := d.detach(log.Name(), slices.Concat([]string{"record", "--named", name}, d.o.HostFlags))
	if err != nil {
		return fmt.Errorf("record %s: %w", name, err)
	}
	err = begun.Await(ctx, func() bool {
		return slices.ContainsFunc(d.described(), func(e collector.Entry) bool { return e.PID == begun.PID && e.State == collector.Running })
	})
	if errors.Is(err, subprocess.ErrEnded) {
		_, last := subprocess.LastWords(log.Name())
		return fmt.Errorf("record %s: %s", name, last)
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", name, err)
	}
	return nil
}

// Run runs a set in this process until it ends. What runs of it that died left described is
// forgotten before.
func (d *Sets) Run(ctx context.Context, set *Set, o runner.Options) error {
	s, err := d.store()
	if err != nil {
		return err
	}
	if !s.Running(set.Set.Name) {
		d.forgetRecordings(set)
	}
	o.Store = s
	return runner.Run(ctx, o)
}
