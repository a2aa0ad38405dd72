package deck

import (
	"slices"
	"testing"

	"perfdeck/session/source/fake"
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
