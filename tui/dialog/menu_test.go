package dialog

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session/text/field"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

func testMenu() pane.OpenMenu {
	return pane.OpenMenu{Title: `\\sql01\Memory\Available MBytes`, Items: []pane.MenuItem{
		{Text: "record it", Key: "r", Why: "in a replay nothing is recorded", Do: do("record")},
		{Text: "chart", Key: "c", Do: do("chart")},
		{Text: "explain the number", Key: "x", Do: do("explain")},
		{Text: "copy the path", Key: "y", Do: do("copy")},
		{Text: "rename", Do: do("rename")},
	}}
}

func TestMenu(t *testing.T) {
	m, errs := keys.NewMap(map[string][]string{"explain": {"E"}})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	r := newRig(t, NewMenu(out, testMenu(), m), 80, 24, canvas.Full)
	r.Shows(`\\sql01\Memory\Available MBytes`, "record it: in a replay nothing is recorded", " c   │", " E   │", "type to narrow")
	if !strings.HasPrefix(r.Selected(), "► chart") {
		t.Errorf("selected %q, want the first that can be done", r.Selected())
	}
	if st := r.StyleOf("record it"); st != themes.Muted.On(themes.Surface) {
		t.Errorf("what cannot be done is %v", st.Foreground())
	}
	r.press("down", "enter")
	r.got(pane.Say{Text: "explain"})
	if !r.closed {
		t.Error("the menu stays open")
	}
	// What cannot be done stays.
	r = newRig(t, NewMenu(out, testMenu(), nil), 80, 24, canvas.Full)
	r.press("up", "enter")
	if r.got(); r.closed {
		t.Error("what cannot be done closes the menu")
	}
	if n := strings.Count(r.Canvas.String(), "in a replay nothing is recorded"); n != 2 {
		t.Errorf("the reason of the selected item is shown %d times, want beside it and whole below", n)
	}
	// Letters narrow, whatever key they are elsewhere.
	r.press("copy")
	r.Hides("chart", "explain")
	r.press("enter")
	r.got(pane.Say{Text: "copy"})
	r = newRig(t, NewMenu(out, testMenu(), nil), 80, 24, canvas.Full)
	r.paste(" THE\n")
	r.Shows("explain the number", "copy the path")
	r.Hides("rename")
	r.press("xyzzy", "enter")
	r.Shows("nothing here has these words")
	r.got()
	r.press("esc")
	if !r.closed {
		t.Error("esc does not close")
	}
}

// An item is found by what it is called elsewhere, and by what people call it.
func TestMenuFindsByOtherNames(t *testing.T) {
	items := pane.OpenMenu{Title: "Sort by", Items: []pane.MenuItem{
		{Text: "Working Set", Also: "Mem", Do: do("memory")},
		{Text: "% Processor Time", Do: do("processor")},
		{Text: "Thread Count", Do: do("threads")},
	}}
	for words, want := range map[string]string{"mem": "memory", "cpu": "processor", "core time": "processor", "set": "memory"} {
		r := newRig(t, NewMenu(out, items, nil), 80, 24, canvas.Full)
		r.Shows("Working Set  Mem")
		r.paste(words)
		r.Hides("Thread Count")
		r.press("enter")
		r.got(pane.Say{Text: want})
	}
}

func TestMenuMouse(t *testing.T) {
	r := newRig(t, NewMenu(out, testMenu(), nil), 80, 24, canvas.Full)
	r.click("copy the path", tea.MouseLeft)
	r.got()
	if !strings.HasPrefix(r.Selected(), "► copy") {
		t.Errorf("selected %q", r.Selected())
	}
	r.click("copy the path", tea.MouseRight)
	r.got()
	r.click("copy the path", tea.MouseLeft)
	r.got(pane.Say{Text: "copy"})
	r = newRig(t, NewMenu(out, testMenu(), nil), 80, 24, canvas.Full)
	was := r.Selected()
	r.wheel(100)
	if r.Selected() != was {
		t.Errorf("the wheel selects %q though all items are in view", r.Selected())
	}
	r.click("rename", tea.MouseLeft)
	r.click("enter do it", tea.MouseLeft)
	r.got(pane.Say{Text: "rename"})
}

