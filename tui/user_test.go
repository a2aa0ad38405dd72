package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// mouse scrolls over the first place that shows the text.
func (r *rig) scroll(text string, b tea.MouseButton) {
	r.Helper()
	x, y, ok := r.find(text)
	if !ok {
		r.Fatalf("%q is not shown:\n%s", text, r.text())
	}
	r.send(tea.MouseWheelMsg{X: x, Y: y, Button: b})
	r.settle()
}

func (r *rig) dialogs(want int) {
	r.Helper()
	if n := len(r.root.dialogs); n != want {
		r.Fatalf("%d dialogs are open, want %d:\n%s", n, want, r.text())
	}
}

func TestAddByWords(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.hides("PhysicalDisk")
		r.press("a")
		r.write("disk sec tr")
		r.press("enter")
		r.dialogs(0)
		if !strings.Contains(r.focused(), "PhysicalDisk") {
			r.Errorf("the new pane is not focused:\n%s", r.text())
		}
		r.pass(3 * time.Second)
		if head := r.row("PhysicalDisk"); !strings.HasPrefix(strings.Trim(strings.SplitN(head, "PhysicalDisk", 2)[1], " ━"), "Avg. sec/Xfer ▼") {
			r.Errorf("what was asked for does not stand first, with its whole name: %q", head)
		}
		for _, instance := range []string{"0 C:", "1 D:"} {
			if row := strings.Fields(r.row(instance)); !slices.ContainsFunc(row, func(w string) bool { return strings.Trim(w, "0123456789.") == "ms" }) {
				r.Errorf("no value for %s: %q", instance, row)
			}
		}
		r.press("u")
		r.pass(5 * time.Second) // and what was said is gone
		r.hides("PhysicalDisk")
	})
}

func TestAddByPath(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.press("a")
		r.send(tea.PasteMsg{Content: `\System\File Read Bytes/sec` + "\n"})
		for range len(`File Read Bytes/sec`) {
			r.press("backspace")
		}
		r.write(`Threads`)
		r.press("ctrl+w", "ctrl+u")
		r.write(`\Process(nobody)\Thread Count`)
		r.press("enter")
		r.dialogs(0)
		r.pass(2 * time.Second)
		if !strings.Contains(r.selected(), "pending") || !strings.Contains(r.focused(), "nobody") {
			r.Errorf("an instance that is not there yet: %q below %q", r.selected(), r.focused())
		}
	})
}

