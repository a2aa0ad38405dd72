package recorders

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/paths"
	"perfdeck/session/recording/collector"
)

// Plan is a recording that has a name, as a [[record]] of the config.
type Plan struct {
	Name   string
	Paths  []string
	Always bool   // it goes on as long as the program
	Spec   string // what it is made of: one with another is another recording
	// Has tells whether it is to have a host.
	Has func(h *collector.Host) bool
	// Options are those of the recording, but for its hosts.
	Options func() (collector.Options, error)
}

// Named begins and stops planned recordings by their names: for alerts, and those that
// always go on. Its methods may be called by many goroutines.
type Named struct {
	*All

	plans atomic.Pointer[[]Plan]

	mu      sync.Mutex
	always  map[string]string // the Spec of those that StartAlways began, by key
	retries map[string]*retry // by key, of those that always go on
}

// retry is how a recording stands that always goes on.
type retry struct {
	waits  bool      // it is tried again
	failed bool      // which was told
	begun  time.Time // when it was tried last
}

// retryEvery is between two tries of a recording that always goes on and failed, as on a full
// disk. It failed again, which is not told, if it went on for less than that.
const retryEvery = time.Minute

// NewNamed are plans over All.
func NewNamed(d *All, plans []Plan) *Named {
	n := &Named{All: d, always: map[string]string{}, retries: map[string]*retry{}}
	n.SetPlans(plans)
	return n
}

// SetPlans takes other plans. Recordings that go on stay as they are until StartAlways, and those that
// alerts began to their end.
func (n *Named) SetPlans(plans []Plan) { n.plans.Store(&plans) }

var (
	errNoPlan = errors.New("the config has no [[record]] of this name")
	// ErrNoHost is why a recording does not begin.
	ErrNoHost = errors.New("none of its hosts is watched here")
)

// Start begins a planned recording. One that goes on stays as it is. It waits for the
// disk.
func (n *Named) Start(name string) error {
	plans := *n.plans.Load()
	i := slices.IndexFunc(plans, func(p Plan) bool { return paths.EqualFold(p.Name, name) })
	if i < 0 {
		if n.Running(paths.Fold(name)) != nil {
			return nil
		}
		return fmt.Errorf("record %s: %w", name, errNoPlan)
	}
	plan := &plans[i]
	joins := Joins{Came: func(e *Entry, h collector.Host) { n.join(plan, e, h) }}
	if plan.Always {
		joins.Failed = func(err error) { n.again(plan.Name, err) }
	}
	err := n.Begin(paths.Fold(name), joins, func(known map[string]collector.Host) (collector.Options, error) {
		o, err := plan.options(known)
		if err != nil {
			return o, fmt.Errorf("record %s: %w", name, err)
		}
		o.Report = n.o.Report
		return o, nil
	})
	if errors.Is(err, ErrGoes) {
		return nil
	}
	return err
}

// options are those of a plan with the hosts that it has, by name.
func (p *Plan) options(known map[string]collector.Host) (collector.Options, error) {
	o, err := p.Options()
	if err != nil {
		return o, err
	}
	for _, h := range known {
		if p.Has(&h) {
			h.Paths = p.Paths
			o.Hosts = append(o.Hosts, h)
		}
	}
	if len(o.Hosts) == 0 {
		return o, ErrNoHost
	}
	slices.SortFunc(o.Hosts, func(a, b collector.Host) int { return strings.Compare(a.Name, b.Name) })
	return o, nil
}

// join lets a recording have a host that came, if the plan is to.
func (n *Named) join(p *Plan, e *Entry, h collector.Host) {
	if !p.Has(&h) {
		return
	}
	if more := e.Lacking(h.Name, p.Paths); len(more) > 0 {
		n.extend(e, h, more)
	}
}

// Stop ends a recording by its name. One that does not go on is no error.
func (n *Named) Stop(name string) error { return n.All.Stop(paths.Fold(name)) }

// StartAlways begins the recordings that are always to go on, and ends those that it began and that
// are not to any more: their plan went, or is another one. One that fails, now or later, is tried
// again; that is told once.
func (n *Named) StartAlways() {
	plans := *n.plans.Load()
	for _, key := range n.outdated(plans) {
		if err := n.Stop(key); err != nil {
			n.o.Report(err)
		}
	}
	for _, p := range plans {
		if p.Always {
			n.startAlways(p.Name)
		}
	}
}

// outdated are those that StartAlways began and that are not as plans have them any more. It notes those
// that are to go on.
func (n *Named) outdated(plans []Plan) (keys []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	was := n.always
	n.always = map[string]string{}
	for _, p := range plans {
		if p.Always {
			n.always[paths.Fold(p.Name)] = p.Spec
		}
	}
	for key, spec := range was {
		if now, ok := n.always[key]; !ok || now != spec {
			keys = append(keys, key)
		}
	}
	return keys
}

func (n *Named) startAlways(name string) {
	n.with(name, func(r *retry) {
		r.waits = false
		if n.Running(paths.Fold(name)) == nil {
			r.begun = time.Now()
		}
	})
	if err := n.Start(name); err != nil {
		n.again(name, err)
	}
}

// again tries a recording that failed again, if it is still to go on then.
func (n *Named) again(name string, err error) {
	waits, told := false, false
	n.with(name, func(r *retry) {
		waits, told = r.waits, r.failed && time.Since(r.begun) < retryEvery
		r.waits, r.failed = true, true
	})
	if !told {
		n.o.Report(err)
	}
	if waits || errors.Is(err, errLeaving) {
		return
	}
	time.AfterFunc(retryEvery, func() {
		n.o.Go(func() {
			if slices.ContainsFunc(*n.plans.Load(), func(p Plan) bool { return p.Always && paths.EqualFold(p.Name, name) }) {
				n.startAlways(name)
			}
		})
	})
}

// with does something with how a recording stands.
func (n *Named) with(name string, do func(*retry)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := paths.Fold(name)
	if n.retries[key] == nil {
		n.retries[key] = &retry{}
	}
	do(n.retries[key])
}
