package deck

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/pane"
)

// Where not all hosts have room, the title of the last one says which they are,
// whole, on the smallest screen too.
func TestPagedTitle(t *testing.T) {
	scripts := []fake.Script{computer("one", 2, 0), computer("two", 2, 0), computer("three", 2, 0), computer("four", 2, 0)}
	for _, c := range []struct {
		w, h int
		want string
	}{{40, 10, "1-3 of 4"}, {60, 11, "1-3 of 4"}, {120, 10, "1-3 of 4"}} {
		onDeck(t, c.w, c.h, scripts, func(r *rig) {
			r.pass(2)
			r.Shows(c.want)
		})
	}
}

// A pane that the user made small shows rows before it counts the others.
func TestSmallPaneShowsRows(t *testing.T) {
	onDeck(t, 40, 8, []fake.Script{computer("one", 5, 0)}, func(r *rig) {
		d := r.book.Own(r.Desk.Hosts[0])
		d.Load([]session.DeckPane{{Paths: []string{threads}}, {Paths: []string{available, cacheSize}}})
		r.pass(2)
		r.Press("L")
		for range 9 {
			r.Press("up")
			for i, p := range d.laid.places {
				if p.H < 2 || len(d.panes[i].lines) < p.H {
					continue
				}
				if p.Rows == 0 || strings.TrimSpace(r.Canvas.Rows()[p.Y+p.H-1]) == "" {
					t.Errorf("a pane of %d lines shows %d rows:\n%s", p.H, p.Rows, r.Text())
				}
			}
		}
	})
}

// What was asked for on the command line is shown of a host that comes later too,
// and of both side by side.
func TestPathsOfLaterHosts(t *testing.T) {
	onDeck(t, 160, 40, nil, func(r *rig) {
		one := r.host(computer("one", 3, 0))
		r.book.HostsChanged()
		r.Clock.Advance(0)
		asked := []string{cacheSize, `\\one\System\Threads`}
		r.book.Load(one, asked)
		two := r.comes(computer("two", 3, 0), asked...)
		r.pass(2)
		for _, d := range r.book.all.decks {
			var got []string
			for _, p := range d.Spec() {
				got = append(got, p.Paths...)
			}
			if !slices.Equal(got, []string{cacheSize, `\System\Threads`}) {
				t.Errorf("%s shows %q beside the other", d.host.Name, got)
			}
		}
		if got := r.book.Own(two).Spec(); len(got) != 1 || !slices.Equal(got[0].Paths, []string{cacheSize}) {
			t.Errorf("the own deck of the later host is %v", got)
		}
	})
}

// A host that leaves and comes back has the deck that it had.
func TestDecksOfHostThatComesBack(t *testing.T) {
	onDeck(t, 160, 40, []fake.Script{computer("one", 3, 0), computer("two", 3, 0)}, func(r *rig) {
		two := r.Desk.Hosts[1]
		own := r.book.Own(two)
		own.Load([]session.DeckPane{{Paths: []string{available}}, {Paths: []string{`\System\Threads`}}})
		r.book.Open(two, false)
		r.pass(1)
		r.Press("L", "enter")
		kept := own.Kept()
		for _, d := range r.book.all.decks {
			d.Load([]session.DeckPane{{Paths: []string{cacheSize}}})
		}
		r.leaves(1)
		r.pass(1)
		two = r.comes(computer("two", 3, 0))
		got := r.book.Own(two).Kept()
		if len(got.Panes) != 2 || got.Layout != kept.Layout || got.Panes[1].Paths[0] != `\System\Threads` {
			t.Errorf("%+v came back as %+v", kept, got)
		}
		for _, d := range r.book.all.decks {
			if spec := d.Spec(); len(spec) != 1 || spec[0].Paths[0] != cacheSize {
				t.Errorf("beside others %s shows %v", d.host.Name, spec)
			}
		}
	})
}

// The same path of a table twice is one pane, however it is written.
func TestBusiestTwice(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		one := r.Desk.Hosts[0]
		d := r.book.Own(one)
		d.Load(nil)
		for _, text := range []string{threads, available, threads, strings.ToUpper(threads)} {
			if err := d.Add(one, text); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(d.panes); n != 2 || d.focus != 0 {
			t.Errorf("%d panes, number %d is focused", n, d.focus)
		}
	})
}

// The menu of decks counts panes as people do.
func TestDecksMenuCounts(t *testing.T) {
	onDeck(t, 120, 40, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		r.book.Offer([]session.Deck{{Name: "d1", Panes: []session.DeckPane{{Paths: []string{available}}}}})
		r.Press("D")
		menu, ok := r.Last().(pane.OpenMenu)
		if !ok || !slices.ContainsFunc(menu.Items, func(i pane.MenuItem) bool { return i.Text == "d1  1 pane" }) {
			t.Errorf("%+v", menu)
		}
	})
}

