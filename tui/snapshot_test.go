package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

// workers is a script of processes whose values the test sets.
func workers(faults []fake.Fault, rows ...fake.Row) fake.Script {
	return fake.Script{Faults: faults, Sets: []fake.Set{{
		Name: "Process", Instances: session.MultipleInstances, Facts: []string{"user", "command line"},
		Counters: []fake.Counter{
			{Name: "% Processor Time", Type: cooker.Timer100ns, Is: fake.Const(1)},
			{Name: "Thread Count", Type: cooker.CounterRawCount, Is: fake.Const(7)},
		},
		Rows: rows,
	}, {
		Name:     "Memory",
		Counters: []fake.Counter{{Name: "Available MBytes", Type: cooker.CounterRawCount, Is: fake.Const(9418)}},
	}}}
}

// at gives a value from a time on.
func at(t time.Duration, before, after float64) map[string]fake.Motion {
	return map[string]fake.Motion{"% Processor Time": func(now time.Duration, _ uint64) float64 {
		if now < t {
			return before
		}
		return after
	}}
}

func during(from, to time.Duration) fake.Window { return fake.Window{From: from, To: to} }

const busiestPath = `\Process(*)\% Processor Time`

// A row that ended says so and leaves with the next sorting; in the table on its own
// screen one that somebody chose is shown for 10 s.
func TestGoneRows(t *testing.T) {
	script := script(workers(nil, fake.Row{Name: "steady", Number: 1}, fake.Row{Name: "short", Number: 2, Alive: during(0, 10*time.Second)}))
	for _, c := range []struct {
		keys        []string
		least, most int // samples in which it is shown as gone
	}{{nil, 1, 2}, {[]string{"3"}, 1, 2}, {[]string{"3", "j"}, 9, 11}} {
		onScreens(t, rigOptions{hosts: script, paths: []string{busiestPath}}, func(r *rig) {
			r.begin(8)
			r.press(c.keys...)
			if r.hides("gone"); len(c.keys) > 1 && !strings.Contains(r.selected(), "short") {
				r.press("k")
			}
			shown := 0
			for range 16 {
				r.pass(time.Second)
				if strings.Contains(r.text(), "gone") {
					shown++
				}
			}
			if shown < c.least || shown > c.most {
				r.Errorf("%v: shown as gone in %d samples", c.keys, shown)
			}
			r.hides("gone")
			r.shows("steady")
		})
	}
}

// An instance that is asked for before it is there starts when it appears, and
// stays selected.
func TestPendingInstance(t *testing.T) {
	script := script(workers(nil, fake.Row{Name: "first", Number: 1}, fake.Row{Name: "late", Number: 2, Alive: during(6*time.Second, 0)}))
	onScreens(t, rigOptions{hosts: script, paths: []string{`\Process(first)\Thread Count`, `\Process(late)\Thread Count`}}, func(r *rig) {
		r.begin(3)
		r.press("G")
		if row := r.selected(); !strings.Contains(row, "late") || !strings.Contains(row, "pending") {
			r.Errorf("before it is there: %q", row)
		}
		r.pass(5 * time.Second)
		if row := r.selected(); !strings.Contains(row, "late") || !strings.Contains(row, " 7 ") {
			r.Errorf("when it is there: %q", row)
		}
	})
}

// What has no value says why where the value would be, and nothing else does.
func TestWords(t *testing.T) {
	row := fake.Row{Name: "p", Number: 1}
	for state, word := range map[cooker.Status]string{cooker.Denied: "denied", cooker.Unavailable: "none"} {
		script := script(workers([]fake.Fault{{Set: "Process", Counter: "Thread Count", State: state}}, row))
		onScreens(t, rigOptions{hosts: script, paths: []string{`\Process(p)\*`}}, func(r *rig) {
			r.begin(4)
			if row := r.row("Threads"); !strings.Contains(row, word) {
				r.Errorf("%v: %q", state, row)
			}
			if row := r.row("Proc Time"); strings.Contains(row, word) {
				r.Errorf("%v: %q", state, row)
			}
			r.press("3")
			r.pass(time.Second)
			if row := r.row(" p "); !strings.Contains(row, word) {
				r.Errorf("in the table %v: %q", state, row)
			}
		})
	}
}

// A set that cannot be read keeps its last values and tells why in its title;
// the other sets go on.
func TestSetError(t *testing.T) {
	fault := fake.Fault{Window: during(5*time.Second, 20*time.Second), Set: "Process", Err: errors.New("no \x1b[31mmemory")}
	script := script(workers([]fake.Fault{fault}, fake.Row{Name: "p", Number: 1}))
	onScreens(t, rigOptions{hosts: script, paths: []string{`\Process(p)\Thread Count`, `\Memory\Available MBytes`}}, func(r *rig) {
		r.begin(8)
		if row := r.row("Process"); !strings.Contains(row, "memory") {
			r.Errorf("the title says %q", row)
		}
		if row := r.row("Thread Count"); !strings.Contains(row, "7") {
			r.Errorf("the last value is not shown: %q", row)
		}
		r.shows("9418")
		r.pass(15 * time.Second)
		r.hides("memory")
	})
}

