package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/session/hosts/fake/faketest"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// story is what happened on two days.
func story() []pane.Entry {
	at := func(back time.Duration, l pane.Level, host, text string) pane.Entry {
		return pane.Entry{Time: now.Add(-back), Level: l, Host: host, Text: text}
	}
	return []pane.Entry{
		at(26*time.Hour, pane.Info, "sql01", "connected, 812 counters"),
		at(25*time.Hour, pane.Warning, "web02", "stale: read timed out after 5 s"),
		at(24*time.Hour, pane.Info, "web02", "back after 34 s"),
		at(time.Hour, pane.Critical, "sql01", "down: connection refused"),
		at(40*time.Minute, pane.Careful, "", "the state file could not be written: disk full"),
		at(time.Minute, pane.Info, "sql01", "back after 59 min"),
	}
}

// The newest entry is at the end, days are parted, levels have their signs.
func TestOrder(t *testing.T) {
	r := newRig(t, 100, 30, story()...)
	all := r.Canvas.String()
	last := -1
	for _, text := range []string{now.Add(-24 * time.Hour).Format("Monday 2 January"), "connected, 812", "stale: read", "back after 34 s",
		now.Format("Monday 2 January"), "down: connection", "disk full", "back after 59 min"} {
		i := strings.Index(all, text)
		if i <= last {
			t.Errorf("%q is not shown behind what came before:\n%s", text, all)
		}
		last = i
	}
	for _, row := range strings.Split(all, "\n") {
		for text, sign := range map[string]string{"stale: read": "▲", "down: connection": "■", "disk full": "○"} {
			if strings.Contains(row, text) && strings.Contains(row, ":") && !strings.HasPrefix(string([]rune(row)[1:2]), sign) {
				t.Errorf("%q has no %s", row, sign)
			}
		}
	}
	if !strings.Contains(r.Selected(), "59 min") {
		t.Errorf("%q is selected, want the newest", r.Selected())
	}
}

// The screen follows the end unless somebody looks at something else.
func TestFollow(t *testing.T) {
	r := newRig(t, 80, 20, story()...)
	add := func(text string) {
		r.Desk.Journal.Add(pane.Entry{Time: now, Text: text})
		r.Draw()
	}
	add("one more")
	if !strings.Contains(r.Selected(), "one more") {
		t.Errorf("the newest is not selected, but %q", r.Selected())
	}
	r.Press("k")
	was := r.Selected()
	for i := range 50 {
		add(fmt.Sprint("entry ", i))
		if r.Selected() != was {
			t.Fatalf("what is looked at went away: %q, was %q", r.Selected(), was)
		}
	}
	r.Shows("51 newer")
	r.Press("G")
	if !strings.Contains(r.Selected(), "entry 49") {
		t.Errorf("G selects %q", r.Selected())
	}
	add("and on")
	if !strings.Contains(r.Selected(), "and on") {
		t.Errorf("after G %q is selected", r.Selected())
	}
	r.Press("g")
	if !strings.Contains(r.Selected(), "812 counters") {
		t.Errorf("g selects %q", r.Selected())
	}
	r.Press("f")
	if !strings.Contains(r.Selected(), "and on") {
		t.Errorf("f selects %q", r.Selected())
	}
}

// Every entry can be reached by going up and down, one by one.
func TestStepByStep(t *testing.T) {
	r := newRig(t, 80, 12, story()...)
	r.Press("g")
	seen := map[string]bool{r.Selected(): true}
	for range 20 {
		r.Press("j")
		seen[r.Selected()] = true
	}
	if len(seen) != 6 || seen[""] {
		t.Errorf("going down shows %d entries", len(seen))
	}
	for range 20 {
		r.Press("k")
		if r.Selected() == "" {
			t.Fatalf("nothing is selected:\n%s", r.Canvas)
		}
	}
	if !strings.Contains(r.Selected(), "812 counters") {
		t.Errorf("going up ends at %q", r.Selected())
	}
}

