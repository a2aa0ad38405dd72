package joined

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/collector"
)

var start = time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)

const mine = "1d"

// recorded writes a recording of a host with one process, which is 10 times as busy as it has seconds, and a second
// one up to a moment, and puts it on the list of a folder.
func recorded(t *testing.T, dir, name, host string, from time.Time, n int, every time.Duration, add float64) string {
	t.Helper()
	file := filepath.Join(dir, name)
	f, ok := formats.ByExtension(name)
	if !ok {
		t.Fatal(name)
	}
	h := &logs.Header{}
	for _, c := range []struct {
		path string
		t    cooker.CounterType
	}{
		{`Process(x)\IO Data Bytes/sec`, cooker.CounterBulkCount}, {`Process(x)\ID Process`, cooker.CounterRawCount},
		{`Process(y)\IO Data Bytes/sec`, cooker.CounterBulkCount}, {`Process(y)\ID Process`, cooker.CounterRawCount},
	} {
		h.Columns = append(h.Columns, logs.Column{Path: `\\` + host + `\` + c.path, TypeKnown: f.KeepsRaw, Type: c.t})
	}
	w, err := formats.Create(file, f, h, logs.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	total := uint64(0)
	for i := range n {
		at := from.Add(time.Duration(i) * every)
		row := logs.Row{Time: at, Values: make([]cooker.Value, 4), Raw: make([]logs.Raw, 4)}
		rate := add + float64(at.Sub(start)/time.Second)
		total += uint64(rate * every.Seconds())
		for c := range 4 {
			if c >= 2 && i >= n/2 {
				row.Values[c] = cooker.Absent(cooker.Gone)
				continue
			}
			raw := []uint64{total, 101, total, 102}[c]
			row.Raw[c] = logs.Raw{Known: true, Reading: cooker.Reading{Raw: raw, Size: 8}, Clocks: cooker.Clocks{PerfTime: uint64(at.UnixNano()), PerfFreqHz: 1e9}}
			row.Values[c] = cooker.FloatValue(float64(raw))
			if c%2 == 0 {
				row.Values[c] = cooker.FloatValue(rate)
			}
		}
		if err := w.WriteRow(&row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	listed(t, dir, file, host, from, from.Add(time.Duration(n-1)*every), every, f.KeepsRaw)
	return file
}

func listed(t *testing.T, dir, file, host string, from, to time.Time, every time.Duration, raw bool) {
	t.Helper()
	m := collector.Made{Begin: from, End: to, Every: every, HasRaw: raw, Hosts: []collector.MadeHost{{Name: host, Identity: mine}}, Sets: []string{"process"}}
	root, err := os.OpenRoot(filepath.Dir(file))
	if err == nil {
		m.Written, err = collector.Look(root, filepath.Base(file), false)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.Name = file
	line, err := json.Marshal(&m)
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.OpenFile(filepath.Join(dir, "made.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	if _, err := list.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

func shelfOf(dir string) (*Shelf, *opened) {
	s := &Shelf{Dirs: []string{dir}, Go: func(f func()) { go f() }, Open: func(name string) (logs.Reader, error) {
		return formats.Open(context.Background(), name, logs.OpenOptions{})
	}}
	return s, &opened{open: s.Open}
}

// liveSet is a counterset as a live host has it: other IDs, other order, and a counter that was not recorded.
var liveSet = &session.Counterset{Name: "Process", Instances: session.MultipleInstances, Counters: []session.Counter{
	{ID: 7, Name: "Handle Count", Type: cooker.CounterRawCount}, {ID: 8, Name: "IO Data Bytes/sec", Type: cooker.CounterBulkCount},
}}

// lookAt looks at a moment.
func lookAt(t *testing.T, s *Shelf, open *opened, at time.Time, live *session.Snapshot) (*session.Snapshot, []Piece) {
	t.Helper()
	asks := []session.Ask{{Set: liveSet, Counters: []int{0, 1}, Keep: []session.Keep{{Counters: []int{1}, Busiest: 10, By: 1}}}}
	snap, pieces, err := s.read(t.Context(), look{mine, asks, at, at.Add(-time.Minute), at.Add(time.Minute), live}, open)
	if err != nil {
		t.Fatal(err)
	}
	return snap, pieces
}

// row finds an instance.
func row(t *testing.T, v *session.SetView, name string) int {
	t.Helper()
	for i := range v.Rows {
		if v.Rows[i].Key.Name == name {
			return i
		}
	}
	t.Fatalf("%s is not among %d rows", name, len(v.Rows))
	return -1
}

// TestRead holds that a moment before the first sample has the rows of whole countersets, with what they were
// cooked from, whatever the host was called when it was recorded; that histories go on behind the moment, and that
// what was not recorded says so.
func TestRead(t *testing.T) {
	for _, name := range []string{"a.db", "a.csv"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			recorded(t, dir, name, "before", start, 120, time.Second, 0)
			s, open := shelfOf(dir)
			defer open.Close()
			if got := s.Begin(mine); !got.Equal(start) {
				t.Errorf("it begins %v", got)
			}
			if got := s.Begin("other"); !got.IsZero() {
				t.Errorf("another host begins %v", got)
			}
			at := start.Add(30500 * time.Millisecond)
			snap, pieces := lookAt(t, s, open, at, nil)
			if len(pieces) != 1 || !snap.Time.Equal(start.Add(30*time.Second)) {
				t.Fatalf("%d pieces, at %v", len(pieces), snap.Time)
			}
			v := snap.Set(liveSet)
			for _, process := range []string{"x", "y"} {
				i := row(t, v, process)
				if f, ok := v.Value(i, 1).Float(); !ok || f != 30 {
					t.Errorf("%s: %v, want 30", process, v.Value(i, 1))
				}
				if v.Value(i, 0).Status() != cooker.NotKept {
					t.Errorf("what was not recorded is %v", v.Value(i, 0))
				}
				older, newer, _, _, ok := v.Raw(i, 1)
				if !ok || name == "a.db" && newer.Raw-older.Raw != 30 {
					t.Errorf("%s: raw %v %v %v", process, older, newer, ok)
				}
			}
			x := v.Series(row(t, v, "x"), 1)
			if end := snap.Timeline.At(snap.Timeline.Next() - 1); !end.After(at.Add(50 * time.Second)) {
				t.Fatalf("histories end %v", end)
			}
			for n := snap.Timeline.First + 1; n < snap.Timeline.Next(); n++ {
				if want := float64(snap.Timeline.At(n).Sub(start) / time.Second); x.At(n) != want {
					t.Fatalf("at %v it was %v, want %v", snap.Timeline.At(n), x.At(n), want)
				}
			}
			late, _ := lookAt(t, s, open, start.Add(100*time.Second), nil)
			v = late.Set(liveSet)
			for i := range v.Rows {
				if v.Rows[i].Key.Name == "y" && !v.Rows[i].Gone {
					t.Error("what ended is there")
				}
			}
		})
	}
}

// TestPaces holds that samples are missed by how far apart rows of that moment are, whatever the list of
// recordings says of the whole.
func TestPaces(t *testing.T) {
	dir := t.TempDir()
	file := recorded(t, dir, "a.db", "before", start, 60, 15*time.Second, 0)
	if err := os.Remove(filepath.Join(dir, "made.jsonl")); err != nil {
		t.Fatal(err)
	}
	listed(t, dir, file, "before", start, start.Add(59*15*time.Second), time.Second, true)
	s, open := shelfOf(dir)
	defer open.Close()
	snap, _ := lookAt(t, s, open, start.Add(8*time.Minute), nil)
	if v := snap.Set(liveSet); v.Rate.Missed != 0 || v.Rate.Gap || len(v.Rows) == 0 {
		t.Errorf("%d rows, %+v: nothing was missed", len(v.Rows), v.Rate)
	}
}

// TestNotRecorded holds that a counterset that no recording has says so, beside one that one has, of instances
// that are there now, too.
func TestNotRecorded(t *testing.T) {
	dir := t.TempDir()
	recorded(t, dir, "a.db", "h", start, 60, time.Second, 0)
	s, open := shelfOf(dir)
	defer open.Close()
	other := &session.Counterset{Name: "Memory", Counters: []session.Counter{{Name: "Free", Type: cooker.CounterRawCount}}}
	keep := []session.Keep{{Counters: []int{0}, Recent: true}}
	asks := []session.Ask{{Set: liveSet, Counters: []int{1}, Keep: []session.Keep{{Counters: []int{1}, Recent: true}}}, {Set: other, Counters: []int{0}, Keep: keep}}
	at := start.Add(30 * time.Second)
	snap, _, err := s.read(t.Context(), look{mine, asks, at, start, at, nil}, open)
	if err != nil {
		t.Fatal(err)
	}
	if v := snap.Set(other); v == nil || v.Err == nil || v.Lack() != cooker.NotKept {
		t.Fatalf("it is %+v", v)
	}
	var live session.Reel
	live.Ask([]session.Ask{{Set: other, Counters: []int{0}, Keep: []session.Keep{{Counters: []int{0}, Busiest: 1}}}}, func(*session.Counterset) []session.Instance { return nil })
	live.Begin(0, 10)
	live.Add(&session.Batch{Time: start.Add(2 * time.Minute), Sets: []session.SetBatch{{Set: other, Counters: []int{0}, Instances: make([]session.Instance, 1), Readings: []cooker.Reading{{Raw: 9, Size: 8}}}}}, session.Rate{})
	joined := session.Join(snap, live.Snapshot("h", start, session.HostState{}), start.Add(time.Hour))
	if v := joined.Set(other); len(v.Rows) != 1 || v.Value(0, 0).Status() != cooker.NotKept || v.Series(0, 0).At(joined.Timeline.Next()-1) != 9 {
		t.Errorf("joined it is %+v", v)
	}
}

// TestPieces holds which of several recordings has a moment: one with raw samples before one without, then
// the denser one; and that what is gone, replaced or damaged is left out without a word.
func TestPieces(t *testing.T) {
	dir := t.TempDir()
	recorded(t, dir, "dense.csv", "h", start, 240, time.Second, 1000)
	recorded(t, dir, "rare.db", "h", start.Add(60*time.Second), 12, 10*time.Second, 2000)
	recorded(t, dir, "raw.db", "h", start.Add(60*time.Second), 60, time.Second, 3000)
	gone := recorded(t, dir, "gone.db", "h", start, 240, 500*time.Millisecond, 4000)
	_ = os.Remove(gone)
	other := recorded(t, dir, "other.db", "h", start, 240, 500*time.Millisecond, 5000)
	_ = os.Remove(other)
	if err := os.WriteFile(other, []byte("no recording"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken.db")
	if err := os.WriteFile(broken, []byte("none either"), 0o600); err != nil {
		t.Fatal(err)
	}
	listed(t, dir, broken, "h", start, start.Add(4*time.Minute), time.Millisecond, true)
	s, open := shelfOf(dir)
	defer open.Close()
	snap, pieces := lookAt(t, s, open, start.Add(90*time.Second), nil)
	var told []string
	for _, p := range pieces {
		told = append(told, fmt.Sprint(filepath.Base(p.Name), " ", p.From.Sub(start).Round(time.Second), " ", p.To.Sub(start).Round(time.Second)))
	}
	if got, want := fmt.Sprint(told), "[dense.csv 30s 1m0s raw.db 1m0s 1m59s rare.db 1m59s 2m30s]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	v := snap.Set(liveSet)
	x := v.Series(row(t, v, "x"), 1)
	for n := snap.Timeline.First; n < snap.Timeline.Next(); n++ {
		at := snap.Timeline.At(n).Sub(start)
		want := 1000 + at.Seconds()
		switch {
		case at == 60*time.Second: // the first of another recording has no rate
			continue
		case at >= 120*time.Second:
			want += 1000
		case at > 60*time.Second:
			want += 2000
		}
		if n > snap.Timeline.First && x.At(n) != want {
			t.Errorf("at %v it was %v, want %v", at, x.At(n), want)
		}
	}
}

// fed is a live feed that a test fills.
type fed struct{ next *session.Snapshot }

func (f *fed) Ask([]session.Ask)         {}
func (f *fed) SetInterval(time.Duration) {}
func (f *fed) Ready() <-chan struct{}    { return nil }
func (f *fed) Close()                    {}
func (f *fed) Take() *session.Snapshot {
	s := f.next
	f.next = nil
	return s
}

// liveFrom is what a feed of a host has that began to sample at a moment.
func liveFrom(from time.Time, n int) *session.Snapshot {
	var r session.Reel
	r.Ask([]session.Ask{{Set: liveSet, Counters: []int{0, 1}, Keep: []session.Keep{{Counters: []int{1}, Busiest: 10, By: 1}}}}, func(*session.Counterset) []session.Instance { return nil })
	r.Begin(0, 1000)
	at := from
	for i := range n {
		at = from.Add(time.Duration(i) * time.Second)
		b := session.SetBatch{Set: liveSet, Counters: []int{0, 1}, Instances: []session.Instance{{Key: session.InstanceKey{Name: "x", ID: 77}, Number: 101}}}
		b.Readings = []cooker.Reading{{Raw: 5, Size: 8}, cooker.CookedReading(at.Sub(start).Seconds())}
		r.Add(&session.Batch{Time: at, Sets: []session.SetBatch{b}}, session.Rate{Interval: time.Second})
	}
	return r.Snapshot("h", at, session.HostState{Phase: session.Live})
}

// TestFeed holds that a feed shows a moment before its first sample joined to its own samples, those that come
// meanwhile too, and its own again when nobody looks at the past any more.
func TestFeed(t *testing.T) {
	dir := t.TempDir()
	recorded(t, dir, "a.db", "h", start, 100, time.Second, 0)
	s, _ := shelfOf(dir)
	own := &fed{next: liveFrom(start.Add(90*time.Second), 20)}
	f := s.Feed(own, mine)
	defer f.Close()
	f.Ask([]session.Ask{{Set: liveSet, Counters: []int{0, 1}, Keep: []session.Keep{{Counters: []int{1}, Busiest: 10, By: 1}}}})
	now := f.Take()
	if f.See(time.Time{}, time.Minute, now) || f.See(start.Add(100*time.Second), time.Minute, now) {
		t.Error("what is live is other than what is live")
	}
	at := start.Add(60 * time.Second)
	see := func() (s *session.Snapshot) {
		t.Helper()
		if !f.See(at, time.Minute, now) || f.See(at, time.Minute, now) {
			t.Error("it is not other once")
		}
		for steps := 0; ; steps++ { // the moment, and what is around it
			<-f.Ready()
			if took := f.Take(); took != nil {
				s = took
			}
			if !s.Time.Equal(at) || steps > 2 {
				t.Fatalf("it shows %v", s)
			}
			if s.Timeline.At(s.Timeline.First).Before(start.Add(10 * time.Second)) {
				return s
			}
		}
	}
	check := func(s *session.Snapshot, last int) {
		t.Helper()
		if first, newest := f.Kept(s); !first.Equal(start) || newest.Before(start.Add(109*time.Second)) {
			t.Errorf("there are samples from %v to %v", first, newest)
		}
		v := s.Set(liveSet)
		x := v.Series(v.Find(session.InstanceKey{Name: "x", ID: 77}, -1), 1)
		if end := s.Timeline.At(s.Timeline.Next() - 1); !end.Equal(start.Add(time.Duration(last) * time.Second)) {
			t.Errorf("it ends %v", end)
		}
		for n := s.Timeline.First + 1; n < s.Timeline.Next(); n++ {
			if want := s.Timeline.At(n).Sub(start).Seconds(); x.At(n) != want {
				t.Fatalf("at %v it was %v", want, x.At(n))
			}
		}
	}
	check(see(), 109)
	if f.Source(at) != "a.db" || f.Source(at.Add(time.Hour)) != "" {
		t.Errorf("it is of %q", f.Source(at))
	}
	own.next = liveFrom(start.Add(90*time.Second), 40)
	check(f.Take(), 120) // as far as it is looked
	if s := f.Take(); s != nil {
		t.Error("nothing is new, and something is shown")
	}
	if !f.See(time.Time{}, time.Minute, nil) {
		t.Error("it stays where it was")
	}
	if s := f.Take(); s == nil || !s.Time.Equal(start.Add(129*time.Second)) || s.State.Phase != session.Live {
		t.Errorf("now it shows %v", s)
	}
}

// TestPart holds that a part of a recording reads as a recording of its own: within its time, under the name that the
// host has now.
func TestPart(t *testing.T) {
	dir := t.TempDir()
	recorded(t, dir, "a.db", "before", start, 100, time.Second, 0)
	s, _ := shelfOf(dir)
	parts := s.Parts(mine, "now", []string{"Process"}, start.Add(20*time.Second), start.Add(40*time.Second))
	if len(parts) != 1 {
		t.Fatalf("there are %+v", parts)
	}
	r, err := parts[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if path := r.Header().Columns[0].Path; path != `\\now\Process(x)\IO Data Bytes/sec` {
		t.Errorf("its first column is %s", path)
	}
	if span, err := r.Span(); err != nil || !span.First.Equal(start.Add(20*time.Second)) || !span.Last.Equal(start.Add(40*time.Second)) {
		t.Errorf("it is from %v to %v, %v", span.First, span.Last, err)
	}
	var row logs.Row
	count := func(want int) {
		t.Helper()
		n := 0
		for r.Next(&row) == nil {
			n++
		}
		if n != want || !row.Time.Equal(start.Add(41*time.Second)) && !row.Time.Equal(start.Add(40*time.Second)) {
			t.Errorf("%d rows up to %v, want %d", n, row.Time, want)
		}
	}
	count(21)
	if n, err := r.Back(1000); n != 21 || err != nil {
		t.Errorf("back %d, %v", n, err)
	}
	count(21)
	if err := r.SeekTime(start); err != nil {
		t.Fatal(err)
	}
	count(21)
	if n, err := r.Back(5); n != 5 || err != nil {
		t.Errorf("back %d, %v", n, err)
	}
	count(5)
}

// TestNothingIsOpened holds that a list of many recordings alone opens none of them.
func TestNothingIsOpened(t *testing.T) {
	dir := t.TempDir()
	for i := range 500 {
		file := filepath.Join(dir, fmt.Sprint(i, ".db"))
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		listed(t, dir, file, "h", start.Add(time.Duration(i)*time.Second), start.Add(time.Duration(i)*time.Second), time.Second, false)
	}
	s := &Shelf{Dirs: []string{dir}, Go: func(f func()) { go f() }, Open: func(string) (logs.Reader, error) {
		t.Error("it was opened")
		return nil, os.ErrPermission
	}}
	f := s.Feed(new(fed), mine)
	defer f.Close()
	if first, _ := f.Kept(liveFrom(start.Add(time.Hour), 2)); !first.Equal(start) || f.Source(start) != "" || f.Looks() {
		t.Errorf("it begins %v, and has %q", first, f.Source(start))
	}
}
