package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session/collector"
	"perfdeck/session/config"
)

// takeNamed takes from a [[record]] of the config what the command line does not
// say. It returns the paths.
func (p *program) takeNamed(c *cobra.Command, f *recordFlags, s *config.Settings) ([]string, error) {
	r, ok := p.config.Record(f.named)
	if !ok {
		return nil, p.unknownRecord(f.named)
	}
	file, err := config.BelowHome(r.File)
	if err != nil {
		return nil, err
	}
	set := func(flag, value string, to *string) {
		if value != "" && !c.Flags().Changed(flag) {
			*to = value
		}
	}
	set("output", file, &f.output)
	set("segment-time", spanText(r.SegmentTime), &f.segmentTime)
	set("segment-size", bytesText(r.SegmentSize), &f.segmentSize)
	set("ring", bytesText(r.Ring), &f.ring)
	set("parts", r.Parts, &f.parts)
	set("pattern", r.Pattern, &f.pattern)
	f.perHost, f.follow = f.perHost || r.PerHost, f.follow || r.Follow
	if r.Interval > 0 && !c.Flags().Changed("interval") {
		s.Interval = r.Interval
	}
	if len(p.flags.hosts) == 0 {
		p.flags.hosts = slices.Clone(r.Hosts)
	}
	return r.Paths, nil
}

func (p *program) unknownRecord(name string) error {
	var known []string
	for _, r := range p.config.Records {
		known = append(known, r.Name)
	}
	if len(known) == 0 {
		known = []string{"the config has no [[record]]"}
	}
	return unknownValue("named", name, strings.Join(known, ", "))
}

// spanText is a time of a flag; empty: none.
func spanText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func bytesText(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// recordDesk starts and stops the recordings of the config, for alerts and for
// perfdeck watch. It records of the hosts that are watched. Its methods may be
// called by many goroutines.
type recordDesk struct {
	program *program
	every   time.Duration // of recordings that have no interval
	flags   []string      // that open the hosts on a command line
	report  func(error)

	mu      sync.Mutex
	records []config.Record
	hosts   map[string]host // by name
	open    map[string]*collector.Recording
}

func (p *program) newRecordDesk(every time.Duration, flags []string, report func(error)) *recordDesk {
	return &recordDesk{
		program: p, every: every, report: report, records: p.config.Records,
		flags: flags, hosts: map[string]host{}, open: map[string]*collector.Recording{},
	}
}

// setRecords takes the recordings of a config. Those that go on stay as they are.
func (d *recordDesk) setRecords(records []config.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records = records
}

// add makes a host known.
func (d *recordDesk) add(h host) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hosts[h.name] = h
}

// drop forgets a host. Recordings of it go on without it.
func (d *recordDesk) drop(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.hosts, name)
	for _, r := range d.open {
		r.Drop(name)
	}
}

var (
	errNoRecord   = errors.New("the config has no [[record]] of this name")
	errNoSuchHost = errors.New("none of its hosts is watched here")
)

// Start begins a recording of the config. One that goes on stays as it is.
func (d *recordDesk) Start(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := paths.Fold(name)
	if r := d.open[key]; r != nil && !r.Status().Ended {
		return nil
	}
	i := slices.IndexFunc(d.records, func(r config.Record) bool { return paths.EqualFold(r.Name, name) })
	if i < 0 {
		return fmt.Errorf("record %s: %w", name, errNoRecord)
	}
	o, err := d.options(&d.records[i])
	if err != nil {
		return fmt.Errorf("record %s: %w", name, err)
	}
	r, err := d.program.startRecording(o)
	if err != nil {
		return err
	}
	d.open[key] = r
	d.program.guard.Go(func() {
		<-r.Done()
		if err := r.Status().Err; err != nil {
			d.report(err)
		}
	})
	return nil
}

// options are those of a recording, with the hosts that are watched.
func (d *recordDesk) options(r *config.Record) (collector.Options, error) {
	f := recordFlags{
		segmentTime: spanText(r.SegmentTime), segmentSize: bytesText(r.SegmentSize), ring: bytesText(r.Ring), duration: spanText(r.Duration),
		perHost: r.PerHost, follow: r.Follow, parts: r.Parts, pattern: r.Pattern, fsync: "5s",
	}
	file, err := config.BelowHome(r.File)
	if err != nil {
		return collector.Options{}, err
	}
	f.output = file
	if r.Parts == "" && r.Pattern == "" {
		f.parts = "serial" // one begins after the other
	}
	every := r.Interval
	if every == 0 {
		every = d.every
	}
	o, err := f.options(every)
	if err != nil {
		return o, err
	}
	for name, own := range d.hosts {
		if len(r.Hosts) == 0 || slices.ContainsFunc(r.Hosts, func(h string) bool { return isHost(h, name) || isHost(displayName(h), name) }) {
			o.Hosts = append(o.Hosts, collector.Host{Name: name, Sampler: own.sampler, Paths: r.Paths, Open: own.open})
		}
	}
	slices.SortFunc(o.Hosts, func(a, b collector.Host) int { return strings.Compare(a.Name, b.Name) })
	if len(o.Hosts) == 0 {
		return o, errNoSuchHost
	}
	o.Report, o.Flags = d.report, d.flags
	return o, nil
}

// Stop ends a recording of the config. One that does not go on is no error.
func (d *recordDesk) Stop(name string) error {
	d.mu.Lock()
	r := d.open[paths.Fold(name)]
	delete(d.open, paths.Fold(name))
	d.mu.Unlock()
	if r == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordClosing)
	defer cancel()
	return r.Stop(ctx, "")
}

// startAlways begins the recordings that are always to go on.
func (d *recordDesk) startAlways() {
	d.mu.Lock()
	records := d.records
	d.mu.Unlock()
	for _, r := range records {
		if r.Always {
			if err := d.Start(r.Name); err != nil {
				d.report(err)
			}
		}
	}
}

// recordsAlways tells whether a config has recordings that always go on.
func recordsAlways(file *config.Config) bool {
	return slices.ContainsFunc(file.Records, func(r config.Record) bool { return r.Always })
}

// recordedAt are the hosts that recordings of a config name. anywhere tells that
// one that always goes on names none: those that are watched are meant.
func recordedAt(file *config.Config) (names []string, anywhere bool) {
	for _, r := range file.Records {
		for _, h := range r.Hosts {
			if !slices.Contains(names, h) {
				names = append(names, h)
			}
		}
		anywhere = anywhere || r.Always && len(r.Hosts) == 0
	}
	return names, anywhere
}

// close ends all recordings.
func (d *recordDesk) close() {
	d.mu.Lock()
	open := d.open
	d.open = map[string]*collector.Recording{}
	d.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), recordClosing)
	defer cancel()
	for _, r := range open {
		if err := r.Stop(ctx, ""); err != nil {
			d.report(err)
		}
	}
}
