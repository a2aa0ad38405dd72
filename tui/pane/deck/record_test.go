package deck

import (
	"slices"
	"testing"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// What a deck draws is recorded whole: the rows beside its graphs, and what limits its meters.
func TestRecordable(t *testing.T) {
	linux := quiet("linux")
	linux.isLinux = true
	onDeck(t, 120, 34, []fake.Script{linux.script()}, func(r *rig) {
		list := r.book.Recordable()
		if len(list) != 1 {
			t.Fatalf("%d hosts", len(list))
		}
		for _, want := range []string{`\Processor Information(_Total)\% Processor Time`, `\System\Processor Queue Length`, `\Memory\Available Bytes`, `\Memory\Physical Bytes`} {
			if !slices.Contains(list[0].Paths, want) {
				t.Errorf("no %s: %q", want, list[0].Paths)
			}
		}
		before := r.book.PathCount()
		if err := r.book.Add(r.Desk.Hosts[0], `\Memory\Pages/sec`); err != nil || r.book.PathCount() != before+1 { // it was beside others
			t.Errorf("%d paths, were %d: %v", r.book.PathCount(), before, err)
		}
	})
	onDeck(t, 120, 34, []fake.Script{quiet("one").script(), quiet("two").script()}, func(r *rig) {
		for _, h := range r.book.Recordable() {
			if !slices.Contains(h.Paths, `\NUMA Node Memory(_Total)\Total MBytes`) {
				t.Errorf("%s: %q", h.Host.Name, h.Paths)
			}
		}
	})
}

// Of a table all counters are recorded that its columns show, with the numbers of processes where
// it shows these; not those that have no room or were hidden.
func TestRecordableOfTables(t *testing.T) {
	const cpu, mem, id, handles = `\Process(*)\% Processor Time`, `\Process(*)\Working Set`, `\Process(*)\ID Process`, `\Process(*)\Handle Count`
	m := quiet("one").script()
	for i := range m.Sets {
		if s := &m.Sets[i]; s.Name == "Process" {
			s.Counters = append(s.Counters, gaugeOf("Working Set", fake.Const(mega)), gaugeOf("ID Process", fake.Const(7)), gaugeOf("Handle Count", fake.Const(9)))
		}
	}
	onDeck(t, 120, 34, []fake.Script{m}, func(r *rig) {
		r.pass(3)
		paths := func() []string { return r.book.Recordable()[0].Paths }
		got := paths()
		for _, want := range []string{cpu, mem, id} {
			if !slices.Contains(got, want) {
				t.Errorf("no %s: %q", want, got)
			}
		}
		if slices.Contains(got, handles) {
			t.Errorf("%s, which no column shows", handles)
		}
		d := r.book.Own(r.Desk.Hosts[0])
		d.Load([]session.DeckPane{{Paths: []string{`\Process(b*)\% Processor Time`}, Busiest: 8}})
		r.pass(3)
		if got := paths(); !slices.Contains(got, `\Process(b*)\Working Set`) || slices.Contains(got, mem) {
			t.Errorf("of some: %q", got)
		}
		for i := range d.panes[0].tab.table.Columns {
			c := &d.panes[0].tab.table.Columns[i]
			c.Hidden = i != d.panes[0].tab.table.Sort
		}
		r.pass(3)
		if got := paths(); slices.Contains(got, `\Process(b*)\ID Process`) { // memory decides among equals
			t.Errorf("with one column: %q", got)
		}
	})
}
