package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/panetest"
)

// Keys move the time of the player.
func TestKeys(t *testing.T) {
	r := newRig(t, 120, canvas.Full)
	for _, step := range []struct{ key, at string }{
		{"[", "03:07:15"}, {"]", "03:08:15"}, {"{", "03:03:15"}, {"}", "03:08:15"},
	} {
		if r.press(step.key); !r.at.Equal(clock(step.at)) {
			t.Errorf("%s leads to %v, want %s", step.key, r.at, step.at)
		}
	}
	if r.press("p"); r.playing {
		t.Error("still playing")
	}
	r.press(",")
	r.press(";")
	if r.press(";"); r.steps != 1 {
		t.Errorf("%d steps", r.steps)
	}
	r.at = r.last
	if r.press("]"); !strings.HasPrefix(fmt.Sprint(r.sent), "[not now") {
		t.Errorf("behind the end: %v", r.sent)
	}
	if r.press("."); r.ends != 1 {
		t.Error("did not go to the end")
	}
	r.desk.At = clock("02:00:00")
	if r.press("."); r.ends != 1 || len(r.sent) != 1 || r.sent[0] != (pane.MoveTo{}) {
		t.Errorf("from a moment of the past: %v", r.sent)
	}
	if r.press("["); len(r.sent) != 1 || r.sent[0] != (pane.MoveTo{}) {
		t.Errorf("the screens show the moment before: %v", r.sent)
	}
	if dup := panetest.Conflicts(r.bar.Bindings()); len(dup) > 0 {
		t.Errorf("conflicts %v", dup)
	}
}

// Dialogs take a speed and a time, and say what is wrong with others.
func TestDialogs(t *testing.T) {
	r := newRig(t, 120, canvas.Full)
	r.press("i")
	ask := r.sent[0].(pane.AskText)
	if err := ask.Done("x60"); err != nil || r.speed != 60 || ask.Text != "10" {
		t.Errorf("speed %d, %v", r.speed, err)
	}
	for _, text := range []string{"", "0", "-1", "1001", "fast"} {
		if err := ask.Done(text); err == nil || r.speed != 60 {
			t.Errorf("%q: speed %d, %v", text, r.speed, err)
		}
	}
	r.press("@")
	ask = r.sent[0].(pane.AskText)
	for text, want := range map[string]string{"23:30": "23:30:00", "05:00:30": "05:00:30", "2026-03-03 01:00": "01:00:00"} {
		if err := ask.Done(text); err != nil || !r.at.Equal(clock(want)) {
			t.Errorf("%q leads to %v, %v", text, r.at, err)
		}
	}
	r.at = clock("01:00:00")
	if err := ask.Done("-20m"); err != nil || !r.at.Equal(clock("00:40:00")) {
		t.Errorf("leads to %v, %v", r.at, err)
	}
	for _, text := range []string{"", "then", "25:00", "20m"} {
		if err := ask.Done(text); err == nil {
			t.Errorf("%q is a time", text)
		}
	}
}

// The next alert and the next gap are gone to; bookmarks come and go, and can be
// undone.
func TestMarksAndGaps(t *testing.T) {
	r := newRig(t, 120, canvas.Full)
	if r.press("!"); !strings.HasPrefix(fmt.Sprint(r.sent), "[not now") {
		t.Errorf("without marks: %v", r.sent)
	}
	r.press("b")
	did := r.sent[0].(pane.Did)
	if len(r.marks) != 1 || !r.marks[0].At.Equal(r.at) {
		t.Fatalf("marks %v", r.marks)
	}
	if did.Undo(); len(r.marks) != 0 {
		t.Errorf("undone: %v", r.marks)
	}
	r.press("b")
	r.press("b")
	if len(r.marks) != 0 {
		t.Errorf("twice: %v", r.marks)
	}
	r.sent[0].(pane.Did).Undo()
	if len(r.marks) != 1 {
		t.Errorf("undone: %v", r.marks)
	}
	r.at = clock("22:10:00")
	if r.press("!"); !r.at.Equal(clock("03:08:15")) {
		t.Errorf("the bookmark is at %v", r.at)
	}
	r.marks = append(r.marks, Mark{At: clock("00:00:00"), Level: pane.Warning, Text: "cpu"}, Mark{At: clock("05:00:00"), Level: pane.Critical, Text: "disk"})
	for _, want := range []string{"05:00:00", "00:00:00", "05:00:00"} {
		if r.press("!"); !r.at.Equal(clock(want)) {
			t.Errorf("the next alert is at %v, want %s", r.at, want)
		}
	}
	r.gaps = []Gap{{clock("01:00:00"), clock("01:10:00")}, {clock("02:00:00"), clock("02:01:00")}}
	r.at = clock("22:10:00")
	for _, step := range []struct{ key, at string }{{"~", "01:10:00"}, {"~", "02:01:00"}, {"~", "02:01:00"}, {"`", "01:10:00"}, {"`", "01:10:00"}} {
		if r.press(step.key); !r.at.Equal(clock(step.at)) {
			t.Errorf("%s leads to %v, want %s", step.key, r.at, step.at)
		}
	}
	r.seen = 0.25
	if r.press("`"); !strings.Contains(fmt.Sprint(r.sent), "25%") {
		t.Errorf("it does not say how much was read: %v", r.sent)
	}
}

