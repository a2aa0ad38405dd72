package chart

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// Identity: the charted instance stays the same when others come and go before
// it, and one that vanishes is called gone while its line stays.
func TestIdentityIsKept(t *testing.T) {
	script := fake.Script{Name: "a", Sets: []fake.Set{{Name: "Process", Instances: session.MultipleInstances,
		Counters: []fake.Counter{{Name: "Thread Count", Type: cooker.CounterRawCount, Of: func(in *session.Instance) float64 { return float64(in.Number) }}},
		Rows: []fake.Row{
			{Name: "first", Number: 11, Alive: fake.Window{To: 30 * time.Second}},
			{Name: "same", Number: 22, Alive: fake.Window{To: 50 * time.Second}},
			{Name: "same", Number: 33},
			{Name: "later", Number: 44, Alive: fake.Window{From: 40 * time.Second}},
		},
	}}}
	onChart(t, one(script), func(r *rig) {
		h := r.Desk.Hosts[0]
		r.add(h, `\Process(same#1)\Thread Count`, `\Process(same)\Thread Count`)
		if len(r.chart.series) != 2 {
			t.Fatalf("%d series", len(r.chart.series))
		}
		letters := func() string {
			out := ""
			for _, s := range r.chart.series {
				f, _ := s.value.Float()
				out += fmt.Sprintf("%c=%v ", s.letter(), f)
			}
			return out
		}
		r.pass(10 * time.Second)
		before := letters()
		if before != "A=33 B=22 " {
			t.Fatalf("charted are %s", before)
		}
		r.pass(30 * time.Second) // the first row left
		if got := letters(); got != before {
			t.Errorf("after another instance left: %s, before %s", got, before)
		}
		r.pass(15 * time.Second)
		if s := r.named('B'); s.value.Status() != cooker.Gone || r.named('A').value.Status() == cooker.Gone {
			t.Errorf("states are %v and %v", r.named('A').value, s.value)
		}
		if row := r.row("same #22"); !strings.Contains(row, "gone") {
			t.Errorf("the legend shows %q", row)
		}
		r.pass(30 * time.Second) // it left the snapshot too
		if s := r.named('B'); len(s.history.Values) < 40 || s.stats.Max != cooker.WholeValue(22) {
			r.Draw()
			t.Errorf("of the gone instance %d values are left, the highest %v", len(s.history.Values), s.stats.Max)
		}
		r.Draw()
		if s := r.named('B'); s.stats.Count < 40 {
			t.Errorf("%d values of the gone instance are drawn", s.stats.Count)
		}
	})
}

// A host that leaves takes its counters with it, and undo does not bring them
// back.
func TestHostLeaves(t *testing.T) {
	onChart(t, one(clockScript("a"), clockScript("b")), func(r *rig) {
		a, b := r.Desk.Hosts[0], r.Desk.Hosts[1]
		r.add(a, `\System\Threads`)
		r.add(b, `\System\Threads`, `\System\Processes`)
		r.pass(5 * time.Second)
		r.shows("computer")
		if got := r.chart.Scope(); got != "2 hosts" {
			t.Errorf("scope is %q", got)
		}
		r.press("G", "d")
		r.Desk.Hosts = r.Desk.Hosts[:1]
		r.Draw()
		if len(r.chart.series) != 1 || r.chart.selected() != r.chart.series[0] || len(r.chart.Asks(b)) != 0 {
			t.Errorf("%d series are left, asks %v", len(r.chart.series), r.chart.Asks(b))
		}
		r.Undos[0]()
		if len(r.chart.series) != 1 {
			t.Error("undo charts a counter of a host that is not there")
		}
		if got := r.chart.Scope(); got != "a" {
			t.Errorf("scope is %q", got)
		}
		r.Desk.Hosts = nil
		r.shows("nothing is charted yet")
		r.chart.Show([]pane.Target{{Host: b}}, false) // a host is no value
		r.press("h", "+", "=", "d", "H", "Y", "space", "enter", "a", "j")
		r.shows("nothing is charted yet")
	})
}

// Removing and undoing gives the same chart: order, letters, colours.
func TestRemoveAndUndo(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		r.add(r.Desk.Hosts[0], `\System\Seconds`, `\System\Threads`, `\System\Processes`, `\System\Handles`)
		r.pass(5 * time.Second)
		names := func() string {
			out := ""
			for _, s := range r.chart.series {
				out += string(s.letter()) + " " + s.target.Of().Name + ", "
			}
			return out
		}
		before := names()
		r.press("g", "j", "space", "j", "space", "d")
		if got := names(); got != "A Seconds, D Handles, " {
			t.Errorf("after removing the marked: %s", got)
		}
		if got := r.chart.selected().target.Of().Name; got != "Handles" {
			t.Errorf("selected is %s", got)
		}
		r.Undos[0]()
		if got := names(); got != before {
			t.Errorf("after undo: %s, before: %s", got, before)
		}
		r.press("g", "esc", "d")
		r.add(r.Desk.Hosts[0], `\System\Users`) // takes the letter A
		r.Undos[1]()
		seen := map[rune]bool{}
		for _, s := range r.chart.series {
			if seen[s.letter()] {
				t.Errorf("two series have the letter %c: %s", s.letter(), names())
			}
			seen[s.letter()] = true
		}
	})
}

