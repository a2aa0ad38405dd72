package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/source/pcq"
	"perfdeck/session/source/ssh"
	"perfdeck/tui"
)

// sshProgram is the program that hosts are reached by.
const sshProgram = "ssh"

// sshParts are what the hosts of a run that are reached by ssh have in common.
type sshParts struct {
	program  *ssh.Program
	desk     *ssh.Desk
	binaries *ssh.Binaries
	gate     ssh.Gate
}

// sshCommon makes them, once.
func (p *program) sshCommon() (*sshParts, error) { return p.ssh.Get(p.newSSHParts) }

func (p *program) newSSHParts() (*sshParts, error) {
	known := &ssh.Known{}
	if dir, err := config.StateDir(); err == nil {
		known.File = filepath.Join(dir, "ssh.json")
	}
	found, err := ssh.Find(sshProgram, known)
	if err != nil {
		return nil, err
	}
	own, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	desk := &ssh.Desk{Program: own, Go: p.guard.Go}
	if term.IsTerminal(int(p.in.Fd())) {
		desk.Ask = p.askForSSH
	}
	return &sshParts{found, desk, &ssh.Binaries{Own: own, Dir: p.flags.deployFrom, Known: known}, ssh.NewGate()}, nil
}

// sshOptions say how a host is reached.
func (p *program) sshOptions(t target) (ssh.Options, error) {
	d, err := ssh.Parse(t.address)
	if err != nil {
		return ssh.Options{}, usage(err)
	}
	if d.User == "" {
		d.User = t.own.User
	}
	parts, err := p.sshCommon()
	if err != nil {
		return ssh.Options{}, err
	}
	return ssh.Options{
		Destination: d, Program: parts.program, Desk: parts.desk, Binaries: parts.binaries, Gate: parts.gate,
		Version: version, Environ: p.environ, Deploy: p.flags.deploy || t.own.Deploy, Go: p.guard.Go,
	}, nil
}

// openSSH is the source of a host that is reached by ssh.
func openSSH(p *program, t target) (session.Source, error) {
	o, err := p.sshOptions(t)
	if err != nil {
		return nil, err
	}
	return p.sshSource(t, o), nil
}

func (p *program) sshSource(t target, o ssh.Options) *ssh.Source {
	lcid, _ := pcq.LCIDOf(p.locale())
	return ssh.New(o, pcq.Options{
		Host: t.name, LCID: lcid, First: p.firstSets(), CacheDir: p.cacheDir(), Shared: &p.shared, Go: p.guard.Go,
	})
}

// sameSSH tells whether two addresses are the same to ssh.
func sameSSH(a, b string) bool {
	at, err := ssh.Parse(a)
	other, err2 := ssh.Parse(b)
	return err == nil && err2 == nil && at == other
}

// endSSH ends what they have in common.
func (p *program) endSSH() {
	if parts, made := p.ssh.Made(); made {
		parts.desk.Close()
	}
}

var errUnanswered = errors.New("no answer")

// askForSSH asks the user what ssh asks: in a dialog while the screens are there, else
// on the terminal.
func (p *program) askForSSH(ctx context.Context, q ssh.Question) (string, error) {
	if s, are := p.asks.Get(); are && s != nil {
		return askOnScreen(ctx, s, q)
	}
	if p.isOnScreen() {
		return "", errUnanswered
	}
	lines := strings.Split(q.Text, "\n")
	last := strings.TrimRight(lines[len(lines)-1], ": ")
	for _, line := range lines[:len(lines)-1] {
		fmt.Fprintln(p.err, session.Printable(line))
	}
	if q.Secret {
		b, err := p.prompt(last)
		defer clear(b)
		return string(b), err
	}
	if q.YesNo && !strings.Contains(last, "yes/no") {
		last += " (yes/no)"
	}
	for {
		fmt.Fprintf(p.err, "%s: ", session.Printable(last))
		answer, err := p.readLine()
		answer = strings.ToLower(strings.TrimSpace(answer))
		switch {
		case err != nil:
			return "", err
		case !q.YesNo || answer == "yes" || answer == "no":
			return answer, nil
		case answer == "y":
			return "yes", nil
		case answer == "n" || answer == "":
			return "no", nil
		}
	}
}

// readLine reads what the user types, up to the end of the line and not further.
func (p *program) readLine() (string, error) {
	const most = 1024 // bytes
	var line []byte
	b := make([]byte, 1)
	for len(line) < most {
		if _, err := p.in.Read(b); err != nil {
			return "", fmt.Errorf("ask: %w", err)
		}
		if b[0] == '\n' {
			break
		}
		line = append(line, b[0])
	}
	return string(line), nil
}

// askOnScreen asks in a dialog.
func askOnScreen(ctx context.Context, s *tui.Session, q ssh.Question) (string, error) {
	type answer struct {
		text string
		ok   bool
	}
	answers := make(chan answer, 1)
	ask := tui.Question{
		Title: "ssh to " + strings.TrimPrefix(q.Host, ssh.Scheme), Text: strings.ReplaceAll(q.Text, "\n", " "), Secret: q.Secret,
		Answer: func(text string, ok bool) { answers <- answer{text, ok} },
	}
	if q.YesNo {
		ask.Yes = "yes"
	}
	withdraw := s.Ask(ask)
	select {
	case a := <-answers:
		if !a.ok {
			return "", errUnanswered
		}
		return a.text, nil
	case <-ctx.Done():
		withdraw()
		return "", context.Cause(ctx)
	}
}
