package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/term"

	"perfdeck/session"
)

// passwordVariable gives the password in the environment. It is taken out of
// the environment at start, so that no child of the program sees it.
const passwordVariable = "PERFDECK_PASSWORD" //nolint:gosec // its name, not a password

// credentials is who logs on. The password is asked for once and kept for
// reconnects.
type credentials struct {
	domain, user string
	ask          func(ctx context.Context) ([]byte, error)

	mu       sync.Mutex
	password []byte
}

// get gives a copy of the password; the caller may wipe it.
func (c *credentials) get(ctx context.Context) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.password == nil {
		p, err := c.ask(ctx)
		if err != nil {
			return nil, err
		}
		c.password = p
	}
	return bytes.Clone(c.password), nil
}

// takePassword moves the password of the environment into the program.
func (p *program) takePassword() {
	for i, e := range p.environ {
		if v, ok := strings.CutPrefix(e, passwordVariable+"="); ok {
			p.password = []byte(v)
			p.environ = append(p.environ[:i:i], p.environ[i+1:]...)
			break
		}
	}
	_ = os.Unsetenv(passwordVariable)
}

// credentialsFor are those of --user, with the password from --password-file,
// the environment, or a prompt.
func (p *program) credentialsFor(host string) (*credentials, error) {
	if p.flags.user == "" {
		return nil, usage(&hinted{
			fmt.Errorf("log on to %s: no account", host),
			`name one with --user [DOMAIN\]NAME`,
		})
	}
	c := &credentials{user: p.flags.user, ask: func(context.Context) ([]byte, error) { return p.askPassword(p.flags.user) }}
	if domain, user, ok := strings.Cut(c.user, `\`); ok {
		c.domain, c.user = domain, user
	}
	return c, nil
}

// askPassword finds the password of an account in the usual places.
func (p *program) askPassword(account string) ([]byte, error) {
	switch {
	case p.flags.passwordFile != "":
		return readPasswordFile(p.flags.passwordFile)
	case p.password != nil:
		return bytes.Clone(p.password), nil
	}
	return p.prompt("password of " + account)
}

// mostPassword bounds a password file.
const mostPassword = 4096

// readPasswordFile reads the first line of a file that nobody else may read.
func readPasswordFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, &hinted{
			fmt.Errorf("read the password from %s: others may read the file (mode %04o)", name, info.Mode().Perm()),
			"chmod 600 " + name,
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, mostPassword))
	if err != nil {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

var errNoPrompt = errors.New("no password was given and there is no terminal to ask for it")

// prompt asks on the terminal, without echo.
func (p *program) prompt(what string) ([]byte, error) {
	fd := int(p.in.Fd())
	if !term.IsTerminal(fd) {
		return nil, &hinted{errNoPrompt, "use --password-file FILE or " + passwordVariable}
	}
	fmt.Fprintf(p.err, "%s: ", session.Printable(what))
	password, err := term.ReadPassword(fd)
	fmt.Fprintln(p.err)
	if err != nil {
		return nil, fmt.Errorf("ask for the password: %w", err)
	}
	return password, nil
}