// Show adds what is not there, selects it, and keeps letters when it replaces.
func TestShow(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		h := r.Desk.Hosts[0]
		threads, users := r.Value(h, "System", "", "Threads"), r.Value(h, "System", "", "Users")
		r.chart.Show([]pane.Target{threads, users, threads, {Host: h}, {Host: h, Set: threads.Set, Counter: -1}}, false)
		if !r.chart.AskStale() || r.chart.AskStale() {
			t.Error("the hosts are not asked anew, once")
		}
		if got := r.chart.Selected(); len(r.chart.series) != 2 || len(got) != 1 || got[0] != threads {
			t.Errorf("%d series, selected %v", len(r.chart.series), got)
		}
		r.chart.Show([]pane.Target{users}, true)
		if s := r.chart.series; len(s) != 1 || s[0].letter() != 'B' || r.chart.Selected()[0] != users {
			t.Errorf("after replacing: %d series", len(s))
		}
		r.chart.Show([]pane.Target{threads}, false)
		r.press("space", "k")
		if got := r.chart.Selected(); len(got) != 2 || got[0] != users || got[1] != threads {
			t.Errorf("selected are %v", got)
		}
		if r.chart.Shows(&pane.Host{}) || !r.chart.Shows(h) {
			t.Error("does not know what it shows")
		}
	})
}

// Wildcards chart what they match; what matches nothing is said.
func TestAddPaths(t *testing.T) {
	onChart(t, one(busyScript(70)), func(r *rig) {
		h := r.Desk.Hosts[0]
		r.add(h, `\Process(worker-0*)\% Processor Time`)
		r.pass(2 * time.Second)
		if len(r.chart.series) != 10 {
			t.Fatalf("%d series of ten workers", len(r.chart.series))
		}
		r.add(h, `\Process(nobody)\% Processor Time`)
		r.pass(2 * time.Second)
		r.shows("nothing matches")
		if err := r.chart.Add(h, `\Process(x)\No Such Counter`); err == nil {
			t.Error("an unknown counter is taken")
		}
		r.add(h, `\Process(*)\% Processor Time`)
		r.pass(2 * time.Second)
		seen := map[rune]bool{}
		for _, s := range r.chart.series {
			seen[s.letter()] = true
		}
		if len(r.chart.series) != mostSeries || len(seen) != mostSeries {
			t.Errorf("%d series with %d letters", len(r.chart.series), len(seen))
		}
		if a, i := r.chart.series[0], r.chart.series[8]; a.style() != i.style() || a.letter() == i.letter() {
			t.Error("the ninth series has not the colour of the first and a letter of its own")
		}
		r.shows("no more than 62")
	})
}

// A text has no curve, which is said; what is chosen beside it is charted.
func TestTextsAreRefused(t *testing.T) {
	script := clockScript("a")
	for i := range script.Sets {
		if script.Sets[i].Name == "System" {
			script.Sets[i].Counters = append(script.Sets[i].Counters, fake.Counter{Name: "State", Type: cooker.CounterText})
		}
	}
	onChart(t, one(script), func(r *rig) {
		h := r.Desk.Hosts[0]
		r.chart.Show([]pane.Target{r.Value(h, "System", "", "State")}, false)
		r.Draw()
		r.shows("is a text")
		r.add(h, `\System\State`)
		r.pass(2 * time.Second)
		r.shows("is a text")
		r.chart.Show([]pane.Target{r.Value(h, "System", "", "State"), r.Value(h, "System", "", "Threads")}, false)
		if n := len(r.chart.series); n != 1 {
			t.Errorf("%d series", n)
		}
	})
}

// A host with a new catalogue, as after a restart, has the same counters under
// other pointers: they are found again.
func TestCatalogueIsRenewed(t *testing.T) {
	onChart(t, one(clockScript("a")), func(r *rig) {
		h := r.Desk.Hosts[0]
		r.add(h, `\System\Threads`)
		r.pass(2 * time.Second)
		old := r.chart.series[0].target
		fresh := &session.Catalogue{Sets: []*session.Counterset{
			{Name: "System", Counters: []session.Counter{{Name: "Other"}, {Name: "Threads", Type: cooker.CounterRawCount}}},
		}}
		h.Sampler = renewed{h.Sampler, fresh}
		r.chart.Snapshot(h)
		s := r.chart.series[0]
		if s.target.Set != fresh.Sets[0] || s.target.Counter != 1 || s.target.Key != old.Key {
			t.Errorf("target is %+v", s.target)
		}
		if !r.chart.AskStale() {
			t.Error("the host is not asked for it")
		}
		r.Draw()
	})
}

type renewed struct {
	pane.Sampler
	cat *session.Catalogue
}

func (r renewed) Catalogue() *session.Catalogue { return r.cat }
