package deck

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// matrixSizes are those of screens; a line above the deck and one below it are of the frame.
var matrixSizes = [][2]int{{40, 12}, {60, 15}, {80, 24}, {100, 20}, {120, 36}, {160, 48}, {200, 60}, {250, 70}}

// some are every third of them in short runs, which the race detector makes long.
func some[T any](all []T) (out []T) {
	if !testing.Short() {
		return all
	}
	for i := 0; i < len(all); i += 3 {
		out = append(out, all[i])
	}
	return out
}

// ownPaths are a deck of five counters, one of them with instances.
var ownPaths = []string{
	`\Processor Information(_Total)\% Processor Time`, `\Memory\Available Bytes`, `\PhysicalDisk(_Total)\Disk Read Bytes/sec`,
	`\System\Processor Queue Length`, `\Process(*)\% Processor Time`,
}

// matrixDecks are what hosts beside others show: their default, or what the user named.
var matrixDecks = map[string][]string{"default": nil, "own": ownPaths, "lists": {
	`\Processor Information(*)\% Processor Time`, `\Memory\Available Bytes`, `\PhysicalDisk(_Total)\*`, `\Network Interface(*)\Bytes Received/sec`, `\Process(*)\% Processor Time`,
}}

// among are n hosts, Linux and Windows by turns, all of which show a list.
func (r *rig) among(n int, list []string, change func(i int, m *machine), faults func(i int) []fake.Fault, rules ...string) {
	var o alert.Options
	for _, rule := range rules {
		o.Rules = append(o.Rules, ruleOf(r.TB.(*testing.T), rule))
		o.Rules[len(o.Rules)-1].Interval = time.Second
	}
	o.Clock = r.Clock
	watch := alert.NewWatch(o)
	r.Desk.Alerts = watch
	for i := range n {
		m := quiet(fmt.Sprint("host", i))
		m.isLinux = i%2 == 1
		if change != nil {
			change(i, &m)
		}
		s := m.script()
		if faults != nil {
			s.Faults = faults(i)
		}
		h := r.host(s)
		watch.Add(h.Name, h.Sampler.(*session.Sampler))
	}
	r.Go(watch.Run)
	r.book = NewBook(r.Desk)
	r.Show(r.book)
	r.Clock.Advance(0)
	r.known(list)
}

// known fills the decks of hosts that tell what they have, once, as the root does.
func (r *rig) known(list []string) {
	for i, h := range r.Desk.Hosts {
		if d := r.book.all.decks[i]; h.Sampler.Catalogue() != nil && !d.loaded && d.late == nil {
			r.book.Load(h, list)
		}
	}
}

// onMatrix runs a test on the matrix of n hosts.
func onMatrix(t *testing.T, test func(t *testing.T, r *rig, n int, list []string)) {
	t.Helper()
	for name, list := range matrixDecks {
		for _, n := range []int{2, 4, 13} {
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { test(t, newRig(t, 120, 34, nil, synctest.Wait), n, list) })
			})
		}
	}
}

// canvasPart is what of a cell of hosts a line of the canvas belongs to: Kind is that of a row, of a graph,
// of a head, or of nothing.
type canvasPart struct {
	pane.Hit

	y, x, w int
}

// parts are those of all lines of the canvas, as clicks find them.
func (r *rig) parts() (out []canvasPart) {
	w, h := r.Canvas.Size()
	for y := range h {
		for x := range w {
			hit, ok := r.HitAt(x, y)
			switch {
			case !ok:
				hit = pane.Hit{A: -1}
			case hit.Kind == hitSign || hit.Kind == hitSpan || hit.Kind == hitScale:
				hit.Kind, hit.B = hitTitle, 0
				if n := len(out); n > 0 && out[n-1].y == y && out[n-1].A == hit.A {
					hit = out[n-1].Hit // in a head, a row or a graph
				}
			}
			last := len(out) - 1
			if last >= 0 && out[last].y == y && out[last].A == hit.A && (out[last].Hit == hit || hit.Kind == hitGap) {
				out[last].w++ // a blank stands behind a row or a graph
				continue
			}
			if last >= 0 && out[last].y == y && out[last].A == hit.A && out[last].Kind == hitGap {
				out[last].Hit = hit
				out[last].w++
				continue
			}
			out = append(out, canvasPart{hit, y, x, 1})
		}
	}
	return out
}

