package server

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// Limits of a connection.
const (
	maxHandles     = 16       // query handles open; then ERROR_NO_SYSTEM_RESOURCES
	maxIdentifiers = 4096     // of a handle; then the status ERROR_OUTOFMEMORY
	maxReply       = 16 << 20 // bytes; then ERROR_OUTOFMEMORY
	maxNameUnits   = 1024     // UTF-16 units of an instance name with its NUL (perflib.h PERF_MAX_INSTANCE_NAME)

	// readTimeout is how long the source may take. Clients do not wait longer.
	readTimeout = 30 * time.Second

	identifierBytes = 40 // _PERF_COUNTER_IDENTIFIER without a name
)

// Handler publishes the countersets of a source: it makes the session of each
// connection. All of them share the source, which serves one at a time.
type Handler struct {
	mu          sync.Mutex // held while the source works
	source      session.Source
	sets        []*counterset
	byGUID      map[perflib.GUID]*counterset
	unpublished []string // names of countersets that are left out because no client could list more than 256
}

// NewHandler reads the catalogue of a source, once, and publishes the
// countersets named in expose, or all but those of processes and threads if it is empty. A
// name that the catalogue does not have is an error.
func NewHandler(ctx context.Context, source session.Source, expose []string) (*Handler, error) {
	cat, err := catalogueOf(ctx, source)
	if err != nil {
		return nil, err
	}
	for _, name := range expose {
		if cat.Set(name) == nil {
			return nil, failure.WithHint(fmt.Errorf("publish counters: no counterset %q", name),
				"name countersets as perfdeck list does, in full; unless some are named all but "+strings.Join(private, ", ")+" are published")
		}
	}
	return publish(source, cat, func(name string) bool { return exposed(name, expose) }), nil
}

func catalogueOf(ctx context.Context, source session.Source) (*session.Catalogue, error) {
	cat, err := source.Catalogue(ctx)
	if err != nil {
		return nil, fmt.Errorf("publish counters: %w", err)
	}
	return cat, nil
}

// publish publishes the countersets of a catalogue that are to be.
func publish(source session.Source, cat *session.Catalogue, taken func(name string) bool) *Handler {
	h := &Handler{source: source, byGUID: map[perflib.GUID]*counterset{}}
	for _, set := range cat.Sets {
		if taken(set.Name) {
			h.publish(set)
		}
	}
	return h
}

// private are the countersets that tell what users of the computer do.
var private = []string{"Process", "Process Exits", "Thread", "Service"}

func exposed(name string, expose []string) bool {
	if len(expose) == 0 {
		return !paths.ContainsFold(private, name)
	}
	return paths.ContainsFold(expose, name)
}

func (h *Handler) publish(set *session.Counterset) {
	s := newCounterset(set)
	if len(s.counters) == 0 || h.byGUID[s.info.GUID] != nil {
		return
	}
	if len(h.sets) == rpc.MaxEnumerate {
		h.unpublished = append(h.unpublished, set.Name)
		return
	}
	if p, ok := h.source.(session.Provided); ok {
		if text, ok := p.ProviderGUID(set); ok {
			if guid, err := perflib.ParseGUID(text); err == nil {
				s.provider = guid
			}
		}
	}
	h.sets = append(h.sets, s)
	h.byGUID[s.info.GUID] = s
}

// connect makes the session of a connection.
func (h *Handler) connect() *connection {
	return &connection{handler: h, queries: map[rpc.Handle]*query{}}
}

// open makes a query of the source.
func (h *Handler) open(ctx context.Context) (session.Query, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	q, err := h.source.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &guarded{&h.mu, q}, nil
}

// close closes the source when nobody reads it.
func (h *Handler) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.source.Close()
}

// guarded is a query whose source serves one at a time.
type guarded struct {
	mu    *sync.Mutex
	query session.Query
}

func (g *guarded) Select(ctx context.Context, wants []session.Want) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return g.query.Select(ctx, wants)
}

func (g *guarded) Collect(ctx context.Context, b *session.Batch) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := ctx.Err(); err != nil { // the connection ended while it waited
		return err
	}
	return g.query.Collect(ctx, b)
}

func (g *guarded) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.query.Close()
}
