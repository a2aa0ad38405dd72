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
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/rpc"
)

// Conn is a connection to a host's performance counters; *rpc.Client is one. An
// error of a call means that the connection is of no more use.
type Conn interface {
	rpc.PerflibV2
	Close() error
}

// Options say how a host is reached and what is known of it. Dial must be set.
type Options struct {
	Host string // name in the catalogue and in errors
	// Dial connects and logs on. Its calls end at their own deadlines. It is
	// called by a second goroutine while a kept catalogue is refreshed.
	Dial func(ctx context.Context) (Conn, error)

	// LCID is the language of labels and descriptions (MS-LCID); 0: the host's.
	LCID uint32
	// Known are countersets that may be on the host though it cannot list them,
	// as those of manifests. Only those with a GUID count.
	Known []*session.Counterset

	// Shared lets sources share what their catalogues have in common; may be nil.
	Shared *Shared

	// CacheDir is where the catalogue is kept between runs; empty: nowhere.
	CacheDir string
	// Refreshed hears of a catalogue that differs from the kept one which
	// Catalogue gave. It is called from a goroutine of its own; may be nil.
	Refreshed func(*session.Catalogue)

	Now func() time.Time // wall clock; nil: time.Now
	Go  func(func())     // starts a goroutine; nil: one whose panic ends the program
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Go == nil {
		o.Go = session.NewGuard(func(e *session.PanicError) { panic(e) }).Go
	}
	return o
}

// Source is a host read by MS-PCQ. It is a session.Source.
type Source struct {
	options Options
	conn    Conn // nil: dial at need
	refresh refresher

	mu       sync.Mutex
	warnings []error
}

// New makes the source of a host. Nothing is dialled before it is asked.
func New(o Options) *Source {
	return &Source{options: o.withDefaults()}
}

// Catalogue gives the catalogue kept of an earlier run, which is then refreshed
// in the background, or reads it from the host.
func (s *Source) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	if kept := s.Kept(); kept != nil {
		return kept, nil
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	r := newCatalogueReader(&s.options, conn, nil)
	cat, err := r.read(ctx)
	s.conn = r.conn // a fault made the reader dial anew
	if err != nil {
		s.drop(s.conn)
		return nil, s.failure("read catalogue", err)
	}
	s.warn(r.warnings)
	s.keep(cat)
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
	s.startRefresh(ctx)
	return q, nil
}

// Close ends the connection and everything in the background.
func (s *Source) Close() error {
	s.refresh.stop()
	if s.conn != nil {
		_ = s.conn.Close()
		s.conn = nil
	}
	return nil
}

// Warnings are what is wrong with the catalogue though it could be read: sets
// that were left out, a host that cannot list all it has. They may be read at
// any time.
func (s *Source) Warnings() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.warnings
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
	e := &session.HostError{Host: s.options.Host, Op: op, Err: err}
	if call, ok := errors.AsType[*rpc.Error](err); ok {
		e.Op, e.Err, e.Advice = call.Op, cause{call}, call.Hint()
		return e
	}
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) { // of whoever dials
		e.Advice = hinted.Hint()
	}
	return e
}

// cause is an rpc.Error without its host and operation, which stand before it.
type cause struct{ of *rpc.Error }

func (c cause) Error() string {
	switch {
	case c.of.Code != 0 && c.of.Err != nil:
		return fmt.Sprintf("%s: %v", codeText(c.of.Code), c.of.Err)
	case c.of.Err != nil:
		return c.of.Err.Error()
	}
	return codeText(c.of.Code)
}

func (c cause) Unwrap() error { return c.of }

// refused is the error of a call that the host answered with a code.
func (s *Source) refused(op string, code rpc.Code) error {
	return &rpc.Error{Op: op, Host: s.options.Host, Code: code}
}

func codeText(code rpc.Code) string { return fmt.Sprintf("%v (0x%X)", code, uint32(code)) }