// A long menu scrolls; the selected item is always seen.
func TestLongMenu(t *testing.T) {
	var items []pane.MenuItem
	for i := range 300 {
		items = append(items, pane.MenuItem{Text: "item " + strconv.Itoa(i), Do: do(strconv.Itoa(i))})
	}
	for _, size := range [][2]int{{40, 12}, {80, 24}, {200, 60}} {
		r := newRig(t, NewMenu(out, pane.OpenMenu{Title: "long", Items: items}, nil), size[0], size[1], canvas.Full)
		for i := range 300 {
			if want := "► item " + strconv.Itoa(i) + " "; !strings.HasPrefix(r.Selected(), want) {
				t.Fatalf("%v: selected %q, want %q", size, r.Selected(), want)
			}
			r.press("down")
		}
		for range 100 {
			r.press("pgup")
		}
		if !strings.HasPrefix(r.Selected(), "► item 0 ") {
			t.Errorf("%v: selected %q", size, r.Selected())
		}
		r.press("pgdown", "pgdown", "up", "enter")
		if len(r.sent) != 1 {
			t.Errorf("%v: sent %v", size, r.sent)
		}
	}
}

func testConfirm() pane.Confirm {
	return pane.Confirm{Title: "Send TERM", Text: "Send TERM to postgres, process 18201 of this computer? What it has not written is lost.",
		Yes: "send TERM", Do: do("sent")}
}

func TestConfirmIsSafe(t *testing.T) {
	open := func() *rig { return newRig(t, NewConfirm(out, testConfirm()), 80, 24, canvas.Full) }
	r := open()
	r.Shows("Send TERM", "What it has not written is lost.", "►[ No ]", " [ send TERM ]", "enter no")
	r.press("enter")
	if r.got(); !r.closed {
		t.Error("enter does not close")
	}
	// No other letter and nothing pasted answers.
	r = open()
	r.press("x", "s", "Z")
	r.paste("y\n")
	if r.got(); r.closed {
		t.Error("a letter answers")
	}
	for _, no := range []string{"n", "N"} {
		r = open()
		r.press("tab", no)
		if r.got(); !r.closed {
			t.Errorf("%s does not close", no)
		}
	}
	for _, way := range [][]string{{"tab", "enter"}, {"right", "enter"}, {"right", "right", "enter"}, {"shift+tab", "space"}, {"y"}, {"Y"}} {
		r = open()
		r.press(way...)
		r.got(pane.Say{Text: "sent"})
	}
	for _, way := range [][]string{{"tab", "tab", "enter"}, {"right", "left", "enter"}, {"right", "esc"}} {
		r = open()
		r.press(way...)
		if r.got(); !r.closed {
			t.Errorf("%v does not close", way)
		}
	}
	r = open()
	r.press("tab")
	r.Shows("►[ send TERM ]", "enter send TERM")
	r.Hides("►[ No ]")
	r.click("[ No ]", tea.MouseLeft)
	r.got()
	r = open()
	r.click("[ send TERM ]", tea.MouseRight)
	r.got()
	r.click("[ send TERM ]", tea.MouseLeft)
	r.got(pane.Say{Text: "sent"})
}

// The buttons stay however long the text and however small the screen is, and all
// of the text can be read.
func TestConfirmScrolls(t *testing.T) {
	ask := testConfirm()
	ask.Text = ""
	for i := range 60 {
		ask.Text += "word" + strconv.Itoa(i) + " and more of it, "
	}
	for _, size := range [][2]int{{40, 12}, {60, 16}, {120, 36}} {
		r := newRig(t, NewConfirm(out, ask), size[0], size[1], canvas.Full)
		seen := ""
		for range 60 {
			r.Shows("[ No ]", "[ send TERM ]", "esc no")
			seen += r.Canvas.String()
			r.press("down")
		}
		for i := range 60 {
			if !strings.Contains(seen, "word"+strconv.Itoa(i)) {
				t.Fatalf("%v: word%d cannot be reached:\n%s", size, i, r.Canvas)
			}
		}
		r.wheel(-1000)
		r.Shows("word0")
	}
}

// formSaved is what a form gave.
type formSaved struct{ field.Answers }