// Where the deck of several hosts leaves out facts or instances most of it is in use, also where half of
// the hosts do not answer.
func TestMatrixIsUsed(t *testing.T) {
	const processes = 80
	busy := func(_ int, m *machine) {
		m.processes = nil
		for i := range processes {
			m.processes = append(m.processes, fake.Row{Name: fmt.Sprint("worker", i), Number: uint64(100 + i), Is: map[string]fake.Motion{"% Processor Time": fake.Const(float64(i))}})
		}
	}
	onMatrix(t, func(t *testing.T, r *rig, n int, list []string) {
		r.among(n, list, busy, nil)
		r.checkUsed(t, processes)
	})
	onMatrix(t, func(t *testing.T, r *rig, n int, list []string) {
		r.among(n, list, busy, func(i int) []fake.Fault {
			if i < n/2 {
				return nil
			}
			return []fake.Fault{{Window: fake.Window{To: time.Hour}, Err: errors.New("dial tcp: connection refused")}}
		})
		r.checkUsed(t, processes)
	})
}

// No line of a column is blank while values of its first pane are not shown: neither where bands are of unlike
// heights, nor of a host that draws no graph where others do.
func TestMatrixLeavesNoLineBlank(t *testing.T) {
	const processes = 80
	values := func(set, counter string, n int) (out fake.Set) {
		out.Name = set
		for i := range n {
			out.Counters = append(out.Counters, gaugeOf(fmt.Sprint(counter, i), fake.Const(1)))
		}
		return out
	}
	lists := map[string][]string{"texts": {`\Memory\Available Bytes`, `\Many\*`, `\Process(*)\% Processor Time`}}
	for name, list := range matrixDecks {
		lists[name] = list
	}
	for name, list := range lists {
		for _, n := range []int{2, 3, 4} {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, 120, 34, nil, synctest.Wait)
				for i := range n {
					m := quiet(fmt.Sprint("host", i))
					m.processes = nil
					for k := range processes {
						m.processes = append(m.processes, fake.Row{Name: fmt.Sprint("worker", k), Number: uint64(100 + k), Is: map[string]fake.Motion{"% Processor Time": fake.Const(float64(k))}})
					}
					s := m.script()
					if i == 1 {
						s.Sets = s.Sets[:len(s.Sets)-1] // nothing tells how much memory it has
					}
					s.Sets = append(s.Sets, values("Many", "Number ", 30))
					if i == 1 {
						last := &s.Sets[len(s.Sets)-1]
						for k := range last.Counters {
							last.Counters[k].Type, last.Counters[k].Text = cooker.CounterText, func(*session.Instance, time.Duration) string { return "a text" }
						}
					}
					r.comes(s, list...)
				}
				r.pass(4)
				for w := 40; w <= 300; w += 20 {
					for _, h := range []int{10, 22, 31, 45, 58, 69, 97} {
						r.Resize(w, h)
						r.pass(1)
						r.checkLines(t, name, processes)
					}
				}
			})
		}
	}
}

// checkLines tells of blank lines in columns of which values are not shown.
func (r *rig) checkLines(t *testing.T, name string, processes int) {
	t.Helper()
	a, y := r.book.all, 0
	m := &a.matrix
	for k, i := range m.shown {
		h := (m.body.H + len(m.shown) - 1 - k) / len(m.shown)
		for _, column := range m.columns {
			b, at := a.decks[i].panes[column[0]], m.places[column[0]]
			last := m.places[column[len(column)-1]]
			end := last.Y + last.H
			if end == m.body.H/len(m.shown) {
				end = h
			}
			all := 0
			for n := range b.lines {
				if !b.lines[n].item.also {
					all++
				}
			}
			if b.spec.Busiest > 0 {
				all = processes
			}
			for line := y + at.Y; all > b.picture.of.list.rows && line < y+end; line++ {
				if hit, ok := r.HitAt(at.X+1, line); !ok || hit.Kind == hitGap {
					w, h := r.Canvas.Size()
					t.Fatalf("%s, %dx%d: line %d of column %v of %s is blank, %d of %d values are shown:\n%s", name, w, h, line, column, a.decks[i].host.Name, b.picture.of.list.rows, all, r.Text())
				}
			}
		}
		y += h
	}
}

// checkUsed tells at which sizes more than may be is unused by hosts that have so many processes.
func (r *rig) checkUsed(t *testing.T, processes int) {
	r.pass(4)
	for _, size := range some(matrixSizes) {
		w, h := size[0], size[1]-2
		r.Resize(w, h)
		r.pass(1)
		unused, graphs, shown := 0, map[int]int{}, map[pane.Hit]bool{}
		for _, p := range r.parts() {
			switch p.Kind {
			case 0, hitGap:
				unused += p.w
			case hitGraph:
				const most = 18
				if graphs[p.A]++; graphs[p.A] > most {
					unused += p.w
				}
			case hitRow:
				shown[p.Hit] = true
			}
		}
		all := 0
		for _, i := range r.book.all.matrix.shown {
			for _, b := range r.book.all.decks[i].panes {
				if all += len(b.lines); b.spec.Busiest > 0 {
					all += processes - len(b.lines)
				}
			}
		}
		if share := 100 * unused / (w * h); len(shown) < all && share > 30 {
			t.Errorf("%v: %d %% are unused, %d of %d rows are shown:\n%s", size, share, len(shown), all, r.Text())
		}
	}
}

