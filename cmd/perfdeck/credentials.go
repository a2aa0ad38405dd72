package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/config"
)

// passwordVariable gives the password in the environment. It is taken out of
// the environment at start, so that no child of the program sees it.
const passwordVariable = "PERFDECK_PASSWORD" //nolint:gosec // its name, not a password

// credentials is who logs on to a host.
type credentials struct {
	account      string // as it was given
	domain, user string
	*secret
}

// secret is a password. It is fetched once and kept for reconnects.
type secret struct {
	fetch func(ctx context.Context) ([]byte, error)
	// again: fetch may be repeated after a failure or a refusal. One that asks
	// the user may not: the screens have the terminal by then.
	again  bool
	logOns *logOns // with it, of the hosts that share it
	// heir logs on in place of all that share it, once the user said so.
	heir atomic.Pointer[credentials]

	mu       sync.Mutex
	password []byte
	err      error
}

// get gives a copy of the password; the caller may wipe it.
func (s *secret) get(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.password == nil && s.err == nil {
		s.password, s.err = s.fetch(ctx)
	}
	err := s.err
	if s.again || errors.Is(err, errOnScreen) {
		s.err = nil
	}
	if err != nil {
		return nil, err
	}
	return bytes.Clone(s.password), nil
}

// ready fetches the password if it is not at hand.
func (s *secret) ready(ctx context.Context) error {
	password, err := s.get(ctx)
	clear(password)
	return err
}

// refused drops a password that was refused, if another can be had: it may have
// been changed.
func (s *secret) refused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.again {
		clear(s.password)
		s.password = nil
	}
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

// credentialsFor are those of a host: its own of the config, and what that does
// not say from the command line. What the user has to be asked for is asked now,
// before the screens take the terminal. The host's own reference is followed
// when the host is reached: what fails there fails for this host alone.
//
// With tickets neither account nor password is needed: who has the tickets is
// who logs on.
func (p *program) credentialsFor(ctx context.Context, t target, tickets bool) (*credentials, error) {
	c := &credentials{account: t.own.User}
	if c.account == "" {
		c.account = p.flags.user
	}
	if c.account == "" && !tickets {
		return nil, usage(&noAccountError{host: t.name, why: errNoAccount})
	}
	c.split()
	if tickets {
		c.secret = &secret{logOns: newLogOns(time.Now)}
		return c, nil
	}
	if !t.own.Password.IsZero() {
		c.secret = &secret{again: true, logOns: newLogOns(time.Now), fetch: func(ctx context.Context) ([]byte, error) {
			return p.follow(ctx, t.name, c.account, t.own.Password)
		}}
		return c, nil
	}
	c.secret = p.usualSecret(c.account)
	err := c.ready(ctx)
	if errors.Is(err, errOnScreen) {
		err = &noAccountError{t.name, c.account, err}
	}
	return c, err
}