// A host that fails says so on every pane and in the header, for how long, and
// goes on by itself.
func TestHostFails(t *testing.T) {
	fault := fake.Fault{Window: during(5*time.Second, 20*time.Second), Err: errors.New("cable")}
	script := script(workers([]fake.Fault{fault}, fake.Row{Name: "p", Number: 1}))
	onScreens(t, rigOptions{hosts: script, paths: []string{`\Process(p)\Thread Count`, `\Memory\Available MBytes`}}, func(r *rig) {
		r.begin(10)
		if !strings.Contains(r.rows()[0], "retrying") {
			r.Errorf("the header says %q", r.rows()[0])
		}
		for _, set := range []string{"Process", "Memory"} {
			if row := r.row(set); !strings.Contains(row, "retrying") {
				r.Errorf("the title says %q", row)
			}
		}
		r.pass(60 * time.Second)
		r.hides("retrying")
		r.shows("9418")
	})
}

// The columns of numbers keep their place: the point of a row's value stands
// in one column, whatever the value.
func TestNumbersDoNotJump(t *testing.T) {
	for _, size := range [][2]int{{160, 40}, {80, 24}, {40, 12}} {
		onScreens(t, rigOptions{w: size[0], h: size[1]}, func(r *rig) {
			r.begin(2)
			points := map[string]int{}
			for range 50 {
				r.pass(time.Second)
				for _, row := range r.rows() {
					for _, name := range []string{"Proc Time ", "User Time ", "Processor Time ", "Pages/sec ", "% Committed", "Memory Used"} {
						i := strings.Index(row, name)
						if i < 0 || strings.Contains(row, "last") || strings.Contains(row, "since") {
							continue
						}
						cells := []rune(row[i+len(name):])
						point := slices.Index(cells, '.')
						if point < 0 {
							r.Fatalf("no number: %q", row)
						}
						point += utf8.RuneCountInString(row[:i+len(name)])
						if was, ok := points[name]; ok && was != point {
							r.Fatalf("%v: the point of %s moved from %d to %d: %q", size, name, was, point, row)
						}
						points[name] = point
					}
				}
			}
			if len(points) < 2 && size[0] > 40 || len(points) == 0 {
				r.Errorf("saw %v only", points)
			}
		})
	}
}

// Rows of busiest panes and tables stand in the order of the numbers that they show, but
// within 2 s of a key, where the head says so.
func TestRowsAreInOrder(t *testing.T) {
	var rows []fake.Row
	for i := range 9 {
		rows = append(rows, fake.Row{Name: fmt.Sprintf("w%d", i), Number: uint64(i + 1), Is: map[string]fake.Motion{
			"% Processor Time": func(t time.Duration, _ uint64) float64 { return float64((int(t/time.Second)*5 + 7*i) % 9) },
		}})
	}
	script := script(workers(nil, rows...))
	order := func(r *rig) string {
		var out, numbers []string
		for _, row := range r.rows()[2:] {
			if strings.HasPrefix(row, "─ w") {
				continue // the title of a graph
			}
			for _, word := range strings.Fields(row) {
				if len(word) == 2 && word[0] == 'w' {
					out = append(out, word)
				}
				if len(word) == 3 && word[1] == '.' && len(numbers) < len(out) {
					numbers = append(numbers, word)
				}
			}
		}
		slices.Reverse(numbers)
		if isOld := !slices.IsSorted(numbers); len(numbers) < 9 || isOld != (r.row("% CPU ~") != "") {
			r.Errorf("they are out of order: %v\n%s", isOld, r.text())
		}
		return strings.Join(out, " ")
	}
	for _, keys := range [][]string{nil, {"3"}} {
		onScreens(t, rigOptions{hosts: script, paths: []string{`\Memory\*`}}, func(r *rig) {
			r.begin(1)
			r.root.book.Own(r.root.desk.Hosts[0]).Load([]session.DeckPane{{Paths: []string{busiestPath}, Busiest: 9}})
			r.root.ask(r.root.desk.Hosts[0])
			r.press(keys...)
			r.pass(4 * time.Second)
			last := order(r)
			for range 20 {
				r.pass(time.Second)
				last = order(r)
			}
			if len(strings.Fields(last)) != 9 {
				r.Errorf("%v: rows were lost: %q", keys, last)
			}
			if keys == nil {
				return
			}
			for range 6 {
				r.press("j")
				r.pass(time.Second)
			}
			last = order(r)
			r.press("k")
			r.pass(time.Second)
			if now := order(r); now != last {
				r.Errorf("sorted within 2 s of a key: %q, was %q", now, last)
			}
		})
	}
}

