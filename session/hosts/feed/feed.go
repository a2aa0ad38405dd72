// Package feed gives the countersets of manifests the values that programs publish: the
// way of Windows' providers, without Windows. What is told is raw; it is cooked by the
// types of the manifest, as everything is.
//
// A feed is a manifest and the inlets from which lines come: a program, a file, a
// socket, an address on this computer. A line is a JSON object (line.go) or a sample in
// Prometheus' text format (exposition.go), by whose name a counter is found (names.go).
// table.go holds the instances of a counterset, inlet.go is what all inlets have in
// common, query.go how they are read, fed.go stands fed countersets beside those of
// another source, draft.go makes a manifest of lines.
//
// It has nothing to do with session.Feed, which is who looks at a host.
package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// The limits of what is taken from inlets. What is beyond is a wrong line, or waits.
const (
	MaxLine        = 64 << 10 // bytes of a line
	maxInstances   = 10_000   // of a counterset
	maxName        = 1024     // bytes of an instance's name
	maxLabels      = 64       // of a sample in Prometheus' format
	maxScrape      = 8 << 20  // bytes that an address answers
	maxWriters     = 32       // on a socket at once
	linesPerSecond = 20_000   // of an inlet; it waits with the rest
	maxBehind      = 4 << 20  // bytes of a file; what is older is passed over
)

// The defaults of a feed.
const (
	DefaultEvery = 5 * time.Second
	DefaultKeep  = 2 * time.Minute
)

// Feed is manifests and where their values come from.
type Feed struct {
	Name    string
	Files   []*manifest.File
	Inlets  []Inlet
	Metrics map[string]paths.Path // the counters of samples by name; {LABEL} in its instance is a label's value
	Every   time.Duration         // between two askings of an address, and runs of a program that ended well; 0: DefaultEvery
	Keep    time.Duration         // how long an instance stays of which nothing is told; 0: DefaultKeep
	Err     error                 // why there is nothing to feed; nil: there is
}

// Inlet is where lines come from: one of the four.
type Inlet struct {
	Command []string // a program, which is run without a shell, and its arguments
	File    string   // is followed
	Socket  string   // is listened on
	URL     string   // is asked; of this computer
}

// String is the inlet as messages call it.
func (i Inlet) String() string {
	switch {
	case len(i.Command) > 0:
		return i.Command[0]
	case i.File != "":
		return i.File
	case i.Socket != "":
		return i.Socket
	}
	return printable.Address(i.URL)
}

// Options say what is fed and how. Those without a default must be set.
type Options struct {
	Host    string // name in the catalogue
	Feeds   []Feed
	Clock   session.Clock
	Go      func(func()) // starts a goroutine
	Environ []string     // as by os.Environ; programs see a part of it
	// Clocks are those that moments are told by, as of a source that stands beside. Nil:
	// some of its own.
	Clocks func() cooker.Clocks
	// Report hears what Warnings tells as it changes, from several goroutines. Nil: nobody.
	Report func(error)
}

// Source is what is fed. It is a session.Source, a session.Timed and a session.Warner.
// Nothing runs before Begin, or before a query wants a counterset; then everything does,
// until Close. An instance has the moment of its newest lines, so that rates do not swing
// with the beat of who looks, nor with that of other instances.
type Source struct {
	o         Options
	catalogue *session.Catalogue
	tables    []*table // as catalogue.Sets
	providers map[string]string
	inlets    []*inlet
	faults    []error // of the feeds themselves

	mu      sync.Mutex // guards what follows, the tables and the inlets' states
	stop    context.CancelFunc
	running sync.WaitGroup
	closed  bool
}

// New makes the source. Of two countersets of one GUID or name the first is fed.
func New(o Options) *Source {
	if o.Clocks == nil {
		o.Clocks = ownClocks(o.Clock)
	}
	s := &Source{o: o, catalogue: &session.Catalogue{Host: o.Host}, providers: map[string]string{}}
	for i := range o.Feeds {
		s.add(&o.Feeds[i])
	}
	return s
}

func (s *Source) add(f *Feed) {
	if f.Every <= 0 {
		f.Every = DefaultEvery
	}
	if f.Keep <= 0 {
		f.Keep = DefaultKeep
	}
	if f.Err != nil {
		s.faults = append(s.faults, &Error{Feed: f.Name, Err: f.Err})
		return
	}
	m := &schema{metrics: f.Metrics}
	first := len(s.inlets)
	for _, in := range f.Inlets {
		s.inlets = append(s.inlets, &inlet{source: s, feed: f, spec: in, number: len(s.inlets), schema: m, answered: make(chan struct{})})
	}
	for _, file := range f.Files {
		for _, p := range file.Providers {
			for _, set := range p.Sets {
				s.providers[strings.ToLower(set.GUID)] = p.GUID
			}
		}
		for _, set := range file.Catalogue() {
			same := func(o *session.Counterset) bool {
				return o.GUID == set.GUID || paths.EqualFold(o.Name, set.Name)
			}
			if slices.ContainsFunc(s.catalogue.Sets, same) {
				s.faults = append(s.faults, &Error{Feed: f.Name, Err: fmt.Errorf("the counterset %q is fed already", set.Name), hint: "let one feed have all inlets of a manifest"})
				continue
			}
			set.Protocol, set.Told = "feed "+f.Name, true
			t := newTable(f, set, s.inlets[first:])
			m.tables = append(m.tables, t)
			s.catalogue.Sets = append(s.catalogue.Sets, set)
			s.tables = append(s.tables, t)
		}
	}
}

