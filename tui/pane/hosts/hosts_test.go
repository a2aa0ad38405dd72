package hosts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// several is a host in each condition.
func several() []*pane.Host {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	return []*pane.Host{
		host("well", session.HostState{Phase: session.Live, Since: ago(time.Hour), Latency: 3400 * time.Microsecond, LastAnswer: ago(time.Second), Missed: 12}, "fra", "db"),
		host("noted", session.HostState{Phase: session.Live, Since: ago(26 * time.Hour), LastAnswer: now,
			Notes: []error{errors.New("Memory: its description is broken"), errors.New("Process: left out")}}),
		host("down", session.HostState{Phase: session.Retrying, Since: ago(4 * time.Minute), LastAnswer: ago(4*time.Minute + time.Second),
			Tries: 12, NextTry: now.Add(6500 * time.Millisecond), Err: &session.HostError{Host: "down", Op: "dial",
				Err: errors.New("dial tcp 10.0.2.7:445: connect: connection refused"), Advice: "start the service Remote Registry"}}),
		host("stale", session.HostState{Phase: session.Stale, Since: ago(time.Hour), LastAnswer: ago(34 * time.Second)}),
		host("denied", session.HostState{Phase: session.Refused, Since: ago(2 * time.Minute), Tries: 1, NextTry: ago(time.Second), Err: fake.Denied("denied")}),
		host("new", session.HostState{Phase: session.Connecting, Since: now}),
	}
}

func TestTable(t *testing.T) {
	r := newRig(t, 160, 40, several()...)
	for name, want := range map[string][]string{
		"well":   {"ok", "13:07:32", "3.4 ms", "1 s", "12", "MS-PCQ + registry", " 2 "},
		"noted":  {"ok", "2026-03-01", "2 notes: Memory"},
		"down":   {"■", "down", "connection refused", "4 min"},
		"stale":  {"~", "stale", "34 s"},
		"denied": {"■", "denied", "access denied", "never"},
		"new":    {"connecting", "never"},
	} {
		row := r.row(" " + name)
		for _, text := range want {
			if !strings.Contains(row, text) {
				t.Errorf("the line of %s lacks %q: %q", name, text, row)
			}
		}
	}
	r.Shows("Hosts 6", "3 in trouble")
}

// What the details say: what happened, when, how often, what next, what to do.
func TestDetails(t *testing.T) {
	r := newRig(t, 120, 40, several()...)
	for _, want := range [][]string{
		{"Answers in 3.4 ms.", "12 beats", "fra db", "2 countersets"},
		{"Not all of what it offers can be read", "its description is broken", "Process: left out"},
		{"No answer since 14:03:31", "dial tcp 10.0.2.7:445: connect: connection refused", "12 in a row", "in 7 s", "Remote Registry"},
		{"No answer since 14:06:58"},
		{"refuses", "open counters", "access denied", "Performance Monitor Users", "now"},
		{"Not reached yet"},
	} {
		r.Shows(want...)
		r.Press("j")
	}
}

// A host that never answered is down, and the moment of the next try passes.
func TestNeverAnswered(t *testing.T) {
	s := session.HostState{Phase: session.Retrying, Since: now, Tries: 1, NextTry: now.Add(time.Second), Err: errors.New("no route to host")}
	r := newRig(t, 100, 24, host("far", s))
	r.Shows("has not answered so far", "no route to host", "in 1 s")
	if row := r.row("far"); !strings.Contains(row, "down") {
		t.Errorf("the line is %q", row)
	}
	r.Clock.Advance(5 * time.Second)
	r.Draw()
	r.Hides("in 1 s")
}

func TestKeysOfTheSelected(t *testing.T) {
	hosts := several()
	r := newRig(t, 120, 30, hosts...)
	r.Press("j", "j", "enter")
	if open, ok := r.Last().(pane.OpenHost); !ok || open.Host != hosts[2] {
		t.Errorf("enter sends %#v", r.Last())
	}
	r.Press("d")
	if rm, ok := r.Last().(pane.RemoveHost); !ok || rm.Host != hosts[2] {
		t.Errorf("d sends %#v", r.Last())
	}
	if list := r.screen.Selected(); len(list) != 1 || list[0].Host != hosts[2] || list[0].IsValue() {
		t.Errorf("%v is selected", list)
	}
	r.Press("y")
	if c, ok := r.Last().(pane.Copy); !ok || !strings.HasPrefix(c.Text, "down; ") || !strings.Contains(c.Text, "connection refused") {
		t.Errorf("y sends %#v", r.Last())
	}
	r.Desk.Hosts = slices.Delete(slices.Clone(hosts), 2, 3)
	r.Draw()
	if r.screen.host() != hosts[3] {
		t.Errorf("after the host went %v is selected", r.screen.host())
	}
	r.Press("esc")
	if _, ok := r.Last().(pane.Back); !ok {
		t.Errorf("esc sends %#v", r.Last())
	}
}

