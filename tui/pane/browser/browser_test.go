package browser

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/themes"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// sends fails the test unless just these messages were sent.
func (r *rig) sends(want ...pane.Intent) {
	r.Helper()
	if got := r.take(); !reflect.DeepEqual(got, want) {
		r.Errorf("sent\n%+v, want\n%+v", got, want)
	}
}

func TestAddOneCounter(t *testing.T) {
	onBrowser(t, panetest.Demo(1), func(r *rig) {
		r.press("l", "enter")
		r.Shows("► [ ] % Disk Time")
		r.press("enter")
		r.sends(pane.AddPaths{Host: r.Desk.Hosts[0], Paths: []string{`\LogicalDisk(_Total)\% Disk Time`}})
	})
}

// The mock-up of the screen, key by key.
func TestSearchAndChoose(t *testing.T) {
	onBrowser(t, panetest.Demo(1), func(r *rig) {
		r.press("/")
		r.write("sec/tr disk")
		r.Shows("2 of 103 counters on 1 host")
		r.press("enter")
		if got := r.column(setColumn); strings.Contains(got, "Memory") || !strings.Contains(got, "► PhysicalDisk") {
			t.Errorf("countersets:\n%s", got)
		}
		r.press("esc")
		r.Shows("103 counters on 1 host")
		r.press("/")
		r.write("physicaldisk sec/")
		r.press("enter", "space", "down", "space", "right", "G", "space")
		r.Shows("2 paths chosen", `\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer`, `\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Read`,
			"PERF_AVERAGE_TIMER  0x30020400", "PERF_AVERAGE_BASE  0x40030402", "10^3 by default", "seconds", "V1 object 234")
		if hint := r.b.Bindings()[0].Hint; hint != "add 2 to deck" {
			t.Errorf("the hint says %q", hint)
		}
		r.pass(20)
		r.Shows("10^3 by default, shown as ms")
		if live := r.Row("   live "); !strings.Contains(live, " ms") || !strings.Contains(live, "min ") || !strings.ContainsAny(live, "▁▂▃▄▅▆▇") {
			t.Errorf("live: %q", live)
		}
		r.press("y")
		r.sends(pane.CopyPaths{Paths: []string{`\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer`, `\\sql01\PhysicalDisk(1 D:)\Avg. Disk sec/Read`}})
		r.press("enter")
		r.sends(pane.AddPaths{Host: r.Desk.Hosts[0], Paths: []string{
			`\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer`, `\PhysicalDisk(1 D:)\Avg. Disk sec/Read`,
		}})
		r.Hides("[x]", "chosen")
		r.press("esc", "esc")
		r.sends(pane.Back{})
	})
}

// What was searched for is set off where it is shown.
func TestMatchesAreSetOff(t *testing.T) {
	onBrowser(t, panetest.Demo(1), func(r *rig) {
		r.press("/")
		r.write("avg tra")
		x, y := r.MustFind("Avg. Disk sec/Transfer")
		for i, want := range "Avg. Disk sec/Transfer" {
			at := r.Canvas.At(x+i, y)
			marked := i < 3 || i >= 14 && i < 17
			if at.Rune != want || (at.Style.On(themes.Background) == themes.Focus.Bold().On(themes.Background)) != marked {
				t.Errorf("%q at %d: set off %v", at.Rune, i, !marked)
			}
		}
		r.write(" zzz")
		r.Shows("0 of 103 counters", "nothing has these words")
		r.press("ctrl+w", "ctrl+w")
		r.Shows("/ avg ")
		r.press("ctrl+u", "backspace")
		if r.b.sought.typing {
			t.Error("backspace on nothing does not end the search")
		}
	})
}

// While words are typed letters are no commands, arrows still move.
func TestTypingTakesLetters(t *testing.T) {
	onBrowser(t, panetest.Demo(1), func(r *rig) {
		r.press("/", "d", "*", "y", "backspace", "backspace")
		r.b.Paste("isk\nt\x1b\u202er")
		if got := r.b.sought.query; got != "disk tr" {
			t.Errorf("the line is %q", got)
		}
		r.press("down")
		if !r.b.sought.typing || r.b.lists[hostColumn].Line() != 0 {
			t.Error("an arrow ended the search")
		}
		r.press("right", "down")
		if r.b.lists[setColumn].Line() != 1 {
			t.Error("arrows do not move while words are typed")
		}
		r.click("PhysicalDisk")
		if r.b.sought.typing || r.b.focus != setColumn {
			t.Error("a click on a row leaves the line open")
		}
		r.sends()
	})
}

