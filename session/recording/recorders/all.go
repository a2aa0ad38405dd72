// Package recorders is the recordings of a process: those of its screens, those that alerts
// begin, those of the config that always go on. They stand in one table, each by a key,
// and record of the hosts that the process watches: hosts that come and go are told to
// the table, once for all recordings.
package recorders

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/recording/collector"
	"perfdeck/session/text/printable"
)

// Closing is how long the end of a recording may take: a disk may be slow.
const Closing = 30 * time.Second

// Options are what All needs.
type Options struct {
	// Start begins a recording; it adds what all of a program's have in common.
	Start func(collector.Options) (*collector.Recording, error)
	// Report is told what goes wrong beside the calls, by any goroutine.
	Report func(error)
	Go     func(func()) // starts a goroutine
}

// All is the recordings of a process. Its methods may be called by many goroutines. None
// but Begin, Stop, Await and Close waits for a disk: screens ask how things stand.
type All struct {
	o Options

	mu      sync.Mutex
	hosts   map[string]collector.Host // that can be recorded, by name; without paths
	entries map[string]*Entry
	over    bool // what begins now is ended at once
}

// Entry is a recording of All.
type Entry struct {
	*collector.Recording // not before begun is closed; nil: it did not begin

	key   string
	joins Joins
	begun chan struct{}
	told  atomic.Bool // somebody tells of its end
}

// Joins is what a recording makes of hosts that come and go while it goes on. All may
// be nil, and wait for the disk.
type Joins struct {
	Came func(e *Entry, h collector.Host)
	Left func(e *Entry, name string)
	// Failed is told, in place of Report, that the recording ended by an error.
	Failed func(error)
}

// New has no recordings.
func New(o Options) *All {
	return &All{o: o, hosts: map[string]collector.Host{}, entries: map[string]*Entry{}}
}

// Add makes a host known. Where it was recorded before it is recorded again.
func (a *All) Add(h collector.Host) {
	h.Paths, h.Questions = nil, nil
	a.mu.Lock()
	a.hosts[h.Name] = h
	a.mu.Unlock()
	for _, e := range a.going() {
		if _, gone := e.Paths(h.Name); gone {
			a.extend(e, h, nil)
		}
		if e.joins.Came != nil {
			e.joins.Came(e, h)
		}
	}
}

// Drop forgets a host. Recordings of it go on without it.
func (a *All) Drop(name string) {
	a.mu.Lock()
	delete(a.hosts, name)
	a.mu.Unlock()
	for _, e := range a.going() {
		e.Drop(name)
		if e.joins.Left != nil {
			e.joins.Left(e, name)
		}
	}
}

// Hosts are those that are known.
func (a *All) Hosts() map[string]collector.Host {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.hosts)
}

// Running is a recording that goes on; nil: there is none, or it only begins.
func (a *All) Running(key string) *Entry { return a.entry(key, (*Entry).goesOn) }

// Newest is a recording, though it may have ended; nil: there was none.
func (a *All) Newest(key string) *Entry { return a.entry(key, (*Entry).isThere) }

func (a *All) entry(key string, is func(*Entry) bool) *Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e := a.entries[key]; is(e) {
		return e
	}
	return nil
}

// firstOther is the first recording that goes on, by the order of keys, but for that of the screens;
// nil: none does.
func (a *All) firstOther() *Entry {
	for _, e := range a.going() {
		if e.key != ofScreens {
			return e
		}
	}
	return nil
}

// Files are those of the recordings that go on.
func (a *All) Files() (files []string) {
	for _, e := range a.going() {
		files = append(files, e.Status().File)
	}
	return files
}

// going are the recordings that go on, by the order of their keys.
func (a *All) going() (out []*Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(a.entries)) {
		if e := a.entries[key]; e.goesOn() {
			out = append(out, e)
		}
	}
	return out
}

func (e *Entry) isThere() bool { return e != nil && session.IsClosed(e.begun) && e.Recording != nil }

func (e *Entry) goesOn() bool { return e.isThere() && !e.Status().Ended }

// ErrGoes is why no recording begins: one of the key goes on.
var ErrGoes = errors.New("it is recorded already")

var errLeaving = errors.New("nothing can be recorded any more: the program ends")

// Begin begins a recording of the hosts that are known, as soon as its disk answers. That
// it ends by itself is reported. Two of one key begin one after the other.
func (a *All) Begin(key string, joins Joins, options func(known map[string]collector.Host) (collector.Options, error)) error {
	e := &Entry{key: key, joins: joins, begun: make(chan struct{})}
	known, err := a.place(e)
	if err != nil {
		return err
	}
	o, err := options(known)
	if err == nil {
		e.Recording, err = a.o.Start(o)
	}
	if err != nil {
		a.remove(e)
		close(e.begun)
		return err
	}
	a.mu.Lock()
	close(e.begun)
	over, now := a.over, maps.Clone(a.hosts)
	a.mu.Unlock()
	if over {
		return errors.Join(errLeaving, e.end())
	}
	a.o.Go(func() { a.awaitEnd(e) })
	for _, h := range o.Hosts { // that went meanwhile
		if _, is := now[h.Name]; !is {
			e.Drop(h.Name)
		}
	}
	for name, h := range now { // and that came
		if _, was := known[name]; !was && joins.Came != nil {
			joins.Came(e, h)
		}
	}
	return nil
}