// A host is added with three things: the key, its name, enter.
func TestAdd(t *testing.T) {
	r := newRig(t, 80, 24, several()[:1]...)
	r.Press("a")
	ask, ok := r.Last().(pane.AskText)
	if !ok {
		t.Fatalf("a sends %#v", r.Last())
	}
	if ask.Done(" ") == nil {
		t.Error("no name is taken")
	}
	if err := ask.Done(" srv1  srv2 "); err != nil {
		t.Error(err)
	}
	r.Run(ask.Then)
	if add, ok := r.Last().(pane.AddHosts); !ok || add.Names != "srv1  srv2" {
		t.Errorf("accepting sends %#v", r.Last())
	}
}

func TestFilterAndSort(t *testing.T) {
	r := newRig(t, 120, 40, several()...)
	names := func() (out []string) {
		for i := range r.screen.Rows {
			out = append(out, r.screen.Rows[i].host.Name)
		}
		return out
	}
	r.Press("s")
	if got, want := names(), []string{"down", "denied", "stale", "new", "well", "noted"}; !slices.Equal(got, want) {
		t.Errorf("worst first is %v, want %v", got, want)
	}
	if r.screen.host().Name != "well" {
		t.Errorf("sorting selects %s", r.screen.host().Name)
	}
	r.Press("s", "/")
	ask := r.Last().(pane.AskText)
	for text, want := range map[string]int{"down": 1, "FRA": 1, "refused": 1, "ok": 2, "ok fra": 1, "nobody": 0, "": 6} {
		_ = ask.Each(text)
		r.Draw()
		if len(names()) != want {
			t.Errorf("%q takes %v, want %d", text, names(), want)
		}
	}
	_ = ask.Each("nobody")
	r.Draw()
	r.Shows("No host fits the filter nobody")
	r.Press("enter", "d", "y", "j")
	r.Press("esc")
	if len(names()) != 6 {
		t.Error("esc does not clear the filter")
	}
}

// This computer alone, and no host at all, teach how others come.
func TestAlone(t *testing.T) {
	local := host("db07", session.HostState{Phase: session.Live, LastAnswer: now})
	local.Local = true
	r := newRig(t, 80, 22, local)
	r.Shows("No other hosts yet", "add a host", "Performance Monitor Users", "perfdeck --demo", "this computer")
	r.Desk.Hosts = nil
	r.Draw()
	r.Shows("No hosts yet", "add a host")
	r.Press("j", "enter", "d", "y")
	if len(r.screen.Selected()) != 0 {
		t.Error("a host is selected where there is none")
	}
	local.Sampler.(*panetest.Stand).Is = session.HostState{Phase: session.Retrying, Err: errors.New("no such file")}
	r.Desk.Hosts = []*pane.Host{local}
	r.Draw()
	r.Shows("no such file")
}

func TestMouse(t *testing.T) {
	hosts := several()
	r := newRig(t, 120, 30, hosts...)
	r.Click("stale")
	if r.screen.host() != hosts[3] {
		t.Fatalf("a click selects %s", r.screen.host().Name)
	}
	r.Click("stale")
	if open, ok := r.Last().(pane.OpenHost); !ok || open.Host != hosts[3] {
		t.Errorf("a click on the selected sends %#v", r.Last())
	}
	r.screen.Wheel(pane.Hit{Kind: pane.HitRow}, -3)
	if r.screen.host() != hosts[3] {
		t.Errorf("the wheel selects %s though all are in view", r.screen.host().Name)
	}
	r.screen.Click(pane.Hit{Kind: pane.HitRow, B: 99}, 1)
}

// Long details scroll, by key and by wheel, and go back to their head for the
// next host.
func TestDetailsScroll(t *testing.T) {
	var notes []error
	for i := range 40 {
		notes = append(notes, fmt.Errorf("note %d", i))
	}
	many := host("many", session.HostState{Phase: session.Live, LastAnswer: now, Notes: notes})
	r := newRig(t, 80, 24, many, several()[0])
	r.Hides("note 39")
	for range 60 {
		r.Press("l")
	}
	r.Shows("note 39")
	r.screen.Wheel(pane.Hit{Kind: pane.HitDetails}, -99)
	r.Draw()
	r.Shows("Answers in")
	r.screen.Wheel(pane.Hit{Kind: pane.HitDetails}, 99)
	r.Press("j", "k")
	r.Shows("Answers in")
}

