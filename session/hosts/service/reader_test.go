package service

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// fakeManager is a manager that a test writes.
type fakeManager struct {
	list   []Service
	err    error
	rounds int
	asked  []string // details
	hangs  bool
}

func (m *fakeManager) dial(ctx context.Context) (Manager, error) {
	if m.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	m.rounds++
	return m, nil
}

func (m *fakeManager) List(context.Context) ([]Service, error) { return slices.Clone(m.list), m.err }

func (m *fakeManager) Detail(_ context.Context, s *Service) error {
	m.asked = append(m.asked, s.Name)
	s.Details = without(cooker.Unavailable)
	s.Process, s.Restarts = Number(uint64(100+len(m.asked))), Number(3)
	return nil
}

func (m *fakeManager) Close() error { return nil }

// rig is a reader of one, on a clock that the test moves.
type rig struct {
	*Reader

	t   *testing.T
	now time.Duration
	set *session.Counterset
}

func newRig(t *testing.T, m *fakeManager) *rig {
	r := &rig{t: t, set: Set()}
	r.Reader = NewReader(Options{Dial: m.dial, Go: func(f func()) { go f() }, Now: func() time.Duration { return r.now }})
	t.Cleanup(r.Close)
	return r
}

// collect chooses and reads.
func (r *rig) collect(w session.Want) (*session.SetBatch, bool) {
	w.Set = r.set
	r.Choose(&w)
	var b session.SetBatch
	b.Reset(&w)
	isNew := r.Collect(r.t.Context(), &b, cooker.Clocks{PerfTime: uint64(r.now), PerfFreqHz: 1e9})
	return &b, isNew
}

// of is the want of counters by name.
func (r *rig) of(names ...string) (w session.Want) {
	for _, name := range names {
		i, ok := r.set.Counter(name)
		if !ok {
			r.t.Fatal(name)
		}
		w.Counters = append(w.Counters, i)
	}
	return w
}

func rowOf(b *session.SetBatch, name string) []cooker.Reading {
	for i := range b.Instances {
		if b.Instances[i].Key.Name == name {
			return b.Row(i)
		}
	}
	return nil
}

func services(names ...string) (out []Service) {
	for _, name := range names {
		out = append(out, Service{Name: name, State: Running, Stamp: name, Details: Unasked()})
	}
	return out
}

// A list is asked for each 10 seconds, and what is between is not new.
func TestListIsRare(t *testing.T) {
	m := &fakeManager{list: services("a", "b")}
	m.list[1].State, m.list[1].Failed = Stopped, true
	r := newRig(t, m)
	w := r.of("State", "Running", "Failed", "Stopped")
	b, isNew := r.collect(w)
	if !isNew || len(b.Instances) != 3 || rowOf(b, "a")[0].Raw != 4 || rowOf(b, "b")[2].Raw != 1 {
		t.Fatalf("%v: %+v", isNew, b)
	}
	total := rowOf(b, "_Total")
	if total[0].State != cooker.Unavailable || total[1].Raw != 1 || total[2].Raw != 1 || total[3].Raw != 1 {
		t.Errorf("_Total is %+v", total)
	}
	for r.now = time.Second; r.now < every; r.now += time.Second {
		if b, isNew = r.collect(w); isNew || len(b.Instances) != 3 || b.Clocks.PerfTime != 0 {
			t.Fatalf("after %v: %v, %+v", r.now, isNew, b)
		}
	}
	if b, isNew = r.collect(w); !isNew || m.rounds != 2 || b.Clocks.PerfTime != uint64(every) {
		t.Errorf("after %v: %v, %d rounds, %+v", r.now, isNew, m.rounds, b.Clocks)
	}
	if len(m.asked) > 0 {
		t.Errorf("details of %v", m.asked)
	}
}

// Details are asked for of rows that are seen, and again when they are of another run or old.
func TestDetailsAreLazy(t *testing.T) {
	m := &fakeManager{list: services("a", "b", "c")}
	r := newRig(t, m)
	w := r.of("State", "ID Process")
	w.Facts = session.FactWant{Keys: []string{factDescription}, Rows: []session.InstanceKey{{Name: "b"}}}
	check := func(want string) *session.SetBatch {
		t.Helper()
		b, _ := r.collect(w)
		if got := strings.Join(m.asked, " "); got != want {
			t.Fatalf("after %v details of %q, want %q", r.now, got, want)
		}
		r.now += every
		return b
	}
	b := check("b")
	if rowOf(b, "a")[1].State != cooker.Pending || rowOf(b, "b")[1].Raw != 101 {
		t.Errorf("%+v", b.Readings)
	}
	check("b")
	m.list[1].Stamp = "another run"
	if b = check("b b"); rowOf(b, "b")[1].Raw != 102 {
		t.Errorf("%+v", b.Readings)
	}
	w.Facts.Rows = nil
	check("b b a c") // nobody says which are seen
	for range int(again / every) {
		b, _ = r.collect(w)
		r.now += every
	}
	if len(m.asked) != 7 { // each once more
		t.Errorf("details of %v", m.asked)
	}
	if rowOf(b, "b")[1].State != cooker.OK {
		t.Errorf("%+v", b.Readings)
	}
}