// place puts an entry in the table, when one of its key that begins has begun or failed.
func (a *All) place(e *Entry) (map[string]collector.Host, error) {
	other := a.settled(e.key)
	defer a.mu.Unlock()
	switch {
	case a.over:
		return nil, errLeaving
	case other.goesOn():
		return nil, ErrGoes
	}
	a.entries[e.key] = e
	return maps.Clone(a.hosts), nil
}

// settled is the entry of a key, or nil, once it does not only begin. It returns with a.mu locked.
func (a *All) settled(key string) *Entry {
	for {
		a.mu.Lock()
		e := a.entries[key]
		if e == nil || session.IsClosed(e.begun) {
			return e
		}
		a.mu.Unlock()
		<-e.begun
	}
}

func (a *All) remove(e *Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.entries[e.key] == e {
		delete(a.entries, e.key)
	}
}

// awaitEnd tells why a recording ended, unless somebody who ended it does.
func (a *All) awaitEnd(e *Entry) {
	<-e.Done()
	if err := e.Status().Err; err != nil && !e.told.Load() {
		tell := a.o.Report
		if e.joins.Failed != nil {
			tell = e.joins.Failed
		}
		tell(err)
	}
}

// extend lets a recording have more of a host, and tells if it cannot.
func (a *All) extend(e *Entry, h collector.Host, texts []string) {
	ctx, cancel := context.WithTimeout(context.Background(), Closing)
	defer cancel()
	if err := e.Have(ctx, h, texts); err != nil && !e.Status().Ended {
		a.o.Report(err)
	}
}

// Have lets a recording have more of a host. It waits until that is so, or the context
// ends.
func (e *Entry) Have(ctx context.Context, h collector.Host, texts []string) error {
	h.Paths = texts
	err := e.Add(ctx, h)
	if errors.Is(err, context.DeadlineExceeded) {
		file := printable.Text(filepath.Base(e.Status().File))
		return fmt.Errorf("record %s, too: %s is not written to, its disk does not answer; the host may join when it does", h.Name, file)
	}
	return err
}

// Lacking are the paths that are not recorded of a host.
func (e *Entry) Lacking(host string, texts []string) (out []string) {
	recorded, _ := e.Paths(host)
	for _, text := range texts {
		if !paths.ContainsFold(recorded, text) {
			out = append(out, text)
		}
	}
	return out
}

// Remove takes a recording out of the table; nil: there is none. One that goes on is to be
// ended by the caller, who tells what comes of it. It waits while one begins.
func (a *All) Remove(key string) (e *Entry, goesOn bool) {
	e = a.settled(key)
	defer a.mu.Unlock()
	delete(a.entries, key)
	if !e.isThere() {
		return nil, false
	}
	if goesOn = e.goesOn(); goesOn {
		e.told.Store(true)
	}
	return e, goesOn
}

// Stop ends a recording. One that does not go on is no error.
func (a *All) Stop(key string) error {
	e, goesOn := a.Remove(key)
	if !goesOn {
		return nil
	}
	return e.end()
}

// end ends a recording, in the time that its disk may take.
func (e *Entry) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), Closing)
	defer cancel()
	return e.Stop(ctx, "")
}

// Await waits until no recording goes on, or the context ends. None may begin meanwhile.
func (a *All) Await(ctx context.Context) {
	for _, e := range a.going() {
		select {
		case <-e.Done():
		case <-ctx.Done():
			return
		}
	}
}

// Close ends all recordings, and those that begin later.
func (a *All) Close() {
	a.mu.Lock()
	a.over = true
	keys := slices.Collect(maps.Keys(a.entries))
	a.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), Closing)
	defer cancel()
	for _, key := range keys {
		if e, goesOn := a.Remove(key); goesOn {
			if err := e.Stop(ctx, ""); err != nil {
				a.o.Report(err)
			}
		}
	}
}

// Look is the newest result of a look at something slow, at which is looked again while
// somebody asks. Any goroutine may use it.
type Look[T any] struct {
	Every   time.Duration
	Do      func() T
	Changed func()       // the result may be another one; called behind a look that nobody waits for
	Go      func(func()) // starts a goroutine

	mu      sync.Mutex
	it      T
	known   bool
	looking bool
	at      time.Time
}

// Get is the result of the last look; false: there was none. It does not wait.
func (l *Look[T]) Get() (it T, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.looking && time.Since(l.at) >= l.Every {
		l.looking = true
		l.Go(func() { l.Now(); l.Changed() })
	}
	return l.it, l.known
}

// Now looks, and waits for that.
func (l *Look[T]) Now() {
	it := l.Do()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.it, l.known, l.looking, l.at = it, true, false, time.Now()
}

// Expire has the next Get look.
func (l *Look[T]) Expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = time.Time{}
}
