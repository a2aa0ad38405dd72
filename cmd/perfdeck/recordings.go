package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/record/collector"
)

// recordingSet is the recordings of this process, by a key, and the hosts that can be
// recorded. Its methods may be called by many goroutines.
type recordingSet struct {
	program *program
	report  func(error)

	// mu guards what is below, and what embeds the set says of its own. It is never
	// held while a disk is waited for: the screens ask how things stand.
	mu    sync.Mutex
	hosts map[string]host // by name
	open  map[string]*ownRecording
	over  bool // what begins now is ended at once
}

// ownRecording is a recording that this process began.
type ownRecording struct {
	*collector.Recording

	ending bool // by somebody who tells what comes of it; guarded by the set's mu
}

func (p *program) newRecordingSet(report func(error)) recordingSet {
	return recordingSet{program: p, report: report, hosts: map[string]host{}, open: map[string]*ownRecording{}}
}

// add makes a host known. Where it was recorded before it is recorded again.
func (r *recordingSet) add(h host) {
	r.mu.Lock()
	r.hosts[h.name] = h
	all := slices.Collect(maps.Values(r.open))
	r.mu.Unlock()
	for _, open := range all {
		if _, gone := open.Paths(h.name); gone {
			r.extend(open, h, nil)
		}
	}
}

// drop forgets a host. Recordings of it go on without it.
func (r *recordingSet) drop(name string) {
	r.mu.Lock()
	delete(r.hosts, name)
	all := slices.Collect(maps.Values(r.open))
	r.mu.Unlock()
	for _, open := range all {
		open.Drop(name)
	}
}

// recorded is a host as a recording has it.
func (h host) recorded(texts []string) collector.Host {
	return collector.Host{Name: h.name, Sampler: h.sampler, Paths: texts, Open: h.open, Account: h.account}
}

// extend lets a recording have more of a host, and tells if it cannot.
func (r *recordingSet) extend(open *ownRecording, h host, texts []string) {
	ctx, cancel := context.WithTimeout(context.Background(), recordClosing)
	defer cancel()
	if err := open.have(ctx, h, texts); err != nil && !open.Status().Ended {
		r.report(err)
	}
}

// have lets the recording have more of a host. It waits until that is so, or the
// context ends.
func (o *ownRecording) have(ctx context.Context, h host, texts []string) error {
	err := o.Add(ctx, h.recorded(texts))
	if errors.Is(err, context.DeadlineExceeded) {
		file := session.Printable(filepath.Base(o.Status().File))
		return fmt.Errorf("record %s, too: %s is not written to, its disk does not answer; the host may join when it does", h.name, file)
	}
	return err
}

// running is a recording that goes on, nil if there is none. The set is locked.
func (r *recordingSet) running(key string) *ownRecording {
	if open := r.open[key]; open != nil && !open.Status().Ended {
		return open
	}
	return nil
}

// going are the files of the recordings that go on.
func (r *recordingSet) going() (files []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(r.open)) {
		if open := r.running(key); open != nil {
			files = append(files, open.Status().File)
		}
	}
	return files
}

// await waits until no recording goes on, or the context ends. None begins meanwhile.
func (r *recordingSet) await(ctx context.Context) {
	r.mu.Lock()
	all := slices.Collect(maps.Values(r.open))
	r.mu.Unlock()
	for _, open := range all {
		select {
		case <-open.Done():
		case <-ctx.Done():
			return
		}
	}
}

var errLeaving = errors.New("nothing can be recorded any more: the program ends")

// begin begins a recording, as soon as its disk answers, and tells if it ends by
// itself. The set is not locked.
func (r *recordingSet) begin(key string, o collector.Options) error {
	recording, err := r.program.startRecording(o)
	if err != nil {
		return err
	}
	open := &ownRecording{Recording: recording}
	r.mu.Lock()
	over := r.over
	var gone []string // while it began
	if !over {
		r.open[key] = open
		for _, h := range o.Hosts {
			if _, known := r.hosts[h.Name]; !known {
				gone = append(gone, h.Name)
			}
		}
	}
	r.mu.Unlock()
	if over {
		ctx, cancel := context.WithTimeout(context.Background(), recordClosing)
		defer cancel()
		return errors.Join(errLeaving, open.Stop(ctx, ""))
	}
	r.program.guard.Go(func() { r.awaitEnd(open) })
	for _, name := range gone {
		open.Drop(name)
	}
	return nil
}

// awaitEnd tells why a recording ended, unless somebody who ended it does.
func (r *recordingSet) awaitEnd(open *ownRecording) {
	<-open.Done()
	r.mu.Lock()
	told := open.ending
	r.mu.Unlock()
	if err := open.Status().Err; err != nil && !told {
		r.report(err)
	}
}

// take takes a recording out of the others; nil if there is none. One that goes on
// is to be ended by the caller, who tells what comes of it.
func (r *recordingSet) take(key string) (open *ownRecording, goesOn bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	open = r.open[key]
	delete(r.open, key)
	if open == nil || open.Status().Ended {
		return open, false
	}
	open.ending = true
	return open, true
}

// close ends all recordings, and those that begin later.
func (r *recordingSet) close() {
	r.mu.Lock()
	r.over = true
	keys := slices.Collect(maps.Keys(r.open))
	r.mu.Unlock()
	defer r.program.keep()()
	ctx, cancel := context.WithTimeout(context.Background(), recordClosing)
	defer cancel()
	for _, key := range keys {
		if open, goesOn := r.take(key); goesOn {
			if err := open.Stop(ctx, ""); err != nil {
				r.report(err)
			}
		}
	}
}

// lacking are the paths that are not recorded of a host.
func lacking(open *ownRecording, host string, texts []string) (out []string) {
	recorded, _ := open.Paths(host)
	for _, text := range texts {
		if !slices.ContainsFunc(recorded, func(t string) bool { return paths.EqualFold(t, text) }) {
			out = append(out, text)
		}
	}
	return out
}