func TestAllHosts(t *testing.T) {
	onBrowser(t, panetest.Demo(4), func(r *rig) {
		r.press("g")
		r.Shows("►  all hosts    4")
		r.press("/")
		r.write("cache hit") // on the two databases, of which one is denied
		r.press("enter")
		r.Shows(`\\sql01\SQLServer:Buffer Manager\Buffer cache hit ratio`, "not on sql04 (denied), web02, dc01")
		r.press("a")
		r.sends(pane.AddPaths{Paths: []string{`\SQLServer:Buffer Manager\Buffer cache hit ratio`}})

		r.press("esc", "/")
		r.write("available mbytes")
		r.press("enter", "space")
		r.Shows("3 paths chosen", `\\web02\Memory\Available MBytes`, "not on sql04 (denied)")
		r.press("c") // is the root's
		got := r.b.Selected()
		if len(got) != 3 || got[0].Host.Name != "sql01" || got[2].Host.Name != "dc01" || !got[1].IsValue() {
			t.Errorf("selected: %v", got)
		}
		r.Resize(90, 14) // no room to name hosts: they are named before
		r.press("enter")
		sent := r.take()
		if len(sent) != 1 || !strings.Contains(sent[0].(pane.Confirm).Text, "sql04 (denied)") {
			t.Fatalf("sent %+v", sent)
		}
		r.Run(func() { sent[0].(pane.Confirm).Do() })
		r.sends(pane.AddPaths{Paths: []string{`\Memory\Available MBytes`}})
		r.b.focus = hostColumn
		if got := r.b.Selected(); len(got) != 4 || got[0].Set != nil || got[0].Counter >= 0 {
			t.Errorf("selected hosts: %v", got)
		}
	})
}

// Instances of all hosts are listed together.
func TestInstancesOfAllHosts(t *testing.T) {
	onBrowser(t, panetest.Demo(3), func(r *rig) {
		r.press("g", "l", "l", "l")
		r.settle()
		r.pass(2)
		if got := r.column(instanceColumn); !strings.Contains(got, "_Total") || !strings.Contains(r.Row(" C:"), "2 hosts") ||
			!strings.Contains(r.Row(" D:"), "1 host") {
			t.Errorf("instances:\n%s", got)
		}
		r.press("G")
		got := r.b.Selected()
		if len(got) != 1 || got[0].Host.Name != "sql01" {
			t.Errorf("D: is selected on %v", got)
		}
		r.press("k")
		if got := r.b.Selected(); len(got) != 2 || got[1].Host.Name != "web02" || got[0].Key.Name != "C:" {
			t.Errorf("C: is selected on %v", got)
		}
	})
}

func TestMouse(t *testing.T) {
	onBrowser(t, panetest.Demo(1), func(r *rig) {
		r.click("Process ")
		r.Shows("► Process ", "% Privileged Time")
		r.click("Working Set")
		if r.b.focus != counterColumn || r.b.counters.Row().name != "Working Set" {
			t.Errorf("a click marks %q", r.b.counters.Row().name)
		}
		x, y := r.MustFind("[ ] Thread Count")
		r.clickAt(x+1, y)
		r.Shows("[x] Thread Count", "1 path chosen")
		r.clickAt(x+1, y)
		r.Hides("[x]")
		// The wheel scrolls the column below the mouse, not the focused one.
		x, y = r.MustFind("* all, also new")
		hit, _ := r.Hits.Get(r.Canvas.Hit(x, y))
		r.b.Wheel(hit, 30)
		r.settle()
		r.Hides("* all, also new")
		if r.b.focus != counterColumn || r.b.lists[instanceColumn].Top() != 30 {
			t.Errorf("the wheel moved to %d", r.b.lists[instanceColumn].Top())
		}
		r.b.Wheel(hit, -99)
		hit.A = int(counterColumn)
		r.b.Wheel(hit, 2)
		r.settle()
		r.Shows("* all, also new")
		r.click("Working Set")
		r.take()
		r.click("► [ ] Working Set") // what is highlighted opens: it is added
		x, y = r.MustFind("Working Set")
		r.clickAt(x, y)
		if sent := r.take(); len(sent) == 0 || !strings.Contains(sent[len(sent)-1].(pane.AddPaths).Paths[0], "Working Set") {
			t.Errorf("sent %v", sent)
		}
		r.click(" search names")
		if !r.b.sought.typing {
			t.Error("a click on the search line does not open it")
		}
	})
}