// What is said of a host that never answered ends in an ellipsis where it is cut.
func TestCutWaiting(t *testing.T) {
	down := computer("down", 1, 0)
	down.Faults = []fake.Fault{{Err: errors.New(strings.Repeat("no route to the host ", 20) + "END")}}
	for h := 2; h < 30; h++ {
		onDeck(t, 60, h, []fake.Script{down}, func(r *rig) {
			r.pass(3)
			rows := strings.Split(strings.TrimRight(r.Text(), "\n"), "\n")
			if last := strings.TrimSpace(rows[len(rows)-1]); strings.Contains(last, "route") && !strings.Contains(last, "END") && !strings.HasSuffix(last, "…") {
				t.Errorf("height %d ends with %q", h, last)
			}
		})
	}
}

// A host that answers and has none of the deck's counters says so, and what it has.
func TestForeignHost(t *testing.T) {
	foreign := fake.Script{Name: "press", Sets: []fake.Set{{Name: "Printer", Counters: []fake.Counter{{Name: "Pages"}}}}}
	for _, w := range []int{50, 118} {
		onDeck(t, w, 40, []fake.Script{computer("one", 3, 0), foreign}, func(r *rig) {
			for _, d := range r.book.all.decks {
				d.Load([]session.DeckPane{{Paths: []string{available, cacheSize}}})
			}
			r.pass(3)
			if text := strings.Join(strings.Fields(r.Text()), " "); !strings.Contains(text, "Printer") || strings.Contains(text, "none here") {
				t.Errorf("%d cells: the screen is\n%s", w, r.Text())
			}
		})
	}
}

// In the matrix it takes two lines at the end.
func TestForeignHostInMatrix(t *testing.T) {
	foreign := fake.Script{Name: "press", Sets: []fake.Set{{Name: "Printer", Counters: []fake.Counter{{Name: "Pages"}}}}}
	onDeck(t, 120, 36, []fake.Script{computer("one", 3, 0)}, func(r *rig) {
		r.leaves(0)
		for _, h := range fake.Demo(r.Clock)[:2] {
			r.Watch(h, 2*time.Minute)
		}
		r.host(foreign)
		r.book.HostsChanged()
		r.Clock.Advance(0)
		for _, h := range r.Desk.Hosts {
			r.book.Load(h, nil)
		}
		r.pass(3)
		rows := r.Canvas.Rows()
		at := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, "press has none of the deck's counters") })
		if at != len(rows)-2 || !strings.Contains(rows[at+1], "it offers the counterset Printer 4 browse") {
			t.Errorf("line %d of %d:\n%s", at, len(rows), r.Text())
		}
	})
}

// On narrow screens, too, hosts that never answered take two rows at the end, whatever place
// they were named at; no word of theirs stands twice, and what answers is in view.
func TestSilentHostsOnNarrowScreens(t *testing.T) {
	denied := computer("sql04", 2, 0)
	denied.Faults = []fake.Fault{{Err: &session.HostError{Host: "sql04", Op: "open counters", Err: session.ErrDenied, Advice: "add the account"}}}
	for _, size := range [][2]int{{40, 10}, {59, 13}, {60, 16}} {
		onDeck(t, size[0], size[1], []fake.Script{denied, computer("one", 2, 0), computer("two", 2, 0)}, func(r *rig) {
			r.pass(4)
			rows := r.Canvas.Rows()
			last := rows[len(rows)-2:]
			if !strings.Contains(last[0], "■ sql04 access denied") || !strings.Contains(last[1], "add the account") || !strings.Contains(last[1], "R retry") {
				t.Errorf("%v: it is not at the end:\n%s", size, r.Text())
			}
			if n := strings.Count(r.Text(), "access denied"); n != 1 || strings.Count(r.Text(), "sql04") != 1 {
				t.Errorf("%v: it is said %d times:\n%s", size, n, r.Text())
			}
			r.Shows(" one ", " two ")
			for y, row := range rows[:len(rows)-2] {
				if strings.TrimSpace(row) == "" && size[1] <= 10 {
					t.Errorf("%v: row %d is blank:\n%s", size, y, r.Text())
				}
			}
			r.clickOn("R retry", 0)
			if e, ok := r.Last().(pane.RetryHost); !ok || e.Host.Name != "sql04" {
				t.Errorf("%v: R: %+v", size, r.Last())
			}
		})
	}
}

// The selection walks over the rows of each host as they stand on the screen, and stops at one that
// has none, below the others.
func TestWalkingFromHostToHost(t *testing.T) {
	denied := computer("sql04", 2, 0)
	denied.Faults = []fake.Fault{{Err: session.ErrDenied}}
	onDeck(t, 120, 36, []fake.Script{computer("one", 2, 0), denied, computer("two", 2, 0)}, func(r *rig) {
		r.pass(4)
		walk := func(key string) (hosts []string) {
			for range 40 {
				name := r.book.Host().Name
				if len(hosts) == 0 || hosts[len(hosts)-1] != name {
					hosts = append(hosts, name)
				}
				r.Press(key)
				r.Draw()
			}
			return hosts
		}
		if got := walk("j"); !slices.Equal(got, []string{"one", "two", "sql04"}) {
			t.Errorf("down: %v", got)
		}
		if got := walk("k"); !slices.Equal(got, []string{"sql04", "two", "one"}) {
			t.Errorf("up: %v", got)
		}
		for key, want := range map[string]string{"G": "sql04", "g": "one"} {
			if r.Press(key); r.book.Host().Name != want {
				t.Errorf("%s: %s, want %s", key, r.book.Host().Name, want)
			}
		}
	})
}
