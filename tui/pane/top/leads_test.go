package top

import (
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/tui/kit/list"
)

// A table of very many asks for those that lead, and for more as it is scrolled; for all
// where which it shows is not by a value alone.
func TestLeads(t *testing.T) {
	const all = 400
	script := workers(all, 0, 0)
	onHost(t, script.Name, func(c *clocktest.Clock) session.Source { return faketest.Leads(fake.New(script, c)) }, func(r *rig) {
		rows := func() int { return len(r.top.view().Rows) }
		shows := func(texts ...string) {
			r.Helper()
			for _, text := range texts {
				if got := r.canvas.String(); !strings.Contains(got, text) {
					r.Errorf("%q is missing in\n%s", text, got)
				}
			}
		}
		if rows() != 100 {
			r.Errorf("%d rows are read at first", rows())
		}
		shows("400 instances", "of 400", "worker-399", "worker-390")
		for range 2 {
			r.top.move(list.Last)
			r.pass(3)
		}
		if rows() < 200 || rows() >= all {
			r.Errorf("%d rows are read after scrolling", rows())
		}
		if r.top.list.Line() < 199 {
			r.Errorf("the end is line %d", r.top.list.Line())
		}
		r.top.move(list.First)
		_ = r.top.filter.Set("worker-1")
		r.pass(3)
		if rows() != all {
			r.Errorf("%d rows are read with a filter", rows())
		}
		_ = r.top.filter.Set("")
		r.pass(3)
		if rows() >= all {
			r.Errorf("%d rows are read without the filter", rows())
		}
		r.top.table.Reverse = true
		r.top.stale = true
		r.pass(3)
		if rows() != all {
			r.Errorf("%d rows are read for the smallest", rows())
		}
	})
}