// places says where the cells of hosts, their graphs and their rows stand, and what these are called;
// of instances, which come and go, only where their cells are.
func (r *rig) places() string {
	var out strings.Builder
	a := r.book.all
	rows := r.Canvas.Rows()
	for _, p := range r.parts() {
		kind, name := p.Kind, ""
		if i, pane := a.cellOf(p.A); p.A >= 0 && i < len(a.decks) && a.decks[i].pane(pane) != nil && (kind == hitRow || kind == hitGap) {
			b := a.decks[i].panes[pane]
			if b.hasInstances() || b.items[0].sel.Wild {
				kind = hitGap
			} else if kind == hitRow {
				line := []rune(rows[p.y])
				name = string(line[p.x+4 : min(len(line), p.x+8)]) // its end gives way to a long number
			}
		}
		fmt.Fprintf(&out, "%d+%d,%d: %d of %d %q\n", p.x, p.w, p.y, kind, p.A, name)
	}
	return out.String()
}

// wild is a value that goes from one end to the other, for some seconds each.
func wild(values ...float64) fake.Motion {
	return func(at time.Duration, n uint64) float64 { return values[int(at/(2*time.Second))%len(values)] }
}

// Whatever the values are, whoever comes, goes or falls silent, and what alerts fire: cells, columns
// and bands stay where they are.
func TestMatrixStands(t *testing.T) {
	onMatrix(t, func(t *testing.T, r *rig, n int, list []string) {
		r.among(n, list, func(i int, m *machine) {
			m.cpu, m.queue, m.available = wild(0, 100, 3), wild(1, 1e6, 1e12), wild(6, 0.1, 7.9)
			m.read, m.write, m.packets = wild(0, 1e6, 1e-6), wild(0, 1e-6, 1e6), wild(1, 1e12, 1e3)
			m.received, m.sent, m.transfer, m.waiting = wild(1, 1e6, 0), wild(0, 1e3), wild(0, 30, 0.001), wild(0, 1e12)
			m.processes = m.processes[:1]
			for k := range 40 {
				m.processes = append(m.processes, fake.Row{Name: fmt.Sprint("worker", k), Number: uint64(100 + k), Is: map[string]fake.Motion{"% Processor Time": wild(0, 400, 7)},
					Alive: fake.Window{From: time.Duration(k%5) * 4 * time.Second, To: time.Duration(6+k%7*4) * time.Second, Every: 40 * time.Second}})
			}
		}, func(i int) []fake.Fault {
			if i != 1 {
				return nil
			}
			return []fake.Fault{
				{Window: fake.Window{From: 14 * time.Second, To: 24 * time.Second}, Err: errors.New("read: connection reset by peer")},
				{Window: fake.Window{From: 28 * time.Second, To: 31 * time.Second}, Set: "PhysicalDisk", Err: errors.New("the provider is gone")},
			}
		}, `\Processor Information(_Total)\% Processor Time>85`) // the row of which is in sight anyway
		r.pass(4)
		before, fired, stale := map[[2]int]string{}, false, false
		for range 18 {
			r.pass(2)
			fired = fired || len(r.Desk.Alerts.Board().Active) > 0
			phase := r.Desk.Hosts[1].Sampler.State().Phase
			stale = stale || phase == session.Stale || phase == session.Retrying
			for _, size := range some(matrixSizes) {
				r.Resize(size[0], size[1]-2)
				r.Draw()
				now := r.places()
				if was, ok := before[size]; ok && was != now {
					t.Fatalf("%v: places changed:\n%s\n%s", size, differ(was, now), r.Text())
				}
				before[size] = now
			}
		}
		if !fired || !stale {
			t.Errorf("an alert fires %v, a host is stale %v", fired, stale)
		}
	})
}

// differ are the lines that two texts do not have in common.
func differ(was, now string) string {
	a, b := strings.Split(was, "\n"), strings.Split(now, "\n")
	only := func(sign string, list, other []string) (out []string) {
		for _, line := range list {
			if !slices.Contains(other, line) {
				out = append(out, sign+line)
			}
		}
		return out
	}
	return strings.Join(append(only("-", a, b), only("+", b, a)...), "\n")
}

