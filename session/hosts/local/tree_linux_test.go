package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// machine is a made-up computer: trees of kernel files and a clock.
type machine struct {
	t         *testing.T
	proc, sys string
	uptime    time.Duration // CLOCK_MONOTONIC
	slept     time.Duration // what CLOCK_BOOTTIME has beyond it
	kept      int
	exits     func() (exitRecords, error)
	reads     func() // before each read of a file
	clockRead func() // before each read of the clock
	query     session.Query
	source    session.Source
	catalogue *session.Catalogue
	batch     session.Batch
}

// bootTime is when all machines were started.
var bootTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newMachine(t *testing.T, files map[string]string) *machine {
	t.Helper()
	dir := t.TempDir()
	m := &machine{t: t, proc: filepath.Join(dir, "proc"), sys: filepath.Join(dir, "sys"), uptime: 1000 * time.Second, kept: -1}
	if err := os.MkdirAll(m.proc, 0o755); err != nil {
		t.Fatal(err)
	}
	m.write(files)
	return m
}

// write writes files below proc and sys; an empty text removes one.
func (m *machine) write(files map[string]string) {
	m.t.Helper()
	for name, text := range files {
		path := filepath.Join(filepath.Dir(m.proc), name)
		if text == "" {
			_ = os.RemoveAll(path)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
}

// link puts a link in the place of a file below proc or sys.
func (m *machine) link(name, to string) {
	m.t.Helper()
	path := filepath.Join(filepath.Dir(m.proc), name)
	_ = os.Remove(path)
	_ = os.MkdirAll(filepath.Dir(path), 0o755)
	if err := os.Symlink(to, path); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) options() Options {
	return Options{
		Host: "box", Proc: m.proc, Sys: m.sys, Run: m.proc,
		Now: func() time.Time { return bootTime.Add(m.uptime + m.slept) },
		Monotonic: func() time.Duration {
			if m.clockRead != nil {
				m.clockRead()
			}
			return m.uptime
		},
		Boottime:  func() time.Duration { return m.uptime + m.slept },
		PageBytes: 4096, TicksPerSecond: 100, KeptFiles: m.kept,
		UserName: func(uid uint32) string { return map[uint32]string{0: "root", 1000: "ada"}[uid] },
		Go:       func(f func()) { f() },

		beforeRead: m.reads, owner: m.owner, processClock: m.processClock, exitRecords: m.exits,
	}
}

// owner is the effective user that the status of a process names.
func (m *machine) owner(pid uint32) (uid uint32, ok bool) {
	data, _ := os.ReadFile(filepath.Join(m.proc, strconv.Itoa(int(pid)), "status"))
	_, after, ok := strings.Cut(string(data), "Uid:\t")
	if fields := strings.Fields(after); ok && len(fields) > 1 {
		n, err := strconv.ParseUint(fields[1], 10, 32)
		return uint32(n), err == nil
	}
	return 0, false
}

// processClock is what proc/PID/clock says.
func (m *machine) processClock(pid uint32) (ns uint64, ok bool) {
	data, err := os.ReadFile(filepath.Join(m.proc, strconv.Itoa(int(pid)), "clock"))
	ns, _, ok = number(data)
	return ns, ok && err == nil
}

func (m *machine) open() {
	m.t.Helper()
	var err error
	if m.source, err = Open(m.options()); err != nil {
		m.t.Fatal(err)
	}
	if m.catalogue, err = m.source.Catalogue(context.Background()); err != nil {
		m.t.Fatal(err)
	}
	if m.query, err = m.source.Open(context.Background()); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = m.query.Close() })
}

// watch selects sets whole, with all facts, and reads once.
func (m *machine) watch(names ...string) {
	m.t.Helper()
	if m.query == nil {
		m.open()
	}
	var wants []session.Want
	for _, name := range names {
		set := m.catalogue.Set(name)
		if set == nil {
			m.t.Fatalf("no counterset %q", name)
		}
		w := allOf(set)
		w.Facts = session.FactWant{Keys: set.Facts, All: true}
		wants = append(wants, w)
	}
	m.sel(wants...)
	m.read()
}

