package dialog

import (
	"fmt"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/search"
)

// counters is a source of the counters of a host.
func counters(host string, stamp any, reads *int, names ...search.Entry) Source {
	return Source{
		Kind: Counters, Name: host, Stamp: stamp,
		Names: func() []search.Entry { *reads++; return append([]search.Entry(nil), names...) },
		Entry: func(i int) Entry {
			return Entry{
				Text: names[i].Name, Host: host, Detail: names[i].Of, Does: "add to deck", Do: do("add " + host + " " + names[i].Name),
				Other: func() []pane.MenuItem {
					return []pane.MenuItem{{Text: "chart", Key: "c", Do: do("chart " + names[i].Name)}, {Text: "explain", Key: "x", Why: "no sample yet"}}
				},
			}
		},
	}
}

// desk is what the palette of the mock-up finds.
type desk struct {
	reads  int
	stamp  int
	hidden bool // sql02 is gone
}

func (d *desk) sources() []Source {
	life := search.Entry{Name: "Page life expectancy", Of: "SQLServer:Buffer Manager"}
	out := []Source{
		SourceOf(Screens, []Entry{{Text: "Deck", Key: "1", Does: "open", Do: do("go deck")}, {Text: "Chart", Key: "5", Does: "open", Do: do("go chart")}}),
		SourceOf(Actions, []Entry{
			{Text: "Replay file...", Detail: "open a recording", Does: "do it", Do: do("replay")},
			{Text: "Sample now", Detail: "do not wait for the tick", Does: "do it", Do: do("sample")},
			{Text: "Split pane", Detail: "layout", Key: "L", Does: "do it", Do: do("split")},
			{Text: "Signal the process", Key: "ctrl+k", Why: "not on remote hosts", Does: "do it", Do: do("signal")},
		}),
		SourceOf(Hosts, []Entry{{Text: "plexus-file-02", Detail: "state ok, 4 ms", Does: "open", Do: do("host")}}),
		SourceOf(Decks, []Entry{{Text: "people-portal", Detail: "6 panes, 3 hosts", Does: "open", Do: do("deck")}}),
		counters("sql01", d.stamp, &d.reads, life, search.Entry{Name: "Page life expectancy", Of: "SQLServer:Buffer Node"}, search.Entry{Name: "% Processor Time", Of: "Processor"}),
	}
	if !d.hidden {
		out = append(out, counters("sql02", 0, &d.reads, life))
	}
	return out
}

// mockup reads the dialog out of a mock-up of the specification.
func mockup(t *testing.T, name string) []string {
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(data), "\n"), "\n")
}

// The palette stands and looks as in the mock-up: its frame, search line, rules,
// rows and hints, cell for cell; only the order of what is found is the search's.
func TestPaletteIsTheMockup(t *testing.T) {
	want := mockup(t, "palette-80x24.txt")
	p := NewFinder((&desk{}).sources).Open(out, nil)
	r := newRig(t, p, 80, 24, canvas.Full)
	r.press("ple", "down")
	got := r.Canvas.Rows()
	rows := map[string]bool{}
	cut := func(row string) string { return string([]rune(row)[9:71]) }
	for _, y := range []int{6, 7, 8, 9, 10, 11} {
		rows[strings.ReplaceAll(cut(got[y]), "►", " ")] = true
	}
	for y := 3; y < 19; y++ {
		row := cut(want[y])
		switch {
		case y >= 6 && y <= 13:
			if strings.Contains(row, "Replay file") || strings.Contains(row, "Split pane") {
				continue // letters across words are not taken for a name
			}
			if row := strings.ReplaceAll(row, "►", " "); !rows[row] {
				t.Errorf("no row is %q:\n%s", row, r.Canvas)
			}
		case y == 4:
			if row = strings.Replace(row, "8 of 48,402", "6 of 12", 1); strings.Join(strings.Fields(row), " ") != strings.Join(strings.Fields(cut(got[y])), " ") {
				t.Errorf("row %d is %q, want %q", y, cut(got[y]), row)
			}
		case row != cut(got[y]):
			t.Errorf("row %d is %q, want %q", y, cut(got[y]), row)
		}
	}
	if !strings.HasPrefix(r.Selected(), "► ") {
		t.Errorf("selected %q", r.Selected())
	}
	if st := r.StyleOf("ple now"); st != themes.Focus.Bold().On(themes.Surface) {
		t.Errorf("found letters are %v on %v", st.Foreground(), st.Background())
	}
	if st := r.StyleOf("Go to or do"); st != themes.Focus.Bold().On(themes.Surface) {
		t.Errorf("the title is %v", st.Foreground())
	}
}

