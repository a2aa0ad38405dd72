package deck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// Lines follow the instances that they mean: those that ended are shown for a while,
// new ones come, and a wildcard has no line that a path before it has.
func TestLinesFollowInstances(t *testing.T) {
	script := computer("one", 4, 3*time.Second)
	script.Sets[0].Rows = slices.Insert(script.Sets[0].Rows, 2, fake.Row{Name: "late", Alive: fake.Window{From: 5 * time.Second}})
	script.Sets[0].Rows = append(script.Sets[0].Rows, fake.Row{Name: "nobody", Flags: session.FlagIdle})
	onDeck(t, 120, 40, []fake.Script{script}, func(r *rig) {
		d := r.book.Own(r.Desk.Hosts[0])
		first := `\Process(worker-2)\Thread Count`
		d.Load([]session.DeckPane{{Paths: []string{first, `\Process(nobody)\Thread Count`, `\Process(work*)\Thread Count`, threads}}})
		has := func(want ...string) {
			t.Helper()
			d.sync()
			b := d.panes[0]
			var got []string
			for i := range b.lines {
				l := &b.lines[i]
				view, text := b.made.Set(b.set), l.key.Name
				switch {
				case l.row < 0:
					text = "none"
				case view.Rows[l.row].Key != l.key:
					t.Errorf("%v is in the row of %v", l.key, view.Rows[l.row].Key)
				case l.value(view).Status() == cooker.Gone:
					text += " gone"
				}
				got = append(got, text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
		r.pass(2)
		has("worker-2", "nobody", "worker-0", "worker-1", "worker-3", "none")
		r.pass(2)
		has("worker-2 gone", "nobody", "worker-0", "worker-1 gone", "worker-3 gone", "none")
		r.pass(2)
		has("worker-2 gone", "nobody", "worker-0", "worker-1 gone", "worker-3 gone", "late")
		d.drop(first, d.panes)
		has("nobody", "worker-0", "worker-1 gone", "worker-2 gone", "worker-3 gone", "late")
		r.pass(60)
		has("nobody", "worker-0", "late")
	})
}

// What the host never let anybody read says why in its row.
func TestLineTellsWhyItHasNoInstance(t *testing.T) {
	script := computer("one", 4, 0)
	script.Faults = []fake.Fault{
		{Set: "System", Err: fmt.Errorf("reading it: %w", session.ErrDenied)}, {Set: "Process", Err: errors.New("no answer")},
	}
	onDeck(t, 120, 40, []fake.Script{script}, func(r *rig) {
		d := r.book.Own(r.Desk.Hosts[0])
		d.Load([]session.DeckPane{{Paths: []string{`\System\Threads`}}, {Paths: []string{threads}}})
		for i, want := range []cooker.Status{cooker.Denied, cooker.Unavailable} {
			r.pass(2)
			d.sync()
			if b := d.panes[i]; len(b.lines) != 1 || b.lines[0].value(b.made.Set(b.set)).Status() != want {
				t.Errorf("%s: %+v, want %v", b.set.Name, b.lines, want)
			}
		}
		r.Draw()
		if row := r.Row("Threads"); !strings.Contains(row, "denied") {
			t.Error(row)
		}
	})
}

// The graph of an instance that is not there is an empty one, not a hole in the screen.
func TestGraphWithoutInstance(t *testing.T) {
	onDeck(t, 80, 24, []fake.Script{computer("one", 4, 0)}, func(r *rig) {
		d := r.book.Own(r.Desk.Hosts[0])
		d.Load([]session.DeckPane{{Paths: []string{`\Process(nobody)\Thread Count`}}})
		r.pass(3)
		r.Draw()
		if text := r.Text(); d.laid.places[0].Graph < 5 || strings.Count(text, "·") < 8 {
			t.Errorf("%+v:\n%s", d.laid.places, text)
		}
	})
}

// The lines of a pane, all instances or some by name, where one comes and goes.
func BenchmarkLines(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		b.Run(fmt.Sprint("all/", n), func(b *testing.B) { benchLines(b, n, `\Thread(*)\Value`) })
		b.Run(fmt.Sprint("named/", n), func(b *testing.B) {
			benchLines(b, n, `\Thread(thread 1)\Value`, `\Thread(thread 2)\Value`, `\Thread(thread 3#1)\Value`, `\Thread(thread 9#7)\Value`)
		})
	}
}

func benchLines(b *testing.B, n int, list ...string) {
	set := &session.Counterset{Name: "Thread", Instances: session.MultipleInstances, Counters: []session.Counter{{Name: "Value"}}}
	cat := &session.Catalogue{Sets: []*session.Counterset{set}}
	var snaps [2]*session.Snapshot
	for i := range snaps {
		view := &session.SetView{Set: set, Counters: []int{0}}
		for id := range n {
			if i == 0 || id != n/2 {
				key := session.InstanceKey{Name: fmt.Sprint("thread ", id%100), ID: uint64(id + 1)}
				view.Rows = append(view.Rows, session.Row{Instance: session.Instance{Key: key, Index: uint32(id / 100)}})
			}
		}
		snaps[i] = &session.Snapshot{Sets: []*session.SetView{view}}
	}
	pane := &block{}
	for _, text := range list {
		items, err := new(Deck).resolve(cat, text, false)
		if err != nil {
			b.Fatal(err)
		}
		pane.add(text, items)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		pane.refresh(snaps[i/4%2]) // three of four as before
	}
}

// Texts have the room to the end of the row; the graph above is that of a number, and
// one that is zoomed is shown with all its lines, also that of the past.
func TestTexts(t *testing.T) {
	long := "waits for " + strings.Repeat("the other node and ", 12) + "the \x1b[2Joperator"
	says := func(_ *session.Instance, at time.Duration) string {
		if at < 5*time.Second {
			return "starts now, be patient"
		}
		return long
	}
	script := fake.Script{Name: "one", Sets: []fake.Set{{Name: "Service", Counters: []fake.Counter{
		{Name: "State", Type: cooker.CounterText, Text: says}, {Name: "Load", Type: cooker.CounterRawCount, Is: fake.Const(7)},
	}}}}
	onDeck(t, 100, 30, []fake.Script{script}, func(r *rig) {
		host := r.Desk.Hosts[0]
		r.book.Own(host).Load([]session.DeckPane{{Paths: []string{`\Service\State`, `\Service\Load`}}})
		r.pass(3)
		r.Draw()
		r.Shows("starts now, be patient")
		r.pass(6)
		r.Draw()
		r.Shows("waits for the other", "…")
		d := r.book.Own(host)
		if p := d.panes[0]; p.graphed() != 1 {
			t.Errorf("the graph is that of line %d", p.graphed())
		}
		r.Press("z")
		r.pass(1)
		r.Draw()
		r.Shows("the ?[2Joperator")
		r.Desk.At = r.Clock.Now().Wall.Add(-7 * time.Second)
		r.pass(1)
		r.Draw()
		r.Shows("starts now, be patient")
		r.Hides("operator")
	})
}

// below is a source whose values come cooked, and fall from 3 on.
type below struct{ session.Source }

func (b below) Open(ctx context.Context) (session.Query, error) {
	q, err := b.Source.Open(ctx)
	return &falling{q, 3}, err
}

type falling struct {
	session.Query

	next float64
}

func (q *falling) Collect(ctx context.Context, b *session.Batch) error {
	err := q.Query.Collect(ctx, b)
	for i := range b.Sets {
		for k := range b.Sets[i].Readings {
			b.Sets[i].Readings[k] = cooker.CookedReading(q.next)
			q.next--
		}
	}
	return err
}

// What goes below zero has a curve there, too, where a pane is zoomed.
func TestBelowZero(t *testing.T) {
	script := fake.Script{Name: "one", Sets: []fake.Set{{Name: "Cellar", Counters: []fake.Counter{{Name: "Warmth", Type: cooker.CounterRawCount}}}}}
	onDeck(t, 100, 30, nil, func(r *rig) {
		host, _ := r.Watch(fake.Host{Name: "one", Source: below{fake.New(script, r.Clock)}}, 2*time.Minute)
		r.book.HostsChanged()
		r.Clock.Advance(0)
		r.book.Load(host, []string{`\Cellar\Warmth`})
		r.pass(14)
		r.Press("z")
		r.pass(1)
		r.Draw()
		lines := strings.Split(r.Text(), "\n")
		low := lines[len(lines)/2:]
		if !slices.ContainsFunc(low, func(l string) bool {
			return strings.ContainsFunc(l, func(c rune) bool { return c > 0x2800 && c <= 0x28ff })
		}) || !strings.Contains(r.Text(), "-15") {
			t.Errorf("no curve below zero:\n%s", r.Text())
		}
	})
}

// Of how many rows a pane is laid out is no matter of a filter that it began with, or of what left it.
func TestRowsOfAPane(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 6, 0)}, func(r *rig) {
		d := r.book.Own(r.Desk.Hosts[0])
		d.words = []string{"worker-2"}
		d.Load([]session.DeckPane{{Paths: []string{threads, `\Process(*)\% Processor Time`}, Kind: "rows"}})
		r.pass(3)
		d.sync()
		d.words = nil
		r.pass(1)
		d.sync()
		if got, want := d.part(0).Rows, len(d.panes[0].lines); got != want || want < 12 {
			t.Errorf("laid out for %d rows, there are %d", got, want)
		}
		d.drop(threads, d.panes)
		r.pass(1)
		d.sync()
		if got, want := d.part(0).Rows, len(d.panes[0].lines); got != want {
			t.Errorf("laid out for %d rows, there are %d", got, want)
		}
	})
}

