package tui

import (
	"strings"
	"testing"
	"time"

	"perfdeck/tui/pane"
)

// What is added of one host comes to its deck alone, though that of all hosts is
// shown; a path that is there is not said to be added.
func TestAddOfOneHost(t *testing.T) {
	onScreens(t, rigOptions{w: 120, h: 36, hosts: demoHosts}, func(r *rig) {
		r.begin(5)
		if !r.root.book.IsShared() {
			t.Fatal("the deck of all hosts is not shown")
		}
		paths := func() (out []int) {
			for _, h := range r.root.book.Recordable() {
				out = append(out, len(h.Paths))
			}
			return out
		}
		before := paths()
		host := r.root.desk.Find("web02")
		const path = `\System\Context Switches/sec`
		r.send(pane.AddPaths{Host: host, Paths: []string{path}})
		r.pass(time.Second)
		for i, n := range paths() {
			want := before[i]
			if r.root.book.Recordable()[i].Host == host {
				want++
			}
			if n != want {
				t.Errorf("%s has %d paths, want %d", r.root.book.Recordable()[i].Host.Name, n, want)
			}
		}
		if text := r.text(); !strings.Contains(text, "added") || strings.Contains(text, "on all hosts") {
			t.Errorf("the message is wrong:\n%s", text)
		}
		after := paths()
		r.send(pane.AddPaths{Host: host, Paths: []string{path}})
		r.pass(time.Second)
		if text := r.text(); !strings.Contains(text, "is there already") {
			t.Errorf("that it is there is not told:\n%s", text)
		}
		for i, n := range paths() {
			if n != after[i] {
				t.Errorf("a path that is there came again: %v", paths())
			}
		}
	})
}

// A key of other screens says what it does there, in one short line.
func TestKeyOfOtherScreens(t *testing.T) {
	onScreens(t, rigOptions{w: 60, h: 15}, func(r *rig) {
		r.begin(5)
		r.press("o")
		if text := r.text(); !strings.Contains(text, "columns on Top") || !strings.Contains(text, "on Fleet") {
			t.Errorf("it says\n%s", text)
		}
		r.press("8", "space")
		for _, line := range r.rows() {
			if strings.Contains(line, "space: ") && strings.Contains(line, "…") {
				t.Errorf("it is cut: %q", line)
			}
		}
	})
}