// A manager that does not answer holds nobody up but the first who asks, and is told.
func TestManagerHangs(t *testing.T) {
	m := &fakeManager{list: services("a"), hangs: true}
	r := newRig(t, m)
	w := r.of("State")
	began := time.Now()
	b, isNew := r.collect(w)
	if isNew || !errors.Is(b.Err, ErrPending) {
		t.Errorf("%v, %v", isNew, b.Err)
	}
	for range 100 {
		r.now += time.Second
		r.collect(w)
	}
	if took := time.Since(began); took > patience {
		t.Errorf("held up for %v", took)
	}
	if m.rounds > 0 {
		t.Errorf("%d rounds", m.rounds)
	}
	r.Close()
	<-r.round.done
	m.hangs = false
	r.now += every
	r.ctx, r.end = context.WithCancel(t.Context())
	if b, isNew = r.collect(w); !isNew || b.Err != nil || len(b.Instances) != 2 {
		t.Errorf("%v, %+v", isNew, b)
	}
	m.err = errors.New("refused")
	r.now += every
	if b, isNew = r.collect(w); !isNew || !errors.Is(b.Err, m.err) || len(b.Instances) > 0 {
		t.Errorf("%v, %+v", isNew, b)
	}
}

// Names that are hostile, or of the same letters once they are fit for paths, stay rows of their own.
func TestHostileNames(t *testing.T) {
	names := []string{"a/b", "a_b", "x\x1b[31m\u202e", "\xff\xfe", strings.Repeat("n", 10_000), "", "a(b)#1*"}
	m := &fakeManager{list: services(names...)}
	m.list[0].State = 32634
	m.list[0].Description = strings.Repeat("d\n", 10_000)
	r := newRig(t, m)
	w := r.of("State")
	w.Facts = session.FactWant{Keys: []string{factDescription}, All: true}
	b, _ := r.collect(w)
	if len(b.Instances) != len(names)+1 || len(b.Facts) != len(b.Instances) {
		t.Fatalf("%d rows, %d facts", len(b.Instances), len(b.Facts))
	}
	rows := map[session.Instance]bool{}
	for i, in := range b.Instances {
		if in.Flags = 0; rows[in] {
			t.Errorf("%+v is there twice", in)
		}
		rows[in] = true
		if strings.ContainsAny(in.Key.Name, "()#*/\\\x1b\u202e\n") || len(in.Key.Name) > 3*mostName || len(b.Facts[i]) > 3*mostText {
			t.Errorf("%q, %q", in.Key.Name, b.Facts[i])
		}
	}
	if got := rowOf(b, "a_b")[0].Raw; got != uint64(Unknown) {
		t.Errorf("a state that there is not is %d", got)
	}
}

// A source reads for as long as somebody wants it, and says what is not new.
func TestSource(t *testing.T) {
	m := &fakeManager{list: services("a")}
	var now time.Duration
	s := NewSource("here", Options{Dial: m.dial, Go: func(f func()) { go f() }, Now: func() time.Duration { return now }})
	cat, err := s.Catalogue(t.Context())
	if err != nil || cat.Set(Name) == nil {
		t.Fatal(err)
	}
	q, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Select(t.Context(), []session.Want{{Set: Set()}}); err == nil {
		t.Error("a counterset of another source is taken")
	}
	var b session.Batch
	collect := func() bool {
		t.Helper()
		b.Due = []bool{true}
		if err := q.Collect(t.Context(), &b); err != nil || b.Sets[0].Err != nil {
			t.Fatal(err, b.Sets[0].Err)
		}
		return b.Due[0]
	}
	if err := q.Select(t.Context(), []session.Want{{Set: cat.Sets[0], Counters: []int{0}}}); err != nil {
		t.Fatal(err)
	}
	if !collect() || len(b.Sets[0].Instances) != 2 || collect() {
		t.Errorf("due %v: %+v", b.Due, b.Sets[0])
	}
	now += every
	if !collect() || m.rounds != 2 {
		t.Errorf("due %v, %d rounds", b.Due, m.rounds)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

// Of more services than a manager can have none is shown rather than some.
func TestTooManyServices(t *testing.T) {
	for n, want := range map[int]error{mostServices: nil, mostServices + 1: errMany} {
		m := &fakeManager{list: make([]Service, n)}
		for i := range m.list {
			m.list[i].Name = strconv.Itoa(i)
		}
		r := newRig(t, m)
		if b, _ := r.collect(r.of("State")); !errors.Is(b.Err, want) || want == nil && len(b.Instances) != n+1 {
			t.Errorf("%d: %d instances, %v", n, len(b.Instances), b.Err)
		}
	}
}
