package panetest

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// named are the keys that are not written as they are typed.
var named = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "f1": tea.KeyF1,
}

var modifiers = []struct {
	name string
	mod  tea.KeyMod
}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}}

// IsKey tells whether a name is that of one key, not a text to be typed.
func IsKey(name string) bool {
	name, _ = modifiedBy(name)
	_, ok := named[name]
	return ok || utf8.RuneCountInString(name) == 1
}

// modifiedBy splits the modifiers off the name of a key.
func modifiedBy(name string) (rest string, mod tea.KeyMod) {
	for _, m := range modifiers {
		if rest, ok := strings.CutPrefix(name, m.name); ok && rest != "" {
			name, mod = rest, mod|m.mod
		}
	}
	return name, mod
}

// KeyPress is the press of a key by its name, as terminals send it.
func KeyPress(name string) tea.KeyPressMsg {
	name, mod := modifiedBy(name)
	code, ok := named[name]
	if !ok {
		code, _ = utf8.DecodeRuneInString(name)
	}
	k := tea.KeyPressMsg{Code: code, Mod: mod}
	switch {
	case mod != 0:
	case name == "space":
		k.Text = " "
	case !ok:
		k.Text = name
	}
	return k
}

// Typed are the presses that write a text.
func Typed(text string) (out []tea.KeyPressMsg) {
	for _, c := range text {
		name := string(c)
		if c == ' ' {
			name = "space"
		}
		out = append(out, KeyPress(name))
	}
	return out
}