// The deck's selection, and the table's while it follows, stay on their
// instance when the rows move.
func TestSelectionKeepsIdentity(t *testing.T) {
	script := script(workers(nil,
		fake.Row{Name: "alpha", Number: 1, Is: at(10*time.Second, 90, 1)},
		fake.Row{Name: "beta", Number: 2, Is: at(10*time.Second, 50, 50)},
		fake.Row{Name: "gamma", Number: 3, Is: at(10*time.Second, 1, 90)},
	))
	onScreens(t, rigOptions{hosts: script, paths: []string{`\Memory\*`}}, func(r *rig) {
		r.begin(1)
		r.root.book.Own(r.root.desk.Hosts[0]).Load([]session.DeckPane{{Paths: []string{busiestPath}, Busiest: 9}})
		r.root.ask(r.root.desk.Hosts[0])
		r.pass(4 * time.Second)
		r.press("g")
		if !strings.Contains(r.selected(), "alpha") {
			r.Fatalf("the busiest is %q", r.selected())
		}
		r.press("t")
		r.pass(time.Second)
		r.shows("following alpha")
		r.pass(10 * time.Second)
		if !strings.Contains(r.selected(), "alpha") {
			r.Errorf("the table follows %q", r.selected())
		}
		r.press("1")
		if !strings.Contains(r.selected(), "alpha") {
			r.Errorf("the deck selects %q", r.selected())
		}
		_, a, _ := r.find("alpha")
		if _, g, _ := r.find("gamma"); g > a {
			r.Errorf("the rows were not sorted:\n%s", r.text())
		}
	})
}

// A follower whose instance ends lets go.
func TestFollowEnds(t *testing.T) {
	script := script(workers(nil,
		fake.Row{Name: "alpha", Number: 1, Is: at(0, 5, 5), Alive: during(0, 8*time.Second)}, fake.Row{Name: "beta", Number: 2}))
	onScreens(t, rigOptions{hosts: script, paths: []string{`\Process(alpha)\% Processor Time`}}, func(r *rig) {
		r.begin(3)
		r.press("t")
		r.pass(time.Second)
		r.shows("following alpha")
		r.pass(20 * time.Second)
		r.hides("following", "alpha")
		r.shows("beta")
	})
}

// A restart of the host gives gaps, not spikes, and the deck goes on.
func TestRestart(t *testing.T) {
	fault := fake.Fault{Window: during(10*time.Second, 0), Restart: true}
	script := script(workers([]fake.Fault{fault}, fake.Row{Name: "p", Number: 1, Is: at(0, 40, 40)}))
	onScreens(t, rigOptions{hosts: script, paths: []string{`\Process(p)\% Processor Time`}}, func(r *rig) {
		r.begin(8)
		for range 15 {
			r.pass(time.Second)
			row := r.row("Proc Time")
			if !strings.Contains(row, "40.0") && !strings.Contains(row, "gap") && !strings.Contains(row, "gone") && !strings.Contains(row, "…") {
				r.Errorf("after a restart: %q", row)
			}
		}
		if row := r.row("Proc Time"); !strings.Contains(row, "40.0") {
			r.Errorf("the deck did not go on: %q", row)
		}
	})
}

// Hostile names keep out of the way of the columns.
func TestHostileNamesKeepColumns(t *testing.T) {
	onScreens(t, rigOptions{hosts: script(hostileScript()), w: 100, h: 40, paths: []string{`\Process(*)\Thread Count`}}, func(r *rig) {
		r.begin(5)
		x, y, ok := r.find("last 60 s")
		if !ok {
			r.Fatalf("no head:\n%s", r.text())
		}
		c := r.root.canvas
		for line := y + 1; line < y+20; line++ {
			if got := c.At(x-1, line).Rune; got != ' ' {
				r.Errorf("line %d has %q before the value:\n%s", line, got, c)
			}
		}
	})
}

// A screen that was not in front while its rows left is none the worse for it.
func TestScreensCatchUp(t *testing.T) {
	dying := func(c *clocktest.Clock) []fake.Host {
		var hosts []fake.Host
		for _, name := range []string{"a", "b"} {
			s := hugeScript(60)
			for i := range s.Sets[0].Rows {
				if i > 3 {
					s.Sets[0].Rows[i].Alive = during(0, 12*time.Second)
				}
			}
			s.Name = name
			hosts = append(hosts, fake.Host{Name: name, Source: fake.New(s, c)})
		}
		return hosts
	}
	for _, hosts := range []func(*clocktest.Clock) []fake.Host{dying, func(c *clocktest.Clock) []fake.Host { return dying(c)[:1] }} {
		for _, keys := range [][2][]string{
			{{"3", "1"}, {"3"}},
			{{"3", "x"}, {"esc"}},
			{{"3", "v", "G", "x"}, {"esc"}},
			{{"x", "z"}, {"esc"}},
			{{">", "G", ">"}, {"<"}},
			{{">", "3", ">"}, {"<"}},
			{{"3", "1"}, {"t"}},
		} {
			onScreens(t, rigOptions{hosts: hosts, paths: []string{busiestPath}}, func(r *rig) {
				r.begin(5)
				r.press(keys[0]...)
				r.pass(40 * time.Second)
				r.press(keys[1]...)
				r.pass(2 * time.Second)
				r.hides("gone", "worker-40")
			})
		}
	}
}
