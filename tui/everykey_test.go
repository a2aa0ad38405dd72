package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// everyKey is all keys that mean something on any screen, and those that stand for others.
func everyKey(r *rig) []string {
	var out []string
	add := func(b keys.Binding) {
		for _, k := range b.Keys.All() {
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	for _, b := range r.root.bindings() {
		add(b)
	}
	for _, t := range r.root.tabs {
		for _, b := range t.screen.Bindings() {
			add(b)
		}
	}
	usual, _ := keys.NewMap(nil)
	for n := range 12 {
		if k := fmt.Sprintf("f%d", n+1); usual.Canonical(k) != k {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// functionKey types a key by the name that bindings have.
func functionKey(name string) tea.KeyPressMsg {
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "f")); err == nil && name[0] == 'f' {
		return tea.KeyPressMsg{Code: tea.KeyF1 + rune(n-1)}
	}
	return keyPress(name)
}

// trace is all that a key can change, but for what is drawn.
func (r *rig) trace() string {
	return fmt.Sprint(r.root.word.text, r.root.word.until.IsZero(), len(r.root.dialogs), r.root.at, len(r.root.above), r.out.copied, r.out.repaints, r.out.suspends,
		r.root.desk.At, r.root.desk.Span, r.root.paused, r.root.interval, r.root.ending, r.recorder)
}

// On every screen every key of any screen does something, or says why it does not.
func TestEveryKeyAnswers(t *testing.T) {
	screens := map[string]func(r *rig){
		"charted": func(r *rig) { r.press("c") },
		"Explain": func(r *rig) { r.press("x") },
		"zoomed":  func(r *rig) { r.press("z") },
		"matrix":  func(*rig) {},
		"by host": func(r *rig) { r.press("v") },
		"narrow":  func(r *rig) { r.send(resized{50, 20}) },
	}
	for _, tab := range newScreens(&pane.Desk{}).tabs {
		screens[tab.screen.Title()] = func(r *rig) { r.press(tab.key) }
	}
	for name, open := range screens {
		t.Run(name, func(t *testing.T) {
			var o rigOptions
			if slices.Contains([]string{"matrix", "by host", "narrow"}, name) {
				o.hosts = func(c *clocktest.Clock) []fake.Host { return fake.Demo(c) }
			}
			onScreens(t, o, func(r *rig) {
				r.begin(3)
				list := everyKey(r)
				for _, k := range list {
					r.root.dialogs, r.root.desk.At, r.root.paused, r.root.ending, r.quit = nil, time.Time{}, false, false, false
					r.root.above, r.root.trail, r.root.at = nil, nil, pane.TabDeck
					open(r)
					r.root.dialogs = nil
					r.root.word.text, r.root.word.until = "", time.Time{}
					b := r.root.options.Keys.Match(k, r.root.maps()...)
					if b != nil && b.In() == keys.Move {
						continue // at the end there is nowhere to go
					}
					before, text := r.trace(), r.text()
					r.send(functionKey(k))
					r.settle()
					if r.trace() == before && r.text() == text {
						what := "nothing bound"
						if b != nil {
							what = b.Text
						}
						t.Errorf("%q (%s) does nothing and says nothing", k, what)
					}
					r.root.dialogs = nil
					r.press("esc") // a search line that it opened takes letters
				}
			})
		})
	}
}