// A click goes to a moment, dragging shows a range, the title plays and pauses.
func TestMouse(t *testing.T) {
	r := newRig(t, 120, canvas.Full)
	r.click(1, 1)
	if !r.at.Equal(r.first) {
		t.Errorf("the left edge is %v", r.at)
	}
	r.click(118, 2)
	if !r.at.Equal(r.last) {
		t.Errorf("the right edge is %v", r.at)
	}
	r.click(60, 0)
	if r.playing {
		t.Error("still playing")
	}
	from := r.click(30, 1)
	r.collect(func() { r.bar.Drag(from, 45, 1, false) })
	if row := []rune(r.draw()[1]); row[30] != '[' || row[45] != ']' {
		t.Errorf("dragged: %s", string(row))
	}
	r.collect(func() { r.bar.Drag(from, 45, 1, true) })
	begin, end := r.bar.moment(29, 118), r.bar.moment(45, 118)
	want := end.Sub(begin).Round(time.Second)
	if !r.at.Equal(end) || r.desk.Span != want {
		t.Errorf("at %v, span %v, want %v", r.at, r.desk.Span, want)
	}
	if selected := pane.SpanOf(begin, end); !slices.Contains(r.sent, tea.Msg(pane.SelectSpan{Span: selected})) {
		t.Errorf("sent %v, want %v selected", r.sent, selected)
	} else {
		r.desk.Selected = selected
	}
	rows := r.draw()
	if row := []rune(rows[2]); row[30] != '[' || row[45] != ']' {
		t.Errorf("the selected span: %s", rows[2])
	}
	if row := []rune(r.draw()[1]); r.span != want || row[30] != '[' {
		t.Errorf("span %v: %s", r.span, string(row))
	}
	before := r.at
	r.collect(func() { r.bar.Drag(pane.Hit{Kind: 3}, 9, 1, true) })
	r.collect(func() { r.bar.Click(pane.Hit{Kind: hitCell, A: 3}, tea.MouseRight) })
	if !r.at.Equal(before) {
		t.Errorf("moved to %v", r.at)
	}
	if utf8.RuneCountInString(r.draw()[1]) != 120 {
		t.Error("the row is not full")
	}
}

// A moment outside the recording leads to its nearer end, and that is said.
func TestMomentsOutside(t *testing.T) {
	for text, want := range map[string]string{
		"07:30": "06:00:00", "2026-03-04 12:00": "06:00:00", "2026-03-01": "22:00:00", "-9h": "22:00:00", "23:00": "", "06:00": "", "22:00": "",
	} {
		r := newRig(t, 120, canvas.Full)
		r.press("@")
		ask := r.sent[0].(pane.AskText)
		if err := ask.Done(text); err != nil {
			t.Fatal(err)
		}
		r.collect(ask.Then)
		said := ""
		for _, msg := range r.sent {
			if say, ok := msg.(pane.Say); ok {
				said = say.Text
			}
		}
		if (said == "") != (want == "") || !strings.Contains(said, want) {
			t.Errorf("%s: %q is said, want %q", text, said, want)
		}
	}
}

// The hint of the key to the end is there where the key leads somewhere; the key
// itself always works, for the recording may have grown.
func TestHintOfTheEnd(t *testing.T) {
	r := newRig(t, 120, canvas.Full)
	hint := func() string { return keys.Match(".", r.bar.Bindings()).Hint }
	if hint() == "" {
		t.Error("none on the way")
	}
	r.at = r.last
	if hint() != "" {
		t.Error("one at the end")
	}
	if r.press("."); r.ends != 1 {
		t.Error("the key does nothing at the end")
	}
	r.desk.At = clock("02:00:00")
	if hint() == "" {
		t.Error("none at a moment of the past")
	}
}

// In one row there is the title alone: it can be clicked, nothing else can.
func TestTitleAlone(t *testing.T) {
	for w := 40; w <= 120; w++ {
		r := newRig(t, w, canvas.Full)
		r.canvas = canvas.New(w, 1, canvas.Full)
		if title := r.draw()[0]; !strings.Contains(title, "x10") || !strings.Contains(title, "03:08:15") {
			t.Fatalf("width %d: %s", w, title)
		}
		if r.click(w/2, 0); r.playing {
			t.Fatal("still playing")
		}
		if title := r.draw()[0]; !strings.Contains(title, "paused") {
			t.Fatalf("width %d: %s", w, title)
		}
	}
}
