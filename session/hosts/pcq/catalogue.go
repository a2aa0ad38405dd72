package pcq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
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
	errAbsent  = errors.New("the host cannot describe the counterset")
)

// catalogueReader reads what a host offers: the list of countersets, what each is and
// how it is called, and then the texts about it. Each set has a reader of its own, so
// that several are read at once.
type catalogueReader struct {
	*reading

	warnings []error
}

// reading is what the readers of one catalogue share.
type reading struct {
	o     *Options
	lines *lines
	known map[perflib.GUID]*session.Counterset
	sets  []*described

	mu     sync.Mutex
	size   uint32 // of buffers, bytes
	budget int    // bytes that may still be read
	faults int
}

// described is what was read of a counterset so far.
type described struct {
	guid   perflib.GUID
	reader *catalogueReader
	info   perflib.CountersetInfo
	names  names
	stage  stage
	absent bool // the host cannot describe it
	set    *session.Counterset
}

// stage is how much of a counterset is read. Of the three answers of which the second
// stage is made none can stand in for another (MS-PCQ 3.1.4.1.2, codes 1, 9 and 10), and
// none needs one before it: they are three calls, and one wait where lines are free.
type stage uint8

const (
	unread stage = iota
	called       // how it is called
	named        // and what it is, and how its counters are called
	worded       // and its texts
)

// newCatalogueReader makes a reader; kept are the sets of an earlier catalogue.
func newCatalogueReader(o *Options, conn Conn, kept []*session.Counterset) *catalogueReader {
	r := &catalogueReader{reading: &reading{o: o, lines: newLines(conn), size: startSize, budget: maxCatalogue,
		known: map[perflib.GUID]*session.Counterset{}}}
	for _, set := range slices.Concat(kept, o.Known) {
		if g, err := perflib.ParseGUID(set.GUID); err == nil {
			r.known[g] = set
		}
	}
	return r
}

// read lists the countersets and describes each, or what is to come first: the sets whose
// identifier is known, else those of the names that are wanted, else all, and with their texts
// where names in the host's language may be what is looked for. A set that cannot be described
// is left out with a warning; the error is that of the connection.
func (r *catalogueReader) read(ctx context.Context) (*session.Catalogue, error) {
	r.lines.widen(ctx, r.o)
	if err := r.list(ctx); err != nil {
		return nil, err
	}
	f := &r.o.First
	known := func(d *described) bool { return slices.Contains(f.GUIDs, d.guid.String()) }
	wanted := func(d *described) bool {
		return paths.ContainsFold(f.Names, d.names.name)
	}
	steps := []struct {
		which func(*described) bool
		to    stage
	}{{known, named}, {all, called}, {wanted, named}, {all, named}, {all, worded}}
	switch {
	case f.isZero():
		steps = steps[4:]
	case f.All:
		steps = steps[3:4]
	case f.Enough == nil || perflib.IsEnglish(r.o.LCID):
		steps = steps[:4]
	}
	if len(f.Names) == 0 && len(steps) > 1 {
		steps = slices.Delete(steps, 1, 3)
	}
	for _, step := range steps {
		if err := r.describe(ctx, step.which, step.to); err != nil {
			return nil, err
		}
		if step.to == named && f.enough(r.catalogue()) {
			break
		}
	}
	return r.catalogue(), nil
}

func all(*described) bool { return true }

// list finds out which countersets there are.
func (r *catalogueReader) list(ctx context.Context) error {
	guids, err := r.enumerate(ctx)
	if err != nil {
		return err
	}
	for _, g := range guids {
		r.sets = append(r.sets, &described{guid: g, reader: &catalogueReader{reading: r.reading}})
	}
	return nil
}