// A row that shows what is used tells minimum, average and maximum of what is used,
// beside other hosts too, where units are compared first.
func TestStatisticsOfUsed(t *testing.T) {
	for _, w := range []int{120, 160, 250} {
		one, two := quiet("one"), quiet("two")
		one.available, two.available = fake.Ramp(2, 0.01), fake.Ramp(3, 0.02)
		onDeck(t, w, 50, []fake.Script{one.script(), two.script()}, func(r *rig) {
			r.pass(5)
			if r.Press("v"); r.book.abreast() == nil {
				t.Fatalf("no panes by host:\n%s", r.Text())
			}
			r.pass(20)
			for _, d := range r.book.abreast().decks {
				seen := 0
				for _, b := range d.panes {
					view := b.made.Set(b.set)
					for i := range b.lines {
						ln := &b.lines[i]
						if ln.item.drawn.Used == "" || b.set.Name != "Memory" {
							continue
						}
						seen++
						end := d.desk.End(b.made)
						var row pane.Recent
						d.fillRecent(&row, b, ln, &moment{end: end})
						left := view.Series(ln.row, ln.col).Window(end, row.Window.Count)
						limit := one.memory * giga
						for _, is := range [...][2]float64{{number(row.Window.Min), limit - number(left.Max)}, {number(row.Window.Max), limit - number(left.Min)}} {
							if math.Abs(is[0]-is[1]) > 1e-6*limit {
								t.Errorf("width %d: %s of %s has %+v of a limit of %g, where %+v is left", w, ln.name, d.host.Name, row.Window, limit, left)
							}
						}
						now := number(row.Value)
						if now < number(row.Window.Min)*0.9999 || now > number(row.Window.Max)*1.0001 {
							t.Errorf("width %d: %s of %s is %g, outside of %+v", w, ln.name, d.host.Name, now, row.Window)
						}
					}
				}
				if seen == 0 {
					t.Errorf("width %d: nothing of %s is drawn as used:\n%s", w, d.host.Name, r.Text())
				}
			}
		})
	}
}