func TestPaletteOpensWithoutCounters(t *testing.T) {
	d := &desk{}
	f := NewFinder(d.sources)
	r := newRig(t, f.Open(out, nil), 80, 24, canvas.Full)
	if d.reads != 0 {
		t.Errorf("counters were read %d times before anything was typed", d.reads)
	}
	r.Shows("screen   Deck", "action   Replay file...", "host     plexus", "deck     people", "enter open")
	r.Hides("counter  ", " of ")
	r.press("life")
	r.Shows("counter  Page life expectancy", "3 of 12", "enter add to deck", "tab other actions")
	if d.reads != 2 {
		t.Errorf("counters were read %d times, want once a host", d.reads)
	}
	// Opened again: what did not change is not read again, what went is gone.
	f.Open(out, nil)
	r = newRig(t, f.Open(out, nil), 80, 24, canvas.Full)
	r.press("life")
	if d.reads != 2 {
		t.Errorf("counters were read again: %d", d.reads)
	}
	d.stamp, d.hidden = 1, true
	r = newRig(t, f.Open(out, nil), 80, 24, canvas.Full)
	r.press("life")
	r.Shows("2 of 11")
	if d.reads != 3 {
		t.Errorf("counters were read %d times after one host's changed", d.reads)
	}
	d.hidden = false
	r = newRig(t, f.Open(out, nil), 80, 24, canvas.Full)
	r.press("sql02 life")
	r.Shows("1 of 12")
	r.press("enter")
	r.got(pane.Say{Text: "add sql02 Page life expectancy"})
}

func TestPaletteDoes(t *testing.T) {
	open := func() *rig { return newRig(t, NewFinder((&desk{}).sources).Open(out, nil), 80, 24, canvas.Full) }
	r := open()
	r.press("sql01 ple", "down", "enter")
	r.got(pane.Say{Text: "add sql01 Page life expectancy"})
	if !r.closed {
		t.Error("the palette stays open")
	}
	r = open()
	r.press("deck: ")
	r.Shows("1 of 1")
	r.press("enter")
	r.got(pane.Say{Text: "deck"})
	r = open()
	r.press("counter:")
	r.Shows("counter  % Processor Time", "counter  Page life")
	r.Hides("action  ", "deck    ")
	r = open()
	r.press("xyzzy", "enter", "tab", "down")
	r.got()
	r.Shows("nothing has these words", "0 of 12")
	// A word before a colon that is no kind is searched as it is.
	r = open()
	r.press("sqlserver:buffer")
	r.Shows("3 of 12")
	r.press("esc")
	if !r.closed {
		t.Error("esc does not close")
	}
	// What cannot be done says why and stays.
	r = open()
	r.press("signal")
	r.Shows("not on remote hosts")
	r.Hides("enter do it")
	r.press("enter")
	r.got()
	if r.closed || !strings.Contains(r.Canvas.String(), "Signal the process: not on remote hosts") {
		t.Errorf("closed %v:\n%s", r.closed, r.Canvas)
	}
}

func TestPaletteOffersOtherActions(t *testing.T) {
	r := newRig(t, NewFinder((&desk{}).sources).Open(out, nil), 80, 24, canvas.Full)
	r.press("sql01 ple", "tab")
	r.Shows("add to deck", "chart", "explain: no sample yet", "back to what was found")
	r.press("esc")
	r.Shows("counter  Page life expectancy", "tab other actions")
	r.press("tab", "down", "enter")
	r.got(pane.Say{Text: "chart Page life expectancy"})
	if !r.closed {
		t.Error("the palette stays open")
	}
	r = newRig(t, NewFinder((&desk{}).sources).Open(out, nil), 80, 24, canvas.Full)
	r.press("sql01 ple", "tab")
	r.paste("cha")
	r.Shows("chart")
	r.Hides("explain")
	r.press("tab")
	r.press(": deck", "backspace")
	r = newRig(t, NewFinder((&desk{}).sources).Open(out, nil), 80, 24, canvas.Full)
	r.press("people", "tab")
	r.Shows("nothing else can be done with it")
}

func TestPaletteMouseAndPaste(t *testing.T) {
	r := newRig(t, NewFinder((&desk{}).sources).Open(out, nil), 80, 24, canvas.Full)
	r.paste("sql01\nple\x1b[31m")
	r.press("backspace", "backspace", "backspace", "backspace")
	r.paste("\r\n")
	r.Shows("2 of 12")
	r.click("Buffer Node", tea.MouseLeft)
	if !strings.Contains(r.Selected(), "Buffer Node") {
		t.Errorf("selected %q", r.Selected())
	}
	r.got()
	r.click("Buffer Node", tea.MouseRight)
	r.Shows("explain: no sample yet")
	r.click("back to", tea.MouseLeft)
	r.click("enter add", tea.MouseLeft)
	r.got(pane.Say{Text: "add sql01 Page life expectancy"})
	r = newRig(t, NewFinder((&desk{}).sources).Open(out, nil), 80, 24, canvas.Full)
	was := r.Selected()
	r.wheel(3)
	if r.Selected() != was {
		t.Errorf("the wheel selects %q though all is in view", r.Selected())
	}
	r.click("esc close", tea.MouseLeft)
	if !r.closed {
		t.Error("a click on a hint does not press it")
	}
}