// Enter shows the moment everywhere, y copies the line in full.
func TestEnterAndCopy(t *testing.T) {
	entries := story()
	r := newRig(t, 40, 14, entries...)
	r.Press("k", "k", "enter")
	if m, ok := r.Last().(pane.MoveTo); !ok || !m.At.Equal(entries[3].Time) {
		t.Errorf("enter sends %#v", r.Last())
	}
	r.Press("y")
	c, ok := r.Last().(pane.Copy)
	if !ok || !strings.Contains(c.Text, "down: connection refused") || !strings.Contains(c.Text, "critical") ||
		!strings.Contains(c.Text, "sql01") || !strings.Contains(c.Text, entries[3].Time.Format(time.RFC3339)) {
		t.Errorf("y sends %#v", r.Last())
	}
	if list := r.screen.Selected(); len(list) != 1 || list[0].Host != r.Desk.Hosts[0] {
		t.Errorf("%v is selected", list)
	}
	r.Press("j")
	if list := r.screen.Selected(); len(list) != 0 {
		t.Errorf("an entry without a host selects %v", list)
	}
	r.Click("34 s")
	r.Click("34 s")
	if m, ok := r.Last().(pane.MoveTo); !ok || !m.At.Equal(entries[2].Time) {
		t.Errorf("a click on the selected sends %#v", r.Last())
	}
}

func TestSearch(t *testing.T) {
	for text, want := range map[string]int{
		"": 6, "back": 2, "BACK": 2, "back 34": 1, "sql01": 3, "host:web": 2, "host:sql01 !back": 2, "level:critical": 1,
		"level:c": 2, "!": 0, "back or level:critical": 3, "text~34": 1, "nothing": 0, "!nothing": 6,
	} {
		f, _ := fields().Parse(text)
		n := 0
		for _, e := range story() {
			if f.Matches(&line{Entry: e}) {
				n++
			}
		}
		if n != want {
			t.Errorf("%q finds %d, want %d", text, n, want)
		}
	}
}

// A search shows what it finds alone, or among the rest; n and N go from find to
// find, around the ends.
func TestNext(t *testing.T) {
	r := newRig(t, 80, 24, story()...)
	r.Press("/")
	ask := r.Last().(pane.AskText)
	for i := range "back" {
		_ = ask.Each("back"[:i+1])
		r.Draw()
	}
	r.Shows("2 with back", "back after 34 s", "back after 59 min")
	r.Hides("connection refused", "812 counters")
	r.Press("z")
	r.Shows("connection refused")
	for _, step := range []struct{ key, want string }{
		{"n", "34 s"}, {"n", "59 min"}, {"N", "34 s"}, {"N", "59 min"}, {"k", "disk full"}, {"N", "34 s"}, {"j", "down"}, {"n", "59 min"},
	} {
		r.Press(step.key)
		if !strings.Contains(r.Selected(), step.want) {
			t.Errorf("%s selects %q, want %s", step.key, r.Selected(), step.want)
		}
	}
	x := strings.Index(r.Selected(), "back")
	x = len([]rune(r.Selected()[:x]))
	for y := range 24 {
		if r.Canvas.At(0, y).Rune == '►' {
			if st := r.Canvas.At(x, y).Style; st.Foreground() != themes.Focus {
				t.Errorf("the found letters are in %v", st.Foreground())
			}
		}
	}
	r.Press("esc")
	r.Hides("with back")
	if b := keys.Match("n", r.screen.Bindings()); b.Why() == "" {
		t.Error("n applies without a search")
	}
	r.Press("esc")
	if _, ok := r.Last().(pane.Back); !ok {
		t.Errorf("esc sends %#v", r.Last())
	}
}

func TestLevels(t *testing.T) {
	r := newRig(t, 80, 24, story()...)
	for _, want := range []int{3, 2, 1, 6} {
		r.Press("v")
		n := 0
		for _, row := range r.screen.Rows {
			if !row.day {
				n++
			}
		}
		if n != want {
			t.Errorf("from level %d on there are %d, want %d", r.screen.level, n, want)
		}
	}
	r.Press("v", "v", "v")
	r.Shows("critical and worse")
	r.Press("esc")
	if r.screen.level != pane.Info {
		t.Error("esc does not clear the level")
	}
}

