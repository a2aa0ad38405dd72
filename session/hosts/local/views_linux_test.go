package local

import (
	"slices"
	"testing"
	"time"

	"perfdeck/session"
)

// Several who want Process of one query, as rules with intervals of their own, have each what they asked for,
// whenever they are due, and what is new since they read last.
func TestViewsOfProcesses(t *testing.T) {
	m := newMachine(t, originWorld())
	m.open()
	set := m.catalogue.Set("Process")
	want := func(part session.Part, counters ...string) session.Want {
		w := session.Want{Set: set, Facts: session.FactWant{Keys: []string{"user"}, All: true}}
		for _, name := range counters {
			i, ok := set.Counter(name)
			if !ok {
				t.Fatal(name)
			}
			w.Counters, w.Of = append(w.Counters, i), append(w.Of, part)
		}
		return w
	}
	wants := []session.Want{
		want(session.AllInstances, "Thread Count"),
		want(session.AllInstances, "Working Set", "ID Process", "IO Read Bytes/sec", "Handle Count", "% Processor Time"),
		want(session.Members, "ID Process", "Working Set - Private"),
	}
	alone := make([]session.SetBatch, len(wants))
	for i := range wants {
		m.sel(wants[i])
		m.read()
		alone[i] = m.batch.Sets[0]
		alone[i].Readings, alone[i].Instances = slices.Clone(alone[i].Readings), slices.Clone(alone[i].Instances)
	}
	m.sel(wants...)
	m.read()
	for i := range wants {
		b := &m.batch.Sets[i]
		if len(b.Instances) != len(alone[i].Instances) {
			t.Fatalf("want %d has %d rows, alone %d", i, len(b.Instances), len(alone[i].Instances))
		}
		for k, r := range b.Readings {
			if a := alone[i].Readings[k]; r.State != a.State || r.Size != a.Size || r.Raw != a.Raw && set.Counters[wants[i].Counters[k%len(wants[i].Counters)]].Name != "% Processor Time" {
				t.Errorf("want %d, row %d: %+v, alone %+v", i, k/len(wants[i].Counters), r, a)
			}
		}
	}

	started := int(m.uptime/(10*time.Millisecond)) + 50
	m.batch.Due = []bool{true, false, false}
	m.after(time.Second, map[string]string{"proc/12/stat": statLine(12, "new", 3, started)})
	if b := m.batch.Sets[0].Before; b == nil || len(b.Instances) != 1 || b.Instances[0].Key.Name != "new" || len(b.Readings) != 1 {
		t.Errorf("the first has as new %+v", b)
	}
	m.batch.Due = []bool{true, true, true}
	m.after(time.Second, nil)
	if b := m.batch.Sets[0].Before; b != nil {
		t.Errorf("it is new again: %+v", b.Instances)
	}
	if b := m.batch.Sets[1].Before; b == nil || len(b.Instances) != 1 || len(b.Readings) != 5 {
		t.Errorf("to whom reads seldom it is not new: %+v", b)
	}
	m.sel(wants[1]) // others end
	m.batch.Due = nil
	m.after(time.Second, nil)
	if got := m.reading("Process", "new", "ID Process"); got.Raw != 12 {
		t.Errorf("the one that is left reads %+v", got)
	}
}