// The selected line is in view, however many there are.
func TestManyHosts(t *testing.T) {
	var hosts []*pane.Host
	for i := range 200 {
		hosts = append(hosts, host(fmt.Sprintf("srv%03d", i), session.HostState{Phase: session.Live, LastAnswer: now}))
	}
	r := newRig(t, 80, 22, hosts...)
	for range 200 {
		r.Press("j")
		if !strings.Contains(r.Canvas.String(), "►") {
			t.Fatalf("line %d is not in view:\n%s", r.screen.Line(), r.Canvas)
		}
	}
	r.Shows("srv199")
	r.Press("g")
	r.Shows("srv000")
	r.Press("pgdown", "pgup", "G", "home", "end")
}

func TestSweep(t *testing.T) {
	var hostile []*pane.Host
	for i, name := range faketest.HostileNames() {
		s := session.HostState{Phase: session.Phase(i % 6), Since: now, LastAnswer: now.Add(-time.Duration(i) * 20 * time.Second), Tries: i,
			NextTry: now.Add(time.Duration(i) * time.Hour), Missed: 1 << 60, Latency: time.Duration(i) * time.Hour,
			Err: &session.HostError{Host: name, Op: name, Err: errors.New(name + ": " + name), Advice: name}, Notes: []error{errors.New(name)}}
		if i%6 < 2 {
			s.Err = nil
		}
		hostile = append(hostile, host(name, s, name))
	}
	var many []*pane.Host
	for i := range 200 {
		many = append(many, host(fmt.Sprintf("srv%03d", i), several()[i%6].Sampler.State()))
	}
	local := host("here", session.HostState{Phase: session.Live, LastAnswer: now})
	local.Local = true
	for name, hosts := range map[string][]*pane.Host{"none": nil, "one": {local}, "six": several(), "200": many, "hostile": hostile} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 120, 34, hosts...)
			for _, key := range []string{"g", "G", "s", "l"} {
				r.Press(key)
				for _, glyphs := range []canvas.GlyphSet{canvas.Full, canvas.ASCII} {
					for _, size := range panetest.GrowingSizes(4) {
						r.Sound(size[0], size[1], glyphs)
					}
				}
			}
		})
	}
}

// Columns leave by their worth, and never overlap.
func TestFit(t *testing.T) {
	problem, missed := len(table)-1, 5
	for _, longest := range []int{1, 12, 21, 300} {
		s := New(&pane.Desk{Now: time.Now})
		s.Put([]*row{{host: &pane.Host{Name: strings.Repeat("x", longest)}}})
		for w := 1; w <= 300; w++ {
			cols := s.Fit(pane.Frame{Region: canvas.New(w, 1, canvas.Full).Root()}, 0, 1)
			if w > 24 && cols.End() > w {
				t.Errorf("%d cells: the columns end at %d", w, cols.End())
			}
			if w >= 60 && !cols.Has(problem) || w == 63 && cols.Has(missed) || w >= 160 && !cols.Has(missed) {
				t.Errorf("%d cells, names of %d: %v", w, longest, cols.Places)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	s := New(&pane.Desk{Now: time.Now})
	if c := panetest.Conflicts(s.Bindings()); len(c) != 0 {
		t.Errorf("conflicts: %q", c)
	}
	for _, k := range []string{"c", "t", "x", "w", "A", "m", "!", "R", "p", "[", "]", "{", "}", "@", ".", "i", "(", ")", "u", ":", "q", "?"} {
		if b := keys.Match(k, s.Bindings()); b != nil {
			t.Errorf("%s is %s", k, b.Text)
		}
	}
}

// A host with a set that runs is marked; its sets are shown because the user wants that.
func TestSets(t *testing.T) {
	r := newRig(t, 120, 30, several()...)
	r.Press("O")
	if !strings.Contains(r.Said(), "recording that is played") {
		t.Errorf("it says %q", r.Said())
	}
	sets := &panetest.HostSets{Asked: map[string]bool{}, Runs: map[string][]string{"noted": {`Service\Detail`}}}
	r.Desk.HostSets = sets
	r.Draw()
	if row := r.row("noted"); !strings.Contains(row, "noted ●") {
		t.Errorf("the line is %q", row)
	}
	if row := r.row("well"); strings.Contains(row, "●") {
		t.Errorf("the line is %q", row)
	}
	r.Press("O")
	if !sets.Asked["well"] || len(sets.Asked) != 1 || !strings.Contains(r.Said(), "9 shows") {
		t.Errorf("asked %v, it says %q", sets.Asked, r.Said())
	}
	r.Press("O", "j")
	r.Shows(`Service\Detail`)
	if sets.Asked["well"] {
		t.Error("it is shown still")
	}
}
