package tui

import (
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session"
	"perfdeck/session/text/printable"
	"perfdeck/tui/keys"
	"perfdeck/tui/layout"
	"perfdeck/tui/pane"
	"perfdeck/tui/pane/replay"
	"perfdeck/tui/terminal"
)

// What the root does with a recording that is played: its time bar stands above
// the hints, its keys go before those of the root, its position is now.

// awaitReplay waits until the position or the bar is another.
func (r *root) awaitReplay() tea.Cmd {
	if r.bar == nil {
		return nil
	}
	changed := r.options.Replay.Changed()
	return func() tea.Msg { <-changed; return then((*root).replayChanged) }
}

func (r *root) replayChanged() {
	if said := r.options.Replay.Said(); said != "" {
		r.note(pane.Careful, "", said)
		r.say(said)
	}
	r.later(r.awaitReplay())
}

// answer goes to the worst moment of a recording, unless the user did something before; zero:
// nothing was wrong.
func (r *root) answer(at time.Time, text string) {
	r.note(pane.Info, "", text)
	if r.pacing.inputs > 0 || r.options.Replay == nil {
		return
	}
	if r.say(text); !at.IsZero() {
		r.options.Replay.Seek(at)
	}
}

// notePlayed writes into the journal where the samples of a host end and go on.
func (r *root) notePlayed(w *watched, phase session.Phase) {
	switch {
	case phase == session.Stale:
		r.note(pane.Careful, w.Name, "the recording has no samples from here on")
	case phase == session.Live && w.phase != session.Connecting:
		r.note(pane.Info, w.Name, "the recording has samples again")
	}
}

// withoutPlayed leaves out keys that the time bar has: it means the same by them,
// for a recording.
func (r *root) withoutPlayed(list []keys.Binding) []keys.Binding {
	if r.bar == nil {
		return list
	}
	return slices.DeleteFunc(list, func(b keys.Binding) bool {
		return !slices.ContainsFunc(b.Keys.All(), func(k string) bool { return keys.Match(k, r.bar.Bindings()) == nil })
	})
}

// maps are the keys that hold now, those that win first.
func (r *root) maps() [][]keys.Binding { return r.mapsOf(r.screen()) }

// mapsOf are the keys that hold on a screen.
func (r *root) mapsOf(screen pane.Screen) [][]keys.Binding {
	if r.bar == nil {
		return [][]keys.Binding{screen.Bindings(), r.keys}
	}
	return [][]keys.Binding{screen.Bindings(), r.bar.Bindings(), r.keys}
}

// frame divides the screen; bar is empty where there is none. Where the body would
// not keep the rows that the smallest terminal has, the bar keeps its title alone,
// for that the time is past has to be seen everywhere.
func (r *root) frame() (f layout.Frame, bar layout.Rect) {
	f = layout.NewFrame(r.w, r.h)
	if r.bar == nil || f.TooSmall {
		return f, layout.Rect{}
	}
	rows := replay.Height
	if r.h < layout.MinHeight+replay.Height {
		rows = 1
	}
	f.Body.H -= rows
	return f, layout.Rect{X: 0, Y: f.Body.Y + f.Body.H, W: f.Body.W, H: rows}
}

// player runs a program on the terminal of the screens, which go on without being seen.
type player struct {
	*exec.Cmd

	output output
	said   tail
}

// tail is the end of what was written, at most so many bytes.
type tail struct{ bytes []byte }

const tailBytes = 2 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.bytes = append(t.bytes, b...)
	t.bytes = t.bytes[max(0, len(t.bytes)-tailBytes):]
	return len(b), nil
}

// SetStdin implements tea.ExecCommand, as do the others: the program has the terminal
// that the screens have.
func (p *player) SetStdin(r io.Reader) {
	if in, ok := r.(*terminal.Input); ok {
		r = in.File // whole: it takes its own keys
	}
	p.Stdin = r
}
func (p *player) SetStdout(w io.Writer) { p.Stdout = w }
func (p *player) SetStderr(w io.Writer) { p.Stderr = io.MultiWriter(w, &p.said) }

// Run gives the terminal to the program until it ends. Its error is what the program said.
func (p *player) Run() error {
	err := p.output.lend(p.Cmd.Run)
	if err == nil {
		return nil
	}
	for line := range strings.Lines(string(p.said.bytes)) {
		if _, why, ok := strings.Cut(line, "perfdeck: "); ok {
			return errors.New(printable.Text(strings.TrimSpace(why)))
		}
	}
	return err
}

// play shows a recording in place of the screens, at a moment or, where that is zero, from its
// beginning. Their hosts are asked, their rules judged and their recordings written on
// meanwhile.
func (r *root) play(file string, at time.Time) {
	cmd, err := r.options.Records.Player(file, at)
	if err != nil {
		r.say(err.Error())
		return
	}
	r.later(tea.Exec(&player{Cmd: cmd, output: r.output}, func(err error) tea.Msg {
		return then(func(r *root) { // the screens are back
			r.output.repaint()
			if err != nil {
				r.say("the recording was not shown: " + err.Error())
			}
		})
	}))
}
