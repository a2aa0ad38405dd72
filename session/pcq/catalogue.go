package pcq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/perflib"
	"perfdeck/session/rpc"
)

const (
	maxCatalogue = 64 << 20 // bytes of all answers
	maxFaults    = 4        // answers by fault, each of which costs a connection
	maxWarnings  = 32
	startSize    = 64 << 10 // bytes; most answers fit
)

// Warnings of a catalogue.
var (
	errTooMany = errors.New("more countersets than the 256 that can be listed")
	errBudget  = errors.New("the catalogue is too large")
)

// catalogueReader reads what a host offers.
type catalogueReader struct {
	o        *Options
	conn     Conn
	known    map[perflib.GUID]*session.Counterset
	size     uint32 // of buffers, bytes
	budget   int    // bytes that may still be read
	faults   int
	warnings []error
}

// newCatalogueReader makes a reader; kept are the sets of an earlier catalogue.
func newCatalogueReader(o *Options, conn Conn, kept []*session.Counterset) *catalogueReader {
	r := &catalogueReader{o: o, conn: conn, size: startSize, budget: maxCatalogue,
		known: map[perflib.GUID]*session.Counterset{}}
	for _, set := range slices.Concat(kept, o.Known) {
		if g, err := perflib.ParseGUID(set.GUID); err == nil {
			r.known[g] = set
		}
	}
	return r
}

// read lists the countersets and describes each. A set that cannot be described
// is left out with a warning; the error is that of the connection.
func (r *catalogueReader) read(ctx context.Context) (*session.Catalogue, error) {
	guids, err := r.enumerate(ctx)
	if err != nil {
		return nil, err
	}
	cat := &session.Catalogue{Host: r.o.Host}
	for _, g := range guids {
		set, err := r.counterset(ctx, g)
		if err != nil {
			return nil, err
		}
		if set != nil {
			cat.Sets = append(cat.Sets, set)
		}
	}
	slices.SortStableFunc(cat.Sets, func(a, b *session.Counterset) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return cat, nil
}

func (r *catalogueReader) warnf(format string, args ...any) {
	if len(r.warnings) < maxWarnings {
		r.warnings = append(r.warnings, fmt.Errorf(format, args...))
	}
}

// enumerate lists the countersets. The method cannot give more than 256: on a
// host with more, the known ones are looked for by their GUIDs.
func (r *catalogueReader) enumerate(ctx context.Context) ([]perflib.GUID, error) {
	a, err := r.conn.EnumerateCounterSet(ctx, rpc.MaxEnumerate)
	if err != nil {
		return nil, err
	}
	switch a.Code {
	case rpc.CodeOK:
		var guids []perflib.GUID
		for b := range slices.Chunk(a.Data[:len(a.Data)/16*16], 16) {
			guids = append(guids, perflib.GUID(b))
		}
		return unique(guids), nil
	case rpc.CodeNotEnoughMemory:
		guids := make([]perflib.GUID, 0, len(r.known))
		for g := range r.known {
			guids = append(guids, g)
		}
		slices.SortFunc(guids, func(a, b perflib.GUID) int { return slices.Compare(a[:], b[:]) })
		r.warnf("list countersets: %w: the host has %d; %d that are known by GUID are looked for", errTooMany, a.Needed, len(guids))
		return guids, nil
	default:
		return nil, &rpc.Error{Op: "enumerate countersets", Host: r.o.Host, Code: a.Code}
	}
}

func unique(guids []perflib.GUID) []perflib.GUID {
	seen := make(map[perflib.GUID]bool, len(guids))
	return slices.DeleteFunc(guids, func(g perflib.GUID) bool {
		twice := seen[g]
		seen[g] = true
		return twice
	})
}

// counterset describes one set, nil where the host cannot.
func (r *catalogueReader) counterset(ctx context.Context, g perflib.GUID) (*session.Counterset, error) {
	info, why, err := r.structure(ctx, g)
	switch {
	case err != nil:
		return nil, err
	case errors.Is(why, errNoSuchSet):
		return nil, nil
	case why != nil:
		r.warnf("describe counterset %v: %w", g, why)
		return nil, nil
	}
	n, err := r.names(ctx, g)
	if err != nil {
		return nil, err
	}
	set := &session.Counterset{
		GUID:        g.String(),
		Name:        n.name,
		Label:       n.label,
		Description: n.description,
		Provider:    n.provider,
		Protocol:    Protocol,
		Instances:   info.Instances,
		Counters:    make([]session.Counter, 0, len(info.Counters)),
	}
	seen := make(map[uint32]bool, len(info.Counters))
	for i := range info.Counters {
		c := &info.Counters[i]
		if seen[c.ID] || c.ID == session.NoID {
			continue // hosts may list a counter twice
		}
		seen[c.ID] = true
		set.Counters = append(set.Counters, counterFrom(c, &n))
	}
	return r.o.Shared.One(set), nil
}

func counterFrom(c *perflib.CounterInfo, n *names) session.Counter {
	name := n.counter(c.ID)
	label := n.labels[c.ID]
	if label == name {
		label = ""
	}
	return session.Counter{
		ID:           c.ID,
		Name:         name,
		Label:        label,
		Description:  n.helps[c.ID],
		Type:         c.Type,
		Quantity:     cooker.QuantityOf(c.Type, name),
		DefaultScale: int(c.DefaultScale),
		Detail:       c.Detail,
		Attributes:   c.Attributes,
		Aggregate:    c.Aggregate,
		BaseID:       c.BaseID,
		PerfTimeID:   c.PerfTimeID,
		PerfFreqID:   c.PerfFreqID,
		MultiID:      c.MultiID,
	}
}
