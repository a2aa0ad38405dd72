package top

import (
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/kit/table"
	"perfdeck/tui/pane"
)

// growing are 60 processes, of which those with the highest numbers are the largest: some grow, one
// shrinks, one comes.
func growing() fake.Script {
	script := workers(60, 0, 0)
	set := &script.Sets[0]
	set.Counters = append(set.Counters, fake.Counter{Name: "Working Set", Type: cooker.CounterLargeRawCount})
	for i := range set.Rows {
		is := fake.Const(float64(i+100) * (1 << 20))
		switch i {
		case 2: // below the fold, sorted by CPU
			is = fake.Ramp(1<<20, 1<<20)
		case 5:
			is = fake.Ramp(1<<40, -1<<20)
		case 7:
			set.Rows[i].Alive = fake.Window{From: 100 * time.Second, To: time.Hour}
		case 50:
			is = fake.Ramp(1<<30, 2<<20)
		}
		set.Rows[i].Is["Working Set"] = is
	}
	return script
}

// What grew is told of all rows, of those that were never in view too, as soon as one asks, over the
// span that the keys of the span choose; what came in it is new as a whole.
func TestGrowth(t *testing.T) {
	onTop(t, growing(), func(r *rig) {
		r.host.Feed.Close()
		r.host.Feed = r.host.Sampler.(*session.Sampler).Feed(session.FeedOptions{Every: time.Second, History: 10 * time.Minute})
		r.host.History = 10 * time.Minute
		r.ask()
		r.pass(150)
		at := slices.IndexFunc(r.top.table.Columns, func(c table.Column) bool { return c.Growth })
		r.top.sortByColumn(at)
		r.askAgain()
		r.pass(2)
		first := r.names()
		if want := []string{"worker-50", "worker-2", "worker-7"}; !slices.Equal(first[:3], want) || first[len(first)-1] != "worker-5" {
			t.Errorf("by growth: %v", first)
		}
		told := func(want ...string) {
			t.Helper()
			text := r.canvas.String()
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not in\n%s", w, text)
				}
			}
		}
		told("Mem + in 10 min ▼", "+302M", "+151M", "+107M", "last 60 s")
		r.top.ShiftSpan(1)
		r.askAgain()
		r.pass(2)
		told("Mem + in 2 min ▼", "+240M", "+123M", "last 2:00")
		r.top.sortByColumn(slices.IndexFunc(r.top.table.Columns, func(c table.Column) bool { return c.Head == "Mem" }))
		r.askAgain()
		r.pass(2)
		mem, spark := slices.IndexFunc(r.top.table.Columns, func(c table.Column) bool { return c.Head == "Mem" }), slices.IndexFunc(r.top.table.Columns, func(c table.Column) bool { return c.Kind == table.Spark })
		if m, s := r.top.table.Place(mem), r.top.table.Place(spark); s.X != m.X+m.W+2 {
			t.Errorf("the history is at %d, the column that it is of ends at %d", s.X, m.X+m.W)
		}
		r.top.ShiftSpan(5)
		if s, ok := sent[pane.Say](r); !ok || !strings.Contains(s.Text, "--history") {
			t.Errorf("beyond what is kept: %q", s.Text)
		}
		for range 9 {
			r.top.ShiftSpan(-1)
		}
		if r.top.span != 0 {
			t.Errorf("the span is %v", r.top.span)
		}
	})
}
