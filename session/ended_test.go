package session_test

import (
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// Lists of processes have those that ended behind the living, with their numbers and histories; what shows one
// process does not, and does not ask for them.
func TestAccounted(t *testing.T) {
	percent := fake.Counter{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(30)}
	onHost(t, fake.Script{Sets: []fake.Set{
		{
			Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user", "command line"},
			Counters: []fake.Counter{percent, {Name: "Working Set", Type: cooker.CounterLargeRawCount, Is: fake.Const(5)}},
			Rows:     []fake.Row{{Name: "make", Number: 7, Facts: []string{"mia", "make all"}}},
		},
		{
			Name: "Process Exits", Instances: session.MultipleInstances, Facts: []string{"command line"},
			Counters: []fake.Counter{percent, {Name: "Exits/sec", Type: cooker.CounterCounter, Is: fake.Const(20.6)}},
			Rows: []fake.Row{
				{Name: "cc1", Facts: []string{"children of make"}},
				{Name: "calm", Is: map[string]fake.Motion{percent.Name: fake.Const(0), "Exits/sec": fake.Const(0)}},
				{Name: "_Total", Flags: session.FlagTotal},
				{Name: "_Unattributed", Flags: session.FlagIdle, Facts: []string{"steal"}, Is: map[string]fake.Motion{"Exits/sec": fake.Const(0)}},
			},
		},
		{
			Name: "Memory Use", Instances: session.MultipleInstances,
			Counters: []fake.Counter{{Name: "Working Set", Type: cooker.CounterLargeRawCount, Is: fake.Const(9)}},
			Rows:     []fake.Row{{Name: "Kernel"}, {Name: "_Unattributed"}},
		},
	}}, func(r *rig) {
		a := r.ask("Process")
		one := r.feed(2*time.Second, keepAll(a))
		r.step(one, 2*time.Second)
		if s := r.step(one, 2*time.Second); len(s.Sets) != 1 || s.Then(time.Time{}, nil) != s {
			t.Errorf("what shows one process has %d sets", len(s.Sets))
		}
		a.Facts = session.FactWant{Keys: []string{"user", "command line"}, All: true}
		a.Keep = []session.Keep{{Counters: a.Counters, Recent: true, Busiest: 9, By: 1}}
		byMemory := r.feed(2*time.Second, a)
		r.step(byMemory, 2*time.Second)
		if s := r.step(byMemory, 2*time.Second); len(s.Sets) != 2 || s.Set(r.cat.Set("Memory Use")) == nil {
			t.Errorf("by memory %d sets are read", len(s.Sets))
		}
		byTime := a
		byTime.Keep = []session.Keep{{Counters: a.Counters, Recent: true, Busiest: 9}}
		byName := a
		byName.Keep = []session.Keep{{Counters: a.Counters, Recent: true}}
		named := r.feed(2*time.Second, byName)
		r.step(named, 2*time.Second)
		if s := r.step(named, 2*time.Second); len(s.Sets) != 1 {
			t.Errorf("by name %d sets are read", len(s.Sets))
		}
		f := r.feed(2*time.Second, a, byTime)
		var s *session.Snapshot
		for range 5 {
			s = r.step(f, 2*time.Second)
		}
		v := s.Then(time.Time{}, nil).Set(r.cat.Set("Process"))
		if again := s.Then(time.Time{}, nil).Then(time.Time{}, nil).Set(r.cat.Set("Process")); len(v.Rows) != 5 || len(again.Rows) != 5 {
			t.Fatalf("%d rows, %d again", len(v.Rows), len(again.Rows))
		}
		for row, want := range []string{3: "Kernel", 4: "unexplained"} {
			n, _ := v.Value(row, 1).Float()
			if name, _ := v.Rows[row].EndedAs(); want != "" && (name != want || n != 9 || v.Value(row, 0).Valid()) {
				t.Errorf("row %d is %q of %v, takes %v", row, name, v.Value(row, 1), v.Value(row, 0))
			}
		}
		for row, want := range []struct{ name, command string }{{"", "make all"}, {"cc1 x 41 ended", "children of make"}, {"unexplained", "steal"}} {
			name, _ := v.Rows[row].EndedAs()
			if name != want.name || v.Fact(row, "command line") != want.command || v.Rows[row].Gone {
				t.Errorf("row %d is %q of %q, want %v", row, name, v.Fact(row, "command line"), want)
			}
			if n, _ := v.Value(row, 0).Float(); n < 29.9 || n > 30.1 {
				t.Errorf("%q takes %v", name, n)
			}
			var memory session.Recalled
			if h := v.Recent(&memory, row, 0); h.End() != s.Timeline.Next() || len(h.Values) < 4 {
				t.Errorf("%q has a history of %d", name, len(h.Values))
			}
		}
		for row, want := range []string{1: `Process Exits(cc1)\% Processor Time`, 3: `Memory Use(Kernel)\Working Set`} {
			if set, counter, key := r.cat.Origin(v.Set, min(row/3, 1), v.Rows[row].Key); want != "" && set.Name+"("+key.Name+`)\`+set.Counters[counter].Name != want {
				t.Errorf("row %d is of %s, %d, %v, want %s", row, set.Name, counter, key, want)
			}
		}
		// One list of several asks for less.
		less := a
		less.Counters = a.Counters[:1]
		less.Keep = []session.Keep{{Counters: less.Counters, Recent: true, Busiest: 9}}
		several := r.feed(2*time.Second, less, a)
		r.step(several, 2*time.Second)
		if v := r.step(several, 2*time.Second).Then(time.Time{}, nil).Set(r.cat.Set("Process")); len(v.Rows) != 5 {
			t.Errorf("beside a list of less there are %d rows", len(v.Rows))
		}
		wantStatus(t, v.Value(1, 1), cooker.Unavailable)
		if n := len(s.Set(r.cat.Set("Process")).Rows); n != 1 {
			t.Errorf("the snapshot itself has %d rows", n)
		}
		var copies session.Copies
		first := s.Then(time.Time{}, &copies).Set(v.Set)
		if second := s.Then(time.Time{}, &copies).Set(v.Set); second != first || len(second.Rows) != 5 || len(second.Values) != 10 {
			t.Errorf("a copy is made anew, or has %d rows", len(second.Rows))
		}
	})
}

// What no process explains is no instance, however it comes.
func TestUnattributedByName(t *testing.T) {
	exits := &session.Counterset{Name: "Process Exits", Instances: session.MultipleInstances}
	if f := exits.FlagsOf("_Unattributed"); f != session.FlagIdle {
		t.Errorf("flags %v", f)
	}
	if f := exits.FlagsOf("cc1"); f != 0 {
		t.Errorf("flags %v of a name", f)
	}
}

// What clocks and ticks differ by has no row.
func TestLittleUnexplained(t *testing.T) {
	percent := fake.Counter{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(30)}
	onHost(t, fake.Script{Sets: []fake.Set{
		{Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user"}, Counters: []fake.Counter{percent}, Rows: []fake.Row{{Name: "make", Number: 7}}},
		{
			Name: "Process Exits", Instances: session.MultipleInstances, Counters: []fake.Counter{percent, {Name: "Exits/sec", Type: cooker.CounterCounter, Is: fake.Const(0)}},
			Rows: []fake.Row{{Name: "_Unattributed", Flags: session.FlagIdle, Is: map[string]fake.Motion{percent.Name: fake.Const(0.6)}}},
		},
	}}, func(r *rig) {
		a := r.ask("Process")
		a.Keep = []session.Keep{{Counters: a.Counters, Recent: true, Busiest: 9}}
		f := r.feed(2*time.Second, a)
		var s *session.Snapshot
		for range 3 {
			s = r.step(f, 2*time.Second)
		}
		if v := s.Then(time.Time{}, nil).Set(r.cat.Set("Process")); len(v.Rows) != 1 {
			t.Errorf("%d rows", len(v.Rows))
		}
	})
}
