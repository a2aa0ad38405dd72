package dialog

import (
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"perfdeck/tui/pane"
)

func press(code rune, text string, mod tea.KeyMod) tea.KeyPressMsg {
	return tea.KeyPressMsg{Code: code, Text: text, Mod: mod}
}

func TestTextDialog(t *testing.T) {
	var each []string
	var done string
	refuse := errors.New("not that")
	var out pane.Outbox
	closes := func() (n int) { out.Drain(func(pane.Intent) { n++ }); return n }
	d := NewText(&out, pane.AskText{Title: "T", Text: "old", Each: func(s string) error { each = append(each, s); return nil },
		Done: func(s string) error {
			if s == "old!" {
				return refuse
			}
			done = s
			return nil
		}})
	d.Key(press(tea.KeyEnd, "", 0)) // what is proposed is marked: typing would replace it
	d.Key(press('!', "!", 0))
	if d.Key(press(tea.KeyEnter, "", 0)); closes() > 0 || d.err != refuse.Error() {
		t.Error("a refused text closes the dialog")
	}
	d.Key(press('?', "?", 0))
	if d.err != "" {
		t.Error("the error stays while the text changes")
	}
	if d.Key(press(tea.KeyEnter, "", 0)); closes() != 1 || done != "old!?" {
		t.Errorf("accepted %q", done)
	}
	d.Key(press(tea.KeyEscape, "", 0))
	if each[len(each)-1] != "old" {
		t.Errorf("esc leaves %q", each)
	}
}
