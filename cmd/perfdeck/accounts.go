package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"golang.org/x/term"

	"perfdeck/session/config"
	"perfdeck/session/engine/link"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/tty"
	"perfdeck/session/text/printable"
)

// passwordVariable gives the password in the environment. No child of the program gets
// it; what the system shows of the environment that this process began with stays.
const passwordVariable = "PERFDECK_PASSWORD" //nolint:gosec // its name, not a password

// takePassword moves the password of the environment into the program.
func (p *program) takePassword() {
	for i, e := range p.environ {
		if v, ok := strings.CutPrefix(e, passwordVariable+"="); ok {
			if v != "" { // as if it was not set
				p.password = []byte(v)
			}
			p.environ = append(p.environ[:i:i], p.environ[i+1:]...)
			break
		}
	}
	_ = os.Unsetenv(passwordVariable)
}

// accounts are those that log on to hosts: as the flags say, once they are
// parsed.
func (p *program) accounts() *logon.Accounts {
	known, _ := p.loggedOn.Get(func() (*logon.Accounts, error) {
		return logon.New(logon.Options{
			User:         p.flags.User,
			Password:     p.password,
			PasswordFile: p.flags.passwordFile,
			Tickets:      p.flags.kerberos,
			Getenv:       p.getenv,
			Prompt:       p.prompt,
			Keyring:      p.keyring,
			Tell:         p.tellOffScreen,
			Go:           p.guard.Go,
		}), nil
	})
	return known
}

var errNoPrompt = errors.New("no password was given and there is no terminal to ask for it")

// prompt asks on the terminal, without echo.
func (p *program) prompt(what string) ([]byte, error) {
	if p.isOnScreen() {
		return nil, logon.ErrOnScreen
	}
	fd := int(p.in.Fd())
	if !term.IsTerminal(fd) {
		return nil, failure.WithHint(errNoPrompt, "use --password-file FILE or "+passwordVariable)
	}
	state, err := term.GetState(fd)
	if err != nil {
		return nil, fmt.Errorf("ask for the password: %w", err)
	}
	restore := func() { _ = term.Restore(fd, state) }
	p.life.Prompting(restore) // a signal ends the program here
	// Off before the question: who answers at once must not read the answer.
	if err := tty.MuteEcho(fd); err != nil {
		return nil, fmt.Errorf("ask for the password: %w", err)
	}
	fmt.Fprintf(p.err, "%s: ", printable.Text(what))
	password, err := term.ReadPassword(fd)
	restore()
	p.life.Prompting(nil)
	fmt.Fprintln(p.err)
	if err != nil {
		return nil, fmt.Errorf("ask for the password: %w", err)
	}
	return password, nil
}

// engineLink is how an engine is reached, and who we are to it.
func (p *program) engineLink(u *url.URL, what, name string, a config.EngineAccount) (link.Engine, error) {
	return p.known().Link(u, what, name, a)
}