// The first answer of a host that was missing lays out anew, once, whatever size the screen has.
func TestFirstAnswerLaysOutOnce(t *testing.T) {
	onMatrix(t, func(t *testing.T, r *rig, n int, list []string) {
		r.among(n, list, nil, func(i int) []fake.Fault {
			if i != 1 {
				return nil
			}
			return []fake.Fault{{Window: fake.Window{To: 5 * time.Second}, Err: errors.New("dial tcp: connection refused")}}
		})
		r.pass(4)
		before, times := map[[2]int]string{}, map[[2]int]int{}
		for range 24 {
			r.pass(1)
			r.known(list)
			for _, size := range some(matrixSizes) {
				r.Resize(size[0], size[1]-2)
				r.Draw()
				now := r.places()
				if was, ok := before[size]; ok && was != now {
					if times[size]++; times[size] > 1 {
						t.Fatalf("%v: laid out again:\n%s\n%s", size, differ(was, now), r.Text())
					}
				}
				before[size] = now
			}
		}
		for _, size := range some(matrixSizes) {
			if times[size] != 1 {
				t.Errorf("%v: laid out anew %d times", size, times[size])
			}
		}
	})
}

// A value in alert is in sight at every size, where it has no row otherwise too.
func TestMatrixShowsAlarms(t *testing.T) {
	for path, name := range map[string]string{`\Memory\Pages/sec`: "Pages", `\PhysicalDisk(_Total)\Avg. Disk sec/Transfer`: "sec/Xfer", `\System\Processor Queue Length`: "Queue Len"} {
		for _, hosts := range []int{2, 4, 13} {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, 120, 34, nil, synctest.Wait)
				r.among(hosts, nil, nil, nil, path+">0.0001")
				r.pass(8)
				for _, size := range some(matrixSizes) {
					r.Resize(size[0], size[1]-2)
					for range 2 { // the selected row is left where it is
						r.Press("tab")
						r.Draw()
					}
					rows := r.Canvas.Rows()
					for k, i := range r.book.all.inView {
						host := fmt.Sprint("host", i)
						from := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, " "+host+" ") })
						to := len(rows)
						if k+1 < len(r.book.all.inView) {
							to = slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, fmt.Sprint(" host", i+1, " ")) })
						}
						if band := strings.Join(rows[from:to], "\n"); !strings.Contains(band, name) && i != r.book.all.focus {
							t.Errorf("%s of %s at %v:\n%s", name, host, size, r.Text())
						}
					}
				}
			})
		}
	}
}

// The values that are told beside other hosts only grow with the width and with the height.
func TestMatrixFactsGrow(t *testing.T) {
	onMatrix(t, func(t *testing.T, r *rig, n int, list []string) {
		r.among(n, list, nil, nil)
		r.pass(4)
		above := map[int]map[string]bool{} // by width
		for _, h := range some([]int{10, 13, 14, 18, 22, 26, 34, 46, 58, 68, 98}) {
			var before map[string]bool
			for _, w := range []int{40, 52, 56, 60, 76, 80, 104, 108, 132, 136, 160, 164, 200, 250, 300} {
				r.Resize(w, h)
				r.Draw()
				now := map[string]bool{}
				for _, p := range r.parts() {
					if i, pane := r.book.all.cellOf(p.A); p.Kind == hitRow {
						b := r.book.all.decks[i].panes[pane]
						name := b.lines[p.B].item.name() // of instances the number is none
						now[b.set.Name+" "+name] = true
					}
				}
				for _, was := range []map[string]bool{before, above[w]} {
					for fact := range was {
						if !now[fact] {
							t.Fatalf("%dx%d: no %s:\n%s", w, h, fact, r.Text())
						}
					}
				}
				before, above[w] = now, now
			}
		}
	})
}

// The busiest processes stand in the order of their numbers as they are told, with all their digits.
func TestProcessesStandInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 160, 46, nil, synctest.Wait)
		r.among(2, nil, func(_ int, m *machine) {
			m.processes = nil
			for i, name := range []string{"first", "second", "third"} {
				m.processes = append(m.processes, fake.Row{Name: name, Number: uint64(100 + i), Is: map[string]fake.Motion{"% Processor Time": fake.Const(0.57 + 0.02*float64(i))}})
			}
		}, nil)
		r.pass(4)
		text, at := r.Text(), -1
		for _, name := range []string{"third", "second", "first"} {
			next := strings.Index(text, name)
			if next <= at {
				t.Fatalf("%s is not behind the one that is busier:\n%s", name, text)
			}
			at = next
		}
	})
}