func TestAddWrongPath(t *testing.T) {
	for path, want := range map[string]string{
		`\Memry\Available MBytes`:  "Memory",
		`\Memory\Availble MBytes`:  "Available MBytes",
		`\Memory`:                  "",
		`\Process(\Thread Count`:   "",
		`\Process\Thread Count\\\`: "",
	} {
		onScreens(t, rigOptions{}, func(r *rig) {
			r.begin(3)
			before := r.root.book.Own(r.root.desk.Hosts[0]).Spec()
			r.press("a")
			r.write(path)
			r.hides("no such")
			quiet := r.text()
			r.press("enter")
			r.dialogs(1)
			if r.text() == quiet {
				r.Errorf("%s: nothing is said", path)
			}
			r.shows(want)
			if after := r.root.book.Own(r.root.desk.Hosts[0]).Spec(); !slices.EqualFunc(before, after, samePane) {
				r.Errorf("%s changed the deck", path)
			}
			r.write("x") // the message is about what was there before
			if r.press("esc"); len(r.root.dialogs) != 0 {
				r.Error("esc does not close")
			}
		})
	}
}

func TestRemoveAndUndo(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(5)
		first := r.text()
		r.press("u")
		r.shows("nothing was changed")
		r.press("j", "d")
		r.shows("removed", "undo")
		r.pass(5 * time.Second)
		r.hides("% User Time")
		r.press("u")
		r.shows("% User Time")
		for range 60 {
			r.press("d")
		}
		r.hides("last")
		r.shows("add a counter")
		r.press("d")
		r.shows("no counter is selected")
		r.press("x")
		r.press("enter")
		for range 60 {
			r.press("u")
		}
		r.press("g")
		r.pass(5 * time.Second) // the message leaves
		if a, b := strings.Count(r.text(), "\n─"), strings.Count(first, "\n─"); a != b {
			r.Errorf("undo brought %d panes back, want %d:\n%s", a, b, r.text())
		}
	})
}

func TestZoom(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(5)
		deck := r.text()
		r.press("tab", "z")
		r.shows("Memory")
		r.hides("─ System", "─ Processor Information")
		r.press("j", "j", "j", "j", "j", "j", "j")
		if !strings.Contains(r.selected(), "Faults/sec") {
			r.Errorf("the selection left a zoomed pane: %q", r.selected())
		}
		r.press("tab")
		r.shows("System")
		r.press("z", "g")
		if r.text() != deck {
			r.Errorf("zooming there and back changed the deck:\n%s\nwant\n%s", r.text(), deck)
		}
	})
}

// The selection goes over all rows, one by one, from the first to the last and
// back, whatever keys, and is always in view.
func TestSelection(t *testing.T) {
	sizes := [][2]int{{80, 24}, {40, 12}, {120, 40}, {60, 15}, {180, 20}}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, size := range sizes {
		for _, k := range [][2]string{{"down", "up"}, {"j", "k"}} {
			paths := []string{`\Processor Information(*)\% Processor Time`, `\Memory\*`, `\PhysicalDisk(*)\*`, `\System\*`}
			onScreens(t, rigOptions{w: size[0], h: size[1], paths: paths}, func(r *rig) {
				r.begin(3)
				r.press("g")
				var there []string
				for range 300 {
					row := r.selected()
					if row == "" {
						r.Fatalf("%v: the selected row is not in view after %d:\n%s", size, len(there), r.text())
					}
					there = append(there, row)
					r.root.Update(keyPress(k[0]))
				}
				last := r.selected()
				r.press("G")
				if r.selected() != last {
					r.Errorf("%v: G selects %q, %s the row %q", size, r.selected(), k[0], last)
				}
				for range 300 {
					r.root.Update(keyPress(k[1]))
					if r.selected() == "" {
						r.Fatalf("%v: the selected row is not in view:\n%s", size, r.text())
					}
				}
				if r.selected() != there[0] {
					r.Errorf("%v: %s ends at %q, want %q", size, k[1], r.selected(), there[0])
				}
			})
		}
	}
}

func TestFocus(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		var seen []string
		for range 4 {
			seen = append(seen, r.focused())
			r.press("tab")
		}
		if slices.Sort(seen); len(slices.Compact(seen)) != 4 {
			r.Errorf("tab went to %q", seen)
		}
		if !strings.Contains(r.focused(), "Processor Information") {
			r.Error("tab does not go around")
		}
		r.press("shift+tab")
		if !strings.Contains(r.focused(), "Process ━") {
			r.Errorf("shift+tab goes to %q", r.focused())
		}
		r.click("─ Memory")
		if !strings.Contains(r.focused(), "Memory") {
			r.Error("a click on its title does not focus a pane")
		}
		r.click("Context Switches")
		if !strings.Contains(r.selected(), "Context Switches") || !strings.Contains(r.focused(), "System") {
			r.Error("a click does not select")
		}
		r.click("Context Switches")
		r.shows("Explain")
		r.click("esc back")
		r.hides("Explain")
		r.scroll("Processes", tea.MouseWheelDown)
		if strings.Contains(r.selected(), "Context Switches") || r.selected() == "" {
			r.Error("the wheel does not move")
		}
	})
}

func TestTop(t *testing.T) {
	onScreens(t, rigOptions{w: 140, h: 36}, func(r *rig) {
		r.begin(30)
		r.click("3 Top")
		r.pass(3 * time.Second)
		r.shows("[3 Top]", "sqlservr", "pid", "command")
		first := func() string { return strings.Fields(strings.TrimLeft(r.rows()[4], " ►"))[0] }
		if first() != "sqlservr" {
			r.Errorf("the busiest is %q", first())
		}
		r.click("Thr")
		if first() != "sqlservr" && first() != "System" {
			r.Errorf("most threads has %q", first())
		}
		r.click("Thr")
		if f := first(); f == "sqlservr" || f == "System" {
			r.Errorf("again does not reverse: %q", f)
		}
		r.click("pid")
		if !strings.Contains(r.rows()[4], " 4 ") && !strings.Contains(r.rows()[4], " 0 ") {
			r.Errorf("the lowest pid is in %q", r.rows()[4])
		}
		r.click("instance  ")
		names := []string{}
		for _, row := range r.rows()[4:20] {
			names = append(names, strings.Fields(strings.TrimLeft(row, " ►"))[0])
		}
		if !slices.IsSorted(names) {
			r.Errorf("by name: %q", names)
		}
		r.press("g", "s") // the cursor stands where the last click was
		if slices.IsSorted(names[:2]) && first() == names[0] {
			r.Error("s on the sorted column does not reverse")
		}
		r.press("v")
		r.shows("tree", "└")
		r.press("v")
		r.hides("└")
		r.press("esc")
		r.shows("[1 Deck]")
	})
}

func TestTopFromDeck(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 40}, func(r *rig) {
		r.begin(30)
		r.click("lsass")
		r.press("t")
		r.pass(2 * time.Second)
		if !strings.Contains(r.selected(), "lsass") {
			r.Errorf("t on a process selects %q", r.selected())
		}
		r.shows("following lsass")
		r.press("f")
		r.hides("following")
		r.press("f")
		r.shows("following lsass")
		r.press("j")
		r.hides("following")
		r.press("1", "tab", "t")
		r.shows("[3 Top]")
		r.press("x")
		r.shows("Explain", "formula")
		r.press("esc")
		r.shows("[3 Top]")
		r.click("1 Deck")
		r.shows("[1 Deck]")
	})
}

func TestFilter(t *testing.T) {
	for expression, want := range map[string]struct{ in, out []string }{
		"w3wp":                    {[]string{"w3wp"}, []string{"sqlservr", "svchost"}},
		"W3WP or lsass":           {[]string{"w3wp", "lsass"}, []string{"sqlservr"}},
		"w3wp and pid=7044":       {[]string{"7044"}, []string{"7912"}},
		"cpu>5 name~w3":           {[]string{"w3wp"}, []string{"sqlservr"}},
		"cpu>1e9":                 {nil, []string{"w3wp", "sqlservr"}},
		"user~mia":                {[]string{"Taskmgr"}, []string{"sqlservr"}},
		"reports":                 {[]string{"7044"}, []string{"7912", "sqlservr"}},
		"threads>400":             {[]string{"sqlservr"}, []string{"w3wp"}},
		"name!svchost name!w3wp":  {[]string{"sqlservr"}, []string{"w3wp"}},
		"nothing-is-called-so":    {[]string{"0 of"}, []string{"sqlservr"}},
		"or and or":               {[]string{"sqlservr"}, nil},
		"mem>1 or or cpu<0 or ~=": {[]string{"sqlservr"}, nil},
	} {
		onScreens(t, rigOptions{w: 140, h: 36}, func(r *rig) {
			r.begin(10)
			r.press("3")
			r.pass(3 * time.Second)
			r.press("/")
			r.write(expression)
			r.press("enter")
			r.pass(2 * time.Second)
			body := strings.Join(r.rows()[3:], "\n")
			for _, text := range want.in {
				if !strings.Contains(r.text(), text) {
					r.Errorf("filter %q: %q is not shown:\n%s", expression, text, r.text())
				}
			}
			for _, text := range want.out {
				if strings.Contains(body, text) {
					r.Errorf("filter %q: %q is shown:\n%s", expression, text, r.text())
				}
			}
			r.press("esc")
			r.shows("[3 Top]", "sqlservr")
			r.hides("filter " + expression)
			r.press("esc")
			r.shows("[1 Deck]")
		})
	}
}

// Escape takes back what was typed in a filter since it was opened.
func TestFilterEscape(t *testing.T) {
	onScreens(t, rigOptions{w: 140, h: 36}, func(r *rig) {
		r.begin(5)
		r.press("3", "/")
		r.write("w3wp")
		r.press("enter", "/")
		r.write("no")
		r.press("esc")
		r.shows("filter w3wp")
	})
}

func TestHelp(t *testing.T) {
	for _, open := range [][]string{nil, {"3"}, {"x"}} {
		onScreens(t, rigOptions{w: 100, h: 30}, func(r *rig) {
			r.begin(5)
			r.press(open...)
			own := r.root.screen().Bindings()
			r.press("?")
			r.dialogs(1)
			all := r.text()
			for range 40 {
				r.press("down")
				all += "\n" + r.text()
			}
			for _, b := range append(slices.Clone(own), r.root.keys...) {
				text, _, _ := strings.Cut(b.Text, ";") // long ones are wrapped
				if text = text[:min(len(text), 10)]; !strings.Contains(all, b.Label()) || !strings.Contains(all, text) {
					r.Errorf("%v: the help does not name %s %s", open, b.Label(), b.Text)
				}
			}
			r.press("esc")
			r.dialogs(0)
		})
	}
}

func TestInterval(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		r.press("i", "ctrl+u")
		r.write("50ms")
		r.press("enter")
		r.dialogs(1)
		r.shows("100ms")
		r.press("ctrl+u")
		r.write("soon")
		r.press("enter")
		r.dialogs(1)
		r.press("ctrl+u")
		r.write("2")
		r.press("enter")
		r.dialogs(0)
		r.pass(4 * time.Second)
		if !strings.Contains(r.rows()[0], " 2s ") {
			r.Errorf("the header says %q", r.rows()[0])
		}
		took := func(seconds int) (n int) {
			for range seconds {
				before := r.root.desk.Hosts[0].Snap
				if r.pass(time.Second); r.root.desk.Hosts[0].Snap != before {
					n++
				}
			}
			return n
		}
		if n := took(8); n != 4 {
			r.Errorf("%d samples in 8 s, want 4", n)
		}
	})
}

func TestPause(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(10)
		r.press("p")
		r.shows("paused")
		held := strings.Join(r.rows()[1:30], "\n")
		r.pass(10 * time.Second)
		if now := strings.Join(r.rows()[1:30], "\n"); now != held {
			r.Errorf("the screen went on:\n%s\nwant\n%s", now, held)
		}
		r.press("x")
		r.shows("Explain")
		r.press("esc", "p")
		r.hides("paused")
		if now := strings.Join(r.rows()[1:30], "\n"); now == held {
			r.Error("the screen does not go on")
		}
		if n := r.root.desk.Hosts[0].Snap.Timeline.Next(); n < 20 {
			r.Errorf("sampling stood still: %d samples", n)
		}
	})
}

// Several hosts begin side by side; > and < go through them and back to all.
func TestHosts(t *testing.T) {
	onScreens(t, rigOptions{hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c) }, w: 140}, func(r *rig) {
		r.begin(10)
		r.shows("sql01", "sql04", "web02", "dc01", "denied")
		r.press(">")
		r.pass(2 * time.Second)
		r.shows("sql01")
		r.hides("web02")
		r.press("tab")
		focused := r.focused()
		r.press(">")
		r.shows("sql04", "denied")
		r.press(">")
		r.shows("web02")
		r.press("3")
		r.pass(2 * time.Second)
		r.shows("w3wp", "[3 Top]")
		r.press(">")
		r.pass(2 * time.Second)
		r.shows("dc01", "lsass", "[3 Top]")
		r.press("esc")
		r.shows("web02", "[1 Deck]")
		r.press(">", ">")
		r.shows("sql01", "web02")
		r.press(">")
		r.hides("web02")
		if was, _, _ := strings.Cut(focused, " since"); !strings.HasPrefix(r.focused(), was) {
			r.Errorf("the focus of the first host was %q, is %q", focused, r.focused())
		}
	})
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(1)
		r.press(">")
		r.shows("there is one host")
	})
}

// A host that refuses does not hinder the others, says so where its values
// would be, and can be asked again.
func TestRefused(t *testing.T) {
	onScreens(t, rigOptions{hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[1:2] }}, func(r *rig) {
		r.begin(2)
		r.shows("access denied")
		for _, k := range []string{"a", "d", "u", "t", "x", "enter", "z", "tab", "j", "G", "g", "3", "1", "?", "esc", "/", "esc", "R"} {
			r.press(k)
		}
		r.press("3")
		r.shows("refuses to show its counters", "hint: add the account", "next: in ")
	})
}

// The word at the end of the line of hints is a button, as the others.
func TestClickOnHelp(t *testing.T) {
	for _, size := range [][2]int{{60, 15}, {120, 36}} {
		onScreens(t, rigOptions{w: size[0], h: size[1]}, func(r *rig) {
			r.begin(2)
			for _, text := range []string{"? help", "help"} {
				r.click(text)
				if r.root.dialog() == nil {
					r.Errorf("%v: a click on %q opens nothing", size, text)
				}
				r.press("esc")
			}
		})
	}
}

func TestQuit(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"ctrl+c"}, {"3", "q"}, {"x", "q"}, {"?", "ctrl+c"}, {"a", "ctrl+c"}} {
		onScreens(t, rigOptions{}, func(r *rig) {
			r.begin(2)
			r.press(keys...)
			if !r.quit {
				r.Errorf("%v does not quit", keys)
			}
		})
	}
	onScreens(t, rigOptions{w: 160}, func(r *rig) {
		r.begin(2)
		r.press("a")
		r.write("q")
		if r.quit {
			r.Error("q in a text field quits")
		}
		r.press("esc")
		r.click("q quit")
		if !r.quit {
			r.Error("a click on the hint does not quit")
		}
	})
}

func TestTerminalKeys(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(2)
		for _, dialog := range []string{"", "?", "a"} {
			if dialog != "" {
				r.press(dialog)
			}
			before := *r.out
			r.press("ctrl+l")
			if r.out.repaints != before.repaints+1 {
				r.Errorf("ctrl+l does not repaint over %q", dialog)
			}
			r.press("ctrl+z")
			if r.out.suspends != before.suspends+1 {
				r.Errorf("ctrl+z does not suspend over %q", dialog)
			}
			r.press("esc")
		}
		r.press("x", "y")
		if len(r.out.copied) != 1 || r.out.copied[0] != `\Processor Information(_Total)\% Processor Time` {
			r.Errorf("copied %q", r.out.copied)
		}
	})
}

// A click beside a dialog hits nothing of it, nor of the screen below.
func TestClickBesideDialog(t *testing.T) {
	for _, open := range []string{"a", "i", "?"} {
		onScreens(t, rigOptions{w: 120, h: 36}, func(r *rig) {
			r.begin(3)
			r.press(open)
			before, deck := r.text(), len(r.root.book.Own(r.root.desk.Hosts[0]).Spec()[0].Paths)
			for y := range 36 {
				for _, x := range []int{0, 1, 2, 9, 10, 16, 17, 18, 60, 119} {
					if y > 5 && y < 32 && x > 5 && x < 115 {
						continue
					}
					r.clickAt(x, y)
				}
			}
			r.dialogs(1)
			if r.text() != before || len(r.root.book.Own(r.root.desk.Hosts[0]).Spec()[0].Paths) != deck {
				r.Errorf("clicks beside the dialog of %s changed\n%s\nto\n%s", open, before, r.text())
			}
		})
	}
}

func TestDialogMouse(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 36}, func(r *rig) {
		r.begin(3)
		r.press("a")
		r.write("disk sec")
		r.click("Avg. Disk sec/Write")
		r.dialogs(1)
		r.scroll("Avg. Disk sec/Write", tea.MouseWheelDown)
		r.scroll("Avg. Disk sec/Write", tea.MouseWheelUp)
		r.click("Avg. Disk sec/Write")
		if len(r.root.dialogs) == 1 {
			r.click("Avg. Disk sec/Write")
		}
		r.dialogs(0)
		r.shows("Disk sec/Write")
	})
}

// A key that does not apply says why, in the hint row.
func TestKeysThatDoNotApply(t *testing.T) {
	for _, c := range []struct{ open, key string }{
		{"", "u"}, {"", "R"}, {"", ">"}, {"", "<"}, // nothing to undo, and so on
		{"", "s"}, {"", "f"}, // of another screen
		{"3", "a"}, {"3", "d"}, {"3", "z"}, {"3", "u"},
		{"x", "z"}, {"x", "/"}, {"x", "s"},
	} {
		t.Run(c.open+c.key, func(t *testing.T) {
			onScreens(t, rigOptions{}, func(r *rig) {
				r.begin(3)
				if c.open != "" {
					r.press(c.open)
					r.pass(time.Second)
				}
				before := r.rows()
				r.press(c.key)
				after := r.rows()
				if !slices.Equal(before[:35], after[:35]) {
					r.Errorf("the screen changed:\n%s", r.text())
				}
				if before[35] == after[35] {
					r.Errorf("nothing is said: %q", after[35])
				}
				r.pass(5 * time.Second)
				if now := r.rows()[35]; now != before[35] {
					r.Errorf("the message stays: %q", now)
				}
			})
		})
	}
}

// A key means one thing on a screen, and on all screens what the table of
// actions says: screens say it in their own words.
func TestOneMeaning(t *testing.T) {
	known := map[string]bool{}
	for _, a := range keys.Actions() {
		for _, k := range a.Keys.All() {
			known[k] = true
		}
	}
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(3)
		check := func(screen string, bindings []keys.Binding) {
			for _, c := range panetest.Conflicts(bindings) {
				r.Errorf("%s: %s", screen, c)
			}
			for _, b := range bindings {
				for _, k := range b.Keys.All() {
					if !known[k] && k != "ctrl+c" {
						r.Errorf("%s: %s (%s) is not in the table of actions", screen, k, b.Text)
					}
				}
				if b.Do == nil && !slices.Contains([]string{"ctrl+l", "ctrl+z"}, b.Keys.First()) {
					r.Errorf("%s: %s does nothing", screen, b.Keys.First())
				}
				if !slices.Contains(keys.Sections, b.In()) {
					r.Errorf("%s: %s is in no section of the help", screen, b.Keys.First())
				}
			}
		}
		check("the frame", r.root.keys)
		for _, t := range r.root.tabs {
			check(t.screen.Title(), t.screen.Bindings())
		}
		r.press("x")
		check("Explain", r.root.screen().Bindings())
		r.press("esc", "L")
		r.shows("border")
	})
}

func samePane[P any](a, b P) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// A deck of the user's own: made of another, divided by hand, written, kept, and
// found again by another run.
func TestNamedDeck(t *testing.T) {
	var kept session.Saved
	saves := 0
	onScreens(t, rigOptions{kept: &kept, save: func() { saves++ }}, func(r *rig) {
		r.begin(3)
		r.press("W")
		r.write("night")
		r.press("enter")
		r.dialogs(0)
		if saves == 0 || len(kept.Decks) != 1 || kept.Decks[0].Name != "night" || len(kept.Decks[0].Panes) != len(testDeck) {
			t.Fatalf("%d saves, kept %+v", saves, kept.Decks)
		}
		r.shows("night")
		r.press("L", "right", "right", "down", "enter", "W")
		if kept.Decks[0].Layout == "" {
			t.Errorf("the layout is not kept: %+v", kept.Decks[0])
		}
		r.press("u")
		r.press("D")
		r.dialogs(1)
		r.shows("night", "rename night", "delete night")
		r.press("esc")
	})
	onScreens(t, rigOptions{kept: &kept, save: func() {}}, func(r *rig) {
		r.begin(3)
		r.hides("night")
		r.press(":")
		r.write("night")
		r.press("enter")
		r.pass(time.Second)
		r.shows("night", "Memory", "User Time")
		r.hides("Memory sql01") // of one host the header says it
		r.press("D")
		r.write("delete")
		r.press("enter")
		if len(kept.Decks) != 0 {
			t.Errorf("the deck is still kept: %+v", kept.Decks)
		}
		r.press("u")
		if len(kept.Decks) != 1 {
			t.Error("undo does not bring the deck back")
		}
	})
}

// The layout mode moves borders and panes; esc leaves the deck as it was.
func TestLayoutMode(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 36}, func(r *rig) {
		r.begin(3)
		width := func() int {
			x, _, _ := r.find("─ Process ─")
			return x
		}
		r.press("tab")
		told := func() string { return strings.ReplaceAll(r.text(), " … ", "   ") } // facts are asked for anew
		before, at := told(), width()
		r.press("L", "right", "right", "right")
		if now := width(); now <= at {
			r.Errorf("the border was at %d and is at %d", at, now)
		}
		r.press("esc")
		if after := told(); after != before {
			r.Errorf("esc leaves\n%s\nof\n%s", after, before)
		}
		r.press("L", "L", "enter")
		if x, _, _ := r.find("Memory"); x < 10 {
			r.Errorf("Memory is at %d:\n%s", x, r.text())
		}
		r.press("L", "|")
		r.dialogs(1)
		r.write("disk sec tr")
		r.press("enter", "enter")
		r.shows("PhysicalDisk")
		for range 3 {
			r.press("u")
		}
		r.pass(5 * time.Second)
		r.hides("PhysicalDisk")
	})
}

// Marked rows are charted together; the cursor shows their values at its time
// on every screen.
func TestMarkAndChart(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(20)
		r.press("3")
		r.pass(2 * time.Second)
		r.press("space", "space", "c")
		r.shows("[5 Chart]", "sqlservr")
		if n := len(r.root.chart.Selected()); n == 0 {
			r.Error("nothing is charted")
		}
		r.press("1", "c")
		r.press("h", "h", "h")
		if !r.root.desk.Past() {
			r.Fatal("the cursor does not leave now")
		}
		at := r.root.desk.At.Format("15:04:05")
		r.press("1")
		r.shows(at, ". now")
		r.press(".")
		r.hides(". now")
	})
}

// "sample now" shows newer values between two beats, also on a paused screen, and
// leaves history alone.
func TestSampleNow(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(5)
		r.press("i")
		r.write("1m")
		r.press("enter")
		r.pass(70 * time.Second)
		snap := func() *session.Snapshot { return r.root.desk.Hosts[0].Snap }
		samples, was := snap().Timeline.Next(), snap().Time
		for _, keys := range [][]string{{":"}, {"p", ":"}} {
			r.pass(7 * time.Second)
			if !snap().Time.Equal(was) {
				r.Fatal("a sample came by itself")
			}
			r.press(keys...)
			r.write("sample now")
			r.press("enter")
			if d := snap().Time.Sub(was); d < 7*time.Second {
				r.Errorf("the values are %v newer than before", d)
			}
			was = snap().Time
		}
		if n := snap().Timeline.Next(); n != samples {
			r.Errorf("the history has %d samples, had %d", n, samples)
		}
	})
}

// On a pane whose host is not watched the keys of hosts say so; they do not act on
// another host.
func TestKeysOnAHostThatIsNotWatched(t *testing.T) {
	kept := &session.Saved{Decks: []session.Deck{{Name: "night", Panes: []session.DeckPane{
		{Host: "sql01", Paths: []string{`\Memory\Available MBytes`}},
		{Host: "gone01", Paths: []string{`\Memory\Available MBytes`}},
	}}}}
	onScreens(t, rigOptions{kept: kept, save: func() {}}, func(r *rig) {
		r.begin(3)
		r.root.do(pane.OpenDeck{Name: "night"})
		r.settle()
		r.press("R")
		r.shows("sql01 answers")
		r.press("tab")
		r.shows("~ not watched")
		for _, key := range []string{"R", "t"} {
			r.press(key)
			r.shows("this host is not watched: 7 a adds it", "[1 Deck]")
		}
	})
}
