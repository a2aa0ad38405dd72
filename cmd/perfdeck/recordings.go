package main

import (
	"context"
	"slices"
	"sync"

	"perfdeck/paths"
	"perfdeck/session/collector"
)

// recordingSet is the recordings of this process, by a key, and the hosts that can be
// recorded. Its methods may be called by many goroutines.
type recordingSet struct {
	program *program
	report  func(error)

	mu    sync.Mutex
	hosts map[string]host // by name
	open  map[string]*collector.Recording
}

func (p *program) newRecordingSet(report func(error)) recordingSet {
	return recordingSet{program: p, report: report, hosts: map[string]host{}, open: map[string]*collector.Recording{}}
}

// add makes a host known. Where it was recorded before it is recorded again.
func (r *recordingSet) add(h host) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hosts[h.name] = h
	for _, open := range r.open {
		if _, gone := open.Paths(h.name); gone {
			r.extend(open, h, nil)
		}
	}
}

// drop forgets a host. Recordings of it go on without it.
func (r *recordingSet) drop(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.hosts, name)
	for _, open := range r.open {
		open.Drop(name)
	}
}

// extend lets a recording have more of a host.
func (r *recordingSet) extend(open *collector.Recording, h host, texts []string) {
	ctx, cancel := context.WithTimeout(context.Background(), recordClosing)
	defer cancel()
	err := open.Add(ctx, collector.Host{Name: h.name, Sampler: h.sampler, Paths: texts, Open: h.open, Account: h.account})
	if err != nil && !open.Status().Ended {
		r.report(err)
	}
}

// running is a recording that goes on, nil if there is none.
func (r *recordingSet) running(key string) *collector.Recording {
	if open := r.open[key]; open != nil && !open.Status().Ended {
		return open
	}
	return nil
}

// begin begins a recording.
func (r *recordingSet) begin(key string, o collector.Options) error {
	open, err := r.program.startRecording(o)
	if err != nil {
		return err
	}
	r.open[key] = open
	return nil
}

// take takes a recording out of the others, to be ended; nil if there is none.
func (r *recordingSet) take(key string) *collector.Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	open := r.open[key]
	delete(r.open, key)
	return open
}

// close ends all recordings.
func (r *recordingSet) close() {
	r.mu.Lock()
	open := r.open
	r.open = map[string]*collector.Recording{}
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), recordClosing)
	defer cancel()
	for _, one := range open {
		if err := one.Stop(ctx, ""); err != nil {
			r.report(err)
		}
	}
}

// lacking are the paths that are not recorded of a host.
func lacking(open *collector.Recording, host string, texts []string) (out []string) {
	recorded, _ := open.Paths(host)
	for _, text := range texts {
		if !slices.ContainsFunc(recorded, func(t string) bool { return paths.EqualFold(t, text) }) {
			out = append(out, text)
		}
	}
	return out
}
