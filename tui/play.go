package tui

import (
	"io"
	"os/exec"

	tea "charm.land/bubbletea/v2"
)

// player runs a program on the terminal of the screens, which go on without being seen.
type player struct {
	*exec.Cmd

	output output
}

// SetStdin implements tea.ExecCommand, as do the others: the program has the terminal
// that the screens have.
func (p *player) SetStdin(r io.Reader)  { p.Stdin = r }
func (p *player) SetStdout(w io.Writer) { p.Stdout = w }
func (p *player) SetStderr(w io.Writer) { p.Stderr = w }

// Run gives the terminal to the program until it ends.
func (p *player) Run() error { return p.output.lend(p.Cmd.Run) }

// play shows a recording in place of the screens. Their hosts are asked, their rules
// judged and their recordings written on meanwhile.
func (r *root) play(file string) {
	cmd, err := r.options.Records.Player(file)
	if err != nil {
		r.say(err.Error())
		return
	}
	r.later(tea.Exec(&player{cmd, r.output}, func(err error) tea.Msg { return played{err} }))
}

// played tells that the screens are back.
type played struct{ err error }

// cameBack shows the screens again.
func (r *root) cameBack(msg played) {
	r.output.repaint()
	if msg.err != nil {
		r.say("the recording was not shown: " + msg.err.Error())
	}
}
