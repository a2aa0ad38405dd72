package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// Manager is a connection to what knows the services of a computer, for one round of questions.
type Manager interface {
	// List gives all services, with what one answer tells of them; the details that it does not
	// tell are Unasked.
	List(ctx context.Context) ([]Service, error)
	// Detail fills in the details of one that List gave; an error ends the round.
	Detail(ctx context.Context, s *Service) error
	Close() error
}

// Options say whom a Reader asks.
type Options struct {
	Dial func(ctx context.Context) (Manager, error)
	Go   func(func())         // starts a goroutine
	Now  func() time.Duration // a clock that never steps
	// Listed are the counters that List tells, though other managers tell them one by one.
	Listed []string
	// Sparing: of services that nobody looks at, one a round is asked for its details, and none that runs.
	Sparing  bool
	Patience time.Duration // for a round, default 5 seconds
}

// How often, and for how long, a manager is asked.
const (
	every    = 10 * time.Second       // between two lists
	seldom   = time.Minute            // and where nobody looks at them now
	again    = time.Minute            // after which details that are wanted are asked for anew, whatever the stamp says
	patience = 5 * time.Second        // for a round, usually
	first    = time.Second            // that who reads waits for the first one: who asks once should not be told that nothing came
	soon     = 100 * time.Millisecond // and for those that follow
)

// Reader reads the counterset of one query. It asks beside: a manager that is slow, or never
// answers, holds nobody up. Nothing is asked, and nothing open, but in a round that Collect began.
type Reader struct {
	o    Options
	want *session.Want
	ctx  context.Context //nolint:containedctx // of rounds; it ends with Close
	end  context.CancelFunc

	mu    sync.Mutex
	round *round              // the newest; nil: none was begun
	known map[string]detailed // by key
	told
	given int // version that Collect gave last
}

// told is what the newest round brought.
type told struct {
	list    []Service
	clocks  cooker.Clocks
	err     error
	version int
}

type round struct {
	begun time.Duration
	done  chan struct{}
}

// detailed are details that were asked for.
type detailed struct {
	Details

	stamp string
	asked time.Duration
}

// NewReader makes a reader that has asked nothing.
func NewReader(o Options) *Reader {
	o.Patience = cmp.Or(o.Patience, patience)
	r := &Reader{o: o, known: map[string]detailed{}}
	r.ctx, r.end = context.WithCancel(context.Background())
	return r
}

// Choose takes what is wanted.
func (r *Reader) Choose(w *session.Want) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.want = w
}