// split takes the domain off the account.
func (c *credentials) split() {
	c.user = c.account
	if domain, user, ok := strings.Cut(c.account, `\`); ok {
		c.domain, c.user = domain, user
	}
}

var errNoAccount = errors.New("no account")

// noAccountError is a host that cannot be logged on to because nothing says as
// whom.
type noAccountError struct {
	host    string
	account string // empty: none; else its password is missing
	why     error
}

func (e *noAccountError) Error() string { return fmt.Sprintf("log on to %s: %v", e.host, e.why) }
func (e *noAccountError) Unwrap() error { return e.why }

// Hint says where an account is named.
func (e *noAccountError) Hint() string {
	return `name one with --user [DOMAIN\]NAME, or with user in the config's [[host]]`
}

// typedCredentials are those that the user typed on the screens. The hosts of
// one account share its password; no password means the one that is known.
func (p *program) typedCredentials(account string, password []byte) (*credentials, error) {
	c := &credentials{account: account}
	c.split()
	if c.user == "" {
		return nil, errNoAccount
	}
	if len(password) > mostPassword {
		return nil, fmt.Errorf("the password has more than %d bytes", mostPassword)
	}
	p.access.Lock()
	defer p.access.Unlock()
	known := p.secrets[paths.Fold(account)]
	switch {
	case known != nil && known.holds(password):
		c.secret = known
		known.heir.Store(nil)
		return c, nil
	case len(password) == 0:
		return nil, fmt.Errorf("no password of %s is known", session.Printable(account))
	}
	password = bytes.Clone(password)
	c.secret = &secret{logOns: newLogOns(time.Now), password: password, fetch: func(context.Context) ([]byte, error) {
		return nil, errOnScreen
	}}
	if p.secrets == nil {
		p.secrets = map[string]*secret{}
	}
	p.secrets[paths.Fold(account)] = c.secret
	return c, nil
}

// holds tells whether a password is the one that is known; an empty one is any.
func (s *secret) holds(password []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.password != nil && (len(password) == 0 || bytes.Equal(s.password, password))
}

// follow fetches the password that a host of the config refers to.
func (p *program) follow(ctx context.Context, host, account string, ref config.PasswordRef) ([]byte, error) {
	switch {
	case ref.File != "":
		name, err := belowHome(ref.File)
		if err != nil {
			return nil, err
		}
		return readPasswordFile(name)
	case ref.Keyring != "":
		return p.keyringPassword(ctx, host, ref.Keyring, account)
	}
	return p.commandPassword(ctx, host, ref.Command)
}

// belowHome replaces the ~ of a path.
func belowHome(name string) (string, error) {
	below, ok := strings.CutPrefix(name, "~/")
	if !ok {
		return name, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	return filepath.Join(home, below), nil
}

// usualSecret is the password of an account from the usual places; hosts of one
// account share it.
func (p *program) usualSecret(account string) *secret {
	key := paths.Fold(account)
	p.access.Lock()
	defer p.access.Unlock()
	if p.secrets[key] == nil {
		if p.secrets == nil {
			p.secrets = map[string]*secret{}
		}
		p.secrets[key] = &secret{logOns: newLogOns(time.Now), fetch: func(context.Context) ([]byte, error) { return p.askPassword(account) }}
	}
	return p.secrets[key]
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

// mostPassword bounds a password, in bytes.
const mostPassword = 4096

var (
	errNoPassword   = errors.New("the first line is empty")
	errLongPassword = fmt.Errorf("the first line has more than %d bytes", mostPassword)
)

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
	text := make([]byte, mostPassword+len("\r\n"))
	defer clear(text)
	n, err := io.ReadFull(f, text)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	password, err := firstLine(text[:n])
	if err != nil {
		return nil, fmt.Errorf("read the password from %s: %w", name, err)
	}
	return password, nil
}

// firstLine is a copy of the first line of a text.
func firstLine(text []byte) ([]byte, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	switch {
	case len(line) == 0:
		return nil, errNoPassword
	case len(line) > mostPassword:
		return nil, errLongPassword
	}
	return bytes.Clone(line), nil
}

var (
	errNoPrompt = errors.New("no password was given and there is no terminal to ask for it")
	errOnScreen = errors.New("no password was given, and it is asked for on the screens")
)

// prompt asks on the terminal, without echo.
func (p *program) prompt(what string) ([]byte, error) {
	if p.onScreen.Load() {
		return nil, errOnScreen
	}
	fd := int(p.in.Fd())
	if !term.IsTerminal(fd) {
		return nil, &hinted{errNoPrompt, "use --password-file FILE or " + passwordVariable}
	}
	state, err := term.GetState(fd)
	if err != nil {
		return nil, fmt.Errorf("ask for the password: %w", err)
	}
	restore := func() { _ = term.Restore(fd, state) }
	p.prompting(restore) // a signal ends the program here
	// Off before the question: who answers at once must not read the answer.
	if err := muteEcho(fd); err != nil {
		return nil, fmt.Errorf("ask for the password: %w", err)
	}
	fmt.Fprintf(p.err, "%s: ", session.Printable(what))
	password, err := term.ReadPassword(fd)
	restore()
	p.prompting(nil)
	fmt.Fprintln(p.err)
	if err != nil {
		return nil, fmt.Errorf("ask for the password: %w", err)
	}
	return password, nil
}