// A long text is cut in the list and shown in full below.
func TestLongText(t *testing.T) {
	long := strings.Repeat("word ", 30) + "end"
	r := newRig(t, 60, 24, pane.Entry{Time: now, Host: "sql01", Text: long})
	if !strings.Contains(r.Selected(), "…") {
		t.Errorf("the line is %q", r.Selected())
	}
	if n := strings.Count(r.Canvas.String(), "word"); n < 30 {
		t.Errorf("%d of 30 words are shown:\n%s", n, r.Canvas)
	}
}

// A journal that drops its oldest entries keeps the selection on what is left.
func TestDropped(t *testing.T) {
	r := newRig(t, 80, 24)
	for i := range 10_000 {
		r.Desk.Journal.Add(pane.Entry{Time: now.Add(time.Duration(i) * time.Second), Text: fmt.Sprint("entry ", i)})
	}
	r.Draw()
	r.Press("g")
	if !strings.Contains(r.Selected(), "entry 0") {
		t.Fatalf("g selects %q", r.Selected())
	}
	r.Desk.Journal.Add(pane.Entry{Time: now.Add(time.Hour * 99), Text: "the last straw"})
	r.Draw()
	if !strings.Contains(r.Selected(), "entry 1000 ") {
		t.Errorf("%q is selected", r.Selected())
	}
	r.Shows("1000 older ones dropped")
}

func TestEmpty(t *testing.T) {
	r := newRig(t, 80, 24)
	r.Shows("Nothing happened")
	r.Press("enter", "y", "j", "k", "G", "g", "v", "f", "pgdown", "pgup")
	r.Shows("No entry fits", "esc")
	if len(r.screen.Selected()) != 0 {
		t.Error("something is selected")
	}
	r.screen.Click(pane.Hit{Kind: pane.HitRow, B: 3}, 1)
	r.screen.Wheel(pane.Hit{}, -3)
	r.Press("esc")
	r.Shows("Nothing happened")
}

func TestSweep(t *testing.T) {
	var hostile []pane.Entry
	for i, name := range faketest.HostileNames() {
		hostile = append(hostile, pane.Entry{Time: now.Add(time.Duration(i*i) * time.Hour), Level: pane.Level(i % 4), Host: name, Text: name + " " + name})
	}
	var many []pane.Entry
	for i := range 2000 {
		many = append(many, pane.Entry{Time: now.Add(time.Duration(i) * time.Minute), Level: pane.Level(i % 4), Host: "sql01", Text: fmt.Sprint("entry ", i)})
	}
	for name, entries := range map[string][]pane.Entry{"none": nil, "one": story()[:1], "six": story(), "many": many, "hostile": hostile} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 120, 34, entries...)
			r.Desk.At = now.Add(time.Hour)
			for _, key := range []string{"G", "g", "v"} {
				r.Press(key)
				for _, glyphs := range []canvas.GlyphSet{canvas.Full, canvas.ASCII} {
					for _, size := range panetest.GrowingSizes(5) {
						r.Sound(size[0], size[1], glyphs)
						at, l := r.screen.at(r.screen.Row()), &r.screen.List
						if l.Page() > 0 && l.Has() && (at != l.Line() || at < l.Top() || at >= l.Top()+l.Page()) {
							t.Fatalf("%v: row %d is not in view: %d of %d", size, at, l.Top(), l.Page())
						}
					}
				}
			}
		})
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

// Drawing a full journal, and one more entry in it.
func BenchmarkJournal(b *testing.B) {
	r := newRig(b, 200, 58)
	for i := range 10_000 {
		r.Desk.Journal.Add(pane.Entry{Time: now.Add(time.Duration(i) * time.Minute), Level: pane.Level(i % 4), Host: "sql01", Text: fmt.Sprint("no answer, attempt ", i)})
	}
	b.Run("again", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Draw()
		}
	})
	_ = r.screen.search.Set("attempt 77")
	b.Run("one more entry and a search", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.screen.stale = true
			r.Draw()
		}
	})
}
