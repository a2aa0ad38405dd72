// Package hkpd is the source that reads a host's HKEY_PERFORMANCE_DATA by
// MS-RRP: the objects of the V1 model, which it calls countersets.
//
// Every answer describes the objects in it, so values are never read by an old
// description. A connection is used by one goroutine at a time. After any failed
// call it is closed; the next Catalogue or Open makes a new one.
package hkpd

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"perfdeck/session"
	"perfdeck/session/hosts/cache"
	"perfdeck/session/wire/rpc"
)

// Protocol is what catalogues call this way of reading.
const Protocol = "MS-RRP"

// Conn is a connection to a host's registry; *rpc.Client is one. An error of a
// call means that the connection is of no more use.
type Conn interface {
	rpc.WinReg
	Close() error
}

// Options say how a host is reached and what is read of it.
type Options struct {
	Reach
	// Costly objects are in the catalogue too: those that hosts give only on
	// demand since it takes them long.
	Costly bool
}

// Reach is how a host is reached.
type Reach = cache.Reach[Conn]

// Source is a host's HKEY_PERFORMANCE_DATA. It is a session.Source, a Warner and
// a Meter.
type Source struct {
	options Options
	link    *link // nil: dial at need
	copy    *cache.Copy
	traffic atomic.Uint64 // bytes

	mu       sync.Mutex
	warnings []error            // of the catalogue
	notes    map[*query][]error // of the queries
}

// New makes the source of a host. Nothing is dialled before it is asked.
func New(o Options) *Source {
	o.SetDefaults()
	s := &Source{options: o, notes: map[*query][]error{}}
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
	l, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	r := &catalogueReader{o: &s.options, link: l}
	cat, err := r.read(ctx)
	if err != nil {
		s.drop(l)
		return nil, s.failure("read catalogue", err)
	}
	s.warn(r.warnings)
	s.copy.Save(cat)
	return cat, nil
}

// Open makes a query.
func (s *Source) Open(ctx context.Context) (session.Query, error) {
	l, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.open(ctx); err != nil {
		s.drop(l)
		return nil, s.failure("open query", err)
	}
	s.copy.Renew(ctx)
	return &query{source: s, link: l, objects: map[uint32]*object{}}, nil
}

// Close ends the connection and everything in the background.
func (s *Source) Close() error {
	s.copy.Stop()
	if s.link != nil {
		s.link.close()
		s.link = nil
	}
	return nil
}

// Warnings are what is wrong with the catalogue though it could be read, and
// which objects are read less often than they are asked for. They may be read at
// any time.
func (s *Source) Warnings() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Concat(s.warnings, s.copy.Warnings())
	for _, notes := range s.notes {
		out = append(out, notes...)
	}
	return out
}

// Traffic is how many bytes of names and values were asked for and answered.
func (s *Source) Traffic() uint64 { return s.traffic.Load() }

func (s *Source) warn(warnings []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warnings = warnings
}

// note keeps what is to be said of a query; nil when it is closed.
func (s *Source) note(q *query, notes []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(notes) == 0 {
		delete(s.notes, q)
		return
	}
	s.notes[q] = notes
}

// connect gives the connection, a new one where there is none.
func (s *Source) connect(ctx context.Context) (*link, error) {
	if s.link != nil {
		return s.link, nil
	}
	conn, err := s.options.Dial(ctx)
	if err != nil {
		return nil, s.failure("connect", err)
	}
	s.link = newLink(conn, s.options.Host, &s.traffic)
	return s.link, nil
}

// drop closes a connection that failed.
func (s *Source) drop(l *link) {
	_ = l.conn.Close()
	if s.link == l {
		s.link = nil
	}
}

func (s *Source) failure(op string, err error) error {
	return rpc.HostError(s.options.Host, op, err)
}

// newCopy is where the catalogue is kept between runs. One with the costly
// objects is another.
func (s *Source) newCopy() *cache.Copy {
	o := &s.options
	kind := "hkpd"
	if o.Costly {
		kind = "hkpd-costly"
	}
	return cache.NewCopy(cache.CopyOptions{
		File:    cache.File{Dir: o.CacheDir, Kind: kind, Host: o.Host, LCID: o.LCID},
		Usable:  func(set *session.Counterset) bool { return set.GUID == "" && set.Protocol == Protocol },
		Shared:  o.Shared,
		Read:    s.readAside,
		Renewed: func(_, fresh *session.Catalogue) { o.Refreshed(fresh) },
		Go:      o.Go,
	})
}

// Kept is the catalogue kept of an earlier run; nil if there is none.
func (s *Source) Kept() *session.Catalogue { return s.copy.Catalogue() }

// Forget removes the catalogue kept of an earlier run, so that Catalogue reads
// that of the host.
func (s *Source) Forget() { s.copy.Forget() }

// readAside reads the catalogue over a connection of its own.
func (s *Source) readAside(ctx context.Context, _ *session.Catalogue) (*session.Catalogue, error) {
	conn, err := s.options.Aside(ctx)
	if err != nil {
		return nil, err
	}
	l := newLink(conn, s.options.Host, &s.traffic)
	defer l.close()
	r := &catalogueReader{o: &s.options, link: l}
	cat, err := r.read(ctx)
	if err == nil {
		s.warn(r.warnings)
	}
	return cat, err
}