// Collect fills an emptied batch with the newest list, asking for it anew when it is time: clocks
// are those of now. It is false where there is nothing that was not given before.
func (r *Reader) Collect(ctx context.Context, b *session.SetBatch, clocks cooker.Clocks) (isNew bool) {
	if begun, most := r.begin(clocks); begun != nil {
		late := time.NewTimer(most)
		defer late.Stop()
		select {
		case <-begun.done:
		case <-late.C:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	isNew = r.version != r.given
	r.given = r.version
	switch {
	case r.version == 0:
		b.Clocks, b.Err = clocks, ErrPending
	case r.err != nil:
		b.Clocks, b.Err = r.clocks, r.err
	default:
		b.Clocks = r.clocks
		fill(b, r.list)
	}
	return isNew
}

var errMany = fmt.Errorf("there are more than %d services", mostServices)

// ErrPending is why there are no services yet.
var ErrPending = errors.New("the service manager has not answered yet")

// begin begins a round if it is time for one, and says how long to wait for it.
func (r *Reader) begin(clocks cooker.Clocks) (*round, time.Duration) {
	now := r.o.Now()
	r.mu.Lock()
	pause, wait := every, soon
	if r.want != nil && r.want.Seldom {
		pause = seldom
	}
	switch {
	case r.round == nil:
		wait = first
	case !session.IsClosed(r.round.done), now-r.round.begun < pause:
		r.mu.Unlock()
		return nil, 0
	}
	begun := &round{begun: now, done: make(chan struct{})}
	r.round = begun
	wanted, spare := r.o.wantedDetails(r.want)
	r.mu.Unlock()
	r.o.Go(func() {
		defer close(begun.done)
		ctx, cancel := context.WithTimeout(r.ctx, r.o.Patience)
		defer cancel()
		if err := r.ask(ctx, now, clocks, wanted, spare); err != nil {
			r.tell(told{clocks: clocks, err: fmt.Errorf("list services: %w", err)})
		}
	})
	return begun, wait
}

// ask is one round. What is told of services one by one is asked for where somebody sees it, and
// where they changed.
func (r *Reader) ask(ctx context.Context, now time.Duration, clocks cooker.Clocks, wanted func(name string) bool, spare bool) error {
	m, err := r.o.Dial(ctx)
	if err != nil {
		return err
	}
	defer m.Close() //nolint:errcheck // it was only read
	list, err := m.List(ctx)
	if err != nil {
		return err
	}
	if len(list) > mostServices {
		return errMany
	}
	list = settle(list)
	known := make(map[string]detailed, len(list))
	var missing []int
	for i := range list {
		s := &list[i]
		had, has := r.known[s.key]
		isSame := has && had.stamp == s.Stamp
		if isSame {
			s.Details = had.Details
		}
		if has {
			known[s.key] = had
		}
		if has && !isSame || wanted(s.Name) && (!isSame || now-had.asked >= again) {
			missing = append(missing, i)
		}
	}
	if spare {
		missing = append(missing, nextUnknown(list, known)...)
	}
	r.known = known // rounds come one after another
	r.tell(told{list: slices.Clone(list), clocks: clocks})
	for _, i := range missing {
		s := &list[i]
		if err = m.Detail(ctx, s); err != nil {
			break // what is known stays, the rest is asked for in the next round
		}
		known[s.key] = detailed{s.Details, s.Stamp, now}
	}
	if len(missing) > 0 {
		r.tell(told{list: list, clocks: clocks})
	}
	return nil
}

// nextUnknown is the next of those that are stopped of which something is not known, one that ended
// with an error before others; none: all is known.
func nextUnknown(list []Service, known map[string]detailed) (next []int) {
	for i := range list {
		s := &list[i]
		if _, is := known[s.key]; s.State != Stopped || is && s.Missing.State != cooker.Pending {
			continue
		}
		if s.Failed {
			return []int{i}
		}
		if next == nil {
			next = []int{i}
		}
	}
	return next
}

// tell hands a list over.
func (r *Reader) tell(t told) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.version = r.version + 1
	r.told = t
}

// wantedDetails tells of which services details are wanted: of those that are seen, where
// somebody knows which; of all where a column that they are sorted by, or all of their values, want
// it, or of them sparingly.
func (o *Options) wantedDetails(w *session.Want) (wanted func(name string) bool, spare bool) {
	if w == nil {
		return func(string) bool { return false }, false
	}
	isDetail := func(index int) bool {
		return counters[index].isDetail && !slices.Contains(o.Listed, counters[index].name)
	}
	columns := slices.ContainsFunc(w.Counters, isDetail)
	facts := slices.ContainsFunc(w.Facts.Keys, func(key string) bool { return key != factDescription })
	rows := w.Instances
	if rows == nil {
		rows = w.Facts.Rows
	}
	if facts && w.Facts.All || columns && (rows == nil || slices.ContainsFunc(w.Leads, func(l session.Lead) bool { return isDetail(l.By) })) {
		if !o.Sparing {
			return func(string) bool { return true }, false
		}
		spare = true
	}
	names := map[string]bool{}
	if columns || facts {
		for _, key := range append(slices.Clone(rows), w.Facts.Rows...) {
			names[key.Name] = true
		}
	}
	return func(name string) bool { return names[name] }, spare
}

// Close ends a round that is under way.
func (r *Reader) Close() { r.end() }