// Catalogue gives the countersets of the manifests.
func (s *Source) Catalogue(context.Context) (*session.Catalogue, error) { return s.catalogue, nil }

// Clocks are those that moments are told by, now.
func (s *Source) Clocks() cooker.Clocks { return s.o.Clocks() }

// ProviderGUID gives the GUID that a manifest has for the provider of a set.
func (s *Source) ProviderGUID(set *session.Counterset) (guid string, ok bool) {
	guid, ok = s.providers[set.GUID]
	return guid, ok
}

// Begin starts the inlets, if they do not run.
func (s *Source) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil || s.closed {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	for _, in := range s.inlets {
		s.running.Add(1)
		s.o.Go(func() {
			defer s.running.Done()
			in.run(ctx)
		})
	}
}

// IsClosed tells whether it was closed.
func (s *Source) IsClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Close ends the inlets and what they run.
func (s *Source) Close() error {
	s.mu.Lock()
	s.closed = true
	if s.stop != nil {
		s.stop()
	}
	s.mu.Unlock()
	s.running.Wait()
	for _, in := range s.inlets {
		s.mu.Lock()
		news := in.untold()
		s.mu.Unlock()
		s.report(news)
	}
	return nil
}

// Warnings are what is wrong with feeds and inlets now.
func (s *Source) Warnings() []error {
	out := slices.Clone(s.faults)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Clock.Now().Mono
	for _, in := range s.inlets {
		if in.dead != nil {
			out = append(out, in.dead)
		}
		if w := &in.wrong; w.told != nil && now-w.at < tellEvery {
			out = append(out, w.told)
		}
	}
	return out
}

// Trial is how it went with a feed that was tried.
type Trial struct {
	Feed, Detail string
	Took         time.Duration
	Err          error // why nothing comes of it
}

// tryWithin is how long Try waits for who tells nothing.
const tryWithin = 3 * time.Second

// Try runs the feeds until each told something or failed, for a while at most, and gives how each stands.
func (s *Source) Try(ctx context.Context) (trials []Trial) {
	s.Begin()
	begun := s.o.Clock.Now().Mono
	s.await(ctx, s.inlets, tryWithin)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Clock.Now().Mono
	s.settle(now)
	for i := range s.o.Feeds {
		t := s.standing(&s.o.Feeds[i])
		t.Took = now - begun
		trials = append(trials, t)
	}
	return trials
}

// standing is how a feed stands. Source.mu is held.
func (s *Source) standing(f *Feed) Trial {
	t := Trial{Feed: f.Name}
	for _, fault := range s.faults {
		if e, ok := errors.AsType[*Error](fault); ok && e.Feed == f.Name {
			t.Err = fault
			return t
		}
	}
	wrong, instances, heard := 0, 0, false
	for _, in := range s.inlets {
		if in.feed == f {
			t.Err = cmp.Or(t.Err, in.dead)
			wrong += int(in.wrong.total)
		}
	}
	if t.Err != nil {
		return t
	}
	for _, set := range s.tables {
		if set.feed == f.Name {
			instances += len(set.order)
			heard = heard || set.heard
		}
	}
	if t.Detail = english.Count(instances, "instance", "instances"); !heard {
		t.Detail = "nothing was told of it in " + english.Exact(tryWithin)
	}
	if wrong > 0 {
		t.Detail += ", " + english.Count(wrong, "wrong line", "wrong lines")
	}
	return t
}

// report hands on what a feed has to say.
func (s *Source) report(err error) {
	if err != nil && s.o.Report != nil {
		s.o.Report(err)
	}
}

// Error tells what is wrong with a feed, or one of its inlets.
type Error struct {
	Feed, Inlet string
	Err         error
	hint        string
}

func (e *Error) Error() string {
	name := "feed " + e.Feed
	if e.Inlet != "" && e.Inlet != e.Feed {
		name += " (" + e.Inlet + ")"
	}
	return printable.Text(name + ": " + e.Err.Error())
}

// Unwrap gives the reason.
func (e *Error) Unwrap() error { return e.Err }

// Hint says what can be done about it; it may be empty.
func (e *Error) Hint() string {
	return cmp.Or(e.hint, failure.Hint(e.Err))
}

// Forms are the forms that ParseInlet takes, for messages.
const Forms = "run:PROGRAM, file:FILE, socket:PATH or http://127.0.0.1:PORT/PATH"

// ParseInlet reads where lines come from, in one of Forms.
func ParseInlet(text string) (in Inlet, err error) {
	kind, rest, _ := strings.Cut(text, ":")
	if rest == "" {
		return in, errors.New("it says not where lines come from")
	}
	switch kind {
	case "run":
		in.Command = strings.Fields(rest)
		if len(in.Command) == 0 {
			err = errors.New("no program is named")
		}
	case "file":
		in.File = rest
	case "socket":
		in.Socket = rest
	default:
		in.URL, err = text, CheckURL(text)
	}
	return in, err
}