// Beside a wide graph rates and shares have a peak and a mean, and what stands has none.
func TestPeaksAreOfWhatFlows(t *testing.T) {
	ramp := fake.Walk(10, 90, 3*time.Second)
	script := fake.Script{Name: "one", Sets: []fake.Set{{
		Name: "Processor Information", Instances: session.MultipleInstances, Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: ramp},
		}, Rows: []fake.Row{{Name: "0,0"}, {Name: "_Total", Flags: session.FlagTotal}},
	}, {
		Name: "System", Counters: []fake.Counter{
			{Name: "Context Switches/sec", Type: cooker.CounterCounter, Is: ramp},
			{Name: "Processes", Type: cooker.CounterRawCount, Is: ramp},
			{Name: "Processor Queue Length", Type: cooker.CounterRawCount, Is: ramp},
		},
	}}}
	onDeck(t, 200, 60, []fake.Script{script}, func(r *rig) {
		d := r.book.Own(r.Desk.Hosts[0])
		d.Load([]session.DeckPane{{
			Paths: []string{`\Processor Information(_Total)\% Processor Time`},
			Also:  []string{`\System\Context Switches/sec`, `\System\Processes`, `\System\Processor Queue Length`},
		}})
		r.pass(8)
		text := r.Text()
		for name, want := range map[string]int{"Ctx Sw/sec": 3, "Processes": 1, "Queue Len": 1} {
			_, row, found := strings.Cut(text, name)
			row, _, _ = strings.Cut(row, "\n")
			numbers := 0
			for _, f := range strings.Fields(row) {
				if _, err := strconv.ParseFloat(f, 64); err == nil {
					numbers++
				}
			}
			if !found || numbers != want {
				t.Errorf("%s has %d numbers, want %d:\n%s", name, numbers, want, text)
			}
		}
	})
}

func number(v cooker.Value) float64 {
	f, _ := v.Float()
	return f
}
