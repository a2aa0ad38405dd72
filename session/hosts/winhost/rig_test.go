package winhost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// way is a scripted half.
type way struct {
	name      string
	sets      []*session.Counterset
	fail      func(op string) error
	spare     bool // reads nothing that is due
	calls     []string
	warnings  []error
	kept      *session.Catalogue
	refreshed func(*session.Catalogue)
	open      int
	clock     time.Time // of the host
}

func (w *way) call(op string) error {
	w.calls = append(w.calls, op)
	if w.fail != nil {
		return w.fail(op)
	}
	return nil
}

func (w *way) Connect(context.Context) error { return w.call("connect") }

func (w *way) Catalogue(context.Context) (*session.Catalogue, error) {
	if w.kept != nil {
		return w.kept, nil
	}
	if err := w.call("catalogue"); err != nil {
		return nil, err
	}
	return &session.Catalogue{Host: "h", Sets: w.sets, Names: map[uint32]string{4: w.name}}, nil
}

func (w *way) Open(context.Context) (session.Query, error) {
	if err := w.call("open"); err != nil {
		return nil, err
	}
	w.open++
	return &wayQuery{way: w}, nil
}

func (w *way) Close() error             { return w.call("close") }
func (w *way) Warnings() []error        { return w.warnings }
func (w *way) Kept() *session.Catalogue { return w.kept }
func (w *way) Forget()                  { w.kept = nil }
func (w *way) count(op string) (n int) {
	for _, c := range w.calls {
		if c == op {
			n++
		}
	}
	return n
}

type wayQuery struct {
	*way
	wants []session.Want
}

func (q *wayQuery) Select(_ context.Context, wants []session.Want) error {
	q.wants = wants
	return q.call("select")
}

func (q *wayQuery) Collect(_ context.Context, b *session.Batch) error {
	b.Fit(q.wants)
	if err := q.call("collect"); err != nil {
		return err
	}
	if q.spare && b.Due != nil {
		clear(b.Due)
	}
	for i := range b.Sets {
		if b.IsDue(i) {
			b.Sets[i].Instances = append(b.Sets[i].Instances, session.Instance{Key: session.InstanceKey{Name: q.name}})
			b.Sets[i].Readings = append(b.Sets[i].Readings, cooker.Reading{Raw: 7})
			if !q.clock.IsZero() {
				b.Sets[i].Clocks.Time100ns = cooker.FileTime(q.clock)
			}
		}
	}
	return nil
}

func (q *wayQuery) Close() error {
	q.open--
	return nil
}

func v2Set(name string) *session.Counterset {
	return &session.Counterset{Name: name, GUID: "{" + name + "}", Protocol: "MS-PCQ", Counters: []session.Counter{{Name: "x"}}}
}

func v1Set(name string, index uint32) *session.Counterset {
	return &session.Counterset{Name: name, V1Index: index, Protocol: "MS-RRP", Counters: []session.Counter{{Name: "x"}}}
}

type rig struct {
	*testing.T
	v2, v1 *way
	now    time.Time
	source *Source
	half   func(*way) func(func(*session.Catalogue)) Half
	cat    *session.Catalogue
	query  session.Query
	batch  session.Batch
}

func newRig(t *testing.T) *rig {
	r := &rig{T: t, now: time.Unix(1_700_000_000, 0),
		v2: &way{name: "v2", sets: []*session.Counterset{v2Set("Process V2"), v2Set("Processor Information")}},
		v1: &way{name: "v1", sets: []*session.Counterset{v1Set("Memory", 4), v1Set("Process", 230), v1Set("PROCESSOR information", 9000)}},
	}
	r.half = func(w *way) func(func(*session.Catalogue)) Half {
		return func(refreshed func(*session.Catalogue)) Half {
			w.refreshed = refreshed
			return w
		}
	}
	r.source = New(Options{Host: "h", V2: r.half(r.v2), V1: r.half(r.v1), Now: func() time.Time { return r.now }, Traffic: func() uint64 { return 42 }})
	return r
}

// start opens the host and asks for all of both protocols.
func (r *rig) start() {
	r.Helper()
	var err error
	if r.cat, err = r.source.Catalogue(r.Context()); err != nil {
		r.Fatal(err)
	}
	r.reopen()
}

func (r *rig) reopen() {
	r.Helper()
	var err error
	if r.query, err = r.source.Open(r.Context()); err != nil {
		r.Fatal(err)
	}
	var wants []session.Want
	for _, set := range []*session.Counterset{r.v1.sets[0], r.v2.sets[0], r.v1.sets[1]} {
		wants = append(wants, session.Want{Set: set, Counters: []int{0}})
	}
	if err := r.query.Select(r.Context(), wants); err != nil {
		r.Fatal(err)
	}
}

// beat collects and gives what each want got: the half's name, or its error.
func (r *rig) beat(due ...bool) (got []string, err error) {
	r.now = r.now.Add(time.Second)
	r.batch.Due = due
	err = r.query.Collect(r.Context(), &r.batch)
	for i := range r.batch.Sets {
		set := &r.batch.Sets[i]
		switch {
		case set.Err != nil:
			got = append(got, "error")
		case len(set.Instances) == 1:
			got = append(got, set.Instances[0].Key.Name)
		default:
			got = append(got, "")
		}
	}
	return got, err
}

func (r *rig) wantBeat(want ...string) {
	r.Helper()
	if got, err := r.beat(); err != nil || !slices.Equal(got, want) {
		r.Errorf("read %q, want %q: %v", got, want, err)
	}
}

func names(cat *session.Catalogue) (out []string) {
	for _, s := range cat.Sets {
		out = append(out, s.Name+" by "+s.Protocol)
	}
	return out
}

var (
	errCut    = errors.New("cut")
	errDenied = fmt.Errorf("%w: not you", session.ErrDenied)
)

func always(err error) func(string) error { return func(string) error { return err } }

func failing(err error, ops ...string) func(string) error {
	return func(op string) error {
		if slices.Contains(ops, op) {
			return err
		}
		return nil
	}
}