// describe reads what is not known yet of the sets that which names, up to a stage.
func (r *catalogueReader) describe(ctx context.Context, which func(*described) bool, to stage) error {
	todo := make(chan *described, len(r.sets))
	for _, d := range r.sets {
		if which(d) && !d.absent && d.stage < to {
			todo <- d
		}
	}
	close(todo)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := func() {
		for d := range todo {
			if ctx.Err() != nil {
				return
			}
			if err := d.read(ctx, to); err != nil {
				cancel(err)
			}
		}
	}
	if r.o.Extra == nil {
		work()
		return context.Cause(ctx)
	}
	var workers sync.WaitGroup
	for range min(MaxCalls, len(todo)) {
		workers.Add(1)
		r.o.Go(func() {
			defer workers.Done()
			work()
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// catalogue is made of the sets that are described so far.
func (r *catalogueReader) catalogue() *session.Catalogue {
	cat := &session.Catalogue{Host: r.o.Host}
	for _, d := range r.sets {
		if d.set != nil {
			cat.Sets = append(cat.Sets, d.set)
		}
	}
	cat.Sort()
	return cat
}

// warned are the warnings of the list and of the sets.
func (r *catalogueReader) warned() []error {
	out := r.warnings
	for _, d := range r.sets {
		out = append(out, d.reader.warnings...)
	}
	return out[:min(len(out), maxWarnings)]
}

func (r *catalogueReader) warnf(format string, args ...any) {
	if len(r.warnings) < maxWarnings {
		r.warnings = append(r.warnings, fmt.Errorf(format, args...))
	}
}

// enumerate lists the countersets. The method cannot give more than 256: on a
// host with more, the known ones are looked for by their GUIDs.
func (r *catalogueReader) enumerate(ctx context.Context) ([]perflib.GUID, error) {
	a, err := r.lines.call(ctx, func(conn Conn) (rpc.Array, error) { return conn.EnumerateCounterSet(ctx, rpc.MaxEnumerate) })
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

// read reads what is not known yet of the set, up to a stage. None of the texts is
// necessary.
func (d *described) read(ctx context.Context, to stage) error {
	r := d.reader
	if d.stage < called && to == called {
		d.names = names{known: r.known[d.guid]}
		err := r.englishName(ctx, d.guid, &d.names)
		if err == nil {
			d.stage = called
		}
		return err
	}
	if d.stage < named {
		if err := d.readNamed(ctx); err != nil || d.absent {
			return err
		}
	}
	if to == worded {
		n := d.names
		err := r.localNames(ctx, d.guid, &n)
		if err == nil {
			err = r.provider(ctx, d.guid, &n)
		}
		if err != nil {
			return err
		}
		d.names, d.stage = n, worded
	}
	d.set = r.o.Shared.One(d.counterset())
	return nil
}

// readNamed reads what the set is, and how it and its counters are called.
func (d *described) readNamed(ctx context.Context) error {
	r := d.reader
	var why error
	counters := names{known: r.known[d.guid]}
	calls := []func() error{
		func() (err error) {
			if d.info, why, err = r.structure(ctx, d.guid); why != nil && err == nil {
				err = errAbsent
			}
			return err
		},
		func() error { return r.counterNames(ctx, d.guid, &counters) },
	}
	if d.stage < called {
		d.names = names{known: counters.known}
		calls = append(calls, func() error { return r.englishName(ctx, d.guid, &d.names) })
	}
	switch err := r.together(calls); {
	case errors.Is(err, errAbsent):
		if !errors.Is(why, errNoSuchSet) {
			r.warnf("describe counterset %v: %w", d.guid, why)
		}
		d.absent = true
		return nil
	case err != nil:
		return err
	}
	d.names.english, d.names.notes = counters.english, append(d.names.notes, counters.notes...)
	d.stage = named
	return nil
}

// together makes calls of a set at once where there are lines for it. The first of them
// alone may warn.
func (r *catalogueReader) together(calls []func() error) error {
	if r.o.Extra == nil {
		for _, call := range calls {
			if err := call(); err != nil {
				return err
			}
		}
		return nil
	}
	var others sync.WaitGroup
	errs := make([]error, len(calls))
	for i, call := range calls[1:] {
		others.Add(1)
		r.o.Go(func() {
			defer others.Done()
			errs[i+1] = call()
		})
	}
	errs[0] = calls[0]()
	others.Wait()
	return cmp.Or(errs...)
}

// counterset is the set as far as it is known.
func (d *described) counterset() *session.Counterset {
	info, n := &d.info, &d.names
	set := &session.Counterset{
		GUID:        d.guid.String(),
		Name:        n.name,
		Label:       n.label,
		Description: n.noted(),
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
		set.Counters = append(set.Counters, counterFrom(c, n))
	}
	set.Told = hasMoment(set)
	return set
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
		Quantity:     cooker.QuantityIn(c.Type, n.name, name),
		DefaultScale: int(c.DefaultScale),
		Detail:       c.Detail,
		Attributes:   c.Attributes,
		Aggregate:    c.Aggregate,
		Companions:   c.Companions,
	}
}

// What is asked for at most. A host may name any size as needed; none of these
// is reached by one that means well.
const (
	maxRegistration = 4 << 20  // bytes of one answer: about 80,000 counters
	maxInfo         = 16 << 20 // bytes
	maxData         = 64 << 20 // bytes
	maxGrowth       = 12       // calls until an answer fits
)

// grow calls with a larger buffer until the answer fits. Between two calls the
// answer may have grown, so there is slack; a host that goes on asking for more
// is refused. size is where the next round starts.
func grow(size *uint32, limit uint32, call func(inSize uint32) (rpc.Array, error)) (rpc.Array, error) {
	for range maxGrowth {
		a, err := call(*size)
		if err != nil || a.Code != rpc.CodeNotEnoughMemory {
			return a, err
		}
		if *size >= limit || a.Needed > limit {
			return a, &sizeError{needed: a.Needed, limit: limit}
		}
		// At least doubled: a needed size that is too small must not loop.
		next := max(uint64(a.Needed)+uint64(a.Needed)/8, 2*uint64(*size))
		*size = uint32(min(next, uint64(limit)))
	}
	return rpc.Array{}, &sizeError{limit: limit}
}

// sizeError tells of an answer that is larger than any that is meant well.
type sizeError struct{ needed, limit uint32 }

func (e *sizeError) Error() string {
	if e.needed == 0 {
		return "the host goes on asking for larger buffers"
	}
	return fmt.Sprintf("the answer needs %d bytes, more than the %d that are taken", e.needed, e.limit)
}
