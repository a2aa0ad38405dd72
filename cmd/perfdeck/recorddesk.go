package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session/config"
	"perfdeck/session/record/collector"
)

// recordDesk starts and stops the recordings of the config, for alerts and for
// perfdeck watch. It records of the hosts that are watched. Its methods may be
// called by many goroutines.
type recordDesk struct {
	recordingSet

	every   time.Duration   // of recordings that have no interval
	flags   []string        // that open the hosts on a command line
	records []config.Record // guarded by mu

	// turns is held, before mu, while a recording begins, which takes as long as the
	// disk does: of those who start and stop recordings one comes after the other.
	turns sync.Mutex
}

func (p *program) newRecordDesk(every time.Duration, flags []string, report func(error)) *recordDesk {
	return &recordDesk{recordingSet: p.newRecordingSet(report), every: every, records: p.config.Records, flags: flags}
}

// setRecords takes the recordings of a config. Those that go on stay as they are.
func (d *recordDesk) setRecords(records []config.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records = records
}

// add makes a host known. It joins the recordings that are to have it.
func (d *recordDesk) add(h host) {
	d.recordingSet.add(h)
	d.mu.Lock()
	records := d.records
	d.mu.Unlock()
	for i := range records {
		d.join(&records[i], h)
	}
}

// join lets a recording of the config have a host, if it goes on and is to.
func (d *recordDesk) join(r *config.Record, h host) {
	d.mu.Lock()
	open := d.running(paths.Fold(r.Name))
	d.mu.Unlock()
	if open == nil || !isRecordedAt(r, h.name) {
		return
	}
	if more := lacking(open, h.name, r.Paths); len(more) > 0 {
		d.extend(open, h, more)
	}
}

// isRecordedAt tells whether a recording of the config is to have a host.
func isRecordedAt(r *config.Record, name string) bool {
	return len(r.Hosts) == 0 || slices.ContainsFunc(r.Hosts, func(h string) bool { return isHost(h, name) || isHost(displayName(h), name) })
}

var (
	errNoRecord   = errors.New("the config has no [[record]] of this name")
	errNoSuchHost = errors.New("none of its hosts is watched here")
)

// Start begins a recording of the config. One that goes on stays as it is. It waits
// for the disk.
func (d *recordDesk) Start(name string) error {
	d.turns.Lock()
	defer d.turns.Unlock()
	key := paths.Fold(name)
	d.mu.Lock()
	going, known := d.running(key), maps.Clone(d.hosts)
	i := slices.IndexFunc(d.records, func(r config.Record) bool { return paths.EqualFold(r.Name, name) })
	var record config.Record
	if i >= 0 {
		record = d.records[i]
	}
	d.mu.Unlock()
	if going != nil {
		return nil
	}
	if i < 0 {
		return fmt.Errorf("record %s: %w", name, errNoRecord)
	}
	o, err := d.options(&record, known)
	if err != nil {
		return fmt.Errorf("record %s: %w", name, err)
	}
	if err := d.begin(key, o); err != nil {
		return err
	}
	d.mu.Lock()
	now := maps.Clone(d.hosts)
	d.mu.Unlock()
	for name, h := range now {
		if _, was := known[name]; !was { // it came meanwhile
			d.join(&record, h)
		}
	}
	return nil
}

// options are those of a recording, with the hosts that are known.
func (d *recordDesk) options(r *config.Record, known map[string]host) (collector.Options, error) {
	f := recordFlags{
		segmentTime: spanText(r.SegmentTime), segmentSize: bytesText(r.SegmentSize), ring: bytesText(r.Ring), duration: spanText(r.Duration),
		segmentSamples: r.SegmentRows, count: r.Samples,
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
	for name, h := range known {
		if isRecordedAt(r, name) {
			o.Hosts = append(o.Hosts, h.recorded(r.Paths))
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
	d.turns.Lock()
	open, goesOn := d.take(paths.Fold(name))
	d.turns.Unlock()
	if !goesOn {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordClosing)
	defer cancel()
	return open.Stop(ctx, "")
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