func testForm(saved *formSaved) pane.AskForm {
	number := func(s string) error {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return errors.New("not a number")
		}
		return nil
	}
	return pane.AskForm{
		Title: "Alert",
		Fields: []field.Line{
			{Name: "name", Label: "name", Value: "disk", Help: "unlike that of every other rule"},
			{Name: "side", Label: "when it is", Value: "above", Choices: []string{"above", "below"}, Help: "the side that is bad"},
			{Name: "limit", Label: "threshold", Value: "25", Unit: "ms", Help: "proposed from the window", Check: number},
			{Name: "for", Label: "for", Value: "3", Unit: "of 5 samples", Check: number},
		},
		Each: func(v field.Answers) []string {
			return []string{"would have fired " + v.Get("limit") + " times", "last at 14:07"}
		},
		Done: func(v field.Answers) error {
			switch v.Get("name") {
			case "taken":
				return errors.New("there is a rule of this name")
			case "low":
				return fmt.Errorf("rule low: %w", &field.Error{Field: "limit", Why: "it is always beyond it"})
			}
			saved.Answers = v
			return nil
		},
		Then: do("saved"),
	}
}

func TestForm(t *testing.T) {
	var saved formSaved
	open := func() *rig { return newRig(t, NewForm(out, testForm(&saved)), 80, 24, canvas.Full) }
	r := open()
	r.Shows("Alert", "► name", "unlike that", "threshold", " ms ", "of 5 samples", "< above >", "would have fired 25 times", "last at 14:07", "enter save", "tab next field", "esc cancel")
	// The value is marked: what is typed replaces it. Enter saves from anywhere.
	r.press("cpu", "tab", "right", "tab")
	r.Shows("proposed from the window", "< below >")
	r.press("40")
	r.Shows("would have fired 40 times")
	r.press("enter")
	r.got(pane.Say{Text: "saved"})
	if got := saved.Answers; !maps.Equal(got, field.Answers{"name": "cpu", "side": "below", "limit": "40", "for": "3"}) || !r.closed {
		t.Errorf("saved %q, closed %v", got, r.closed)
	}
	// What is wrong is said, where it is.
	r = open()
	r.press("down", "down", "x", "tab")
	r.Shows("threshold: not a number")
	r.press("shift+tab", "shift+tab", "enter")
	r.got()
	r.Shows("► threshold", "threshold: not a number")
	r.press("ctrl+u", "7")
	r.Hides("not a number")
	r.press("up", "up")
	r.paste("taken\n")
	r.press("enter")
	r.got()
	r.Shows("there is a rule of this name", "► name")
	r.press("ctrl+u")
	r.paste("low")
	r.press("enter")
	r.got()
	r.Shows("threshold: it is always beyond it", "► threshold")
	r.press("esc")
	if r.got(); !r.closed {
		t.Error("esc does not close")
	}
	// A choice takes no letters, but goes round.
	r = open()
	r.press("tab", "below", "space", "space", "left")
	r.Shows("< below >")
	r.paste("sideways")
	r.Shows("< below >")
	r.press("tab", "tab", "tab")
	r.Shows("► name")
}

func TestFormMouse(t *testing.T) {
	var saved formSaved
	r := newRig(t, NewForm(out, testForm(&saved)), 80, 24, canvas.Full)
	r.click("threshold", tea.MouseLeft)
	r.Shows("► threshold")
	r.click("< above", tea.MouseLeft)
	r.Shows("► when it is", "< below >")
	r.click("below >", tea.MouseLeft)
	r.Shows("< above >")
	r.wheel(1)
	r.Shows("► threshold")
	r.click("enter save", tea.MouseLeft)
	r.got(pane.Say{Text: "saved"})
}

// The fields scroll on the smallest screen; the hints stay.
func TestFormScrolls(t *testing.T) {
	ask := pane.AskForm{Title: "many", Each: func(field.Answers) []string { return []string{"preview"} }}
	for i := range 20 {
		ask.Fields = append(ask.Fields, field.Line{Label: "field " + strconv.Itoa(i), Value: "v", Help: "help " + strconv.Itoa(i) + "."})
	}
	r := newRig(t, NewForm(out, ask), 40, 12, canvas.ASCII)
	for i := range 20 {
		r.Shows("> field "+strconv.Itoa(i)+" ", "help "+strconv.Itoa(i)+".", "enter save")
		r.press("tab")
	}
	r.Shows("> field 0 ")
}

// What a form tells of its values goes on while nothing is typed.
func TestFormRetold(t *testing.T) {
	now := "14 ms"
	d := NewForm(out, pane.AskForm{
		Title: "T", Fields: make([]field.Line, 10),
		Each: func(field.Answers) []string { return []string{"one", "two", "three", "now " + now} },
	})
	r := newRig(t, d, 80, 24, canvas.Full)
	r.Shows("now 14 ms")
	now = "15 ms"
	r.passed += formRetold
	r.draw()
	r.Shows("now 15 ms")
}