func (m *machine) sel(wants ...session.Want) {
	m.t.Helper()
	if err := m.query.Select(context.Background(), wants); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) read() {
	m.t.Helper()
	if err := m.query.Collect(context.Background(), &m.batch); err != nil {
		m.t.Fatal(err)
	}
	for i := range m.batch.Sets {
		b := &m.batch.Sets[i]
		if got, want := len(b.Readings), len(b.Instances)*len(b.Counters); got != want {
			m.t.Fatalf("%s: %d readings, want %d", b.Set.Name, got, want)
		}
		if got, want := len(b.Facts), len(b.Instances)*len(b.FactKeys); got != want && got != 0 {
			m.t.Fatalf("%s: %d facts, want %d", b.Set.Name, got, want)
		}
	}
}

// after moves the clock, writes files and reads.
func (m *machine) after(d time.Duration, files map[string]string) {
	m.t.Helper()
	m.uptime += d
	m.write(files)
	m.read()
}

func (m *machine) set(name string) *session.SetBatch {
	m.t.Helper()
	for i := range m.batch.Sets {
		if m.batch.Sets[i].Set.Name == name {
			return &m.batch.Sets[i]
		}
	}
	m.t.Fatalf("%s was not read", name)
	return nil
}

// names are the instances of a set as name, or name#n.
func (m *machine) names(set string) string {
	var out []string
	for _, i := range m.set(set).Instances {
		name := i.Key.Name
		if i.Key.Parent != "" {
			name = i.Key.Parent + "/" + name
		}
		if i.Index > 0 {
			name = fmt.Sprintf("%s#%d", name, i.Index)
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

// instance finds a row by its name, or name#n.
func (m *machine) instance(set, name string) (int, bool) {
	for i, n := range m.set(set).Instances {
		full := n.Key.Name
		if n.Key.Parent != "" {
			full = n.Key.Parent + "/" + full
		}
		if n.Index > 0 {
			full = fmt.Sprintf("%s#%d", full, n.Index)
		}
		if full == name {
			return i, true
		}
	}
	return 0, false
}

func (m *machine) reading(set, instance, counter string) cooker.Reading {
	m.t.Helper()
	b := m.set(set)
	if b.Err != nil {
		m.t.Fatalf("%s: %v", set, b.Err)
	}
	row, ok := m.instance(set, instance)
	if !ok {
		m.t.Fatalf("%s has no instance %q, only %s", set, instance, m.names(set))
	}
	for col, index := range b.Counters {
		if b.Set.Counters[index].Name == counter {
			return b.Row(row)[col]
		}
	}
	m.t.Fatalf("%s: %q was not read", set, counter)
	return cooker.Reading{}
}

// raws is a row of expectations: counters of an instance and their raw values.
type raws map[string]uint64

func (m *machine) wantRaw(set, instance string, want raws) {
	m.t.Helper()
	for counter, n := range want {
		r := m.reading(set, instance, counter)
		if r.State != cooker.OK || r.Raw != n || r.Size != 8 {
			m.t.Errorf(`\%s(%s)\%s = %d of %d bytes, %v; want %d`, set, instance, counter, r.Raw, r.Size, r.State, n)
		}
	}
}

func (m *machine) wantState(set, instance string, state cooker.Status, counters ...string) {
	m.t.Helper()
	for _, counter := range counters {
		if r := m.reading(set, instance, counter); r.State != state {
			m.t.Errorf(`\%s(%s)\%s is %v (%d), want %v`, set, instance, counter, r.State, r.Raw, state)
		}
	}
}

func (m *machine) fact(set, instance, key string) string {
	m.t.Helper()
	b := m.set(set)
	row, ok := m.instance(set, instance)
	if !ok {
		m.t.Fatalf("%s has no instance %q, only %s", set, instance, m.names(set))
	}
	for i, k := range b.FactKeys {
		if k == key {
			return b.Facts[row*len(b.FactKeys)+i]
		}
	}
	m.t.Fatalf("%s has no fact %q", set, key)
	return ""
}
