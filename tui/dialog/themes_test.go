package dialog

import (
	"testing"
	"testing/fstest"

	tea "charm.land/bubbletea/v2"

	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

func testThemes() []themes.Info {
	return themes.List(fstest.MapFS{
		"aaa.toml":  {Data: []byte("[dark]\ntext = \"red\"\n")},
		"mine.toml": {Data: []byte("about = \"what I like\"\n")},
		"zzz.toml":  {Data: []byte("about = \"the last\"\n")},
	})
}

func TestThemesArePreviewed(t *testing.T) {
	open := func() *rig { return newRig(t, NewThemes(out, testThemes(), "gruvbox"), 80, 30, canvas.Full) }
	r := open()
	r.Shows("► gruvbox", "warm and retro", "▲ warning", "■ critical", "○ careful", "~ stale", "A ▄▄▄", "H ▄▄▄", "selection", "enter keep")
	r.press("down")
	r.got(pane.SetTheme{Name: "high-contrast", Preview: true})
	r.press("down", "up")
	r.got(pane.SetTheme{Name: "light", Preview: true}, pane.SetTheme{Name: "high-contrast", Preview: true})
	r.press("enter")
	r.got(pane.SetTheme{Name: "high-contrast"})
	if !r.closed {
		t.Error("enter does not close")
	}
	r = open()
	r.press("end", "down") // the end is the end
	r.got(pane.SetTheme{Name: "zzz", Preview: true})
	r.press("esc")
	r.got(pane.SetTheme{Name: "gruvbox", Preview: true})
	if !r.closed {
		t.Error("esc does not close")
	}
	r = open()
	r.press("x", "space")
	r.paste("nord")
	r.wheel(3)
	r.got()
	r.click("nord", tea.MouseLeft)
	r.got(pane.SetTheme{Name: "nord", Preview: true})
	r.click("nord", tea.MouseLeft)
	r.got(pane.SetTheme{Name: "nord"})
}

// A theme that cannot be read is in the list with its error, and is not taken.
func TestBrokenThemeIsShown(t *testing.T) {
	r := newRig(t, NewThemes(out, testThemes(), themes.Default), 100, 30, canvas.Full)
	r.Shows("aaa")
	r.press("down")
	r.got()
	r.Shows("aaa.toml:2", "dark.text")
	r.press("enter")
	if r.got(); r.closed {
		t.Error("a broken theme is taken")
	}
	r.click("mine", tea.MouseLeft)
	r.got(pane.SetTheme{Name: "mine", Preview: true})
	r.Shows("yours: what I like")
}

func TestThemesWithoutAny(t *testing.T) {
	r := newRig(t, NewThemes(out, nil, "x"), 80, 24, canvas.Full)
	r.press("down", "enter", "end", "home")
	r.got()
	r.press("esc")
	r.got(pane.SetTheme{Name: "x", Preview: true})
}