func TestShow(t *testing.T) {
	onBrowser(t, panetest.Demo(4), func(r *rig) {
		r.press("/")
		r.write("memory")
		h := r.Desk.Hosts[3]
		set := h.Sampler.Catalogue().Set("Network Interface")
		i, _ := set.Counter("Bytes Sent/sec")
		h.Feed.Ask([]session.Ask{{Set: set, Counters: []int{0}}})
		r.Clock.Advance(time.Second)
		s := h.Feed.Take()
		key := s.Set(set).Rows[0].Key
		s.Release()
		r.b.Show(pane.Target{Host: h, Set: set, Counter: i, Key: key})
		r.settle()
		r.pass(2)
		r.Shows("►  dc01", "► Network Interface", "► [ ] Bytes Sent/sec", `\\dc01\Network Interface(`+key.Name+`)`)
		if got := r.b.Selected(); len(got) != 1 || got[0] != (pane.Target{Host: h, Set: set, Counter: i, Key: key}) {
			t.Errorf("selected %v", got)
		}
		r.b.Show(pane.Target{Host: r.Desk.Hosts[0], Counter: -1})
		r.settle()
		if r.b.focus != hostColumn || r.b.place.host != r.Desk.Hosts[0] {
			t.Error("a host is not shown")
		}
		r.b.Turn(-1)
		r.b.Turn(-1)
		if r.b.place.host != h {
			t.Errorf("two hosts back is %s", r.b.place.name)
		}
	})
}

func TestKeysDoNotClash(t *testing.T) {
	b := New(&pane.Desk{Now: time.Now})
	if c := panetest.Conflicts(b.Bindings()); len(c) > 0 {
		t.Error(c)
	}
	for _, k := range b.Bindings() {
		k.Applies() // without a host
		if k.Do == nil || k.Text == "" {
			t.Errorf("%v does nothing", k.Keys)
		}
	}
}

// Going through what was found crosses countersets.
func TestNextFound(t *testing.T) {
	onBrowser(t, panetest.Demo(1), func(r *rig) {
		r.press("/")
		r.write("disk tr")
		r.press("enter")
		var seen []string
		for range 6 {
			seen = append(seen, fmt.Sprint(r.b.sets.Row().name, " ", r.b.counters.Row().name))
			r.press("n")
		}
		if r.b.sets.Row().name+" "+r.b.counters.Row().name != seen[0] || len(slices.Compact(slices.Sorted(slices.Values(seen)))) != 6 {
			t.Errorf("went through %q", seen)
		}
		r.press("N")
		if got := r.b.sets.Row().name + " " + r.b.counters.Row().name; got != seen[5] {
			t.Errorf("back is %q, want %q", got, seen[5])
		}
	})
}

// A narrow column has the names of the hosts rather than how they are, which
// their signs tell.
func TestNamesOfHostsFirst(t *testing.T) {
	onBrowser(t, panetest.Demo(4), func(r *rig) {
		for _, w := range []int{100, 120, 200, 60} {
			r.Resize(w, 25)
			r.Draw()
			r.Shows("sql04", "web02")
			if w >= 120 {
				r.Shows("denied")
			}
		}
	})
}

// Texts take what the names leave, and the details show them whole, without a unit.
func TestTexts(t *testing.T) {
	script := fake.Script{Name: "one", Sets: []fake.Set{{Name: "Service", Counters: []fake.Counter{
		{Name: "State", Type: cooker.CounterText, Text: func(*session.Instance, time.Duration) string { return "paused \x1bby an operator, until he comes back" }},
		{Name: "Load", Type: cooker.CounterRawCount, Is: fake.Const(7)},
	}}}}
	hosts := func(clock *clocktest.Clock) []fake.Host {
		return []fake.Host{{Name: "one", Source: fake.New(script, clock)}}
	}
	onBrowser(t, hosts, func(r *rig) {
		r.press("l", "l")
		r.pass(2)
		if got := r.column(counterColumn); !strings.Contains(got, "paused ?by") || !strings.Contains(got, "7") {
			t.Errorf("counters:\n%s", got)
		}
		r.Shows("paused ?by an operator, until he comes back", "none, a text", "PERF_COUNTER_TEXT  0x00000B00")
		r.Hides("by default")
	})
}
