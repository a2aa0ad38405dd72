package pcq

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/wire/perflib"
)

// hostCounter describes a counter without companions.
func hostCounter(id uint32, kind cooker.CounterType) perflib.CounterInfo {
	return perflib.CounterInfo{ID: id, Type: kind, Detail: session.DetailNovice,
		Companions: session.NoCompanions}
}

func guidOf(n byte) perflib.GUID { return perflib.GUID{n, 1, 2, 3} }

func instances(names ...string) []perflib.Instance {
	out := make([]perflib.Instance, len(names))
	for i, name := range names {
		out[i] = perflib.Instance{ID: uint32(i), Name: perflib.EncodeText(name)}
	}
	return out
}

// hostOf makes a set whose values are 1000*counter + instance.
func hostOf(n byte, name string, kind session.InstanceType, counters ...perflib.CounterInfo) *hostSet {
	s := &hostSet{name: name, counters: map[uint32]string{},
		info:  perflib.CountersetInfo{GUID: guidOf(n), Instances: kind, Counters: counters},
		value: func(c uint32, i int) any { return int(c)*1000 + i }}
	for _, c := range counters {
		s.counters[c.ID] = fmt.Sprintf("%s %d", name, c.ID)
	}
	return s
}

func memorySet() *hostSet {
	return hostOf(1, "Memory", session.SingleInstance,
		hostCounter(1, cooker.CounterLargeRawCount), hostCounter(2, cooker.CounterBulkCount), hostCounter(3, cooker.CounterRawCount))
}

func diskSet() *hostSet {
	s := hostOf(2, "Disk", session.MultipleInstances,
		hostCounter(10, cooker.CounterBulkCount), hostCounter(11, cooker.AverageBulk), hostCounter(12, cooker.AverageBase),
		hostCounter(13, cooker.CounterRawCount), hostCounter(14, cooker.CounterRawCount), hostCounter(15, cooker.CounterRawCount),
		hostCounter(16, cooker.CounterRawCount), hostCounter(17, cooker.CounterRawCount), hostCounter(18, cooker.CounterRawCount))
	s.info.Counters[1].BaseID = 12
	delete(s.counters, 12) // bases have no names
	s.instances = instances("_Total", "C:", "D:")
	return s
}

type rig struct {
	*testing.T
	host   *host
	source *Source
	cat    *session.Catalogue
	query  session.Query
	batch  session.Batch
	now    time.Time
}

func newRig(t *testing.T, sets ...*hostSet) *rig {
	return rigWith(t, &host{sets: sets}, Options{})
}

func rigWith(t *testing.T, h *host, o Options) *rig {
	t.Helper()
	r := &rig{T: t, host: h, now: time.Unix(1_700_000_000, 0)}
	o.Host, o.Dial, o.Now = "web01", h.dial, func() time.Time { return r.now }
	r.source = New(o)
	t.Cleanup(func() { _ = r.source.Close() })
	var err error
	if r.cat, err = r.source.Catalogue(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) want(set string, counters ...int) session.Want {
	return session.Want{Set: r.cat.Set(set), Counters: counters}
}

// allOf wants all counters of a set.
func allOf(set *session.Counterset) session.Want {
	w := session.Want{Set: set}
	for i := range set.Counters {
		w.Counters = append(w.Counters, i)
	}
	return w
}

func (r *rig) selects(wants ...session.Want) {
	r.Helper()
	if r.query == nil {
		var err error
		if r.query, err = r.source.Open(r.Context()); err != nil {
			r.Fatal(err)
		}
	}
	if err := r.query.Select(r.Context(), wants); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) collect(due ...bool) *session.Batch {
	r.Helper()
	r.batch.Due = due
	if err := r.query.Collect(r.Context(), &r.batch); err != nil {
		r.Fatal(err)
	}
	return &r.batch
}

// listed are the instances of a set of the batch, as name#index.
func listed(b *session.SetBatch) []string {
	var out []string
	for i := range b.Instances {
		out = append(out, fmt.Sprintf("%s#%d", b.Instances[i].Key.Name, b.Instances[i].Index))
	}
	return out
}

var errCut = errors.New("connection cut")
