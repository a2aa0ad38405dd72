package collector

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/fake"
)

var start0 = time.Date(2026, 3, 2, 14, 7, 32, 0, time.UTC)

// rig is scripted hosts and a clock that the test moves.
type rig struct {
	*testing.T
	clock *clocktest.Clock
	dir   string
	ctx   context.Context

	begun []*writer

	mu      sync.Mutex
	reports []error
}

// inBubble runs a test on a clock that it moves. The bubble fails the test if a
// goroutine is left behind.
func inBubble(t *testing.T, at time.Time, test func(r *rig)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer synctest.Wait()
		defer cancel()
		r := &rig{T: t, clock: clocktest.New(at, synctest.Wait), dir: dir, ctx: ctx}
		defer func() {
			for _, rec := range r.begun { // those that a failed test left
				r.stop(rec.Recording)
			}
		}()
		test(r)
	})
}

// host runs a sampler on a script.
func (r *rig) host(script fake.Script, paths ...string) Host {
	r.Helper()
	sampler := session.NewSampler(script.Name, fake.New(script, r.clock), r.clock)
	go sampler.Run(r.ctx)
	return Host{Name: script.Name, Sampler: sampler, Paths: paths}
}

func (r *rig) options(file string, hosts ...Host) Options {
	return Options{
		Subject: Subject{Hosts: hosts, Every: time.Second},
		Files:   Files{File: filepath.Join(r.dir, file)},
		Runtime: Runtime{Clock: r.clock, Zone: time.UTC, Go: func(f func()) { go f() }},
		Keeping: Keeping{MinFree: -1},
		Listeners: Listeners{Report: func(err error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.reports = append(r.reports, err)
		}},
	}
}

func (r *rig) start(o Options) *Recording {
	r.Helper()
	return r.startBy(o, creator{formats.Create, formats.Append})
}

func (r *rig) startBy(o Options, by creator) *Recording {
	r.Helper()
	rec, err := start(o, by)
	if err != nil {
		r.Fatal(err)
	}
	r.begun = append(r.begun, rec)
	r.clock.Advance(0)
	return rec.Recording
}

// writer is who writes a recording of the rig.
func (r *rig) writer(rec *Recording) *writer {
	r.Helper()
	i := slices.IndexFunc(r.begun, func(w *writer) bool { return w.Recording == rec })
	if i < 0 {
		r.Fatal("it was not begun here")
	}
	return r.begun[i]
}

// stop ends a recording and returns how.
func (r *rig) stop(rec *Recording) error {
	err := make(chan error, 1)
	go func() { err <- rec.Stop(r.ctx, "") }()
	r.clock.Advance(0)
	return <-err
}

func (r *rig) reported() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, err := range r.reports {
		all = append(all, err.Error())
	}
	return strings.Join(all, "\n")
}

// table is a recording as it is on disk.
type table struct {
	columns []string
	times   []time.Time
	rows    [][]cooker.Value
	raws    [][]logs.Raw
}

func (t *table) column(path string) int {
	return slices.IndexFunc(t.columns, func(c string) bool { return strings.EqualFold(c, path) })
}

// numbers are the values of a column; -1 where there is none.
func (t *table) numbers(path string) (out []float64) {
	c := t.column(path)
	for _, row := range t.rows {
		v := -1.0
		if c >= 0 && c < len(row) {
			if f, ok := row[c].Float(); ok {
				v = f
			}
		}
		out = append(out, v)
	}
	return out
}

func readTable(t testing.TB, file string) *table {
	t.Helper()
	in, err := formats.Open(context.Background(), file, logs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.Complete(context.Background()); err != nil {
		t.Fatal(err)
	}
	out := &table{}
	var row logs.Row
	for {
		err := in.Next(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		out.times = append(out.times, row.Time)
		out.rows = append(out.rows, slices.Clone(row.Values))
		out.raws = append(out.raws, slices.Clone(row.Raw))
	}
	for _, c := range in.Header().Columns {
		out.columns = append(out.columns, c.Path)
	}
	if f := in.Faults(); f.Any() {
		t.Errorf("%s has faults: %+v", file, f)
	}
	return out
}

// files are the names in a folder that a user sees.
func (r *rig) files() (names []string) {
	r.Helper()
	all, err := filepath.Glob(filepath.Join(r.dir, "*"))
	if err != nil {
		r.Fatal(err)
	}
	for _, name := range all {
		names = append(names, filepath.Base(name))
	}
	return names
}

// plain is a host of which one value counts the seconds since it began, and
// another is a rate.
func plain(name string) fake.Script {
	return fake.Script{Name: name, Sets: []fake.Set{
		{Name: "Memory", Counters: []fake.Counter{
			{Name: "Seconds", Type: cooker.CounterLargeRawCount, Is: fake.Ramp(0, 1)},
			{Name: "Pages/sec", Type: cooker.CounterBulkCount, Is: fake.Const(7)},
		}},
		{Name: "Disk", Instances: session.MultipleInstances, Counters: []fake.Counter{{Name: "Free", Type: cooker.CounterLargeRawCount, Is: fake.Const(5)}},
			Rows: []fake.Row{{Name: "C:"}, {Name: "D:"}}},
	}}
}