// The palette teaches the keys as the user has them.
func TestPaletteShowsTheUsersKeys(t *testing.T) {
	m, errs := keys.NewMap(map[string][]string{"layout": {"f9"}})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	r := newRig(t, NewFinder((&desk{}).sources).Open(out, m), 80, 24, canvas.Full)
	r.press("split")
	r.Shows("F9 │")
}

// manyCounters are the counters of one host, as many as a catalogue of a hundred
// sets has.
func manyCounters(n int) []search.Entry {
	words := strings.Fields("Page Pool Processor Disk Transfer Bytes Queue Length Average Committed Lock Wait Buffer Cache Hit Ratio Network Total Sent Read Write")
	out := make([]search.Entry, n)
	for i := range out {
		out[i] = search.Entry{
			Name: fmt.Sprintf("%s %s %s/%d", words[i%len(words)], words[i/7%len(words)], words[i/3%len(words)], i),
			Of:   "Set " + words[i%5], Text: "The number of " + words[i%11] + " operations since the service was started.",
		}
	}
	return out
}

// Opening costs nothing of the counters; the first letter reads them; the rest is
// the search.
func BenchmarkPalette(b *testing.B) {
	names := manyCounters(50_000)
	reads := 0
	sources := func() []Source { return append((&desk{}).sources(), counters("big", 1, &reads, names...)) }
	b.Run("first letter of 25 hosts alike", func(b *testing.B) {
		alike := func() []Source {
			out := (&desk{}).sources()
			for i := range 25 {
				out = append(out, counters(fmt.Sprint("host", i), 1, &reads, names[:2000]...))
			}
			return out
		}
		for b.Loop() {
			r := newRig(b, NewFinder(alike).Open(out, nil), 80, 24, canvas.Full)
			r.press("p")
		}
	})
	b.Run("first letter", func(b *testing.B) {
		for b.Loop() {
			r := newRig(b, NewFinder(sources).Open(out, nil), 80, 24, canvas.Full)
			r.press("p")
		}
	})
	f := NewFinder(sources)
	f.Open(out, nil)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			f.Open(out, nil)
		}
	})
	r := newRig(b, f.Open(out, nil), 80, 24, canvas.Full)
	b.Run("letter", func(b *testing.B) {
		for b.Loop() {
			r.press("disk tr")
			r.press("ctrl+u")
		}
	})
}

// Counters of one name can be told apart on the smallest screen: by what they
// belong to, and by their host where there are several.
func TestPaletteTellsApart(t *testing.T) {
	reads := 0
	entries := []search.Entry{{Name: "Disk Reads/sec", Of: "PhysicalDisk"}, {Name: "Disk Reads/sec", Of: "LogicalDisk"},
		{Name: "# of Exceptions that were thrown a second", Of: ".NET CLR Exceptions"}, {Name: "# of Exceptions that were thrown a second", Of: "Exceptions of all"}}
	for _, hosts := range [][]string{{""}, {"sql01", "sql02"}} {
		for _, w := range []int{40, 50, 60, 80} {
			var sources []Source
			for _, h := range hosts {
				sources = append(sources, counters(h, 0, &reads, entries...))
			}
			p := NewFinder(func() []Source { return sources }).Open(out, nil)
			r := newRig(t, p, w, 24, canvas.Full)
			r.press("sec")
			seen := map[string]bool{}
			for i := range len(entries) * len(hosts) {
				y, ok := r.rowOf(i)
				row := strings.ReplaceAll(r.Canvas.Rows()[y], "►", " ")
				if !ok || seen[row] {
					t.Errorf("%d cells, row %d is there twice, or not:\n%s", w, i, r.Canvas)
				}
				seen[row] = true
			}
		}
	}
}

// rowOf is the line of a choice.
func (r *rig) rowOf(i int) (y int, ok bool) {
	w, h := r.Canvas.Size()
	for y := range h {
		for x := range w {
			if hit, is := r.Hits.Get(r.Canvas.Hit(x, y)); is && hit.Kind == pane.HitRow && hit.B == i {
				return y, true
			}
		}
	}
	return 0, false
}
