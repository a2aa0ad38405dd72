package ssh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"perfdeck/session"
	"perfdeck/session/hosts/pcq"
	"perfdeck/session/system/guard"
	"perfdeck/session/text/printable"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/sidechannel"
)

// Source is a host that is read over ssh. It is a session.Source.
type Source struct {
	*pcq.Source

	o      Options
	shared rpc.Shared // one ssh for the values and for what is read in the background
	renew  atomic.Pointer[func(*session.Catalogue)]

	mu      sync.Mutex
	about   *sidechannel.Description // nil before the first connection
	lookup  map[*session.Counterset]*session.Counterset
	readers uint32 // of events, so far
}

// New makes the source of a host. Nothing is started before it is asked. Of the options
// of the other package those about how the host is reached are set here.
func New(o Options, q pcq.Options) *Source {
	if o.Traffic == nil {
		o.Traffic = &rpc.Traffic{}
	}
	s := &Source{o: o, lookup: map[*session.Counterset]*session.Counterset{}}
	s.shared.Dial = func(ctx context.Context, _ *rpc.Shares, _ ...rpc.Interface) (*rpc.Client, error) { return s.dial(ctx) }
	q.Dial, q.Aside = s.lease, s.lease
	q.Refreshed = func(cat *session.Catalogue) {
		if renew := s.renew.Load(); renew != nil {
			(*renew)(s.withFacts(cat))
		}
	}
	s.Source = pcq.New(q)
	return s
}

func (s *Source) lease(ctx context.Context) (pcq.Conn, error) {
	l, err := s.shared.Connect(ctx, rpc.MSPCQ)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.about != nil && s.about.Changes {
		return &changing{Lease: l, replies: sidechannel.Replies{}}, nil
	}
	return l, nil
}

// changing is a connection that tells values by how they changed.
type changing struct {
	*rpc.Lease

	mu      sync.Mutex // one goroutine collects; another may close a handle of its own
	replies sidechannel.Replies
	change  []byte // the newest, for its memory
}

// QueryCounterData implements rpc.PerflibV2.
func (c *changing) QueryCounterData(ctx context.Context, h rpc.Handle, inSize uint32, dst []byte) (rpc.Array, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := sidechannel.Collection{Handle: h, Size: min(inSize, rpc.MaxChange-sidechannel.MaxGrowth)}
	a, err := c.CollectChange(ctx, q.Append(nil), q.Size+sidechannel.MaxGrowth, c.change)
	if err != nil || a.Code != rpc.CodeOK {
		return rpc.Array{Code: a.Code, Needed: a.Needed}, err // without data: their memory is that of changes
	}
	c.change = a.Data
	if a.Data, err = sidechannel.Changed(dst[:0], c.replies[h], c.change, int(q.Size)); err != nil {
		return a, fmt.Errorf("collect changes: %w", err)
	}
	c.replies.Keep(h, a.Data)
	return a, nil
}

// CloseQueryHandle implements rpc.PerflibV2.
func (c *changing) CloseQueryHandle(ctx context.Context, h rpc.Handle) (rpc.Handle, rpc.Code, error) {
	c.mu.Lock()
	delete(c.replies, h)
	c.mu.Unlock()
	return c.Lease.CloseQueryHandle(ctx, h)
}

// dial connects and asks what the other side is.
func (s *Source) dial(ctx context.Context) (*rpc.Client, error) {
	c, err := s.o.connect(ctx)
	if err != nil {
		return nil, err
	}
	about := &sidechannel.Description{}
	if c.Serves(rpc.OwnSideChannel) {
		if about, err = described(c.About()); err != nil {
			_ = c.Close()
			return nil, err
		}
	}
	if s.o.Progress != nil {
		s.o.Progress("far program", "perfdeck "+short(about.Program)+" on "+short(about.System))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.about = about
	return c, nil
}

func described(a rpc.Array) (*sidechannel.Description, error) {
	if a.Code != rpc.CodeOK {
		return nil, &rpc.Error{Op: "describe", Code: a.Code}
	}
	d, err := sidechannel.ParseDescription(a.Data)
	if err != nil {
		return nil, &Error{"talk to perfdeck on the host", err, "is another version of it there?"}
	}
	return d, nil
}

// RenewTo names who hears of a newer catalogue.
func (s *Source) RenewTo(renew func(*session.Catalogue)) { s.renew.Store(&renew) }

// Traffic implements session.Meter.
func (s *Source) Traffic() uint64 { return s.o.Traffic.Bytes() }

// Retried lets the user be asked again what was not answered.
func (s *Source) Retried() { s.o.Prompter.Forgive(s.o.String()) }

// Warnings are those of the catalogue, and what the other side tells of its own.
func (s *Source) Warnings() []error {
	out := s.Source.Warnings()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.about != nil {
		for _, note := range s.about.Notes {
			out = append(out, errors.New(printable.Text(note)))
		}
	}
	return out
}

// Catalogue implements session.Source: with the facts that the other side can tell.
func (s *Source) Catalogue(ctx context.Context) (*session.Catalogue, error) {
	read := guard.Beside(func() { s.Kept() }) // while ssh logs on
	err := s.Connect(ctx)                     // a kept catalogue has no facts
	if read(); err != nil {
		return nil, err
	}
	cat, err := s.Source.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	return s.withFacts(cat), nil
}

// withFacts is a catalogue whose countersets have the facts that can be told of their
// instances. The sets may be those of other hosts too, so they stay as they are.
func (s *Source) withFacts(cat *session.Catalogue) *session.Catalogue {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := *cat
	out.Sets = slices.Clone(cat.Sets)
	for i, set := range cat.Sets {
		facts := slices.DeleteFunc(slices.Clone(s.about.Facts[set.GUID]), func(name string) bool { // they are shown
			return name == "" || printable.Text(name) != name
		})
		if len(facts) == 0 {
			continue
		}
		own := &session.Counterset{
			GUID: set.GUID, V1Index: set.V1Index, Name: set.Name, Label: set.Label, Description: set.Description, Provider: set.Provider,
			Protocol: set.Protocol, Instances: set.Instances, Counters: set.Counters, Facts: facts, Told: set.Told,
		}
		s.lookup[own] = set
		out.Sets[i] = own
	}
	return &out
}

func (s *Source) hasBeside() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.about != nil && s.about.Version > 0
}

// Open implements session.Source.
func (s *Source) Open(ctx context.Context) (session.Query, error) {
	if err := s.Connect(ctx); err != nil {
		return nil, err
	}
	if !s.hasBeside() {
		return s.Source.Open(ctx)
	}
	lease, err := s.shared.Connect(ctx, rpc.OwnSideChannel)
	if err != nil {
		return nil, rpc.HostError(s.o.Name(), "connect", err)
	}
	q, err := s.Source.Open(ctx)
	if err != nil {
		_ = lease.Close()
		return nil, err
	}
	return &query{Query: q, source: s, lease: lease, known: map[*session.Counterset]knownRows{}}, nil
}
