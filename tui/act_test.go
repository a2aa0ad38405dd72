package tui

import (
	"runtime"
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
		const path = `\System\Threads`
		r.want(pane.AddPaths{Host: host, Paths: []string{path}})
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
		r.want(pane.AddPaths{Host: host, Paths: []string{path}})
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

// What is copied is one line that can be pasted anywhere: wildcards stand in paths
// for what cannot be printed, several paths are arguments, other text keeps its
// words. It is told when it is not what was there.
func TestCopied(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(1)
		for _, c := range []struct {
			send pane.Intent
			want string
			told string
		}{
			{pane.CopyPaths{Paths: []string{`\Memory\Available Bytes`}}, `\Memory\Available Bytes`, `copied \Memory\Available Bytes`},
			{pane.CopyPaths{Paths: []string{"\\Process(z\x1b[201~\r\nid\n;)\\Thread Count"}}, `\Process(z*[201~*id*;)\Thread Count`, `with * for what`},
			{pane.CopyPaths{Paths: []string{"\\A(\u202e\xff日本\u009b)\\B"}}, `\A(*日本*)\B`, `with * for what`},
			{pane.CopyPaths{Paths: []string{`\A(it's)\B`, "\\C(\n)\\D"}}, `'\A(it'\''s)\B' '\C(*)\D'`, `with * for what`},
			{pane.Copy{Text: "down; a\nb\x07"}, "down; a?b?", `with ? for what`},
			{pane.Copy{Text: "plain words"}, "plain words", `copied plain words`},
		} {
			if runtime.GOOS == "windows" {
				c.want = strings.ReplaceAll(strings.ReplaceAll(c.want, `'\''`, "\x00"), `'`, `"`)
				c.want = strings.ReplaceAll(c.want, "\x00", `'`)
			}
			r.want(c.send)
			if got := r.out.copied[len(r.out.copied)-1]; got != c.want {
				t.Errorf("%#v copies %q, want %q", c.send, got, c.want)
			}
			r.pass(time.Second)
			if text := r.text(); !strings.Contains(text, c.told) {
				t.Errorf("%#v is not told as %q:\n%s", c.send, c.told, text)
			}
		}
	})
}

// A key that only replays have says so, as one of another screen does.
func TestKeysOfReplays(t *testing.T) {
	onScreens(t, rigOptions{}, func(r *rig) {
		r.begin(2)
		for _, key := range []string{"b", "~", "`"} {
			r.press(key)
			r.shows(key+": ", "in replays")
		}
	})
}
