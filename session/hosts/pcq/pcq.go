// Package pcq is the source that reads a host by MS-PCQ: its catalogue, query
// handles with identifiers, and the values of its countersets.
//
// A connection is used by one goroutine at a time. After any failed call it is
// closed; the next Catalogue or Open makes a new one.
package pcq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"perfdeck/session"
	"perfdeck/session/hosts/cache"
	"perfdeck/session/wire/rpc"
)

// Protocol is what catalogues call this way of reading.
const Protocol = "MS-PCQ"

// Conn is a connection to a host's performance counters; *rpc.Client is one. An
// error of a call means that the connection is of no more use.
//
// While a catalogue is completed in the background a second goroutine calls the
// connection of the values too.
type Conn interface {
	rpc.PerflibV2
	Close() error
}

// Options say how a host is reached and what is known of it.
type Options struct {
	Reach
	// Extra is Dial for a connection by which a catalogue is read faster, which
	// several goroutines call; nil: it is read over one.
	Extra func(ctx context.Context) (Conn, error)
	// First are the countersets that are wanted before all others; the zero value: all are.
	First First
	// Known are countersets that may be on the host though it cannot list them,
	// as those of manifests. Only those with a GUID count.
	Known []*session.Counterset
}

// First are countersets that are wanted before all others. The first catalogue has those
// alone, as far as the host has them; the whole one follows, first without its texts, as if
// an earlier one had been kept.
type First struct {
	All   bool     // all of them, without their texts
	GUIDs []string // of those whose identifier is known
	Names []string // English ones, of all of them: where the host has not all by GUIDs it is asked for names
	// Enough tells whether a catalogue has what is wanted. Where the first sets lack it
	// all are read, with their texts if need be. Nil: any of the sets will do.
	Enough func(*session.Catalogue) bool
}

func (f *First) isZero() bool {
	return !f.All && len(f.GUIDs) == 0 && len(f.Names) == 0 && f.Enough == nil
}

func (f *First) enough(cat *session.Catalogue) bool {
	if f.Enough == nil {
		return len(cat.Sets) > 0
	}
	return f.Enough(cat)
}

// Reach is how a host is reached.
type Reach = cache.Reach[Conn]

// Source is a host read by MS-PCQ. It is a session.Source.
type Source struct {
	options Options
	conn    Conn // nil: dial at need
	copy    *cache.Copy
	rest    *catalogueReader                             // of a catalogue of which the first sets are read; nil: none
	changed atomic.Pointer[map[*session.Counterset]bool] // sets that the kept catalogue is wrong about

	mu       sync.Mutex
	warnings []error // of the catalogue
	together []error // of sets whose instances the host only gives together
}

// New makes the source of a host. Nothing is dialled before it is asked.
func New(o Options) *Source {
	o.SetDefaults()
	s := &Source{options: o}
	s.copy = s.newCopy()
	return s
}

// Connect connects and logs on, if that is not done. It is part of Catalogue and
// Open; those who share a connection call it first, so that none of them is gone
// before all have come.
func (s *Source) Connect(ctx context.Context) error {
	_, err := s.connect(ctx)
	return err
}

// Catalogue gives the catalogue kept of an earlier run, which is then refreshed
// in the background, or reads it from the host.
func (s *Source) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	if kept := s.Kept(); kept != nil {
		return kept, nil
	}
	if s.rest != nil { // it was forgotten
		s.rest.lines.end()
		s.rest = nil
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	r := newCatalogueReader(&s.options, conn, nil)
	cat, err := r.read(ctx)
	s.conn = r.lines.lend()
	if err != nil {
		r.lines.end()
		s.drop(s.conn)
		return nil, s.failure("read catalogue", err)
	}
	s.warn(r.warned())
	if !s.options.First.isZero() {
		s.rest = r
		s.copy.Begin(cat)
		return cat, nil
	}
	r.lines.end()
	s.copy.Save(cat)
	return cat, nil
}

// Open makes a query with a query handle of its own.
func (s *Source) Open(ctx context.Context) (session.Query, error) {
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	q := &query{source: s, conn: conn}
	if _, err := q.open(ctx); err != nil {
		s.drop(conn)
		return nil, s.failure("open query", err)
	}
	s.copy.Renew(ctx)
	return q, nil
}

// Close ends the connection and everything in the background.
func (s *Source) Close() error {
	s.copy.Stop()
	if s.rest != nil {
		s.rest.lines.end()
	}
	if s.conn != nil {
		_ = s.conn.Close()
		s.conn = nil
	}
	return nil
}

// Warnings are what is wrong with the catalogue though it could be read: sets
// that were left out, a host that cannot list all it has, or gives the instances of
// a set only together. They may be read at any time.
func (s *Source) Warnings() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.warnings, s.together, s.copy.Warnings())
}

// errTogether is of a counterset whose instances a host refuses to name, so that
// perfdeck cannot aggregate them.
var errTogether = errors.New("not aggregated: the host gives its instances only together")

// tellTogether notes that a set is not aggregated, once.
func (s *Source) tellTogether(set *session.Counterset) {
	why := fmt.Errorf("read %s: %w", set.Name, errTogether)
	s.mu.Lock()
	defer s.mu.Unlock()
	same := func(e error) bool { return e.Error() == why.Error() }
	if len(s.together) < maxWarnings && !slices.ContainsFunc(s.together, same) {
		s.together = append(s.together, why)
	}
}

func (s *Source) warn(warnings []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warnings = warnings
}

// connect gives the connection, a new one where there is none.
func (s *Source) connect(ctx context.Context) (Conn, error) {
	if s.conn != nil {
		return s.conn, nil
	}
	conn, err := s.options.Dial(ctx)
	if err != nil {
		return nil, s.failure("connect", err)
	}
	s.conn = conn
	return conn, nil
}

// drop closes a connection that failed.
func (s *Source) drop(conn Conn) {
	if conn == nil {
		return
	}
	_ = conn.Close()
	if s.conn == conn {
		s.conn = nil
	}
}

// failure is the error that a sampler shows: what was tried with the host, why
// it failed, and what can be done.
func (s *Source) failure(op string, err error) error {
	return rpc.HostError(s.options.Host, op, err)
}

// refused is the error of a call that the host answered with a code.
func (s *Source) refused(op string, code rpc.Code) error {
	return &rpc.Error{Op: op, Host: s.options.Host, Code: code}
}
